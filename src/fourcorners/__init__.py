"""Fourcorners: play, study and research games about making squares. This module is the public API.

>>> import fourcorners as fc
>>> position = fc.game(fc.games()[0]).start()
>>> position.play(position.moves()[0]).seat
1
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from fourcorners import builtin as _builtin  # noqa: F401  # registers the games with the catalogue
from fourcorners.core import compile_notice as _compile_notice
from fourcorners.core.annotations import Evaluation, Mark
from fourcorners.core.base_position import Outcome
from fourcorners.core.catalogue import game, games
from fourcorners.core.contract import Ply
from fourcorners.core.errors import (
    GameError,
    IllegalMoveError,
    NotationError,
    OptionError,
    Reason,
    RecordError,
    SolverLimit,
)
from fourcorners.core.game import Game, Position, View
from fourcorners.core.game_import import import_record
from fourcorners.core.game_tree import GameTree, Node
from fourcorners.core.match import Event, Match, Record
from fourcorners.core.move_list import MoveListError
from fourcorners.core.perft import perft
from fourcorners.core.termination import Termination
from fourcorners.players.computer import Choice, Computer
from fourcorners.players.hints import Advice, hint
from fourcorners.players.view_search import Search, SearchedMove
from fourcorners.solvers.labels import Labels
from fourcorners.solvers.solution import Solution
from fourcorners.solvers.solver import Solver, solve
from fourcorners.study.alternatives import why_not
from fourcorners.study.analysis import Analysis, analyse
from fourcorners.study.analysis_run import AnalysisLine
from fourcorners.study.review import Review, review
from fourcorners.warmup.warm import warm

__version__ = "0.1.0"
__all__ = [
    "Advice",
    "Analysis",
    "AnalysisLine",
    "Choice",
    "Computer",
    "Evaluation",
    "Event",
    "Game",
    "GameError",
    "GameTree",
    "IllegalMoveError",
    "Labels",
    "Mark",
    "Match",
    "MoveListError",
    "Node",
    "NotationError",
    "OptionError",
    "Outcome",
    "Ply",
    "Position",
    "Reason",
    "Record",
    "RecordError",
    "Review",
    "Search",
    "SearchedMove",
    "Solution",
    "Solver",
    "SolverLimit",
    "Termination",
    "View",
    "analyse",
    "game",
    "games",
    "hint",
    "import_record",
    "perft",
    "review",
    "solve",
    "warm",
    "why_not",
]

_compile_notice.register()


def __getattr__(name: str) -> _Any:
    """Load `envs` when it is first used, as few programs do."""
    if name == "envs":
        return _import_module("fourcorners.envs")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
