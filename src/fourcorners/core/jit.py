"""The project's own Numba decorators.

Numba's disk cache does not notice changes in called functions of other files, or of its flags. Its folder is therefore
named by a hash of all sources that can be compiled in, and of those flags: see `kernel_cache.py`.
"""

import contextlib
import functools
import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np
from numba import config, types
from numba.core.caching import FunctionCache, IndexDataCacheFile

from fourcorners.core import compiler, record_view, slices
from fourcorners.core.compiler import FLAGS, NO_ALLOC
from fourcorners.core.kernel_cache import cache_folder, hold_lock

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

_logger = logging.getLogger(__name__)
_DIGEST_SIZE = hashlib.sha256().digest_size

_lock = threading.RLock()
_is_deferring = threading.Event()
_thread = threading.local()  # `may_compile`: whether this thread compiles although others defer
_patience = 0.0  # the remaining seconds of Python execution within `interpret_briefly`


def _stable_name(record: Any) -> tuple[str, tuple[str]]:
    """Return the mangling arguments of a record type, a name and its parameters, from a hash of its fields."""
    return "Record", ("r" + hashlib.sha256(record.name.encode()).hexdigest()[:32],)


# In symbols of compiled code, Numba names a record by a counter of the types in the process so far. So code
# cached by two processes could have the same symbol for two games, and a third process would confuse them.
types.Record.mangling_args = property(_stable_name)


def jitable(function: F) -> F:
    """Decorate a function that compiled code may call; Python still calls it interpreted."""
    compiler.register(function, FLAGS)
    return function


def jitable_no_alloc(function: F) -> F:
    """Decorate a function that compiled code may call and that creates no arrays (see NO_ALLOC)."""
    compiler.register(function, NO_ALLOC)
    return function


def jitable_wraparound(function: F) -> F:
    """Decorate a function that compiled code may call and whose overflow is intended: NumPy does not warn of it.

    Called from Python, the function takes no keyword arguments.
    """

    @functools.wraps(function)
    def in_python(*args: Any) -> Any:
        """Run the function without NumPy's warnings of overflow."""
        with np.errstate(over="ignore"):
            return function(*args)

    compiler.register(function, FLAGS)
    compiler.redirect(in_python, lambda *_: function)
    return cast("F", in_python)


class Kernel(Generic[P, R]):
    """A function that Numba compiles on the first call, and caches on disk.

    Its arguments are numbers, arrays and named tuples of arrays, never single records: passing a record takes five
    times as long. `run_interpreted` runs the same function in Python; with NUMBA_DISABLE_JIT set, so does a plain call,
    and so does that of a `deferrable` kernel while `defer_compilation` is on, until it is compiled for its arguments.
    """

    def __init__(self, function: Callable[P, R], flags: dict[str, Any]) -> None:
        """Keep a function for `run_interpreted` and for compiling with Numba's `flags`; compile nothing yet."""
        functools.update_wrapper(self, function)
        self._function = function
        self._flags = flags
        self._dispatcher: Callable[P, R] | None = None
        self.is_deferrable = False
        self.runs_rarely = False
        self.only_reads = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the compiled function; the first call for each combination of argument types compiles it or loads it.

        Raise OSError as `cache_folder` does, and Numba's errors for types that cannot be compiled.
        """
        if config.DISABLE_JIT:
            return self.run_interpreted(*args, **kwargs)
        if _patience > 0.0:
            return self._run_patiently(*args, **kwargs)
        if self.only_reads:
            args = (_freeze(args[0]), *args[1:])  # type: ignore[assignment]  # the same array, viewed
        if self._dispatcher is None:
            with slices.pause_budgets():
                self._dispatcher = self._make_dispatcher()
        if self.is_deferrable and _is_deferring.is_set() and not self._is_compiled_for(args):
            return self.run_interpreted(*args, **kwargs)
        return self._dispatcher(*args, **kwargs)

    def _is_compiled_for(self, args: tuple[object, ...]) -> bool:
        """Return whether the function is compiled for exactly these argument types, or this thread may compile it.

        Numba itself could decide this if its dispatcher may not compile, but it would then convert unsafely, such as an
        unsigned number to a signed one, to run what is compiled for other types.
        """
        if may_compile():
            return True
        dispatcher: Any = self._dispatcher
        if not dispatcher.overloads:  # finding the types takes a while
            return False
        return tuple(map(dispatcher.typeof_pyval, args)) in dispatcher.overloads

    def bind(self, *args: P.args, **kwargs: P.kwargs) -> Callable[P, R]:
        """Return a function for calls with positional arguments of exactly these types, which it does not check.

        Finding the types takes ten times as long as a short call. If the kernel is not compiled for them, return the
        kernel itself.
        """
        if config.DISABLE_JIT or _patience > 0.0 or self._dispatcher is None:
            return self
        if self.only_reads:
            args = (_freeze(args[0]), *args[1:])  # type: ignore[assignment]  # the same array, viewed
        dispatcher: Any = self._dispatcher
        compiled = dispatcher.overloads.get(tuple(map(dispatcher.typeof_pyval, args)))
        return self if compiled is None else compiled.entry_point

    def run_interpreted(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function in Python, with positional arrays of records viewed so that fields are attributes."""
        views = [_view_records(argument) for argument in args]
        return self._function(*views, **kwargs)  # type: ignore[arg-type]  # the same arrays, viewed

    def _run_patiently(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function in Python, and deduct the time from the remaining patience."""
        global _patience  # noqa: PLW0603  # of the whole process, as are Numba's own settings
        began = time.process_time()
        try:
            return self.run_interpreted(*args, **kwargs)
        finally:
            _patience -= time.process_time() - began

    def _make_dispatcher(self) -> Callable[P, R]:
        """Return the stored dispatcher or a new one, for the caller to store; take the module's lock. Raise OSError."""
        with _lock:
            if self._dispatcher is not None:
                return self._dispatcher
            # Numba reads this setting when a function is decorated. Restore it for the program that imports us.
            before = config.CACHE_DIR
            config.CACHE_DIR = str(cache_folder())
            try:
                dispatcher = compiler.create_kernel(self._function, self._flags, runs_rarely=self.runs_rarely)
                dispatcher._cache = _SharedCache(self._function)  # noqa: SLF001  # Numba has no public way
                dispatcher.compile = slices.pause_budgets()(dispatcher.compile)
                return dispatcher  # type: ignore[no-any-return]  # numba is not typed
            finally:
                config.CACHE_DIR = before


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]  # numba is not typed
    """Numba's cache files of one function, which end with a hash of their content.

    Otherwise a file damaged by a crash or a full disk would be executed.
    """

    def _dump(self, obj: Any) -> bytes:
        """Return an object as bytes with a hash behind them, which unpickling ignores."""
        data: bytes = super()._dump(obj)
        return data + hashlib.sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        """Load compiled code; raise OSError if it cannot be read or is damaged."""
        content = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(content[:-_DIGEST_SIZE]).digest() != content[-_DIGEST_SIZE:]:
            raise OSError(f"{name} is damaged")
        return super()._load_data(name)


class _SharedCache(FunctionCache):  # type: ignore[misc]  # numba is not typed
    """Numba's disk cache of one function, to which several processes may write at once.

    Numba reads the function's index, chooses the number of the next data file, and writes both. Without a lock, two
    processes that compile the function for two games choose the same number; then the index names the code of the one
    game for the other. Where files cannot be locked, that remains possible. Code that cannot be loaded is compiled
    again, and code that cannot be saved is still used.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Find the files of a function in Numba's cache folder; raise OSError or RuntimeError if it cannot be used."""
        super().__init__(function)
        if function.__module__.startswith("fourcorners."):
            # The cache folder is named by a hash of this source. Numba also names a folder by the source's path, so a
            # checkout that moves, or a second one, would have to compile finished steps again.
            self._cache_path = str(cache_folder() / function.__module__)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code; None if there is none, or if it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001  # reading a damaged file may raise anything
            _logger.debug("compiled code in %s cannot be read: %s", self.cache_path, error)
            with contextlib.suppress(OSError), hold_lock(Path(self.cache_path) / "write"):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code, if possible, under a lock that is shared by all processes with this cache."""
        try:
            Path(self.cache_path).mkdir(parents=True, exist_ok=True)
            with hold_lock(Path(self.cache_path) / "write"):
                super().save_overload(sig, data)
        except OSError as error:
            _warn_of_saving(self.cache_path, error.strerror or str(error))


@functools.cache
def _warn_of_saving(folder: str, reason: str) -> None:
    """Warn, once for each folder and reason, that compiled code cannot be saved."""
    _logger.warning("Compiled code cannot be saved in %s: %s. It will have to be compiled again.", folder, reason)


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Decorate a function that Python calls and Numba compiles; see Kernel."""
    return Kernel(function, FLAGS)


def kernel_no_alloc(function: Callable[P, R]) -> Kernel[P, R]:
    """Decorate a kernel that creates no arrays (see NO_ALLOC)."""
    return Kernel(function, NO_ALLOC)


def deferrable(kernel: Kernel[P, R]) -> Kernel[P, R]:
    """Decorate a kernel that is fast enough to run in Python while `defer_compilation` is on."""
    kernel.is_deferrable = True
    return kernel


def rare(kernel: Kernel[P, R]) -> Kernel[P, R]:
    """Decorate a kernel that runs so rarely that optimising it takes longer than it could save."""
    kernel.runs_rarely = True
    return kernel


def read_only(kernel: Kernel[P, R]) -> Kernel[P, R]:
    """Decorate a kernel that only reads its first argument, an array, given by position.

    Numba compiles a function twice for arrays that may be written to and for others; such a kernel only for the latter.
    """
    kernel.only_reads = True
    return kernel


def defer_compilation(*, defers: bool) -> None:
    """Let the process run deferrable kernels in Python until they are compiled (or loaded), or compile them at once.

    A server defers while another process compiles into the disk cache, and loads the finished code in a thread that is
    within `allow_compilation`. Kernels that are not deferrable always compile on the first call.
    """
    if defers:
        _is_deferring.set()
    else:
        _is_deferring.clear()


@contextlib.contextmanager
def allow_compilation() -> Iterator[None]:
    """Let this thread load or compile kernels within a with statement although the process defers it."""
    _thread.may_compile = True
    try:
        yield
    finally:
        _thread.may_compile = False


def may_compile() -> bool:
    """Return whether this thread is within `allow_compilation`."""
    return getattr(_thread, "may_compile", False)


def _freeze(states: Any) -> Any:
    """Return a view of an array that cannot be written to."""
    if states.flags.writeable:
        states = states.view()
        states.setflags(write=False)
    return states


@contextlib.contextmanager
def interpret_briefly(seconds: float = 2.0) -> Iterator[None]:
    """Run all kernels in Python within a with statement, for up to this much processor time.

    For short tasks such as replaying a game, loading compiled code takes longer than running in Python. One thread at a
    time may do this.
    """
    global _patience  # noqa: PLW0603  # of the whole process, as are Numba's own settings
    _patience = seconds
    try:
        yield
    finally:
        _patience = 0.0


def _view_records(argument: object) -> object:
    """View arrays of records, including those in named tuples, so that fields are attributes; return others as is."""
    if isinstance(argument, np.ndarray) and argument.dtype.names and not isinstance(argument, np.recarray):
        return record_view.view_records(argument)
    if isinstance(argument, tuple):
        named: Any = argument
        return named._make(map(_view_records, argument))
    return argument
