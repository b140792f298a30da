"""Which Host values a server answers: a page of another site must not reach a local server through a name of its own.

This is called DNS rebinding: a browser believes that a page of evil.example may read http://evil.example:8000, after
that name has become one of 127.0.0.1. Only the Host of the request tells.
"""

import ipaddress
import re
import socket

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/@\s]+)(:[0-9]{0,5})?")
_LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


class HostPolicy:
    """The names, in lower case and without a port, for which a server answers."""

    def __init__(self, listening: str, configured: str) -> None:
        """Allow names from the address that a server listens on and from `Settings.allowed_hosts`.

        On a loopback address the local names are allowed. Elsewhere these and the machine's own names are, and all IP
        addresses, because no page can be loaded by a name that is an address of somebody else's.
        """
        names = {name.strip().lower() for name in configured.split(",") if name.strip()}
        self._allows_all = "*" in names
        self._allows_addresses = not is_loopback(listening)
        self._suffixes = tuple(name[1:] for name in names if name.startswith("*."))
        self._names = names.union(_LOCAL_NAMES, [format_host(listening)])
        if self._allows_addresses:
            machine = socket.gethostname().lower()
            self._names |= {machine, f"{machine.partition('.')[0]}.local"}

    def is_allowed(self, host: str) -> bool:
        """Return whether the value of a Host header, which may have a port, is allowed; "" for no header is."""
        # A request without the header is HTTP/1.0, and comes from no browser.
        if self._allows_all or not host:
            return True
        match = _HOST.fullmatch(host.lower())
        if match is None:
            return False
        name = match[1].removesuffix(".")
        return name in self._names or name.endswith(self._suffixes) or (self._allows_addresses and _is_address(name))


def is_loopback(host: str) -> bool:
    """Return whether a host to listen on is only reached from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def format_host(host: str) -> str:
    """Return a host to listen on in the form that a Host header has."""
    return f"[{host}]" if ":" in host else host.lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
