"""The project's own Numba decorators, and the folder in which compiled code is kept.

Numba's disk cache does not notice a change in a called function of another file, nor of its own flags.
So the folder's name is a hash of all sources that can be compiled in, and of those flags.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numba
import numpy as np
import platformdirs
from numba import config, types
from numba.extending import overload, register_jitable

from fourcorners.core import record_view

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

FLAGS = {"nogil": True, "error_model": "numpy", "_nrt": True}
NO_ALLOC = FLAGS | {"_nrt": False}
"""For functions that make no arrays: Numba then does not count who holds those that they are given.

Each count is an atomic instruction, which in small functions is a quarter of their time, and stops other threads.
"""
_KEPT_FOLDERS = 4
_PACKAGE = Path(__file__).resolve().parent.parent
_COMPILED_LAYERS = ("core", "games", "search", "solve", "players", "study", "envs")

_lock = threading.RLock()
_foreign: set[Path] = set()
_in_use: dict[Path, int] = {}  # open file descriptors: the lock lasts as long as the process


def _stable_name(record: Any) -> tuple[str, tuple[str]]:
    return "Record", ("r" + hashlib.sha256(record.name.encode()).hexdigest()[:32],)


# In the symbols of compiled code Numba names a record by a number that counts the types a process has met so far. Code
# that two processes put into the cache could then have the same symbols for two games, and a third process mix them up.
types.Record.mangling_args = property(_stable_name)


def jitable(function: F) -> F:
    """Let compiled code call this plain function; called from Python it stays interpreted."""
    return register_jitable(**FLAGS)(function)  # type: ignore[no-any-return]  # numba is not typed


def jitable_no_alloc(function: F) -> F:
    """Do as `jitable`, for a function that makes no arrays and is called often (see NO_ALLOC)."""
    return register_jitable(**NO_ALLOC)(function)  # type: ignore[no-any-return]  # numba is not typed


def jitable_wraparound(function: F) -> F:
    """Do as `jitable`, for bit tricks whose overflow is wanted: in Python numpy does not warn of it."""

    @functools.wraps(function)
    def in_python(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    overload(in_python, strict=False, jit_options=FLAGS)(lambda *_: function)
    return cast("F", in_python)


class Kernel(Generic[P, R]):
    """A function over arrays that Numba compiles when it is first called.

    Its arguments are plain arrays and numbers, never single records: passing a record costs five times more.
    `interpreted` runs the same function in Python; with NUMBA_DISABLE_JIT set, so does a plain call.
    """

    def __init__(self, function: Callable[P, R], flags: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._flags = flags
        self._dispatcher: Callable[P, R] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if config.DISABLE_JIT:
            return self.interpreted(*args, **kwargs)
        if self._dispatcher is None:
            self._dispatcher = self._make()
        return self._dispatcher(*args, **kwargs)

    def interpreted(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run in Python, with records whose fields are attributes."""
        views = [_view_records(argument) for argument in args]
        return self._function(*views, **kwargs)  # type: ignore[arg-type]  # the same arrays, viewed

    def _make(self) -> Callable[P, R]:
        with _lock:
            if self._dispatcher is not None:
                return self._dispatcher
            # Numba reads the setting when a function is decorated; a host program's own cache stays where it was.
            before = config.CACHE_DIR
            config.CACHE_DIR = str(cache_folder())
            try:
                return numba.njit(cache=True, **self._flags)(self._function)  # type: ignore[no-any-return]
            finally:
                config.CACHE_DIR = before


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Make a function over arrays a compiled one, cached on disk."""
    return Kernel(function, FLAGS)


def kernel_no_alloc(function: Callable[P, R]) -> Kernel[P, R]:
    """Do as `compiled`, for a function that makes no arrays (see NO_ALLOC)."""
    return Kernel(function, NO_ALLOC)


def _view_records(argument: object) -> object:
    """Return an argument with its arrays of records viewed so that fields are attributes; named tuples by field."""
    if isinstance(argument, np.ndarray) and argument.dtype.names and not isinstance(argument, np.recarray):
        return record_view.view_records(argument)
    if isinstance(argument, tuple):
        named: Any = argument
        return named._make(map(_view_records, argument))
    return argument


def add_sources(folders: Iterable[Path]) -> None:
    """Name folders outside this package whose code is compiled in too (games of other packages)."""
    with _lock:
        _foreign.update(folder.resolve() for folder in folders)


def cache_folder() -> Path:
    """Return the folder for what the present sources and flags compile to; it is made and held in use."""
    with _lock:
        base = Path(os.environ.get("FOURCORNERS_CACHE") or platformdirs.user_cache_path("fourcorners") / "kernels")
        folder = base / _source_key(frozenset(_foreign))
        if folder not in _in_use:
            folder.mkdir(parents=True, exist_ok=True)
            held = os.open(folder / "in-use", os.O_RDWR | os.O_CREAT)
            _try_lock(held, shared=True)
            os.utime(folder)
            _in_use[folder] = held
            _prune(base)
        return folder


@functools.cache
def _source_key(foreign: frozenset[Path]) -> str:
    digest = hashlib.sha256()
    flags = (numba.__version__, np.__version__, config.BOUNDSCHECK, config.OPT, sorted(FLAGS.items()))
    digest.update(repr(flags).encode())
    roots = [_PACKAGE / layer for layer in _COMPILED_LAYERS] + sorted(foreign)
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{path.relative_to(root.parent)}\0".encode())
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _prune(base: Path) -> None:
    """Delete all but the newest folders; one that any process holds in use is never touched."""
    folders = sorted((f for f in base.iterdir() if f.is_dir()), key=lambda f: f.stat().st_mtime, reverse=True)
    for folder in folders[_KEPT_FOLDERS:]:
        try:
            held = os.open(folder / "in-use", os.O_RDWR | os.O_CREAT)
        except OSError:
            continue
        if folder not in _in_use and _try_lock(held, shared=False):
            shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _try_lock(held: int, *, shared: bool) -> bool:
    try:
        import fcntl  # noqa: PLC0415  # not on every system: without it nothing is locked and nothing pruned
    except ImportError:
        return False
    try:
        fcntl.flock(held, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
