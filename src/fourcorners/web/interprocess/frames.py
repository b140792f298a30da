"""Frames, which are bytes with their length in front, on stream sockets between the processes of a server."""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import cast

_LENGTH = struct.Struct("!I")
_MAX_WAITING = 4 * 2**20
"""Bytes that may wait for a process that does not read; then it is disconnected."""


def encode_frame(body: bytes) -> bytes:
    """Return a frame."""
    return _LENGTH.pack(len(body)) + body


def send_frame(stream: socket.socket, body: bytes) -> None:
    """Send a frame on a blocking socket; raise OSError."""
    stream.sendall(encode_frame(body))


def receive_frame(stream: socket.socket) -> bytes | None:
    """Receive a frame from a blocking socket; return None at the end of the stream. Raise OSError, also if the stream
    ends within a frame.
    """
    head = _receive_exactly(stream, _LENGTH.size)
    if not head:
        return None
    (size,) = _LENGTH.unpack(head)
    body = _receive_exactly(stream, size)
    if len(body) < size:
        raise ConnectionResetError("the stream ended within a frame")
    return body


def _receive_exactly(stream: socket.socket, size: int) -> bytes:
    """Receive so many bytes, or none at the end of the stream; raise OSError."""
    received = bytearray()
    while len(received) < size:
        piece = stream.recv(size - len(received))
        if not piece:
            if received:
                raise ConnectionResetError("the stream ended within a frame")
            break
        received += piece
    return bytes(received)


class FrameProtocol(asyncio.Protocol):
    """One end of a stream of frames in an event loop. Frames of one turn of the loop leave together."""

    def __init__(self, on_frame: Callable[[bytes], None], on_lost: Callable[[], None]) -> None:
        """Pass each frame to `on_frame`, and call `on_lost` once the other end is gone."""
        self._on_frame = on_frame
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._waiting: list[bytes] = []
        self.is_too_slow = False
        """Whether the other end has been disconnected because it did not read."""

    @property
    def is_connected(self) -> bool:
        """Whether frames can be sent, as far as this end knows."""
        return self._transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)  # that of uvloop is no subclass

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the owner."""
        self._transport = None
        self._on_lost()

    def data_received(self, data: bytes) -> None:
        """Pass on all frames that are complete."""
        self._received += data
        begin = 0
        while len(self._received) >= begin + _LENGTH.size:
            end = begin + _LENGTH.size + _LENGTH.unpack_from(self._received, begin)[0]
            if len(self._received) < end:
                break
            frame = bytes(self._received[begin + _LENGTH.size : end])
            begin = end
            self._on_frame(frame)
        del self._received[:begin]

    def send(self, body: bytes) -> bool:
        """Send a frame at the end of this turn; return False if the other end is gone, or reads nothing and is
        disconnected for that.
        """
        transport = self._transport
        if transport is None or transport.is_closing():
            return False
        if transport.get_write_buffer_size() > _MAX_WAITING:
            self.is_too_slow = True
            transport.abort()
            return False
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting += (_LENGTH.pack(len(body)), body)
        return True

    def close(self) -> None:
        """Close the stream."""
        if self._transport is not None:
            self._transport.close()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))
