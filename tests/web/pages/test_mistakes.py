"""Learning from mistakes, and asking why not another move: pages, and moves that the server judges."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.study.alternatives import Attempt
from fourcorners.study.labels import ERRORS
from fourcorners.study.review import Review
from fourcorners.web.application import attempts, reviews
from fourcorners.web.application.exercises import open_exercise, reject_move
from tests.require import require
from tests.study.games import Minimax
from tests.web.client import Browser, Json, Server
from tests.web.pages.test_reviews import review_table
from tests.web.program import Program

MOVES = ("a1b1", "b1c1", "a2b2", "a1a2", "b1b2", "b2c2", "c1c2")
"""A game for two boxes in which the second player gives both away."""


@pytest.fixture(scope="module")
def table(module_server: Server) -> str:
    """A game that was played, and reviewed with few simulations because nothing is compiled; the id of its table."""
    table = play_game(module_server)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reviews, "NODES", 5)
        review_table(module_server, table)
    return table


def play_game(server: Server) -> str:
    """Play a game, and return the id of its table."""
    with Browser(server) as browser:
        names = {"name-0": "Ada", "name-1": "Bo"}
        table = browser.begin_table("dots-and-boxes", cols="2", rows="1", seat_0="person", seat_1="person", **names)
        with browser.open_table(table) as socket:
            for move in MOVES:
                socket.move(move)
    return table


def ask(server: Server, table: str, kind: str, **body: Any) -> Json:
    """Post a move to one of the two endpoints and return the answer."""
    with Program(server, None) as keyless:
        answer: Json = keyless.request("POST", f"/api/tables/{table}/review/{kind}", json=body).json()
        return answer


def test_each_move_in_place_of_a_mistake_is_judged_by_proof_and_equally_good_ones_are_accepted(
    module_server: Server, table: str
) -> None:
    review = review_table(module_server, table)["review"]
    minimax = Minimax()
    mistake = [move for move in review["moves"] if move["label"] in ERRORS][-1]
    ply = mistake["ply"]
    with Browser(module_server) as visitor:
        text = visitor.http.get(f"/play/{table}/review/mistakes?seat={mistake['seat'] + 1}&inaccuracies=1").text
    assert f"&#34;ply&#34;:{ply}}}" in text
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(MOVES[:ply])
    opened = ask(module_server, table, "attempts", ply=ply)
    assert opened["state"] == "open"
    assert sorted(opened["picture"]["moves"]) == position.moves()
    sign = 1 if position.seat == 0 else -1
    best = sign * minimax.find_margin(position)
    for move in position.moves():
        answer = ask(module_server, table, "attempts", ply=ply, moves=[move])
        is_best = sign * minimax.find_margin(position.play(move)) == best
        assert (answer["state"], answer["proven"]) == ("done" if is_best else "wrong", True)
        assert answer["feedback"]
        assert answer["patches"]
        other = ask(module_server, table, "alternatives", ply=ply, move=move)
        assert (other["move"]["loss"]["points"]["value"] == 0) == is_best
    shown = ask(module_server, table, "attempts", ply=ply, show=True)
    assert shown["state"] == "done"
    assert sign * minimax.find_margin(position.play(shown["best"][0])) == best


def test_estimated_move_is_right_if_the_review_found_none_better_and_else_good_enough(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "NODES", 5)
    table = play_game(cold_server)
    moves = review_table(cold_server, table)["review"]["moves"]
    mistake = [move for move in moves if move["label"] in ERRORS][-1]

    def accept(review: Review, ply: int, move: str, *_: Any, **__: Any) -> Attempt:
        return Attempt(replace(review.moves[ply], move=move), is_accepted=True, is_proven=False)

    monkeypatch.setattr(attempts, "judge_attempt", accept)
    best = mistake["best_moves"][0]
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(MOVES[: mistake["ply"]])
    worse = next(move for move in position.moves() if move not in mistake["best_moves"])
    for move, words in (
        (best, "Right, by estimate:</strong> the review has found no better move."),
        (worse, "Good enough, by estimate:</strong> this move seems as good as the best one"),
    ):
        assert words in ask(cold_server, table, "attempts", ply=mistake["ply"], moves=[move])["feedback"]


WRONG_QUESTIONS: list[tuple[str, Json, int, str]] = [
    ("attempts", {"ply": 7}, 422, "it must be 0 to 6"),
    ("attempts", {"ply": -1}, 400, "cannot be read"),
    ("attempts", {"ply": 0, "moves": ["x" * 101]}, 400, "cannot be read"),
    ("alternatives", {"ply": 0, "move": "z9"}, 422, "z9"),
    ("alternatives", {"ply": 2, "move": "a1b1"}, 422, "already drawn"),
    ("alternatives", {"ply": 2}, 400, "cannot be read"),
]


def test_wrong_questions_are_refused_in_one_sentence(module_server: Server, table: str) -> None:
    for kind, body, status, sentence in WRONG_QUESTIONS:
        with Program(module_server, None) as keyless:
            answer = keyless.request("POST", f"/api/tables/{table}/review/{kind}", json=body)
        assert answer.status_code == status, (kind, body)
        assert sentence in answer.json()["sentence"]


def test_an_illegal_attempt_is_refused_with_its_reason(module_server: Server, table: str) -> None:
    answer = ask(module_server, table, "attempts", ply=2, moves=["a1b1"])
    assert answer["state"] == "refused"
    assert "already drawn" in answer["feedback"]


def test_without_a_finished_review_nothing_is_judged(module_server: Server) -> None:
    table = play_game(module_server)
    answer = ask(module_server, table, "attempts", ply=0, moves=["a1a2"])
    assert answer["code"] == "not-reviewed"
    with Browser(module_server) as visitor:
        assert visitor.http.get(f"/play/{table}/review/mistakes").status_code == 404


def test_pages_link_each_other_and_players_who_do_not_exist_are_not_found(module_server: Server, table: str) -> None:
    with Browser(module_server) as visitor:
        text = visitor.http.get(f"/play/{table}/review").text
        links = set(re.findall(rf'href="(/play/{table}/review/[^"#]+)"', text))
        assert links
        for link in links:
            assert visitor.http.get(link).status_code == 200
        assert re.search(r'href="/learn/dots-and-boxes/[a-z-]+">Lesson: ', text)
        assert 'data-why-not="' in text
        for seat in ("0", "3", "x"):
            assert visitor.http.get(f"/play/{table}/review/mistakes?seat={seat}").status_code == 404
        assert visitor.http.get(f"/play/{table}/review/moves/8").status_code == 404


def test_answers_show_nothing_of_other_hands_and_the_pile() -> None:
    """Seat 0 sees the same in both games, and draws the same tile, but the other hand and the pile are exchanged."""
    game = fc.game("squendo")
    deck = game.deck(seed=4)
    hidden = (*deck[4:8], *deck[9:])[::-1]
    positions = []
    answers = []
    for tiles in (deck, (*deck[:4], *hidden[:4], deck[8], *hidden[4:])):
        position = game.start(deck=tiles)
        positions.append(position)
        move = position.moves()[0]
        answers.append((open_exercise(position), reject_move(position, [move], "It loses.", proven=False)))
        assert position.play(move).view(0).text == game.start(deck=deck).play(move).view(0).text
    assert positions[0].text != positions[1].text
    assert answers[0] == answers[1]
    assert deck[0] in str(answers[0][0])


def test_exercises_begin_with_the_mistake_that_is_asked_for(module_server: Server, table: str) -> None:
    with Browser(module_server) as visitor:
        path = f"/play/{table}/review/mistakes?seat=2&inaccuracies=1"
        text = visitor.http.get(path).text
        plies = [int(ply) for ply in re.findall(r"&#34;ply&#34;:([0-9]+)}", text)]
        assert len(plies) > 1 and 'data-first="0"' in text
        for number, ply in enumerate(plies):
            assert f'data-first="{number}"' in visitor.http.get(f"{path}&ply={ply + 1}").text
        assert visitor.http.get(f"{path}&ply=8").status_code == 404


def test_analysis_of_a_reviewed_game_has_its_errors_as_marks(module_server: Server, table: str) -> None:
    review = review_table(module_server, table)["review"]
    with Browser(module_server) as visitor:
        text = visitor.http.get(f"/play/{table}/analysis").text
    opened = json.loads(require(re.search(r'<script type="application/json" id="opened">(.*?)</script>', text))[1])
    labels = [move["label"] for move in review["moves"]]
    assert [node["move"] for node in opened["nodes"][1:]] == list(MOVES)
    assert [list(node.get("marks", [])) for node in opened["nodes"][1:]] == [
        [label] if label in ERRORS else [] for label in labels
    ]
