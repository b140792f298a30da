"""The socket at which a server listens, and the addresses at which it answers."""

import contextlib
import ipaddress
import socket


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
        # In milliseconds. Otherwise a closed connection lives on, with all that is to be sent, while no one reads that.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 15_000)
    return listener


def find_host(listener: socket.socket, host: str) -> str:
    """Return the host at which `bind_socket` listens: a name, or an address in its usual form."""
    with contextlib.suppress(OSError):
        socket.getaddrinfo(host.strip("[]"), None, flags=socket.AI_NUMERICHOST)
        return socket.getnameinfo(listener.getsockname(), socket.NI_NUMERICHOST | socket.NI_NUMERICSERV)[0]
    return host


def list_urls(listener: socket.socket, host: str) -> list[str]:
    """List the URLs at which a listening socket answers: first for this machine, then for others on its network if it
    listens on all addresses. `host` is that of `find_host`.
    """
    address, port = listener.getsockname()[:2]
    hosts = [host]
    if ipaddress.ip_address(address.partition("%")[0]).is_unspecified:
        own, elsewhere = ("::1", "2001:db8::1") if ":" in address else ("127.0.0.1", "192.0.2.1")
        hosts = [own]
        with contextlib.suppress(OSError), socket.socket(listener.family, socket.SOCK_DGRAM) as probe:
            # Nothing is sent. This tells from which address the machine would reach one that belongs to no machine.
            probe.connect((elsewhere, 9))
            hosts.append(probe.getsockname()[0])
    # In a URL, the % before the name of a network interface is escaped.
    quoted = [f"[{shown.replace('%', '%25')}]" if ":" in shown else shown for shown in hosts]
    return [f"http://{shown}:{port}/" for shown in quoted]
