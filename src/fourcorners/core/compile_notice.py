"""A notice to waiting users that the process is compiling, which happens once and takes a while."""

import logging
import time
from typing import Any

from numba.core import event

from fourcorners.core import jit

_PACKAGE = "fourcorners."
_PAUSE = 10.0
"""The seconds without compilation that end a wait; later compilation, such as for a larger solve, begins a new wait."""
_logger = logging.getLogger(__name__)


class CompileNotice(event.Listener):  # type: ignore[misc]  # numba is not typed
    """A listener that logs a warning when the process begins to compile functions of this package.

    Functions in the disk cache need no compilation. The warning comes once for all functions that one call needs, and
    again when later calls need others. Compilation ahead of time causes no warning.

    Where a program configures no logging, Python prints warnings to standard error. To silence this one, set the level
    of the logger `fourcorners.core.compile_notice` to ERROR.
    """

    def __init__(self) -> None:
        self._compiled_at = -_PAUSE  # monotonic time

    def on_start(self, started: Any) -> None:
        """Log the warning after a `_PAUSE` without compilation; called in the compiling thread."""
        if jit.may_compile() or not started.data["dispatcher"].py_func.__module__.startswith(_PACKAGE):
            return
        before, self._compiled_at = self._compiled_at, time.monotonic()
        if self._compiled_at - before < _PAUSE:
            return
        _logger.warning(
            "Compiling for this computer, once for each game and kind of search; it may take a minute"
            " (`fourcorners warm` does it ahead of time)."
        )

    def on_end(self, ended: Any) -> None:
        """Note the time: compilation soon after belongs to the same wait."""
        self._compiled_at = time.monotonic()


def register() -> None:
    """Log the notice from now on; call this once."""
    event.register("numba:compile", CompileNotice())
