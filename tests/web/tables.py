"""Tables of two or more people, without a server."""

import itertools
from collections.abc import Sequence
from typing import Any

import fourcorners as fc
from fourcorners.web.application.table_setup import TableSetup, build_table
from fourcorners.web.domain.actions import Change, apply_command
from fourcorners.web.domain.commands import AnyCommand, CommandContext, Move, Sit
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.seats import OPEN, PERSON
from fourcorners.web.domain.table import Table

ADA, BOB, CLEO = "a" * 64, "b" * 64, "c" * 64
START = 2_000_000_000.0
SMALL = fc.game("square-off", size=4, swap=False)
_ids = itertools.count()


def build_row(
    game: fc.Game, kinds: Sequence[str], owner: str = ADA, now: float = START, settings: dict[str, Any] | None = None
) -> StoredTable:
    """Return the row of a table of `owner` at which seat 0 begins; `kinds` are as in `TableSetup`.

    Seats of people are called Ada, Ada 2 and so on. `settings`, if given, replace the usual ones as they are.
    """
    names = {seat: "Ada" if seat == 0 else f"Ada {seat + 1}" for seat, kind in enumerate(kinds) if kind == PERSON}
    row = build_table(TableSetup(game, kinds, names, shuffle=False), owner, now)
    if settings is not None:
        row.settings.clear()
        row.settings.update(settings)
    return row


def seat_players(game: fc.Game, *players: str, settings: dict[str, Any] | None = None) -> Table:
    """Return a running table that the first player sets up, at seat 0, and at which the others sit down in order.

    There must be a player for each seat. `settings` are as in `build_row`. The names are Ada, Player 2, Player 3, ….
    """
    kinds = [PERSON, *(OPEN for _ in players[1:])]
    table = Table(build_row(game, kinds, players[0], settings=settings))
    for seat, player in enumerate(players[1:], 1):
        apply(table, player, Sit(f"sit{seat}", 0, seat, f"Player {seat + 1}"))
    return table


def apply(
    table: Table, player: str, command: AnyCommand, at: float = START, *, rematch_id: str | None = None
) -> Change:
    """Apply a player's command as received at `at`, under the name that it asks for; raise as `apply_command`."""
    name = getattr(command, "name", "")
    return apply_command(table, player, command, CommandContext(at, name=name, rematch_id=rematch_id))


def play_moves(table: Table, *moves: str) -> None:
    """Play moves at time `START`, each for the person whose turn it is; fail for a computer or an empty seat.

    Raise GameError for an illegal move; the moves before one that is refused stay played.
    """
    for move in moves:
        # Before the start and after the end no seat is to move; then the server refuses the move, here by seat 0.
        player = table.chairs[table.seat or 0].player
        assert player is not None
        apply(table, player, Move(f"m{next(_ids)}", 0, move))
