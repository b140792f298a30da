"""Compiling ahead of time: what there is to compile for each game, and the function that compiles it."""
