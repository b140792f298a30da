"""The judge of a soak finds each fault that it is there to find."""

import json
import sqlite3
from pathlib import Path

import pytest

from fourcorners.web.store.engine import DATABASE_FILE
from tests.faults.ledger import Ledger, Plies, Sent, Verdict, verdict

TABLE = "t"
MOVES = ("a1", "b2", "c3")


class Case:
    """A game of three moves, all acknowledged and stored, to be spoilt."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = [(TABLE, version, (version - 1) % 2, MOVES[version - 1], f"m{version}") for version in (1, 2, 3)]
        self.ledger = Ledger()
        for _, version, _, text, name in self.rows:
            self.ledger.send(Sent(TABLE, name, version - 1, text))
            self.done(name, version)
        self.plies: Plies = [[0, "a1"], [1, "b2"], [0, "c3"]]

    def done(self, name: str, version: int) -> None:
        self.ledger.answer({"type": "done", "id": name, "version": version})

    def verdict(self) -> Verdict:
        with sqlite3.connect(self.folder / DATABASE_FILE) as database:
            database.execute("CREATE TABLE tables (id, game, options, deck)")
            database.execute("CREATE TABLE events (table_id, version, seat, text, client_id)")
            setting = (TABLE, "square-off", json.dumps({"size": 4}), json.dumps([]))
            database.execute("INSERT INTO tables VALUES (?, ?, ?, ?)", setting)
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", self.rows)
        database.close()
        return verdict(self.folder, {TABLE}, [self.ledger], [(TABLE, 3, self.plies)])


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def test_a_game_that_is_stored_as_acknowledged_has_no_faults(case: Case) -> None:
    found = case.verdict()
    assert found.faults == {}
    assert (found.moves, found.unsaid) == (3, 0)


def test_a_lost_acknowledgement_is_no_fault(case: Case) -> None:
    del case.ledger.done["m2"]
    found = case.verdict()
    assert found.faults == {}
    assert (found.moves, found.unsaid) == (2, 1)


def test_a_lost_move_is_found(case: Case) -> None:
    case.rows.pop()
    case.plies.pop()
    found = case.verdict()
    assert found.faults.keys() == {"lost", "drifted"}


def test_another_move_in_its_place_is_a_lost_one(case: Case) -> None:
    case.rows[2] = (TABLE, 3, 0, "d4", "m3")
    assert case.verdict().faults.keys() == {"lost", "drifted"}


def test_a_doubled_move_is_found(case: Case) -> None:
    case.rows.append((TABLE, 4, 1, "c3", "m3"))
    assert case.verdict().faults.keys() == {"doubled", "illegal"}


def test_moves_in_another_order_are_found(case: Case) -> None:
    first, second, third = case.rows
    case.rows = [(TABLE, 1, *second[2:]), (TABLE, 2, *first[2:]), third]
    assert case.verdict().faults.keys() == {"out_of_order", "illegal"}


def test_a_move_that_nobody_sent_is_found(case: Case) -> None:
    del case.ledger.sent["m3"]
    del case.ledger.done["m3"]
    assert case.verdict().faults.keys() == {"invented"}


def test_what_the_server_does_by_itself_is_nobodys(case: Case) -> None:
    case.rows[2] = (TABLE, 3, 0, "!resign", "=3")
    del case.ledger.sent["m3"]
    del case.ledger.done["m3"]
    case.plies.pop()
    assert case.verdict().faults == {}


@pytest.mark.parametrize("kind", ["stale", "refused"])
def test_a_move_that_was_turned_down_and_is_stored_all_the_same_is_found(case: Case, kind: str) -> None:
    del case.ledger.done["m3"]
    case.ledger.answer({"type": kind, "id": "m3", "sentence": "no"})
    assert case.verdict().faults.keys() == {"invented"}


def test_a_gap_in_the_versions_is_found(case: Case) -> None:
    case.rows[2] = (TABLE, 4, 0, "c3", "m3")
    case.ledger.done["m3"] = 4
    case.plies.pop()
    found = case.verdict()
    assert "gaps" in found.faults


def test_a_board_that_shows_something_else_is_found(case: Case) -> None:
    case.plies[1] = [1, "d4"]
    assert case.verdict().faults.keys() == {"drifted"}
