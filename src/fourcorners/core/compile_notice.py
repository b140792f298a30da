"""A notice for people who wait: the process is compiling, which happens once and takes a while."""

import logging
import time
from typing import Any

from numba.core import event

from fourcorners.core import jit

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
            "Fourcorners is compiling for this computer; this happens once and may take half a minute"
            " (fourcorners.warm does it ahead of time)."
        )

    def on_end(self, ended: Any) -> None:
        """Note the time: what is compiled soon belongs to the same wait."""
        self._compiled_at = time.monotonic()


def register() -> None:
    """Have the sentence logged from now on; call this once."""
    event.register("numba:compile", CompileNotice())
