"""A server answers for its own names only, so that no other site can reach it through the name of that site."""

import socket
from collections.abc import Callable

import pytest
from starlette.applications import Starlette

from fourcorners.web.settings import Settings, SettingsError
from fourcorners.web.wire.hosts import HostMiddleware
from tests.web.client import Browser, Server
from tests.web.wire.raw_client import begin_table, build_handshake, connect, read_until_closed

FOREIGN = ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "10.1.2.3", "@"]


def ask(server: Server, host: str, path: str = "/healthz") -> bytes:
    """Return the answer to a request for a host, as bytes."""
    with connect(server) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        return read_until_closed(line)


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/", "/api/me", "/static/dom.js", "/metrics"])
def test_unknown_host_is_refused_with_a_sentence(cold_server: Server, host: str, path: str) -> None:
    answer = ask(cold_server, host, path)
    assert answer.startswith(b"HTTP/1.1 421 Misdirected Request\r\n")
    assert f"This server does not answer for '{host}'.".encode() in answer
    assert b"--allowed-hosts" in answer
    assert b"set-cookie" not in answer.lower()


@pytest.mark.parametrize("host", ["localhost", "LocalHost.", "127.0.0.1", "[::1]", "localhost:8000", "[::1]:80"])
def test_local_names_are_answered_with_any_port(cold_server: Server, host: str) -> None:
    assert ask(cold_server, host).startswith(b"HTTP/1.1 200 ")


def test_handshake_for_an_unknown_host_is_refused(cold_server: Server) -> None:
    with Browser(cold_server) as ada, connect(cold_server) as line:
        # A page that has rebound its name sends an origin that fits the host.
        line.sendall(build_handshake(begin_table(ada), "Origin: http://evil.example", host="evil.example"))
        assert read_until_closed(line).startswith(b"HTTP/1.1 421 ")


def test_allowed_hosts_are_answered(start_cold: Callable[..., Server]) -> None:
    server = start_cold(allowed_hosts="play.example.org, *.games.example")
    for host in ("play.example.org", "PLAY.example.org:443", "a.games.example", "b.a.games.example", "localhost"):
        assert ask(server, host).startswith(b"HTTP/1.1 200 ")
    for host in ("example.org", "games.example", "xgames.example", "evil.example", "@"):
        assert ask(server, host).startswith(b"HTTP/1.1 421 ")


@pytest.mark.parametrize("host", [*FOREIGN, "localhost"])
def test_star_allows_all_hosts(host: str) -> None:
    assert HostMiddleware(Starlette(), "127.0.0.1", "*").is_allowed(host)


@pytest.mark.parametrize("listening", ["127.0.0.1", "127.0.0.2", "::1", "0.0.0.0", "club.lan"])
def test_server_for_the_network_answers_for_addresses_and_the_names_of_its_machine(listening: str) -> None:
    """No page of another site is loaded by an address, so an address cannot have been rebound."""
    middleware, machine = HostMiddleware(Starlette(), listening, "[2001:db8::5]"), socket.gethostname()
    for host in ("LOCALHOST.:80", "127.0.0.1:80", "[::1]", "[2001:db8::5]:80"):
        assert middleware.is_allowed(host)
    assert middleware.is_allowed(f"[{listening}]:80" if ":" in listening else listening)
    for host in ("192.168.1.5:8000", "[2001:db8::1]", "127.0.0.3", machine, f"{machine.partition('.')[0]}.local"):
        assert middleware.is_allowed(host) == (listening in {"0.0.0.0", "club.lan"})
    for host in (*FOREIGN[:4], "192.168.1.5.evil.example", "[evil]", "5", "lan", "1.2.3", "x@localhost", "localhost/x"):
        assert not middleware.is_allowed(host)
    for host in ("localhost:abc", "localhost?", "localhost#x", "@"):
        assert not middleware.is_allowed(host)


def test_request_without_a_host_is_answered_only_if_it_is_http_1_0(cold_server: Server) -> None:
    """No browser sends one, but health checks do."""
    for version, status in (("1.0", 200), ("1.1", 400)):
        with connect(cold_server) as line:
            line.sendall(f"GET /healthz HTTP/{version}\r\n\r\n".encode())
            assert read_until_closed(line).startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize("host", ["https://push.example.org", "push.example.org/path", "*", "push.example.org:port"])
def test_push_host_that_is_none_is_an_error_that_quotes_it(tmp_path_factory: pytest.TempPathFactory, host: str) -> None:
    with pytest.raises(SettingsError, match="is not the host of a push service") as caught:
        Settings(tmp_path_factory.getbasetemp(), push_hosts=f"a.example:8443,{host}").validate()
    assert repr(host) in str(caught.value)


@pytest.mark.parametrize("hosts", ["http://play.example.org", "play.example.org:80", "a/b", "*.", "**.example.org"])
def test_host_that_is_no_name_is_an_error_that_quotes_it(tmp_path_factory: pytest.TempPathFactory, hosts: str) -> None:
    with pytest.raises(SettingsError, match="is not the name of a host") as caught:
        Settings(tmp_path_factory.getbasetemp(), allowed_hosts=f"localhost,{hosts}").validate()
    assert hosts in str(caught.value)


def test_allowed_hosts_may_be_names_wildcards_and_addresses(tmp_path_factory: pytest.TempPathFactory) -> None:
    Settings(tmp_path_factory.getbasetemp(), allowed_hosts="a-b.example.org, *.x.org,[::1],10.0.0.1,*,").validate()


def send(server: Server, *lines: str) -> bytes:
    """Return the answer to a request without a body, given by its lines."""
    with connect(server) as line:
        line.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        return read_until_closed(line)


@pytest.mark.parametrize(
    ("target", "methods"),
    [
        ("*", "GET, HEAD, POST, OPTIONS"),
        ("/lobby", "GET, HEAD, OPTIONS"),
        ("/api/tables", "GET, HEAD, POST, OPTIONS"),
        ("/sets/x/delete", "POST, OPTIONS"),
        ("/static/dom.js", "GET, HEAD, OPTIONS"),
    ],
)
def test_options_are_answered_with_the_methods(cold_server: Server, target: str, methods: str) -> None:
    answer = send(cold_server, f"OPTIONS {target} HTTP/1.1", "Host: localhost")
    assert answer.startswith(b"HTTP/1.1 204 ")
    assert f"\r\nallow: {methods}\r\n".encode() in answer
    assert b"access-control" not in answer.lower()
