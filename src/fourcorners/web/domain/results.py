"""The stored results of games, and the computer's level that suits a player by them."""

from collections.abc import Iterable, Sequence

from fourcorners.core.game import Game
from fourcorners.study.results import describe_result, format_score, parse_leaver, parse_result
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.seats import COMPUTER

_LOSSES = 2
"""This many games lost in a row at one level make the next one easier."""


def parse_winners(result: str) -> frozenset[int]:
    """Return the seats that won by a stored result; none after a draw, or while the game runs."""
    parsed = parse_result(result)
    return frozenset() if parsed is None else frozenset(parsed.winners)


def describe_headline(result: str, names: Sequence[str], game: Game | None) -> str:
    """Say in a few words how a game ended, by its stored result and the names by seat: "Ada beats Ben 34 : 1", "Ada
    and Ben draw 4 : 4". Of three and more seats it is what `describe_result` says; empty while the game runs, and if it
    ended without a result.
    """
    parsed = parse_result(result)
    if parsed is None:
        return ""
    if len(names) != 2:
        return describe_result(result, names, game, is_stored=True)
    if not 0 < len(parsed.winners) < len(names):
        start = f"{names[0]} and {names[1]} draw"
    else:
        (winner,) = parsed.winners
        start = f"{names[winner]} beats {names[1 - winner]}"
    if parsed.is_decided_by_points:
        return f"{start} {format_score(parsed.winners, parsed.points, game)}".rstrip()
    leaver = parse_leaver(parsed.reason)
    return start if leaver is None else f"{start}, who{leaver[1]}"


def name_leaver(result: str, names: Sequence[str]) -> str:
    """Return a stored result as `Match.result` writes it: names, given by seat, say who resigned or ran out of time."""
    parsed = parse_result(result)
    leaver = None if parsed is None else parse_leaver(parsed.reason)
    if parsed is None or leaver is None:
        return result
    seat, clause = leaver
    return f"{result.removesuffix(parsed.reason)}{names[seat]}{clause}"


def find_suitable_level(tables: Iterable[StoredTable], player: str, game_id: str, highest: int) -> int:
    """Return the computer's level, 1 to `highest`, that a player should meet next in a game.

    It is 1 at first, one higher after a win, one lower after two losses in a row at one level, and otherwise the level
    of the last game. `tables` come in any order and without events; of these the finished ones count in which the
    player has one seat and the others are computers of one level.
    """
    played = sorted((table for table in tables if table.game == game_id), key=lambda table: table.changed)
    level, losses = 1, 0
    for table in played:
        found = _read_level(table, player)
        winners = parse_winners(table.result)
        if found is None or not (winners or table.result.startswith("draw")):
            continue
        seat, last_level = found
        losses = 0 if not winners or seat in winners else losses + 1 if last_level == level else 1
        level = last_level
        if seat in winners:
            level += 1
        elif losses == _LOSSES:
            level, losses = level - 1, 0
    return max(1, min(level, highest))


def _read_level(table: StoredTable, player: str) -> tuple[int, int] | None:
    """Return the only seat of a player and the level of all other seats; None if they are not all of one level."""
    own = table.list_seats(player)
    kinds = {chair.kind for chair in table.chairs if chair.seat not in own}
    text = next(iter(kinds)).removeprefix(COMPUTER) if len(own) == len(kinds) == 1 else ""
    return (own[0], int(text)) if text.isdecimal() else None
