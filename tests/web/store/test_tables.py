"""Store tables, chairs and events: what is acknowledged is stored, conflicts change nothing, lists use indexes."""

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from fourcorners.web.domain.rows import Chair, Summary
from fourcorners.web.store import ConflictError, Store, StoreError, schema
from fourcorners.web.store.database import insert_if_absent
from tests.require import require
from tests.web.stored import append_event, build_chairs, build_event, build_summary, build_table


def test_stored_table_is_read_back_after_reopening_with_its_events_and_last_summary(database: str | Path) -> None:
    store = Store(database)
    store.add_table(build_table(nonce="n" * 64, deadline=99.5, started=None)).result(30)
    for version in (1, 2, 3):
        store.append_event(
            "t", build_event(version), build_summary(version, started=7.0, deadline=77.5, result="won")
        ).result(30)
    store.close()
    again = Store(database)
    found = again.load_table("t")
    again.close()
    assert found == build_table(
        nonce="n" * 64,
        deadline=77.5,
        started=7.0,
        changed=4.0,
        version=3,
        turn=1,
        result="won",
        events=[build_event(1), build_event(2), build_event(3)],
    )
    assert found.names == ["ß0", "ß1"]
    assert found.kinds == ["person", "computer:3"]


def test_missing_table_has_no_row_events_or_premoves(store: Store) -> None:
    assert store.load_table("t") is None
    assert not store.read_events_since("t", 0)
    assert store.read_premoves("t") == {}


def test_table_and_its_events_are_read_as_of_one_moment(store: Store, database: str | Path) -> None:
    store.add_table(build_table()).result(30)
    other = Store(database)
    written: list[None] = []

    def write_meanwhile(_: object, cursor: object, statement: str, *__: object) -> None:
        """Append an event through the other store just before the first query for events runs."""
        if "FROM events" in statement and not written:
            written.append(append_event(other, "t", 1).result(30))

    sa.event.listen(store.engine, "before_cursor_execute", write_meanwhile)
    before = store.load_table("t")
    after = store.load_table("t")
    other.close()
    assert before is not None and after is not None
    # The event was written while `before` was read, after the table's row and before its events.
    assert written
    assert (before.version, before.events) == (0, [])
    assert (after.version, after.events) == (1, [build_event(1)])


def test_failed_events_do_not_affect_the_events_queued_with_them(store: Store) -> None:
    """A version or client id that exists, a missing table and a gap between versions are conflicts.

    A text that no database can store is another StoreError.
    """
    store.add_table(build_table()).result(30)
    writes = [
        append_event(store, "t", 1),
        store.append_event("t", build_event(1, "other"), build_summary(1, changed=9.0)),
        store.append_event("t", build_event(2, "c1"), build_summary(2, changed=9.0)),
        append_event(store, "t", 2),
        append_event(store, "missing", 1),
        append_event(store, "t", 4, changed=9.0),
        store.append_event("t", build_event(3)._replace(text="half a character: \ud800"), build_summary(3)),
        append_event(store, "t", 3),
    ]
    failures = [type(write.exception(10)) for write in writes]
    none, conflict = type(None), ConflictError
    assert failures == [none, conflict, conflict, none, conflict, conflict, StoreError, none]
    found = require(store.load_table("t"))
    # The last change is that of version 3, not the 9.0 of the failed ones.
    assert (found.events, found.version, found.changed) == ([build_event(1), build_event(2), build_event(3)], 3, 4.0)


def test_only_one_of_two_processes_appends_each_version(store: Store, database: str | Path) -> None:
    other = Store(database)
    store.add_table(build_table()).result(30)
    taken = []
    for version in range(1, 41):
        writes = [
            writer.append_event("t", build_event(version, f"{name}{version}"), build_summary(version))
            for writer, name in ((store, "a"), (other, "b"))
        ]
        failures = [write.exception(10) for write in writes]
        assert {type(failure) for failure in failures} == {type(None), ConflictError}
        taken.append(f"b{version}" if failures[0] else f"a{version}")
    other.close()
    found = require(store.load_table("t"))
    assert [stored.client_id for stored in found.events] == taken


def test_chairs_are_stored_with_their_event_or_not_at_all(store: Store) -> None:
    """A chair that the table does not have is a conflict, which undoes the event too."""
    free = Chair(1, "person", None, "", taken=False)
    store.add_table(build_table(chairs=[*build_chairs("o"), free], started=None)).result(30)
    mine, late = (free._replace(player=player, name=player, taken=True) for player in ("mine", "late"))
    writes = [store.append_event("t", build_event(1, chair.name), build_summary(1), [chair]) for chair in (mine, late)]
    assert [write.exception(10) is None for write in writes] == [True, False]
    assert require(store.load_table("t")).chairs == [*build_chairs("o"), mine]
    assert isinstance(
        store.append_event("t", build_event(2), build_summary(2), [mine._replace(seat=2)]).exception(10), ConflictError
    )
    assert store.read_versions(["t"]) == {"t": 1}


def test_extra_work_is_committed_with_its_event_or_not_at_all(store: Store) -> None:
    store.add_table(build_table()).result(30)

    def write_heartbeat(connection: sa.Connection) -> None:
        insert_if_absent(connection, schema.beats, {"process": "p", "at": 1.0})

    def write_heartbeat_and_fail(connection: sa.Connection) -> None:
        write_heartbeat(connection)
        raise RuntimeError("a bug")

    failed = store.append_event("t", build_event(1), build_summary(1), extra_work=write_heartbeat_and_fail)
    assert isinstance(failed.exception(10), StoreError)
    with store.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.beats)) == 0
    store.append_event("t", build_event(1), build_summary(1), extra_work=write_heartbeat).result(30)
    # The same event again, whose extra work would find the row there; the event itself is the conflict.
    repeated = store.append_event("t", build_event(1), build_summary(1), extra_work=write_heartbeat)
    assert isinstance(repeated.exception(10), ConflictError)
    with store.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.beats)) == 1
    assert store.read_versions(["t"]) == {"t": 1}


def test_premoves_are_stored_and_replaced_by_the_plan_of_a_chair_that_is_stored_with_an_event(store: Store) -> None:
    """None as the plan clears them."""
    store.add_table(build_table()).result(30)
    plan, new_plan = {"lines": [[None, "ß1"], ["a", "b"]]}, {"lines": [[None, "c"]]}
    store.save_premoves("t", 0, plan).result(30)
    assert store.read_premoves("t") == {0: plan}
    (chair,) = build_chairs("o")
    assert chair.plan is None
    for version, stored in ((1, new_plan), (2, None)):
        changed = chair._replace(plan=stored)
        store.append_event("t", build_event(version), build_summary(version), [changed]).result(30)
        assert store.read_premoves("t") == ({} if stored is None else {0: stored})


def test_premoves_of_a_missing_seat_are_a_conflict(store: Store) -> None:
    store.add_table(build_table()).result(30)
    write = store.save_premoves("t", 5, {"lines": [["a", "b"]]})
    assert isinstance(write.exception(10), ConflictError)


def test_lease_of_a_table_is_held_by_one_process_until_it_ends_or_is_released(
    store: Store, database: str | Path
) -> None:
    """Its holder may extend it, and a release by another process has no effect. A missing table cannot be leased."""
    other = Store(database)
    store.add_table(build_table()).result(30)
    # The last two arguments are the end of the new lease and the present time.
    assert store.claim_lease("t", "p", 10.0, 0.0)
    assert not other.claim_lease("t", "q", 15.0, 9.5)
    assert store.claim_lease("t", "p", 20.0, 9.5)
    assert not other.claim_lease("t", "q", 25.0, 19.5)
    assert other.claim_lease("t", "q", 30.0, 20.0)
    store.release_lease("t", "p").result(30)
    assert not store.claim_lease("t", "p", 31.0, 21.0)
    other.release_lease("t", "q").result(30)
    assert store.claim_lease("t", "p", 31.0, 21.0)
    assert not store.claim_lease("missing", "p", 31.0, 21.0)
    other.close()


def test_deleted_table_is_gone_with_its_events_and_chat_but_reports_stay(store: Store) -> None:
    store.add_table(build_table(events=[build_event(1)], version=1)).result(30)
    store.add_chat_line("t", "o", "O", "hello", 1.0).result(30)
    store.add_report("t", 1, "x", "hello", "rude", 2.0).result(30)
    store.delete_table("t").result(30)
    assert store.load_table("t") is None
    # They would be found even without the row of the table.
    assert (store.read_events_since("t", 0), store.list_chat_lines("t")) == ([], [])
    assert [report.about for report in store.list_open_reports(9)] == ["hello"]


def test_tables_of_a_player_are_those_with_a_chair_and_those_set_up_last_changed_first(store: Store) -> None:
    store.add_table(build_table("old", owner="a", changed=1.0))
    store.add_table(build_table("seated", owner="b", changed=3.0, chairs=build_chairs("b", "a")))
    store.add_table(build_table("record", owner="a", changed=2.0, kind="study", chairs=build_chairs(None, None)))
    store.add_table(build_table("other", owner="b", changed=4.0)).result(30)
    found = store.list_player_tables("a", 9)
    assert [table.id for table in found] == ["seated", "record", "old"]
    assert found[0].chairs == build_chairs("b", "a")
    assert [table.id for table in store.list_player_tables("a", 2)] == ["seated", "record"]


def test_lobby_lists_open_or_running_public_games_last_changed_first(store: Store) -> None:
    """Games that are over, unlisted games and studies are left out; a game leaves the list when it ends."""
    public = {"visibility": "public"}
    free = [*build_chairs("o"), Chair(1, "person", None, "", taken=False)]
    store.add_table(build_table("open", settings=public, changed=1.0, started=None, turn=None, chairs=free))
    store.add_table(build_table("running", settings=public, changed=2.0))
    store.add_table(build_table("over", settings=public, changed=3.0, turn=None, result="seat 0 wins 1–0: resignation"))
    store.add_table(build_table("link", settings={"visibility": "link"}, changed=4.0))
    store.add_table(build_table("record", settings=public, kind="study", changed=5.0)).result(30)
    store.add_table(build_table("later", settings=public, changed=6.0)).result(30)
    assert [table.id for table in store.list_lobby_tables(9, started=True)] == ["later", "running"]
    assert [table.id for table in store.list_lobby_tables(1, started=True)] == ["later"]
    assert [table.id for table in store.list_lobby_tables(9, started=False)] == ["open"]
    append_event(store, "later", 1, result="drawn", turn=None, computer=False).result(30)
    assert [table.id for table in store.list_lobby_tables(9, started=True)] == ["running"]


def test_tables_whose_deadline_has_come_are_listed_earliest_first(store: Store) -> None:
    for number, deadline in enumerate((None, 30.0, 10.0, 20.0)):
        store.add_table(build_table(f"t{number}", deadline=deadline)).result(30)
    assert store.list_due_tables(20.0, 9) == ["t2", "t3"]
    assert store.list_due_tables(99.0, 1) == ["t2"]
    append_event(store, "t2", 1, deadline=None).result(30)
    assert store.list_due_tables(20.0, 9) == ["t3"]


def test_games_where_a_computer_is_to_move_are_listed_unless_they_are_leased(store: Store) -> None:
    """Those never leased come first, then by the end of the lease."""
    store.add_table(build_table("person's"))
    store.add_table(build_table("computer's", turn=1))
    store.add_table(build_table("record", turn=1, kind="study", chairs=build_chairs("a", "b")))
    store.add_table(build_table("resigned")).result(30)
    assert store.list_computer_turns(0.0, 9) == ["computer's"]
    # `computer` says that a computer is to move, here in place of a person who has resigned.
    append_event(store, "resigned", 1, turn=0, computer=True).result(30)
    assert sorted(store.list_computer_turns(0.0, 9)) == ["computer's", "resigned"]
    assert store.claim_lease("computer's", "p", 10.0, 0.0)
    assert store.list_computer_turns(9.5, 9) == ["resigned"]
    assert store.list_computer_turns(10.0, 9) == ["resigned", "computer's"]


def test_unchanged_unfinished_games_without_a_deadline_are_listed_oldest_first(store: Store) -> None:
    store.add_table(build_table("idle", changed=5.0))
    store.add_table(build_table("older, never started", changed=4.0, started=None, turn=None))
    store.add_table(build_table("changed", changed=10.0))
    store.add_table(build_table("with a deadline", changed=5.0, deadline=99.0))
    store.add_table(build_table("over", changed=5.0, result="drawn"))
    store.add_table(build_table("record", changed=5.0, kind="study")).result(30)
    assert store.list_idle_tables(10.0, 9) == ["older, never started", "idle"]
    assert store.list_idle_tables(10.0, 1) == ["older, never started"]


def test_events_since_a_version_are_read_oldest_first(store: Store) -> None:
    store.add_table(build_table(events=[build_event(n) for n in range(1, 6)], version=5)).result(30)
    assert store.read_events_since("t", 3) == [build_event(4), build_event(5)]
    assert store.read_events_since("t", 5) == []


def test_versions_of_many_tables_are_read_without_those_that_do_not_exist(store: Store) -> None:
    store.add_table(build_table(version=5, events=[build_event(n) for n in range(1, 6)])).result(30)
    # More ids than fit into one query.
    assert store.read_versions(["t", *(f"none {n}" for n in range(1200))]) == {"t": 5}
    assert store.read_versions([]) == {}


@pytest.mark.parametrize(
    ("index", "query"),
    [
        ("tables_in_lobby", lambda store: store.list_lobby_tables(9, started=True)),
        ("tables_by_deadline", lambda store: store.list_due_tables(1.0, 9)),
        ("tables_of_computers", lambda store: store.list_computer_turns(1.0, 9)),
        ("tables_unfinished", lambda store: store.list_idle_tables(1.0, 9)),
        ("chairs_by_player", lambda store: store.list_player_tables("a", 9)),
        ("tables_by_owner", lambda store: store.list_player_tables("a", 9)),
        ("notifications_unsent", lambda store: store.list_unsent_notifications(9)),
        ("tables_by_change", lambda store: store.list_tables(9)),
    ],
)
def test_list_uses_its_index_and_does_not_scan_all_tables_in_sqlite(
    tmp_path: Path, index: str, query: Callable[[Store], object]
) -> None:
    store = Store(tmp_path)
    store.add_table(build_table()).result(30)
    query_plans: list[str] = []

    def note_query_plan(
        connection: sa.Connection, cursor: object, statement: str, values: tuple[object, ...], *_: object
    ) -> None:
        """Add the query plan of a SELECT statement, line by line, to `query_plans`; ignore other statements."""
        if statement.startswith("SELECT"):
            driver = require(connection.connection.driver_connection)
            query_plans.extend(row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}", values))

    sa.event.listen(store.engine, "before_cursor_execute", note_query_plan)
    query(store)
    store.close()
    assert any(re.search(rf"USING (COVERING )?INDEX {index}\b", plan) for plan in query_plans), query_plans
    assert not any(re.match(r"SCAN tables(?! USING)", plan) for plan in query_plans), query_plans


def test_columns_that_moves_write_need_no_conversion_by_sqlalchemy() -> None:
    """The statements go to the driver as text, with values as they are."""
    columns = [*schema.events.c, *(schema.tables.c[name] for name in Summary._fields)]
    plain = (sa.String, sa.Integer, sa.Float, sa.Boolean)
    assert [column.name for column in columns if not isinstance(column.type, plain)] == []


def test_table_is_settled_once_the_transactions_of_others_on_it_have_ended_and_nothing_waits_for_them(
    address: str,
) -> None:
    store, other = Store(address), Store(address)
    stored, go_on = threading.Event(), threading.Event()

    def hold(_: sa.Connection) -> None:
        """Keep a transaction open that has stored an event."""
        stored.set()
        assert go_on.wait(30)

    for table in ("t", "u"):
        store.add_table(build_table(table)).result(30)
    appended = other.append_event("u", build_event(1), build_summary(1), extra_work=hold)
    assert stored.wait(30)
    try:
        assert [store.settle(table).result(30) for table in ("t", "u", "missing")] == [True, False, True]
    finally:
        go_on.set()
    appended.result(30)
    assert store.settle("u").result(30)
    store.close()
    other.close()


def test_sqlite_settles_a_table_at_once(folder: Path) -> None:
    store = Store(folder)
    store.add_table(build_table()).result(30)
    assert [store.settle(table).result(30) for table in ("t", "missing")] == [True, True]
    store.close()
