"""The core that all games share. No module here imports a game."""
