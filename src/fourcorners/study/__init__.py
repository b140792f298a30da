"""What helps players to improve, for page, API and Python alike: no web, and no single game."""
