"""The steps of compilation ahead of time for each game, and the calls that compile each part."""

import contextlib
import functools
import hashlib
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding
from numba import config

from fourcorners.core import catalogue, compiled_api, kernel_cache
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import GameError, SolverLimit
from fourcorners.core.game import Game, Position
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.players.hints import hint
from fourcorners.search.tree import create_tree
from fourcorners.solvers import solver
from fourcorners.solvers.transposition_table import copy_entries, create_table

_NODES = 30
_SOLVER_SECONDS, _SOLVER_MEMORY = 5.0, 64 * 2**20
_MOMENT = 1e-3  # seconds: enough for one step of a search
_SMALL_TABLE = 1 << 12  # bytes
_HINT_POSITIONS, _HINT_MOVES = 6, 3
"""The numbers of last positions of a game, and of moves in each, that reach all code that explains hints."""


class Step(NamedTuple):
    """A part of a game's compilation: the game's id, without a preset, and a name in `STEPS`."""

    game: str
    name: str

    def __str__(self) -> str:
        """Return the step in words: the game's title, a colon and the name."""
        return f"{catalogue.game(self.game).title}: {self.name}"


def list_steps(games: Iterable[str] = ()) -> list[Step]:
    """Return the steps for some games or presets (ids; none: all games), each once; raise OptionError."""
    specs = [catalogue.game(game).spec for game in games] or list(catalogue.specs().values())
    return [Step(game, name) for game in dict.fromkeys(spec.id for spec in specs) for name in STEPS]


def run_step(step: Step) -> None:
    """Compile the code of a step, or load it from the disk cache; errors pass through."""
    spec = catalogue.game(step.game).spec
    STEPS[step.name](Game(spec, {}).start(seed=0))


def is_done(step: Step) -> bool:
    """Return whether a process has marked a step as done for this cache and this processor; raise OSError."""
    return _find_mark(step).exists()


def mark_done(step: Step) -> None:
    """Mark a step as done, with all of its code in the disk cache; raise OSError."""
    _find_mark(step).touch()


def find_lock(step: Step) -> Path:
    """Return the file that a process locks while it compiles a step, to keep others from doing so; raise OSError."""
    return _find_mark(step).with_suffix(".lock")


def _find_mark(step: Step) -> Path:
    """Return the file that marks a step as done for this kind of processor, as compiled code is; raise OSError."""
    return kernel_cache.cache_folder() / f"{step.game}-{step.name}-{_hash_processor()}.done"


@functools.cache
def _hash_processor() -> str:
    """Return a hash of Numba's target: processor and features."""
    name = config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = config.CPU_FEATURES or llvmlite.binding.get_host_cpu_features().flatten()
    return hashlib.sha256(f"{name} {features}".encode()).hexdigest()[:12]


def _compile_rules(position: Position) -> None:
    """Compile the code that shows and plays positions, and deals hidden information of views."""
    position.play(position.moves()[0]).view(None)
    states, rng = position.states.copy(), new_rng(1)
    compiled_api.accepts_illegal(position.states, 0, int(compiled_api.pick(states, 0, rng)))
    compiled_api.hide(states, 0, 0)
    compiled_api.deal(states, 0, rng)


def _compile_levels(position: Position) -> None:
    """Compile the levels that do not look ahead."""
    Computer(1, seed=1).choose_move(position, _create_stop())


def _compile_search(position: Position) -> None:
    """Compile the levels that look ahead."""
    Computer(len(position.game.spec.part(ComputerPlay).levels)).choose_move(position, _create_stop())
    # A search that continues after a move keeps a part of its tree.
    create_tree(1, position.game.seats).extract_subtree(0)


def _create_stop() -> threading.Event:
    """Return a set event, which ends a search after its first simulations."""
    stop = threading.Event()
    stop.set()
    return stop


def _compile_solver(position: Position) -> None:
    """Compile the solver.

    It solves a position near the end, because an earlier one might be refused before everything is compiled, and
    searches from the start, because near the end a game may know the value without search.
    """
    with contextlib.suppress(GameError):
        solver.solve(_play_near_end(position), seconds=_SOLVER_SECONDS, memory=_SOLVER_MEMORY, every_move=True)
    with contextlib.suppress(GameError):
        solver.solve(position, seconds=_MOMENT, memory=_SOLVER_MEMORY, moves=False)
    # Tables grow only in the middle of longer solves.
    copy_entries(create_table(_SMALL_TABLE), create_table(_SMALL_TABLE))


def _compile_proofs(position: Position) -> None:
    """Compile the code that solving levels need besides search and solver."""
    Computer(nodes=_NODES).choose(_play_near_end(position))
    # A preset may have simpler nodes than its game, and the first game of newcomers is smaller.
    spec = position.game.spec
    games = [position.game, Game(spec, spec.starter), *map(catalogue.game, spec.presets)]
    for start in (game.start(seed=0) for game in games):
        engine = ExactPlayer(start.game).engine
        if engine is None:
            continue
        with contextlib.suppress(SolverLimit):  # the start of a large game
            engine.compile(start)
        engine.compile(_play_near_end(start))


def _compile_parties(position: Position) -> None:
    """Compile the solver for games of three, where the game allows three."""
    with contextlib.suppress(GameError):
        start = Game(position.game.spec, {"players": 3}).start(seed=0)
        solver.solve(start, seconds=_MOMENT, memory=_SOLVER_MEMORY, moves=False)


def _compile_hints(position: Position) -> None:
    """Compile hints at `position` and near the end of a game from there, where other code explains them."""
    hint(position, nodes=_NODES, seed=1)
    hints = position.game.spec.part(ComputerPlay).hints
    if hints is None:
        return
    for late in _play_out(position)[-_HINT_POSITIONS:-1]:
        view = late.view(late.seat)
        for move in view.moves()[:_HINT_MOVES]:
            hints.hint(view, int(view.game.spec.notation.parse(view.record, move)))


def _play_out(position: Position) -> list[Position]:
    """Return the positions from `position` to the end, both included, when always the first move is played."""
    positions = [position]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(positions[-1].moves()[0]))
    return positions


def _play_near_end(position: Position) -> Position:
    """Return the position three plies before the end of the game that `_play_out` plays, or its start if shorter."""
    return _play_out(position)[-4:][0]


STEPS: dict[str, Callable[[Position], object]] = {
    "search": _compile_search,
    "solver": _compile_solver,
    "proofs": _compile_proofs,
    "hints": _compile_hints,
    "levels": _compile_levels,
    "rules": _compile_rules,
    "parties": _compile_parties,
}
"""The steps of every game by name, in the order in which they run; each takes the start position.

The features that need compiled code come first: hints, evaluations and levels that look ahead. The rules and the other
levels run in Python meanwhile.
"""
WEIGHTS = {"rules": 4, "levels": 5, "search": 10, "solver": 9, "proofs": 1, "hints": 1, "parties": 4}
"""The approximate relative durations of the steps, to show progress."""
