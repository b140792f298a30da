"""Study: what a finished game, a position or a collection of them can teach. It knows no page and no single game."""
