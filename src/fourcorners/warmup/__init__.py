"""Compiling ahead of time, in processes of its own."""
