"""Compiling all that play needs, game by game: slow once, quick from the disk cache afterwards."""

from __future__ import annotations

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

_A_FEW = 30
_LAST, _SOME = 12, 8  # positions before the end of a game, moves of each
_logger = logging.getLogger(__name__)


class WarmupStep(NamedTuple):
    """Something to compile: the game's title, what it is, and the work."""

    title: str
    name: str
    run: Callable[[], object]


def list_steps() -> list[WarmupStep]:
    """List all there is to compile."""
    return [step for spec in catalogue.specs().values() for step in _steps_of(spec)]


def _steps_of(spec: Spec) -> Iterator[WarmupStep]:
    position = Game(spec, {}).start(seed=0)
    states, rng = position.states.copy(), new_rng(1)
    one = states.copy()

    def step(name: str, run: Callable[[], object]) -> WarmupStep:
        return WarmupStep(spec.title, name, run)

    yield step("status", lambda: position.is_over)
    yield step("moves", lambda: compiled_api.legal(states, 0, np.zeros(compiled_api.bound(states, 0), np.int64)))
    yield step("unusual moves", lambda: compiled_api.takes(states, 0, int(compiled_api.pick(states, 0, rng))))
    yield step("random moves", lambda: compiled_api.play(one, 0, compiled_api.pick(one, 0, rng)))
    yield step("views", lambda: compiled_api.hide(one, 0, 0))
    yield step("worlds", lambda: compiled_api.deal(one, 0, rng))
    yield step("counting", lambda: perft(position, 1))
    view = position.view(position.seat)
    yield step("solving", lambda: _solve_a_little(_end(position)))
    stopped = threading.Event()
    stopped.set()
    yield step("first sight", lambda: choose_move(Computer(1), view, stopped, lambda _: None))
    yield step("search", lambda: choose_move(Computer(len(spec.levels)), view, stopped, lambda _: None))
    yield step("proofs", lambda: Computer(nodes=_A_FEW).choose(_end(position)))
    yield step("hints", lambda: _hint_a_little(position))


def _line(position: Position) -> list[Position]:
    """Play a game to its end."""
    line = [position]
    while not line[-1].is_over:
        line.append(line[-1].play(line[-1].moves()[0]))
    return line


def _end(position: Position) -> Position:
    """Play a game nearly to its end."""
    line = _line(position)
    return line[-min(4, len(line))]


def _hint_a_little(position: Position) -> None:
    """Ask for hints in the beginning and towards the end, where other things are said."""
    hint(position, nodes=_A_FEW, seed=1)
    hints = position.game.spec.hints
    if hints is None:
        return
    for each in _line(position)[-_LAST:-1]:
        view = each.view(each.seat)
        for move in view.moves()[:_SOME]:
            hints.hint(view, int(view.game.spec.notation.parse(view.record, move)))


def _solve_a_little(end: Position) -> None:
    """Solve the end of a game: what is too large to be solved might be refused before anything is compiled."""
    with contextlib.suppress(GameError):
        solver.solve(end, seconds=solve_service.TIME_LIMIT, memory=solve_service.MEMORY_LIMIT, every_move=True)


class Warmup:
    """The state of the compiling: `done` is finished when all is compiled, or with what went wrong."""

    def __init__(self) -> None:
        self.done: Future[None] = Future()

    @property
    def ready(self) -> bool:
        """Whether everything is compiled."""
        return self.done.done() and self.done.exception() is None

    async def wait(self) -> None:
        """Wait until everything is compiled, or raise what went wrong; who waits no longer leaves `done` as it is."""
        await asyncio.shield(asyncio.wrap_future(self.done))

    def start(self) -> None:
        """Compile in the background."""
        threading.Thread(target=self._warm, name="warm", daemon=True).start()

    def _warm(self) -> None:
        try:
            for step in list_steps():
                step.run()
        except Exception as error:
            _logger.exception("compiling failed")
            self.done.set_exception(error)
        else:
            self.done.set_result(None)
