"""Damaged databases: whatever is wrong with the file, a command says so in one sentence, and nothing is overwritten."""

import contextlib
import gc
import io
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fourcorners.cli import app
from fourcorners.web.realtime import background_tasks
from fourcorners.web.store import Store, StoreError
from fourcorners.web.store.engine import DATABASE_FILE
from tests.waiting import wait_until
from tests.web.client import WAIT, StartServer
from tests.web.processes import Process
from tests.web.stored import build_event, build_summary, build_table

LOG_FILE = f"{DATABASE_FILE}-wal"
COMMANDS = (
    ("serve", "--port", "0", "--no-open"),
    ("tables", "list"),
    ("accounts", "list"),
    ("reports", "list"),
    ("backup", "copy"),
)
FLIPS = 60


@pytest.fixture(scope="session")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of a few games and a log (WAL) of the last moves; tests copy it."""
    folder, opened = tmp_path_factory.mktemp("intact"), tmp_path_factory.mktemp("open")
    store = Store(opened)
    for number in range(6):
        store.add_table(build_table(f"t{number}")).result(WAIT)
    with contextlib.closing(sqlite3.connect(opened / DATABASE_FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for version in range(1, 6):
        for number in range(6):
            store.append_event(f"t{number}", build_event(version), build_summary(version)).result(WAIT)
    for name in (DATABASE_FILE, LOG_FILE):
        shutil.copy(opened / name, folder)
    # Closing moves the log into the file.
    store.close()
    return folder


def run_command(*words: str) -> Result:
    """Run a command in this process; the result has an exit status and texts."""
    try:
        return CliRunner().invoke(app, list(words))
    finally:
        # `serve` disables it until it runs.
        gc.enable()


@pytest.fixture
def damage(intact: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that makes a folder with the first `size` bytes of the file (None: none) and maybe the log."""

    def make_folder(size: int | None, *, with_log: bool) -> Path:
        content = (intact / DATABASE_FILE).read_bytes()
        assert len(content) > 40_000
        folder = tmp_path / "data"
        folder.mkdir()
        if size is not None:
            (folder / DATABASE_FILE).write_bytes(content[:size])
        if with_log:
            shutil.copy(intact / LOG_FILE, folder)
        return folder

    return make_folder


def expect_sentences(folder: Path) -> None:
    """Assert that every command fails in one sentence, with status 1, for a damaged database in a folder."""
    for words in COMMANDS:
        result = run_command(*words, "--data", str(folder))
        assert result.exit_code == 1, (words, result.output)
        assert result.stderr.startswith("fourcorners: ") and result.stderr.count("\n") == 1, (words, result.output)


@pytest.mark.usefixtures("logged")
@pytest.mark.parametrize("with_log", [True, False])
@pytest.mark.parametrize("size", [1, 100, 4096, 40_000])
def test_every_command_reports_a_truncated_file_in_one_sentence(
    damage: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, *, with_log: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    expect_sentences(damage(size, with_log=with_log))


@pytest.mark.usefixtures("logged")
@pytest.mark.parametrize("size", [None, 0, 1, 100])
def test_log_of_a_lost_or_empty_file_is_kept(
    damage: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int | None
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = damage(size, with_log=True)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    expect_sentences(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_backup_is_not_restored_beside_the_log_of_a_lost_database(intact: Path, tmp_path: Path) -> None:
    backup, folder = tmp_path / "backup", tmp_path / "data"
    Store(tmp_path / "other").close()
    assert run_command("backup", str(backup), "--data", str(tmp_path / "other")).exit_code == 0
    folder.mkdir()
    shutil.copy(intact / LOG_FILE, folder)
    result = run_command("restore", str(backup), "--data", str(folder))
    assert result.exit_code == 1
    assert "belongs to a database that is gone" in result.stderr
    (folder / LOG_FILE).unlink()
    assert run_command("restore", str(backup), "--data", str(folder)).exit_code == 0


def use_everything(folder: Path) -> Iterator[Callable[[], object]]:
    """Yield functions that open a database, then read and write parts of it; the store is closed at the end."""
    opened: list[Store] = []
    yield lambda: opened.append(Store(folder))
    if not opened:
        return
    (store,) = opened
    yield store.read_latest_time
    yield lambda: store.list_tables(10)
    yield lambda: store.list_lobby_tables(10, started=True)
    for number in range(6):
        yield lambda number=number: store.load_table(f"t{number}")  # type: ignore[misc]
        yield lambda number=number: store.read_premoves(f"t{number}")  # type: ignore[misc]
    yield lambda: store.append_event("t3", build_event(6), build_summary(6)).result(WAIT)
    yield lambda: store.record_heartbeat("x", 10.0, 0.0)
    yield store.check_writing
    store.close()


def test_flipped_bytes_anywhere_in_the_file_raise_nothing_but_store_errors(intact: Path, tmp_path: Path) -> None:
    generator = random.Random(3)
    whole = tmp_path / "whole"
    shutil.copytree(intact, whole)
    # This moves the log into the file.
    Store(whole).close()
    content = (whole / DATABASE_FILE).read_bytes()
    used = [place for place, byte in enumerate(content) if byte]
    failures = 0
    for number in range(FLIPS):
        damaged = bytearray(content)
        for _ in range(generator.choice([1, 3, 30])):
            damaged[generator.choice(used)] = generator.randrange(256)
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / DATABASE_FILE).write_bytes(damaged)
        for use in use_everything(folder):
            try:
                use()
            except StoreError as error:
                assert str(error) and "\n" not in str(error)
                failures += 1
    assert failures > FLIPS / 3


def test_server_that_cannot_write_at_the_start_exits_with_one_sentence(folder: Path) -> None:
    with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        connection.execute("DROP TABLE outages")
    process = Process(folder)
    try:
        assert process.child.wait(WAIT) == 1
    finally:
        process.__exit__()
    assert "Traceback" not in process.log
    assert "no such table: outages" in process.log


def test_background_tasks_log_a_failing_database_in_one_line_without_a_traceback(
    start_cold: StartServer, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_tasks, "FLAGS_EVERY", 0.01)
    server = start_cold()
    with server.context.store.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE tables RENAME TO others")
    wait_until(lambda: "a background task failed" in logged.getvalue())
    (line, *_) = [line for line in logged.getvalue().splitlines() if "a background task failed" in line]
    assert "no such table: tables" in line
    assert "Traceback" not in line and '"exception"' not in line
