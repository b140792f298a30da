"""Standard input and output as commands need them: closed, full or damaged ones give one sentence."""

import contextlib
import errno
import io
import os
import sys

_LOST = {errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC}
"""Errors of an output that takes no more."""


class _ClosedStream(io.TextIOBase):
    """Stands for a standard stream that was closed before the program began; using it raises OSError."""

    def __init__(self, name: str) -> None:
        self._sentence = f"{name} is closed"

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]  # the base also has bytes
        """Raise OSError."""
        raise OSError(errno.EBADF, self._sentence)

    read = readline

    def write(self, _text: str, /) -> int:
        """Raise OSError."""
        raise OSError(errno.EBADF, self._sentence)


def prepare_streams() -> None:
    """Replace closed streams, and let characters that a terminal cannot show become question marks.

    Bytes of the input that are not text become lone surrogates, which `common.read_line` refuses.
    """
    if sys.stdin is None:
        sys.stdin = _ClosedStream("standard input")
    if sys.stdout is None:
        sys.stdout = _ClosedStream("standard output")
    if sys.stderr is None:
        sys.stderr = io.StringIO()  # it is not read; None would send its lines to standard output
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def drop_output() -> None:
    """Forget what could not be written to standard output, which Python would try once more when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def describe_error(error: OSError) -> str:
    """Return a clause that says which file or stream cannot be used, and why."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename} cannot be used: {reason}"
    if error.errno in _LOST and "closed" not in reason:
        return f"standard output cannot be written: {reason}"
    return reason
