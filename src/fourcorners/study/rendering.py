"""Pictures and documents as files: PNG, GIF, WebP and PDF, made by `renderer.py` within limits of time and memory."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fourcorners.core import arguments, extras
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.study.frames import Film

ANIMATIONS = ("gif", "webp")
MIN_WIDTH, MAX_WIDTH = 64, 1600
MAX_FRAMES = 400
MAX_PIXELS = 165_000_000
"""The maximum number of pixels in all frames of an animation together; each takes four bytes."""
CPU_SECONDS, MEGABYTES = 60, 1500
"""The default limits of a picture or document; an animation of 150 million pixels takes 760 MB."""
_WALL_FACTOR = 6
"""A process is also killed if it has waited for its processor this many times its limit."""
_POLL_SECONDS = 0.05
_HERE = Path(__file__).resolve().parent
Check = Callable[[], None]
"""A function that is called repeatedly, and stops its caller by raising an error."""


def no_check() -> None:
    """Never stop the caller."""


class RenderingError(GameError):
    """A picture or document that could not be made, because it takes too long or too much memory."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "rendering")


def check_width(width: object) -> int:
    """Return a width in pixels; raise OptionError if it is not allowed."""
    allowed = f"a whole number of pixels from {MIN_WIDTH} to {MAX_WIDTH}"
    return arguments.check_int("width", width, MIN_WIDTH, MAX_WIDTH, allowed)


def render_png(
    svg: str,
    width: int,
    background: str | None = None,
    *,
    cpu_seconds: int = CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Render a picture as PNG with a width in pixels, on a background or transparent.

    `check` is called repeatedly; its errors pass through. Raise OptionError for a width that is not allowed, and
    RenderingError.
    """
    job = {"kind": "png", "svg": svg, "width": check_width(width), "background": background}
    return _run(job, cpu_seconds, check)


def render_animation(
    film: Film,
    durations: Sequence[int],
    kind: str,
    background: str,
    *,
    cpu_seconds: int = CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Render an animation as "gif" or "webp"; `durations` are the times of its frames in milliseconds.

    Raise as `render_png`, and OptionError for another kind, for no frames, or for more than MAX_FRAMES.
    """
    if kind not in ANIMATIONS:
        raise OptionError("kind", f"{quote(kind)} is not allowed; it must be {' or '.join(ANIMATIONS)}")
    if not 0 < len(film.frames) == len(durations) <= MAX_FRAMES:
        raise OptionError("frames", f"{len(film.frames)} frames are not allowed; there must be 1 to {MAX_FRAMES}")
    job = {"kind": kind, **film._asdict(), "durations": list(durations), "background": background}
    return _run(job, cpu_seconds, check)


def fit_animation(width: int, ratio: float, count: int) -> tuple[int, int]:
    """Return the width and height in pixels of an animation of `count` frames.

    It is narrower than `width` if the frames together would be too large; `ratio` is height divided by width. Raise
    OptionError for a width that is not allowed.
    """
    widest = max(1, math.isqrt(int(MAX_PIXELS / (count * max(ratio, 0.01)))))
    fitting = min(check_width(width), widest)
    return fitting, math.ceil(fitting * ratio)


def render_document(
    source: str,
    files: Mapping[str, str],
    resolution: int = 0,
    *,
    cpu_seconds: int = CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Render a Typst document, with the files that it reads as inputs, as PDF.

    With a resolution in pixels per inch, return its pages as a PNG instead. `check` is called repeatedly; its errors
    pass through. Raise RenderingError.
    """
    job = {"kind": "pdf", "source": source, "files": dict(files), "resolution": resolution}
    return _run(job, cpu_seconds, check)


def _run(job: dict[str, Any], cpu_seconds: int, check: Check) -> bytes:
    """Run a job in another process, which is killed if `check` raises. Raise MissingExtraError or RenderingError."""
    extras.require("pictures", "drawing this needs")
    limits = {"fonts": str(_HERE / "fonts"), "cpu_seconds": cpu_seconds, "megabytes": MEGABYTES, "parent": os.getpid()}
    command = [sys.executable, "-P", str(_HERE / "renderer.py")]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)  # noqa: S603  # our own program
        child = _Child(process, json.dumps(job | limits).encode())
        deadline = time.monotonic() + _WALL_FACTOR * cpu_seconds
        try:
            check()
            while child.is_running(_POLL_SECONDS) and time.monotonic() <= deadline:
                check()
        finally:
            child.end()
            _used.seconds = read_child_seconds() + child.seconds
        errors.seek(0)
        reason = errors.read(4096)
    if child.status == 0:
        return child.output
    if child.status == 1 and reason:
        raise RenderingError(f"this cannot be drawn: {reason.decode(errors='replace').strip()[:300]}")
    raise RenderingError("drawing this takes too long; make it smaller, or choose fewer moves")


class _Child:
    """A process with an input.

    After its end it has an output, an exit status and, on some systems, its processor time in seconds.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", text: bytes) -> None:
        """Send the input and read the output in a thread."""
        self.output, self.status, self.seconds = b"", -1, 0.0
        self._process = process
        self._lock = threading.Lock()
        self._is_reaped = False
        self._thread = threading.Thread(target=self._talk, args=(text,))
        self._thread.start()

    def is_running(self, seconds: float) -> bool:
        """Wait for at most this many seconds; return whether it is still running."""
        self._thread.join(seconds)
        return self._thread.is_alive()

    def end(self) -> None:
        """Kill it if it is still running, and wait for its end."""
        with self._lock:
            if self._is_reaped:
                pass
            elif hasattr(os, "waitid"):
                # `Popen.kill` would check whether it is running, and so reap it.
                os.kill(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._thread.join()

    def _talk(self, text: bytes) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError, ValueError), process.stdin:
            process.stdin.write(text)
        with process.stdout:
            self.output = process.stdout.read()
        # Only the reaper of a process learns its resource usage, and `Popen` reaps every process that it polls.
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            with self._lock:
                _, status, usage = os.wait4(process.pid, 0)
                self._is_reaped = True
            process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = usage.ru_utime + usage.ru_stime
        self.status = process.wait()
        self._is_reaped = True


_used = threading.local()


def read_child_seconds() -> float:
    """Return the processor time that the processes of the calling thread have used so far, in seconds."""
    seconds: float = getattr(_used, "seconds", 0.0)
    return seconds
