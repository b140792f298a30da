"""What is stored about a person: all of it is listed, exported, and erased down to the bytes of the database file."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from fourcorners.web.domain.names import DELETED
from fourcorners.web.store import Store, players, schema
from fourcorners.web.store.engine import DATABASE_FILE
from fourcorners.web.store.personal_data import IMPERSONAL, PERSONAL_DATA
from tests.require import require
from tests.web.client import StartServer
from tests.web.stored import OTHER, PLAYERS, dump_database

NAME = "Zephyrine"
PLAYER, SESSION, STRANGER = PLAYERS[5:8]
MARK = f"{NAME} wrote this"
EXPORTED = (
    "sessions",
    "analyses",
    "devices",
    "passkeys",
    "recovery_codes",
    "push_subscriptions",
    "notifications",
    "ratings",
    "puzzle_attempts",
    "daily_results",
    "lesson_progress",
    "puzzle_ratings",
    "set_results",
    "puzzle_sets",
    "results",
    "chairs",
    "chat",
    "reports",
)
GAMES = 150
"""Enough for rows to fill many pages, which SQLite splits and joins as rows come and go."""


def build_rows(number: int) -> dict[str, list[dict[str, Any]]]:
    """Build rows about the person, at two tables of which the second is the person's alone, for every relation.

    Everything that a person can enter has the name in it, and each value is different for another `number`.
    """
    shared, own = f"shared{number}", f"own{number}"
    table = {
        "kind": "live",
        "game": "sqez",
        "options": {"cols": 5},
        "deck": [],
        "owner": PLAYER,
        "settings": {"confirm": True},
        "date": "2026-11-21",
        "created": 1.0,
        "changed": 1.0,
        "turn": None,
        "result": "seat 1 wins 0-0: seat 0 resigned",
        "nonce": "",
        "started": 1.0,
        "version": 2,
        "deadline": None,
        "computer": False,
        "public": False,
        "lease_by": "",
        "lease_until": 0.0,
        "waiting_until": 0.0,
        "position": 7,
    }
    chair = {"kind": "person", "taken": True, "plan": {"lines": [[None, "a1"]]}}
    event = {"at": 2.0, "credit": 0.0}
    line = {"at": 3.0}
    report = {"at": 4.0, "done": False, "table_id": shared}
    return {
        "tables": [table | {"id": shared}, table | {"id": own}],
        "chairs": [
            chair | {"table_id": shared, "seat": 0, "player": PLAYER, "name": NAME},
            chair | {"table_id": shared, "seat": 1, "player": OTHER, "name": "Bert"},
            chair | {"table_id": own, "seat": 0, "player": PLAYER, "name": NAME},
            chair | {"table_id": own, "seat": 1, "player": None, "name": f"{NAME} of an old record"},
        ],
        "events": [
            event
            | {"table_id": shared, "version": 1, "seat": 0, "text": "a1", "client_id": f"{NAME} 1", "command": NAME},
            event
            | {
                "table_id": shared,
                "version": 2,
                "seat": 0,
                "text": "!resign",
                "client_id": f"{NAME} 2",
                "command": NAME,
            },
            event
            | {"table_id": shared, "version": 3, "seat": 1, "text": "!offer-draw", "client_id": "b 1", "command": "b"},
            event | {"table_id": own, "version": 1, "seat": 0, "text": "a1", "client_id": f"{NAME} 1", "command": NAME},
        ],
        "chat": [
            line | {"table_id": shared, "number": 1, "player": PLAYER, "name": NAME, "text": f"{MARK} {number}"},
            line | {"table_id": shared, "number": 2, "player": OTHER, "name": "Bert", "text": f"hello {number}"},
        ],
        "reviews": [
            {"table_id": table, "version": 4, "format": "f", "text": f"{NAME} lost 3 points", "at": 4.0}
            for table in (shared, own)
        ],
        "analyses": [
            {
                "id": f"a{number}",
                "owner": PLAYER,
                "text": f"{NAME} {MARK} {number}",
                "created": 1.0,
                "seen": 2.0,
                "shown": "{}",
            },
            {"id": f"b{number}", "owner": OTHER, "text": "a record", "created": 1.0, "seen": 2.0, "shown": "{}"},
        ],
        "reports": [
            report | {"number": 1, "reporter": OTHER, "about": f"{MARK} {number}", "text": "rude"},
            report | {"number": 2, "reporter": PLAYER, "about": "hello", "text": f"{MARK} {number}"},
        ],
        "results": [
            {
                "table_id": shared,
                "game": "sqez",
                "seats": 2,
                "at": 5.0,
                "moved": {PLAYER: [25.0, 8.0, 24.0, 7.0 + number], OTHER: [25.0, 8.0, 26.0, 7.0]},
            }
        ],
        "ratings": [
            {
                "player": player,
                "game": f"game{number}",
                "seats": 2,
                "mu": 24.0,
                "sigma": 7.0,
                "games": 1,
                "won": 0.0,
                "changed": 5.0,
            }
            for player in (PLAYER, OTHER)
        ],
        "puzzle_attempts": [
            {"player": player, "game": f"game{number}", "puzzle": "0123abcd", "solved": True, "at": 5.0}
            for player in (PLAYER, OTHER)
        ],
        "daily_results": [
            {"player": player, "day": f"day {number}", "found": True, "at": 5.0} for player in (PLAYER, OTHER)
        ],
        "lesson_progress": [
            {"player": player, "lesson": f"game{number}/rules", "steps": 3, "at": 5.0} for player in (PLAYER, OTHER)
        ],
        "puzzle_ratings": [
            {
                "game": f"game{number}",
                "holder": holder,
                "mu": 24.0,
                "sigma": 7.0,
                "games": 1,
                "won": 0.0,
                "changed": 5.0,
            }
            for holder in (PLAYER, OTHER, "0123abcd")
        ],
        "puzzle_sets": [
            {
                "id": f"set{number} of {owner[:8]}",
                "owner": owner,
                "secret": f"{number:064x}",
                "title": f"{name} teaches {number}",
                "items": [{"game": "sqez", "puzzle": "0123abcd"}],
                "created": 1.0,
                "expires": 2.0,
                "admits": "all",
            }
            for owner, name in ((PLAYER, NAME), (OTHER, "Bert"))
        ],
        "set_results": [
            {
                "set_id": f"set{number} of {owner[:8]}",
                "pupil": "Cleo",
                "item": 0,
                "solved": True,
                "shown": False,
                "tries": 1,
                "at": 1.5,
            }
            for owner in (PLAYER, OTHER)
        ],
        "sessions": [{"secret": f"{number:08d}{SESSION[8:]}", "player": PLAYER, "created": 1.0, "seen": 2.0}],
        "known_devices": [{"device": f"{number:08d}{SESSION[8:]}", "player": PLAYER, "seen": 2.0}],
        "passkeys": [
            {"id": f"{number}{SESSION[8:]}", "player": PLAYER, "key": "k", "uses": 1, "created": 1.0, "seen": 2.0}
        ],
        "challenges": [{"challenge": f"{number:064x}", "session": f"{number:08d}{SESSION[8:]}", "at": 1.0}],
        "recovery_codes": [{"code": f"{number:08d}{SESSION[8:]}", "player": PLAYER, "created": 2.0}],
        "push_keys": [{"id": number, "private": "k", "created": 1.0}],
        "push_subscriptions": [
            {
                "id": f"{number:08d}{SESSION[8:]}",
                "player": PLAYER,
                "session": f"{number:08d}{SESSION[8:]}",
                "endpoint": f"https://push.example/{NAME}{number}",
                "key": f"{NAME}’s key",
                "auth": "a",
                "created": 1.0,
            }
        ],
        "notifications": [{"player": PLAYER, "table_id": shared, "kind": "turn", "at": 1.0, "sent": True}],
        "beats": [{"process": f"process{number}", "at": float(number)}],
        "outages": [{"began": float(number), "ended": number + 0.5}],
    }


def build_account() -> dict[str, list[dict[str, Any]]]:
    """Build the rows that a person has once: the account, and the session of the guest that it was."""
    account = {"id": PLAYER, "name": NAME, "account": NAME.lower(), "password": f"hash of {NAME}", "created": 1.0}
    return {
        "players": [account | {"seen": 2.0, "skeleton": NAME.lower(), "puzzle_consent": True}],
        "sessions": [{"secret": PLAYER, "player": STRANGER, "created": 1.0, "seen": 1.0}],
    }


def fill_database(store: Store, games: int) -> None:
    """Fill every relation of the schema with rows about the person and about others. Fail unless each row has a value
    for every column, so that a new column must be filled too.
    """
    parts = [build_account(), *map(build_rows, range(games))]
    rows = {r: [row for part in parts for row in part.get(r.name, [])] for r in schema.metadata.sorted_tables}
    for relation, filled in rows.items():
        numbered = {"id"} if relation is schema.reports else set()
        assert filled and all(set(row) | numbered == set(relation.c.keys()) for row in filled), relation.name

    def work(connection: sa.Connection) -> None:
        for relation, filled in rows.items():
            connection.execute(relation.insert(), filled)

    store.write_now("", work)


def find_traces(folder: Path) -> list[str]:
    """List what is left of the person in the bytes of the database's files: FILE: TRACE, whatever its case."""
    traces = (NAME, PLAYER, SESSION[8:])
    files = {path.name: path.read_bytes().lower() for path in folder.glob(f"{DATABASE_FILE}*")}
    assert DATABASE_FILE in files
    return [f"{name}: {trace}" for name, data in files.items() for trace in traces if trace.lower().encode() in data]


def test_every_column_of_the_schema_is_listed_once_as_about_a_person_or_not() -> None:
    for relation in schema.metadata.sorted_tables:
        entries = [entry for entry in PERSONAL_DATA if entry.relation is relation]
        impersonal = set(IMPERSONAL.get(relation.name, "").split())
        if entries and all(entry.erased is None for entry in entries):
            assert not impersonal, relation.name
            continue
        erased = [name for entry in entries for name in entry.erased or {}]
        assert sorted([*erased, *impersonal]) == sorted(relation.c.keys()), relation.name
    assert set(IMPERSONAL) <= set(schema.metadata.tables)


def test_deleted_account_leaves_nothing_in_the_bytes_of_the_database(folder: Path) -> None:
    """Nothing is left while the server runs, in its log neither, nor after it has stopped."""
    store = Store(folder)
    fill_database(store, GAMES)
    assert find_traces(folder)
    tables = store.delete_player(PLAYER)
    assert sorted(tables) == sorted(f"{kind}{number}" for kind in ("own", "shared") for number in range(GAMES))
    assert find_traces(folder) == []
    store.close()
    assert find_traces(folder) == []


def test_large_database_is_written_anew_when_the_server_starts(
    folder: Path, start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then no row holds anything, but there are copies of rows in unused parts of pages."""
    monkeypatch.setattr(players, "_LARGEST_REWRITTEN", 0)
    store = Store(folder)
    fill_database(store, GAMES)
    store.delete_player(PLAYER)
    assert find_traces(folder)
    assert store.export_player(PLAYER) == {"name": "", "account": None, **{name: [] for name in EXPORTED}}
    store.close()
    start_cold()
    assert find_traces(folder) == []


def test_games_with_others_stay_under_one_random_id_and_the_persons_own_are_deleted(store: Store) -> None:
    fill_database(store, 2)
    store.delete_player(PLAYER)
    rest = dump_database(store)
    assert not [trace for trace in (NAME, NAME.lower(), PLAYER, SESSION[8:], "hash of") if trace in rest]
    shared = require(store.load_table("shared0"))
    anonymous = shared.chairs[0].player
    assert anonymous not in {PLAYER, OTHER, None}
    assert (shared.names, shared.owner, shared.chairs[0].plan) == ([DELETED, "Bert"], anonymous, None)
    assert [event.text for event in shared.events] == ["a1", "!resign", "!offer-draw"]
    assert [(line.name, line.text) for line in store.list_chat_lines("shared0")] == [
        (DELETED, "(deleted)"),
        ("Bert", "hello 0"),
    ]
    assert [(report.about, report.text) for report in store.list_open_reports(2)] == [
        ("(deleted)", "rude"),
        ("hello", "(deleted)"),
    ]
    assert store.read_rating_changes("shared0") == {
        anonymous: [25.0, 8.0, 24.0, 7.0],
        OTHER: [25.0, 8.0, 26.0, 7.0],
    }
    assert store.load_table("own0") is None
    assert [table.id for table in store.list_player_tables(OTHER, 9)] == ["shared0", "shared1"]


def test_quotes_of_the_chat_at_a_table_that_is_deleted_are_erased_but_not_what_reports_say(store: Store) -> None:
    """Also of what others said there: they could not be found once the chat is gone. The table itself stays named."""
    fill_database(store, 1)
    for number, player in ((1, PLAYER), (2, OTHER)):
        store.add_chat_line("own0", player, "", f"line {number}", 1.0).result(30)
        store.add_report("own0", number, OTHER, f"line {number}", f"text {number}", 2.0).result(30)
    store.add_report("own0", None, OTHER, "", "the table", 2.0).result(30)
    store.delete_player(PLAYER)
    assert [(r.about, r.text) for r in store.list_open_reports(9) if r.table_id == "own0"] == [
        ("(deleted)", "text 1"),
        ("(deleted)", "text 2"),
        ("", "the table"),
    ]


def test_export_has_every_column_about_the_person_but_no_secrets_and_no_ids(store: Store) -> None:
    fill_database(store, 2)
    export = store.export_player(PLAYER)
    assert (export.pop("name"), export.pop("account")) == (NAME, NAME.lower())
    counts = {name: len(rows) for name, rows in export.items() if isinstance(rows, list)}
    assert counts == {**dict.fromkeys(EXPORTED, 2), "chairs": 4}
    assert export["results"][1]["moved"] == [25.0, 8.0, 24.0, 8.0]
    text = str(export)
    assert not [word for word in (PLAYER, SESSION[8:], OTHER, "Bert", "hash of") if word in text]


@pytest.mark.parametrize("entry", [entry for entry in PERSONAL_DATA if entry.export], ids=lambda entry: entry.export)
def test_exported_rows_hold_all_their_columns_but_ids_and_secrets(store: Store, entry: Any) -> None:
    fill_database(store, 1)
    export = store.export_player(PLAYER)
    rows = [export] if entry.export == "profile" else export[entry.export]
    ids = {"id", "player", "reporter"} if entry.export != "reports" else {"reporter"}
    assert rows and set(entry.relation.c.keys()) - ids - entry.secret <= set(rows[0])
