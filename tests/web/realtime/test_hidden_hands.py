"""Secrecy on the wire: whoever may not know a hand is never sent it."""

import json
import random
import re
import threading
from typing import Any

import pytest

from fourcorners.core.position import View
from fourcorners.players.hints import Advice
from fourcorners.web.engine import hint_service
from tests.web.client import WAIT, Browser, Socket

pytestmark = pytest.mark.compiled
TILE = re.compile(r"\b[RBGY](?:0|1|2a|2o|3|4)[ox]\b")


def begin(browser: Browser, players: str = "2", **kinds: str) -> str:
    seats = {f"seat_{seat}": kinds.get(f"seat_{seat}", "person") for seat in range(int(players))}
    return browser.begin("squendo", players=players, **seats, level_0="1", level_1="1", level_2="1")


def tiles(message: Any) -> set[str]:
    """Return all tiles that are named anywhere in a message."""
    return set(TILE.findall(json.dumps(message)))


def laid(socket: Socket) -> set[str]:
    return tiles([move for _, move in socket.state["plies"]])


def test_a_spectator_sees_no_hand(browser: Browser, other: Browser) -> None:
    table = begin(browser, seat_1="computer")
    with browser.sit(table) as socket, other.sit(table) as watcher:
        assert socket.state["viewer"] == 0
        assert len(tiles(socket.state)) == 4
        assert (watcher.state["viewer"], tiles(watcher.state)) == (None, set())
        watcher.send(type="view", viewer=0)
        for _ in range(4):
            socket.move(random.choice(socket.state["moves"]))
            socket.until_mine()
        watcher.send(type="hello", viewer=1)
        watcher.until("state")
        while watcher.state["version"] < socket.state["version"]:
            watcher.next()
        for message in watcher.heard:
            assert tiles(message) <= laid(watcher)
            assert message.get("moves", []) == []
        text = other.http.get(f"/play/{table}/record").text
        assert "seen by: spectator" in text
        assert tiles(text) == laid(watcher)
        own = browser.http.get(f"/play/{table}/record").text
        assert "seen by: seat 0" in own


def test_the_computers_hand_is_never_sent(browser: Browser) -> None:
    with browser.sit(begin(browser, seat_1="computer")) as socket:
        hands: set[str] = tiles(socket.state)
        for _ in range(5):
            socket.move(random.choice(socket.state["moves"]))
            socket.until_mine()
            hands |= {move.split(" ")[0] for move in socket.state["moves"] if move != "pass"}
        answers = {move.split(" ")[0] for seat, move in socket.state["plies"] if seat == 1}
        seen = set().union(*(tiles(message) for message in socket.heard))
        assert seen <= hands | answers | laid(socket)
        socket.send(type="view", viewer=1)
        socket.send(type="look", ply=2)
        assert socket.until("look")["tray"]
        assert socket.state["viewer"] == 0


def test_a_curtain_falls_between_persons_at_one_browser(browser: Browser) -> None:
    with browser.sit(begin(browser)) as socket:
        assert (socket.state["viewer"], socket.state["curtain"], socket.state["moves"]) == (None, True, [])
        assert tiles(socket.state) == set()
        socket.send(type="view", viewer=0)
        socket.until("patch")
        first = tiles(socket.state["moves"])
        assert (socket.state["viewer"], socket.state["curtain"], len(first)) == (0, False, 4)
        socket.move(socket.state["moves"][0])
        assert (socket.state["viewer"], socket.state["curtain"]) == (None, True)
        assert tiles(socket.state) == laid(socket)
        socket.send(type="view", viewer=0)
        assert tiles(socket.until("patch")) <= laid(socket)
        socket.send(type="view", viewer=1)
        socket.until("patch")
        assert not tiles(socket.state["moves"]) & first


def ask(socket: Socket, kind: str, **more: int) -> dict[str, Any]:
    socket.send(type=kind, id="q", version=socket.state["version"], **more)
    return socket.until(kind)


def test_hints_and_estimates_use_what_the_seat_to_move_knows(
    browser: Browser, other: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[View] = []

    def hint(view: View, **_: object) -> Advice:
        used.append(view)
        return Advice(view.moves()[0], view.moves()[0], 1.0, 0.5, solved=False)

    def estimate(view: View, stop: threading.Event) -> hint_service.Estimate:
        used.append(view)
        return hint_service.Estimate(1.0, 0.5, solved=False)

    monkeypatch.setattr(hint_service, "hint", hint)
    monkeypatch.setattr(hint_service, "_estimate", estimate)
    browser.server.registry.hint_service.clear_cache()
    table = begin(browser)
    with browser.sit(table) as socket, other.sit(table) as watcher:
        # The curtain is down: whoever is at the screen has not sat down yet.
        assert (ask(socket, "hint")["state"], ask(socket, "evaluate", ply=0)["state"]) == ("refused", "refused")
        assert (ask(watcher, "hint")["state"], ask(watcher, "evaluate", ply=0)["state"]) == ("refused", "refused")
        watcher.send(type="view", viewer=0)
        watcher.until("patch")
        assert ask(watcher, "evaluate", ply=0)["state"] == "refused"
        assert used == []
        for seat in (0, 1):
            socket.send(type="view", viewer=seat)
            socket.until("patch")
            hand = tiles(socket.state["moves"])
            assert tiles(ask(socket, "hint")) <= hand | laid(socket)
            assert tiles(ask(socket, "evaluate", ply=seat)) == set()
            # The position before was that of the other one's turn.
            if seat:
                assert ask(socket, "evaluate", ply=0)["state"] == "refused"
            for view in used:
                assert (view.viewer, view.seat, tiles(view.moves())) == (seat, seat, hand)
            assert len(used) == 2
            used.clear()
            socket.move(socket.state["moves"][0])
            assert ask(socket, "hint")["state"] == "refused"
        assert used == []
    browser.server.registry.hint_service.clear_cache()


def test_the_computers_position_is_not_evaluated(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourcorners.web.engine.move_service.choose_move", lambda *args: args[2].wait(WAIT) and "")
    with browser.sit(begin(browser, seat_1="computer")) as socket:
        socket.move(socket.state["moves"][0])
        assert "seat to move alone" in ask(socket, "evaluate", ply=1)["sentence"]
        assert ask(socket, "evaluate", ply=0)["state"] == "found"


def test_no_undo_past_a_draw_of_tiles(browser: Browser) -> None:
    with browser.sit(begin(browser, seat_1="computer")) as socket:
        socket.move(socket.state["moves"][0])
        socket.until_mine()
        assert "undo" not in socket.state["may"]
        refused = socket.do("undo")
        assert refused["code"] == "no-undo"
        assert "drawn" in refused["sentence"]


def test_three_seats_to_the_end(browser: Browser) -> None:
    table = begin(browser, "3", seat_1="computer", seat_2="computer")
    with browser.sit(table) as socket:
        while not socket.state["over"]:
            if socket.state["mine"]:
                socket.move(random.choice(socket.state["moves"]))
            else:
                socket.next()
        assert socket.state["outcome"]["winners"]
        assert "undo" not in socket.state["may"]
        assert "deck:" in browser.http.get(f"/play/{table}/record").text
