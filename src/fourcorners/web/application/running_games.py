"""Which positions belong to games that are being played: for these nobody gets the help of an engine.

A position belongs to a running game if it is one of its last positions, or could be reached from them within a few
moves: if it has all that was on the board two plies ago, and little more than there is now. Positions are compared
without what is hidden, and in all ways in which a board can be turned. For those who do not play this game its first
plies do not count, because they occur in every game.
"""

import threading
from typing import NamedTuple

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.outline import Outline
from fourcorners.core.position import Position, View
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.table import Table
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.store import Store

BACK, AHEAD = 2, 6
"""How many plies back the positions count, and how many moves ahead."""
OPENING_PLIES = 3
"""From so many plies on a position belongs to a game for everybody, and not only for its players."""
_OVERLAP = 120.0
"""An event is stored some time after it arrived: changes of so many seconds are read again."""
_LOADED_AT_ONCE = 500
_FORGOTTEN_AFTER = 600.0
_LONGEST_WAIT = 3.0
_REASON = (
    "this position is one of a game that is being played on this server, or may soon be: "
    "the engine is off for it until that game is over"
)
_LOADING = "The server is still looking which games are being played. Try again in a moment."


class RunningGame(NamedTuple):
    """A game that is being played without help, up to a version: its players, the outlines of its last positions, the
    oldest first, and the number of plies; -1 of one that needs no protection.
    """

    version: int
    players: frozenset[str]
    outlines: tuple[Outline, ...]
    plies: int


class RunningGames:
    """The games that are being played without help, as the database has them. Any thread may ask; all of it blocks."""

    def __init__(self, store: Store) -> None:
        """Know no game yet: those of a kind are read when somebody asks about it first."""
        self._store = store
        self._lock = threading.Lock()
        self._games: dict[str, dict[str, RunningGame]] = {}
        self._read_until: dict[str, float] = {}
        self._read_all_at: dict[str, float] = {}

    def check(self, player: str, position: Position | View, now: float, table_id: str = "") -> None:
        """Raise IllegalMoveError if a position belongs to a running game, other than the one at the table where it is
        asked about; `now` is server time. Raise BusyError while the games are being read, and StoreError.
        """
        kind = position.game.spec.id
        outline = _draw_outline(position)
        if not self._lock.acquire(timeout=_LONGEST_WAIT):
            raise BusyError(_LOADING)
        try:
            self._refresh(kind, now)
            games = list(self._games[kind].items())
        finally:
            self._lock.release()
        for running_id, game in games:
            if running_id != table_id and _belongs_to(outline, game, player):
                raise IllegalMoveError("analysis", _REASON, "running")

    def _refresh(self, kind: str, now: float) -> None:
        """Read what has changed since the last time; all of it the first time, and then and when, as tables may be
        deleted. Raise BusyError if there is much to read.
        """
        known = self._games.setdefault(kind, {})
        names = [name for name in catalogue.games() if catalogue.game(name).spec.id == kind]
        is_due = now - self._read_all_at.get(kind, -_FORGOTTEN_AFTER) >= _FORGOTTEN_AFTER
        since = -1.0 if is_due else self._read_until[kind] - _OVERLAP
        versions = self._store.list_changed_tables(names, since)
        if is_due:
            for table_id in known.keys() - versions.keys():
                del known[table_id]
        left = _LOADED_AT_ONCE
        for table_id, version in versions.items():
            if version is None:
                known.pop(table_id, None)
                continue
            if table_id in known and known[table_id].version == version:
                continue
            if left == 0:
                raise BusyError(_LOADING)
            left -= 1
            self._read(known, table_id, version)
        self._read_until[kind] = now
        if is_due:
            self._read_all_at[kind] = now

    def _read(self, known: dict[str, RunningGame], table_id: str, version: int) -> None:
        """Read one game; one that does not replay, or in which help is allowed, has nothing to protect."""
        row = self._store.load_table(table_id)
        game = None if row is None else _describe(row)
        known[table_id] = game or RunningGame(version, frozenset(), (), -1)


def _describe(row: StoredTable) -> RunningGame | None:
    """Return what is protected of a game; None if nothing is."""
    try:
        table = Table(row)
    except GameError:
        return None
    if table.study or table.is_over or table.allows_advice or row.started is None:
        return None
    positions = table.match.positions
    outlines = tuple(_draw_outline(position) for position in positions[-1 - BACK :])
    return RunningGame(row.version, table.players, outlines, len(positions) - 1)


def _draw_outline(position: Position | View) -> Outline:
    """Return the outline of a position, or a point that stands for all that a spectator sees."""
    draw = position.game.spec.outline
    if draw is not None:
        return draw(position.record)
    seen = position.view(None) if isinstance(position, Position) else position
    return Outline(frozenset({(0, 0, seen.text)}), 0, 0, step=0)


def _belongs_to(outline: Outline, game: RunningGame, player: str) -> bool:
    """Return whether a position belongs to a game, for a player who asks about it."""
    first = 0 if player in game.players else OPENING_PLIES
    if game.plies < first:
        return False
    # The oldest outline that counts: what follows from it follows from the others, or has less on the board.
    now, oldest = game.outlines[-1], game.outlines[-1 - min(len(game.outlines) - 1, game.plies - first)]
    most = len(now.points) - len(oldest.points) + AHEAD * now.step
    return outline.continues(oldest, most)
