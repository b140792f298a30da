"""What all games share. Nothing here imports a game."""
