"""The puzzle of the day on the home page: which one it is, who has found it, and for how many days in a row."""

import datetime as dt
from collections.abc import Collection
from typing import NamedTuple

from fourcorners.core import catalogue
from fourcorners.study.puzzles.choice import choose_daily
from fourcorners.study.puzzles.format import Puzzle, list_puzzles
from fourcorners.web.store import Store

_LONGEST_STREAK = 4000
"""The days that are read; a streak is not counted beyond."""
_GRACE = 3600
"""For this many seconds after midnight the puzzle of the day before still counts: it may have been opened before."""


class Daily(NamedTuple):
    """The puzzle of a day, which is written as 2026-11-23."""

    day: str
    puzzle: Puzzle


class DailyRecord(NamedTuple):
    """What a page says about the puzzle of a day: how many players have solved it, and one player's streak and result
    (None while the puzzle is open to the player).
    """

    finders: int
    streak: int
    found: bool | None


def find_daily(at: float) -> Daily | None:
    """Return the puzzle of the day of a server time, the same for everyone; None without puzzles. Games take turns."""
    day = _find_day(at)
    games = [game_id for game_id in catalogue.games() if list_puzzles(game_id)]
    if not games:
        return None
    puzzle = choose_daily(list_puzzles(games[day.toordinal() % len(games)]), day.isoformat())
    return None if puzzle is None else Daily(day.isoformat(), puzzle)


def read_daily_record(store: Store, player: str | None, at: float) -> DailyRecord:
    """Return the record of the day at a server time, as a player (None: without an identity) reads it; raise
    StoreError.
    """
    today = _find_day(at)
    finders = store.count_finders(today.isoformat())
    if player is None:
        return DailyRecord(finders, 0, None)
    found = store.read_daily_result(player, today.isoformat())
    # A puzzle that was shown ends the streak on its day.
    streak = 0 if found is False else count_streak(set(store.list_days_found(player, _LONGEST_STREAK)), today)
    return DailyRecord(finders, streak, found)


def add_daily_result(store: Store, player: str, puzzle: Puzzle, at: float, *, found: bool) -> int | None:
    """Store a result in the puzzle of the day, or in the one that was until a moment ago, and return the player's
    streak; None for any other puzzle. Raise StoreError.
    """
    dailies = (find_daily(time) for time in (at, at - _GRACE))
    daily = next((each for each in dailies if each is not None and each.puzzle.name == puzzle.name), None)
    if daily is None:
        return None
    store.add_daily_result(player, daily.day, at, found=found)
    return read_daily_record(store, player, at).streak


def count_streak(found: Collection[str], today: dt.date) -> int:
    """Return for how many days in a row the puzzle was found, up to today or, while today is open, to yesterday."""
    count, day = 0, today if today.isoformat() in found else today - dt.timedelta(days=1)
    while day.isoformat() in found:
        count, day = count + 1, day - dt.timedelta(days=1)
    return count


def _find_day(at: float) -> dt.date:
    return dt.datetime.fromtimestamp(at, dt.UTC).date()
