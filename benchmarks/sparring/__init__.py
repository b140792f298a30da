"""Matches against an independent program that plays Dots and Boxes."""
