"""Puzzles: pages, moves that the server judges, ratings that follow from first attempts, and progress."""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.players.hint_claims import Hint
from fourcorners.study import statements
from fourcorners.study.puzzles.choice import choose_daily
from fourcorners.study.puzzles.format import Puzzle
from fourcorners.study.puzzles.knowledge import describe_facts
from fourcorners.web.application.puzzles import describe_hint, judge_puzzle
from tests.study.sample_puzzles import GAME, install_puzzles
from tests.web.client import Browser, Json, Server
from tests.web.program import Program


@pytest.fixture(autouse=True)
def puzzles() -> Iterator[tuple[Puzzle, ...]]:
    """The puzzles of one game."""
    with install_puzzles() as installed:
        yield installed


def find_wrong_move(puzzle: Puzzle) -> str:
    """Return a move that is not among the best."""
    return next(move for move in puzzle.position.moves() if move not in puzzle.best)


def ask(program: Program, puzzle: Puzzle, *moves: str, **more: bool) -> Json:
    """Post a move and return the answer."""
    body = {"game": GAME, "puzzle": puzzle.id, "moves": list(moves), **more}
    answer: Json = program.fetch("POST", "/api/puzzles", **body)
    return answer


def test_every_move_is_judged_and_only_the_first_attempt_changes_the_rating(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    puzzle = puzzles[2]
    with Program(cold_server) as program:
        opened = ask(program, puzzle)
        assert (opened["state"], opened["rating"], opened["best"]) == ("open", None, [])
        wrong = ask(program, puzzle, find_wrong_move(puzzle))
        assert wrong["state"] == "wrong"
        assert "loses at least 4 points, by proof" in wrong["feedback"]
        assert wrong["rating"] < 1500
        assert wrong["change"] == wrong["rating"] - 1500
        for move in puzzle.best:
            right = ask(program, puzzle, move)
            assert (right["state"], right["proven"], right["rating"]) == ("done", True, None)
            assert sorted(right["best"]) == sorted(puzzle.best)
        refused = ask(program, puzzle, "z9")
        assert refused["state"] == "refused"
        assert ask(program, puzzles[3], puzzles[3].best[0])["change"] > 0


def test_other_best_moves_are_named_in_notation_or_counted_after_one_in_words(puzzles: tuple[Puzzle, ...]) -> None:
    text = "table 0,0=R0or0/B2oo; hands R0x,R1o B4o; pile -; known *,* *; turn 0; passed -"
    best = tuple(f"R1o 0,0 leave:R1o r{rotation}" for rotation in (2, 1, 0))
    in_words = replace(puzzles[0], game=fc.game("squendo"), text=text, best=best, line=best[:1], value=4, next_value=1)
    other = "As good: the red circle with one black edge on the red one at 0,0 (leaving red, black east)"
    for count, words in ((3, f"{other} and 1 more. Any"), (2, f"{other}. Any"), (1, "Any")):
        feedback = judge(replace(in_words, best=best[:count]))
        assert f"</strong> {words} other move is worse by at least 3 points." in feedback
    start = fc.game("dots-and-boxes", cols=3, rows=1).start()
    edges = tuple(start.moves()[:7])
    in_notation = replace(puzzles[0], text=start.text, best=edges)
    assert f"As good: {', '.join(edges[1:6])} and 1 more. Any" in judge(in_notation)


@pytest.mark.parametrize(
    ("value", "next_value", "results"),
    [
        (3, 1, "wins by 3 with best play; any other wins by at most 1"),
        (1, 0, "wins by 1 with best play; any other draws at best"),
        (0, -2, "draws with best play; any other loses by at least 2"),
        (-1, -3, "loses by 1 with best play; any other loses by at least 3"),
    ],
)
def test_an_explanation_tells_where_the_points_come_from_and_what_a_right_move_does(
    puzzles: tuple[Puzzle, ...], value: int, next_value: int, results: str
) -> None:
    text = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "a2b2", "a1a2"]).text
    puzzle = replace(
        puzzles[0], text=text, best=("b1b2",), line=("b1b2",), value=value, next_value=next_value, themes=("captures",)
    )
    feedback = judge(puzzle)
    assert f"A best move {results}. The move takes 1 point" in feedback
    wrong = judge_puzzle(puzzle, ("c1d1",), gives_up=False).feedback
    assert f"A best move {results}." in wrong


def test_a_hint_says_what_the_best_move_does_but_not_where(puzzles: tuple[Puzzle, ...]) -> None:
    text = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "a2b2", "a1a2"]).text
    puzzle = replace(puzzles[0], text=text, best=("b1b2",), line=("b1b2",), themes=("captures",))
    assert "but the order matters. The best move takes 1 point" in hint(puzzle)
    assert "One of the best moves" in hint(replace(puzzle, best=("b1b2", "c1d1")))
    assert "A best move wins by" in hint(puzzle)
    assert hint(replace(puzzle, themes=("mixed",))) == ""
    hints = [hint(puzzle) for puzzle in puzzles]
    assert not any(move in hint for hint, puzzle in zip(hints, puzzles, strict=True) for move in puzzle.best)


def test_a_hint_says_only_what_speaks_for_the_best_move(
    puzzles: tuple[Puzzle, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [Hint("gives away 2 points"), Hint("leaves 3 edges", is_merit=True, is_vague=True)]
    facts += [Hint("takes c4", is_merit=True), Hint("ends a chain", is_merit=True)]
    monkeypatch.setattr(statements, "list_facts", lambda *_: facts)
    puzzle = replace(puzzles[0], themes=("captures",), value=99)
    assert "The best move ends a chain." in hint(puzzle)


def hint(puzzle: Puzzle) -> str:
    """Return the hint for the first move of a puzzle."""
    return describe_hint(puzzle, puzzle.first)


def judge(puzzle: Puzzle) -> str:
    """Return what is said about the first best move of a puzzle."""
    return judge_puzzle(puzzle, puzzle.best[:1], gives_up=False).feedback


def test_a_puzzle_of_several_moves_goes_on_after_the_best_defence_until_the_last_is_found(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    puzzle = puzzles[11]
    with Program(cold_server) as program:
        opened = ask(program, puzzle)
        assert (opened["found"], opened["to_find"], opened["play"]) == (0, 2, [])
        first = ask(program, puzzle, "b1c1")
        assert (first["state"], first["found"], first["to_find"], first["rating"]) == ("open", 1, 1, None)
        assert "Right, and proven: 1 of 2 moves found." in first["feedback"]
        assert first["events"] == ["Black drew a1–b1."] and len(first["patches"]) == 2
        assert "b1b2" in first["picture"]["moves"] and "a1b1" not in first["picture"]["moves"]
        assert "A best move wins by" in first["hint"] and "b1b2" not in first["hint"]
        solved = ask(program, puzzle, "b1c1", "b1b2")
        assert (solved["state"], solved["found"], solved["to_find"]) == ("done", 2, 0)
        assert "all 2 moves found" in solved["feedback"] and solved["change"] > 0
        assert [each["move"] for each in solved["play"]] == solved["line"] == list(puzzle.line)
        positions = [puzzle.position.play_line(puzzle.line[:count]) for count in range(1, len(puzzle.line) + 1)]
        facts = [describe_facts(position, puzzle.position.seat) for position in positions]
        assert [each["facts"] for each in solved["play"]] == facts and len(set(facts)) > 1


def test_a_wrong_move_at_a_later_decision_is_the_miss_of_the_first_attempt(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    puzzle = puzzles[11]
    with Program(cold_server) as program:
        wrong = ask(program, puzzle, "b1c1", "c1c2")
        assert (wrong["state"], wrong["found"]) == ("wrong", 1) and wrong["change"] < 0
        assert ask(program, puzzle, "b1c1", "b1b2")["change"] is None


def test_the_solution_is_shown_from_the_decision_on_that_was_reached(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    with Program(cold_server) as program:
        shown = ask(program, puzzles[11], "b1c1", show=True)
        assert shown["state"] == "done" and shown["change"] < 0
        assert "The best move is b1b2." in shown["feedback"] and shown["best"] == ["b1b2"]
        assert shown["line"] == list(puzzles[11].line) and len(shown["patches"]) == 3


def test_a_first_attempt_moves_a_rating_by_at_most_50_points(cold_server: Server, puzzles: tuple[Puzzle, ...]) -> None:
    with Program(cold_server) as program:
        changes = [ask(program, puzzle, puzzle.best[0])["change"] for puzzle in puzzles[:3]]
        assert changes[0] == 50 and all(0 < change <= 50 for change in changes)


def test_facts_of_all_seats_are_told_but_not_the_points_twice() -> None:
    start = fc.game("squarin-off", cols=4, rows=4, blockers=2).start()
    assert describe_facts(start, 0) == "Black 0, White 0 · blockers left: Black 2, White 2 · free edges: 40"
    marked = describe_facts(fc.game("square-off").start(), 0)
    assert "marked men" not in marked and "colour" not in marked


@pytest.mark.parametrize("more", [{"show": True}, {"helped": True}])
def test_help_before_the_first_attempt_counts_as_not_solved(
    cold_server: Server, puzzles: tuple[Puzzle, ...], more: dict[str, bool]
) -> None:
    with Program(cold_server) as program:
        answer = ask(program, puzzles[0], puzzles[0].best[0], **more)
        assert answer["state"] == "done"
        assert answer["change"] < 0


def test_unrated_attempts_and_those_without_an_identity_are_not_stored(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    with Program(cold_server) as program, Program(cold_server, None) as keyless:
        assert ask(program, puzzles[0], puzzles[0].best[0], rated=False)["rating"] is None
        assert ask(keyless, puzzles[0], puzzles[0].best[0])["rating"] is None
        assert ask(program, puzzles[0], puzzles[0].best[0])["rating"] is not None


def test_an_attempt_after_the_solution_was_shown_is_not_the_first_one(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    puzzle = puzzles[0]
    with Program(cold_server) as program:
        assert ask(program, puzzle, rated=False, show=True)["change"] < 0
        assert ask(program, puzzle, puzzle.best[0])["change"] is None


def test_unknown_puzzles_and_games_are_not_found(cold_server: Server) -> None:
    with Program(cold_server) as program, Browser(cold_server) as browser:
        for game, puzzle in ((GAME, "zzzzzzzz"), ("chess", "00000000"), ("sqez", "00000000")):
            answer = program.request("POST", "/api/puzzles", json={"game": game, "puzzle": puzzle})
            assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
            assert browser.http.get(f"/puzzles/{game}/{puzzle}").status_code == 404
        for path in ("/puzzles/chess", "/puzzles/sqez/next", "/puzzles/chess/daily", f"/puzzles/{GAME}/next?theme=x"):
            assert browser.http.get(path).status_code == 404


def test_the_list_shows_progress_by_theme_to_those_who_have_tried(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    with Browser(cold_server) as browser:
        assert "12 puzzles · 0 tried, 0 solved at once" in browser.http.get("/puzzles").text
        for puzzle, move in ((puzzles[0], puzzles[0].best[0]), (puzzles[1], find_wrong_move(puzzles[1]))):
            body = {"game": GAME, "puzzle": puzzle.id, "moves": [move]}
            assert browser.http.post("/api/puzzles", json=body).status_code == 200
        text = browser.http.get("/puzzles").text
        assert "12 puzzles · 2 tried, 1 solved at once · your puzzle rating:" in text
        assert re.search(r"Chains</strong>\s*<span[^>]*>1 of 12 solved", text)
        page = browser.http.get(f"/puzzles/{GAME}/{puzzles[1].id}").text
        assert "you have tried this one" in page


def test_the_next_puzzle_is_another_one_of_the_theme_that_was_not_tried(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    with Browser(cold_server) as browser:
        tried = puzzles[:10]
        for puzzle in tried:
            body = {"game": GAME, "puzzle": puzzle.id, "moves": [puzzle.best[0]]}
            browser.http.post("/api/puzzles", json=body)
        theme = "double-dealing"
        wanted = {puzzle.id for puzzle in puzzles[10:] if theme in puzzle.themes}
        for _ in range(5):
            location = browser.http.get(f"/puzzles/{GAME}/next?theme={theme}").headers["location"]
            assert location in {f"/puzzles/{GAME}/{puzzle}?theme={theme}" for puzzle in wanted}
            assert browser.http.get(location).status_code == 200


def test_puzzle_of_the_day_is_the_same_for_all_and_the_run_gets_harder(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    day = dt.datetime.now(dt.UTC).date().isoformat()
    daily = choose_daily(puzzles, day)
    assert daily is not None
    with Browser(cold_server) as ada, Browser(cold_server) as bo:
        locations = {visitor.http.get(f"/puzzles/{GAME}/daily").headers["location"] for visitor in (ada, bo)}
        if dt.datetime.now(dt.UTC).date().isoformat() == day:
            assert locations == {f"/puzzles/{GAME}/{daily.id}?from=daily"}
        text = ada.http.get(f"/puzzles/{GAME}/run").text
        shown = re.findall(r"&#34;puzzle&#34;:&#34;(\w{8})&#34;", text)
        assert shown == sorted(shown)
        assert len(shown) == 12
