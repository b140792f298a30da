"""A game's declarations for teaching: lessons, puzzles, and facts about moves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fourcorners.core.game import View
from fourcorners.core.spec import SpecPart
from fourcorners.players.hint_claims import Hint, Quantities
from fourcorners.study.puzzle_themes import PuzzleThemes


class Facts(Protocol):
    """`facts.py`: the effects of a move, good and bad."""

    QUANTITIES: Quantities
    """The quantities that claims of facts may count."""
    THEMES: Mapping[str, str]
    """One sentence of advice for each theme, by its id."""

    def list_facts(self, view: View, action: int) -> Sequence[Hint]:
        """List the effects of a legal action of the seat to move, the most important first, each with its theme."""


@dataclass(frozen=True)
class Teaching(SpecPart):
    """A game's material for teaching."""

    lessons: str = "lessons"
    """The subfolder of lessons in the game's folder, which need not exist; "" for no lessons."""
    puzzles: str = "puzzles.csv"
    """The file of puzzles in the game's folder, which need not exist; "" for no puzzles."""
    facts_of_moves: Facts | None = None
    """Facts that explain mistakes in reviews, together with the computers' hints."""
    puzzle_themes: PuzzleThemes | None = None
    """The detection of puzzles' themes; None for no themes."""
