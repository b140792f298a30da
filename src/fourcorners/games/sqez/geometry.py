"""Lines of dots as words and pictures use them: the edges of a rectangle, and bits as runs."""

from __future__ import annotations

Edge = tuple[int, int, int, int]
Runs = list[tuple[int, int]]


def ring(x1: int, y1: int, x2: int, y2: int) -> list[Edge]:
    """Return the edges of a rectangle once round from its lower-left dot, each with its lower or left dot first."""
    bottom: list[Edge] = [(x, y1, x + 1, y1) for x in range(x1, x2)]
    right: list[Edge] = [(x2, y, x2, y + 1) for y in range(y1, y2)]
    top: list[Edge] = [(x, y2, x + 1, y2) for x in reversed(range(x1, x2))]
    left: list[Edge] = [(x1, y, x1, y + 1) for y in reversed(range(y1, y2))]
    return bottom + right + top + left


def runs(word: int) -> Runs:
    """Return the runs of set bits of a word: the first of each, and the one after its last."""
    found, index = [], 0
    while word >> index:
        if word >> index & 1:
            first = index
            while word >> index & 1:
                index += 1
            found.append((first, index))
        index += 1
    return found
