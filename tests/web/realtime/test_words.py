"""The words of plies in messages: complete, as the viewer saw the moves, and gone with a takeback."""

import random

import pytest

from fourcorners.builtin.squendo.tile_names import describe_stacked_tile
from tests.web.client import Browser, Socket

pytestmark = pytest.mark.compiled


def start_game(browser: Browser, game: str = "square-off", **options: str) -> str:
    """Begin a game of two people at one browser; return the table's id."""
    return browser.begin_table(game, seat_0="person", seat_1="person", **options)


def read_words(socket: Socket) -> list[str]:
    """Return the words of all plies, from a whole state of the table."""
    socket.send(type="hello", version=None)
    state = socket.receive_until("state")
    assert len(state["words"]) == len(state["plies"])
    words: list[str] = state["words"]
    return words


def test_patch_brings_the_words_and_explanations_of_the_new_ply_and_a_state_those_of_all_and_of_the_last(
    browser: Browser,
) -> None:
    with browser.open_table(start_game(browser, size="4")) as socket:
        assert read_words(socket) == []
        socket.move("a1")
        patch = [message for message in socket.heard if message["type"] == "patch"][-1]
        assert patch["words"] == ["placed a white man on a1"]
        assert [explanation["id"] for explanation in patch["explanations"]] == ["swap-offer"]
        socket.move("swap")
        assert read_words(socket) == ["placed a white man on a1", "swapped and took over the white man"]
        state = [message for message in socket.heard if message["type"] == "state"][-1]
        assert [explanation["id"] for explanation in state["explanations"]] == ["swap"]


def test_move_played_after_a_takeback_has_its_own_words(browser: Browser) -> None:
    with browser.open_table(start_game(browser, size="4")) as socket:
        socket.move("a1")
        assert read_words(socket) == ["placed a white man on a1"]
        assert socket.send_command("undo")["type"] == "done"
        while socket.state["plies"]:
            socket.receive_next()
        socket.move("b2")
        assert read_words(socket) == ["placed a white man on b2"]


def test_the_player_who_took_a_tile_back_reads_which_and_a_spectator_that_one_was_taken(
    browser: Browser, other: Browser
) -> None:
    rng = random.Random(4)
    table = browser.begin_table("squendo", players="2", seat_0="person", seat_1="computer", level_1="1")
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        while not socket.state["over"]:
            if not socket.state["mine"]:
                socket.receive_next()
                continue
            ply, moves = len(socket.state["plies"]), socket.state["moves"]
            takes = [move for move in moves if "take:" in move]
            move = rng.choice(takes or [move for move in moves if "leave:" not in move] or moves)
            socket.move(move)
            if takes:
                tile = move.split("take:")[1]
                assert read_words(socket)[ply].endswith(f"and took back {describe_stacked_tile(tile)}")
                assert "took back one tile" in read_words(watcher)[ply]
                answer = other.http.get(f"/api/tables/{table}").json()
                assert answer["words"][ply] == read_words(watcher)[ply]
                return
    pytest.fail("no tile could be taken back")
