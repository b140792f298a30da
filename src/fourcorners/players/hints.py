"""Hints: the move that the computer would choose at its best, and why, in words."""

from __future__ import annotations

import threading
from typing import NamedTuple

from fourcorners.core.position import Position, View
from fourcorners.players.computer import Computer

_SECONDS = 1.0


class Advice(NamedTuple):
    """A move, and what speaks for it: a sentence that begins with the move; what it is worth, as in a Choice."""

    move: str
    text: str
    value: float
    win: float
    solved: bool


def hint(
    position: Position | View,
    seconds: float | None = None,
    nodes: int | None = None,
    seed: int | None = None,
    stop: threading.Event | None = None,
) -> Advice:
    """Find a good move for the seat to move, and say why; it uses nothing but what that seat may know.

    The limits are those of a Computer, a second if none is given. Raise GameError if the game is over.
    """
    if seconds is None and nodes is None:
        seconds = _SECONDS
    choice = Computer(seconds=seconds, nodes=nodes, seed=seed).choose(position, stop)
    view = position.view(position.seat) if isinstance(position, Position) else position
    hints = view.game.spec.hints
    reason = ""
    if hints is not None:
        action = int(view.game.spec.notation.parse(view.record, choice.move))
        reason = hints.hint(view, action).text
    text = f"{choice.move}: {reason}" if reason else choice.move
    return Advice(choice.move, text, choice.value, choice.win, choice.solved)
