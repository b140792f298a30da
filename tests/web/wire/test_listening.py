"""The addresses that a server announces answer, and are answered for."""

import socket
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette

from fourcorners.web.wire import listening
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


@pytest.mark.parametrize(
    ("family", "any_address", "first"),
    [(socket.AF_INET, "0.0.0.0", "http://127.0.0.1:80/"), (socket.AF_INET6, "::", "http://[::1]:80/")],
)
def test_server_on_all_addresses_names_loopback_first_and_then_its_own(
    monkeypatch: pytest.MonkeyPatch, family: socket.AddressFamily, any_address: str, first: str
) -> None:
    own = "192.0.2.7" if family == socket.AF_INET else "2001:db8::7"
    monkeypatch.setattr(listening, "_list_own_addresses", lambda asked: [own] if asked == family else [])
    listener = FakeListener(family, any_address, 80, 0, 0)
    second = first.replace("127.0.0.1", own).replace("::1", own)
    assert list_urls(listener, any_address) == [first, second]  # type: ignore[arg-type]


def test_name_and_address_are_announced_as_given_and_an_interface_is_escaped() -> None:
    listener = FakeListener(socket.AF_INET6, "fe80::1", 80, 0, 2)
    assert list_urls(listener, "fe80::1%eth0") == ["http://[fe80::1%25eth0]:80/"]  # type: ignore[arg-type]
    assert list_urls(FakeListener(socket.AF_INET, "127.0.1.1", 80), "club.lan") == ["http://club.lan:80/"]  # type: ignore[arg-type]


def test_machine_without_a_route_names_those_of_its_addresses_that_it_really_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listening, "_ELSEWHERE", {socket.AF_INET: "no address", socket.AF_INET6: "no address"})
    found = [(socket.AF_INET, socket.SOCK_DGRAM, 17, "", (address, 0)) for address in ("127.0.0.1", "192.0.2.77")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    assert listening._list_own_addresses(socket.AF_INET) == []
