"""The services of a server process: a container without logic, which `app.py` fills."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import HTTPConnection

from fourcorners.web.application.analysis_board import PositionCache
from fourcorners.web.application.web_push import WebPush
from fourcorners.web.auth.passwords import PasswordService
from fourcorners.web.domain.clocks import Outage, ServerTime
from fourcorners.web.engine.move_service import MoveService
from fourcorners.web.engine.services import Engine
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.engine.work_queue import WorkQueue
from fourcorners.web.metrics import Metrics
from fourcorners.web.protocol.server_events import ServerEvent
from fourcorners.web.settings import Settings
from fourcorners.web.store import Store

T = TypeVar("T")


@dataclass(eq=False)
class ServerContext:
    """The store, the services and the clock of a server process.

    `board_threads` are for `run_in_board_thread`. `shared` tells whether other servers may work on the same database;
    `publish` tells them about an event and never blocks. `outages` grows while the server runs. In `opening`,
    `replaying`, `drawing`, `boards` and `hashing` networks take turns: to open tables, to read or write records, to
    draw pictures, for positions of the analysis board, and to hash passwords.
    """

    settings: Settings
    store: Store
    time: ServerTime
    process: str
    shared: bool
    publish: Callable[[ServerEvent], None]
    metrics: Metrics
    warmup: Warmup
    passwords: PasswordService
    push: WebPush
    move_service: MoveService
    engine: Engine
    opening: WorkQueue
    replaying: WorkQueue
    drawing: WorkQueue
    boards: WorkQueue
    hashing: WorkQueue
    positions: PositionCache
    board_threads: Executor
    outages: list[Outage]

    async def run_in_board_thread(self, work: Callable[..., T], *args: Any) -> T:
        """Compute with rules, pictures or records in a board thread; return the result of `work` or raise its error.

        There are few such threads, so that moves get the interpreter's lock however many clients ask. What may wait for
        the store is for `run_in_threadpool`, so that a slow database delays no board. Whole pages go there too.
        """
        return await asyncio.get_running_loop().run_in_executor(self.board_threads, work, *args)

    def close(self) -> None:
        """Stop all services but the store, blocking until what they do has ended."""
        for service in (
            self.warmup,
            self.engine,
            self.opening,
            self.replaying,
            self.drawing,
            self.boards,
            self.hashing,
            self.move_service,
            self.push,
        ):
            service.close()
        self.board_threads.shutdown(cancel_futures=True)


def get_context(connection: HTTPConnection) -> ServerContext:
    """Return the services of the application that serves a request or a socket."""
    context: ServerContext = connection.app.state.context
    return context
