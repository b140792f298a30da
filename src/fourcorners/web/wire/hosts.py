"""Which Host values a server answers: a page of another site must not reach a local server through its own name.

This is called DNS rebinding: a browser believes that a page of evil.example may read http://evil.example:8000, after
that name has become one of 127.0.0.1. Only the Host of the request tells.
"""

import ipaddress
import re
import socket
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/@\s]+)(:[0-9]{0,5})?")


class HostMiddleware:
    """ASGI middleware that refuses requests and handshakes for other hosts with a sentence.

    Starlette's `TrustedHostMiddleware` cannot allow all IP addresses, and does not tell what to do.
    """

    def __init__(self, app: ASGIApp, listening: str, configured: str) -> None:
        """Allow names from the address that a server listens on and from `Settings.allowed_hosts`.

        On a loopback address the local names are allowed. Elsewhere these and the machine's own names are, and all IP
        addresses, because no page of another site is loaded by an address.
        """
        self.app = app
        names = {name.strip().lower() for name in configured.split(",") if name.strip()}
        self._allows_all = "*" in names
        self._suffixes = tuple(name[1:] for name in names if name.startswith("*."))
        own = f"[{listening}]" if ":" in listening else listening.lower()
        self._names = names | {"localhost", "127.0.0.1", "[::1]", own}
        address = _parse_address(listening)
        self._allows_addresses = own != "localhost" and (address is None or not address.is_loopback)
        if self._allows_addresses:
            machine = socket.gethostname().lower()
            self._names |= {machine, f"{machine.partition('.')[0]}.local"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed, and answer everything else with 421."""
        app = self.app
        if scope["type"] != "lifespan" and not self.is_allowed(host := Headers(scope=scope).get("host", "")):
            sentence = f"This server does not answer for {host[:100]!a}. The operator can allow it: --allowed-hosts.\n"
            app = PlainTextResponse(sentence, HTTPStatus.MISDIRECTED_REQUEST)
        await app(scope, receive, send)

    def is_allowed(self, host: str) -> bool:
        """Return whether the value of a Host header, which may have a port, is allowed; "" for no header is."""
        # A request without the header is HTTP/1.0, and comes from no browser.
        if self._allows_all or not host:
            return True
        match = _HOST.fullmatch(host.lower())
        if match is None:
            return False
        name = match[1].removesuffix(".")
        is_named = name in self._names or name.endswith(self._suffixes)
        return is_named or (self._allows_addresses and _parse_address(name.strip("[]")) is not None)


def _parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address that a text is, None if it is not one."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
