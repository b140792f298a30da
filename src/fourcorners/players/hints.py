"""Hints: the move that the strongest computer would choose, and the reason, in words."""

import threading
from typing import NamedTuple

from fourcorners.core.game import Position, View
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay

_SECONDS = 1.0


class Advice(NamedTuple):
    """A move, a sentence that begins with it and explains it, and its evaluation as in a Choice."""

    move: str
    text: str
    final_margin: float
    win: float
    solved: bool


def hint(
    position: Position | View,
    seconds: float | None = None,
    nodes: int | None = None,
    seed: int | None = None,
    stop: threading.Event | None = None,
) -> Advice:
    """Find a good move for the seat to move and explain it, using only what that seat may know.

    `seconds`, `nodes` and `seed` mean the same as for a Computer; without either limit, it takes one second. The call
    blocks; set `stop` to end it early. The text is the move alone if the game has no hints, or none for this move.

    Raise GameError if the game is over, if the view belongs to another seat than the one to move, or if `position` is
    neither a Position nor a View. Raise OptionError if a limit or the seed is not allowed.
    """
    if seconds is None and nodes is None:
        seconds = _SECONDS
    choice = Computer(seconds=seconds, nodes=nodes, seed=seed).choose(position, stop)
    view = position.view(position.seat) if isinstance(position, Position) else position
    text = f"{choice.move}: {describe_merit(view, choice.move)}".removesuffix(": ")
    return Advice(choice.move, text, choice.final_margin, choice.win, choice.solved)


def describe_merit(view: View, move: str) -> str:
    """Say why a legal move of the seat to move is good, or what it gives away, in a clause that follows the move.

    The clause is empty if the game has no hints, or none for this move.
    """
    hints = view.game.spec.part(ComputerPlay).hints
    return "" if hints is None else hints.hint(view, int(view.game.spec.notation.parse(view.record, move))).text
