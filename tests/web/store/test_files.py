"""The files of SQLite: they are private, belong to one server, and are missed as soon as they are gone."""

import contextlib
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fourcorners.web.store import Store, StoreError
from fourcorners.web.store.database import mark_remains
from fourcorners.web.store.engine import DATABASE_FILE
from fourcorners.web.store.files import lock_folder, prepare_folder
from tests.web.client import WAIT
from tests.web.disk import fill_disk
from tests.web.stored import build_event, build_summary, build_table

LOG_FILE, INDEX_FILE = f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm"


def play(store: Store, version: int) -> None:
    """Store a move, which makes this version of table "t"; raise StoreError."""
    store.append_event("t", build_event(version), build_summary(version)).result(WAIT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data folder of this test's store."""
    return tmp_path / "data"


@pytest.fixture
def store(folder: Path, tmp_path: Path) -> Iterator[Store]:
    """A store with a table "t" and moves in both the database and its log; its backup lies beside its folder."""
    opened = Store(folder)
    opened.add_table(build_table("t")).result(WAIT)
    play(opened, 1)
    with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM INTO ?", [str(tmp_path / "backup")])
    play(opened, 2)
    opened.check_writing()
    yield opened
    opened.close()


def overwrite(path: Path) -> None:
    """Overwrite a part of a file with other bytes."""
    with path.open("r+b") as file:
        file.seek(50_000)
        file.write(bytes(range(256)) * 40)


LOSSES: dict[str, Callable[[Path], object]] = {
    "all files deleted": lambda folder: list(map(Path.unlink, folder.iterdir())),
    "database deleted": lambda folder: (folder / DATABASE_FILE).unlink(),
    "log deleted": lambda folder: (folder / LOG_FILE).unlink(),
    "index deleted": lambda folder: (folder / INDEX_FILE).unlink(),
    "folder renamed": lambda folder: folder.rename(folder.with_name("other")),
    "backup moved there": lambda folder: folder.with_name("backup").replace(folder / DATABASE_FILE),
    "backup copied there": lambda folder: shutil.copy(folder.with_name("backup"), folder / DATABASE_FILE),
    "database emptied": lambda folder: os.truncate(folder / DATABASE_FILE, 0),
    "database cut off": lambda folder: os.truncate(folder / DATABASE_FILE, 100_000),
    "database overwritten": lambda folder: overwrite(folder / DATABASE_FILE),
    "log emptied": lambda folder: os.truncate(folder / LOG_FILE, 0),
    "log cut off": lambda folder: os.truncate(folder / LOG_FILE, 5000),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_no_write_is_acknowledged_once_the_files_are_gone_or_changed(store: Store, folder: Path, loss: str) -> None:
    LOSSES[loss](folder)
    for _ in range(2):
        with pytest.raises(StoreError):
            play(store, 3)
    with pytest.raises(StoreError):
        store.check_writing()


@pytest.mark.parametrize("loss", ["database deleted", "log deleted", "folder renamed", "backup moved there"])
def test_lost_database_is_not_read_either_and_the_reason_names_its_path(store: Store, folder: Path, loss: str) -> None:
    LOSSES[loss](folder)
    with pytest.raises(StoreError, match=str(folder / DATABASE_FILE)):
        store.load_table("t")
    # Nor does SQLite make a new one in its place.
    assert (folder / DATABASE_FILE).exists() == (loss in {"log deleted", "backup moved there"})


def test_games_go_on_when_a_folder_that_was_renamed_is_back(store: Store, folder: Path) -> None:
    other = folder.rename(folder.with_name("other"))
    with pytest.raises(StoreError):
        play(store, 3)
    other.rename(folder)
    play(store, 3)


def test_other_processes_that_use_the_database_are_no_loss(store: Store, folder: Path) -> None:
    """They write, move the log into the file, write the file anew, and close it, while the store stays open."""
    program = (
        "import sqlite3, sys\n"
        "for statement in sys.argv[2:]:\n"
        "    connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "    connection.execute(statement).fetchall()\n"
        "    connection.close()\n"
    )
    version = 3
    for statements in (
        ["SELECT count(*) FROM tables"],
        ["PRAGMA user_version = 2", "PRAGMA wal_checkpoint(TRUNCATE)"],
        ["VACUUM", "PRAGMA wal_checkpoint(PASSIVE)"],
        ["SELECT count(*) FROM tables"],
    ):
        subprocess.run([sys.executable, "-c", program, str(folder / DATABASE_FILE), *statements], check=True)
        # SQLite deletes both with the last connection, and would if this process had lost its locks.
        assert (folder / LOG_FILE).exists() and (folder / INDEX_FILE).exists()
        for _ in range(3):
            play(store, version)
            version += 1
        store.check_writing()
    store.write_now("", mark_remains)
    store.erase_remains()
    play(store, version)


def test_long_log_is_moved_into_the_file_without_a_false_alarm(store: Store) -> None:
    """SQLite moves it after a thousand pages."""
    for _ in range(300):
        store.check_writing()
    play(store, 3)


def test_full_disk_lets_a_store_open_and_read_and_later_write(store: Store, folder: Path) -> None:
    """Without room there is no place for the index of the log."""
    store.close()
    assert not (folder / INDEX_FILE).exists()
    with fill_disk():
        reopened = Store(folder)
        for _ in range(2):
            loaded = reopened.load_table("t")
            assert loaded is not None and len(loaded.events) == 2
            with pytest.raises(StoreError, match="no room"):
                play(reopened, 3)
    play(reopened, 3)
    loaded = reopened.load_table("t")
    assert loaded is not None and len(loaded.events) == 3
    reopened.close()


def test_full_disk_under_a_log_that_has_the_last_moves_keeps_them(store: Store, folder: Path, tmp_path: Path) -> None:
    """Reading the file alone would lose them."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in (DATABASE_FILE, LOG_FILE):
        shutil.copy(folder / name, copy)
    with fill_disk(), pytest.raises(StoreError):
        Store(copy)
    reopened = Store(copy)
    loaded = reopened.load_table("t")
    assert loaded is not None and len(loaded.events) == 2
    reopened.close()


def read_mode(path: Path) -> int:
    """Return the permissions of a file or folder."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Let new files be readable by everyone, unless a program says otherwise; it has no value."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_new_folder_and_files_are_for_their_owner_only(store: Store, folder: Path) -> None:
    assert store.load_table("t") is not None
    assert read_mode(folder) == 0o700
    names = {file.name for file in folder.iterdir()}
    assert names == {DATABASE_FILE, LOG_FILE, INDEX_FILE}
    assert {read_mode(file) for file in folder.iterdir()} == {0o600}


def test_files_that_exist_are_taken_from_others_and_so_is_a_folder_of_databases(store: Store, folder: Path) -> None:
    previous = folder / "fourcorners.before-restore.db"
    for file in (previous, folder / "copy"):
        shutil.copy(folder.with_name("backup"), file)
    for file in folder.iterdir():
        file.chmod(0o644)
    folder.chmod(0o755)
    Store(folder).close()
    assert read_mode(folder) == 0o700
    assert {read_mode(file) for file in (*folder.glob("fourcorners.db*"), previous)} == {0o600}
    assert store.load_table("t") is not None


@pytest.mark.parametrize(("other", "mode"), [("notes.txt", 0o755), (None, 0o1777)])
def test_folder_with_other_files_or_for_all_users_keeps_its_rights(
    tmp_path: Path, other: str | None, mode: int
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    if other is not None:
        (folder / other).write_text("mine")
        (folder / other).chmod(0o644)
    folder.chmod(mode)
    Store(folder).close()
    assert read_mode(folder) == mode
    assert read_mode(folder / DATABASE_FILE) == 0o600
    assert other is None or read_mode(folder / other) == 0o644


def test_only_one_server_holds_a_folder_until_it_ends(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        with (
            pytest.raises(StoreError, match=f"the games in {tmp_path} are in use: stop the server first"),
            lock_folder(tmp_path),
        ):
            pass
        # The operator's commands work meanwhile.
        Store(tmp_path).close()
    with lock_folder(tmp_path):
        pass


def test_file_system_without_locks_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fourcorners.web.store.files.fcntl.flock", fail)
    with lock_folder(tmp_path), lock_folder(tmp_path):
        pass


def make_unusable(path: Path, kind: str) -> Path:
    """Make a data folder that cannot be used, in one way, and return its path."""
    folder = path / "data"
    if kind == "file":
        folder.write_text("x")
    elif kind == "below a file":
        (path / "x").write_text("x")
        return path / "x" / "data"
    elif kind == "loop":
        folder.symlink_to(folder)
    elif kind == "null character":
        return path / "a\0b"
    else:
        folder.mkdir()
    database = folder / DATABASE_FILE
    if kind == "database is a folder":
        database.mkdir()
    elif kind == "database is a pipe":
        os.mkfifo(database)
    elif kind == "dangling link":
        database.symlink_to(path / "nowhere" / "x")
    elif kind == "no database":
        database.write_bytes(b"something else " * 100)
    elif kind == "other program":
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("CREATE TABLE songs (name)")
    return folder


KINDS = (
    *("file", "below a file", "loop", "null character"),
    *("database is a folder", "database is a pipe", "dangling link", "no database", "other program"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_folder_that_cannot_be_used_is_named_in_a_sentence(tmp_path: Path, kind: str) -> None:
    folder = make_unusable(tmp_path, kind)
    with pytest.raises(StoreError) as caught:
        Store(folder)
    assert str(folder) in str(caught.value) and "\n" not in str(caught.value)


def test_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    folder = make_unusable(tmp_path, "other program")
    with pytest.raises(StoreError, match="belongs to another program"):
        Store(folder)
    with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]


def test_folder_in_which_this_user_may_not_write_is_reported_before_anything_is_read(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    # The superuser, as whom tests may run, may always write.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(
        StoreError, match=f"games cannot be stored in {folder}: this user may not write there"
    ) as caught:
        Store(folder)
    assert "--data or FOURCORNERS_DATA" in str(caught.value)


def test_folder_that_cannot_be_made_names_the_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match="x: Permission denied; name another folder with --data or FOURCORNERS_DATA"):
        prepare_folder(tmp_path / "x")
