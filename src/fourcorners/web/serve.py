"""Running the application with uvicorn."""

from __future__ import annotations

import socket

import uvicorn

from fourcorners.web.app import make_app
from fourcorners.web.clocks import ServerTime
from fourcorners.web.messages import LONGEST_MESSAGE
from fourcorners.web.settings import Settings

_GRACE = 3


def make_server(settings: Settings, log_level: str = "warning", time: ServerTime | None = None) -> uvicorn.Server:
    """Make a server that is ready to run; raise StoreError if the games cannot be stored."""
    config = uvicorn.Config(
        make_app(settings, time),
        log_level=log_level,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.proxies,
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        # A few compressed bytes could be unpacked to many long messages before any of them is counted.
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=_GRACE,
        lifespan="on",
    )
    return uvicorn.Server(config)


def bind(host: str, port: int) -> socket.socket:
    """Take a port; raise OSError if it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=512)
    listener.set_inheritable(True)
    return listener
