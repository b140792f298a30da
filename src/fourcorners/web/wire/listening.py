"""The socket at which a server listens."""

import socket

_UNREAD_TIMEOUT = 15_000
"""Milliseconds after which a connection is dropped whose other end acknowledges nothing."""


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port (0: any free one) of an address or, by IPv4, of a name; raise OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=512)
    # Accepted connections inherit these options. Without NODELAY, a small message waits until the last is acknowledged.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Otherwise a closed connection lives on, with everything still to be sent, while its other end reads nothing.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_TIMEOUT)
    return listener
