"""The store's lists: who is shown what, in which order, and by which index."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from fourcorners.web.store import Chair, Store
from tests.web.stored import chairs, event, saved, summary


def test_a_player_sees_what_it_plays_and_what_it_set_up(store: Store) -> None:
    store.add(saved("old", owner="a", changed=1.0))
    store.add(saved("seated", owner="b", changed=3.0, chairs=chairs("b", "a")))
    store.add(saved("record", owner="a", changed=2.0, kind="study", chairs=chairs(None, None)))
    store.add(saved("foreign", owner="b", changed=4.0)).result(10)
    found = store.of_player("a", 9)
    assert [table.id for table in found] == ["seated", "record", "old"]
    assert found[0].chairs == chairs("b", "a")
    assert [table.id for table in store.of_player("a", 2)] == ["seated", "record"]


def test_the_lobby_shows_open_and_running_public_games(store: Store) -> None:
    public = {"visibility": "public"}
    free = [*chairs("o"), Chair(1, "person", None, "", taken=False)]
    store.add(saved("open", settings=public, changed=1.0, started=None, turn=None, chairs=free))
    store.add(saved("running", settings=public, changed=2.0))
    store.add(saved("over", settings=public, changed=3.0, turn=None, result="seat 0 wins 1–0: resignation"))
    store.add(saved("link", settings={"visibility": "link"}, changed=4.0))
    store.add(saved("record", settings=public, kind="study", changed=5.0)).result(10)
    store.add(saved("later", settings=public, changed=6.0)).result(10)
    assert [table.id for table in store.lobby(9, begun=True)] == ["later", "running"]
    assert [table.id for table in store.lobby(1, begun=True)] == ["later"]
    assert [table.id for table in store.lobby(9, begun=False)] == ["open"]
    store.append("later", event(1), summary(1, result="drawn", turn=None, computer=False)).result(10)
    assert [table.id for table in store.lobby(9, begun=True)] == ["running"]


def test_clocks_that_ran_out_are_listed_the_longest_waiting_first(store: Store) -> None:
    for number, deadline in enumerate((None, 30.0, 10.0, 20.0)):
        store.add(saved(f"t{number}", deadline=deadline)).result(10)
    assert store.due(20.0, 9) == ["t2", "t3"]
    assert store.due(99.0, 1) == ["t2"]
    store.append("t2", event(1), summary(1, deadline=None)).result(10)
    assert store.due(20.0, 9) == ["t3"]


def test_computers_that_nobody_thinks_for_are_listed(store: Store) -> None:
    store.add(saved("person's"))
    store.add(saved("computer's", turn=1))
    store.add(saved("record", turn=1, kind="study", chairs=chairs("a", "b")))
    store.add(saved("gave up")).result(10)
    assert store.computers_waiting(0.0, 9) == ["computer's"]
    store.append("gave up", event(1), summary(1, turn=0, computer=True)).result(10)
    assert sorted(store.computers_waiting(0.0, 9)) == ["computer's", "gave up"]
    assert store.claim("computer's", "p", 10.0, 0.0)
    assert store.computers_waiting(9.5, 9) == ["gave up"]
    assert store.computers_waiting(10.0, 9) == ["gave up", "computer's"]


def test_games_that_nobody_touches_are_listed_unless_a_clock_ends_them(store: Store) -> None:
    store.add(saved("idle", changed=5.0))
    store.add(saved("older, never begun", changed=4.0, started=None, turn=None))
    store.add(saved("touched", changed=10.0))
    store.add(saved("by the clock", changed=5.0, deadline=99.0))
    store.add(saved("over", changed=5.0, result="drawn"))
    store.add(saved("record", changed=5.0, kind="study")).result(10)
    assert store.idle_since(10.0, 9) == ["older, never begun", "idle"]
    assert store.idle_since(10.0, 1) == ["older, never begun"]


def test_what_was_made_lately_is_counted(store: Store) -> None:
    for number, owner in enumerate("aabab"):
        store.add(saved(f"t{number}", owner=owner, created=10.0 + number, changed=10.0 + number)).result(10)
    assert store.made_since(10.0, "a") == 3
    assert store.made_since(11.0) == 4


def test_events_after_a_version_are_read_and_versions_of_many_tables(store: Store) -> None:
    store.add(saved(events=[event(n) for n in range(1, 6)], version=5)).result(10)
    assert store.since("t", 3) == [event(4), event(5)]
    assert store.since("t", 5) == []
    assert store.heads(["t", *(f"none {n}" for n in range(1200))]) == {"t": 5}
    assert store.heads([]) == {}


@pytest.mark.parametrize(
    ("index", "ask"),
    [
        ("tables_in_lobby", lambda store: store.lobby(9, begun=True)),
        ("tables_by_deadline", lambda store: store.due(1.0, 9)),
        ("tables_of_computers", lambda store: store.computers_waiting(1.0, 9)),
        ("tables_unfinished", lambda store: store.idle_since(1.0, 9)),
        ("chairs_by_player", lambda store: store.of_player("a", 9)),
        ("tables_by_owner", lambda store: store.made_since(1.0, "a")),
        ("tables_by_change", lambda store: store.made_since(1.0)),
    ],
)
def test_lists_are_found_by_an_index(tmp_path: Path, index: str, ask: Callable[[Store], object]) -> None:
    store = Store(tmp_path)
    store.add(saved()).result(10)
    plans: list[str] = []

    def explain(
        connection: sa.Connection, cursor: object, statement: str, values: tuple[object, ...], *_: object
    ) -> None:
        if statement.startswith("SELECT"):
            driver = connection.connection.driver_connection
            assert driver is not None
            plans.extend(row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}", values))

    sa.event.listen(store.engine, "before_cursor_execute", explain)
    ask(store)
    store.close()
    assert any(re.search(rf"USING (COVERING )?INDEX {index}\b", plan) for plan in plans), plans
    assert not any(re.match(r"SCAN tables(?! USING)", plan) for plan in plans), plans
