"""Find computer moves on a Ray cluster: each search is a Ray task that streams its progress."""

import asyncio
import logging
import os
import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

from fourcorners.core.game import View
from fourcorners.players.computer import Computer
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.engine.move_service import LocalMoveService, MoveRequest, MoveService, ProgressCallback
from fourcorners.web.settings import Settings, SettingsError

_PROGRESS_INTERVAL, _POLL_INTERVAL, _RETRY_DELAY = 0.25, 0.05, 30.0
"""Seconds between two reports of progress, between two looks at `stop`, and after a failure of the cluster."""
_LOCAL = "local"
_logger = logging.getLogger(__name__)


def create_move_service(settings: Settings, local: LocalMoveService) -> MoveService:
    """Return `local`, or a service for the cluster that the settings name; raise SettingsError if joining it fails."""
    return ClusterMoveService(settings.ray, local) if settings.ray else local


def join_cluster(address: str) -> Any:
    """Join a cluster ("local": start one) and return Ray; raise SettingsError, ImportError without Ray."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Imported here because the package is optional and takes seconds to import.
    import ray  # noqa: PLC0415  # an optional dependency

    options = {"include_dashboard": False} if address == _LOCAL else {}
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False, **options)
    except Exception as error:  # noqa: BLE001  # a node that does not start in time raises nothing narrower
        ray.shutdown()
        kind = type(error).__name__
        message = f"the Ray cluster {address!r} cannot be joined ({kind}): this machine must be one of its nodes"
        raise SettingsError(message) from None
    return ray


class ClusterMoveService:
    """Finds moves on a cluster, and in this process for `_RETRY_DELAY` seconds after the cluster failed."""

    def __init__(self, address: str, local: LocalMoveService) -> None:
        """Join a cluster ("local": start one); raise SettingsError, ImportError without Ray. `close` closes `local`."""
        ray = join_cluster(address)
        self._ray: Any = ray
        self._local = local
        self._search = ray.remote(num_cpus=1, num_returns="streaming")(search_remotely)
        self._retry_at = 0.0

    async def find_move(self, request: MoveRequest, stop: threading.Event, on_progress: ProgressCallback) -> str:
        """Return a move, or any text once `stop` is set; if the cluster fails, search here; raise what that raises."""
        if time.monotonic() >= self._retry_at:
            try:
                return await self._find_remotely(request, stop, on_progress)
            except self._ray.exceptions.RayError as error:
                self._retry_at = time.monotonic() + _RETRY_DELAY
                about = {"table": request.table_id, "seat": request.seat, "kind": type(error).__name__}
                _logger.warning("the cluster failed; moves are computed in this process", extra=about)
        return await self._local.find_move(request, stop, on_progress)

    async def _find_remotely(self, request: MoveRequest, stop: threading.Event, on_progress: ProgressCallback) -> str:
        """Search on the cluster and pass the progress on; return "" if `stop` is set first. Raise RayError."""
        strength = request.strength
        items = self._search.remote(strength.level, strength.seconds, request.view)
        try:
            while not stop.is_set():
                next_item = asyncio.ensure_future(anext(items))
                # A threading.Event cannot be awaited, so it is polled.
                while not next_item.done() and not stop.is_set():
                    await asyncio.wait({next_item}, timeout=_POLL_INTERVAL)
                if not next_item.done():
                    next_item.cancel()
                    await asyncio.gather(next_item, return_exceptions=True)
                    break
                item: str | SearchProgress = await (await next_item)
                if isinstance(item, str):
                    return item
                on_progress(item)
        finally:
            # Has no effect on a task that is finished.
            self._ray.cancel(items)
        return ""

    def forget_table(self, table_id: str) -> None:
        """Drop the computers that this process keeps for a table; the cluster keeps none."""
        self._local.forget_table(table_id)

    def close(self) -> None:
        """Stop the local threads, as `LocalMoveService.close` does, and leave the cluster."""
        self._local.close()
        self._ray.shutdown()


def search_remotely(level: int | None, seconds: float | None, view: View) -> Iterator[str | SearchProgress]:
    """Yield the progress of a search now and then, and finally its move, or raise its error; the body of a Ray task.

    `level` and `seconds` are those of a `Computer`. Closing the generator, or the exception by which Ray interrupts a
    cancelled task, stops the search and waits for its thread.
    """
    stop = threading.Event()
    items: queue.SimpleQueue[str | SearchProgress | BaseException] = queue.SimpleQueue()

    def search() -> None:
        """Put progress, then a move or an error, into the queue; runs in its own thread."""
        try:
            items.put(Computer(level, seconds).choose_move(view, stop, items.put))
        except BaseException as error:  # noqa: BLE001  # raised again where the task waits
            items.put(error)

    thread = threading.Thread(target=search, name="search", daemon=True)
    thread.start()
    last = 0.0
    try:
        while True:
            try:
                # Without a timeout, an interruption by Ray would not be noticed.
                item = items.get(timeout=_POLL_INTERVAL)
            except queue.Empty:
                continue
            if isinstance(item, BaseException):
                raise item
            if isinstance(item, str):
                yield item
                return
            if time.monotonic() - last >= _PROGRESS_INTERVAL:
                last = time.monotonic()
                yield item
    finally:
        stop.set()
        thread.join()
