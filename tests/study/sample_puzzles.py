"""A few small puzzles for tests: those that games bring change."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.core.spec import Spec
from fourcorners.study.puzzles import format as puzzle_format
from fourcorners.study.puzzles.format import Puzzle, list_puzzles
from fourcorners.study.teaching import name_file

GAME = "dots-and-boxes"
_FILE = Path(__file__).parents[1] / "data/sample_puzzles.csv"


def _read_puzzles(spec: Spec, name: str) -> str:
    # Only the file of this preset has that name.
    return _FILE.read_text(encoding="utf-8") if name == name_file(fc.game(GAME), "puzzles.csv") else ""


@contextlib.contextmanager
def install_puzzles() -> Iterator[tuple[Puzzle, ...]]:
    """Let one game have these puzzles and others none, inside of the block."""
    caches = (puzzle_format.list_puzzles, puzzle_format._index_puzzles)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spec, "read_if_present", _read_puzzles)
        for cache in caches:
            cache.cache_clear()
        yield list_puzzles(GAME)
    for cache in caches:
        cache.cache_clear()
