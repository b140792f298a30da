"""A solve on disk: what a way of solving has found and the bounds proven, so that another process can go on.

A file is one line of JSON, filled up to a page, and then the memory's words; pages without any are left out, so that an
empty part takes no space on disk. It is written under another name, flushed to the disk and only then renamed: whatever
happens meanwhile, an older file stays as it was.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.errors import GameError, quote
from fourcorners.core.position import Position

Words = NDArray[np.uint64]

FORMAT = 1
_KIND = "fourcorners checkpoint"
_WORD = 8
_PAGE = 512  # words
_CHUNK = 512 * _PAGE
_LONGEST_HEADER = 1 << 20
_PACKAGE = Path(__file__).resolve().parent.parent
_DECIDING = [
    *(f"core/{name}.py" for name in ("bits", "margin_protocol", "nimber_protocol")),
    *(f"solve/{name}.py" for name in ("default_exact", "margins", "nimbers", "null_window", "transposition_table")),
    *(f"solve/{name}.py" for name in ("nimber_search", "nimber_table", "proof_number_search", "proof_options")),
]
# The layers inside a game keep these out of its exact play.
_HARMLESS = {"__init__.py", "drawing.py", "evaluate.py", "explain.py", "notation.py"}


@runtime_checkable
class Checkpointable(Protocol):
    """A way of solving whose memory can be kept on disk."""

    def kept(self) -> AbstractContextManager[tuple[Words, int]]:
        """Give the words to keep, and how many entries they hold; as long as they are given, they are whole."""

    def room(self, words: int, entries: int) -> Words | None:
        """Return where such words belong, None if they do not fit into this memory."""

    def take_up(self, words: int, entries: int, position: Position, bounds: tuple[int, int]) -> None:
        """Go on with what has been read into the room, and with the bounds proven for a position."""


@dataclass(frozen=True)
class SolveState:
    """How far a solve is: bounds for the seat to move, and what they have cost in all runs together."""

    lower: int
    upper: int
    nodes: int
    seconds: float
    memory: int


class _Header(NamedTuple):
    standing: SolveState
    about: dict[str, Any]
    words: int
    entries: int
    check: str
    begin: int


def save(path: Path, position: Position, way: Checkpointable, standing: SolveState) -> None:
    """Write a checkpoint, in place of an older one when it is complete; raise OSError if that fails."""
    part = _part(path)
    with _alone(part) as file:
        with way.kept() as (words, entries):
            values = {_KIND: FORMAT, **_about(position), **asdict(standing), "words": len(words), "entries": entries}
            # The check comes last but stands first, and is always as long.
            begin = len(_line(values, 0))
            check = _write(file, begin, words)
        file.seek(0)
        file.write(_line(values, check))
        file.flush()
        os.fsync(file.fileno())
        part.replace(path)
    _flush_folder(path.parent)


def read_state(path: Path) -> SolveState:
    """Return how far the solve in a file is; raise GameError if it is no checkpoint."""
    with path.open("rb") as file:
        return _read_header(path, file).standing


def load(path: Path, position: Position, way: Checkpointable) -> SolveState:
    """Take up what a file holds; raise GameError if it is none, is damaged, or is about something else."""
    with path.open("rb") as file:
        header = _read_header(path, file)
        about = _about(position)
        for name, what in (("game", "another game"), ("options", "other options"), ("position", "another position")):
            if header.about[name] != about[name]:
                _refuse(path, f"is a checkpoint of {what}: {quote(_text(header.about[name]))}")
        if header.about["sources"] != about["sources"]:
            _refuse(path, "is a checkpoint of another version of the solver, which may number things otherwise")
        room = way.room(header.words, header.entries)
        if room is None:
            _refuse(path, f"has a memory of {header.standing.memory} bytes, more than is allowed here")
        if _read(file, header.begin, room) != header.check:
            _refuse(path, "is damaged: it is cut off, or was changed after it was written")
    way.take_up(header.words, header.entries, position, (header.standing.lower, header.standing.upper))
    return header.standing


def check_writable(path: Path) -> None:
    """Raise OSError now if no checkpoint could be written to this path later."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    part = _part(path)
    with _alone(part):
        part.unlink()


def _refuse(path: Path, why: str) -> NoReturn:
    raise GameError(f"{path} {why}", "checkpoint")


def _part(path: Path) -> Path:
    return path.with_name(path.name + ".part")


@contextlib.contextmanager
def _alone(part: Path) -> Iterator[BinaryIO]:
    """Open a file for this process only; it is deleted if anything goes wrong."""
    with part.open("ab") as file:
        _lock(file)
        # What a process that was killed had written is of no use.
        file.truncate(0)
        with part.open("r+b") as writer:
            try:
                yield writer
            except BaseException:
                part.unlink(missing_ok=True)
                raise


def _lock(file: BinaryIO) -> None:
    try:
        import fcntl  # noqa: PLC0415  # not on every system: without it nothing is locked
    except ImportError:
        return
    busy = "another process is writing it"
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise OSError(error.errno, busy, file.name) from error
    if not os.path.samestat(os.fstat(file.fileno()), Path(file.name).stat()):
        # It was renamed between being opened and being locked.
        raise OSError(errno.EAGAIN, busy, file.name)


def _flush_folder(folder: Path) -> None:
    """Have the new name on the disk, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _about(position: Position) -> dict[str, Any]:
    """Return what a checkpoint is about: with anything else its words would be worth nothing."""
    game = position.game
    options = game.options.model_dump(mode="json")
    return {"game": game.spec.id, "options": options, "position": position.text, "sources": _sources(position)}


def _sources(position: Position) -> str:
    """Return a hash of the sources that decide what the words mean."""
    rules: Any = position.game.spec.rules
    game = Path(sys.modules[rules.__name__].__file__ or "").resolve().parent
    files = [_PACKAGE / name for name in _DECIDING]
    files += [path for path in sorted(game.rglob("*.py")) if path.name not in _HARMLESS]
    digest = hashlib.sha256(sys.byteorder.encode())
    for path in files:
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _line(values: dict[str, Any], check: int) -> bytes:
    """Return the header, filled up to a page."""
    line = json.dumps({**values, "check": f"{check:08x}"}, default=int).encode()
    page = _PAGE * _WORD
    return line.ljust(-(-(len(line) + 1) // page) * page - 1) + b"\n"


def _write(file: BinaryIO, begin: int, words: Words) -> int:
    """Write words from a place on, but for empty pages; return their check."""
    check = 0
    for at in range(0, len(words), _CHUNK):
        # A copy, for they may change while they are written.
        chunk = words[at : at + _CHUNK].copy()
        check = zlib.crc32(chunk.data, check)
        for first, end in _runs(chunk):
            file.seek(begin + (at + first) * _WORD)
            file.write(chunk[first:end].data)
    file.truncate(begin + len(words) * _WORD)
    return check


def _runs(chunk: Words) -> Iterator[tuple[int, int]]:
    """Yield from where to where pages follow each other that hold something."""
    used = np.logical_or.reduceat(chunk != 0, np.arange(0, len(chunk), _PAGE))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], used.astype(np.int8), [0]])))
    for first, end in edges.reshape(-1, 2).tolist():
        yield first * _PAGE, min(end * _PAGE, len(chunk))


def _read(file: BufferedReader, begin: int, room: Words) -> str:
    """Read words into their room; return their check, empty if there are not just as many."""
    file.seek(begin)
    check = 0
    for at in range(0, len(room), _CHUNK):
        chunk = np.zeros(min(_CHUNK, len(room) - at), np.uint64)
        if file.readinto(chunk.data) != chunk.nbytes:
            return ""
        check = zlib.crc32(chunk.data, check)
        # Where nothing is written the room's own empty pages cost no memory.
        for first, end in _runs(chunk):
            room[at + first : at + end] = chunk[first:end]
    return "" if file.read(1) else f"{check:08x}"


def _read_header(path: Path, file: BinaryIO) -> _Header:
    line = file.readline(_LONGEST_HEADER)
    try:
        values = json.loads(line)
        if values[_KIND] != FORMAT:
            _refuse(path, f"has the format {quote(values[_KIND])} of checkpoints; this version reads {FORMAT}")
        numbers = [int(values[name]) for name in ("lower", "upper", "nodes", "memory", "words", "entries")]
        lower, upper, nodes, memory, words, entries = numbers
        standing = SolveState(lower, upper, nodes, float(values["seconds"]), memory)
        about = {name: values[name] for name in ("game", "options", "position", "sources")}
        return _Header(standing, about, words, entries, str(values["check"]), len(line))
    except GameError:
        raise
    except (ValueError, TypeError, KeyError):
        _refuse(path, "is no checkpoint of a solve")
