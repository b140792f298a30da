"""Nimbers found slowly: the least number that no move leads to, over whole positions, without parts or symmetry."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from .sqez import Edge, Reference, outline

P = TypeVar("P", bound=Hashable)


def nimber(position: P, following: Callable[[P], Iterable[P]], known: dict[P, int]) -> int:
    """The mex of all that can follow; `known` keeps what was found."""
    if position not in known:
        values = {nimber(after, following, known) for after in following(position)}
        known[position] = next(n for n in range(len(values) + 1) if n not in values)
    return known[position]


class SqezNimbers:
    """Nimbers of the positions of one field with certain options; a position is its drawn edges."""

    def __init__(self, cols: int, rows: int, sides: str, enclose: str) -> None:
        self.game = Reference(cols=cols, rows=rows, sides=sides, enclose=enclose)
        self.known: dict[frozenset[Edge], int] = {}

    def following(self, drawn: frozenset[Edge]) -> list[frozenset[Edge]]:
        self.game.drawn = set(drawn)
        self.game.touched = {dot for edge in drawn for dot in edge}
        self.game.reasons = None
        return [drawn.union(outline(corners)) for corners in self.game.legal()]

    def of(self, drawn: Iterable[Edge]) -> int:
        return nimber(frozenset(drawn), self.following, self.known)


def cram_following(cells: frozenset[tuple[int, int]]) -> list[frozenset[tuple[int, int]]]:
    """What laying one domino on free cells leaves."""
    dominoes = [((x, y), other) for x, y in cells for other in ((x + 1, y), (x, y + 1)) if other in cells]
    return [cells.difference(domino) for domino in dominoes]
