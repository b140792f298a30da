"""Which puzzle comes next: the one of the day, one that suits a player, and a series of rising difficulty."""

import hashlib
import random
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from fourcorners.study.puzzles.format import Puzzle
from fourcorners.study.puzzles.themes import MIXED

RUN_LENGTH = 60
_NEAREST = 8
_COMFORT = 80
"""Puzzles are chosen this many Elo points below the player, who then solves about six of ten."""
_MEDIUM = (0.25, 0.75)
"""The shares of a game's puzzles, by difficulty, between which those of the day lie."""


def choose_daily(puzzles: Sequence[Puzzle], day: str) -> Puzzle | None:
    """Return the puzzle of a day, given as 2026-11-23; None if there are none.

    It has medium difficulty and follows from a hash of the day: everyone with the same puzzles gets the same one, and
    no calendar is needed.
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
    """Return a puzzle that suits a player of a rating, of a theme if one is given: at random one of those that are
    nearest in difficulty, first of those that were not tried. `ratings` are by id where they have changed. If possible,
    it is not the one with the id `but`; None if there is none.
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
    """List the themes of puzzles, the most frequent first, and last that of those that have no other."""
    counts: dict[str, int] = {}
    for puzzle in puzzles:
        for theme in puzzle.themes:
            counts[theme] = counts.get(theme, 0) + 1
    return sorted(counts, key=lambda theme: (theme == MIXED, -counts[theme], theme))
