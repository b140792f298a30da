"""What positions of Square Off are worth, by trying everything on the slow reference."""

import copy

from .square_off import Reference

Known = dict[object, int]


def value(reference: Reference, known: Known | None = None) -> int:
    """Return the margin of the seat to move, from here to the end."""
    known = {} if known is None else known
    if reference.is_over:
        return 0
    right = reference.last if reference.has_right() else None
    men = frozenset(reference.white), frozenset(reference.black), frozenset(reference.kept)
    here = (*men, right, reference.turn, reference.white_seat, reference.rights_used > 0)
    if here not in known:
        known[here] = max(after(reference, move, known) for move in reference.moves())
    return known[here]


def after(reference: Reference, move: str, known: Known) -> int:
    """Return what a move is worth to the seat that makes it."""
    me = reference.turn
    then = copy.copy(reference)
    then.white, then.black, then.kept = set(reference.white), set(reference.black), set(reference.kept)
    then.play(move)
    return margin(then, me) - margin(reference, me) - value(then, known)


def margin(reference: Reference, seat: int) -> int:
    """Return how many points more a seat has as they stand."""
    return reference.scores[seat] - reference.scores[1 - seat]
