"""The result of solving a position."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Solution:
    """The exact value of a position.

    With best play, `final_margin` is the margin at the end of the game for the seat to move: its points minus those of
    its best rival. `remaining_margin` is the margin from here to the end: the final one minus the present one. In a
    game without points both are 1 for a win and -1 for a loss. Once the game is over, they are those of seat 0.

    `moves` are all best moves, sorted; `values` are the remaining margins of all legal moves, for the same seat, if
    they were requested. `nodes` is the number of nodes searched. `nimber` is that of an impartial game with two
    parties. `margins` is the change of every seat's margin from here to the end, with three or more parties.
    `open_hands` says that the value may depend on something that the seat to move cannot see.
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
