"""Study of games: analyses, reviews, reports, lessons, puzzles and pictures. It knows no page and no single game."""
