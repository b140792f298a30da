"""A line between browsers and the server that can fall silent: nothing arrives any more, and nobody is told."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

_AT_ONCE = 65_536


class SilentLine:
    """A port that leads to another one of this machine."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._taps: list[_Tap] = []
        self._dead = False
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def silence(self) -> None:
        """Swallow whatever is said from now on, in both directions and on new connections, too."""
        self._dead = True
        for tap in self._taps:
            tap.silent = True

    def silence_sockets(self) -> None:
        """Swallow what is said on the WebSockets that are open; pages still load."""
        for tap in self._taps:
            tap.silent |= tap.is_socket

    def restore(self) -> None:
        """Let new connections through again; what fell silent stays so."""
        self._dead = False

    def close(self) -> None:
        """End all connections."""
        ends = [self._listener, *(end for tap in self._taps for end in tap.ends)]
        for end in ends:
            # Whoever waits at it is woken by that.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for end in ends:
            end.close()

    def _serve(self) -> None:
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
            tap = _Tap((client, server), silent=self._dead)
            self._taps.append(tap)
            for ends in ((client, server), (server, client)):
                self._threads.append(threading.Thread(target=tap.pump, args=ends, daemon=True))
                self._threads[-1].start()


@dataclass
class _Tap:
    """One connection."""

    ends: tuple[socket.socket, socket.socket]
    silent: bool
    is_socket: bool = False

    def pump(self, source: socket.socket, sink: socket.socket) -> None:
        """Pass on what comes, until there is an end of it."""
        with contextlib.suppress(OSError):
            for piece in _pieces(source):
                self.is_socket |= b"upgrade: websocket" in piece.lower()
                if not self.silent:
                    sink.sendall(piece)
            if not self.silent:
                sink.shutdown(socket.SHUT_WR)


def _pieces(source: socket.socket) -> Iterator[bytes]:
    while piece := source.recv(_AT_ONCE):
        yield piece
