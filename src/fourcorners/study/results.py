"""Results in words: who won, with the reader's points first."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from fourcorners.core.game import Game
from fourcorners.core.plurals import list_words
from fourcorners.core.termination import CLAUSES, Termination

_RESULT = re.compile(
    r"(?:draw|seats? (?P<seats>[0-9]+(?: and [0-9]+)*) wins?) (?P<points>[0-9-]+)(?:: *(?P<reason>.*))?"
)
_LEAVER = re.compile(r"seat (?P<seat>[0-9]+)(?P<clause> resigned| ran out of time)")
_CLAUSES = (" resigned", " ran out of time")
YOU = "You"
_AGREED = CLAUSES[Termination.AGREEMENT]


class Result(NamedTuple):
    """A parsed result: the winning seats (none after a draw), the points by seat, and the reason, perhaps ""."""

    winners: tuple[int, ...]
    points: tuple[int, ...]
    reason: str

    @property
    def is_decided_by_points(self) -> bool:
        """Whether the game ended on the board: no player left, and no draw was agreed."""
        return not self.reason.endswith(_CLAUSES) and self.reason != _AGREED


def parse_result(text: str) -> Result | None:
    """Parse a result as stored in a record or table; return None for an abandoned or running game."""
    found = _RESULT.fullmatch(text)
    if found is None:
        return None
    winners, points = (tuple(map(int, re.findall("[0-9]+", found[name] or ""))) for name in ("seats", "points"))
    return Result(winners, points, found["reason"] or "")


def parse_leaver(reason: str) -> tuple[int, str] | None:
    """Return the seat that ended a game off the board, and " resigned" or " ran out of time".

    `reason` is that of a stored result: worded as in `Match.result`, but with a seat in place of the name.
    """
    found = _LEAVER.fullmatch(reason)
    return None if found is None else (int(found["seat"]), found["clause"])


def describe_result(
    text: str,
    names: Sequence[str],
    game: Game | None,
    own: Collection[int] = (),
    *,
    has_reason: bool = False,
    is_stored: bool = False,
) -> str:
    """Return a result in words: "Ada wins 5 : 3", "Ada wins: Ben resigned", "Draw 4 : 4".

    `text` is `Match.result` with these names, or a stored result (`is_stored`) with seats in their place; text that
    cannot be parsed, such as "running", stays as it is. `names` are the players' names by seat. For `own`, the reader's
    seats, see `describe_outcome`; a reader who left early reads "You resigned". With `has_reason`, the text also says
    how the game ended on the board: "Ada wins 5 : 3; all edges are drawn". `game` is None if its options are no longer
    allowed.
    """
    result = parse_result(text)
    if result is None:
        return text
    reason = result.reason
    reader = _find_reader(own, len(names), game)
    leaver = parse_leaver(reason) if is_stored else _find_leaver(result, names)
    if leaver is not None:
        seat, clause = leaver
        if seat in reader:
            return f"You{clause}"
        reason = f"{names[seat]}{clause}"
    if result.is_decided_by_points:
        outcome = describe_outcome(result.winners, result.points, names, game, own)
        return f"{outcome}; {reason}" if has_reason and reason else outcome
    verdict = describe_verdict(result.winners, names, game, own)
    return verdict if reason == _AGREED and not has_reason else f"{verdict}: {reason}"


def _find_leaver(result: Result, names: Sequence[str]) -> tuple[int, str] | None:
    """Return the same as `parse_leaver`, by the name in the reason; None if several losers have that name."""
    losers = [seat for seat in range(len(names)) if seat not in result.winners]
    found = [(seat, clause) for seat in losers for clause in _CLAUSES if result.reason == names[seat] + clause]
    return found[0] if len(found) == 1 else None


def describe_outcome(
    winners: Collection[int], points: Sequence[int], names: Sequence[str], game: Game | None, own: Collection[int] = ()
) -> str:
    """Say who won a game that ended on the board, given the points by seat: "Ada wins 5 : 3".

    The winner's points come first, or the reader's if their seats, `own`, win together: "You win 5 : 3" or "You lost 3
    : 5". Partners' points count once. With three or more parties, each has a name with its points, the highest first:
    "You lost (Ada: 5, Ben: 4, you: 3)". Where the last move wins, there are no points. A draw has no winners, or all
    seats.
    """
    verdict = describe_verdict(winners, names, game, own)
    score = format_score(winners, points, game, own)
    if score.count(":") < 2 or not 0 < len(winners) < len(points):
        return f"{verdict} {score}".rstrip()
    ranks = sorted(_list_parties(len(points), game), key=lambda party: -points[party[0]])
    # A name may end with a number: "Player 1".
    reader = _find_reader(own, len(names), game)
    named = [f"{_name_party(party, names, reader)}: {points[party[0]]}" for party in ranks]
    return f"{verdict} ({', '.join(named)})"


def format_score(winners: Collection[int], points: Sequence[int], game: Game | None, own: Collection[int] = ()) -> str:
    """Write the points of all parties: "3 : 5"; empty where the last move wins.

    The reader's come first if their seats, `own`, win together, then the winners', then the others' by rank.
    """
    if game is not None and game.spec.scoring == "last-move":
        return ""
    reader = _find_reader(own, len(points), game)
    ranks = sorted(
        _list_parties(len(points), game),
        key=lambda party: (reader.isdisjoint(party), not set(party) & set(winners), -points[party[0]]),
    )
    return " : ".join(str(points[party[0]]) for party in ranks)


def _list_parties(seats: int, game: Game | None) -> Sequence[Sequence[int]]:
    """Return the seats that win together; each alone if the game is unknown."""
    return [[seat] for seat in range(seats)] if game is None else game.options.parties


def _find_reader(own: Collection[int], seats: int, game: Game | None) -> frozenset[int]:
    """Return the reader's seats if they win together, so that "you" can mean them; otherwise none."""
    return frozenset(own if any(set(own) <= set(party) for party in _list_parties(seats, game)) else ())


def _name_party(party: Sequence[int], names: Sequence[str], reader: Collection[int]) -> str:
    return list_words(list(dict.fromkeys("you" if seat in reader else names[seat] for seat in party)))


def describe_verdict(
    winners: Collection[int], names: Sequence[str], game: Game | None, own: Collection[int] = ()
) -> str:
    """Say who won, without points: "Ada and Cy win", or "You lost" for a reader whose seats, `own`, win together.

    A draw has no winners, or all seats.
    """
    if not 0 < len(winners) < len(names):
        return "Draw"
    reader = _find_reader(own, len(names), game)
    if reader:
        party = next(party for party in _list_parties(len(names), game) if reader <= set(party))
        is_shared = not set(winners) <= set(party)
        return "You lost" if not reader <= set(winners) else "You share the win" if is_shared else "You win"
    named = [names[seat] for seat in winners]
    return f"{list_words(named)} {'wins' if len(named) == 1 and named != [YOU] else 'win'}"
