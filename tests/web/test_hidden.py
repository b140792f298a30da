"""Secrecy on the wire: whoever may not know a hand is never sent it."""

import json
import random
import re
from typing import Any

import pytest

from tests.web.client import Browser, Socket

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


def test_no_undo_past_a_draw_of_tiles(browser: Browser) -> None:
    with browser.sit(begin(browser, seat_1="computer")) as socket:
        socket.move(socket.state["moves"][0])
        socket.until_mine()
        assert not socket.state["undo"]
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
        assert not socket.state["undo"]
        assert "deck:" in browser.http.get(f"/play/{table}/record").text
