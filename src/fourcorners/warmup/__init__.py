"""Compilation ahead of time: the steps for each game, and the function that runs them."""
