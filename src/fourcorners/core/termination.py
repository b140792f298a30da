"""How a game ended: an enum, and the clause that describes it to players."""

from collections.abc import Mapping
from enum import Enum, unique
from types import MappingProxyType


@unique
class Termination(Enum):
    """How a game ended. The first three come from the rules of a game, the others from its players."""

    COMPLETE = "complete"
    """Everything has been played: the board is full, or no tile is left."""
    NO_MOVES = "no-moves"
    """Something is left to play, but no seat can play it."""
    FORFEIT = "forfeit"
    """All seats but one broke a rule that costs them the game."""
    RESIGNATION = "resignation"
    TIMEOUT = "timeout"
    AGREEMENT = "agreement"


CLAUSES: Mapping[Termination, str] = MappingProxyType(
    {
        Termination.COMPLETE: "everything has been played",
        Termination.NO_MOVES: "no move is left",
        Termination.FORFEIT: "all others have forfeited",
        Termination.RESIGNATION: "{player} resigned",
        Termination.TIMEOUT: "{player} ran out of time",
        Termination.AGREEMENT: "the players agreed on a draw",
    }
)


def describe(termination: Termination, clauses: Mapping[Termination, str] = CLAUSES, player: str = "") -> str:
    """Return a clause, without a full stop, that says how a game ended.

    `clauses` are a game's own wordings; `CLAUSES` has the wording of each termination that they leave out. `player` is
    the name of the player who resigned or ran out of time.
    """
    clause = clauses.get(termination) or CLAUSES[termination]
    # A plain replacement, since braces in a name must not be taken for fields.
    return clause.replace("{player}", player)
