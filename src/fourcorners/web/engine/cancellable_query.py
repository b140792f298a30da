"""One browser's question that takes a while: asked, answered, or left off before the answer is there."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from fourcorners.core.errors import IllegalMoveError

Answer = dict[str, Any]
Reply = Callable[[Answer], None]
_logger = logging.getLogger(__name__)


class BusyError(Exception):
    """More is asked than this server takes; the text is a sentence for people."""


class CancellableQuery:
    """At most one question at a time; `name` says in the log what is asked."""

    def __init__(self, name: str) -> None:
        """Ask nothing yet."""
        self._name = name
        self._stop = threading.Event()
        self._task: asyncio.Task[None] | None = None

    def ask(self, reply: Reply, find: Callable[[threading.Event], Awaitable[Answer]]) -> None:
        """Cancel the previous question, run `find`, and pass its answer, or the reason for none, to `reply`.

        `find` receives the event that is set when the question is cancelled.
        """
        self.leave_off()
        self._stop = threading.Event()
        self._task = asyncio.create_task(self._answer(reply, find, self._stop))

    def leave_off(self) -> None:
        """Want no answer any more: the thread that works on it ends within a slice of its search."""
        self._stop.set()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _answer(
        self, reply: Reply, find: Callable[[threading.Event], Awaitable[Answer]], stop: threading.Event
    ) -> None:
        try:
            reply(await find(stop))
        except asyncio.CancelledError:
            reply({"state": "left"})
            raise
        except IllegalMoveError as error:
            reply(build_refusal(f"{error.reason}."))
        except BusyError as error:
            reply(build_refusal(str(error)))
        except Exception:
            # One browser's trouble is told to it alone.
            _logger.exception("a question failed", extra={"kind": self._name})
            reply(build_refusal("The server failed at this; try again."))


def build_refusal(sentence: str) -> Answer:
    """Refuse an answer in words."""
    return {"state": "refused", "sentence": f"{sentence[0].upper()}{sentence[1:]}"}
