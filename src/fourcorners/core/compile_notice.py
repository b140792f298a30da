"""A notice for people who wait: the process is compiling, which happens once and takes a while."""

import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any

from numba.core import event, types
from numba.core.types.containers import BaseTuple
from numba.np import numpy_support

from fourcorners.core import catalogue, jit

_PACKAGE = "fourcorners."
_PAUSE = 10.0
"""Seconds without compiling that end a wait; anything compiled later, such as by a larger solve, begins a new one."""
_logger = logging.getLogger(__name__)


class CompileNotice(event.Listener):  # type: ignore[misc]  # numba is not typed
    """Logs a warning when the process begins to compile functions of this package that are not in the disk cache: once
    for all that one call needs, and again when later calls need others. Compiling ahead of time does not count.

    Where a program configures no logging, Python prints warnings to standard error. To silence this one, set the level
    of the logger `fourcorners.core.compile_notice` to ERROR.
    """

    def __init__(self) -> None:
        self._compiled_at = -_PAUSE  # monotonic time

    def on_start(self, started: Any) -> None:
        """Log the warning if nothing has been compiled for `_PAUSE`; called in the thread that compiles."""
        if jit.may_compile() or not started.data["dispatcher"].py_func.__module__.startswith(_PACKAGE):
            return
        before, self._compiled_at = self._compiled_at, time.monotonic()
        if self._compiled_at - before < _PAUSE:
            return
        _logger.warning(
            "Fourcorners is compiling %s for this computer; this happens once and may take half a minute"
            " (fourcorners.warm does it ahead of time).",
            _find_title(started.data["args"]),
        )

    def on_end(self, ended: Any) -> None:
        """Note the time: what is compiled soon belongs to the same wait."""
        self._compiled_at = time.monotonic()


def _find_title(arguments: tuple[Any, ...]) -> str:
    """Return the title of the game whose records are among arguments of these types, or "a search"."""
    found = set(_list_types(arguments))
    titles = (spec.title for spec in catalogue.specs().values() if numpy_support.from_dtype(spec.rules.DTYPE) in found)
    return next(titles, "a search")


def _list_types(arguments: Iterable[Any]) -> Iterator[Any]:
    """List the types of arguments, of the elements of arrays, and of what is in named tuples."""
    for argument in arguments:
        if isinstance(argument, BaseTuple):
            yield from _list_types(argument)
        else:
            yield argument.dtype if isinstance(argument, types.Array) else argument


def register() -> None:
    """Have the sentence logged from now on; call this once."""
    event.register("numba:compile", CompileNotice())
