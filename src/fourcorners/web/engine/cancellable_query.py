"""A browser's slow query: it is started, then answered or cancelled."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.domain.rows import SERVER_FAULT
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.engine.work_queue import BusyError

Answer = dict[str, Any]
"""The fields of an answer on the wire; its `state` is "refused" or "cancelled" where there is no result."""
Reply = Callable[[Answer], None]
_logger = logging.getLogger(__name__)


class CancellableQuery:
    """At most one running query. Its methods must be called from the event loop."""

    __slots__ = ("_name", "_task")

    def __init__(self, name: str) -> None:
        """Run nothing yet; `name` is the kind of query in the log."""
        self._name = name
        self._task: asyncio.Task[None] | None = None

    def start(self, reply: Reply, find: Callable[[], Awaitable[Answer]]) -> None:
        """Cancel the running query, if any, and start another one in a task; return at once.

        `reply` is called once, with the fields that `find` returns, with those of a refusal if `find` raises, or with
        the state "cancelled" if the query is cancelled (not at all if that happens before its task has begun).
        """
        self.cancel()
        self._task = asyncio.create_task(self._run(reply, find))

    def cancel(self) -> None:
        """Cancel the running query, if any; `start` says what it replies."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, reply: Reply, find: Callable[[], Awaitable[Answer]]) -> None:
        """Call `find` and reply; raise nothing but CancelledError. Failures are logged, the client gets a sentence."""
        try:
            reply(await find())
        except asyncio.CancelledError:
            reply({"state": "cancelled"})
            raise
        except IllegalMoveError as error:
            reply(build_refusal(error.reason))
        except BusyError as error:
            reply(build_refusal(str(error)))
        except Exception:
            _logger.exception("a query failed", extra={"kind": self._name})
            reply(build_refusal(SERVER_FAULT))


def build_refusal(reason: str) -> Answer:
    """Return `state` "refused" and a reason, a clause or a sentence, as the `sentence`."""
    return {"state": "refused", "sentence": write_sentence(reason)}
