"""Tables of two or more people, without a server."""

from __future__ import annotations

from typing import Any

import fourcorners as fc
from fourcorners.web.application.setup import new_table
from fourcorners.web.domain import actions
from fourcorners.web.domain.actions import Command
from fourcorners.web.domain.table import Table

ADA, BOB, CLEO = "a" * 64, "b" * 64, "c" * 64
START = 2_000_000_000.0


def table_of(game: fc.Game, *players: str, settings: dict[str, Any] | None = None) -> Table:
    """Set up a table of Ada, and let the others sit down in turn."""
    kinds = ["person", *("open" for _ in players[1:])]
    saved = new_table(game, ["Ada", *("" for _ in players[1:])], kinds, players[0], settings or {}, START)
    table = Table(saved)
    for seat, player in enumerate(players[1:], 1):
        command = Command("sit", f"sit{seat}", START, seat=seat, name=f"Player {seat + 1}")
        actions.do(table, player, command)
    return table


def play(table: Table, *moves: str) -> None:
    """Let those play whose turn it is."""
    for move in moves:
        player = table.chairs[table.seat or 0].player
        assert player is not None
        actions.do(table, player, Command("move", f"m{table.version}", START, move=move))
