"""The socket of a table: states, patches, commands, and earlier positions."""

import random
from typing import Any

import pytest

import fourcorners as fc
from tests.web.client import WAIT, Browser, Server, Socket

pytestmark = pytest.mark.compiled


def play_at_random(socket: Socket) -> None:
    """Play random moves whenever this browser may move, and receive in between, until the game is over."""
    while not socket.state["over"]:
        if socket.state["mine"]:
            socket.move(random.choice(socket.state["moves"]))
        else:
            socket.receive_next()


def create_table(browser: Browser, **options: str) -> str:
    """Begin Dots and Boxes, 2 x 2 unless the options say otherwise, with the browser at both seats; return the id."""
    return browser.begin_table(
        "dots-and-boxes", **{"cols": "2", "rows": "2", **options}, seat_0="person", seat_1="person"
    )


def create_table_with_computer(browser: Browser) -> str:
    """Begin Square Off, 4 x 4 without swap, against a computer of level 1 at seat 1; return the table's id."""
    return browser.begin_table("square-off", size="4", swap="false", seat_0="person", seat_1="computer", level_1="1")


def test_patches_change_the_board_and_add_up_to_a_newcomers_state_but_for_the_picture(browser: Browser) -> None:
    table = create_table(browser)
    with browser.open_table(table) as socket:
        for _ in range(5):
            socket.move(random.choice(socket.state["moves"]))
        patch = next(message for message in reversed(socket.heard) if message["type"] == "patch")
        assert patch["patch"]["board"]["set"]
        with browser.open_table(table) as newcomer:
            # Patches change the board in the page, which these tests do not draw.
            same = newcomer.state.keys() - {"type", "board", "tray"}
            assert {key: newcomer.state[key] for key in same} == {key: socket.state[key] for key in same}


def test_hello_gets_an_empty_patch_for_the_current_version_and_the_state_for_any_other(browser: Browser) -> None:
    with browser.open_table(create_table(browser)) as socket:
        socket.send(type="hello", version=0, viewer=socket.state["viewer"])
        assert socket.receive_next()["patch"] == {}
        socket.send(type="hello", version=7, viewer=socket.state["viewer"])
        assert socket.receive_next()["type"] == "state"


def test_move_for_an_older_version_is_stale_and_answered_with_the_state(browser: Browser) -> None:
    with browser.open_table(create_table(browser)) as socket:
        move = socket.state["moves"][0]
        socket.move(move)
        socket.send(type="move", id="late", version=0, move=socket.state["moves"][0])
        assert socket.receive_until("stale", "done") == {"type": "stale", "id": "late"}
        assert socket.receive_until("state")["version"] == 1


def test_illegal_move_is_refused_with_the_reason_that_why_gives_and_nonsense_as_unreadable(browser: Browser) -> None:
    with browser.open_table(create_table(browser)) as socket:
        move = socket.state["moves"][0]
        socket.move(move)
        taken = socket.send_command("move", move=move)
        assert taken["type"] == "refused"
        assert taken["code"] != "unreadable"
        nonsense = socket.send_command("move", move="<b>")
        assert (nonsense["type"], nonsense["code"]) == ("refused", "unreadable")
        socket.send(type="why", text=move)
        assert socket.receive_until("why")["sentence"] == taken["sentence"]


def test_spectators_receive_moves_but_cannot_send_commands(browser: Browser, other: Browser) -> None:
    table = create_table(browser)
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        assert (watcher.state["seats"], watcher.state["mine"], watcher.state["moves"]) == ([], False, [])
        for verb, more in (("move", {"move": socket.state["moves"][0]}), ("resign", {"seat": 0}), ("undo", {})):
            assert watcher.send_command(verb, **more)["code"] == "not-yours"
        socket.move(socket.state["moves"][0])
        assert watcher.receive_until("patch")["plies"] == socket.state["plies"]


def test_second_move_sent_before_the_computer_answers_is_not_played(browser: Browser) -> None:
    table = browser.begin_table("square-off", size="4", seat_0="person", seat_1="computer", level_1="1")
    with browser.open_table(table) as socket:
        # Another cell, so that only the turn can be the reason to refuse the second move.
        move, other_move = socket.state["moves"][:2]
        socket.send(type="move", id="a", version=0, move=move)
        socket.send(type="move", id="b", version=1, move=other_move)
        # Which of the two depends on whether the computer has moved, which makes version 1 old.
        answer = socket.receive_until("refused", "stale")
        assert answer["type"] == "stale" or answer["code"] == "not-your-turn"
        socket.receive_until_mine()
        assert socket.state["plies"][0] == [0, move]
        assert [seat for seat, _ in socket.state["plies"]] == [0, 1]


def test_undo_goes_back_to_before_the_last_own_move_if_there_is_one(browser: Browser) -> None:
    with browser.open_table(create_table_with_computer(browser)) as socket:
        assert "undo" not in socket.state["may"]
        assert socket.send_command("undo")["code"] == "no-undo"
        first = socket.state["moves"][0]
        socket.move(first)
        socket.receive_until_mine()
        assert "undo" in socket.state["may"]
        version = socket.state["version"]
        assert socket.send_command("undo")["type"] == "done"
        socket.receive_until("patch")
        assert socket.state["plies"] == []
        assert socket.state["version"] == version + 1
        # The game goes on from there.
        socket.move(first)
        socket.receive_until_mine()
        assert len(socket.state["plies"]) == 2


def test_undo_works_while_the_computer_thinks(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    with browser.open_table(create_table_with_computer(browser)) as socket:
        with monkeypatch.context() as patch:
            # The computer thinks until its search is stopped, which `args[2]` tells it.
            patch.setattr("fourcorners.web.engine.move_service.choose_move", lambda *args: args[2].wait(WAIT) and "")
            socket.move("a1")
            assert socket.send_command("undo")["type"] == "done"
            while socket.state["version"] < 2:
                socket.receive_next()
            assert (socket.state["plies"], socket.state["mine"]) == ([], True)
        # The game goes on from there.
        socket.move("b2")
        socket.receive_until_mine()
        assert [seat for seat, _ in socket.state["plies"]] == [0, 1]


def test_resigning_an_own_seat_ends_a_game_of_two_players(browser: Browser) -> None:
    with browser.open_table(create_table_with_computer(browser)) as socket:
        assert socket.send_command("resign", seat=1)["code"] == "not-yours"
        assert socket.send_command("resign", seat=0)["type"] == "done"
        socket.receive_until("patch")
        assert socket.state["over"]
        outcome = {"verdict": "You lost", "winners": [1], "reason": "You resigned", "termination": "resignation"}
        assert socket.state["outcome"] == outcome
        assert socket.send_command("move", move="a1")["code"] == "game-over"


def test_computer_replaces_a_player_who_resigned_and_cannot_win(browser: Browser) -> None:
    seats = {"seat_0": "person", "seat_1": "person", "seat_2": "computer", "level_2": "1"}
    table = browser.begin_table("squarin-off", cols="2", rows="2", blockers="0", players="3", **seats)
    with browser.open_table(table) as socket:
        assert socket.send_command("resign", seat=0)["type"] == "done"
        socket.receive_until("patch")
        play_at_random(socket)
        assert socket.state["out"] == [0]
        assert 0 not in socket.state["outcome"]["winners"]
        # All seats have moved, seat 0 by its computer.
        assert {seat for seat, _ in socket.state["plies"]} == {0, 1, 2}


def test_computers_play_each_other_while_a_spectator_watches(browser: Browser) -> None:
    seats = {"seat_0": "computer", "seat_1": "computer", "level_0": "1", "level_1": "1"}
    with browser.open_table(browser.begin_table("square-off", size="4", **seats)) as socket:
        assert socket.state["seats"] == []
        play_at_random(socket)
        assert socket.state["outcome"]


def test_look_shows_earlier_positions_and_refuses_plies_that_were_not_played(browser: Browser) -> None:
    with browser.open_table(create_table(browser)) as socket:
        start = socket.state["board"]
        for _ in range(3):
            socket.move(random.choice(socket.state["moves"]))
        socket.send(type="look", ply=0)
        answer = socket.receive_until("look")
        assert answer["board"] == start
        assert answer["scores"] == [0, 0]
        socket.send(type="look", ply=4)
        assert "3 plies" in socket.receive_until("error")["sentence"]


def test_long_lists_of_moves_are_completed_token_by_token(browser: Browser) -> None:
    table = browser.begin_table("sqez", cols="12", rows="12", seat_0="person", seat_1="person")
    with browser.open_table(table) as socket:
        # Too many moves to be sent; each consists of two corners.
        assert socket.state["moves"] is None
        tokens: list[str] = []
        for _ in range(2):
            socket.send(type="complete", tokens=tokens)
            answer = socket.receive_until("complete")
            assert not answer["move"]
            tokens.append(answer["next"][0])
        socket.send(type="complete", tokens=tokens)
        answer = socket.receive_until("complete")
        assert answer["move"]
        assert answer["next"] == []
        # The completed tokens are a legal move.
        socket.move(" ".join(tokens))


def test_only_tokens_that_no_element_shows_have_labels(browser: Browser) -> None:
    table = browser.begin_table("square-off", size="4", seat_0="person", seat_1="person")
    with browser.open_table(table) as socket:
        # All corners are elements of the board, but the swap, which follows the first move, has none.
        assert socket.state["labels"] == {}
        socket.move("a1")
        assert socket.state["labels"].keys() == {"swap"}


def test_only_a_player_can_start_a_rematch_and_only_after_the_end(browser: Browser, other: Browser) -> None:
    table = create_table_with_computer(browser)
    with browser.open_table(table) as socket, other.open_table(table) as stranger:
        assert socket.send_command("rematch")["code"] == "not-over"
        socket.send_command("resign", seat=0)
        socket.receive_until("patch")
        stranger.receive_until("patch")
        assert stranger.send_command("rematch")["code"] == "not-yours"
        assert socket.send_command("rematch")["type"] == "done"


def test_rematch_with_a_computer_rotates_the_seats_and_starts_at_once(browser: Browser) -> None:
    table = browser.begin_table(
        "square-off", size="6", seat_0="person", seat_1="computer", level_1="2", **{"name-0": "Ada"}
    )
    with browser.open_table(table) as socket:
        before: dict[str, Any] = socket.state
        socket.send_command("resign", seat=before["seats"][0])
        socket.receive_until("patch")
        assert socket.send_command("rematch")["type"] == "done"
        socket.receive_until("patch")
        again = socket.state["rematch"]
    with browser.open_table(again) as socket:
        assert socket.state["names"] == [before["names"][1], "Ada"]
        assert socket.state["kinds"] == ["computer:2", "person"]
        # The computer, now at seat 0, has moved.
        socket.receive_until_mine()
        assert [seat for seat, _ in socket.state["plies"]] == [0]


def test_one_browser_can_play_both_seats_to_the_end_and_the_record_has_the_result_and_the_moves(
    browser: Browser,
) -> None:
    table = create_table(browser)
    with browser.open_table(table) as socket:
        assert socket.state["seats"] == [0, 1]
        play_at_random(socket)
        # 2 x 2 boxes have 12 edges.
        assert (len(socket.state["plies"]), socket.state["moves"]) == (12, [])
        record = fc.Record.parse(browser.http.get(f"/play/{table}/record").text)
        assert record.match().result == socket.state["result"]
        assert [[line.seat, line.text] for line in record.lines] == socket.state["plies"]


def test_record_can_be_studied_but_not_played(browser: Browser, other: Browser) -> None:
    table = create_table(browser)
    with browser.open_table(table) as socket:
        socket.move(socket.state["moves"][0])
    text = browser.http.get(f"/play/{table}/record").text
    answer = other.http.post("/records", files={"record": ("game.txt", text.encode(), "text/plain")})
    assert answer.status_code == 303
    study = answer.headers["location"].removeprefix("/play/")
    with other.open_table(study) as socket:
        assert socket.state["study"]
        assert (socket.state["mine"], "undo" in socket.state["may"], len(socket.state["plies"])) == (False, False, 1)
        assert socket.send_command("move", move="a1b1")["code"] == "read-only"
        # The highest number of a seat that a message may have is answered too, though no seat has it.
        socket.send(type="change-viewer", viewer=63)
        socket.receive_until("patch", "state")
    # The record of the study ends with the same move.
    assert other.http.get(f"/play/{study}/record").text.splitlines()[-1] == text.splitlines()[-1]


def test_restart_keeps_the_whole_state_of_a_game_which_can_be_played_on(start_server: Any) -> None:
    first: Server = start_server()
    with Browser(first) as browser:
        table = browser.begin_table("square-off", size="4", seat_0="person", seat_1="computer", level_1="1")
        with browser.open_table(table) as socket:
            socket.move("b2")
            socket.receive_until_mine()
            before = socket.state
        first.stop()
        second = start_server()
        again = Browser(second)
        again.http.cookies = browser.http.cookies
        with again, again.open_table(table) as socket:
            # Its own patch has fields, and changes the board in the page, which these tests do not draw.
            same = before.keys() - {"type", "from", "patch", "plies_from", "board", "tray"}
            assert {key: socket.state[key] for key in same} == {key: before[key] for key in same}
            play_at_random(socket)


def test_computer_resumes_its_turn_after_a_restart(start_server: Any) -> None:
    # The computer of the first server takes at least 5 seconds for its move, and is stopped before.
    first: Server = start_server(pace=5.0)
    with Browser(first) as browser:
        table = browser.begin_table("square-off", size="4", seat_0="person", seat_1="computer", level_1="1")
        with browser.open_table(table) as socket:
            socket.move("b2")
        first.stop()
        second: Server = start_server(pace=0.0)
        again = Browser(second)
        again.http.cookies = browser.http.cookies
        with again, again.open_table(table) as socket:
            # The computer may have moved before the socket was opened.
            assert len(socket.state["plies"]) in {1, 2}
            socket.receive_until_mine()
            assert len(socket.state["plies"]) == 2
