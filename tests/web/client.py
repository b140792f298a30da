"""A server in a thread, and a client that behaves like the page: cookies, forms, sockets and patches."""

import asyncio
import contextlib
import itertools
import json
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Self, cast

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from fourcorners.web.application.context import ServerContext
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.engine.move_service import LocalMoveService
from fourcorners.web.pages.lobby import Lobby
from fourcorners.web.protocol.server_messages import parse_server_message
from fourcorners.web.realtime.connection import Connection
from fourcorners.web.realtime.connection_pool import ConnectionPool
from fourcorners.web.realtime.rooms import Rooms
from fourcorners.web.serve import make_server
from fourcorners.web.settings import Settings
from fourcorners.web.wire.listening import bind_socket

Json = dict[str, Any]
WAIT = 30.0
"""The seconds after which a test gives up waiting for an answer."""
ASIDES = {"beat", "presence", "chat"}
"""Messages that may arrive at any time and do not describe the board."""
COMPILED_WITHIN = 300.0
"""The seconds after which a test gives up waiting for the server to compile."""


class Server:
    """A server in a thread of this process. It runs inside the block, so that tests can look into it."""

    def __init__(self, folder: Path, pace: float = 0.0, server_time: ServerTime | None = None, **settings: Any) -> None:
        """Bind a free port and prepare a server over a data folder; it starts when it is entered.

        `pace` is the minimum time of a computer's move in seconds, `server_time` replaces the real one, and `settings`
        are further fields of `Settings`.
        """
        self.folder = folder
        listener = bind_socket("127.0.0.1", 0)
        self.port = listener.getsockname()[1]
        self._server = make_server(Settings(folder, pace, **settings), server_time)
        self._app = self._server.app
        self._stopping = asyncio.Event()
        self._server.main_loop = self._run_until_stopped  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.run, args=([listener],))

    @property
    def context(self) -> ServerContext:
        """The server's services, such as its store."""
        return cast("ServerContext", self._app.state.context)

    @property
    def rooms(self) -> Rooms:
        """The rooms in the server's memory."""
        return cast("Rooms", self._app.state.rooms)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop in the server's thread; the server must be running."""
        return self._server.servers[0].get_loop()

    @property
    def connections(self) -> list[Connection]:
        """The server's ends of the sockets that are open now, in any order."""
        return list(cast("ConnectionPool", self._app.state.sockets)._open)

    def forget_lists(self) -> None:
        """Empty the lobby's cache, as if the second had passed for which it keeps its lists."""
        self._app.state.lobby = Lobby(self._app.state.templates.get_template("lobby_lists.html"))

    @property
    def local_move_service(self) -> LocalMoveService:
        """The service that computes computer moves in the server's process."""
        return cast("LocalMoveService", self.context.move_service)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        """Start the server in a thread, and wait until it accepts connections; fail if it ends or takes too long."""
        self._thread.start()
        end = time.monotonic() + WAIT
        while not self._server.started:
            assert self._thread.is_alive()
            assert time.monotonic() < end
            time.sleep(0.01)
        return self

    async def _run_until_stopped(self) -> None:
        """Replace uvicorn's main loop, which notices only at its next tick, a tenth of a second later, that it is to
        stop: hundreds of tests stop a server.
        """
        for number in itertools.count():
            if await self._server.on_tick(number):
                return
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), 0.1)

    def wait_until_compiled(self) -> Self:
        """Wait until everything is compiled and return the server itself; fail after `COMPILED_WITHIN` seconds."""
        end = time.monotonic() + COMPILED_WITHIN
        while not httpx.get(f"{self.url}/healthz").json()["ready"]:
            assert time.monotonic() < end
            time.sleep(0.1)
        return self

    def stop(self) -> None:
        """Ask the server to exit and wait until its thread ends; fail after `WAIT` seconds. May be called twice."""
        self._server.should_exit = True
        # The loop is closed once the server has stopped.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(WAIT)
        assert not self._thread.is_alive()

    def __exit__(self, *_: object) -> None:
        self.stop()


StartServer = Callable[..., Server]
"""Starts a server of a test; the fixtures `start_cold` and `start_server` say what its arguments are."""


class Browser:
    """A browser with its own cookie, without scripts; it does not follow redirects."""

    def __init__(self, server: Server) -> None:
        """Open an HTTP client for a running server; only entering the browser makes it a guest with a cookie."""
        self.server = server
        self.http = httpx.Client(base_url=server.url, timeout=WAIT)

    def __enter__(self) -> Self:
        """Visit the start page, which sets the cookie that makes this browser a player."""
        self.http.get("/")
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def begin_table(self, game: str, **form: str) -> str:
        """Set up a table of a game, given by id, and return the table's id; fail unless the answer is a redirect.

        `form` has the fields of the game's form, in which `seat_0` and `level_0` stand for names with hyphens. Seat 0
        begins unless it says something else.
        """
        fields = {
            "who-begins": "order",
            **{name.replace("seat_", "seat-").replace("level_", "level-"): form[name] for name in form},
        }
        answer = self.http.post(f"/games/{game}", data=fields)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].removeprefix("/play/")

    def cookie(self) -> str:
        """Return the value of the Cookie header that this browser sends."""
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    def open_table(self, table: str, *, address: str = "", **hello: Any) -> "Socket":
        """Open the table's socket, say hello, and return it once it has the state; `hello` adds fields to the hello,
        `address` is that of the client, as a proxy reports it.

        This takes no seat: `send_command("sit")` does. Raise an error of `websockets` if the server refuses the
        handshake or closes the socket, which it does for an unknown table, and TimeoutError if no state comes.
        """
        socket = self.connect(table, address=address)
        socket.send(type="hello", version=None, viewer=None, **hello)
        socket.receive_until("state")
        return socket

    def connect(self, table: str, origin: str | None = None, *, address: str = "") -> "Socket":
        """Open and return the socket of a table, given by id, without a hello, from a page of `origin` if one is given,
        and from an `address` as a proxy reports it.

        The caller closes it. Raise an error of `websockets` if the server refuses the handshake.
        """
        url = f"ws://127.0.0.1:{self.server.port}/play/{table}/live"
        headers = {"cookie": self.cookie()}
        if origin is not None:
            headers["origin"] = origin
        if address:
            headers["x-forwarded-for"] = address
        # Without a limit on queued messages a test can close the socket before it has read them all.
        opening = connect(url, additional_headers=headers, open_timeout=WAIT, max_size=None, max_queue=None)
        return Socket(opening, table)


class Socket:
    """A socket that applies patches to its `state`, {} before the first, as the page does.

    `heard` has all messages received except beats, oldest first.
    """

    _ids = itertools.count()

    def __init__(self, opening: AbstractContextManager[ClientConnection], table: str = "") -> None:
        """Open a connection that `websockets` has prepared, to the table with this id; the block's end closes it."""
        self.table = table
        self._stack = ExitStack()
        self.connection = self._stack.enter_context(opening)
        self.state: Json = {}
        self.heard: list[Json] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def send(self, **message: Any) -> None:
        self.connection.send(json.dumps(message))

    def send_text(self, text: str) -> None:
        self.connection.send(text)

    def receive_next(self, timeout: float = WAIT) -> Json:
        """Receive messages until one is not in `ASIDES`, and return that; all are treated as by `_receive`.

        Raise TimeoutError if none comes within `timeout` seconds, and ConnectionClosed if the server closes the socket.
        """
        end = time.monotonic() + timeout
        while True:
            message = self._receive(end - time.monotonic())
            if message["type"] not in ASIDES:
                return message

    def _receive(self, timeout: float) -> Json:
        """Receive and return one message; answer a beat, or add the message to `heard` and keep `state` up to date.

        Raise TimeoutError if none comes within `timeout` seconds, ConnectionClosed, and ValidationError if the message
        does not have its documented type. Assert that a patch continues the current state.
        """
        # A queued message counts only before the deadline; otherwise beats could keep a test waiting forever.
        text = self.connection.recv(max(0.0, timeout), decode=True)
        message: Json = json.loads(text)
        parse_server_message(text)
        if message["type"] == "beat":
            self.send(type="beat", now=message["now"])
            return message
        self.heard.append(message)
        if message["type"] == "state":
            self.state = message
        elif message["type"] == "patch":
            assert message["from"] == self.state["version"]
            kept = message["plies_from"]
            lists = {
                name: self.state[name][:kept] + message[name] for name in ("plies", "words", "miniatures", "gains")
            }
            self.state = {**self.state, **message, **lists}
        return message

    def receive_until(self, *kinds: str) -> Json:
        """Receive messages until one of these types arrives, and return it; raise TimeoutError, ConnectionClosed."""
        end = time.monotonic() + WAIT
        while True:
            message = self._receive(end - time.monotonic())
            if message["type"] in kinds:
                return message

    def receive_until_mine(self) -> None:
        """Receive messages until this browser may move, or the game is over; raise TimeoutError, ConnectionClosed.

        The first state must have been received.
        """
        while not (self.state["mine"] or self.state["over"]):
            self.receive_next()

    def send_command(self, verb: str, **more: Any) -> Json:
        """Send a command with the fields `more` for the version of `state`; return the `done`, `refused` or `stale`.

        `more` may replace the id, which is new, and the version. Messages that arrive before the answer are applied.
        """
        message = {"type": verb, "id": f"c{next(self._ids)}", "version": self.state["version"], **more}
        self.send(**message)
        return self.receive_until("done", "refused", "stale")

    def move(self, text: str) -> Json:
        """Play a move, wait until `state` has another version, and return the `done`; fail if the move is refused."""
        version = self.state["version"]
        answer = self.send_command("move", move=text)
        assert answer["type"] == "done", answer
        while self.state["version"] == version:
            self.receive_next()
        return answer

    def receive_close_code(self) -> int:
        """Receive messages until the socket is closed, and return the server's code; 0 if it was lost without one.

        Raise TimeoutError once no message about the game has come for `WAIT` seconds.
        """
        while True:
            try:
                self.receive_next()
            except ConnectionClosed as error:
                return error.rcvd.code if error.rcvd else 0


def seat_two(browser: Browser, other: Browser, game: str = "square-off", **form: str) -> tuple[Socket, Socket]:
    """Set up a table, and return the sockets of the browsers at seats 0 and 1 once the game has begun.

    The players are called Ada and Bob. `form` adds or replaces fields of the game's form; a `square-off` has size 4 and
    no swap by default. The caller closes the sockets.
    """
    form = {"size": "4", "swap": "false"} | form if game == "square-off" else form
    table = browser.begin_table(game, **{"seat-0": "person", "seat-1": "open", "name-0": "Ada", **form})
    first, second = browser.open_table(table), other.open_table(table)
    assert second.send_command("sit", seat=1, name="Bob")["type"] == "done"
    for socket in (first, second):
        while not socket.state["started"]:
            socket.receive_next()
    return first, second
