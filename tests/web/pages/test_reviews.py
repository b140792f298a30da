"""Reviews of finished games on a page without scripts and in the API: for everyone, and never of a running game."""

import itertools
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from types import SimpleNamespace

import pytest

import fourcorners as fc
from fourcorners.core.errors import GameError
from fourcorners.study.json_report import SCHEMA
from fourcorners.web.api.models.study import ReviewAnswer
from fourcorners.web.application import reviews, running_games
from fourcorners.web.application.table_setup import build_study
from fourcorners.web.engine import services
from fourcorners.web.engine.work_queue import CpuBudget
from fourcorners.web.store import Store, StoredReview
from tests.require import require
from tests.waiting import wait_until
from tests.web.client import Browser, Json, Server, StartServer, seat_two
from tests.web.program import Program

MOVES = ["a1b1", "a1a2", "a2b2", "b1b2"]
ERRORS_OF_BOTH = [(0, "a2b2"), (1, "b1b2"), (0, "b1c1"), (1, "b2c2"), (0, "c1c2"), (0, "a1a2"), (1, "a1b1")]
"""A game for two boxes in which each seat errs with its first move."""


@pytest.fixture(autouse=True)
def _quick_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let reviews take few simulations, because nothing is compiled."""
    monkeypatch.setattr(reviews, "NODES", 5)


@pytest.fixture
def server(start_cold: StartServer) -> Server:
    """A server of this test alone."""
    return start_cold()


@pytest.fixture
def ada(server: Server) -> Iterator[Browser]:
    """A guest."""
    with Browser(server) as browser:
        yield browser


def play_game(browser: Browser, moves: int = len(MOVES)) -> str:
    """Play the first moves of a game of one box, which has four, and return the id of the table."""
    names = {"name-0": "Ada", "name-1": "Bo"}
    table = browser.begin_table("dots-and-boxes", cols="1", rows="1", seat_0="person", seat_1="person", **names)
    with browser.open_table(table) as socket:
        for move in MOVES[:moves]:
            socket.move(move)
    return table


def await_review(fetch: Callable[[], Json]) -> Json:
    """Ask until a review is finished, and return the last answer."""
    answers: list[Json] = []

    def is_finished() -> bool:
        answers.append(fetch())
        assert answers[-1]["state"] in {"running", "finished"}, answers[-1]
        return bool(answers[-1]["state"] == "finished")

    wait_until(is_finished, pause=0.1)  # a program may ask only so often
    return answers[-1]


def review_table(server: Server, table: str) -> Json:
    """Have the game of a table reviewed by someone else, and return the answer of the API."""
    with Program(server) as program:
        program.fetch("POST", f"/api/tables/{table}/review")
        return await_review(partial(program.fetch, "GET", f"/api/tables/{table}/review"))


def test_anybody_can_have_a_game_reviewed_by_the_api_and_it_is_stored(server: Server, ada: Browser) -> None:
    table = play_game(ada)
    with Program(server, None) as keyless:
        path = f"/api/tables/{table}/review"
        before = keyless.fetch("GET", path)
        assert before == {
            "state": "none",
            "plies": 4,
            "judged": 0,
            "errors": 0,
            "sentence": "",
            "compiled": 1.0,
            "ahead": 0,
            "review": None,
        }
        assert keyless.fetch("POST", path)["state"] == "running"
        answer = await_review(partial(keyless.fetch, "GET", path))
    assert (answer["plies"], answer["judged"]) == (4, 4)
    review = answer["review"]
    assert review["schema"] == SCHEMA
    assert [move["move"] for move in review["moves"]] == MOVES
    assert [player["name"] for player in review["players"]] == ["Ada", "Bo"]
    wait_until(lambda: server.context.store.load_review(table) is not None)
    kept = json.loads(require(server.context.store.load_review(table)).text)
    assert kept.pop("positions")
    assert kept == review
    assert set(ReviewAnswer.__struct_fields__) == set(answer)


def test_a_stored_review_is_read_again_after_a_restart(server: Server, ada: Browser) -> None:
    table = play_game(ada)
    review = review_table(server, table)["review"]
    wait_until(lambda: server.context.store.load_review(table) is not None)
    server.context.engine.reviews.results.clear()
    with Program(server, None) as keyless:
        answer = keyless.fetch("POST", f"/api/tables/{table}/review")
    assert answer["state"] == "finished"
    assert answer["review"] == review


def test_a_review_in_an_earlier_schema_is_not_shown_but_made_again(server: Server, ada: Browser) -> None:
    table, store, sentence = play_game(ada), server.context.store, "An earlier version of this site reviewed this game."
    row = require(store.load_table(table))
    text = '{"schema": "fourcorners review 1", "moves": []}'
    stored = StoredReview(max(event.version for event in row.events), "fourcorners review 1", text, 1.0)
    assert store.save_review(table, stored, ["Ada", "Bo"]).result(30)
    before = ada.http.get(f"/play/{table}/review").text
    assert sentence in before and "Review this game</button>" in before
    with Program(server, None) as keyless:
        answer = keyless.fetch("GET", f"/api/tables/{table}/review")
    assert (answer["state"], answer["review"]) == ("none", None) and answer["sentence"].startswith(sentence)
    review_table(server, table)
    wait_until(lambda: require(store.load_review(table)).format == SCHEMA)
    assert sentence not in ada.http.get(f"/play/{table}/review").text


def test_a_review_is_made_of_one_replay_and_shown_from_the_database_without_any(
    server: Server, ada: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, path = play_game(ada), "/play/{}/review"
    played: list[str] = []
    play = fc.Match.play

    def count(match: fc.Match, move: str, seat: int | None = None) -> fc.Position:
        """Note a move that is replayed."""
        played.append(move)
        return play(match, move, seat)

    monkeypatch.setattr(fc.Match, "play", count)
    review_table(server, table)
    assert played == MOVES
    wait_until(lambda: server.context.store.load_review(table) is not None)
    for shown in ("", "?ply=2", "/1", "/1/board.svg", "/report", "/mistakes", "/moves/2"):
        server.context.engine.reviews.results.clear()
        answer = ada.http.get(f"{path.format(table)}{shown}")
        assert answer.status_code == 200, shown
    assert played == MOVES


def test_a_review_is_compared_with_running_games_by_hashes_that_are_made_once_and_in_turn(
    server: Server, ada: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, hashed = play_game(ada), list[int]()

    def count(positions: Sequence[fc.Position], check: Callable[[], None]) -> list[tuple[int, ...]]:
        """Note how many positions are hashed."""
        hashed.append(len(positions))
        return running_games.hash_images(positions, check)

    monkeypatch.setattr(reviews, "hash_images", count)
    review_table(server, table)
    for _ in range(3):
        assert ada.http.get(f"/play/{table}/review").status_code == 200
    assert hashed == [5]
    server.context.engine.review_hashes.clear()
    monkeypatch.setattr(server.context.replaying, "limits", server.context.replaying.limits._replace(per_player=0))
    assert ada.http.get(f"/play/{table}/review").status_code == 503
    assert hashed == [5]


def test_the_page_without_scripts_has_a_button_then_the_report_with_every_move(server: Server, ada: Browser) -> None:
    table = play_game(ada)
    path = f"/play/{table}/review"
    with Browser(server) as visitor:
        before = visitor.http.get(path)
        assert f'<form method="post" action="{path}">' in before.text
        started = visitor.http.post(path)
        assert (started.status_code, started.headers["location"]) == (303, path)
        wait_until(lambda: 'data-state="finished"' in visitor.http.get(f"{path}/report").text)
        text = visitor.http.get(path, params={"ply": "2"}).text
        assert "Expected margin for Ada, the first player" in text
        assert re.search(r'<h2 id="shown-title">2\. Bo: a1a2', text)
        assert 'value="2"' in text
        links = set(re.findall(r'href="(\?ply=\d+)#shown"', text))
        assert links == {f"?ply={ply}" for ply in (1, 2, 3, 4)}
        pictures = set(re.findall(rf'src="({path}[^"]+)"', text))
        # One board: after the move and, if it is an error, after a better one, in both themes.
        assert len(pictures) == (4 if 'value="better"' in text else 2)
        for address in pictures:
            assert visitor.http.get(address.replace("&amp;", "&")).text.startswith("<svg")
        fragment = visitor.http.get(f"{path}/3").text
        assert "3. Ada: a2b2" in fragment
        assert "<html" not in fragment


def test_end_card_gets_the_move_that_turned_the_game_only_from_a_finished_review_that_has_proven_it(
    server: Server, ada: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = ["a1a2", "a2b2", "c1c2", "b2c2", "a1b1", "b1c1", "b1b2"]
    names = {"name-0": "Ada", "name-1": "B<o"}
    table = ada.begin_table("dots-and-boxes", cols="2", rows="1", seat_0="person", seat_1="person", **names)
    path, found = f"/play/{table}/review", server.context.engine.reviews.results
    with ada.open_table(table) as socket:
        for move in moves[:-1]:
            socket.move(move)
        assert ada.http.get(f"{path}/turn").status_code == 422, "the game is still running"
        socket.move(moves[-1])
    answer = ada.http.get(f"{path}/turn")
    assert (answer.status_code, answer.text) == (200, "")
    review_table(server, table)
    text = ada.http.get(f"{path}/turn").text
    assert "Move 6, b1c1, turned the game: before it “B&lt;o” (White) was winning, " in text
    assert f'<a href="{path}?ply=6#shown" data-ply="6">See where it turned</a>' in text
    with monkeypatch.context() as patch:
        patch.setattr(reviews, "find_hashed", find_position_before_turn)
        assert ada.http.get(f"{path}/turn").text == ""
    ((key, review),) = found.items()
    turn = require(review.turn)
    guess = replace(turn, loss=require(turn.loss)._replace(exact=False))
    found[key] = replace(review, moves=tuple(guess if move == turn else move for move in review.moves))
    assert "turned the game" in ada.http.get(path).text
    assert ada.http.get(f"{path}/turn").text == ""


async def find_position_before_turn(_: object, hashes: Sequence[object]) -> list[bool]:
    """Say that a running game has the position before the turning move."""
    return [number == 5 for number in range(len(hashes))]


def read_errors(text: str) -> set[str]:
    """Return the names of the moves that a page lists as mistakes."""
    listed = re.search(r'<section class="mistakes".*?</section>', text, re.DOTALL)
    return set(re.findall(r'data-ply="\d+"[^>]*>([^<]+)</a>', require(listed)[0]))


def test_a_player_is_called_you_and_sees_the_own_mistakes_until_all_are_wanted(server: Server, ada: Browser) -> None:
    with Browser(server) as bob:
        sockets = seat_two(ada, bob, "dots-and-boxes", cols="2", rows="1")
        table = sockets[0].table
        with sockets[0], sockets[1]:
            for seat, move in ERRORS_OF_BOTH:
                while sockets[seat].state["seat"] != seat:
                    sockets[seat].receive_next()
                sockets[seat].move(move)
        path = f"/play/{table}/review"
        review_table(server, table)
        text = bob.http.get(path).text
        assert read_errors(text) == {"2. You: b1b2"}
        assert '<h2 id="mistakes">Your mistakes</h2>' in text and '<h2 id="shown-title">2. You: b1b2' in text
        assert "Bob" not in text.partition('<div id="report"')[2]
        assert "better for you" in text and "Learn from your mistakes" in text
        assert read_errors(bob.http.get(path, params={"all": "1"}).text) == {"1. Ada: a2b2", "2. You: b1b2"}
        assert "Your mistakes" in bob.http.get(f"{path}/mistakes?seat=2").text
        assert "See where it turned" not in text, "the game is drawn"
    with Browser(server) as visitor:
        assert read_errors(visitor.http.get(path).text) == {"1. Ada: a2b2", "2. Bob: b1b2"}


def test_page_says_how_many_other_reviews_come_first(
    server: Server, ada: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    make_review = reviews._make_review
    monkeypatch.setattr(reviews, "_make_review", lambda *args: go_on.wait() and make_review(*args))
    path = f"/play/{play_game(ada)}/review"
    with Browser(server) as bob:
        bob.http.post(f"/play/{play_game(bob)}/review")
        ada.http.post(path)
        waiting = ada.http.get(path).text
        assert "Waiting for at most 1 other review." in waiting
        assert '<progress id="progress"></progress>' in waiting
        go_on.set()
        wait_until(lambda: 'data-state="finished"' in ada.http.get(f"{path}/report").text)


def test_page_without_scripts_has_the_sentences_of_all_errors(server: Server, ada: Browser) -> None:
    table = play_game(ada)
    review = review_table(server, table)["review"]
    text = re.sub(r"</?code>", "", ada.http.get(f"/play/{table}/review").text)
    sentences = [statement["text"] for move in review["moves"] for statement in move["statements"]]
    assert all(escape(sentence) in text for sentence in sentences)


@pytest.mark.parametrize("path", ["?ply=5", "?ply=0", "?ply=x", "/5", "/x", "/5/board.svg"])
def test_a_move_that_the_game_does_not_have_is_not_found(server: Server, ada: Browser, path: str) -> None:
    table = play_game(ada)
    review_table(server, table)
    answer = ada.http.get(f"/play/{table}/review{path}")
    assert answer.status_code == 404
    assert "There is no such move in this review." in answer.text


def test_wrong_colours_of_a_picture_are_refused(server: Server, ada: Browser) -> None:
    table = play_game(ada)
    review_table(server, table)
    answer = ada.http.get(f"/play/{table}/review/1/board.svg", params={"theme": "<b>"})
    assert answer.status_code == 400
    assert "<b>" not in answer.text


def test_a_running_game_is_not_reviewed_for_anybody(server: Server, ada: Browser) -> None:
    table = play_game(ada, 3)
    for method, path in (("GET", "review"), ("POST", "review"), ("GET", "review/1"), ("GET", "review/report")):
        answer = ada.http.request(method, f"/play/{table}/{path}")
        assert answer.status_code == 422
        assert "The game is still running: only finished games can be reviewed." in answer.text
    with Program(server) as program:
        for method in ("GET", "POST"):
            answer = program.request(method, f"/api/tables/{table}/review")
            assert (answer.status_code, answer.json()["code"]) == (422, "running")


def test_a_takeback_after_the_end_takes_the_review_away(server: Server, ada: Browser) -> None:
    table = play_game(ada)
    review_table(server, table)
    with ada.open_table(table) as socket:
        assert socket.send_command("undo")["type"] == "done"
        with Program(server) as program:
            assert program.request("GET", f"/api/tables/{table}/review").json()["code"] == "running"
            while socket.state["over"]:
                socket.receive_next()
            socket.move("b1b2")
            answer = program.fetch("GET", f"/api/tables/{table}/review")
            assert (answer["state"], answer["plies"]) == ("none", 4)


def test_tables_that_do_not_exist_and_games_without_a_move_are_refused(server: Server, ada: Browser) -> None:
    assert ada.http.get("/play/missing/review").status_code == 404
    table = play_game(ada, 0)
    with ada.open_table(table) as socket:
        assert socket.send_command("resign", seat=0)["type"] == "done"
    with Program(server) as program:
        assert program.request("GET", "/api/tables/missing/review").status_code == 404
        answer = program.request("POST", f"/api/tables/{table}/review")
    assert answer.status_code == 422


def store_study(store: Store, match: fc.Match) -> str:
    """Store the record of a match as someone opens it, and return the id of the table."""
    row = build_study(match, "0" * 64, 1.0)
    store.add_table(row).result(30)
    return row.id


def test_hidden_hands_of_a_running_game_are_in_no_answer_and_a_finished_one_is_reviewed_from_its_public_record(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewed: list[fc.Record] = []

    def note_record(match: fc.Match, *_: object, **__: object) -> fc.Review:
        """Note what would be reviewed."""
        reviewed.append(fc.Record.of(match))
        raise GameError("noted")

    monkeypatch.setattr(reviews, "study", SimpleNamespace(review=note_record))
    match, rng = fc.Match(fc.game("squendo"), ["Ada", "Bo"], seed=3), random.Random(3)
    match.play(rng.choice(match.position.moves()))
    running = store_study(server.context.store, match)
    match.resign(match.seat or 0)
    finished = store_study(server.context.store, match)
    with Browser(server) as visitor, Program(server) as program:
        texts = [
            visitor.http.get(f"/play/{running}/review{path}").text for path in ("", "/1", "/1/board.svg", "/report")
        ]
        texts += [program.request(method, f"/api/tables/{running}/review").text for method in ("GET", "POST")]
        assert all("still running" in text for text in texts)
        hands = [match.position.view(seat).text for seat in (0, 1)]
        assert not [text for text in texts for hand in (*hands, *match.deck) if hand in text]
        assert not reviewed
        path = f"/api/tables/{finished}/review"
        program.fetch("POST", path)
        wait_until(lambda: bool(program.fetch("GET", path)["state"] == "failed"))
        assert reviewed == [fc.Record.parse(visitor.http.get(f"/play/{finished}/record").text)]


def test_too_many_reviews_are_refused_in_a_sentence(server: Server, ada: Browser) -> None:
    table = play_game(ada)
    with Program(server) as program:
        answers = [program.request("POST", f"/api/tables/{table}/review") for _ in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert "Too many reviews" in answers[-1].json()["sentence"]


def test_page_stays_and_says_why_next_to_the_button_if_a_review_cannot_begin_now(
    server: Server, ada: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = play_game(ada)
    path = f"/play/{table}/review"
    with monkeypatch.context() as patch:
        limits = services.REVIEW_LIMITS._replace(per_player=0)
        patch.setattr(server.context.engine.reviews.queue, "limits", limits)
        answers = [ada.http.post(path) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [503] * 20 + [429]
    for answer, sentence in ((answers[0], "Too many games are being reviewed"), (answers[-1], "Too many reviews.")):
        assert int(answer.headers["retry-after"]) > 0
        form, notice = f'<form method="post" action="{path}">', f'<p class="wrong" id="refusal" role="alert">{sentence}'
        assert form in answer.text and notice in answer.text and 'aria-describedby="refusal"' in answer.text
    assert "refusal" not in ada.http.get(path).text


def test_a_review_counts_processor_time_so_that_a_busy_server_judges_all_moves(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Browser(cold_server) as ada:
        table = play_game(ada)
    row = require(cold_server.context.store.load_table(table))
    beats = itertools.count()
    # By the clock on the wall an hour passes with each look at it.
    monkeypatch.setattr(time, "perf_counter", lambda: 3600.0 * next(beats))
    review = reviews._make_review(row, CpuBudget(threading.Event(), 600.0), lambda _: None)
    assert review.is_complete and review.judged_plies == len(MOVES)
