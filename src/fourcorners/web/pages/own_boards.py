"""The boards of a player's own games, small, as the player may see them."""

import threading
from collections.abc import Sequence

from cachetools import LRUCache
from markupsafe import Markup

from fourcorners.core.errors import GameError
from fourcorners.web.application.context import ServerContext
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.table import Table
from fourcorners.web.engine.work_queue import BudgetError, CpuBudget
from fourcorners.web.pages.miniatures import draw_miniature
from fourcorners.web.realtime.rooms import Rooms

_SECONDS = 0.25
"""The processor time in which the games of one page are replayed. Compiled rules need milliseconds."""
_boards: LRUCache[tuple[str, int, str], Markup] = LRUCache(2048)
"""The latest boards, a few kilobytes each, by table, version and player."""
_lock = threading.Lock()


def draw_own_boards(rooms: Rooms, rows: Sequence[StoredTable], player: str) -> dict[str, Markup]:
    """Draw the boards of tables (rows without events) as a player sees them, by id; blocks. Those that do not replay,
    or not in the time that there is, are left out. Raise StoreError.
    """
    budget, drawn = CpuBudget(threading.Event(), _SECONDS), {}
    for row in rows:
        key = (row.id, row.version, player)
        with _lock:
            board = _boards.get(key)
        if board is None:
            try:
                board = _draw(rooms, row, player, budget)
            except (GameError, BudgetError):
                continue
            with _lock:
                _boards[key] = board
        drawn[row.id] = board
    return drawn


def _draw(rooms: Rooms, row: StoredTable, player: str, budget: CpuBudget) -> Markup:
    """Draw the board of a table; raise GameError if it does not replay, BudgetError, or StoreError."""
    room = rooms.opened.get(row.id)
    table = None if room is None else room.session.cached_table
    # A move that is stored, but not yet played in memory, would be missing for as long as this version is kept.
    if table is None or table.version < row.version:
        table = _replay(rooms.context, row, budget)
    # Without the tray, so that not even the player's own hand stands on a page that others may see from afar.
    view = table.match.position.view(table.choose_perspective(player, None).viewer)
    return draw_miniature(table.match.game, view)


def _replay(context: ServerContext, row: StoredTable, budget: CpuBudget) -> Table:
    budget.check()
    stored = context.store.load_table(row.id)
    return Table(row if stored is None else stored, context.outages, budget.check)
