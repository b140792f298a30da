"""Nimbers computed slowly: the mex over all moves of whole positions, without components or symmetry."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from .sqez import Edge, Reference, list_outline

P = TypeVar("P", bound=Hashable)


def compute_nimber(position: P, list_options: Callable[[P], Iterable[P]], known: dict[P, int]) -> int:
    """Return the mex of the nimbers of a position's options; `known`, extended in place, caches nimbers by position."""
    if position not in known:
        nimbers = {compute_nimber(option, list_options, known) for option in list_options(position)}
        known[position] = next(n for n in range(len(nimbers) + 1) if n not in nimbers)
    return known[position]


class SqezNimbers:
    """The nimbers of positions on one field with certain options; a position is its set of drawn edges."""

    def __init__(self, cols: int, rows: int, sides: str, enclose: str) -> None:
        """Start with an empty cache; the parameters are options of the rules page."""
        self.game = Reference(cols=cols, rows=rows, sides=sides, enclose=enclose)
        self.known: dict[frozenset[Edge], int] = {}

    def list_options(self, drawn: frozenset[Edge]) -> list[frozenset[Edge]]:
        """Return the positions after every legal rectangle; the reference `game` is set to the position on the way."""
        self.game.drawn = set(drawn)
        self.game.touched = {dot for edge in drawn for dot in edge}
        # A cache for the position before.
        self.game.reasons = None
        return [drawn.union(list_outline(corners)) for corners in self.game.list_legal()]

    def compute(self, drawn: Iterable[Edge]) -> int:
        """Return the nimber of the position with these drawn edges, which play must be able to reach."""
        return compute_nimber(frozenset(drawn), self.list_options, self.known)


def list_cram_options(cells: frozenset[tuple[int, int]]) -> list[frozenset[tuple[int, int]]]:
    """Return the sets of cells that are left after every domino on these free cells of Cram."""
    dominoes = [((x, y), other) for x, y in cells for other in ((x + 1, y), (x, y + 1)) if other in cells]
    return [cells.difference(domino) for domino in dominoes]
