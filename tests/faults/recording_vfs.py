"""A virtual file system of SQLite that records what is written and synchronised, for every connection of this process.

SQLite writes through a table of C functions for each open file. Here the functions for writing, truncating and
synchronising are replaced by ones that note the call and pass it on, so that a test can rebuild the files as they were
at any moment, or as they would be after the power failed.
"""

import _sqlite3
import contextlib
import ctypes
import threading
from collections.abc import Iterator
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, cast, pointer
from pathlib import Path
from typing import Any, NamedTuple

# Paths are addresses, because SQLite keeps that of a file as long as it is open.
_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_DELETE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
_WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = CFUNCTYPE(c_int, c_void_p, c_int)
_CLOSE = CFUNCTYPE(c_int, c_void_p)


class _Methods(Structure):
    """`sqlite3_io_methods` of version 3, with the functions that are not replaced as plain addresses."""

    _fields_ = (
        ("version", c_int),
        ("close", _CLOSE),
        ("read", c_void_p),
        ("write", _WRITE),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("others", c_void_p * 13),
    )


class _File(Structure):
    """`sqlite3_file`, as far as all file systems have it."""

    _fields_ = (("methods", POINTER(_Methods)),)


class _Vfs(Structure):
    """`sqlite3_vfs` of version 3, with the functions that are not replaced as plain addresses."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _OPEN),
        ("delete", _DELETE),
        ("others", c_void_p * 14),
    )


class Operation(NamedTuple):
    """What happened to a file: `kind` is "write" (of `data` at `offset`), "truncate" (to `offset` bytes), "sync" or
    "delete"; or "note" for what the recorder was told, which is `data` and concerns no file.
    """

    kind: str
    file: str = ""
    offset: int = 0
    data: Any = b""


class Recorder:
    """The operations on the files of one folder, in order; writes may come from several threads."""

    def __init__(self, folder: Path) -> None:
        """Record what happens in a folder."""
        self.folder = folder
        self.operations: list[Operation] = []
        self._lock = threading.Lock()

    def add(self, operation: Operation) -> None:
        """Record an operation that has just succeeded."""
        with self._lock:
            self.operations.append(operation)

    def note(self, what: Any) -> None:
        """Record that something was acknowledged after all operations so far."""
        self.add(Operation("note", data=what))


@contextlib.contextmanager
def record_writes(folder: Path) -> Iterator[Recorder]:
    """Record all operations on files in a folder by connections of SQLite that are opened in the block."""
    library = ctypes.CDLL(_sqlite3.__file__)
    library.sqlite3_vfs_find.restype = POINTER(_Vfs)
    recorder = Recorder(folder)
    original = library.sqlite3_vfs_find(None).contents
    vfs = _Vfs.from_buffer_copy(original)
    vfs.name = b"recording"
    vfs.open, vfs.delete, kept = _replace_vfs_functions(original, recorder)
    assert library.sqlite3_vfs_register(pointer(vfs), 1) == 0
    try:
        yield recorder
    finally:
        library.sqlite3_vfs_register(pointer(original), 1)
        library.sqlite3_vfs_unregister(pointer(vfs))
        # Until here C code could call these functions.
        del kept


def _replace_vfs_functions(original: _Vfs, recorder: Recorder) -> tuple[Any, Any, list[Any]]:
    """Return functions that open and delete files, and a list of what must live as long as they are used."""
    names: dict[int, str] = {}  # by the address of the open file
    methods: list[_Methods] = []  # one table for each kind of file that SQLite opens
    tables: dict[int, _Methods] = {}

    def find_name(path: int | None) -> str:
        """Return the name of a file, by the address of its path, in the recorder's folder; "" for another one."""
        found = Path(ctypes.string_at(path).decode()) if path else None
        return found.name if found is not None and found.parent == recorder.folder else ""

    def open_file(_: int, path: int | None, file: int, flags: int, out_flags: int) -> int:
        status = original.open(ctypes.addressof(original), path, file, flags, out_flags)
        name = find_name(path)
        if status == 0 and name:
            names[file] = name
            opened = cast(file, POINTER(_File)).contents
            address = ctypes.addressof(opened.methods.contents)
            if address not in tables:
                tables[address] = replace_methods(opened.methods.contents)
            opened.methods = pointer(tables[address])
        return int(status)

    def delete_file(_: int, path: int, sync: int) -> int:
        status = original.delete(ctypes.addressof(original), path, sync)
        if status == 0 and find_name(path):
            recorder.add(Operation("delete", find_name(path)))
        return int(status)

    def replace_methods(old: _Methods) -> _Methods:
        """Return a copy of a table of functions in which those that change files are recorded."""

        def write(file: int, data: int, size: int, offset: int) -> int:
            content = ctypes.string_at(data, size)
            status = old.write(file, data, size, offset)
            if status == 0:
                recorder.add(Operation("write", names[file], offset, content))
            return int(status)

        def truncate(file: int, size: int) -> int:
            status = old.truncate(file, size)
            if status == 0:
                recorder.add(Operation("truncate", names[file], size))
            return int(status)

        def sync(file: int, flags: int) -> int:
            status = old.sync(file, flags)
            if status == 0:
                recorder.add(Operation("sync", names[file]))
            return int(status)

        new = _Methods.from_buffer_copy(old)
        new.write, new.truncate, new.sync = _WRITE(write), _TRUNCATE(truncate), _SYNC(sync)
        methods.append(new)
        return new

    opener, deleter = _OPEN(open_file), _DELETE(delete_file)
    return opener, deleter, [opener, deleter, methods, tables, names]
