"""Power loss: the files of SQLite as they would be if the power failed at any moment, opened by the real store.

A store writes moves while everything that SQLite writes is recorded. Every prefix of the record is a moment. At each of
them, what was synchronised is on the disk; of the rest nothing is, or everything, or a random part, with torn writes.
All moves acknowledged until then must be in the database, in order and once.
"""

import contextlib
import hashlib
import random
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa

from fourcorners.web.store import Store, StoreError, writer
from fourcorners.web.store.engine import DATABASE_FILE
from fourcorners.web.store.write_result import WriteResult, complete
from tests.faults.recording_vfs import Operation, record_writes
from tests.web.stored import build_event, build_summary, build_table

TABLES = 3
_PAGES_PER_CHECKPOINT = 40
"""SQLite moves the log into the file this often, so that a short record has many checkpoints."""
_SECTOR = 512
_TIMEOUT = 30.0

Files = dict[str, bytes]
Acknowledged = dict[str, int]
"""The last acknowledged version of each table."""


def record_moves(folder: Path, rounds: int) -> list[Operation]:
    """Store `rounds` moves at each of `TABLES` tables, in batches; return what was written and acknowledged."""
    tables = [f"t{number}" for number in range(TABLES)]
    moves: dict[WriteResult[None], tuple[str, int]] = {}
    submitting = threading.Lock()  # so that a move is in `moves` before it is acknowledged

    def note_and_complete(outcomes: Sequence[tuple[WriteResult[Any], Any]]) -> None:
        """Note the moves of a batch as acknowledged in the writer thread, before it writes anything more."""
        with submitting:
            for write, outcome in outcomes:
                if write in moves and outcome is None:
                    recorder.note(moves[write])
        complete(outcomes)

    with record_writes(folder) as recorder, patch.object(writer, "complete", note_and_complete):
        store = Store(folder)

        @sa.event.listens_for(store.engine, "begin")
        def _checkpoint_often(connection: sa.Connection) -> None:
            connection.exec_driver_sql(f"PRAGMA wal_autocheckpoint = {_PAGES_PER_CHECKPOINT}")

        for table in tables:
            store.add_table(build_table(table)).result(_TIMEOUT)
        for version in range(1, rounds + 1):
            with submitting:
                writes = {
                    store.append_event(table, build_event(version), build_summary(version)): (table, version)
                    for table in tables
                }
                moves.update(writes)
            for write in writes:
                write.result(_TIMEOUT)
        store.close()
    return recorder.operations


class Disk:
    """What a disk holds while operations arrive: `synced` is certain, `waiting` may or may not have been written."""

    def __init__(self, *, syncs: bool = True) -> None:
        """Begin with no files; with `syncs` False, the disk ignores requests to synchronise."""
        self.synced: dict[str, bytearray] = {}
        self.waiting: list[Operation] = []
        self._syncs = syncs

    def apply(self, operation: Operation) -> None:
        """Take the next operation."""
        if operation.kind != "sync":
            self.waiting.append(operation)
        elif self._syncs:
            # With a new file SQLite also synchronises the folder, and so what was deleted there.
            with_folder = operation.file not in self.synced
            certain = [
                each for each in self.waiting if each.file == operation.file or (with_folder and each.kind == "delete")
            ]
            self.waiting = [each for each in self.waiting if each not in certain]
            self.synced.setdefault(operation.file, bytearray())
            for each in certain:
                _change(self.synced, each)

    def list_outcomes(self, generator: random.Random) -> Iterator[Files]:
        """Yield the files as they may be after the power has failed now."""
        yield self._build([])
        yield self._build(self.waiting)
        yield self._build([_tear(each, generator) for each in self.waiting if generator.random() < 0.5])

    def _build(self, written: Sequence[Operation]) -> Files:
        files = {name: bytearray(content) for name, content in self.synced.items()}
        for operation in written:
            _change(files, operation)
        return {name: bytes(content) for name, content in files.items()}


def _change(files: dict[str, bytearray], operation: Operation) -> None:
    """Apply a write, a truncation or a deletion to files, in place."""
    if operation.kind == "delete":
        files.pop(operation.file, None)
        return
    content = files.setdefault(operation.file, bytearray())
    end = operation.offset + (len(operation.data) if operation.kind == "write" else 0)
    content.extend(bytes(max(0, end - len(content))))
    if operation.kind == "write":
        content[operation.offset : end] = operation.data
    else:
        del content[end:]


def _tear(operation: Operation, generator: random.Random) -> Operation:
    """Return an operation; of one in five long writes only some whole sectors from its beginning."""
    if operation.kind != "write" or len(operation.data) <= _SECTOR or generator.random() < 0.8:
        return operation
    return operation._replace(data=operation.data[: _SECTOR * generator.randrange(1, len(operation.data) // _SECTOR)])


@dataclass
class PowerLossReport:
    """The results: `moments` after which the power failed, different `states` of the files, `faults` as sentences."""

    moves: int = 0
    operations: int = 0
    syncs: int = 0
    checkpoints: int = 0
    moments: int = 0
    states: int = 0
    faults: list[str] = field(default_factory=list)


def check_power_loss(
    operations: Sequence[Operation], share: float = 1.0, seed: int = 1, *, syncs: bool = True
) -> PowerLossReport:
    """Let the power fail after each operation, or a random share of them, and open what is left with the real store.

    With `syncs` False the disk ignores requests to synchronise, which must show as lost moves.
    """
    generator, disk = random.Random(seed), Disk(syncs=syncs)
    report = PowerLossReport(operations=len(operations))
    acknowledged: Acknowledged = defaultdict(int)
    checked: set[bytes] = set()
    with tempfile.TemporaryDirectory() as scratch:
        for index, operation in enumerate(operations):
            is_note = operation.kind == "note"
            if is_note:
                table, version = operation.data
                acknowledged[table] = max(acknowledged[table], version)
                report.moves += 1
            else:
                disk.apply(operation)
            report.syncs += operation.kind == "sync"
            report.checkpoints += operation.kind == "sync" and operation.file == DATABASE_FILE
            # A promise must hold from the first moment.
            if not is_note and generator.random() >= share:
                continue
            report.moments += 1
            for files in disk.list_outcomes(generator):
                digest = hashlib.sha256(repr((sorted(files.items()), sorted(acknowledged.items()))).encode()).digest()
                if digest not in checked:
                    checked.add(digest)
                    report.faults += _check_files(Path(scratch) / f"{len(checked)}", files, acknowledged, index)
    report.states = len(checked)
    return report


def _check_files(folder: Path, files: Files, acknowledged: Acknowledged, index: int) -> list[str]:
    """Open files with the store as after a restart; return what is wrong, each with the number of the operation."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        with contextlib.closing(Store(folder)) as store:
            found = list(_find_faults(store, acknowledged))
    except StoreError as error:
        found = [f"the database cannot be read: {error}"]
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    return [f"after operation {index}: {fault}" for fault in found]


def _find_faults(store: Store, acknowledged: Acknowledged) -> Iterator[str]:
    """Yield what is wrong with a database after a power loss; raise StoreError if it cannot be read."""
    with store.read() as connection:
        answer: Any = connection.scalar(sa.text("PRAGMA integrity_check"))
    if answer != "ok":
        yield f"the database is damaged: {answer}"
    for table_id, version in acknowledged.items():
        table = store.load_table(table_id)
        if table is None:
            yield f"{table_id} is lost"
            continue
        expected = [build_event(number) for number in range(1, len(table.events) + 1)]
        if table.events != expected or table.version != len(expected):
            yield f"{table_id} has version {table.version} and events {[event.version for event in table.events]}"
        if len(expected) < version:
            yield f"{table_id} has {len(expected)} of {version} acknowledged moves"


def run_power_loss(moves: int, seed: int, share: float = 1.0) -> PowerLossReport:
    """Store about `moves` moves, and let the power fail after a share of all operations."""
    with tempfile.TemporaryDirectory() as folder:
        operations = record_moves(Path(folder), max(1, moves // TABLES))
    return check_power_loss(operations, share, seed)
