"""The server survives whatever a browser sends, and says what is wrong with it."""

import asyncio
import contextlib
import json
import random
import string
import struct
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.websockets import WebSocket

from fourcorners.web.domain.names import clean_name
from fourcorners.web.protocol import client_messages
from fourcorners.web.protocol.client_messages import LONGEST_MESSAGE
from fourcorners.web.protocol.close_codes import BAD, TOO_MUCH
from fourcorners.web.protocol.codec import UnreadableMessageError
from fourcorners.web.realtime import rooms
from fourcorners.web.realtime.connection import Connection
from fourcorners.web.realtime.connection_pool import MAX_PER_ADDRESS, MAX_PER_PLAYER, ConnectionPool
from tests.waiting import wait_until
from tests.web.client import Browser, Server, StartServer

HOSTILE = [
    "",
    "null",
    "[]",
    "{}",
    "\x00",
    '{"type":',
    "[" * 60_000,
    '{"a":' * 10_000,
    json.dumps({"type": "nothing"}),
    json.dumps({"type": ["move"]}),
    json.dumps({"type": "move"}),
    json.dumps({"type": "move", "id": "x" * 65, "version": 0, "move": "a1"}),
    json.dumps({"type": "move", "id": "=1", "version": 0, "move": "a1"}),
    json.dumps({"type": "move", "id": "x", "version": True, "move": "a1"}),
    json.dumps({"type": "move", "id": "x", "version": -1, "move": "a1"}),
    json.dumps({"type": "move", "id": "x", "version": 0, "move": "a" * 101}),
    json.dumps({"type": "move", "id": "x", "version": 0, "move": None}),
    json.dumps({"type": "resign", "id": "x", "version": 0, "seat": 64}),
    json.dumps({"type": "look", "ply": 10**9}),
    json.dumps({"type": "look", "ply": -1}),
    json.dumps({"type": "look", "ply": 1.5}),
    json.dumps({"type": "complete", "tokens": "a1"}),
    json.dumps({"type": "complete", "tokens": ["a1"] * 1000}),
    json.dumps({"type": "why", "text": {"a": 1}}),
    json.dumps({"type": "hello", "version": "1"}),
    json.dumps({"type": "solve"}),
    json.dumps({"type": "solve", "id": "q", "ply": -1}),
    json.dumps({"type": "solve", "id": "", "ply": 0}),
    json.dumps({"type": "solve", "id": "q", "ply": "0"}),
    json.dumps({"type": "solve", "id": "q", "ply": 10**7}),
    json.dumps({"type": "hint"}),
    json.dumps({"type": "hint", "id": "q"}),
    json.dumps({"type": "hint", "id": "q y", "version": 0}),
    json.dumps({"type": "hint", "id": "q", "version": "0"}),
    json.dumps({"type": "evaluate", "id": "q", "version": 0}),
    json.dumps({"type": "evaluate", "id": "q", "version": 0, "ply": -1}),
    json.dumps({"type": "evaluate", "id": "q", "version": 0, "ply": 10**7}),
    json.dumps({"type": "evaluate", "id": "q", "version": None, "ply": 0}),
    '{"type":"move","id":"x","version":1e400,"move":"a1"}',
    '{"type":"why","text":"\\ud800"}',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_unreadable_message_is_rejected_with_a_short_reason(text: str) -> None:
    with pytest.raises(UnreadableMessageError, match="cannot be read") as caught:
        client_messages.parse_message(text)
    # The reason does not quote messages of any length.
    assert len(str(caught.value)) < 400


@given(st.text(max_size=200) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_parser_raises_nothing_but_unreadable_message_error(text: str) -> None:
    with contextlib.suppress(UnreadableMessageError):
        client_messages.parse_message(text)


@given(st.text(max_size=400))
def test_clean_name_is_printable_trimmed_and_has_at_most_60_characters(text: str) -> None:
    name = clean_name(text)
    assert len(name) <= 60
    assert name == name.strip()
    assert name.isprintable()


@pytest.mark.compiled
def test_hostile_messages_are_answered_and_change_nothing(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    # Lift the rate limit for this many messages.
    monkeypatch.setattr("fourcorners.web.realtime.connection._MESSAGES_PER_SECOND", 1e6)
    monkeypatch.setattr("fourcorners.web.wire.socket_protocol.PER_SOCKET", (1e9, 1e9))
    table = browser.begin_table("square-off", size="4", seat_0="person", seat_1="person")
    with browser.open_table(table) as socket:
        before = socket.state
        for text in HOSTILE:
            socket.send_text(text)
            assert socket.receive_next()["type"] == "error"
        # Random texts in valid messages; the "!" makes sure that none is a move.
        letters = string.ascii_lowercase + string.digits + " #,-:<"
        for i in range(40):
            noise = "".join(random.choices(letters, k=random.randrange(20)))
            socket.send(type="move", id=f"n{i}", version=0, move=noise + "!")
            assert socket.receive_next()["type"] == "refused"
            socket.send(type="why", text=noise)
            assert socket.receive_next()["type"] == "why"
            socket.send(type="complete", tokens=noise.split(" "))
            assert socket.receive_next()["type"] == "complete"
        socket.send(type="hello", version=None)
        assert socket.receive_until("state") == before


@pytest.mark.compiled
def test_first_message_must_be_a_hello(browser: Browser) -> None:
    with browser.connect(browser.begin_table("sqez")) as socket:
        socket.send(type="look", ply=0)
        assert socket.receive_next()["sentence"] == "The first message must be a hello."


@pytest.mark.compiled
def test_oversized_or_binary_message_closes_the_socket(browser: Browser) -> None:
    table = browser.begin_table("sqez")
    with browser.open_table(table) as socket:
        # The header of a masked text frame announces its length. With the payload, the server would close without
        # reading all of it, and TCP might reset the connection before the code arrives.
        socket.connection.socket.sendall(b"\x81\xff" + struct.pack("!Q", LONGEST_MESSAGE + 1) + b"mask")
        assert socket.receive_close_code() == 1009  # "message too big" in RFC 6455
    with browser.open_table(table) as socket:
        socket.connection.send(b"\x00\x01")
        assert socket.receive_close_code() == BAD


@pytest.mark.compiled
def test_number_of_sockets_of_a_browser_is_limited_without_keeping_others_out(browser: Browser, other: Browser) -> None:
    table = browser.begin_table("sqez")
    opened = [browser.open_table(table) for _ in range(MAX_PER_PLAYER)]
    try:
        with browser.connect(table) as socket:
            assert socket.receive_close_code() == TOO_MUCH
        with other.open_table(table) as socket:
            assert socket.state["version"] == 0
    finally:
        for socket in opened:
            socket.__exit__()


def create_socket(address: str) -> WebSocket:
    """Return a WebSocket whose client has this IP address; it never receives anything, and drops what is sent."""

    async def wait_forever() -> Any:
        """Wait for a message that never comes."""
        await asyncio.Event().wait()

    async def drop_message(_: object) -> None: ...

    return WebSocket({"type": "websocket", "client": (address, 1)}, wait_forever, drop_message)


def test_number_of_sockets_from_an_address_is_limited_except_from_this_machine() -> None:
    sockets = ConnectionPool(10**6)
    opened = [Connection(create_socket(f"2001:db8::{number:x}"), f"{number}") for number in range(MAX_PER_ADDRESS)]
    for connection in opened:
        assert sockets.has_room_for(connection)
        sockets.add(connection)
    # All addresses of a /64 network count as one.
    assert not sockets.has_room_for(Connection(create_socket("2001:db8::ffff"), "new"))
    assert sockets.has_room_for(Connection(create_socket("2001:db8:0:1::1"), "new"))
    # A socket that is closed makes room for another.
    sockets.remove(opened[0])
    assert sockets.has_room_for(Connection(create_socket("2001:db8::ffff"), "new"))
    # Addresses of this machine are not limited: they may be those of a proxy behind which many people play.
    own = ConnectionPool(10**6)
    for number in range(MAX_PER_ADDRESS + 1):
        own.add(Connection(create_socket("127.0.0.1"), f"{number}"))
    assert own.has_room_for(Connection(create_socket("::1"), "new"))


def test_number_of_spectators_is_limited_and_never_keeps_players_out(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "MAX_SPECTATORS", 2)
    with ExitStack() as stack:
        host, *strangers = [stack.enter_context(Browser(cold_server)) for _ in range(4)]
        table = host.begin_table("square-off", seat_1="open", visibility="public", size="4")
        sockets = [stack.enter_context(host.open_table(table)) for _ in range(2)]
        # The two sockets of the host do not count against the limit of two spectators.
        sockets += [stack.enter_context(stranger.open_table(table)) for stranger in strangers[:2]]
        with strangers[2].connect(table) as late:
            assert late.receive_close_code() == TOO_MUCH
        assert strangers[2].http.get(f"/api/tables/{table}").status_code == 429
        assert host.http.get(f"/api/tables/{table}").status_code == 200
        # A player can open one more socket.
        stack.enter_context(host.open_table(table))
        guests = cold_server.rooms.opened[table].guests.total()
        # One spectator leaves, which makes room for the third.
        sockets[2].__exit__()
        wait_until(lambda: cold_server.rooms.opened[table].guests.total() != guests)
        stack.enter_context(strangers[2].open_table(table))


def test_spectators_of_one_network_leave_places_to_others(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "MAX_SPECTATORS_PER_NETWORK", 2)
    server = start_cold(proxies="127.0.0.1")

    def visit(browser: Browser, address: str) -> int:
        return int(browser.http.get(f"/api/tables/{table}", headers={"x-forwarded-for": address}).status_code)

    with ExitStack() as stack:
        host, *strangers = [stack.enter_context(Browser(server)) for _ in range(4)]
        table = host.begin_table("square-off", seat_1="open", visibility="public", size="4")
        for stranger in strangers[:2]:
            stack.enter_context(stranger.open_table(table, address="203.0.113.7"))
        assert [visit(strangers[2], address) for address in ("203.0.113.8", "198.51.100.1")] == [429, 200]
        assert visit(host, "203.0.113.8") == 200


@pytest.mark.compiled
def test_oversized_and_malformed_forms_are_rejected(browser: Browser) -> None:
    # A file above 1 MB, too many fields, a field that is too long for an option, and bodies that are no forms.
    answer = browser.http.post("/records", files={"record": ("x.txt", b"x" * 2_000_000, "text/plain")})
    assert answer.status_code == 413
    assert "1,100 KB" in answer.text
    answer = browser.http.post("/games/sqez", data={f"f{i}": "1" for i in range(1000)})
    assert answer.status_code == 400
    assert "Too many fields" in answer.text
    answer = browser.http.post("/games/squarin-off", data={"values": "1" * 5000})
    assert answer.status_code == 422
    raw = {"content-type": "multipart/form-data"}
    assert browser.http.post("/records", content=b"x", headers=raw).status_code == 400
    assert browser.http.post("/records", content=b"\xff\xfe").status_code == 400
