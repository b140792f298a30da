"""Matches against independent programs that play Dots and Boxes and Square Off."""
