"""The rating of a finished game: what the ladder needs to know of it, and what its players see afterwards."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fourcorners.web.domain.ratings import Standing, explain_unrated, ladder_identity, rank_parties, rating_points
from fourcorners.web.domain.table import Table


class RatedResult(NamedTuple):
    """A finished game as the ladder rates it: the identities that played together, and the rank of each party.

    Rank 0 is the best; equal ranks are a draw between these parties. `at` is server time in seconds.
    """

    table_id: str
    game: str
    seats: int
    at: float
    parties: list[list[str]]
    ranks: list[int]


def explain_uncounted(table: Table) -> str | None:
    """Return a clause that says why a rated game that is over does not count for ratings; None if it does, or is not
    rated, or still runs.
    """
    if not table.is_rated or not table.is_over:
        return None
    return explain_unrated(table.match, table.kinds, _ladder_identities(table), wanted=True) or None


def build_rated_result(table: Table, at: float) -> RatedResult | None:
    """Return the result to rate with the last event, at server time `at`; None if `explain_unrated` has a reason."""
    match = table.match
    holders = _ladder_identities(table)
    if explain_unrated(match, table.kinds, holders, wanted=table.is_rated):
        return None
    parties = [[str(holders[seat]) for seat in party] for party in match.game.options.parties]
    return RatedResult(table.id, match.game.id, match.game.seats, at, parties, rank_parties(match))


def list_rating_changes(
    table: Table, changes: Mapping[str, Sequence[float]] | None
) -> list[tuple[int, int] | None] | None:
    """Return the rating points (before, after) the game for each seat; None if the game was not rated. `changes` maps a
    ladder identity to (mu before, sigma before, mu after, sigma after); a seat without one gets None.
    """
    if changes is None:
        return None
    return [_convert_to_points(changes.get(holder or "")) for holder in _ladder_identities(table)]


def _convert_to_points(change: Sequence[float] | None) -> tuple[int, int] | None:
    """Return the points (before, after) a change of mu and sigma, given as above; None without a change."""
    if change is None:
        return None
    mu_before, sigma_before, mu_after, sigma_after = change
    return rating_points(Standing(mu_before, sigma_before)), rating_points(Standing(mu_after, sigma_after))


def _ladder_identities(table: Table) -> list[str | None]:
    return [ladder_identity(table.match.game.id, chair.kind, chair.player) for chair in table.chairs]
