"""Strategy knowledge for the computer players and for hints."""
