"""The stored results of games, and the computer's level that suits a player by them."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.seats import COMPUTER

# The wording is that of `Match.result`, but a player who resigned or ran out of time is a seat: names belong to chairs.
_WIN = re.compile(r"seats? (?P<seats>[0-9]+(?: and [0-9]+)*) wins? (?P<points>[0-9-]+)(?:: *(?P<reason>.*))?")
_LEAVER = re.compile(r"seat (?P<seat>[0-9]+)(?P<clause> resigned| ran out of time)")
_LOSSES = 2
"""This many games lost in a row at one level make the next one easier."""


class Win(NamedTuple):
    """A stored result: the seats that won, the points as they are listed, and how the game ended, perhaps ""."""

    seats: tuple[int, ...]
    points: tuple[int, ...]
    reason: str


def parse_win(result: str) -> Win | None:
    """Parse a stored result; return None for a draw, an abandoned game, or one that still runs."""
    found = _WIN.fullmatch(result)
    if found is None:
        return None
    points = tuple(map(int, re.findall("[0-9]+", found["points"])))
    return Win(tuple(map(int, found["seats"].split(" and "))), points, found["reason"] or "")


def parse_winners(result: str) -> frozenset[int]:
    """Return the seats that won by a stored result; none after a draw, or while the game runs."""
    win = parse_win(result)
    return frozenset() if win is None else frozenset(win.seats)


def parse_leaver(reason: str) -> tuple[int, str] | None:
    """Return the seat that ended a game without the board, and " resigned" or " ran out of time", by a win's reason."""
    found = _LEAVER.fullmatch(reason)
    return None if found is None else (int(found["seat"]), found["clause"])


def name_leaver(result: str, names: Sequence[str]) -> str:
    """Return a stored result as `Match.result` writes it: names, given by seat, say who resigned or ran out of time."""
    win = parse_win(result)
    leaver = None if win is None else parse_leaver(win.reason)
    if win is None or leaver is None:
        return result
    seat, clause = leaver
    return f"{result.removesuffix(win.reason)}{names[seat]}{clause}"


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
