"""Exact solving: algorithms that do not know any game."""
