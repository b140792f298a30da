"""The hub in the supervisor: it passes texts on between workers, and counts for all of them."""

import asyncio
from functools import partial

from fourcorners.web.auth.windows import MemoryWindows
from fourcorners.web.interprocess.frames import FrameProtocol
from fourcorners.web.interprocess.hub_client import JOINED, LOST, Answer, Broadcast, Message, Question, decode, encode


class Hub:
    """The connections of all workers. It never waits for a worker: one that does not read is disconnected."""

    def __init__(self) -> None:
        self._windows = MemoryWindows()
        self._members: dict[FrameProtocol, int] = {}
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self, address: str) -> None:
        """Accept workers at the path of a Unix socket; raise OSError."""
        self._server = await asyncio.get_running_loop().create_unix_server(self._create_member, address)

    def close(self) -> None:
        """Close all connections."""
        if self._server is not None:
            self._server.close()
        for member in list(self._members):
            member.close()

    def _create_member(self) -> FrameProtocol:
        member = FrameProtocol(lambda frame: self._receive(member, frame), lambda: self._lose(member))
        return member

    def _receive(self, member: FrameProtocol, frame: bytes) -> None:
        message: Message = decode(frame)
        if isinstance(message, Broadcast):
            if message.topic == JOINED:
                for number in self._members.values():
                    member.send(encode(Broadcast(JOINED, number, "")))
                self._members[member] = message.sender
            self._send_to_others(member, frame, message.recipient)
        elif isinstance(message, Question):
            task = asyncio.create_task(self._answer(member, message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, member: FrameProtocol, question: Question) -> None:
        _, key, expiry, amount, limit = (getattr(question, name) for name in question.__struct_fields__)
        add = partial(self._windows.acquire_sliding_window_entry, key, limit, expiry, amount)
        is_added = await add() if amount else True
        counts = await self._windows.get_sliding_window(key, expiry)
        member.send(encode(Answer(question.number, counts, is_added)))

    def _lose(self, member: FrameProtocol) -> None:
        number = self._members.pop(member, None)
        if number is not None:
            self._send_to_others(member, encode(Broadcast(LOST, number, "")))

    def _send_to_others(self, sender: FrameProtocol, frame: bytes, recipient: int | None = None) -> None:
        for member, number in list(self._members.items()):
            if member is not sender and recipient in (None, number):
                member.send(frame)
