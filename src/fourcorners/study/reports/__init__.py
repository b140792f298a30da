"""Reports about a game: what many games between computers tell about it."""
