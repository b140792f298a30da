"""One browser's question what a position is worth: asked, answered, or left off before the answer is there."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.room import Room
from fourcorners.web.solving import BusyError, Desk
from fourcorners.web.verdicts import in_progress, told

_logger = logging.getLogger(__name__)


class Asking:
    """At most one question at a time; `reply` queues a message to the browser."""

    def __init__(self, desk: Desk, owner: str, reply: Callable[[dict[str, Any]], None]) -> None:
        self._desk = desk
        self._owner = owner
        self._reply = reply
        self._stop = threading.Event()
        self._task: asyncio.Task[None] | None = None

    def ask(self, room: Room, question: str, ply: int) -> None:
        """Ask about a position, and no longer about another; the answer bears the name of the question."""
        self.leave_off()
        self._stop = threading.Event()
        self._task = asyncio.create_task(self._answer(room, question, ply, self._stop))

    def leave_off(self) -> None:
        """Want no answer any more: the thread that works on it ends within a slice of its search."""
        self._stop.set()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _answer(self, room: Room, question: str, ply: int, stop: threading.Event) -> None:
        head = {"type": "solve", "id": question, "ply": ply}
        try:
            self._reply({**head, **await self._found(room, ply, stop)})
        except asyncio.CancelledError:
            self._reply({**head, "state": "left"})
            raise
        except IllegalMoveError as error:
            self._reply({**head, "state": "refused", "sentence": f"{error.reason[0].upper()}{error.reason[1:]}."})
        except BusyError:
            sentence = "Too many positions are being solved on this server just now; ask again in a while."
            self._reply({**head, "state": "refused", "sentence": sentence})
        except Exception:
            # One browser's trouble is told to it alone.
            _logger.exception("table %s: solving ply %d failed", room.id, ply)
            self._reply({**head, "state": "refused", "sentence": "The server failed at this; try again."})

    async def _found(self, room: Room, ply: int, stop: threading.Event) -> dict[str, Any]:
        match, position = await room.revealed(ply)
        if position.is_over:
            sentence = "The game is over here: step back to see what could still be won."
            return {"state": "refused", "sentence": sentence}

        def bounds(lower: int, upper: int, nodes: int) -> None:
            if not stop.is_set():
                self._reply({"type": "solving", "ply": ply, **in_progress(match, position, lower, upper, nodes)})

        verdict = await self._desk.ask(position, stop, bounds)
        own = await room.own_seats(self._owner)
        return await room.on_board(told, verdict, match, position, own)
