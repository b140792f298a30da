"""A rematch: who has asked for one, who may, and when everyone has agreed."""

from collections.abc import Mapping
from typing import NamedTuple

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.domain.commands import Rematch
from fourcorners.web.domain.table import Table

TOGETHER = "answered-together"
"""The code of the error about a command that was prepared before another player answered, so that it must be again."""


class Agreement(NamedTuple):
    """The effect of a player's command: with `is_last` everyone has agreed, so that the rematch can begin. `hashes` has
    the hashes of the values that other players have given for its shuffle.
    """

    is_last: bool
    hashes: Mapping[str, str]


def find_agreement(table: Table, player: str, command: Rematch) -> Agreement:
    """Return what a player's command to ask for a rematch, or to agree to one, does. Raise IllegalMoveError if the
    player may not, or names a level although others play.
    """
    reason = explain_no_rematch(table, player)
    if reason is not None:
        raise IllegalMoveError(command.text, *reason)
    if command.level is not None and len(table.players) > 1:
        raise IllegalMoveError(command.text, "the level can change only if you play alone", "level")
    request = table.rematch_request
    hashes = {} if request is None else {table.chairs[seat].player or "": text for seat, text in request.hashes.items()}
    return Agreement(table.players <= {player, *hashes}, hashes)


def explain_no_rematch(table: Table, player: str) -> tuple[str, str] | None:
    """Return why a player may neither ask for a rematch nor agree to one, and the error's code; None if that is
    allowed. After a refusal only the player who declined may ask.
    """
    own, request = table.player_seats(player), table.rematch_request
    if not own or not table.is_over or table.started is None:
        return "only the players of a finished game can ask for a rematch", "not-over"
    if table.rematch_id is not None:
        return "a rematch has already been created", "again"
    if any(table.chairs[seat].player is None for seat in table.person_seats):
        return "a player of this game has deleted the account", "no-other"
    if request is not None and any(seat in own for seat in request.hashes):
        return "you have asked already; the others have not answered yet", "asked"
    if request is not None and request.declined not in {None, *own}:
        return "the rematch was declined", "declined"
    return None


def has_open_request(table: Table) -> bool:
    """Return whether a rematch has been asked for and neither all have agreed nor one has declined."""
    request = table.rematch_request
    return request is not None and bool(request.hashes) and table.rematch_id is None


def list_missing_seats(table: Table) -> tuple[int, ...]:
    """Return the seats whose players have not agreed to the rematch that is asked for; none without a request."""
    request = table.rematch_request
    if request is None or not has_open_request(table):
        return ()
    agreed = {table.chairs[seat].player for seat in request.hashes}
    return tuple(seat for seat in table.person_seats if table.chairs[seat].player not in agreed)
