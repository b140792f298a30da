"""Exact play as Strings and Coins, for the solvers."""
