"""The hub, through which the workers of a server tell each other what happens, and count together."""

import asyncio
import contextlib
import itertools
import socket
import threading
from collections import defaultdict
from collections.abc import Callable

import msgspec

from fourcorners.web.interprocess.frames import FrameProtocol, receive_frame, send_frame

JOINED, LOST, SILENT, HEARD = "joined", "lost", "silent", "heard"
"""The topics under which the hub says, with a worker as the sender, that it is there, that its process has ended, that
it has not answered for a while, or that it answers again.
"""


class Broadcast(msgspec.Struct, tag=True, array_like=True):
    """A text for all other workers that listen to a topic, or only for the one whose number is `recipient`."""

    topic: str
    sender: int
    text: str
    recipient: int | None = None


class Question(msgspec.Struct, tag=True, array_like=True):
    """A question about a sliding window (see `auth.windows`), to which `amount` is added, if that is not 0, unless it
    would exceed `limit`.
    """

    number: int
    key: str
    expiry: int
    amount: int = 0
    limit: int = 0


class Answer(msgspec.Struct, tag=True, array_like=True):
    """The counts that were asked for, or those after adding; `is_added` tells whether that was possible."""

    number: int
    counts: tuple[int, float, int, float]
    is_added: bool = True


class Watch(msgspec.Struct, tag=True, array_like=True):
    """The first message of a process that is no worker, and only wants to be pinged, under a number of its own."""

    number: int


class Ping(msgspec.Struct, tag=True, array_like=True):
    """What the hub sends to a process again and again, and the process sends back: it runs."""


Message = Broadcast | Question | Answer | Watch | Ping
encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Message).decode
Handler = Callable[[int, str], None]
"""Receives the number of the worker that has sent a text, and the text."""


class HubClient:
    """A worker's connection to the hub, for one event loop. All others receive what it publishes, in this order, unless
    they are disconnected.
    """

    def __init__(self, address: str, worker: int) -> None:
        """Prepare to connect the worker with this number to the Unix socket at a path."""
        self._address = address
        self._worker = worker
        self._protocol = FrameProtocol(self._receive, self._lose)
        self.workers: set[int] = set()
        """The numbers of the other workers whose processes have connected and not ended."""
        self.silent: set[int] = set()
        """Those among them that do not answer, so that waiting for them is in vain."""
        self._handlers: defaultdict[str, list[Handler]] = defaultdict(list)
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[Answer]] = {}
        self._is_closed = False
        self.on_lost: Callable[[], None] = lambda: None
        """Called once the hub has disconnected this worker, because it is gone or this worker was too slow: what the
        worker knows about the others is no longer true, and it must exit.
        """

    @property
    def worker(self) -> int:
        """The number of this worker."""
        return self._worker

    @property
    def is_connected(self) -> bool:
        """Whether the hub can be reached, as far as this worker knows."""
        return self._protocol.is_connected

    async def connect(self) -> None:
        """Connect; raise OSError."""
        await asyncio.get_running_loop().create_unix_connection(lambda: self._protocol, self._address)
        self.publish(JOINED, "")

    def close(self) -> None:
        """Disconnect."""
        self._is_closed = True
        self._protocol.close()

    def subscribe(self, topic: str, handle: Handler) -> None:
        """Pass what other workers publish to a handler, in the event loop."""
        self._handlers[topic].append(handle)

    def publish(self, topic: str, text: str, recipient: int | None = None) -> None:
        """Send a text to the other workers, or to one of them; never blocks."""
        self._protocol.send(encode(Broadcast(topic, self._worker, text, recipient)))

    async def ask(self, key: str, expiry: int, amount: int = 0, limit: int = 0) -> Answer:
        """Ask as `Question` says; raise OSError if the hub is gone."""
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        try:
            if not self._protocol.send(encode(Question(number, key, expiry, amount, limit))):
                raise ConnectionError("the hub cannot be reached")
            return await answer
        finally:
            del self._asked[number]

    def _receive(self, frame: bytes) -> None:
        message = decode(frame)
        if isinstance(message, Broadcast):
            if message.topic == JOINED:
                self.workers.add(message.sender)
            elif message.topic == LOST:
                self.workers.discard(message.sender)
            if message.topic == SILENT:
                self.silent.add(message.sender)
            elif message.topic in {JOINED, LOST, HEARD}:
                self.silent.discard(message.sender)
            for handle in self._handlers[message.topic]:
                handle(message.sender, message.text)
        elif isinstance(message, Answer):
            answer = self._asked.get(message.number)
            if answer is not None and not answer.done():
                answer.set_result(message)
        elif isinstance(message, Ping):
            self._protocol.send(frame)

    def _lose(self) -> None:
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the hub is gone"))
        if not self._is_closed:
            self.on_lost()


def start_answering_pings(address: str, number: int) -> None:
    """Have the hub at the path of a Unix socket ping this process, which has no event loop, under a number; a thread
    answers until the hub is gone. Raise OSError.
    """
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.connect(address)
        send_frame(stream, encode(Watch(number)))
    except OSError:
        stream.close()
        raise
    threading.Thread(target=_answer_pings, args=(stream,), name="pings", daemon=True).start()


def _answer_pings(stream: socket.socket) -> None:
    """Send back what arrives until the stream ends, and close it."""
    with stream, contextlib.suppress(OSError):
        while (frame := receive_frame(stream)) is not None:
            send_frame(stream, frame)
