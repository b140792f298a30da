"""The end of a rated game: what is written with its last event, and what its players are told of it."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from fourcorners.web.domain.ratings import Standing, explain_unrated, ladder_identity, rank_parties, rate, rating_points
from fourcorners.web.domain.table import Table
from fourcorners.web.store.ladder import RatingChanges, rate_game


def of(table: Table, at: float) -> Callable[[sa.Connection], None] | None:
    """Return what rates a game in the transaction of its last event; None if it does not count."""
    match = table.match
    holders = _holders(table)
    if explain_unrated(match, table.kinds, holders, wanted=bool(table.saved.settings.get("rated"))):
        return None
    parties = [[str(holders[seat]) for seat in party] for party in match.game.options.parties]
    ranks, seats = rank_parties(match), match.game.seats
    return lambda connection: rate_game(connection, table.id, match.game.id, seats, at, parties, ranks, rate)


def _holders(table: Table) -> list[str | None]:
    return [ladder_identity(table.match.game.id, chair.kind, chair.player) for chair in table.chairs]


def told(table: Table, moved: RatingChanges | None) -> list[tuple[int, int] | None] | None:
    """Return the ratings before and after a game by seat, as people read them; None if the game was not rated."""
    if moved is None:
        return None
    return [_shown(moved.get(holder or "")) for holder in _holders(table)]


def _shown(one: list[float] | None) -> tuple[int, int] | None:
    if one is None:
        return None
    before, doubt_before, after, doubt_after = one
    return rating_points(Standing(before, doubt_before)), rating_points(Standing(after, doubt_after))
