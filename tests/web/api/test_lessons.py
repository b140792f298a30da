"""Lessons over the API: the server judges moves, remembers nothing, and refuses what is no lesson."""

from collections.abc import Iterator

import pytest

import fourcorners as fc
from fourcorners.study.lessons.format import find_lesson, list_lessons
from fourcorners.web.application.lessons import MAX_LESSON_MOVES
from tests.web.client import Json, Server
from tests.web.program import Program, read_refusal

ENDPOINT = "/api/lessons"
RULES = {"game": "dots-and-boxes", "lesson": "rules"}


@pytest.fixture
def program(module_server: Server) -> Iterator[Program]:
    """A program without an API key on the server of this module."""
    with Program(module_server, None) as opened:
        yield opened


def judge(program: Program, step: int, *moves: str, **lesson: str) -> Json:
    """Return the answer about moves in a step of the first lesson of Dots and Boxes, or of another one."""
    answer: Json = program.fetch("POST", ENDPOINT, **{**RULES, **lesson}, step=step, moves=list(moves))
    return answer


def test_start_of_a_step_is_a_picture_with_its_moves_and_the_move_that_helps(program: Program) -> None:
    answer = judge(program, 1)
    assert (answer["state"], answer["feedback"], answer["patches"], answer["next"]) == ("open", "", [], "b1b2")
    picture = answer["picture"]
    assert "b1b2" in picture["moves"] and picture["board"].startswith("<svg")
    assert "marked" in picture["board"]
    position = fc.game("dots-and-boxes", cols=3, rows=2).position(picture["text"])
    assert list(position.moves()) == picture["moves"]


def test_moves_are_done_wrong_refused_or_not_enough(program: Program) -> None:
    done = judge(program, 1, "b1b2")
    assert done["state"] == "done" and "<strong>you draw again</strong>" in done["feedback"]
    assert len(done["patches"]) == 1 and done["picture"]["moves"] == []
    wrong = judge(program, 1, "c2d2")
    assert wrong["state"] == "wrong" and wrong["picture"]["moves"] == []
    refused = judge(program, 1, "a1b1")
    assert (refused["state"], refused["feedback"]) == ("refused", "Edge a1b1 is already drawn.")
    assert "b1b2" in refused["picture"]["moves"]
    assert [judge(program, 4, *moves)["state"] for moves in (["b1b2"], ["b1b2", "c1c2", "d1d2"])] == ["open", "done"]


def test_replies_come_ply_by_ply_and_in_words(program: Program) -> None:
    answer = judge(program, 1, "g1g2", lesson="double-dealing")
    assert len(answer["patches"]) == 3
    assert answer["events"] == ["White drew f1–f2 and completed two boxes.", "White drew a2–a3."]


def test_no_picture_of_a_hidden_game_shows_another_hand(program: Program) -> None:
    for lesson in list_lessons("squendo"):
        for step in range(len(lesson.steps)):
            picture = judge(program, step, game="squendo", lesson=lesson.id)["picture"]
            game = lesson.games[step]
            view = game.view(picture["text"], picture["viewer"])
            assert view.viewer == view.seat == picture["seat"]
            assert view.text == picture["text"]  # the line of a view has no other hands


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"game": "chess"}, 404, "not-found"),
        ({"lesson": "../rules"}, 404, "not-found"),
        ({"step": 7}, 404, "not-found"),
        ({"step": -1}, 400, "unreadable"),
        ({"step": 1000}, 400, "unreadable"),
        ({"step": "0"}, 400, "unreadable"),
        ({"moves": "b1b2"}, 400, "unreadable"),
        ({"moves": ["b1b2"] * (MAX_LESSON_MOVES + 1)}, 400, "unreadable"),
        ({"moves": ["b" * 101]}, 400, "unreadable"),
        ({"move": "b1b2"}, 400, "unreadable"),
    ],
)
def test_what_is_no_lesson_or_no_list_of_moves_is_refused_in_one_sentence(
    program: Program, change: Json, status: int, code: str
) -> None:
    answer = program.request("POST", ENDPOINT, json={**RULES, "step": 0, **change})
    assert read_refusal(answer) == (status, code)


@pytest.mark.parametrize("move", ["", " ", "<b>x</b>", "a1 b2", "é" * 50, "[x](javascript:alert)"])
def test_text_that_is_no_move_is_refused_and_never_becomes_markup(program: Program, move: str) -> None:
    answer = judge(program, 1, move)
    assert answer["state"] == "refused"
    assert "<" not in answer["feedback"]


def test_progress_is_stored_for_those_who_are_known_and_only_of_lessons_that_exist(cold_server: Server) -> None:
    endpoint, length = "/api/lessons/progress", len(find_lesson(RULES["game"], RULES["lesson"]).steps)
    name = f"{RULES['game']}/{RULES['lesson']}"
    with Program(cold_server) as ada, Program(cold_server, None) as keyless:
        assert ada.fetch("POST", endpoint, lessons={name: 2, "a-game/unknown": 3}) == {"lessons": {name: 2}}
        assert ada.fetch("POST", endpoint, lessons={name: 100}) == {"lessons": {name: length}}
        assert ada.fetch("POST", endpoint, lessons={}) == {"lessons": {name: length}}
        assert keyless.fetch("POST", endpoint, lessons={name: 2}) == {"lessons": None}
        for wrong in ({name: -1}, {name: 101}, {name: "2"}, {f"a-game/{number}": 1 for number in range(201)}):
            assert ada.request("POST", endpoint, json={"lessons": wrong}).status_code == 400
