"""What solving a position comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Solution:
    """The exact value of a position.

    `value` is the margin for the seat to move (its points less those of the best opponent), counted from here to the
    end; `moves` are all moves that reach it, sorted. `values` are those of all legal moves, likewise for the seat to
    move, if they were asked for. `nodes` is how many nodes were searched. `nimber` is that of an impartial game with
    two seats. `margins`, with three or more parties, has the change of every seat's margin from here to the end.
    `open_hands` tells that the value depends on something the seat to move cannot see.
    """

    value: int
    moves: tuple[str, ...]
    nodes: int
    seconds: float = field(default=0.0, compare=False)
    nimber: int | None = None
    values: Mapping[str, int] = field(default_factory=dict)
    margins: tuple[int, ...] | None = None
    open_hands: bool = False
