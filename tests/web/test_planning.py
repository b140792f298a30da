"""Plans: a premove and lines of answers, without a server and with one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.position import Ply
from fourcorners.web.application import premoves
from fourcorners.web.domain import actions
from fourcorners.web.domain.actions import Command
from fourcorners.web.domain.table import Table
from tests.web.client import Browser, Server, Socket
from tests.web.tables import ADA, BOB, CLEO, START, play, table_of

SMALL = fc.game("square-off", size=4, swap=False)
BOXES = fc.game("dots-and-boxes", cols=2, rows=2)
Lines = list[list[str | None]]


def plan(
    table: Table, player: str, seat: int, lines: Lines, ply: int | None = None, version: int | None = None
) -> None:
    """Plan for the board as it is, or as it was."""
    ply = len(table.match.position.plies) if ply is None else ply
    version = table.version if version is None else version
    table.chairs[seat] = premoves.planned(table, player, seat, lines, ply, version)


def due(table: Table) -> str | None:
    command = premoves.due(table, table.seat or 0, START)
    return None if command is None else command.move


@pytest.mark.parametrize(
    ("line", "played", "rest"),
    [
        ([None, "a1"], "", [None, "a1"]),
        ([None, "a1"], "0b2", [None, "a1"]),
        ([None, "a1"], "0b2 0b3", [None, "a1"]),
        ([None, "a1"], "0b2 1a1", []),
        ([None, "a1"], "0b2 1c1", []),
        ([None, "a1", "c3"], "0b2 1a1", ["c3"]),
        ([None, "a1", None, "c3"], "0b2 1a1 0d4", [None, "c3"]),
        (["b2", "a1"], "0b2", ["a1"]),
        (["b2", "a1"], "0b3", []),
        (["b2", "a1", "b3", "c3"], "0b2 1a1", ["b3", "c3"]),
        (["b2", "a1", "b3", "c3"], "0b2 1a1 0b3", ["c3"]),
        (["b2", "a1", "b3", "c3"], "0b2 1a1 0b4", []),
        (["b2", "b3", "a1"], "0b2 0b3", ["a1"]),
        (["b2", None, "a1"], "0b2 0b3 0b4", [None, "a1"]),
        (["b2", "a1", None], "0b2 1a1", []),
    ],
)
def test_a_line_is_followed_left_or_ended(line: list[str | None], played: str, rest: list[str | None]) -> None:
    plies = [Ply(int(text[0]), text[1:]) for text in played.split()]
    assert premoves.rest_of(line, plies, 1) == rest


def test_a_premove_is_due_after_any_move() -> None:
    table = table_of(SMALL, ADA, BOB)
    plan(table, BOB, 1, [[None, "a1"]])
    assert due(table) is None
    play(table, "b2")
    assert due(table) == "a1"
    play(table, "a1", "c3")
    assert due(table) is None
    assert premoves.left(table, 1) == []


def test_a_premove_waits_while_another_moves_again() -> None:
    table = table_of(BOXES, ADA, BOB)
    # Three sides of a box: who draws the fourth one moves again.
    play(table, "a1b1", "a1a2", "b1b2", "c1c2")
    assert table.seat == 0
    plan(table, BOB, 1, [[None, "b3c3"]])
    play(table, "a2b2")
    assert table.seat == 0
    assert premoves.left(table, 1) == [([None, "b3c3"], [None, 1])]
    play(table, "a2a3")
    assert due(table) == "b3c3"


def test_lines_answer_what_was_played() -> None:
    table = table_of(SMALL, ADA, BOB)
    plan(table, BOB, 1, [["a1", "b2", "c3", "d4"], ["a2", "b3"], [None, "d1"]])
    assert json.loads(premoves.told(table, 1))["movers"] == [[0, 1, 0, 1], [0, 1], [None, 1]]
    play(table, "a1")
    assert due(table) == "b2"
    play(table, "b2")
    assert premoves.left(table, 1) == [(["c3", "d4"], [0, 1])]
    play(table, "c3")
    assert due(table) == "d4"
    play(table, "d4")
    assert premoves.left(table, 1) == []


def test_what_no_line_names_is_answered_by_the_one_for_any_move() -> None:
    table = table_of(SMALL, ADA, BOB)
    plan(table, BOB, 1, [["a1", "b2"], [None, "d1"]])
    play(table, "a2")
    assert due(table) == "d1"


@pytest.mark.parametrize(
    ("player", "seat", "lines", "code"),
    [
        (CLEO, 1, [[None, "a1"]], "not-yours"),
        (ADA, 1, [[None, "a1"]], "not-yours"),
        (ADA, 0, [[None, "a1"]], "your-turn"),
        (BOB, 1, [["a1", "a1"]], "not-free"),
        (BOB, 1, [["a1", "b1", "c1"]], "no-answer"),
        (BOB, 1, [[None, None]], "no-answer"),
        (BOB, 1, [["a1", None]], "no-answer"),
        (BOB, 1, [[None, "<b>"]], "unreadable"),
        (BOB, 1, [[None, "!resign"]], "unreadable"),
        (BOB, 1, [["a1", "@close"]], "unreadable"),
    ],
)
def test_what_cannot_be_planned_is_refused(player: str, seat: int, lines: Lines, code: str) -> None:
    table = table_of(SMALL, ADA, BOB)
    with pytest.raises(IllegalMoveError) as caught:
        plan(table, player, seat, lines)
    assert caught.value.code == code
    assert all(chair.plan is None for chair in table.chairs)


def test_a_premove_that_was_under_way_while_the_other_moved_counts() -> None:
    table = table_of(SMALL, ADA, BOB)
    before = table.version
    play(table, "a1")
    plan(table, BOB, 1, [[None, "b2"]], ply=0, version=before)
    assert due(table) == "b2"


def test_an_answer_to_a_board_that_is_past_is_stale() -> None:
    table = table_of(SMALL, ADA, BOB)
    before = table.version
    play(table, "a1")
    with pytest.raises(IllegalMoveError, match="since this was planned"):
        plan(table, BOB, 1, [["a1", "b2"]], ply=0, version=before)
    play(table, "b2")
    with pytest.raises(IllegalMoveError, match="since this was planned"):
        plan(table, BOB, 1, [[None, "b3"]], ply=0, version=before)


def test_a_take_back_undoes_what_was_planned() -> None:
    table = table_of(SMALL, ADA, BOB)
    play(table, "a1", "b2")
    plan(table, BOB, 1, [[None, "d4"]])
    play(table, "c1")
    actions.do(table, ADA, Command("ask-undo", "u", START, seat=0))
    assert due(table) == "d4"
    actions.do(table, BOB, Command("answer-undo", "v", START, seat=1, accept=True))
    play(table, "c1")
    assert premoves.left(table, 1) == []
    assert due(table) is None


def test_an_empty_plan_is_none() -> None:
    table = table_of(SMALL, ADA, BOB)
    plan(table, BOB, 1, [[None, "d4"]])
    plan(table, BOB, 1, [])
    assert table.chairs[1].plan is None


def test_a_board_of_thoughts_shows_who_would_move() -> None:
    table = table_of(SMALL, ADA, BOB)
    answer = premoves.tried(table, BOB, 1, ["a1"], None)
    assert answer["mover"] == 1
    assert set(answer["moves"]) == set(SMALL.replay(["a1"]).moves())
    assert answer["board"].startswith("<svg")
    assert premoves.tried(table, BOB, 1, ["a1"], ["b2"]) == {
        "type": "try",
        "seat": 1,
        "line": ["a1"],
        "tokens": ["b2"],
        "next": [],
        "move": True,
    }
    with pytest.raises(IllegalMoveError, match="'a1'"):
        premoves.tried(table, BOB, 1, ["a1", "a1"], None)
    for player, seat in ((ADA, 0), (CLEO, 1)):
        with pytest.raises(IllegalMoveError):
            premoves.tried(table, player, seat, [], None)


@pytest.mark.parametrize("name", [name for name in fc.games() if not fc.game(name).spec.hidden])
def test_moves_offered_for_later_are_nearly_all_that_there_will_be(name: str) -> None:
    position = fc.game(name).start(seed=3)
    offered = set(premoves.foreseen(position.view(1), 1))
    later = position.play(position.moves()[0])
    assert later.seat == 1
    missing = set(later.view(1).offered_moves()) - offered
    assert len(missing) <= len(offered) // 10


def test_what_is_offered_for_later_depends_on_nothing_hidden() -> None:
    deck = list(fc.game("squendo").deck(seed=5))
    dealt = fc.game("squendo").start(deck=deck)
    # The same hand for Bob, other tiles for Ada and in the pile.
    own = [i for i in range(8) if _hand_moved(deck, i)]
    others = [i for i in range(len(deck)) if i not in own]
    turned = list(deck)
    for i, j in zip(others, others[::-1], strict=True):
        turned[i] = deck[j]
    other = fc.game("squendo").start(deck=turned)
    assert other != dealt
    assert other.view(1) == dealt.view(1)
    assert premoves.foreseen.__wrapped__(other.view(1), 1) == premoves.foreseen.__wrapped__(dealt.view(1), 1)


def _hand_moved(deck: list[str], i: int) -> bool:
    """Tell whether a tile of the deck is one that Bob holds."""
    game = fc.game("squendo")
    changed = list(deck)
    changed[i], changed[-1] = changed[-1], changed[i]
    return game.start(deck=changed).view(1) != game.start(deck=deck).view(1)


def test_in_a_hidden_game_answers_are_to_any_move() -> None:
    table = table_of(fc.game("squendo"), ADA, BOB)
    move = table.match.position.moves()[0]
    planned: list[Lines] = [[[move, move]], [["a1", None, "b2"]]]
    for lines in planned:
        with pytest.raises(IllegalMoveError) as caught:
            plan(table, BOB, 1, lines)
        assert caught.value.code == "hidden"
    with pytest.raises(IllegalMoveError):
        premoves.tried(table, BOB, 1, [], None)
    own = premoves.tried(table, BOB, 1, [None], None)
    plan(table, BOB, 1, [[None, own["moves"][0]]])
    assert "board" not in own


def two(browser: Browser, other: Browser, game: str = "square-off", **form: str) -> tuple[Socket, Socket]:
    """Let two browsers sit at one table, the second one at seat 1."""
    form = {"size": "4", "swap": "false"} | form if game == "square-off" else form
    table = browser.begin(game, **{"seat-0": "person", "seat-1": "open", "name-0": "Ada", **form})
    first, second = browser.sit(table), other.sit(table)
    assert second.do("sit", seat=1, name="Bob")["type"] == "done"
    for socket in (first, second):
        while not socket.state["started"]:
            socket.next()
    return first, second


def send_plan(socket: Socket, lines: Any, seat: int = 1) -> list[Any]:
    socket.send(type="plan", seat=seat, version=socket.state["version"], ply=socket.state["ply"], lines=lines)
    answer = socket.until("plan", "bad")
    lines_kept: list[Any] = answer.get("lines", [])
    return lines_kept


@pytest.mark.compiled
def test_a_premove_is_played_at_once_and_told_to_nobody_else(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other)
    with ada, bob:
        assert send_plan(bob, [[None, "b2"]]) == [[None, "b2"]]
        ada.move("a1")
        ada.until_mine()
        assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]
        assert bob.until("plan")["lines"] == [[None, "b2"]]
        assert bob.until("plan")["lines"] == []
        assert not [message for message in ada.heard if message["type"] == "plan"]


@pytest.mark.compiled
def test_a_premove_that_may_not_be_played_is_dropped_with_a_sentence(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other)
    with ada, bob:
        send_plan(bob, [[None, "a1"]])
        ada.move("a1")
        sentence = bob.until("bad")["sentence"]
        assert "a1" in sentence
        assert "was planned, but" in sentence
        bob.until_mine()
        assert bob.state["plies"] == [[0, "a1"]]
        bob.move("b2")


@pytest.mark.compiled
def test_a_plan_is_there_after_a_restart(start_server: Callable[..., Server]) -> None:
    server = start_server()
    with Browser(server) as one, Browser(server) as two_:
        ada, bob = two(one, two_)
        table = ada.state["game"]["id"]
        with ada, bob:
            table = str(ada.connection.request.path).split("/")[2] if ada.connection.request else ""
            send_plan(bob, [["a1", "b2"], [None, "c3"]])
        server.stop()
        again = start_server()
        for browser in (one, two_):
            browser.server = again
        with one.sit(table) as ada, two_.sit(table) as bob:
            assert bob.until("plan")["lines"] == [["a1", "b2"], [None, "c3"]]
            ada.move("a1")
            ada.until_mine()
            assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]


@pytest.mark.compiled
def test_what_cannot_be_thought_of_is_answered_in_words(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other)
    with ada, bob:
        bob.send(type="try", seat=1, line=["a1", "a1"])
        assert "a1" in bob.until("try")["sentence"]
        bob.send(type="try", seat=1, line=[None])
        assert "b2" in bob.until("try")["moves"]
        ada.send(type="try", seat=1, line=[None])
        assert "not yours" in ada.until("try")["sentence"]
        bob.send(type="plan", seat=1, version=0, ply=0, lines=[["a1"]])
        assert "cannot be read" in bob.until("bad")["sentence"]
        bob.send(type="plan", seat=1, version=0, ply=0, lines=[[None, "a1"]] * 17)
        assert "cannot be read" in bob.until("bad")["sentence"]


@pytest.mark.compiled
def test_what_another_server_was_told_is_taken_in(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other)
    with ada, bob:
        registry = browser.server.registry
        table = str(ada.connection.request.path).split("/")[2] if ada.connection.request else ""
        stored = {"at": 0, "version": bob.state["version"], "lines": [["a1", "b2"]], "movers": [[0, 1]]}
        registry.store.save_plan(table, 1, stored).result(10)
        registry.store.add_chat_line(table, ADA, "Ada", "Hello!", START).result(10)
        room = registry.rooms[table]
        task = room.turns._task
        assert task is not None
        asyncio.run_coroutine_threadsafe(room.heard(), task.get_loop()).result(10)
        assert bob.until("plan")["lines"] == [["a1", "b2"]]
        ada.move("a1")
        ada.until_mine()
        assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]
        assert [line["text"] for message in ada.heard if message["type"] == "chat" for line in message["lines"]] == [
            "Hello!"
        ]
        assert not [message for message in ada.heard if message["type"] == "plan"]
