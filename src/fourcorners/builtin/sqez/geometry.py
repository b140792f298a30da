"""Lines between dots, as notation, explanations and drawings need them; interpreted only."""

import re

Edge = tuple[int, int, int, int]
"""Column and row of the two dots, the lower or left one first."""
Runs = list[tuple[int, int]]
"""For each run of edges the index of its first one and that after its last: the dots where a line begins and ends."""


def list_outline_edges(x1: int, y1: int, x2: int, y2: int) -> list[Edge]:
    """Return the edges of the rectangle from its lower-left dot (x1, y1) to (x2, y2), counter-clockwise from there."""
    bottom: list[Edge] = [(x, y1, x + 1, y1) for x in range(x1, x2)]
    right: list[Edge] = [(x2, y, x2, y + 1) for y in range(y1, y2)]
    top: list[Edge] = [(x, y2, x + 1, y2) for x in reversed(range(x1, x2))]
    left: list[Edge] = [(x1, y, x1, y + 1) for y in reversed(range(y1, y2))]
    return bottom + right + top + left


def find_runs(word: int) -> Runs:
    """Return the runs of set bits in ascending order: for each the index of its first bit, and that after its last."""
    digits = bin(word)[:1:-1]  # without "0b", from bit 0 on
    return [run.span() for run in re.finditer("1+", digits)]
