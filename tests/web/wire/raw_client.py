"""Connections that send bytes of the test's choice, at most one request before the test reads the answer."""

import contextlib
import socket
from collections.abc import Iterator

from tests.web.client import WAIT, Browser, Server

CONTINUATION, TEXT, PING, PONG = 0, 1, 9, 10


def build_frame(opcode: int, payload: bytes = b"", *, is_final: bool = True) -> bytes:
    """Return a masked WebSocket frame with a payload of less than 126 bytes; the mask leaves it as it is."""
    return bytes([(0x80 if is_final else 0) | opcode, 0x80 | len(payload)]) + bytes(4) + payload


def connect(server: Server) -> socket.socket:
    """Open a connection, which gives up after `WAIT` seconds; the caller closes it."""
    return socket.create_connection(("127.0.0.1", server.port), WAIT)


def read_until_closed(line: socket.socket) -> bytes:
    """Return everything that arrives until the server closes the connection; raise TimeoutError if it does not."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while data := line.recv(65536):
            received += data
    return received


def read_status(line: socket.socket) -> int:
    """Return the status of the answer that arrives next; the rest stays unread or is lost."""
    received = b""
    while b"\r\n" not in received:
        data = line.recv(4096)
        assert data, "the server closed the connection without an answer"
        received += data
    return int(received.split(b" ")[1])


def build_handshake(table: str, *headers: str, host: str = "127.0.0.1") -> bytes:
    """Return the request that opens the WebSocket of a table, with further lines of headers."""
    lines = [
        f"GET /play/{table}/live HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
        "Sec-WebSocket-Version: 13",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


@contextlib.contextmanager
def open_socket(server: Server, table: str, *headers: str) -> Iterator[socket.socket]:
    """Open the WebSocket of a table as a new guest, or as the headers say."""
    with connect(server) as line:
        line.sendall(build_handshake(table, *headers))
        received = b""
        while b"\r\n\r\n" not in received:
            received += line.recv(1)
        assert received.startswith(b"HTTP/1.1 101 ")
        yield line


def receive_close_code(line: socket.socket) -> int:
    """Read frames until the server closes the WebSocket, and return its code; 0 if there is none."""
    received = read_until_closed(line)
    while received:
        opcode, length = received[0] & 15, received[1]
        start = 2 if length < 126 else 4
        if length == 126:
            length = int.from_bytes(received[2:4], "big")
        if opcode == 8:
            return int.from_bytes(received[start : start + 2], "big")
        received = received[start + length :]
    return 0


def begin_table(browser: Browser) -> str:
    """Set up a table whose second seat is open, and return its id."""
    return browser.begin_table("square-off", size="4", seat_0="person", seat_1="open")
