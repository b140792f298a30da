"""The hub in the supervisor: it passes texts on between workers, and counts for all of them."""

import asyncio
from collections.abc import Callable
from functools import partial

from fourcorners.web.auth.windows import MemoryWindows
from fourcorners.web.interprocess.frames import FrameProtocol
from fourcorners.web.interprocess.hub_client import (
    HEARD,
    JOINED,
    LOST,
    SILENT,
    Answer,
    Broadcast,
    Message,
    Ping,
    Question,
    Watch,
    decode,
    encode,
)

_PING_SECONDS = 0.5
_SILENT_AFTER, _HUNG_AFTER = 6, 30
"""Unanswered pings after which a process is given nothing new to do, and after which it is given up. They are counted,
rather than the time, so that nobody is blamed for a pause of this process or of the whole machine."""


class Hub:
    """The connections of all workers, and of a process that writes. It never waits for one of them: one that does not
    read is disconnected.

    The other workers hear that a worker is lost once `end_worker` says that its process has ended: until then it may
    still commit moves.
    """

    def __init__(self) -> None:
        """Note no processes; the owner may set what is called with the number of one."""
        self.on_silent: Callable[[int], None] = lambda _: None
        """A process has not answered for a while."""
        self.on_heard: Callable[[int], None] = lambda _: None
        """A silent process answers again."""
        self.on_hung: Callable[[int], None] = lambda _: None
        """A process has been silent for too long, or was disconnected because it did not read; it must be killed."""
        self._windows = MemoryWindows()
        self._numbers: dict[FrameProtocol, int] = {}
        self._members: dict[FrameProtocol, int] = {}  # the workers among them
        self._unanswered: dict[FrameProtocol, int] = {}
        self._ended: set[int] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self, address: str) -> None:
        """Accept processes at the path of a Unix socket; raise OSError."""
        self._server = await asyncio.get_running_loop().create_unix_server(self._create_member, address)
        self._ping()

    def close(self) -> None:
        """Close all connections."""
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            self._server.close()
        for member in list(self._numbers):
            member.close()

    def end_worker(self, number: int) -> None:
        """Note that the process of a worker has ended; tell the others once everything that it had sent is read."""
        self._ended.add(number)
        if number not in self._members.values():
            self._announce_end(number)

    def _announce_end(self, number: int) -> None:
        self._ended.discard(number)
        self._send_to_others(None, encode(Broadcast(LOST, number, "")))

    def _ping(self) -> None:
        """Count the pings that each process has not answered, and send the next."""
        for member, number in list(self._numbers.items()):
            self._unanswered[member] += 1
            if self._unanswered[member] == _SILENT_AFTER:
                self._tell_about(member, SILENT)
                self.on_silent(number)
            elif self._unanswered[member] == _HUNG_AFTER:
                self.on_hung(number)
            member.send(encode(Ping()))
        self._timer = asyncio.get_running_loop().call_later(_PING_SECONDS, self._ping)

    def _tell_about(self, member: FrameProtocol, topic: str) -> None:
        """Tell the other workers something about a worker; nothing about a process that is none."""
        if member in self._members:
            self._send_to_others(member, encode(Broadcast(topic, self._members[member], "")))

    def _create_member(self) -> FrameProtocol:
        member = FrameProtocol(lambda frame: self._receive(member, frame), lambda: self._lose(member))
        return member

    def _receive(self, member: FrameProtocol, frame: bytes) -> None:
        message: Message = decode(frame)
        if self._unanswered.get(member, 0) >= _SILENT_AFTER:
            self._tell_about(member, HEARD)
            self.on_heard(self._numbers[member])
        self._unanswered[member] = 0
        if isinstance(message, Broadcast):
            if message.topic == JOINED:
                for other, number in self._members.items():
                    member.send(encode(Broadcast(JOINED, number, "")))
                    if self._unanswered[other] >= _SILENT_AFTER:
                        member.send(encode(Broadcast(SILENT, number, "")))
                self._members[member] = self._numbers[member] = message.sender
            self._send_to_others(member, frame, message.recipient)
        elif isinstance(message, Question):
            task = asyncio.create_task(self._answer(member, message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif isinstance(message, Watch):
            self._numbers[member] = message.number

    async def _answer(self, member: FrameProtocol, question: Question) -> None:
        _, key, expiry, amount, limit = (getattr(question, name) for name in question.__struct_fields__)
        add = partial(self._windows.acquire_sliding_window_entry, key, limit, expiry, amount)
        is_added = await add() if amount else True
        counts = await self._windows.get_sliding_window(key, expiry)
        member.send(encode(Answer(question.number, counts, is_added)))

    def _lose(self, member: FrameProtocol) -> None:
        self._unanswered.pop(member, None)
        self._members.pop(member, None)
        number = self._numbers.pop(member, None)
        if number is not None and number in self._ended:
            self._announce_end(number)
        elif number is not None and member.is_too_slow:
            self.on_hung(number)

    def _send_to_others(self, sender: FrameProtocol | None, frame: bytes, recipient: int | None = None) -> None:
        for member, number in list(self._members.items()):
            if member is not sender and recipient in (None, number):
                member.send(frame)
