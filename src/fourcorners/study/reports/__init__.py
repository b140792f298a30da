"""Reports about a game: what many games between computers tell about its length, balance, drama, levels and openings."""
