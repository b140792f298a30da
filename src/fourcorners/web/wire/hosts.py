"""Which Host values a server answers: a page of another site must not reach a local server through its own name.

This is called DNS rebinding: a browser believes that a page of evil.example may read http://evil.example:8000, after
that name has become one of 127.0.0.1. Only the Host of the request tells.
"""

import ipaddress
import socket
from fnmatch import fnmatchcase
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class HostMiddleware:
    """ASGI middleware that refuses requests and handshakes for other hosts with a sentence for the operator.

    Beyond this machine it allows all IP addresses, because no page of another site is loaded by an address, and always
    requests without a Host, which are HTTP/1.0 and come from no browser. `TrustedHostMiddleware` can do neither.
    """

    def __init__(self, app: ASGIApp, listening: str, configured: str) -> None:
        """Allow localhost, the machine's names, that at which a server listens, and `Settings.allowed_hosts`."""
        self.app = app
        machine = socket.gethostname()
        names = ["localhost", "127.0.0.1", "::1", machine, f"{machine.partition('.')[0]}.local", listening]
        self._patterns = {name.strip().lower() for name in (*names, *configured.split(","))} - {""}
        self._is_local = listening.lower().startswith(("localhost", "127.", "::1"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed, and answer everything else with 421."""
        app = self.app
        if scope["type"] != "lifespan" and not self.is_allowed(host := Headers(scope=scope).get("host", "")):
            sentence = f"This server does not answer for {host[:100]!a}. The operator can allow it: --allowed-hosts.\n"
            app = PlainTextResponse(sentence, HTTPStatus.MISDIRECTED_REQUEST)
        await app(scope, receive, send)

    def is_allowed(self, host: str) -> bool:
        """Return whether the value of a Host header, which may have a port, is allowed; "" for no header is."""
        if not host or "*" in self._patterns:
            return True
        try:
            name = (urlsplit(f"//{host}").hostname or "").removesuffix(".")
            is_named = any(fnmatchcase(name, each) for each in self._patterns)
            return is_named or (not self._is_local and bool(ipaddress.ip_address(name)))
        except ValueError:
            return False
