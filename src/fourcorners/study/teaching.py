"""A game's declarations for teaching, and the names of its files of lessons and puzzles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fourcorners.core.game import Game, View
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
    """A game's knowledge for teaching."""

    facts_of_moves: Facts | None = None
    """Facts that explain mistakes in reviews, together with the computers' hints."""
    puzzle_themes: PuzzleThemes | None = None
    """The detection of puzzles' themes; None for no themes."""


def name_file(game: Game, name: str) -> str:
    """Return the name of a game's file or subfolder of material, such as `lessons`, in the game's folder.

    A preset's begins with its id, as in `a_preset_lessons`, since material about its game may not fit it.
    """
    return f"{game.id.replace('-', '_')}_{name}" if game.preset else name
