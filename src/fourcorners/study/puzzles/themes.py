"""What games need to detect the themes of puzzles: positions with proven best moves, and lines of play from them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from fourcorners.core.position import Position


class Task(NamedTuple):
    """A position, its best moves, and what best play is after the first of them and after the best other move."""

    position: Position
    best: tuple[str, ...]
    line: tuple[str, ...]
    refutation: tuple[str, ...]

    def list_results(self) -> list[Position]:
        """Return the positions after each of the best moves."""
        return [self.position.play(move) for move in self.best]

    def count_gains(self, seat: int, moves: Sequence[str]) -> list[int]:
        """Return the points that each of some moves changes at once for a seat."""
        before = self.position.scores[seat]
        return [self.position.play(move).scores[seat] - before for move in moves]


class PuzzleThemes(Protocol):
    """`themes.py`: what the puzzles of a game are about."""

    THEMES: Mapping[str, str]
    """One sentence for each theme, by its id: what is true of its puzzles."""

    def find_themes(self, task: Task) -> Sequence[str]:
        """Return the themes of a puzzle, each verified by playing on; perhaps none."""


MIXED = "mixed"
"""The theme of a puzzle whose best moves have no other one in common."""


def name_true(found: Mapping[str, Callable[[], bool]]) -> list[str]:
    """Return the names of the conditions that are true, or MIXED alone if none is."""
    return [name for name, is_true in found.items() if is_true()] or [MIXED]
