"""Where the puzzles of each game come from: boards, phases of the game, and what makes a position a puzzle."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.domain.level_points import find_level_points

Options = Mapping[str, Any]


class Board(NamedTuple):
    """Options of a game, and how many plies before the end of a game on this board a puzzle may be."""

    options: Options
    plies_left: range


class PuzzleSet(NamedTuple):
    """How to look for the puzzles of a game.

    Positions cost an estimated `most_cost` at most, and are proven with `most_nodes`. `least_moves` to `most_moves` are
    legal; at most `most_best` of them, and at most the share `most_best_share`, are best. These are better than all
    others by `least_gap` and change who wins, or by `clear_gap` in a game that is not decided by far. `levels` play the
    games: neither random moves nor slow ones. In the share `mirrors` of the games the second seat repeats the first
    one's moves on the other side. The level with the number `easy_level` sees what can be gained at once, and must not
    solve a puzzle. Of the puzzles that all levels above it solve, the share `easy_share` is kept. `surplus` candidates
    are collected for each puzzle.
    """

    boards: tuple[Board, ...]
    most_cost: float
    most_nodes: int
    least_moves: int
    most_moves: int
    least_gap: int
    clear_gap: int
    levels: slice
    mirrors: float = 0.0
    easy_share: float = 0.3
    surplus: float = 1.2
    most_best: int = 6
    easy_level: int = 2
    most_best_share: float = 1 / 3


_STARTER_VALUES = ["11111", "12221", "12321", "12221", "11111"]
_SMALL_VALUES = ["1221", "2332", "2332", "1221"]
SETS: Mapping[str, PuzzleSet] = {
    "dots-and-boxes": PuzzleSet(
        (
            Board({"cols": 3, "rows": 3}, range(8, 17)),
            Board({"cols": 4, "rows": 3}, range(9, 22)),
            Board({"cols": 4, "rows": 4}, range(10, 28)),
            Board({}, range(12, 37)),
            Board({}, range(12, 37)),
            Board({"cols": 6, "rows": 6}, range(20, 44)),
        ),
        most_cost=1e4,
        most_nodes=60_000,
        least_moves=6,
        most_moves=44,
        least_gap=2,
        clear_gap=4,
        levels=slice(8, 20),
        easy_level=7,
    ),
    "squarin-off": PuzzleSet(
        (
            Board({"cols": 4, "rows": 4, "blockers": 1, "values": _SMALL_VALUES}, range(8, 20)),
            Board({"cols": 4, "rows": 4, "blockers": 2}, range(8, 19)),
            Board({"cols": 5, "rows": 4, "blockers": 2}, range(9, 20)),
            Board({"cols": 5, "rows": 5, "blockers": 2, "values": _STARTER_VALUES}, range(9, 22)),
            Board({"cols": 5, "rows": 5, "blockers": 2, "values": _STARTER_VALUES}, range(9, 22)),
            Board({"cols": 6, "rows": 6, "blockers": 3}, range(10, 22)),
        ),
        most_cost=3e3,
        most_nodes=60_000,
        least_moves=6,
        most_moves=60,
        least_gap=2,
        clear_gap=4,
        levels=slice(8, 18),
        easy_level=7,
        surplus=1.0,
    ),
    "square-off": PuzzleSet(
        (
            Board({"size": 4}, range(6, 14)),
            Board({"size": 6}, range(8, 19)),
            Board({"size": 6}, range(8, 19)),
            Board({}, range(9, 21)),
            Board({}, range(9, 21)),
        ),
        most_cost=5e3,
        most_nodes=50_000,
        least_moves=6,
        most_moves=60,
        least_gap=1,
        clear_gap=2,
        levels=slice(2, 12),
        mirrors=0.4,
        surplus=1.03,
    ),
    "squendo": PuzzleSet(
        (Board({}, range(3, 9)),),
        most_cost=2e3,
        most_nodes=60_000,
        least_moves=8,
        most_moves=120,
        least_gap=2,
        clear_gap=2,
        levels=slice(2, 7),
        surplus=1.0,
        most_best=10,
    ),
    "sqez": PuzzleSet(
        (
            Board({}, range(2, 7)),
            Board({"cols": 9, "rows": 9}, range(2, 8)),
            Board({"cols": 10, "rows": 10}, range(3, 9)),
            Board({"cols": 11, "rows": 11}, range(4, 10)),
            Board({"cols": 12, "rows": 12}, range(4, 11)),
            Board({"cols": 13, "rows": 13}, range(5, 12)),
            Board({"cols": 14, "rows": 14}, range(5, 13)),
            Board({"cols": 14, "rows": 14}, range(5, 13)),
        ),
        most_cost=1.2e3,
        most_nodes=20_000,
        least_moves=40,
        most_moves=400,
        least_gap=2,
        clear_gap=4,
        levels=slice(0, 4),
        most_best_share=0.08,
    ),
}

_EASY_RATING = 800
"""The rating of the easy level in every game: how many levels lie below it does not matter for puzzles."""


def list_level_ratings(game: Game) -> list[int]:
    """Return the ratings of a game's levels, the easiest first, from the measured steps between them."""
    count = len(game.spec.part(ComputerPlay).levels)
    points = [find_level_points(game.id, level).points for level in range(1, count + 1)]
    easy = points[find_set(game).easy_level - 1]
    return [_EASY_RATING + each - easy for each in points]


def find_set(game: Game) -> PuzzleSet:
    """Return the set of a game; for one without its own set, its default board near the end."""
    return SETS.get(game.id) or PuzzleSet((Board({}, range(2, 16)),), 1e4, 50_000, 3, 60, 1, 2, slice(1, 4))
