"""Results in words: who won, with the reader's points first."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from fourcorners.core.game import Game
from fourcorners.core.termination import CLAUSES, Termination

_RESULT = re.compile(
    r"(?:draw|seats? (?P<seats>[0-9]+(?: and [0-9]+)*) wins?) (?P<points>[0-9-]+)(?:: *(?P<reason>.*))?"
)
_LEAVER = re.compile(r"seat (?P<seat>[0-9]+)(?P<clause> resigned| ran out of time)")
_CLAUSES = (" resigned", " ran out of time")
YOU = "You"
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
        return not self.reason.endswith(_CLAUSES) and self.reason != _AGREED


def parse_result(text: str) -> Result | None:
    """Parse a result as a record or a table has it; return None for an abandoned game, or one that still runs."""
    found = _RESULT.fullmatch(text)
    if found is None:
        return None
    winners, points = (tuple(map(int, re.findall("[0-9]+", found[name] or ""))) for name in ("seats", "points"))
    return Result(winners, points, found["reason"] or "")


def parse_leaver(reason: str) -> tuple[int, str] | None:
    """Return the seat that ended a game without the board, and " resigned" or " ran out of time", by the reason of a
    stored result: it is worded like that of `Match.result`, but has a seat in place of the name.
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

    `text` is `Match.result` with these names, or a stored result (`is_stored`), in which seats stand for them; one that
    cannot be parsed, such as "running", stays as it is. `names` are those of the players, by seat. For a reader of the
    seats `own` see `describe_outcome`; one who left early reads "You resigned". With `has_reason` the end on the board
    is told as well: "Ada wins 5 : 3; all edges are drawn". `game` is None if its options are no longer allowed.
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
    """Return what `parse_leaver` does, by the name in the reason; None if it is that of several players who lost."""
    losers = [seat for seat in range(len(names)) if seat not in result.winners]
    found = [(seat, clause) for seat in losers for clause in _CLAUSES if result.reason == names[seat] + clause]
    return found[0] if len(found) == 1 else None


def describe_outcome(
    winners: Collection[int], points: Sequence[int], names: Sequence[str], game: Game | None, own: Collection[int] = ()
) -> str:
    """Say who won a game that ended on the board, by the points of the seats: "Ada wins 5 : 3".

    The winner's points come first; for a reader whose seats, `own`, win together, theirs do: "You win 5 : 3" or "You
    lost 3 : 5". Partners' points count once. Of three and more parties each has its points with a name, the most first:
    "You lost (Ada: 5, Ben: 4, you: 3)". Where the last move wins there are no points. A draw has no winners, or all
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
    """Write the points of all parties, those of a reader whose seats, `own`, win together first, then the winners',
    then by rank: "3 : 5"; empty where the last move wins.
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
    """Return the seats that win together; each alone if the game is not known."""
    return [[seat] for seat in range(seats)] if game is None else game.options.parties


def _find_reader(own: Collection[int], seats: int, game: Game | None) -> frozenset[int]:
    """Return the reader's seats if they win together, so that "you" can mean them; none otherwise."""
    return frozenset(own if any(set(own) <= set(party) for party in _list_parties(seats, game)) else ())


def _name_party(party: Sequence[int], names: Sequence[str], reader: Collection[int]) -> str:
    return " and ".join(dict.fromkeys("you" if seat in reader else names[seat] for seat in party))


def describe_verdict(
    winners: Collection[int], names: Sequence[str], game: Game | None, own: Collection[int] = ()
) -> str:
    """Say who won, without points: "Ada and Cy win", or for a reader whose seats, `own`, win together, "You lost". A
    draw has no winners, or all seats.
    """
    if not 0 < len(winners) < len(names):
        return "Draw"
    reader = _find_reader(own, len(names), game)
    if reader:
        party = next(party for party in _list_parties(len(names), game) if reader <= set(party))
        is_shared = not set(winners) <= set(party)
        return "You lost" if not reader <= set(winners) else "You share the win" if is_shared else "You win"
    named = [names[seat] for seat in winners]
    return f"{' and '.join(named)} {'wins' if len(named) == 1 and named != [YOU] else 'win'}"
