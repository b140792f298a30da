"""Acknowledged moves survive a power loss at any moment."""

from pathlib import Path

import pytest

from fourcorners.web.store.engine import DATABASE_FILE
from tests.faults.power_loss import TABLES, Disk, check_power_loss, record_moves
from tests.faults.recording_vfs import Operation

ROUNDS = 6


@pytest.mark.parametrize("share", [0.05, pytest.param(1.0, marks=pytest.mark.slow)], ids=["short", "long"])
def test_every_acknowledged_move_is_there_in_order_and_once_after_a_power_loss(tmp_path: Path, share: float) -> None:
    operations = record_moves(tmp_path, ROUNDS)
    # SQLite knows the names of its files while they are recorded.
    assert {path.name for path in tmp_path.iterdir()} <= {DATABASE_FILE, f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm"}
    assert not list(Path.cwd().glob("*-shm"))
    report = check_power_loss(operations, share)
    assert report.faults == []
    assert report.moves == ROUNDS * TABLES
    # Moves were synchronised, and the log was moved into the database in between.
    assert report.syncs > ROUNDS and report.checkpoints >= 2
    assert report.states > 50


def test_disk_that_ignores_synchronisation_is_found_to_lose_moves(tmp_path: Path) -> None:
    report = check_power_loss(record_moves(tmp_path, 1), 0.0, syncs=False)
    assert any("is lost" in fault or "acknowledged moves" in fault for fault in report.faults)


def test_what_is_not_synchronised_may_be_lost_and_the_rest_stays() -> None:
    disk = Disk()
    for operation in (
        Operation("write", "a", 0, b"12345678"),
        Operation("sync", "a"),
        Operation("write", "a", 4, b"xxxxxxxx"),
        Operation("truncate", "a", 10),
        Operation("write", "b", 2, b"y"),
    ):
        disk.apply(operation)
    assert disk._build([]) == {"a": b"12345678"}
    assert disk._build(disk.waiting) == {"a": b"1234xxxxxx", "b": b"\0\0y"}
    disk.apply(Operation("delete", "a"))
    assert disk._build([]) == {"a": b"12345678"}
    # A new file is synchronised together with its folder.
    disk.apply(Operation("sync", "b"))
    assert disk._build([]) == {"b": b"\0\0y"}
