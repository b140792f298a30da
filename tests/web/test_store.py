"""The store: what was acknowledged is there, nothing is doubled, one bad write spoils no other."""

from pathlib import Path

import sqlalchemy as sa

from fourcorners.web.store import Chair, ConflictError, Store, StoreError, schema
from fourcorners.web.store.database import insert_if_absent, upsert
from tests.web.stored import chairs, event, saved, summary


def test_what_is_written_is_read_again(database: str | Path) -> None:
    store = Store(database)
    store.add(saved(nonce="n" * 64, deadline=99.5, started=None)).result(10)
    for version in (1, 2, 3):
        store.append("t", event(version), summary(version, started=7.0, deadline=77.5, result="won")).result(10)
    store.close()
    again = Store(database)
    found = again.load("t")
    again.close()
    assert found == saved(
        nonce="n" * 64,
        deadline=77.5,
        started=7.0,
        changed=4.0,
        version=3,
        turn=1,
        result="won",
        events=[event(1), event(2), event(3)],
    )
    assert found.names == ["ß0", "ß1"]
    assert found.kinds == ["person", "computer:3"]


def test_a_table_that_is_not_there_is_none(store: Store) -> None:
    assert store.load("t") is None
    assert not store.since("t", 0)
    assert not store.chairs("t")


def test_a_table_is_read_as_it_was_at_one_moment(store: Store, database: str | Path) -> None:
    store.add(saved()).result(10)
    other = Store(database)
    written: list[None] = []

    def write_meanwhile(_: object, cursor: object, statement: str, *__: object) -> None:
        if "FROM events" in statement and not written:
            written.append(other.append("t", event(1), summary(1)).result(10))

    sa.event.listen(store.engine, "before_cursor_execute", write_meanwhile)
    before = store.load("t")
    after = store.load("t")
    other.close()
    assert before is not None and after is not None
    assert written
    assert (before.version, before.events) == (0, [])
    assert (after.version, after.events) == (1, [event(1)])


def test_nothing_is_doubled_and_one_bad_write_spoils_no_other(store: Store) -> None:
    store.add(saved()).result(10)
    writes = [
        store.append("t", event(1), summary(1)),
        store.append("t", event(1, "other"), summary(1, changed=9.0)),
        store.append("t", event(2, "c1"), summary(2, changed=9.0)),
        store.append("t", event(2), summary(2)),
        store.append("nobody", event(1), summary(1)),
        store.append("t", event(4), summary(4, changed=9.0)),
        store.append("t", event(3)._replace(text="half a sign: \ud800"), summary(3)),
        store.append("t", event(3), summary(3)),
    ]
    failures = [type(write.exception(10)) for write in writes]
    no, conflict = type(None), ConflictError
    assert failures == [no, conflict, conflict, no, conflict, conflict, StoreError, no]
    found = store.load("t")
    assert found is not None
    assert (found.events, found.version, found.changed) == ([event(1), event(2), event(3)], 3, 4.0)


def test_many_writes_are_committed_together(store: Store) -> None:
    for number in range(20):
        store.add(saved(f"t{number}"))
    commits = 0

    def count(_: sa.Connection) -> None:
        nonlocal commits
        commits += 1

    sa.event.listen(store.engine, "commit", count)
    writes = [store.append(f"t{n}", event(v), summary(v)) for v in range(1, 51) for n in range(20)]
    for write in writes:
        write.result(30)
    assert commits < len(writes) / 5
    assert store.heads([f"t{n}" for n in range(30)]) == {f"t{n}": 50 for n in range(20)}


def test_of_two_processes_that_write_one_version_one_succeeds(store: Store, database: str | Path) -> None:
    other = Store(database)
    store.add(saved()).result(10)
    taken = []
    for version in range(1, 41):
        writes = [
            one.append("t", event(version, f"{name}{version}"), summary(version))
            for one, name in ((store, "a"), (other, "b"))
        ]
        failures = [write.exception(10) for write in writes]
        assert {type(failure) for failure in failures} == {type(None), ConflictError}
        taken.append(f"b{version}" if failures[0] else f"a{version}")
    other.close()
    found = store.load("t")
    assert found is not None
    assert [told.client_id for told in found.events] == taken


def test_chairs_are_written_with_the_event_or_not_at_all(store: Store) -> None:
    free = Chair(1, "person", None, "", taken=False)
    store.add(saved(chairs=[*chairs("o"), free], started=None)).result(10)
    mine, late = (free._replace(player=player, name=player, taken=True) for player in ("mine", "late"))
    writes = [store.append("t", event(1, chair.name), summary(1), [chair]) for chair in (mine, late)]
    assert [write.exception(10) is None for write in writes] == [True, False]
    assert store.chairs("t") == [*chairs("o"), mine]
    assert isinstance(store.append("t", event(2), summary(2), [mine._replace(seat=2)]).exception(10), ConflictError)
    assert store.heads(["t"]) == {"t": 1}


def test_what_is_to_be_written_with_an_event_is_written_with_it_or_not_at_all(store: Store) -> None:
    store.add(saved()).result(10)

    def rate(connection: sa.Connection) -> None:
        insert_if_absent(connection, schema.beats, {"process": "p", "at": 1.0})

    def fail(connection: sa.Connection) -> None:
        rate(connection)
        raise RuntimeError("the program is at fault")

    assert isinstance(store.append("t", event(1), summary(1), then=fail).exception(10), StoreError)
    with store.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.beats)) == 0
    store.append("t", event(1), summary(1), then=rate).result(10)
    assert isinstance(store.append("t", event(1), summary(1), then=rate).exception(10), ConflictError)
    with store.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.beats)) == 1
    assert store.heads(["t"]) == {"t": 1}


def test_rows_are_put_over_others_only_if_asked(store: Store) -> None:
    def work(connection: sa.Connection) -> list[bool]:
        upsert(connection, schema.beats, {"process": "p", "at": 1.0})
        upsert(connection, schema.beats, {"process": "p", "at": 2.0})
        return [insert_if_absent(connection, schema.beats, {"process": name, "at": 3.0}) for name in ("p", "q")]

    assert store.write_now("", work) == [False, True]
    with store.read() as connection:
        assert sorted(connection.execute(schema.beats.select())) == [("p", 2.0), ("q", 3.0)]


def test_a_plan_is_no_event(store: Store) -> None:
    store.add(saved()).result(10)
    plan = {"lines": [[None, "ß1"], ["a", "b"]]}
    store.set_plan("t", 0, plan).result(10)
    assert store.plans("t") == {0: plan}
    store.append("t", event(1), summary(1), [store.chairs("t")[0]._replace(plan=None)]).result(10)
    assert store.plans("t") == {}
    assert isinstance(store.set_plan("t", 5, plan).exception(10), ConflictError)


def test_one_process_at_a_time_thinks_at_a_table(store: Store, database: str | Path) -> None:
    other = Store(database)
    store.add(saved()).result(10)
    assert store.claim("t", "p", 10.0, 0.0)
    assert not other.claim("t", "q", 15.0, 9.5)
    assert store.claim("t", "p", 20.0, 9.5)
    assert not other.claim("t", "q", 25.0, 19.5)
    assert other.claim("t", "q", 30.0, 20.0)
    store.release("t", "p").result(10)
    assert not store.claim("t", "p", 31.0, 21.0)
    other.release("t", "q").result(10)
    assert store.claim("t", "p", 31.0, 21.0)
    assert not store.claim("nobody", "p", 31.0, 21.0)
    other.close()


def test_a_deleted_table_leaves_what_was_reported_of_it(store: Store) -> None:
    store.add(saved(events=[event(1)], version=1)).result(10)
    store.say("t", "o", "O", "hello", 1.0).result(10)
    store.report("t", 1, "x", "hello", "rude", 2.0).result(10)
    store.delete("t").result(10)
    assert store.load("t") is None
    assert store.said("t") == []
    assert [report.about for report in store.reports(9)] == ["hello"]
