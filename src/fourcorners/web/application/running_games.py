"""The guard that keeps engines out of running games: they say nothing about the very position of one.

Every question to an engine passes `refuse_help` or `find_shared` first. The guard stops the easy way to cheat, not all
of them: docs/decisions/engine-off-in-running-games.md says what it does not cover.
"""

from collections.abc import Callable, Sequence
from itertools import chain

from starlette.concurrency import run_in_threadpool

from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.game import Position, View
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
    return await find_hashed(context, await context.run_in_board_thread(hash_images, positions), table_id)


async def find_hashed(context: ServerContext, hashes: Sequence[tuple[int, ...]], table_id: str = "") -> list[bool]:
    """Return what `find_shared` does, for the positions whose images `hash_images` has hashed."""
    wanted, now = set(chain.from_iterable(hashes)), context.time.now()
    found = await run_in_threadpool(context.store.find_positions, wanted, now, table_id)
    return [not found.isdisjoint(own) for own in hashes]


def hash_images(
    positions: Sequence[Position | View], check: Callable[[], None] = lambda: None
) -> list[tuple[int, ...]]:
    """Hash all images of each position, which takes up to two milliseconds for each; `check` is called before that."""
    hashes = []
    for position in positions:
        check()
        hashes.append(tuple(list_hashes(position)))
    return hashes


def build_refusal() -> IllegalMoveError:
    """Return, not raise, the error about a position of a running game."""
    return IllegalMoveError("analysis", _REASON, "running")
