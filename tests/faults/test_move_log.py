"""The consistency check of a soak test reports every kind of fault."""

import json
import sqlite3
from pathlib import Path

import pytest

from fourcorners.web.store.engine import DATABASE_FILE
from tests.faults.move_log import ConsistencyReport, MoveLog, Plies, Read, SentMove, check_consistency

TABLE = "t"
MOVES = ("a1", "b2", "c3")


class FaultyGame:
    """A game of three moves, all acknowledged and stored as they should be, until a test changes the fields.

    `rows` are (table, version, seat, text, client id), `log` is the only client's, and `plies` its last board.
    """

    def __init__(self, folder: Path) -> None:
        """Make correct rows, log and board; `build_report` writes the database into `folder`."""
        self.folder = folder
        self.rows = [(TABLE, version, (version - 1) % 2, MOVES[version - 1], f"m{version}") for version in (1, 2, 3)]
        self.log = MoveLog()
        for _, version, _, text, name in self.rows:
            self.log.log_move(SentMove(TABLE, name, version - 1, text))
            self.acknowledge(name, version)
        self.plies: Plies = [[0, "a1"], [1, "b2"], [0, "c3"]]

    def acknowledge(self, name: str, version: int) -> None:
        """Log the acknowledgement of a move."""
        self.log.log_answer({"type": "done", "id": name, "version": version})

    def read(self, version: int, begin: float, table: str = TABLE) -> None:
        """Log that a client who asked for a table at a time was shown a version."""
        self.log.reads.append(Read(table, version, begin, "test"))

    def build_report(self) -> ConsistencyReport:
        """Write the rows to a new database; return its differences from the log and from the board of version 3.

        May be called only once for each game.
        """
        with sqlite3.connect(self.folder / DATABASE_FILE) as database:
            database.execute("CREATE TABLE tables (id, game, options, deck)")
            database.execute("CREATE TABLE events (table_id, version, seat, text, client_id)")
            row = (TABLE, "square-off", json.dumps({"size": 4}), json.dumps([]))
            database.execute("INSERT INTO tables VALUES (?, ?, ?, ?)", row)
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", self.rows)
        database.close()
        return check_consistency(self.folder, {TABLE}, [self.log], [(TABLE, 3, self.plies)])


@pytest.fixture
def game(tmp_path: Path) -> FaultyGame:
    """A game of this test, without faults."""
    return FaultyGame(tmp_path)


def test_correctly_stored_game_has_no_faults(game: FaultyGame) -> None:
    report = game.build_report()
    assert report.faults == {}
    assert (report.moves, report.unacknowledged) == (3, 0)


def test_lost_acknowledgement_is_counted_but_not_a_fault(game: FaultyGame) -> None:
    del game.log.done["m2"]
    report = game.build_report()
    assert report.faults == {}
    assert (report.moves, report.unacknowledged) == (2, 1)


def test_acknowledged_move_that_is_not_stored_is_reported_as_lost(game: FaultyGame) -> None:
    game.rows.pop()
    game.plies.pop()
    # The client still has a board of version 3, which is not stored any more.
    assert game.build_report().faults.keys() == {"lost", "diverged"}


def test_replaced_move_is_reported_as_lost(game: FaultyGame) -> None:
    game.rows[2] = (TABLE, 3, 0, "d4", "m3")
    # The client's board shows c3 instead of d4.
    assert game.build_report().faults.keys() == {"lost", "diverged"}


def test_duplicated_move_is_reported(game: FaultyGame) -> None:
    game.rows.append((TABLE, 4, 1, "c3", "m3"))
    # The corner c3 cannot be taken twice.
    assert game.build_report().faults.keys() == {"duplicated", "illegal"}


def test_moves_stored_in_another_order_than_acknowledged_are_reported(game: FaultyGame) -> None:
    first, second, third = game.rows
    game.rows = [(TABLE, 1, *second[2:]), (TABLE, 2, *first[2:]), third]
    # The first event is a move of seat 1, whose turn it is not.
    assert game.build_report().faults.keys() == {"out_of_order", "illegal"}


def test_stored_move_without_a_sender_is_reported_as_unsent(game: FaultyGame) -> None:
    del game.log.sent["m3"]
    del game.log.done["m3"]
    assert game.build_report().faults.keys() == {"unsent"}


def test_event_by_the_server_itself_is_not_a_fault(game: FaultyGame) -> None:
    game.rows[2] = (TABLE, 3, 0, "!resign", "=3")
    del game.log.sent["m3"]
    del game.log.done["m3"]
    # The board of version 3 has two plies, since resigning is none.
    game.plies.pop()
    assert game.build_report().faults == {}


@pytest.mark.parametrize("kind", ["stale", "refused"])
def test_rejected_but_stored_move_is_reported_as_unsent(game: FaultyGame, kind: str) -> None:
    del game.log.done["m3"]
    game.log.log_answer({"type": kind, "id": "m3", "sentence": "no"})
    assert game.build_report().faults.keys() == {"unsent"}


def test_gap_in_the_stored_versions_is_reported(game: FaultyGame) -> None:
    game.rows[2] = (TABLE, 4, 0, "c3", "m3")
    game.log.done["m3"] = 4
    # There is no version 3, of which the client has a board.
    assert game.build_report().faults.keys() == {"gaps", "diverged"}


def test_board_that_differs_from_the_stored_moves_is_reported(game: FaultyGame) -> None:
    game.plies[1] = [1, "d4"]
    assert game.build_report().faults.keys() == {"diverged"}


def test_reads_of_versions_that_were_the_newest_or_newer_than_any_acknowledged_are_no_faults(game: FaultyGame) -> None:
    game.log.done_at = {"m1": 1.0, "m2": 2.0, "m3": 3.0}
    # Before the first acknowledgement any version is right, and so is one that is acknowledged only later.
    for version, begin in ((0, 0.5), (3, 0.5), (1, 1.5), (1, 2.0), (2, 2.5), (3, 3.5)):
        game.read(version, begin)
    assert game.build_report().faults == {}


@pytest.mark.parametrize(("version", "begin"), [(-1, 1.5), (0, 1.5), (1, 2.5), (2, 9.0)])
def test_read_of_an_older_version_than_one_acknowledged_before_is_reported_as_stale(
    game: FaultyGame, version: int, begin: float
) -> None:
    game.log.done_at = {"m1": 1.0, "m2": 2.0, "m3": 3.0}
    game.read(3, 9.0)
    game.read(version, begin)
    report = game.build_report()
    assert report.faults.keys() == {"stale"}
    assert len(report.stale) == 1


def test_acknowledgements_that_arrive_in_another_order_than_the_versions_count_with_the_newest(
    game: FaultyGame,
) -> None:
    # The acknowledgement of another client may be slow.
    game.log.done_at = {"m1": 1.0, "m2": 9.0, "m3": 3.0}
    game.read(2, 9.5)
    assert game.build_report().faults.keys() == {"stale"}


def test_read_of_a_version_that_is_not_stored_is_reported(game: FaultyGame) -> None:
    game.read(4, 1.0)
    assert game.build_report().faults.keys() == {"unstored"}


def test_reads_of_tables_that_are_not_checked_do_not_count(game: FaultyGame) -> None:
    game.read(0, 9.0, "another")
    assert game.build_report().faults == {}
