"""Logs contain no secrets: no passwords, cookies or moves of a game with hidden information."""

import dataclasses
import io
import json
import logging

from fourcorners.core.errors import GameError
from fourcorners.web.auth.identity import COOKIE, hash_secret
from fourcorners.web.domain.table import Table
from tests.web.client import Browser, Server
from tests.web.wire.raw_client import build_handshake, connect, open_socket, read_status


def test_game_with_hidden_information_leaves_no_secret_in_the_log(cold_server: Server, logged: io.StringIO) -> None:
    """It does have a line for each event, with the table, the seat and the version."""
    store = cold_server.context.store
    with Browser(cold_server) as one, Browser(cold_server) as two:
        form = {"new-name": "Ada", "new-password": "an open secret", "new-password-again": "an open secret"}
        assert one.http.post("/account/register", data=form).status_code == 303
        for password in ("a wrong guess", "an open secret"):
            two.http.post("/account/sign-in", data={"name": "Ada", "password": password})
        original = store.load_table(one.begin_table("squendo", seat_0="person", seat_1="person"))
        assert original is not None and original.nonce
        # The same game under another id, with a nonce that the search below can find.
        table = dataclasses.replace(original, id="promised", nonce="cafe" * 16)
        store.add_table(table).result()
        with one.open_table(table.id) as socket:
            while not socket.state["over"]:
                # Both seats are this browser's; it must show a seat's hand to see its moves.
                socket.send(type="change-viewer", viewer=socket.state["seat"])
                while socket.state["viewer"] != socket.state["seat"]:
                    socket.receive_until("state", "patch")
                socket.move(socket.state["moves"][0])
            # A message that cannot be read is not quoted either.
            socket.send_text("{")
            socket.receive_until("error")
        secrets = [browser.http.cookies[COOKIE] for browser in (one, two)]
    played = store.load_table(table.id)
    assert played is not None
    text = logged.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    stored = [line for line in lines if line["event"] == "an event is stored"]
    # The log is really that of this game, which took more than twenty moves.
    assert [(line["table"], line["seat"], line["version"]) for line in stored] == [
        (table.id, event.seat, event.version) for event in played.events
    ]
    assert len(stored) > 20
    hidden = {
        *secrets,
        *map(hash_secret, secrets),
        "an open secret",
        "a wrong guess",
        table.nonce,
        " ".join(Table(played).match.deck),
    }
    # A shorter move may occur in other words of the log by chance.
    hidden |= {event.text for event in played.events if len(event.text) > 5}
    assert [secret for secret in hidden if secret in text] == []
    assert "argon2" not in text and "cookie" not in text.lower()


def test_log_has_neither_addresses_of_clients_nor_links_to_tables(cold_server: Server, logged: io.StringIO) -> None:
    client = "X-Forwarded-For: 203.0.113.7"
    with Browser(cold_server) as ada:
        table = ada.begin_table("sqez", seat_0="person", seat_1="open")
    with open_socket(cold_server, table, client), connect(cold_server) as refused, connect(cold_server) as broken:
        refused.sendall(build_handshake(table, client, "Origin: https://elsewhere.example"))
        assert read_status(refused) == 403
        broken.sendall(b"GET / HTTP/1.1\r\nno colon\r\n\r\n")
        assert read_status(broken) == 400
    cold_server.stop()
    text = logged.getvalue()
    # What uvicorn says about the server itself is logged.
    assert "Application shutdown complete." in text
    assert "203.0.113.7" not in text and f"/play/{table}" not in text
    # What any client can send as often as it likes is not.
    assert "Invalid HTTP request" not in text


def test_exception_is_logged_with_its_traceback_but_neither_the_text_of_a_game_error_nor_unknown_fields(
    logged: io.StringIO,
) -> None:
    """The text of a GameError may quote a player's hand. Of the fields passed as `extra` only known ones are logged."""
    hand = "a hidden tile"
    for error in (GameError(f"{hand} may not be laid", "no"), ValueError("a bug")):
        try:
            raise error
        except ValueError:
            logging.getLogger("fourcorners.web").exception("something failed", extra={"table": "t", "hand": hand})
    first, second = (json.loads(line) for line in logged.getvalue().splitlines())
    assert hand not in logged.getvalue()
    assert first["table"] == "t" and first["exception"].endswith("GameError") and __file__ in first["exception"]
    assert second["exception"].endswith("ValueError: a bug")
