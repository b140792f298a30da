"""Which Host values a server answers: a page of another site must not reach a local server through its own name.

This is called DNS rebinding: a browser believes that a page of evil.example may read http://evil.example:8000, after
that name has become one of 127.0.0.1. Only the Host of the request tells.
"""

import ipaddress
import re
import socket
from fnmatch import fnmatchcase
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/@?#\s]+)(:[0-9]{0,5})?")


class HostMiddleware:
    """ASGI middleware that refuses requests and handshakes for other hosts with a sentence for the operator.

    It allows requests without a Host, which are HTTP/1.0 and come from no browser, and unless it listens on a loopback
    address all IP addresses, because no page of another site is loaded by one. `TrustedHostMiddleware` can do neither.
    """

    def __init__(self, app: ASGIApp, listening: str, configured: str) -> None:
        """Allow localhost, `listening`, `Settings.allowed_hosts` and, unless it is loopback, the machine's names."""
        self.app = app
        self._is_local = listening.lower() in {"localhost", "::1"} or listening.startswith("127.")
        machine = "" if self._is_local else f"{(name := socket.gethostname())},{name.partition('.')[0]}.local"
        names = f"localhost,127.0.0.1,::1,{listening},{machine},{configured}"
        self._patterns = {name.strip(" []").lower() for name in names.split(",")} - {""}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed, and answer everything else with 421."""
        app = self.app
        if scope["type"] != "lifespan" and not self.is_allowed(host := Headers(scope=scope).get("host", "")):
            sentence = (
                f"This server does not answer for {host[:100]!a}. The operator can allow this host name with "
                "--allowed-hosts.\n"
            )
            app = PlainTextResponse(sentence, HTTPStatus.MISDIRECTED_REQUEST)
        await app(scope, receive, send)

    def is_allowed(self, host: str) -> bool:
        """Return whether the value of a Host header, which may have a port, is allowed; "" for no header is."""
        match = _HOST.fullmatch(host.lower())
        name = match[1].strip("[]").removesuffix(".") if match else ""
        if not host or any(fnmatchcase(name, each) for each in self._patterns):
            return True
        try:
            return not self._is_local and bool(ipaddress.ip_address(name))
        except ValueError:
            return False
