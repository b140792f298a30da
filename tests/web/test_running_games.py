"""What a question about running games reads and replays: only what is new, of boards of its size, within a budget."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.position import Position
from fourcorners.web.application import running_games
from fourcorners.web.application.running_game import Replay, describe
from fourcorners.web.application.running_games import AWAKE_SECONDS, GUESTS_AWAKE_SECONDS, RunningGames, Walk
from fourcorners.web.domain.rows import TableEvent
from fourcorners.web.domain.table import Table
from fourcorners.web.engine.work_queue import BudgetError, BusyError, Client
from fourcorners.web.store import Store, StoredTable
from tests.web.stored import NEW, PASSWORD_HASH, build_chairs, build_summary, build_table

MOVES = ["a1b1", "b2c2", "c3d3", "a3a4"]
NOW = 1000.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty database."""
    opened = Store(tmp_path)
    yield opened
    opened.close()


def build_game(table_id: str, *, size: int = 3, moves: list[str] = MOVES, **fields: Any) -> StoredTable:
    """Build a running game between the players "a" and "b"."""
    events = [TableEvent(number + 1, number % 2, move, f"c{number}", 2.0) for number, move in enumerate(moves)]
    defaults = {"changed": NOW, "settings": {}, "chairs": build_chairs("a", "b"), "turn": len(moves) % 2}
    options = {"cols": size, "rows": size}
    row = {"game": "dots-and-boxes", "options": options, "version": len(moves), "events": events, **defaults, **fields}
    return build_table(table_id, **row)


class Questions:
    """Questions about positions of dots and boxes, and the tables that they have read whole."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """Note what is read."""
        self.games = RunningGames(store)
        self.reads: list[str] = []
        load = store.load_table

        def load_table(table_id: str) -> StoredTable | None:
            """Read a table, and note that."""
            self.reads.append(table_id)
            return load(table_id)

        monkeypatch.setattr(store, "load_table", load_table)

    def is_refused(self, *moves: str, size: int = 3, player: str = "eve", now: float = NOW) -> bool:
        """Return whether a position is one of a running game."""
        position = fc.game("dots-and-boxes", cols=size, rows=size).replay(moves)
        return asyncio.run(self.games.measure(Client(player), [Walk(position)], now)) != [None]


@pytest.fixture
def questions(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Questions]:
    """Questions that begin without any knowledge."""
    asked = Questions(store, monkeypatch)
    yield asked
    asked.games.close()


def test_a_game_is_read_once_and_then_only_its_new_moves_and_takebacks_are(store: Store, questions: Questions) -> None:
    store.add_table(build_game("t")).result(30)
    assert questions.is_refused(*MOVES) and questions.reads == ["t"]
    for version, text in ((5, "!offer-draw"), (6, "d1d2")):
        event = TableEvent(version, version % 2, text, f"n{version}", NOW)
        store.append_event("t", event, build_summary(version, changed=NOW, started=1.0)).result(30)
    # Only with the new move is this so near.
    later = [*MOVES, "d1d2", "b1c1", "c1d1", "a1a2", "b1b2", "c1c2"]
    assert not questions.is_refused(*later[:2])
    assert questions.is_refused(*later) and questions.reads == ["t"]
    event = TableEvent(7, 1, "!undo 2", "u", NOW)
    store.append_event("t", event, build_summary(7, changed=NOW, started=1.0)).result(30)
    assert not questions.is_refused(*later) and questions.reads == ["t"]


def test_games_on_other_boards_and_those_with_help_are_not_replayed(
    store: Store, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        store.add_table(build_game(f"large{number}", size=5)).result(30)
    store.add_table(build_game("alone", chairs=build_chairs("a", None))).result(30)
    monkeypatch.setattr(Table, "apply_event", lambda *_: pytest.fail("this game need not be replayed"))
    assert not questions.is_refused(*MOVES) and questions.reads == ["alone"]
    assert not questions.is_refused(*MOVES) and questions.reads == ["alone"]


def test_games_of_this_process_are_known_without_reading_them(store: Store, questions: Questions) -> None:
    row = build_game("t")
    store.add_table(row).result(30)
    questions.games.note(Table(row))
    assert questions.is_refused(*MOVES) and questions.reads == []


def test_a_game_that_is_resumed_by_a_takeback_on_another_server_counts_again(
    store: Store, questions: Questions
) -> None:
    moves = ["a1b1", "a1a2", "a2b2", "b1b2"]
    row = build_game("t", size=1, moves=moves)
    store.add_table(row).result(30)
    questions.games.note(Table(row))
    assert not questions.is_refused(*moves[:3], size=1)
    event = TableEvent(5, 0, "!undo 3", "u", NOW)
    store.append_event("t", event, build_summary(5, changed=NOW, started=1.0)).result(30)
    assert questions.is_refused(*moves[:3], size=1)


def test_a_game_that_sleeps_counts_only_for_those_who_play_it(store: Store, questions: Questions) -> None:
    store.register_account("a", "Anna", PASSWORD_HASH, 5.0, "a", NEW)
    store.add_table(build_game("t")).result(30)
    store.add_table(build_game("timed", size=4, deadline=2 * NOW + AWAKE_SECONDS)).result(30)
    tomorrow = NOW + AWAKE_SECONDS + 1.0
    assert questions.is_refused(*MOVES, now=tomorrow - 2.0)
    assert not questions.is_refused(*MOVES, now=tomorrow)
    assert questions.is_refused(*MOVES, now=tomorrow, player="b")
    assert questions.is_refused(*MOVES, size=4, now=tomorrow)


@pytest.mark.parametrize("fields", [{}, {"deadline": 2 * NOW + AWAKE_SECONDS}])
def test_a_game_of_guests_sleeps_an_hour_after_its_last_change_even_if_a_clock_runs(
    store: Store, questions: Questions, fields: dict[str, Any]
) -> None:
    store.add_table(build_game("t", **fields)).result(30)
    later = NOW + GUESTS_AWAKE_SECONDS
    assert questions.is_refused(*MOVES, now=later - 1.0)
    assert not questions.is_refused(*MOVES, now=later + 1.0)
    assert questions.is_refused(*MOVES, now=later + 1.0, player="b")
    # It wakes with the next move.
    event = TableEvent(5, 0, "d1d2", "n5", later)
    store.append_event("t", event, build_summary(5, changed=later, started=1.0, **fields)).result(30)
    assert questions.is_refused(*MOVES, now=later + 1.0)


def test_only_rated_games_count_where_that_is_asked_for(store: Store, questions: Questions) -> None:
    store.add_table(build_game("t")).result(30)
    store.add_table(build_game("rated", size=4, settings={"rated": True})).result(30)
    for size, expected in ((3, [None]), (4, [0])):
        position = fc.game("dots-and-boxes", cols=size, rows=size).replay(MOVES)
        found = questions.games.measure(Client("eve"), [Walk(position)], NOW, only_rated=True)
        assert asyncio.run(found) == expected


def test_a_game_in_which_only_one_person_has_moved_counts_only_for_those_who_play_it(
    store: Store, questions: Questions
) -> None:
    row = build_game("t", moves=MOVES[:3], game="squarin-off", chairs=build_chairs("a", "a", "a", "b"))
    events = [event._replace(seat=number) for number, event in enumerate(row.events)]
    options = {"cols": 3, "rows": 3, "players": 4, "blockers": 0}
    store.add_table(replace(row, options=options, events=events)).result(30)
    assert not questions.is_refused(*MOVES[:3])
    assert questions.is_refused(*MOVES[:3], player="a")


def test_a_long_game_goes_on_where_an_earlier_question_has_stopped() -> None:
    row, turns = build_game("t"), 0

    def stop_often() -> None:
        """Stop every second time."""
        nonlocal turns
        turns += 1
        if turns % 2 == 0:
            raise BudgetError

    replay, whole = Replay.of(row), describe(Table(row))
    for _ in MOVES:
        with pytest.raises(BudgetError):
            replay.go_on(stop_often)
    game = replay.go_on(stop_often)
    assert (game.version, game.plies, game.outlines) == (whole.version, whole.plies, whole.outlines)


def test_take_backs_cost_no_more_than_the_moves_that_stand(
    store: Store, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*MOVES, *(["d1d2", "!undo 4"] * 10_000)]
    store.add_table(build_game("t", moves=texts, turn=0)).result(30)
    played: list[str] = []
    play = Position.play

    def count(position: Position, move: str) -> Position:
        """Note a move."""
        played.append(move)
        return play(position, move)

    asked = fc.game("dots-and-boxes", cols=3, rows=3).replay(MOVES)
    client = Client("eve")
    monkeypatch.setattr(Position, "play", count)
    assert asyncio.run(questions.games.measure(client, [Walk(asked)], NOW)) == [0]
    assert played == MOVES and questions.reads == ["t"]
    # Others that come later are read without what came before, and replay at most the game.
    for version in range(len(texts) + 1, len(texts) + 7, 2):
        played.clear()
        for number, text in ((version, "d1d2"), (version + 1, "!undo 3")):
            event = TableEvent(number, number % 2, text, f"n{number}", NOW)
            store.append_event("t", event, build_summary(number, changed=NOW, started=1.0)).result(30)
        assert asyncio.run(questions.games.measure(client, [Walk(asked)], NOW)) == [0]
        assert len(played) <= len(MOVES) and questions.reads == ["t"]
    questions.games.note(Table(build_game("t")))
    assert asyncio.run(questions.games.measure(client, [Walk(asked)], NOW)) == [0]


def test_a_question_whose_budget_is_used_up_is_refused_and_never_answered_from_old_moves(
    store: Store, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_table(build_game("t")).result(30)
    with monkeypatch.context() as patch:
        limits = running_games.LIMITS._replace(cpu_seconds=0.0)
        patch.setattr(questions.games._queue, "limits", limits)
        with pytest.raises(BusyError, match="still looking"):
            questions.is_refused(*MOVES)
    assert questions.is_refused(*MOVES)
