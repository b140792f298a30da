"""Reviews as text, JSON and HTML."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.study.evaluation import Evaluation, Interval
from fourcorners.study.graph import draw_graph
from fourcorners.study.html_report import Report, build_html
from fourcorners.study.json_reader import read_json
from fourcorners.study.json_report import SCHEMA, build_json
from fourcorners.study.labels import Label
from fourcorners.study.statements import Check, Statement
from fourcorners.study.stored_positions import write_positions
from tests.cli.test_commands import run_command, run_failing_command
from tests.study.games import play_random_match, review_small_game


class Page(HTMLParser):
    """The elements of a page that tests ask for."""

    def __init__(self, text: str) -> None:
        """Parse a page."""
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def list_values(self, tag: str, name: str) -> list[str]:
        """Return the values of an attribute of all elements with a tag."""
        return [attributes[name] or "" for each, attributes in self.tags if each == tag and name in attributes]


def test_the_json_has_every_move_with_its_statements_and_can_be_written() -> None:
    review = review_small_game()
    data = json.loads(json.dumps(build_json(review), allow_nan=False))
    assert data["schema"] == SCHEMA
    assert fc.Record.parse(data["record"]) == review.record
    assert [move["move"] for move in data["moves"]] == [move.move for move in review.moves]
    for move, entry in zip(review.moves, data["moves"], strict=True):
        assert move.loss is not None
        assert entry["loss"]["points"]["value"] == move.loss.points.value
        assert entry["label"] == move.label
        assert [statement["line"] for statement in entry["statements"]] == [list(s.line) for s in move.statements]
    assert [player["seat"] for player in data["players"]] == [0, 1]
    assert sum(sum(player["labels"].values()) for player in data["players"]) == len(review.moves)


def test_the_page_needs_nothing_from_elsewhere_and_every_link_leads_somewhere() -> None:
    review = review_small_game()
    text = build_html(review)
    page = Page(text)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "link", "iframe", "object"}
    addresses = page.list_values("img", "src") + page.list_values("source", "srcset")
    assert addresses
    assert all(address.startswith("data:image/svg+xml;base64,") for address in addresses)
    assert re.search(r"url\(|@import", text) is None
    ids = {value for _, attributes in page.tags for name, value in attributes.items() if name == "id"}
    links = page.list_values("a", "href")
    assert {f"#ply-{move.ply + 1}" for move in review.errors} <= set(links)
    assert all(link[1:] in ids for link in links)


def test_the_page_has_a_table_of_all_moves_and_descriptions_of_all_pictures() -> None:
    review = review_small_game()
    page = Page(build_html(review))
    assert sum(tag == "tr" for tag, _ in page.tags) == 1 + len(review.moves)
    assert all(page.list_values("img", "alt"))
    assert len(page.list_values("img", "alt")) == 2 * len(review.errors)
    # One of the two is shown: each error has a choice between them, and no other error's.
    names = page.list_values("input", "name")
    assert len(names) == 2 * len(review.errors) and len(set(names)) == len(review.errors)


def test_names_are_escaped_in_the_page() -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=1, rows=1), ["<b>&", "<script>alert(1)</script>"])
    for move in ("a1b1", "a1a2", "a2b2", "b1b2"):
        match.play(move)
    text = build_html(fc.review(match, nodes=5, seed=1))
    assert "<script" not in text
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;" in text


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sqez", {"cols": 6, "rows": 6}),
        pytest.param("squendo", {}, marks=pytest.mark.ci),
        pytest.param("squarin-off", {"cols": 3, "rows": 2, "players": 3}, marks=pytest.mark.ci),
        pytest.param("square-off", {}, marks=pytest.mark.ci),
    ],
)
def test_every_kind_of_game_has_a_page(name: str, options: dict[str, Any]) -> None:
    review = fc.review(play_random_match(name, 3, **options), nodes=4, seed=1)
    page = Page(build_html(review))
    assert sum(tag == "tr" for tag, _ in page.tags) == 1 + len(review.moves)
    json.dumps(build_json(review), allow_nan=False)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return the path of the record of a small game."""
    path = tmp_path / "game.txt"
    path.write_text(str(play_random_match("dots-and-boxes", 5, cols=2, rows=1).record()), encoding="utf-8")
    return path


def test_the_command_prints_the_errors_and_writes_a_page(record: Path, tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    completed = run_command("review", str(record), "--nodes", "5", "--seed", "1", "--html", str(page))
    assert completed.returncode == 0, completed
    for move in review_small_game().errors:
        assert f"{move.ply + 1}. seat {move.seat}: {move.move}" in completed.stdout
        for statement in move.statements:
            assert statement.text in " ".join(completed.stdout.split())
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_command_prints_json(record: Path) -> None:
    data = json.loads(run_command("review", str(record), "--nodes", "5", "--seed", "1", "--json").stdout)
    assert {**data, "seconds": 0} == {**build_json(review_small_game()), "seconds": 0}


def test_the_command_reviews_a_game_that_was_broken_off(tmp_path: Path) -> None:
    broken_off = tmp_path / "game.txt"
    text = 'fourcorners record 1\ngame: dots-and-boxes\noptions: {"cols": 2, "rows": 1}\n\n1 0 a1b1\n2 1 a2b2\n'
    broken_off.write_text(text, encoding="utf-8")
    page = tmp_path / "review.html"
    completed = run_command("review", str(broken_off), "--nodes", "5", "--seed", "1", "--html", str(page))
    assert "2 moves. The game is not over." in completed.stdout
    assert "ot finished" in page.read_text(encoding="utf-8")


def test_the_command_refuses_games_without_moves_and_wrong_limits_in_one_sentence(record: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("fourcorners record 1\ngame: dots-and-boxes\n\n", encoding="utf-8")
    assert "a game of 0 moves cannot be reviewed" in run_failing_command("review", str(empty), status=2)
    assert "--seconds 0 is not allowed" in run_failing_command("review", str(record), "--seconds", "0", status=2)
    assert "cannot be read" in run_failing_command("review", str(tmp_path / "missing.txt"))
    unwritable = str(tmp_path / "no" / "page.html")
    assert "cannot be written" in run_failing_command("review", str(record), "--nodes", "5", "--html", unwritable)


def test_the_json_is_read_back_as_the_review_with_its_positions() -> None:
    review = review_small_game()
    data = json.loads(json.dumps(build_json(review)))
    read = read_json(data)
    assert build_json(read) == data
    assert read == review
    assert [position.text for position in read.positions] == [position.text for position in review.positions]


def test_json_that_was_stored_with_an_accuracy_is_read() -> None:
    data = build_json(review_small_game())
    stored = {**data, "players": [{**player, "accuracy": 97.5} for player in data["players"]]}
    assert read_json(json.loads(json.dumps(stored))) == review_small_game()


@pytest.mark.parametrize(("changed", "replays"), [({}, 0), ({"type": "[]"}, 1), ({"last": "0"}, 1)])
def test_positions_of_the_json_are_read_back_with_their_moves_if_they_fit_and_replayed_otherwise(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, str], replays: int
) -> None:
    review, replayed, match = review_small_game(), list[fc.Record](), fc.Record.match
    data = {**build_json(review), "positions": {**write_positions(review.positions), **changed}}

    def replay(record: fc.Record, check: Callable[[], None] | None = None) -> fc.Match:
        """Note a replay."""
        replayed.append(record)
        return match(record, check)

    monkeypatch.setattr(fc.Record, "match", replay)
    read = read_json(json.loads(json.dumps(data)))
    assert read == review and read.positions == review.positions
    assert [position.plies for position in read.positions] == [position.plies for position in review.positions]
    assert len(replayed) == replays


def test_the_graph_says_whose_margin_it_shows() -> None:
    review = review_small_game()
    names = [player.name for player in review.players]
    title = f"Expected margin for {names[0]}, the first player"
    text = build_html(review)
    assert f'<h2 id="graph">{title}</h2>' in text
    assert f'aria-label="{title}, before' in text
    assert [f"better for {name}" in text for name in names] == [True, True]


def test_the_reason_of_an_error_is_a_fact_about_the_move_and_results_alone_are_none() -> None:
    error = next(move for move in review_small_game().errors if move.best_moves)
    played, better = error.move, error.best_moves[0]
    result = Statement("with best play, Ada loses by 1.", (played,), (Check("value", -1, (played,), 0),))
    praise = Statement("It opens nothing.", (better,), (Check("moves", 3, (better,)),))
    refutation = Statement("Bo gains 2 points.", (played, better), (Check("points", 2, (played, better), 1, since=1),))
    for statements, reason in (
        ((result, praise, refutation), refutation),
        ((result, praise), praise),
        ((result,), None),
        ((), None),
    ):
        assert Report.find_reason(replace(error, statements=statements)) == reason


def test_an_error_without_a_reason_or_a_better_move_says_so() -> None:
    review = review_small_game()
    error = review.errors[0]
    result = Statement("with best play, Ada loses by 1.", (error.move,), (Check("value", -1, (error.move,), 0),))
    for best, statements, sentence in (
        (error.best_moves, (result,), "Only the proof is known: no simpler reason was found."),
        ((), (result,), "No better move is known yet."),
        ((), (), "No better move is known, and no reason yet."),
    ):
        changed = replace(error, best_moves=best, statements=statements)
        moves = tuple(changed if move is error else move for move in review.moves)
        assert sentence in build_html(replace(review, moves=moves))


def test_the_line_of_the_graph_begins_where_it_says_something() -> None:
    review = review_small_game()
    vague = Evaluation(Interval(1.0, -9.0, 9.0), Interval(0.5, 0.1, 0.9))
    first = 3
    moves = tuple(
        replace(move, evaluation=vague, label=Label.GOOD) if move.ply < first else move for move in review.moves
    )
    lines = draw_graph(review).count('<path class="exact"')
    drawn = draw_graph(replace(review, moves=moves))
    assert drawn.count('<path class="exact"') == lines - first
    assert 'class="estimate"' not in drawn and 'class="range"' not in drawn
