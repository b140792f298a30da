"""The store: what was acknowledged is there, nothing is doubled, one bad write spoils no other."""

import sqlite3
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from fourcorners.web.store import Chair, NewEvent, Saved, Store, StoreError, Summary


def saved(table_id: str = "t", owner: str = "o", changed: float = 1.0, turn: int | None = 0) -> Saved:
    return Saved(
        id=table_id,
        kind="live",
        game="sqez",
        options={"cols": 5},
        deck=[],
        nonce="",
        settings={"confirm": True},
        owner=owner,
        date="2026-11-21",
        created=changed,
        started=changed,
        changed=changed,
        version=0,
        turn=turn,
        deadline=None,
        result="",
        chairs=[Chair(0, "person", owner, "A", taken=True), Chair(1, "computer:3", None, "ß", taken=True)],
    )


def event(version: int, client_id: str | None = None, seat: int = 0) -> NewEvent:
    return NewEvent(version, seat, f"move {version}", f"c{version}" if client_id is None else client_id, 2.0)


def summary(changed: float, version: int, result: str = "") -> Summary:
    return Summary(changed, version, 1, None, result, 1.0, computer=True)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(saved()).result(10)
    for version in (1, 2, 3):
        store.append("t", event(version), summary(5.0, version, "won")).result(10)
    store.close()
    again = Store(tmp_path)
    found = again.load("t")
    assert found is not None
    assert found.events == [event(1), event(2), event(3)]
    assert (found.names, found.options, found.settings) == (["A", "ß"], {"cols": 5}, {"confirm": True})
    assert (found.changed, found.turn, found.result) == (5.0, 1, "won")
    assert again.load("u") is None
    again.close()


def test_nothing_is_doubled_and_one_bad_write_spoils_no_other(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(saved()).result(10)
    writes = [
        store.append("t", event(1), summary(1.0, 1)),
        store.append("t", event(1, "other"), summary(9.0, 1)),
        store.append("t", event(2, "c1"), summary(9.0, 1)),
        store.append("t", event(2), summary(2.0, 2)),
        store.append("nobody", event(1), summary(9.0, 1)),
    ]
    outcomes = [write.exception(10) is None for write in writes]
    assert outcomes == [True, False, False, True, False]
    found = store.load("t")
    assert found is not None
    assert (found.events, found.changed) == ([event(1), event(2)], 2.0)
    store.close()


def test_many_writes_are_committed_together(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(20):
        store.add(saved(f"t{number}"))
    commits = 0

    def count(_: sa.Connection) -> None:
        nonlocal commits
        commits += 1

    sa.event.listen(store.engine, "commit", count)
    writes = [store.append(f"t{n}", event(v), summary(1.0, v)) for v in range(1, 51) for n in range(20)]
    for write in writes:
        write.result(30)
    assert commits < len(writes) / 5
    store.close()


def test_lists_are_of_one_owner_and_newest_first(tmp_path: Path) -> None:
    store = Store(tmp_path)
    now = time.time()
    for number, owner in enumerate("aabab"):
        store.add(saved(f"t{number}", owner, now + number, None if number == 2 else 0))
    store.add(saved("last", "c")).result(10)
    assert [table.id for table in store.of_player("a", 2)] == ["t3", "t1"]
    assert store.made_since(now, "a") == 3
    assert store.made_since(now + 1) == 4
    store.close()


def test_a_folder_that_cannot_be_used_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be stored in"):
        Store(tmp_path / "file" / "games")
    (tmp_path / "fourcorners.db").write_text("this is no database, whatever its name says" * 100)
    with pytest.raises(StoreError, match="cannot be stored in"):
        Store(tmp_path)


def test_games_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "fourcorners.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer version"):
        Store(tmp_path)


@pytest.mark.parametrize("name", ["what?mode=memory", "50%41", "a#b", "file:games"])
def test_a_folder_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(Path(name))
    store.close()
    assert (tmp_path / name / "fourcorners.db").is_file()
