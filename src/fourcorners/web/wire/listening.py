"""The socket at which a server listens, and the addresses at which it answers."""

import contextlib
import ipaddress
import re
import socket

_UNREAD_TIMEOUT = 15_000
"""Milliseconds after which a connection is dropped whose other end acknowledges nothing."""
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", re.IGNORECASE | re.ASCII)
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of no machine, which are reserved for documentation."""


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port (0: any free one) of an address or of a name, by IPv4 if it has both;
    raise OSError, or UnicodeError for what cannot be a name.
    """
    found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    family, *_, address = min(found, key=lambda info: info[0] != socket.AF_INET)
    listener = socket.create_server(address, family=family, backlog=512)
    # Accepted connections inherit these options. Without NODELAY, a small message waits until the last is acknowledged.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Otherwise a closed connection lives on, with everything still to be sent, while its other end reads nothing.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_TIMEOUT)
    return listener


def find_host(listener: socket.socket, host: str) -> str:
    """Return the host at which `bind_socket` listens: a name, or an address in its usual form."""
    try:
        socket.getaddrinfo(host.strip("[]"), None, flags=socket.AI_NUMERICHOST)
    except OSError:
        # Some systems also find an address for what no browser takes for a name.
        if _NAME.fullmatch(host):
            return host
    return socket.getnameinfo(listener.getsockname(), socket.NI_NUMERICHOST | socket.NI_NUMERICSERV)[0]


def list_urls(listener: socket.socket, host: str) -> list[str]:
    """List the URLs at which a listening socket answers: first for this machine, then for others on its network if it
    listens on all addresses. `host` is that of `find_host`.
    """
    address, port = listener.getsockname()[:2]
    hosts = [host]
    if ipaddress.ip_address(address.partition("%")[0]).is_unspecified:
        is_ipv6 = listener.family == socket.AF_INET6
        hosts = ["::1" if is_ipv6 else "127.0.0.1", *_list_own_addresses(listener.family)]
    # In a URL, the % before the name of a network interface is escaped.
    quoted = [f"[{shown.replace('%', '%25')}]" if ":" in shown else shown for shown in hosts]
    return [f"http://{shown}:{port}/" for shown in quoted]


def _list_own_addresses(family: int) -> list[str]:
    """List the addresses by which other machines reach this one: that of its route to the network, else those that its
    name has. Nothing is sent.
    """
    own, named = set(), []
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((_ELSEWHERE[socket.AddressFamily(family)], 9))
        return [probe.getsockname()[0]]
    with contextlib.suppress(OSError, UnicodeError):
        named = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, family, socket.SOCK_DGRAM)]
    for address in map(str, named):
        # The name may stand for addresses that this machine no longer has.
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
            own.add(address)
    return sorted(address for address in own if not ipaddress.ip_address(address.partition("%")[0]).is_loopback)
