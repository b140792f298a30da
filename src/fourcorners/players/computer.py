"""The computer opponent: how long it thinks, and what it chooses."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple

from fourcorners.core import doors, kernel
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.reading import Position, View
from fourcorners.search.driver import Progress, Search

MOST_SECONDS = 86_400.0
MOST_NODES = 10**9
LONGEST_LINE = 12
_SEED_BITS = 64
_ONLY_MOVE_NODES = 30


class Budget(NamedTuple):
    """How much a level thinks about a move: whichever of the two is used up first ends it."""

    nodes: int
    seconds: float


LEVELS = {
    1: Budget(50, 1.0),
    2: Budget(200, 1.0),
    3: Budget(800, 1.0),
    4: Budget(3_000, 1.0),
    5: Budget(12_000, 1.0),
    6: Budget(200_000, 1.2),
}
"""The levels; they differ in how long they think, not yet in what they know."""
USUAL_LEVEL = 5


@dataclass(frozen=True)
class Choice:
    """A chosen move and what the computer thinks of it.

    `value` is the margin it expects at the end for the seat to move over its best rival, `win` its chance of winning
    (a shared win counts as a share), both as its simulations went; `line` are the moves it expects, this one first: no
    more than this one where something is hidden. `nodes` counts the simulations. The `seconds` it took are no part of
    the choice: two that differ in them alone are equal.
    """

    move: str
    value: float
    win: float
    line: tuple[str, ...]
    nodes: int
    seconds: float = field(compare=False)


class Computer:
    """A player that thinks by simulating games; the same view, budget of nodes and seed give the same choice."""

    def __init__(
        self, level: int = USUAL_LEVEL, seconds: float | None = None, nodes: int | None = None, seed: int | None = None
    ) -> None:
        """Choose a level, 1 to 6, or say how many seconds or simulations (`nodes`) a move may take instead.

        Raise OptionError for anything else. Without a seed every choice is drawn afresh.
        """
        if type(level) is not int or level not in LEVELS:
            raise OptionError(
                "level", f"{quote(level)} is not allowed; it may be a whole number from 1 to {max(LEVELS)}"
            )
        if seconds is not None and not _is_time(seconds):
            message = f"{quote(seconds)} is not allowed; it may be a number above 0, at most {MOST_SECONDS:.0f}"
            raise OptionError("seconds", message)
        if nodes is not None and (type(nodes) is not int or not 1 <= nodes <= MOST_NODES):
            raise OptionError(
                "nodes", f"{quote(nodes)} is not allowed; it may be a whole number from 1 to {MOST_NODES}"
            )
        if seed is not None and type(seed) is not int:
            raise OptionError("seed", f"{quote(seed)} is not allowed; it may be a whole number or None")
        self.level = level
        self.nodes: int | None = nodes
        self.seconds: float | None = seconds
        if nodes is None and seconds is None:
            self.nodes, self.seconds = LEVELS[level]
        self.seed = seed

    def choose(
        self,
        position: Position | View,
        stop: threading.Event | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Choice:
        """Find a move for the seat to move, using nothing but what that seat may know.

        When `stop` is set the search ends within some 20 ms with the best move so far; `progress` is called after every
        slice of the search. Raise GameError if the game is over or the view is not that of the seat to move.
        """
        view = _checked(position)
        begun = perf_counter()
        search = Search(view, secrets.randbits(_SEED_BITS) if self.seed is None else self.seed)
        nodes = self.nodes
        if search.choices == 1:
            nodes = min(nodes or _ONLY_MOVE_NODES, _ONLY_MOVE_NODES)
        search.run(nodes, self.seconds, stop, progress)
        best = search.findings()[0]
        line = _spelt(view, [best.action] if view.game.spec.hidden else search.line(LONGEST_LINE))
        return Choice(line[0], best.margin, best.win, line, search.simulations, perf_counter() - begun)


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, int | float) and type(seconds) is not bool and 0 < seconds <= MOST_SECONDS


def _checked(position: object) -> View:
    """Return the view of the seat to move."""
    if not isinstance(position, Position | View):
        raise GameError(f"a computer chooses in a Position or a View, not {quote(position)}", "position")
    if position.seat is None:
        raise GameError("the game is over: there is no move to choose", "game-over")
    if isinstance(position, Position):
        return position.view(position.seat)
    if position.viewer != position.seat:
        viewer = "a spectator" if position.viewer is None else f"seat {position.viewer}"
        message = f"this is the view of {viewer}, and seat {position.seat} is to move: only its view will do"
        raise GameError(message, "not-your-turn")
    return position


def _spelt(view: View, actions: list[int]) -> tuple[str, ...]:
    """Write actions that follow one another as moves."""
    states = view.states.copy()
    record = kernel.view_record(states)
    moves = []
    for action in actions:
        moves.append(view.game.spec.notation.format(record, action))
        doors.play(states, 0, action)
    return tuple(moves)
