"""Search by simulation; it knows no game."""
