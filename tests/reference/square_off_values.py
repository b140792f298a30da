"""Exact values of Square Off positions, by an exhaustive search on the slow reference."""

import copy
from collections import Counter

from .square_off import Reference

Cache = dict[object, int]


def compute_value(reference: Reference, cache: Cache | None = None) -> int:
    """Return the margin, for the seat to move, of all that is still scored from here to the end with best play.
    The reference stays as it is. `cache`, extended in place, has the values of positions under the same options.
    """
    cache = {} if cache is None else cache
    if reference.is_over:
        return 0
    last = reference.last if reference.has_right() else None
    men = frozenset(reference.white), frozenset(reference.black), frozenset(reference.kept)
    key = (*men, last, reference.turn, reference.white_seat, reference.rights_used > 0)
    if key not in cache:
        cache[key] = max(evaluate_move(reference, move, cache) for move in reference.moves())
    return cache[key]


def evaluate_move(reference: Reference, move: str, cache: Cache) -> int:
    """Return the margin, for the seat that makes a legal move, of all that is scored by it and by best play after it.
    The reference stays as it is: the move is played on a copy. `cache` is that of `compute_value`.
    """
    seat = reference.turn
    after = copy.copy(reference)
    after.white, after.black, after.kept = set(reference.white), set(reference.black), set(reference.kept)
    after.used = Counter()
    after.play(move)
    return compute_margin(after, seat) - compute_margin(reference, seat) - compute_value(after, cache)


def compute_margin(reference: Reference, seat: int) -> int:
    """Return the current points of a seat (0 or 1) less those of the other."""
    return reference.scores[seat] - reference.scores[1 - seat]
