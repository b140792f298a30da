"""What a game declares for those who learn it: lessons, puzzles, and what its moves change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fourcorners.core.position import View
from fourcorners.core.spec import SpecPart
from fourcorners.players.hint_claims import Hint, Quantities
from fourcorners.study.puzzles.themes import PuzzleThemes


class Facts(Protocol):
    """`facts.py`: what a move changes, for better or worse."""

    QUANTITIES: Quantities
    """What the claims of facts may count."""
    THEMES: Mapping[str, str]
    """One sentence of advice for each theme, by its id."""

    def list_facts(self, view: View, action: int) -> Sequence[Hint]:
        """List what a legal action of the seat to move changes, the most important first, each with its theme."""


@dataclass(frozen=True)
class Teaching(SpecPart):
    """What a game teaches."""

    lessons: str = "lessons"
    """The folder of lessons in the game's folder, which may lack it; "": no lessons."""
    puzzles: str = "puzzles.csv"
    """The file of puzzles in the game's folder, which may lack it; "": no puzzles."""
    facts_of_moves: Facts | None = None
    """Explains mistakes in reviews, together with the hints of computers."""
    puzzle_themes: PuzzleThemes | None = None
    """Detects what puzzles are about; None: they have no themes."""
