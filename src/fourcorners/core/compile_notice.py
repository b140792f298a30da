"""A sentence for people who wait: that the process compiles, which happens once and takes a while."""

import logging
from typing import Any

from numba.core import event, types
from numba.np import numpy_support

from fourcorners.core import catalogue

_PACKAGE = "fourcorners."
_logger = logging.getLogger(__name__)


class CompileNotice(event.Listener):  # type: ignore[misc]  # numba is not typed
    """Logs a warning when the process first compiles a function of this package that is not in the disk cache.

    Where a program configures no logging, Python prints warnings to standard error. To silence this one, set the level
    of the logger `fourcorners.core.compile_notice` to ERROR.
    """

    def __init__(self) -> None:
        self._is_given = False

    def on_start(self, started: Any) -> None:
        """Log the warning if it is the first time; called in the thread that compiles."""
        function = started.data["dispatcher"].py_func
        if self._is_given or not function.__module__.startswith(_PACKAGE):
            return
        self._is_given = True
        _logger.warning(
            "Fourcorners is compiling %s for this computer; this happens once and may take half a minute"
            " (fourcorners.warm does it ahead of time).",
            _find_title(started.data["args"]),
        )

    def on_end(self, ended: Any) -> None:
        """Do nothing: the sentence said that it takes a while."""


def _find_title(arguments: tuple[Any, ...]) -> str:
    """Return the title of the game whose records are among arguments of these types, or "a search"."""
    found = {argument.dtype if isinstance(argument, types.Array) else argument for argument in arguments}
    titles = (spec.title for spec in catalogue.specs().values() if numpy_support.from_dtype(spec.rules.DTYPE) in found)
    return next(titles, "a search")


def register() -> None:
    """Have the sentence logged from now on; call this once."""
    event.register("numba:compile", CompileNotice())
