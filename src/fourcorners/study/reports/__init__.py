"""Reports about a game, from many games between computers."""
