"""Checkpoints: a solver's memory and proven bounds on disk, so that another process can continue a solve.

A file is one line of JSON, padded to a page, followed by the memory's words. Pages of zeros become holes, so empty
parts take no space on disk. The file is written under another name, flushed to the disk and only then renamed; if
anything fails before that, the older file is unchanged.
"""

import contextlib
import errno
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Position
from fourcorners.solvers.solver_protocol import Checkpointable, Words

FORMAT = 1
_KIND = "fourcorners checkpoint"
_WORD = 8
_PAGE = 512  # words
_CHUNK = 512 * _PAGE
_MAX_HEADER = 1 << 20
_PACKAGE = Path(__file__).resolve().parent.parent
# Files that determine the meaning of the words; a checkpoint is valid only for the same contents.
_SOURCES = [
    "core/bits.py",
    *(f"solvers/{name}.py" for name in ("default_exact", "margin_protocol", "margins", "null_window")),
    *(f"solvers/{name}.py" for name in ("nimber_protocol", "nimber_search", "nimber_table", "nimbers")),
    "solvers/transposition_table.py",
]
# Import-linter keeps these files of a game out of its exact play.
_IRRELEVANT = {"__init__.py", "drawing.py", "evaluate.py", "explain.py", "notation.py"}


@dataclass(frozen=True)
class SolveState:
    """The state of a solve: bounds for the seat to move, nodes and seconds of all runs, and the memory in bytes."""

    lower: int
    upper: int
    nodes: int
    seconds: float
    memory: int


class _Header(NamedTuple):
    """The first line of a file: `subject` from `_describe_subject`, `begin` the byte after it, `check` the CRC-32."""

    state: SolveState
    subject: dict[str, Any]
    words: int
    entries: int
    check: str
    begin: int


def save(path: Path, position: Position, memory: Checkpointable, state: SolveState) -> None:
    """Write a checkpoint to a locked `.part` file, then replace `path` by it; raise OSError if that fails."""
    part = _get_part_path(path)
    with _open_exclusively(part) as file:
        with memory.lock_words() as (words, entries):
            size = {"words": len(words), "entries": entries}
            values = {_KIND: FORMAT, **_describe_subject(position), **asdict(state), **size}
            # The checksum is known last but belongs to the header, so it has a fixed length.
            begin = len(_format_header(values, 0))
            check = _write_words(file, begin, words)
        file.seek(0)
        file.write(_format_header(values, check))
        file.flush()
        os.fsync(file.fileno())
        part.replace(path)
    _flush_folder(path.parent)


def read_state(path: Path) -> SolveState:
    """Return the state in a file's first line; raise OSError, or GameError if it is not a checkpoint."""
    with path.open("rb") as file:
        return _read_header(path, file).state


def load(path: Path, position: Position, memory: Checkpointable) -> SolveState:
    """Load a file into a new solver's memory and return its state; after an error, do not use that memory.

    Raise OSError if the file cannot be read; GameError if it is not a checkpoint, is damaged or too large, or belongs
    to another game, position or version; MemoryError if the system has too little memory.
    """
    with path.open("rb") as file:
        header = _read_header(path, file)
        subject = _describe_subject(position)
        for name, what in (("game", "another game"), ("options", "other options"), ("position", "another position")):
            value = header.subject[name]
            if value != subject[name]:
                text = value if isinstance(value, str) else json.dumps(value)
                _refuse(path, f"is a checkpoint of {what}: {quote(text)}")
        if header.subject["sources"] != subject["sources"]:
            _refuse(path, "is a checkpoint of another version of the solver, which cannot be continued")
        words = memory.allocate_words(header.words, header.entries)
        if words is None:
            _refuse(path, f"has a memory of {header.state.memory} bytes, which is above the memory limit")
        if _read_words(file, header.begin, words) != header.check:
            _refuse(path, "is damaged: it is truncated, or was changed after it was written")
    memory.restore(header.words, header.entries, position, (header.state.lower, header.state.upper))
    return header.state


def check_writable(path: Path) -> None:
    """Raise OSError if no checkpoint can be written at this path now; this creates or empties, and deletes, `.part`."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    part = _get_part_path(path)
    with _open_exclusively(part):
        part.unlink()


def _refuse(path: Path, why: str) -> NoReturn:
    """Raise GameError for a file that cannot be used; `why` completes a sentence that begins with the path."""
    raise GameError(f"{path} {why}", "checkpoint")


def _get_part_path(path: Path) -> Path:
    """Return the name under which a file is written before it is renamed."""
    return path.with_name(path.name + ".part")


@contextlib.contextmanager
def _open_exclusively(part: Path) -> Iterator[BinaryIO]:
    """Open, lock and empty a file to write; delete it if the context raises. Raise OSError if it is locked."""
    with part.open("ab") as file:
        _lock(file)
        # A killed process may have left a part of a file.
        file.truncate(0)
        with part.open("r+b") as writer:
            try:
                yield writer
            except BaseException:
                part.unlink(missing_ok=True)
                raise


def _lock(file: BinaryIO) -> None:
    """Lock a file until it is closed, if the system can; raise OSError if another process has or replaced it."""
    try:
        import fcntl  # noqa: PLC0415  # not on every system; without it nothing is locked
    except ImportError:
        return
    busy = "another process is writing it"
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise OSError(error.errno, busy, file.name) from error
    if not os.path.samestat(os.fstat(file.fileno()), Path(file.name).stat()):
        # Another process finished and renamed it between the opening and the locking.
        raise OSError(errno.EAGAIN, busy, file.name)


def _flush_folder(folder: Path) -> None:
    """Flush a folder's new names to the disk, if the system allows it; never raise."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _describe_subject(position: Position) -> dict[str, Any]:
    """Return the identity of a checkpoint's words, as JSON values: `game`, `options`, `position` and `sources`."""
    game = position.game
    options = game.options.model_dump(mode="json")
    return {"game": game.spec.id, "options": options, "position": position.text, "sources": _hash_sources(position)}


def _hash_sources(position: Position) -> str:
    """Return a hash, 20 hexadecimal digits, of solvers, rules, exact play and byte order, on which the words depend."""
    rules: Any = position.game.spec.rules
    game = Path(sys.modules[rules.__name__].__file__ or "").resolve().parent
    files = [_PACKAGE / name for name in _SOURCES]
    files += [path for path in sorted(game.rglob("*.py")) if path.name not in _IRRELEVANT]
    digest = hashlib.sha256(sys.byteorder.encode())
    for path in files:
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _format_header(values: dict[str, Any], check: int) -> bytes:
    """Return the first line, with the CRC-32 `check`, as JSON padded to a whole number of pages."""
    line = json.dumps({**values, "check": f"{check:08x}"}, default=int).encode()
    page = _PAGE * _WORD
    return line.ljust(-(-(len(line) + 1) // page) * page - 1) + b"\n"


def _write_words(file: BinaryIO, begin: int, words: Words) -> int:
    """Write words from byte `begin` to the file's end, with holes for pages of zeros; return their CRC-32."""
    check = 0
    for at in range(0, len(words), _CHUNK):
        # Copy the words, because a search may change them meanwhile.
        chunk = words[at : at + _CHUNK].copy()
        check = zlib.crc32(chunk.data, check)
        for first, end in _find_used_pages(chunk):
            file.seek(begin + (at + first) * _WORD)
            file.write(chunk[first:end].data)
    file.truncate(begin + len(words) * _WORD)
    return check


def _find_used_pages(chunk: Words) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end, in words of the chunk, of each run of pages that are not all zero."""
    used = np.logical_or.reduceat(chunk != 0, np.arange(0, len(chunk), _PAGE))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], used.astype(np.int8), [0]])))
    for first, end in edges.reshape(-1, 2).tolist():
        yield first * _PAGE, min(end * _PAGE, len(chunk))


def _read_words(file: BufferedReader, begin: int, words: Words) -> str:
    """Read from byte `begin` on into `words`, all 0; return the CRC-32 in hexadecimal, "" if the length is wrong."""
    file.seek(begin)
    check = 0
    for at in range(0, len(words), _CHUNK):
        chunk = np.zeros(min(_CHUNK, len(words) - at), np.uint64)
        if file.readinto(chunk.data) != chunk.nbytes:
            return ""
        check = zlib.crc32(chunk.data, check)
        # The system provides no memory for pages that are never written.
        for first, end in _find_used_pages(chunk):
            words[at + first : at + end] = chunk[first:end]
    return "" if file.read(1) else f"{check:08x}"


def _read_header(path: Path, file: BinaryIO) -> _Header:
    """Read the first line of a file, open at its start; raise GameError unless it is a checkpoint of this format."""
    line = file.readline(_MAX_HEADER)
    try:
        values = json.loads(line)
        if values[_KIND] != FORMAT:
            _refuse(path, f"has the checkpoint format {quote(values[_KIND])}; this version reads format {FORMAT}")
        lower, upper, nodes, memory = (int(values[name]) for name in ("lower", "upper", "nodes", "memory"))
        state = SolveState(lower, upper, nodes, float(values["seconds"]), memory)
        subject = {name: values[name] for name in ("game", "options", "position", "sources")}
        return _Header(state, subject, int(values["words"]), int(values["entries"]), str(values["check"]), len(line))
    except GameError:
        raise
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        _refuse(path, "is not a checkpoint of a solve")
