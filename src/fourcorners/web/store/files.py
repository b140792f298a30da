"""The folder and files of an SQLite database: only their owner may read them, one server uses them, and they stay."""

import contextlib
import os
import stat
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, NoReturn

from fourcorners.web.domain.rows import StoreError

fcntl: ModuleType | None = None
with contextlib.suppress(ImportError):  # Windows has neither these locks nor these permissions
    import fcntl

PREVIOUS_SUFFIX = ".before-restore.db"
"""The end of the name, in place of `.db`, of the database that a restored one has replaced."""
_LOG_SUFFIX, _INDEX_SUFFIX = "-wal", "-shm"
_OWN_PREFIX = "fourcorners"
"""How the names of a database's files begin."""
_SMALLEST_FILE = 512
"""The bytes of the smallest page, with which a database of SQLite begins."""
_MAGIC = b"SQLite format 3\0"
_OTHERS = 0o077
"""The permissions of everyone but the owner."""

# Parts of the format that https://www.sqlite.org/walformat.html defines.
_INDEX = struct.Struct("=14x H I 12x 8s 56x I 28x I")
"""The beginning of the index of the log: page size (1 stands for 65,536), frames in the log, salts, frames whose pages
are in the database, and frames whose pages are there or are just being written."""
_LOG_HEADER, _FRAME_HEADER = 32, 24

_Identity = tuple[int, int]


class _Index(NamedTuple):
    """The header of the log's (WAL) index."""

    page_size: int
    frames: int
    salts: bytes
    stored: int
    attempted: int


class DatabaseFiles:
    """The files that SQLite has open in this process, compared with those at their paths.

    SQLite goes on to write to files that have been deleted, replaced or overwritten, and all of that is lost at a
    restart. Any thread may call any method. The database and its index must not be opened here and closed again: that
    would end all locks that SQLite has on them.
    """

    def __init__(self, path: Path) -> None:
        """Watch an existing database at an absolute path."""
        self.path = path
        self._log, self._index = (path.with_name(path.name + suffix) for suffix in (_LOG_SUFFIX, _INDEX_SUFFIX))
        self._database = _identify(path)
        self._logs: tuple[_Identity | None, _Identity | None] | None = None
        self._index_file = -1
        self._last: tuple[_Index, int] | None = None
        self._connections = 0
        self._fate = ""
        """How the open files were lost; empty while they are sound."""

    @property
    def has_log(self) -> bool:
        """Whether there is a log that is not empty."""
        return self._log.exists() and self._log.stat().st_size > 0

    def add_connection(self) -> None:
        """Count a connection, which keeps the log and its index in place."""
        with _lock:
            self._connections += 1

    def remove_connection(self) -> None:
        """Count the end of a connection; SQLite deletes the log and its index with the last one."""
        with _lock:
            self._connections -= 1
            if not self._connections:
                self._logs, self._last, self._fate = None, None, ""

    def close_unused(self) -> bool:
        """Close the index if there are no connections; return whether there are none. Needs the lock of the module."""
        if not self._connections and self._index_file >= 0:
            os.close(self._index_file)
            self._index_file = -1
        return not self._connections

    def check(self) -> None:
        """Raise StoreError if a path no longer leads to the file that is open, or a file was found to be changed."""
        if self._fate:
            self._fail(self._fate)
        if _identify(self.path) != self._database:
            self._fail("deleted or replaced")
        if self._logs is not None and self._logs != (_identify(self._log), _identify(self._index)):
            self._fail("separated from its log")

    def check_writing(self) -> None:
        """Check the paths and the contents before a commit; raise StoreError as `check`, and if another program has
        changed the database or cut off the log. The caller holds SQLite's write lock, so that the log does not grow.
        """
        self.check()
        with _lock:
            if self._logs is None and not self._find_log():
                return
            try:
                before = self._read_index()
                changed, log_size = self.path.stat().st_mtime_ns, self._log.stat().st_size
                after = self._read_index()
            except (OSError, struct.error):
                self._fail("separated from its log")
            page_size = 65_536 if after.page_size == 1 else after.page_size
            if after.frames and log_size < _LOG_HEADER + after.frames * (_FRAME_HEADER + page_size):
                self._fate = "separated from a part of its log"
            # SQLite changes the database only while it moves pages there from the log, and then says so before.
            if before != after or after.stored != after.attempted:
                self._last = None
            elif self._last is not None and self._last[0][2:] == after[2:] and self._last[1] != changed:
                self._fate = "overwritten"
            else:
                self._last = after, changed
        if self._fate:
            self._fail(self._fate)

    def _find_log(self) -> bool:
        """Note which log and index belong to the database; return False where it has none. Needs the lock."""
        if fcntl is None or not self._index.exists():
            return False
        self._logs = _identify(self._log), _identify(self._index)
        if self._index_file >= 0:
            found = os.fstat(self._index_file)
            if (found.st_dev, found.st_ino) == self._logs[1]:
                return True
            os.close(self._index_file)
        self._index_file = os.open(self._index, os.O_RDONLY)
        return True

    def _read_index(self) -> _Index:
        """Read the index; raise OSError or struct.error. Needs the lock."""
        return _Index(*_INDEX.unpack(os.pread(self._index_file, _INDEX.size, 0)))

    def _fail(self, fate: str) -> NoReturn:
        raise StoreError(f"{self.path} has been {fate} while it was open: put the files back, and restart the server")


_lock = threading.Lock()
_watched: dict[tuple[Path, _Identity | None], DatabaseFiles] = {}
"""The databases that are open in this process. `_lock` guards this and the state of the objects."""


def open_files(path: Path) -> DatabaseFiles:
    """Make the database at an absolute path, if it is missing, and leave it to its owner; return its files, the same
    object for all connections of this process. Raise OSError and, for what SQLite would overwrite, StoreError.
    """
    if os.path.lexists(path) and not path.is_file():
        raise StoreError(f"{path} is not a file: move it away, so that games can be stored there")
    _check_sizes(path, path.with_name(path.name + _LOG_SUFFIX))
    try:
        create_private_file(path)
    except FileExistsError:
        tighten(path)
    for name in (path.name + _LOG_SUFFIX, path.name + _INDEX_SUFFIX, path.stem + PREVIOUS_SUFFIX):
        tighten(path.with_name(name))
    if not os.access(path, os.R_OK | os.W_OK) or not os.access(path.parent, os.W_OK | os.X_OK):
        _refuse(path.parent, "this user may not write there")
    with _lock:
        for key, files in list(_watched.items()):
            if files.close_unused():
                del _watched[key]
        return _watched.setdefault((path, _identify(path)), DatabaseFiles(path))


def prepare_folder(folder: Path) -> None:
    """Make a folder that only its owner may use. If it exists, take its rights from everyone else, provided that it
    belongs to this user and holds nothing but databases. Raise StoreError.
    """
    try:
        if not folder.is_dir():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        elif all(file.name.startswith(_OWN_PREFIX) or _is_database(file) for file in folder.iterdir()):
            tighten(folder)
    except (OSError, ValueError) as error:
        is_taken = isinstance(error, FileExistsError | NotADirectoryError)
        _refuse(folder, "it is not a folder" if is_taken else str(getattr(error, "strerror", None) or error))


def _refuse(folder: Path, reason: str) -> NoReturn:
    raise StoreError(
        f"games cannot be stored in {folder}: {reason}; name another folder with --data or FOURCORNERS_DATA"
    )


def _is_database(path: Path) -> bool:
    """Return whether a path leads to a database of SQLite, such as a backup; False if that cannot be read."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the right to be the only server of a folder within a with statement; raise StoreError if another has it.

    The system ends the lock with the process. A file system without locks lets everyone have it.
    """
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"the games in {folder} are in use: stop the server first, or name another folder with --data"
            ) from None
        except OSError:
            pass  # this file system has no locks
        yield
    finally:
        os.close(descriptor)


def create_private_file(path: Path) -> None:
    """Create an empty file that only its owner may read and write; raise OSError if that fails or it exists."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def tighten(path: Path) -> None:
    """Let only the owner use a file or folder, if it exists and belongs to this user."""
    if not hasattr(os, "geteuid"):
        return
    # A file system may not know permissions.
    with contextlib.suppress(OSError):
        found = path.stat()
        is_shared = bool(found.st_mode & stat.S_ISVTX)
        if found.st_uid == os.geteuid() and found.st_mode & _OTHERS and not is_shared:
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)


def _identify(path: Path) -> _Identity | None:
    """Return the device and the number of the file at a path, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _check_sizes(path: Path, log: Path) -> None:
    """Raise StoreError if a file is too short for a database, or empty or missing beside a log (WAL) that is not.

    SQLite would begin a new database in its place and delete the log, which has the last moves.
    """
    size, log_size = (file.stat().st_size if file.exists() else 0 for file in (path, log))
    if 0 < size < _SMALLEST_FILE:
        raise StoreError(f"{path} is damaged: it has only {size} bytes; restore a backup, or move the file away")
    if not size and log_size:
        raise StoreError(f"{path} is empty or gone, but {log.name} is not: restore a backup, or move both files away")
