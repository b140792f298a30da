"""Exact solving: what the solvers use of this game."""
