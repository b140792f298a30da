"""The notifications that players get about a table that they do not have open: their turn, its end, a rematch."""

from typing import NamedTuple

from fourcorners.core.plurals import list_words
from fourcorners.web.domain.rematch import list_missing_seats
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.table import GUEST, YOU, Table, seat_labels

_HEADLINES = {
    "turn": "Your turn",
    "over": "Game over",
    "rematch": "Rematch offered",
    "begun": "Rematch started",
}


class Moment(NamedTuple):
    """What players are notified of: the player to move and the ply with which that turn began, the end, the seats that
    have been asked for a rematch, and the table of the rematch.
    """

    player: str | None
    ply: int
    is_over: bool
    asked: tuple[int, ...]
    rematch: str | None


def find_moment(table: Table) -> Moment:
    """Return the moment of a table; equal ones need no other notification."""
    seat = table.seat
    plies = table.match.position.plies
    began = len(plies)
    # A player who moves again has not waited for anyone.
    while began and plies[began - 1].seat == seat:
        began -= 1
    player = None if seat is None else table.chairs[seat].player
    return Moment(player, began, table.is_over, list_missing_seats(table), table.rematch_id)


def list_notifications(table: Table, before: Moment, actor: str = "") -> dict[str, str]:
    """Return by player what kind of notification is due after a change by `actor`: "turn", "over", "rematch" when they
    are asked for one, or "begun" once all have agreed. There are none unless two people play.
    """
    moment = find_moment(table)
    if table.study or len(table.players) < 2 or moment == before:
        return {}
    others = [player for player in table.players if player != actor]
    if moment.rematch != before.rematch:
        return dict.fromkeys(others, "begun")
    if set(moment.asked) > set(before.asked):
        asked = {table.chairs[seat].player for seat in moment.asked}
        return {player: "rematch" for player in others if player in asked}
    if moment.is_over:
        return {} if before.is_over else dict.fromkeys(others, "over")
    return {moment.player: "turn"} if moment.player in others else {}


def describe_notification(row: StoredTable, title: str, player: str, kind: str) -> str | None:
    """Return the text of a notification about a stored table of the game `title`, without hidden information; None if
    it no longer applies.
    """
    seats = row.list_seats(player)
    if not seats or (kind == "turn" and row.turn not in seats) or (kind == "over" and not row.result):
        return None
    labels = [GUEST if label == YOU else label for label in seat_labels(row.chairs)]
    others = [label for seat, label in enumerate(labels) if seat not in seats]
    return f"{_HEADLINES[kind]}: {title} against {list_words(others)}"
