"""Thinking on a Ray cluster: each move is a task there, which tells how far it is, and ends when nobody wants it."""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

from fourcorners.core.position import View
from fourcorners.players.computer import Computer
from fourcorners.search.tree_search import Progress
from fourcorners.web.engine.move_service import (
    LocalMoveService,
    MoveRequest,
    MoveService,
    ProgressCallback,
    choose_move,
)
from fourcorners.web.settings import Settings, SettingsError

_PROGRESS_EVERY = 0.25
_STOP_EVERY = 0.05
_SPARED_FOR = 30.0
_LOCAL = "local"
_logger = logging.getLogger(__name__)


def create_move_service(settings: Settings, here: LocalMoveService) -> MoveService:
    """Return where computers think; raise SettingsError if the cluster cannot be joined."""
    return ClusterMoveService(settings.ray, here) if settings.ray else here


class ClusterMoveService:
    """Thinking on a cluster, and in this process while the cluster fails."""

    def __init__(self, address: str, here: LocalMoveService) -> None:
        """Join a cluster, or begin one on this machine; raise SettingsError."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Not everybody has the library, nor needs it, and it takes seconds to import.
        import ray  # noqa: PLC0415

        own = {"include_dashboard": False} if address == _LOCAL else {}
        try:
            ray.init(address=address, log_to_driver=False, configure_logging=False, **own)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            kind = type(error).__name__
            message = f"the Ray cluster {address!r} cannot be joined ({kind}): this machine must be one of its nodes"
            raise SettingsError(message) from None
        self._ray: Any = ray
        self._here = here
        self._think = ray.remote(num_cpus=1, num_returns="streaming")(search_remotely)
        self._spared_until = 0.0

    async def find(self, question: MoveRequest, stop: threading.Event, progress: ProgressCallback) -> str:
        """Find a move on the cluster; when `stop` is set its search there ends as well."""
        if time.monotonic() >= self._spared_until:
            try:
                return await self._asked(question, stop, progress)
            except self._ray.exceptions.RayError as error:
                self._spared_until = time.monotonic() + _SPARED_FOR
                about = {"table": question.table_id, "seat": question.seat, "kind": type(error).__name__}
                _logger.warning("the cluster failed; computers think in this process for a while", extra=about)
        return await self._here.find(question, stop, progress)

    async def _asked(self, question: MoveRequest, stop: threading.Event, progress: ProgressCallback) -> str:
        strength = question.strength
        answers = self._think.remote(strength.level, strength.seconds, question.view)
        try:
            while not stop.is_set():
                answer = asyncio.ensure_future(anext(answers))
                while not answer.done() and not stop.is_set():
                    await asyncio.wait({answer}, timeout=_STOP_EVERY)
                if not answer.done():
                    answer.cancel()
                    await asyncio.gather(answer, return_exceptions=True)
                    break
                told: str | Progress = await (await answer)
                if isinstance(told, str):
                    return told
                progress(told)
        finally:
            # What has ended already takes no notice.
            self._ray.cancel(answers)
        return ""

    def drop(self, table_id: str) -> None:
        """Forget what was thought at a table; on the cluster nothing is kept."""
        self._here.drop(table_id)

    def close(self) -> None:
        """Leave the cluster."""
        self._here.close()
        self._ray.shutdown()


def search_remotely(level: int | None, seconds: float | None, view: View) -> Iterator[str | Progress]:
    """Yield how far a search is, and its move at the end; who closes or interrupts this ends the search."""
    stop = threading.Event()
    told: queue.SimpleQueue[str | Progress | BaseException] = queue.SimpleQueue()

    def search() -> None:
        try:
            told.put(choose_move(Computer(level, seconds), view, stop, told.put))
        except BaseException as error:  # noqa: BLE001  # it is raised where the task waits
            told.put(error)

    thread = threading.Thread(target=search, name="search", daemon=True)
    thread.start()
    last = 0.0
    try:
        while True:
            try:
                # An interruption is noticed between two waits.
                item = told.get(timeout=_STOP_EVERY)
            except queue.Empty:
                continue
            if isinstance(item, BaseException):
                raise item
            if isinstance(item, str):
                yield item
                return
            if time.monotonic() - last >= _PROGRESS_EVERY:
                last = time.monotonic()
                yield item
    finally:
        stop.set()
        thread.join()
