"""The choice of puzzles: one for the day, one that suits a player, or a series of rising difficulty."""

import hashlib
import random
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from fourcorners.study.puzzle_themes import MIXED
from fourcorners.study.puzzles.format import Puzzle

RUN_LENGTH = 60
_NEAREST = 8
_COMFORT = 80
"""Puzzles are chosen this many Elo points below the player, who then solves about six of ten."""
_MEDIUM = (0.25, 0.75)
"""The range of difficulty of daily puzzles, as shares of a game's puzzles."""


def choose_daily(puzzles: Sequence[Puzzle], day: str) -> Puzzle | None:
    """Return the puzzle of a day, given as 2026-11-23; None if there are none.

    It has medium difficulty and is chosen by a hash of the day, so everyone with the same puzzles gets the same one
    without a calendar.
    """
    ordered = sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id))
    first, last = (round(share * len(ordered)) for share in _MEDIUM)
    medium = ordered[first:last] or ordered
    return min(medium, key=lambda puzzle: hashlib.sha256(f"{day} {puzzle.id}".encode()).digest(), default=None)


def choose_next(
    puzzles: Sequence[Puzzle],
    ratings: Mapping[str, int],
    rating: int,
    tried: Collection[str],
    rng: random.Random,
    theme: str = "",
    but: str = "",
) -> Puzzle | None:
    """Return a puzzle that suits a player's rating, of a theme if one is given; None if there is none.

    The choice is random among the puzzles nearest in difficulty, preferring those not in `tried` and, if possible,
    avoiding the one with the id `but`. `ratings` holds the changed ratings of puzzles by id.
    """
    wanted = [puzzle for puzzle in puzzles if not theme or theme in puzzle.themes]
    others = [puzzle for puzzle in wanted if puzzle.id != but]
    fresh = [puzzle for puzzle in others if puzzle.id not in tried]

    def measure_distance(puzzle: Puzzle) -> int:
        return abs(ratings.get(puzzle.id, puzzle.rating) - (rating - _COMFORT))

    pool = fresh or others or wanted
    nearest = sorted(pool, key=lambda puzzle: (measure_distance(puzzle), puzzle.id))[:_NEAREST]
    return rng.choice(nearest) if nearest else None


def choose_run(puzzles: Sequence[Puzzle], ratings: Mapping[str, int], rng: random.Random) -> list[Puzzle]:
    """Return up to `RUN_LENGTH` puzzles, the easiest first, drawn evenly from all difficulties."""
    ordered = sorted(puzzles, key=lambda puzzle: (ratings.get(puzzle.id, puzzle.rating), puzzle.id))
    count = min(RUN_LENGTH, len(ordered))
    bounds = [number * len(ordered) // count for number in range(count + 1)] if count else []
    return [rng.choice(ordered[first:last]) for first, last in pairwise(bounds)]


def list_themes(puzzles: Sequence[Puzzle]) -> list[str]:
    """List the themes of puzzles, the most frequent first; the theme of puzzles without another one comes last."""
    counts: dict[str, int] = {}
    for puzzle in puzzles:
        for theme in puzzle.themes:
            counts[theme] = counts.get(theme, 0) + 1
    return sorted(counts, key=lambda theme: (theme == MIXED, -counts[theme], theme))
