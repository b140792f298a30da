"""Hidden hands: no one is sent a hand that they may not know."""

import json
import random
import re
import threading
from typing import Any

import pytest

from fourcorners.core.game import View
from fourcorners.players.hints import Advice
from fourcorners.web.engine import services
from tests.web.client import WAIT, Browser, Socket

pytestmark = pytest.mark.compiled
TILE = re.compile(r"\b[RBGY](?:0|1|2a|2o|3|4)[ox]\b")


def create_table(browser: Browser, players: str = "2", **kinds: str) -> str:
    """Begin a game of Squendo with this number of players and return the table's id.

    `kinds`, such as `seat_1="computer"`, are "person", all at this browser, unless given; computers have level 1.
    """
    seats = {f"seat_{seat}": kinds.get(f"seat_{seat}", "person") for seat in range(int(players))}
    return browser.begin_table("squendo", players=players, **seats, level_0="1", level_1="1", level_2="1")


def find_tiles(message: Any) -> set[str]:
    """Return the names of all tiles that occur anywhere in a message, or in any other value that JSON can hold."""
    return set(TILE.findall(json.dumps(message)))


def list_laid_tiles(socket: Socket) -> set[str]:
    """Return the tiles of all moves played so far, which everyone may know."""
    return find_tiles([move for _, move in socket.state["plies"]])


def test_spectator_receives_no_tile_of_a_hand_in_messages_or_the_record(browser: Browser, other: Browser) -> None:
    table = create_table(browser, seat_1="computer")
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        assert socket.state["viewer"] == 0
        # A hand has four tiles.
        assert len(find_tiles(socket.state)) == 4
        assert (watcher.state["viewer"], find_tiles(watcher.state)) == (None, set())
        # Asking for the view of a seat, here and in the hello below, has no effect for a spectator.
        watcher.send(type="change-viewer", viewer=0)
        for _ in range(4):
            socket.move(random.choice(socket.state["moves"]))
            socket.receive_until_mine()
        watcher.send(type="hello", viewer=1)
        watcher.receive_until("state")
        while watcher.state["version"] < socket.state["version"]:
            watcher.receive_next()
        for message in watcher.heard:
            assert find_tiles(message) <= list_laid_tiles(watcher)
            assert message.get("moves", []) == []
        text = other.http.get(f"/play/{table}/record").text
        assert "seen by: spectator" in text
        assert find_tiles(text) == list_laid_tiles(watcher)
        own = browser.http.get(f"/play/{table}/record").text
        assert "seen by: seat 0" in own


def test_hand_of_a_computer_is_never_sent_even_if_its_view_is_asked_for(browser: Browser) -> None:
    with browser.open_table(create_table(browser, seat_1="computer")) as socket:
        hands: set[str] = find_tiles(socket.state)
        for _ in range(5):
            socket.move(random.choice(socket.state["moves"]))
            socket.receive_until_mine()
            hands |= {move.split(" ")[0] for move in socket.state["moves"] if move != "pass"}
        answers = {move.split(" ")[0] for seat, move in socket.state["plies"] if seat == 1}
        # All tiles of all messages: own hands, and what the computer has laid.
        seen = set().union(*(find_tiles(message) for message in socket.heard))
        assert seen <= hands | answers | list_laid_tiles(socket)
        # Asking for the computer's view has no effect, at earlier positions as well.
        socket.send(type="change-viewer", viewer=1)
        socket.send(type="look", ply=2)
        assert socket.receive_until("look")["tray"]
        assert socket.state["viewer"] == 0


def test_curtain_covers_hands_between_people_at_one_browser_until_the_seat_to_move_lifts_it(browser: Browser) -> None:
    with browser.open_table(create_table(browser)) as socket:
        assert (socket.state["viewer"], socket.state["curtain"], socket.state["moves"]) == (None, True, [])
        assert find_tiles(socket.state) == set()
        socket.send(type="change-viewer", viewer=0)
        socket.receive_until("patch")
        first = find_tiles(socket.state["moves"])
        assert (socket.state["viewer"], socket.state["curtain"], len(first)) == (0, False, 4)
        socket.move(socket.state["moves"][0])
        assert (socket.state["viewer"], socket.state["curtain"]) == (None, True)
        assert find_tiles(socket.state) == list_laid_tiles(socket)
        # It is the turn of seat 1: the hand of seat 0 is not shown any more.
        socket.send(type="change-viewer", viewer=0)
        assert find_tiles(socket.receive_until("patch")) <= list_laid_tiles(socket)
        socket.send(type="change-viewer", viewer=1)
        socket.receive_until("patch")
        # The moves are those of the other hand.
        assert not find_tiles(socket.state["moves"]) & first


def send_query(socket: Socket, kind: str, **more: int) -> dict[str, Any]:
    """Send a query of the type "hint" or "evaluate" about the version that the socket shows; return its answer.

    `more` are further fields of the message: `ply`, which "evaluate" needs. The answer may have any `state`.
    """
    socket.send(type=kind, id="q", version=socket.state["version"], **more)
    return socket.receive_until(kind)


def test_hints_and_evaluations_use_only_what_the_seat_to_move_knows_and_only_it_receives_them(
    browser: Browser, other: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[View] = []

    def hint(view: View, **_: object) -> Advice:
        """Note the view and advise the first legal move."""
        used.append(view)
        return Advice(view.moves()[0], view.moves()[0], 1.0, 0.5, solved=False)

    def estimate(view: View, stop: threading.Event) -> services.Estimate:
        """Note the view and return a fixed estimate."""
        used.append(view)
        return services.Estimate(1.0, 0.5, solved=False)

    monkeypatch.setattr(services, "hint", hint)
    monkeypatch.setattr(services, "estimate", estimate)
    for jobs in (browser.server.context.engine.hints, browser.server.context.engine.estimates):
        jobs.results.clear()
    table = create_table(browser)
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        # The curtain is down: no one has taken over the screen yet.
        assert (send_query(socket, "hint")["state"], send_query(socket, "evaluate", ply=0)["state"]) == (
            "refused",
            "refused",
        )
        assert (send_query(watcher, "hint")["state"], send_query(watcher, "evaluate", ply=0)["state"]) == (
            "refused",
            "refused",
        )
        watcher.send(type="change-viewer", viewer=0)
        watcher.receive_until("patch")
        assert send_query(watcher, "evaluate", ply=0)["state"] == "refused"
        assert used == []
        for seat in (0, 1):
            socket.send(type="change-viewer", viewer=seat)
            socket.receive_until("patch")
            hand = find_tiles(socket.state["moves"])
            assert find_tiles(send_query(socket, "hint")) <= hand | list_laid_tiles(socket)
            assert find_tiles(send_query(socket, "evaluate", ply=seat)) == set()
            # At the previous position it was the other seat's turn.
            if seat:
                assert send_query(socket, "evaluate", ply=0)["state"] == "refused"
            # The hint and the estimate had the same view; the refused queries used none.
            for view in used:
                assert (view.viewer, view.seat, find_tiles(view.moves())) == (seat, seat, hand)
            assert len(used) == 2
            used.clear()
            # After the move the curtain is down again.
            socket.move(socket.state["moves"][0])
            assert send_query(socket, "hint")["state"] == "refused"
        assert used == []
    for jobs in (browser.server.context.engine.hints, browser.server.context.engine.estimates):
        jobs.results.clear()


def test_turn_of_a_computer_with_a_hidden_hand_is_not_evaluated_but_the_own_turn_before_is(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The computer thinks until its search is stopped, which `args[2]` tells it.
    monkeypatch.setattr("fourcorners.web.engine.move_service.choose_move", lambda *args: args[2].wait(WAIT) and "")
    with browser.open_table(create_table(browser, seat_1="computer")) as socket:
        socket.move(socket.state["moves"][0])
        assert "seat to move can see" in send_query(socket, "evaluate", ply=1)["sentence"]
        assert send_query(socket, "evaluate", ply=0)["state"] == "found"


def test_undo_is_not_offered_and_refused_after_tiles_were_drawn(browser: Browser) -> None:
    with browser.open_table(create_table(browser, seat_1="computer")) as socket:
        socket.move(socket.state["moves"][0])
        socket.receive_until_mine()
        assert "undo" not in socket.state["may"]
        refused = socket.send_command("undo")
        assert refused["code"] == "no-undo"
        assert "drawn" in refused["sentence"]


def test_game_with_three_hidden_hands_can_be_played_to_the_end_which_reveals_the_deck(browser: Browser) -> None:
    table = create_table(browser, "3", seat_1="computer", seat_2="computer")
    with browser.open_table(table) as socket:
        while not socket.state["over"]:
            if socket.state["mine"]:
                socket.move(random.choice(socket.state["moves"]))
            else:
                socket.receive_next()
        assert socket.state["outcome"]["winners"]
        assert "undo" not in socket.state["may"]
        assert "deck:" in browser.http.get(f"/play/{table}/record").text
