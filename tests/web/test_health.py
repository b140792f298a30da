"""What operators see: health, counts and logs; and what none of them tells."""

import dataclasses
import io
import json
import logging
from collections.abc import Callable

import httpx
import pytest

from fourcorners.core.errors import GameError
from fourcorners.web.auth.identity import COOKIE, hash_secret
from fourcorners.web.store import StoreError
from tests.web.client import Browser, Server
from tests.web.processes import add_running_table


def counts(server: Server, **headers: str) -> dict[str, float]:
    answer = httpx.get(f"{server.url}/metrics", headers=headers)
    assert answer.status_code == 200
    lines = [line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_health_is_that_of_the_database_too(cold_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = httpx.get(f"{cold_server.url}/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "ready": False, "database": True})

    def fail() -> None:
        raise StoreError("gone")

    monkeypatch.setattr(cold_server.registry.store, "ask", fail)
    answer = httpx.get(f"{cold_server.url}/healthz")
    assert (answer.status_code, answer.json()["database"]) == (503, False)


def test_what_happens_is_counted(cold_server: Server) -> None:
    with Browser(cold_server) as one, Browser(cold_server) as two:
        table = add_running_table(cold_server.registry.store, one, two)
        before = counts(cold_server)
        with one.sit(table) as socket:
            socket.move("a1")
            assert socket.do("move", move="b2")["type"] == "refused"
            socket.send(type="move", id="old", version=0, move="b2")
            socket.until("stale")
            socket.do("resign", seat=0)
            now = counts(cold_server)
            assert now["fourcorners_sockets"] == now["fourcorners_rooms"] == 1
            socket.send(type="hello", version=2, viewer=None)
            socket.until("patch")
        grown = {name: value - before.get(name, 0.0) for name, value in counts(cold_server).items()}
        assert grown['fourcorners_events_total{kind="move"}'] == 1
        assert grown['fourcorners_events_total{kind="resign"}'] == 1
        assert [grown[f'fourcorners_answers_total{{answer="{one}"}}'] for one in ("done", "refused", "stale")] == [
            2,
            1,
            1,
        ]
        assert grown["fourcorners_commit_seconds_count"] == 2
        assert grown["fourcorners_reconnects_total"] == 1
        assert grown["fourcorners_transactions"] >= 2
        assert sum(name.startswith("fourcorners_process_info{") for name in now) == 1


def test_counts_are_the_operators(start_cold: Callable[..., Server]) -> None:
    server = start_cold(metrics_token="sesame")
    url = f"{server.url}/metrics"
    assert counts(server, authorization="Bearer sesame")
    assert counts(server)
    # A proxy asks for somebody else, even one that is believed.
    for name in ("x-forwarded-for", "forwarded", "x-real-ip"):
        assert httpx.get(url, headers={name: "127.0.0.1"}).status_code == 403
        assert counts(server, **{name: "203.0.113.9", "authorization": "Bearer sesame"})
    for given in ("Bearer wrong", "Bearer", "Basic sesame"):
        told = httpx.get(url, headers={"authorization": given, "x-forwarded-for": "203.0.113.9"})
        assert told.status_code == 403 and "sesame" not in told.text


def test_a_whole_game_with_hidden_things_leaves_no_secret_in_the_log(cold_server: Server, logged: io.StringIO) -> None:
    store = cold_server.registry.store
    with Browser(cold_server) as one, Browser(cold_server) as two:
        form = {"new-name": "Ada", "new-password": "an open secret", "new-password-again": "an open secret"}
        assert one.http.post("/account/register", data=form).status_code == 303
        for password in ("a wrong guess", "an open secret"):
            two.http.post("/account/sign-in", data={"name": "Ada", "password": password})
        begun = store.load_table(one.begin("squendo", seat_0="person", seat_1="person"))
        assert begun is not None and begun.deck
        saved = dataclasses.replace(begun, id="promised", nonce="cafe" * 8)
        store.add_table(saved).result()
        table = saved.id
        with one.sit(table) as socket:
            while not socket.state["over"]:
                socket.send(type="view", viewer=socket.state["seat"])
                while socket.state["viewer"] != socket.state["seat"]:
                    socket.until("state", "patch")
                socket.move(socket.state["moves"][0])
            socket.send_text("{")
            socket.until("bad")
        secrets = [browser.http.cookies[COOKIE] for browser in (one, two)]
    played = store.load_table(table)
    assert played is not None
    text = logged.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    stored = [line for line in lines if line["event"] == "an event is stored"]
    # It is the log of this game.
    assert [(line["table"], line["seat"], line["version"]) for line in stored] == [
        (table, event.seat, event.version) for event in played.events
    ]
    assert len(stored) > 20
    hidden = {
        *secrets,
        *map(hash_secret, secrets),
        "an open secret",
        "a wrong guess",
        saved.nonce,
        " ".join(saved.deck),
    }
    hidden |= {event.text for event in played.events if len(event.text) > 5}
    assert [secret for secret in hidden if secret in text] == []
    assert "argon2" not in text and "cookie" not in text.lower()


def test_a_failure_is_logged_with_its_place_and_without_values(logged: io.StringIO) -> None:
    hand = "a hidden tile"
    for error in (GameError(f"{hand} may not be laid", "no"), ValueError("a plain fault")):
        try:
            raise error
        except ValueError:
            logging.getLogger("fourcorners.web").exception("it failed", extra={"table": "t", "hand": hand})
    first, second = (json.loads(line) for line in logged.getvalue().splitlines())
    assert hand not in logged.getvalue()
    assert first["table"] == "t" and first["exception"].endswith("GameError") and __file__ in first["exception"]
    assert second["exception"].endswith("ValueError: a plain fault")
