"""Takebacks cost the same in a long game as in a short one, and records are replayed as seldom as possible."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

import fourcorners as fc
from fourcorners.core import narration
from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.game import Position
from fourcorners.core.match import Match
from fourcorners.web import app
from fourcorners.web.domain import table as table_module
from fourcorners.web.domain.actions import list_allowed_verbs
from fourcorners.web.domain.commands import Undo
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.table import Table
from tests.web.client import StartServer
from tests.web.tables import ADA, apply, build_row, play_moves

DOTS = fc.game("dots-and-boxes", cols=5, rows=5)


class Counter:
    """A function that calls another one and counts the calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.calls += 1
        return self.function(*arguments, **options)


def play_first_moves(table: Table, count: int) -> None:
    """Play the first legal move this many times."""
    for _ in range(count):
        play_moves(table, table.match.position.moves()[0])


def test_only_what_was_played_since_is_put_into_words_after_a_takeback(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(narration.narrate)
    monkeypatch.setattr(table_module, "narrate", counter)
    table = Table(build_row(DOTS, [PERSON, PERSON]))
    play_first_moves(table, 20)
    table.narrate_plies(None)
    for number in range(10):
        apply(table, ADA, Undo(f"u{number}", 0))
        play_first_moves(table, 1)
        table.narrate_plies(None)
    # Without what was kept it would be 20 for each takeback.
    assert counter.calls == 20 + 10
    fresh = Table(build_row(DOTS, [PERSON, PERSON]))
    play_moves(fresh, *table.match.position.history)
    assert table.narrate_plies(None) == fresh.narrate_plies(None)


def test_finding_the_ply_to_take_back_makes_no_list_of_all_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(build_row(DOTS, [PERSON, "computer:1"]))
    play_first_moves(table, 1)
    table.match.play(table.match.position.moves()[0])
    plies = Counter(Position.plies.fget)  # type: ignore[attr-defined]
    monkeypatch.setattr(Position, "plies", property(plies))
    assert "undo" in list_allowed_verbs(table, ADA)
    apply(table, ADA, Undo("u", 0))
    assert plies.calls == 0
    assert len(table.match.positions) == 1


def test_undo_does_not_take_back_what_a_computer_has_shown_of_its_hand() -> None:
    """With an empty pile no one draws, and still a person who took the reply back would have seen the tile."""
    table = Table(build_row(fc.game("squendo"), [PERSON, "computer:1"]))
    match = table.match
    while match.position.record.pile_size or match.position.seat != 0:
        match.play(match.position.moves()[0])
    match.play(match.position.moves()[0])
    assert "undo" in list_allowed_verbs(table, ADA)
    match.play(match.position.moves()[0])
    assert "undo" not in list_allowed_verbs(table, ADA)
    with pytest.raises(IllegalMoveError, match="cannot be hidden again"):
        apply(table, ADA, Undo("u", 0))


def test_uploaded_record_with_many_takebacks_is_replayed_twice(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=2, rows=2))
    for _ in range(60):
        match.play(match.position.moves()[0])
        match.take_back(match.events[-1].seat, 0)
    play = Counter(Match.play)
    # A function, so that it becomes a method.
    monkeypatch.setattr(Match, "play", lambda *arguments: play(*arguments))  # noqa: PLW0108
    server = start_cold()
    answer = httpx.post(f"{server.url}/records", data={"record": str(match.record())})
    assert answer.status_code == 303
    # Once to read it, and once to make sure that the table opens.
    assert play.calls == 2 * 60


def test_records_wait_for_their_turn_and_too_many_are_refused_with_a_sentence(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "REPLAY_LIMITS", app.REPLAY_LIMITS._replace(per_network=0))
    server = start_cold()
    table = httpx.post(f"{server.url}/games/sqez", data={}).headers["location"]
    for answer in (
        httpx.get(f"{server.url}{table}/record"),
        httpx.get(f"{server.url}/api/tables/{table.removeprefix('/play/')}/record"),
        httpx.post(f"{server.url}/records", data={"record": str(fc.Match(DOTS).record())}),
    ):
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
        assert "Too many records are being read on this server. Try again in a minute." in answer.text
