"""The guard that keeps engines out of running games: they say nothing about the very position of one.

Every question to an engine passes `refuse_help` or `find_shared` first. The guard stops the easy way to cheat, not all
of them: docs/decisions/engine-off-in-running-games.md says what it does not cover.
"""

from collections.abc import Sequence

from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.position import Position, View
from fourcorners.web.application.context import ServerContext
from fourcorners.web.domain.position_hashes import list_hashes

_REASON = (
    "a game that is being played on this server has this position: the engine says nothing about it until that game "
    "has moved on"
)


async def refuse_help(context: ServerContext, position: Position | View, table_id: str = "") -> None:
    """Raise IllegalMoveError if a running game has a position or an image of it. The game at the table itself does not
    count, because it has its own rules. Raise StoreError.
    """
    if any(await find_shared(context, [position], table_id)):
        raise build_refusal()


async def find_shared(context: ServerContext, positions: Sequence[Position | View], table_id: str = "") -> list[bool]:
    """Return whether a running game, except the one at a table, has each position or an image of it; raise StoreError.

    Games count in which help is not allowed, from ply `GUARDED_FROM` on, while `TableStore.find_positions` finds them.
    """

    def find() -> list[bool]:
        hashes = [set(list_hashes(position)) for position in positions]
        found = context.store.find_positions(set().union(*hashes), context.time.now(), table_id)
        return [not found.isdisjoint(own) for own in hashes]

    return await context.run_in_thread(find)


def build_refusal() -> IllegalMoveError:
    """Return, not raise, the error about a position of a running game."""
    return IllegalMoveError("analysis", _REASON, "running")
