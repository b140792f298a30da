"""A TCP proxy between browsers and the server that can fall silent without closing connections."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

_CHUNK_BYTES = 65_536


class SilentProxy:
    """A local port that forwards to another one, in its own threads. Another thread calls the methods."""

    def __init__(self, target: int) -> None:
        """Listen on a free port and forward connections to the port `target` of this machine."""
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[_Connection] = []
        self._dead = False
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        """The address for browsers."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def silence(self) -> None:
        """Swallow all data from now on, in both directions, on existing and new connections."""
        self._dead = True
        for connection in self._connections:
            connection.silent = True

    def silence_sockets(self) -> None:
        """Swallow the data of the open WebSockets; pages can still be loaded."""
        for connection in self._connections:
            connection.silent |= connection.is_websocket

    def restore(self) -> None:
        """Forward new connections again; silenced ones stay silent."""
        self._dead = False

    def close(self) -> None:
        """Stop listening, close all connections and wait for the threads, up to 10 seconds for each."""
        ends = [self._listener, *(end for connection in self._connections for end in connection.ends)]
        for end in ends:
            # This wakes the threads that wait for the socket.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for end in ends:
            end.close()

    def _serve(self) -> None:
        """Accept connections until the listener is closed, with two forwarding threads each; drop those that fail."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            connection = _Connection((client, server), silent=self._dead)
            self._connections.append(connection)
            for ends in ((client, server), (server, client)):
                self._threads.append(threading.Thread(target=connection.pump, args=ends, daemon=True))
                self._threads[-1].start()


@dataclass
class _Connection:
    """A connection between a browser and the server: its two sockets, and whether it swallows data."""

    ends: tuple[socket.socket, socket.socket]
    silent: bool
    is_websocket: bool = False

    def pump(self, source: socket.socket, sink: socket.socket) -> None:
        """Forward data from one socket to the other until the source ends, then end the sink too unless silent.

        A socket that fails ends it without an exception. A request for a WebSocket marks the connection as one.
        """
        with contextlib.suppress(OSError):
            for chunk in _receive_chunks(source):
                self.is_websocket |= b"upgrade: websocket" in chunk.lower()
                if not self.silent:
                    sink.sendall(chunk)
            if not self.silent:
                sink.shutdown(socket.SHUT_WR)


def _receive_chunks(source: socket.socket) -> Iterator[bytes]:
    """Yield the data of a socket as it arrives, until the other side or this one ends; raise OSError if it is reset."""
    while chunk := source.recv(_CHUNK_BYTES):
        yield chunk
