"""Compile everything that play needs, game by game: slow the first time, quick from the disk cache afterwards."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import NamedTuple

import numpy as np

from fourcorners.core import catalogue, compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game
from fourcorners.core.perft import perft
from fourcorners.core.position import Position
from fourcorners.core.spec import Spec
from fourcorners.players.computer import Computer
from fourcorners.players.hints import hint
from fourcorners.solve import solver
from fourcorners.web.engine import solve_service
from fourcorners.web.engine.move_service import choose_move

_NODES = 30
_HINT_POSITIONS, _HINT_MOVES = 12, 8
"""How many of the last positions of a game, and moves in each, are enough to reach all code that explains hints."""
_logger = logging.getLogger(__name__)


class WarmupStep(NamedTuple):
    """A call that makes Numba compile something: the game's title, what is compiled, and the call."""

    title: str
    name: str
    run: Callable[[], object]


def list_steps() -> list[WarmupStep]:
    """Return the steps for all games in the order to run them; this compiles only what the first view of each needs."""
    return [step for spec in catalogue.specs().values() for step in _list_game_steps(spec)]


def _list_game_steps(spec: Spec) -> Iterator[WarmupStep]:
    """Yield the steps for a game with its default options in the order to run them: some change one record in turn."""
    position = Game(spec, {}).start(seed=0)
    states, rng = position.states.copy(), new_rng(1)
    played = states.copy()

    def step(name: str, run: Callable[[], object]) -> WarmupStep:
        return WarmupStep(spec.title, name, run)

    yield step("status", lambda: position.is_over)
    yield step("legal moves", lambda: compiled_api.legal(states, 0, np.zeros(compiled_api.bound(states, 0), np.int64)))
    yield step("illegal moves", lambda: compiled_api.accepts_illegal(states, 0, int(compiled_api.pick(states, 0, rng))))
    yield step("random moves", lambda: compiled_api.play(played, 0, compiled_api.pick(played, 0, rng)))
    yield step("views", lambda: compiled_api.hide(played, 0, 0))
    yield step("deals", lambda: compiled_api.deal(played, 0, rng))
    yield step("perft", lambda: perft(position, 1))
    view = position.view(position.seat)
    yield step("solver", lambda: _solve(_play_near_end(position)))
    stopped = threading.Event()
    stopped.set()
    yield step("level 1", lambda: choose_move(Computer(1), view, stopped, lambda _: None))
    yield step("search", lambda: choose_move(Computer(len(spec.levels)), view, stopped, lambda _: None))
    yield step("proofs", lambda: Computer(nodes=_NODES).choose(_play_near_end(position)))
    yield step("hints", lambda: _request_hints(position))


def _play_out(position: Position) -> list[Position]:
    """Return the positions of a game that always plays the first move, from `position` to the end, both included."""
    positions = [position]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(positions[-1].moves()[0]))
    return positions


def _play_near_end(position: Position) -> Position:
    """Return the position three plies before the end of the game that `_play_out` plays, or its start if shorter."""
    return _play_out(position)[-4:][0]


def _request_hints(position: Position) -> None:
    """Ask for hints at `position` and towards the end of a game from there, where different code explains them."""
    hint(position, nodes=_NODES, seed=1)
    hints = position.game.spec.hints
    if hints is None:
        return
    for late in _play_out(position)[-_HINT_POSITIONS:-1]:
        view = late.view(late.seat)
        for move in view.moves()[:_HINT_MOVES]:
            hints.hint(view, int(view.game.spec.notation.parse(view.record, move)))


def _solve(end: Position) -> None:
    """Solve a position near the end, ignoring GameError; an earlier one might be refused before all is compiled."""
    with contextlib.suppress(GameError):
        solver.solve(end, seconds=solve_service.TIME_LIMIT, memory=solve_service.MEMORY_LIMIT, every_move=True)


class Warmup:
    """Runs the steps in a thread. `done` finishes when everything is compiled, or fails with what went wrong."""

    def __init__(self) -> None:
        self.done: Future[None] = Future()

    @property
    def ready(self) -> bool:
        """Whether everything is compiled."""
        return self.done.done() and self.done.exception() is None

    async def wait(self) -> None:
        """Wait until everything is compiled, or raise what went wrong; cancelling this does not cancel `done`."""
        await asyncio.shield(asyncio.wrap_future(self.done))

    def start(self) -> None:
        """Start compiling in a background thread; call this once. A process that stops does not wait for it."""
        threading.Thread(target=self._run, name="warmup", daemon=True).start()

    def _run(self) -> None:
        """Run the steps up to the first that fails, then complete `done`, with its error if any; runs in the thread."""
        try:
            for step in list_steps():
                step.run()
        except Exception as error:
            _logger.exception("compiling failed")
            self.done.set_exception(error)
        else:
            self.done.set_result(None)
