"""Results in words: who won, with the reader's points first."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from fourcorners.core.game import Game
from fourcorners.core.termination import CLAUSES, Termination

# A stored result is worded like `Match.result`, but a player who resigned or ran out of time is a seat in it.
_RESULT = re.compile(
    r"(?:draw|seats? (?P<seats>[0-9]+(?: and [0-9]+)*) wins?) (?P<points>[0-9-]+)(?:: *(?P<reason>.*))?"
)
_LEAVER = re.compile(r"seat (?P<seat>[0-9]+)(?P<clause> resigned| ran out of time)")
_YOU = "You"
_AGREED = CLAUSES[Termination.AGREEMENT]


class Result(NamedTuple):
    """A parsed result: the seats that won, none of them after a draw; the points by seat; and how the game ended,
    perhaps "".
    """

    winners: tuple[int, ...]
    points: tuple[int, ...]
    reason: str

    @property
    def is_decided_by_points(self) -> bool:
        """Whether the game ended on the board: neither did a player leave, nor was a draw agreed."""
        return not self.reason.endswith((" resigned", " ran out of time")) and self.reason != _AGREED


def parse_result(text: str) -> Result | None:
    """Parse a result as a record or a table has it; return None for an abandoned game, or one that still runs."""
    found = _RESULT.fullmatch(text)
    if found is None:
        return None
    winners, points = (tuple(map(int, re.findall("[0-9]+", found[name] or ""))) for name in ("seats", "points"))
    return Result(winners, points, found["reason"] or "")


def parse_leaver(reason: str) -> tuple[int, str] | None:
    """Return the seat that ended a game without the board, and " resigned" or " ran out of time", by the reason."""
    found = _LEAVER.fullmatch(reason)
    return None if found is None else (int(found["seat"]), found["clause"])


def describe_result(
    text: str, names: Sequence[str], game: Game | None, own: Collection[int] = (), *, has_reason: bool = False
) -> str:
    """Return a result in words: "Ada wins 5 : 3", "Ada wins: Ben resigned", "Draw 4 : 4".

    `text` is the result of a record or a stored one; one that cannot be parsed, such as "running", stays as it is.
    `names` are those of the players, by seat. For a reader of exactly one seat, `own`, see `describe_outcome`; one who
    left early reads "You resigned". With `has_reason` the end on the board is told as well: "Ada wins 5 : 3; all edges
    are drawn". `game` is None if its options are no longer allowed.
    """
    result = parse_result(text)
    if result is None:
        return text
    reason, leaver = result.reason, parse_leaver(result.reason)
    if leaver is not None:
        seat, clause = leaver
        if set(own) == {seat}:
            return f"You{clause}"
        reason = f"{names[seat]}{clause}"
    if result.is_decided_by_points:
        outcome = describe_outcome(result.winners, result.points, names, game, own)
        return f"{outcome}; {reason}" if has_reason and reason else outcome
    verdict = _name_winners(result.winners, names, own)
    return verdict if reason == _AGREED and not has_reason else f"{verdict}: {reason}"


def describe_outcome(
    winners: Collection[int], points: Sequence[int], names: Sequence[str], game: Game | None, own: Collection[int] = ()
) -> str:
    """Say who won a game that ended on the board, by the points of the seats: "Ada wins 5 : 3".

    The winner's points come first; for a reader of exactly one seat, `own`, theirs do: "You win 5 : 3" or "You lost
    3 : 5". Partners' points count once. Of three and more parties each has its points with a name, the most first:
    "You lost: Ada 5, Ben 4, you 3". Where the last move wins there are no points. A draw has no winners, or all seats.
    """
    verdict = _name_winners(winners, names, own)
    score = format_score(winners, points, game, own)
    if score.count(":") < 2 or not 0 < len(winners) < len(points):
        return f"{verdict} {score}".rstrip()
    ranks = sorted(_list_parties(points, game), key=lambda party: -points[party[0]])
    named = [
        f"{' and '.join('you' if {seat} == set(own) else names[seat] for seat in party)} {points[party[0]]}"
        for party in ranks
    ]
    return f"{verdict}: {', '.join(named)}"


def format_score(winners: Collection[int], points: Sequence[int], game: Game | None, own: Collection[int] = ()) -> str:
    """Write the points of all parties, those of the reader's only seat first, then the winners', then by rank:
    "3 : 5"; empty where the last move wins.
    """
    if game is not None and game.spec.scoring == "last-move":
        return ""
    reader = next(iter(own)) if len(own) == 1 else None
    ranks = sorted(
        _list_parties(points, game),
        key=lambda party: (reader not in party, not set(party) & set(winners), -points[party[0]]),
    )
    return " : ".join(str(points[party[0]]) for party in ranks)


def _list_parties(points: Sequence[int], game: Game | None) -> Sequence[Sequence[int]]:
    """Return the seats that win together; each alone if the game is not known."""
    return [[seat] for seat in range(len(points))] if game is None else game.options.parties


def _name_winners(winners: Collection[int], names: Sequence[str], own: Collection[int]) -> str:
    if not 0 < len(winners) < len(names):
        return "Draw"
    if len(own) == 1:
        return "You win" if set(own) <= set(winners) else "You lost"
    named = [names[seat] for seat in winners]
    return f"{' and '.join(named)} {'wins' if len(named) == 1 and named != [_YOU] else 'win'}"
