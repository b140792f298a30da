"""The interface by which games detect themes of puzzles: positions with proven best moves, and lines of play."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from fourcorners.core.game import Position


class Task(NamedTuple):
    """A position, its best moves, and best play after the first of them and after the best other move."""

    position: Position
    best: tuple[str, ...]
    line: tuple[str, ...]
    refutation: tuple[str, ...]

    def list_results(self) -> list[Position]:
        """Return the positions after each of the best moves."""
        return [self.position.play(move) for move in self.best]

    def count_gains(self, seat: int, moves: Sequence[str]) -> list[int]:
        """Return the immediate change of a seat's points by each of some moves."""
        before = self.position.scores[seat]
        return [self.position.play(move).scores[seat] - before for move in moves]


class PuzzleThemes(Protocol):
    """`themes.py`: the themes of a game's puzzles."""

    THEMES: Mapping[str, str]
    """One sentence for each theme, by its id: a statement true of all its puzzles."""

    def find_themes(self, task: Task) -> Sequence[str]:
        """Return the themes of a puzzle, each verified by play; perhaps none."""


MIXED = "mixed"
"""The theme of a puzzle whose best moves share no other theme."""


def name_true(found: Mapping[str, Callable[[], bool]]) -> list[str]:
    """Return the names of the conditions that are true, or MIXED alone if none is."""
    return [name for name, is_true in found.items() if is_true()] or [MIXED]
