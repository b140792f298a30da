"""Which puzzle comes next: the one of the day, one that suits a player, and a series of rising difficulty."""

import functools
import hashlib
import itertools
import random
from collections.abc import Collection, Mapping, Sequence

from fourcorners.core.position import Position
from fourcorners.core.puzzle_themes import MIXED
from fourcorners.solve.solver import compute_margin
from fourcorners.study.puzzles.format import Puzzle

RUN_LENGTH = 60
MOST_MARGIN = 10
"""A game that is won by more points with a best move and with any other one is decided by far."""
_NEAREST = 8
_COMFORT = 80
"""Puzzles are chosen this many Elo points below the player, who then solves about six of ten."""
_MEDIUM = (0.25, 0.75)
"""The shares of a game's puzzles, by difficulty, between which those of the day lie."""


def is_decided_by_far(position: Position, value: int, next_value: int) -> bool:
    """Return whether it matters to no one what the seat to move does, although best moves are worth more, `value`, than
    others, `next_value`: the winner is the same, and far ahead.
    """
    if position.game.spec.scoring == "last-move":
        return False
    lead = compute_margin(position, position.seat or 0)
    best, other = lead + value, lead + next_value
    return best * other > 0 and min(abs(best), abs(other)) > MOST_MARGIN


@functools.cache
def _is_open(puzzle: Puzzle) -> bool:
    return not is_decided_by_far(puzzle.position, puzzle.value, puzzle.next_value)


def list_open_puzzles(puzzles: Sequence[Puzzle]) -> Sequence[Puzzle]:
    """List the puzzles of games that are not decided by far; all if there are no others. Files of earlier versions have
    some that are, which stay where someone links to them, but are not offered.
    """
    return [puzzle for puzzle in puzzles if _is_open(puzzle)] or puzzles


def choose_daily(puzzles: Sequence[Puzzle], day: str) -> Puzzle | None:
    """Return the puzzle of a day, given as 2026-11-23; None if there are none.

    It has medium difficulty and follows from a hash of the day: everyone with the same puzzles gets the same one, and
    no calendar is needed.
    """
    ordered = sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id))
    first, last = (round(share * len(ordered)) for share in _MEDIUM)
    medium = ordered[first:last] or ordered
    medium.sort(key=lambda puzzle: hashlib.sha256(f"{day} {puzzle.id}".encode()).digest())
    return next(iter(_take_open(medium, 1)), None)


def _take_open(puzzles: Sequence[Puzzle], count: int) -> Sequence[Puzzle]:
    """Return the first `count` puzzles that are open, or the first of all if none is. Finding out takes some
    milliseconds for each, so that no page waits until all puzzles of a game are known.
    """
    return list(itertools.islice(filter(_is_open, puzzles), count)) or puzzles[:count]


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

    found: Sequence[Puzzle] = ()
    for pool in (fresh, others, wanted):
        nearest = _take_open(sorted(pool, key=lambda puzzle: (measure_distance(puzzle), puzzle.id)), _NEAREST)
        if nearest and _is_open(nearest[0]):
            return rng.choice(nearest)
        found = found or nearest
    return rng.choice(found) if found else None


def choose_run(puzzles: Sequence[Puzzle], ratings: Mapping[str, int], rng: random.Random) -> list[Puzzle]:
    """Return up to `RUN_LENGTH` puzzles, the easiest first, drawn evenly from all difficulties."""
    ordered = sorted(puzzles, key=lambda puzzle: (ratings.get(puzzle.id, puzzle.rating), puzzle.id))
    count = min(RUN_LENGTH, len(ordered))
    bounds = [number * len(ordered) // count for number in range(count + 1)] if count else []
    drawn = (rng.sample(ordered[first:last], last - first) for first, last in itertools.pairwise(bounds))
    chosen = [next(filter(_is_open, group), None) for group in drawn]
    return [puzzle for puzzle in chosen if puzzle is not None] or ordered[:count]


def list_themes(puzzles: Sequence[Puzzle]) -> list[str]:
    """List the themes of puzzles, the most frequent first, and last that of those that have no other."""
    counts: dict[str, int] = {}
    for puzzle in puzzles:
        for theme in puzzle.themes:
            counts[theme] = counts.get(theme, 0) + 1
    return sorted(counts, key=lambda theme: (theme == MIXED, -counts[theme], theme))
