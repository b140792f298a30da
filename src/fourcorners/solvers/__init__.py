"""Exact solving: algorithms that know no game."""
