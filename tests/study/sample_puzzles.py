"""A few small puzzles for tests: those that games bring change."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.core.game import Game
from fourcorners.study.puzzles import format as puzzle_format
from fourcorners.study.puzzles.format import Puzzle, list_puzzles

GAME = "dots-and-boxes"
_FILE = Path(__file__).parents[1] / "data/sample_puzzles.csv"


def _read_puzzles(game: Game) -> str:
    return _FILE.read_text(encoding="utf-8") if game.id == GAME else ""


@contextlib.contextmanager
def install_puzzles() -> Iterator[tuple[Puzzle, ...]]:
    """Let one game have these puzzles and others none, inside of the block."""
    caches = (puzzle_format.list_puzzles, puzzle_format._index_puzzles)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Game, "read_puzzles", _read_puzzles)
        for cache in caches:
            cache.cache_clear()
        yield list_puzzles(GAME)
    for cache in caches:
        cache.cache_clear()
