"""The addresses that a server announces answer, and are answered for."""

import errno
import ipaddress
import socket
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette

from fourcorners.web.wire.hosts import HostMiddleware
from fourcorners.web.wire.listening import bind_socket, find_host, list_urls


def has_ipv6() -> bool:
    """Return whether this machine has the loopback address of IPv6."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


HOSTS = ["127.0.0.1", "0.0.0.0", "0", "localhost", "127.1", *(["::", "::1", "[::1]"] if has_ipv6() else [])]


@pytest.fixture
def listen() -> Iterator[Callable[[str], socket.socket]]:
    """Return a function that listens on a free port of a host; all sockets are closed at the end."""
    with ExitStack() as stack:
        yield lambda host: stack.enter_context(bind_socket(host, 0))


@pytest.mark.parametrize("host", HOSTS)
def test_every_announced_address_reaches_the_server_and_is_allowed(
    listen: Callable[[str], socket.socket], host: str
) -> None:
    listener = listen(host)
    shown = find_host(listener, host)
    urls = list_urls(listener, shown)
    assert urls
    for url in urls:
        parts = urlsplit(url)
        assert parts.hostname is not None and parts.port == listener.getsockname()[1]
        socket.create_connection((parts.hostname, parts.port), 10).close()
        assert HostMiddleware(Starlette(), shown, "").is_allowed(urllib.request.Request(url).host)


class FakeListener:
    """What `list_urls` needs of a socket."""

    def __init__(self, family: socket.AddressFamily, *address: object) -> None:
        self.family = family
        self._address = address

    def getsockname(self) -> tuple[object, ...]:
        """Return the address at which it would listen."""
        return self._address


@pytest.mark.parametrize(("host", "first"), [("0.0.0.0", "127.0.0.1"), *([("::", "[::1]")] if has_ipv6() else [])])
def test_server_on_all_addresses_names_loopback_first_and_then_its_own(
    listen: Callable[[str], socket.socket], host: str, first: str
) -> None:
    urls = list_urls(listen(host), host)
    assert urlsplit(urls[0]).netloc.rpartition(":")[0] == first
    for url in urls[1:]:
        assert not ipaddress.ip_address(urlsplit(url).hostname or "").is_loopback


def test_name_and_address_are_announced_as_given_and_an_interface_is_escaped() -> None:
    listener = FakeListener(socket.AF_INET6, "fe80::1", 80, 0, 2)
    assert list_urls(listener, "fe80::1%eth0") == ["http://[fe80::1%25eth0]:80/"]  # type: ignore[arg-type]
    assert list_urls(FakeListener(socket.AF_INET, "127.0.1.1", 80), "club.lan") == ["http://club.lan:80/"]  # type: ignore[arg-type]


def test_machine_without_a_route_to_the_network_names_loopback_only(
    listen: Callable[[str], socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    listener = listen("0.0.0.0")
    monkeypatch.setattr(socket.socket, "connect", fail)
    assert list_urls(listener, "0.0.0.0") == [f"http://127.0.0.1:{listener.getsockname()[1]}/"]
