"""Exact play, for the solvers."""
