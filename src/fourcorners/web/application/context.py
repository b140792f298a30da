"""What all tables of a server process share."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple, TypeVar

from fourcorners.core.position import Position, View
from fourcorners.web.application.running_games import RunningGames, Walk, build_refusal
from fourcorners.web.auth.identity import current_sender
from fourcorners.web.domain.clocks import Outage, ServerTime
from fourcorners.web.engine.move_service import MoveService
from fourcorners.web.engine.work_queue import Client
from fourcorners.web.metrics import Metrics
from fourcorners.web.protocol.server_events import ServerEvent
from fourcorners.web.store import Store

T = TypeVar("T")


class ServerContext(NamedTuple):
    """The store, the services and the clock of a server process.

    `board_threads` run rules, pictures and reads of the store. `shared` tells whether other servers may work on
    the same database; `publish` tells them about an event and never blocks. `pace` is the minimum time of a computer's
    move in seconds. `outages` grows while the server runs, and `running_games` are those whose players get no help.
    """

    store: Store
    board_threads: Executor
    move_service: MoveService
    time: ServerTime
    process: str
    pace: float
    outages: list[Outage]
    shared: bool
    publish: Callable[[ServerEvent], None]
    metrics: Metrics
    running_games: RunningGames

    async def run_in_thread(self, work: Callable[..., T], *args: Any) -> T:
        """Call something slow in a board thread; return its result or raise its error."""
        return await asyncio.get_running_loop().run_in_executor(self.board_threads, work, *args)

    async def refuse_help(
        self, player: str, position: Position | View, table_id: str = "", moves: Iterable[str] = ()
    ) -> None:
        """Raise IllegalMoveError if a position, or one that these moves lead to, belongs to a running game with which
        the player may get no help. The game at the table itself does not count: it has its own rules. Raise BusyError
        and StoreError.
        """
        walks = [Walk(position), *(Walk(position, (move,)) for move in moves)]
        if any(number is not None for number in await self.measure_walks(player, walks, table_id)):
            raise build_refusal()

    async def measure_walks(self, player: str, walks: Sequence[Walk], table_id: str = "") -> list[int | None]:
        """Return after how many moves each walk reaches a running game, as `RunningGames.measure` does."""
        sender = current_sender.get()
        client = Client(player, "" if sender is None else sender.network)
        return await self.running_games.measure(client, walks, self.time.now(), table_id)
