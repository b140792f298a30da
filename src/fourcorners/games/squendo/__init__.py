"""Squendo: wooden tiles whose edges meet, hidden hands, rectangles and stacks."""
