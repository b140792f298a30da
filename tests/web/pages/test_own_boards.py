"""The home page of a returning player: own games as boards, and what comes next."""

from types import SimpleNamespace
from typing import cast

import pytest

from fourcorners.study.lessons.format import list_lessons
from fourcorners.web.application.lessons import find_next_lesson
from fourcorners.web.domain.table import Table
from fourcorners.web.pages import own_boards
from fourcorners.web.pages.miniatures import draw_miniature
from fourcorners.web.pages.own_boards import draw_own_boards
from fourcorners.web.realtime.rooms import Rooms
from tests.require import require
from tests.web.accounts import Visit, get_player_id
from tests.web.client import Server

TWO = {"seat-0": "person", "seat-1": "person", "name-1": "Ben", "who-begins": "order"}
NEXT = ("Next puzzle", "Next lesson")


def test_newcomer_gets_a_board_to_play_on_and_a_returning_player_what_comes_next(visit: Visit) -> None:
    http = visit()
    text = http.get("/").text
    assert 'id="first"' in text and not any(title in text for title in NEXT)
    http.post("/games/sqez", data=TWO)
    text = http.get("/").text
    assert 'id="first"' not in text and all(title in text for title in NEXT)
    assert text.index("Continue: your turn") < text.index("Next puzzle") < text.index("Puzzle of the day")
    assert 'aria-label="Next puzzle: Sqez"' in text


def test_player_who_has_only_begun_a_lesson_goes_on_there_and_then_with_the_next_one(visit: Visit) -> None:
    http, (lesson, following) = visit(), list_lessons("square-off")[:2]
    for steps, expected in ((1, lesson), (len(lesson.steps), following)):
        http.post("/api/lessons/progress", json={"lessons": {lesson.name: steps}})
        text = http.get("/").text
        assert "Welcome back" in text
        assert f'href="/learn/{expected.name}" aria-label="Next lesson: {expected.title}"' in text
        assert (f"step 2 of {len(lesson.steps)}" in text) == (steps == 1)
    done = {each.name: len(each.steps) for each in list_lessons("square-off")}
    assert find_next_lesson(["square-off"], done) is None


def test_boards_show_what_the_player_may_see_and_are_drawn_once(
    cold_server: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = visit()
    address = http.post("/games/squendo", data={"seat-0": "person", "seat-1": "computer"}).headers["location"]
    row = require(cold_server.context.store.load_table(address.removeprefix("/play/")))
    player = get_player_id(http)
    drawn = draw_own_boards(cold_server.rooms, [row], player)
    table = Table(row)
    (seat,) = row.list_seats(player)
    # Before a game with hidden hands starts, everyone is a spectator.
    viewer = seat if table.started is not None else None
    assert drawn == {row.id: draw_miniature(table.match.game, table.match.position.view(viewer))}
    assert drawn[row.id] in http.get("/").text
    monkeypatch.setattr(own_boards, "draw_miniature", None)
    assert draw_own_boards(cold_server.rooms, [row], player) == drawn


def test_board_is_that_of_the_stored_version_even_if_the_table_in_memory_is_older(
    cold_server: Server, visit: Visit
) -> None:
    http = visit()
    table_id = http.post("/games/sqez", data=TWO).headers["location"].removeprefix("/play/")
    older = Table(require(cold_server.context.store.load_table(table_id)))
    move = older.match.position.moves()[0]
    body = {"id": "a", "version": older.version, "move": move}
    assert http.post(f"/api/tables/{table_id}/move", json=body).status_code == 200
    row = require(cold_server.context.store.load_table(table_id))
    rooms = SimpleNamespace(
        opened={table_id: SimpleNamespace(session=SimpleNamespace(cached_table=older))}, context=cold_server.context
    )
    expected = draw_miniature(older.match.game, older.match.position.play(move).view(0))
    assert draw_own_boards(cast("Rooms", rooms), [row], get_player_id(http)) == {table_id: expected}


def test_game_that_takes_too_long_to_replay_is_listed_without_a_board(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = visit()
    monkeypatch.setattr(own_boards, "_SECONDS", 0.0)
    address = http.post("/games/sqez", data=TWO).headers["location"]
    text = http.get("/").text
    assert f'<a href="{address}" class="own-turn"><span class="board-place"></span>' in text
    monkeypatch.undo()
    text = http.get("/").text
    assert f'<a href="{address}" class="own-turn"><span class="board-place"><span class="fc-scene game-sqez' in text
