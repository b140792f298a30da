"""The endings of games: an enum, and the clauses that describe them to players."""

from collections.abc import Mapping
from enum import Enum, unique
from types import MappingProxyType


@unique
class Termination(Enum):
    """The ending of a game. The first three come from the rules of a game, the others from its players."""

    COMPLETE = "complete"
    """Everything is played: the board is full, or no tile is left."""
    NO_MOVES = "no-moves"
    """No seat can play, although something is left."""
    FORFEIT = "forfeit"
    """All seats but one forfeited by breaking a rule."""
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
    """Describe the ending of a game as a clause, without a full stop.

    `clauses` are the game's wordings; `CLAUSES` has the default for each termination that they leave out. `player` is
    the name of the player who resigned or ran out of time.
    """
    clause = clauses.get(termination) or CLAUSES[termination]
    # A plain replacement, since braces in a name must not be taken for fields.
    return clause.replace("{player}", player)
