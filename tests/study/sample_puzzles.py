"""A few small puzzles for tests: games bring files of their own, which change."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.core.game import Game
from fourcorners.study.puzzles import format as puzzle_format
from fourcorners.study.puzzles.format import Puzzle, list_puzzles

GAME = "dots-and-boxes"
_FILE = Path(__file__).parents[1] / "data/sample_puzzles.csv"


_read_own_puzzles = Game.read_puzzles


def _read_puzzles(game: Game) -> str:
    return _FILE.read_text(encoding="utf-8") if game.id == GAME else ""


def _read_missing_puzzles(game: Game) -> str:
    return _read_own_puzzles(game) or _read_puzzles(game)


@contextlib.contextmanager
def install_puzzles(*, keeps_own: bool = False) -> Iterator[tuple[Puzzle, ...]]:
    """Let one game have these puzzles and others none, inside of the block; or let games keep their own ones."""
    caches = (puzzle_format.list_puzzles, puzzle_format._index_puzzles)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Game, "read_puzzles", _read_missing_puzzles if keeps_own else _read_puzzles)
        for cache in caches:
            cache.cache_clear()
        yield list_puzzles(GAME)
    for cache in caches:
        cache.cache_clear()
