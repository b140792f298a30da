"""The result of solving a position."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Solution:
    """The exact value of a position.

    `final_margin` is the margin at the end of the game with best play, for the seat to move: its points minus those of
    its best rival. `remaining_margin` is the margin from here to the end: the final margin minus the present one. In a
    game without points, both are 1 for a win and -1 for a loss. In a finished game, they are for seat 0.

    `moves` are all the best moves, sorted. `values` are the remaining margins of all legal moves for the same seat, if
    requested. `nodes` is the number of nodes searched. `nimber` is set for impartial games with two parties. `margins`
    is the change of every seat's margin from here to the end, with three or more parties. `open_hands` says that the
    value may depend on information hidden from the seat to move.
    """

    remaining_margin: int
    moves: tuple[str, ...]
    nodes: int
    final_margin: int = field(kw_only=True)
    seconds: float = field(default=0.0, compare=False)
    nimber: int | None = None
    values: Mapping[str, int] = field(default_factory=dict)
    margins: tuple[int, ...] | None = None
    open_hands: bool = False
