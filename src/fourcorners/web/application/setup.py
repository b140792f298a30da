"""Setting up tables: for a new game, for the same game again, and for a record to look at."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fourcorners.core.game import Game
from fourcorners.core.match import Match, Record
from fourcorners.web.domain.seats import OPEN, PERSON, rotate_seats
from fourcorners.web.domain.table import LIVE, STUDY, Table, seat_labels
from fourcorners.web.store import Chair, StoredTable, TableEvent


def new_table(
    game: Game, names: Sequence[str], kinds: Sequence[str], owner: str, settings: dict[str, Any], now: float
) -> StoredTable:
    """Set up a table for a new game; raise OptionError for wrong names. People sit at it now, or come by its link."""
    chairs = [_chair(seat, kind, name, owner) for seat, (kind, name) in enumerate(zip(kinds, names, strict=True))]
    return _set_up(Match(game, seat_labels(chairs)), LIVE, chairs, owner, settings, now)


def _chair(seat: int, kind: str, name: str, owner: str) -> Chair:
    if kind == OPEN:
        return Chair(seat, PERSON, None, "", taken=False)
    return Chair(seat, kind, owner if kind == PERSON else None, name, taken=True)


def rematch(table: Table, player: str, now: float) -> StoredTable:
    """Set up the same game with the seats turned; the chairs of other people are kept for them until they come."""
    chairs = [
        Chair(seat, chair.kind, chair.player, chair.name, taken=chair.kind != PERSON or chair.player == player)
        for seat, chair in enumerate(rotate_seats(table.chairs, 1))
    ]
    match = Match(table.match.game, seat_labels(chairs))
    return _set_up(match, LIVE, chairs, player, table.saved.settings, now)


def study_table(record: Record, owner: str, now: float) -> StoredTable:
    """Set up a table at which a record can be looked at; raise RecordError if it does not replay."""
    match = record.match()
    chairs = [Chair(seat, PERSON, None, name, taken=True) for seat, name in enumerate(match.names)]
    return _set_up(match, STUDY, chairs, owner, {}, now)


def _set_up(match: Match, kind: str, chairs: list[Chair], owner: str, settings: dict[str, Any], now: float) -> StoredTable:
    told = [TableEvent(i, event.seat, event.text, f"={i}", now) for i, event in enumerate(match.events, 1)]
    saved = StoredTable(
        id=secrets.token_urlsafe(9),
        kind=kind,
        game=match.game.id,
        options=match.game.given_options(),
        deck=list(match.deck),
        nonce=match.nonce,
        settings=settings,
        owner=owner,
        date=match.date,
        created=now,
        started=now if all(chair.taken for chair in chairs) else None,
        changed=now,
        version=len(told),
        turn=None,
        deadline=None,
        result="",
        chairs=chairs,
        events=told,
    )
    # Also written with every event.
    summary = Table(saved).summary(now)
    return replace(saved, turn=summary.turn, deadline=summary.deadline, result=summary.result)
