"""Pictures and documents as files: PNG, GIF, WebP and PDF, made by `renderer.py` within limits of time and memory."""

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fourcorners.core.errors import GameError, OptionError, quote

ANIMATIONS = ("gif", "webp")
MIN_WIDTH, MAX_WIDTH = 64, 1600
MAX_FRAMES = 400
CPU_SECONDS, MEGABYTES = 60, 3000
"""What a picture or document may take, by default."""
_WALL_FACTOR = 6
"""A process that has waited for its processor for so many times its limit is ended as well."""
_POLL_SECONDS = 0.05
_HERE = Path(__file__).resolve().parent
Check = Callable[[], None]
"""Is called again and again, and ends what calls it by raising something."""


def no_check() -> None:
    """Let everything go on."""


class RenderingError(GameError):
    """A picture or document that could not be made, as it takes too long or too much memory."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "rendering")


def check_width(width: object) -> int:
    """Return a width in pixels; raise OptionError if it is not allowed."""
    if type(width) is not int or not MIN_WIDTH <= width <= MAX_WIDTH:
        allowed = f"it must be a whole number of pixels from {MIN_WIDTH} to {MAX_WIDTH}"
        raise OptionError("width", f"{quote(width)} is not allowed; {allowed}")
    return width


def render_png(
    svg: str,
    width: int,
    background: str | None = None,
    *,
    cpu_seconds: int = CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Return a picture as PNG of a width in pixels, with a background, or transparent.

    Raise OptionError for a width that is not allowed, RenderingError, and what `check` raises, which is called again
    and again.
    """
    job = {"kind": "png", "svg": svg, "width": check_width(width), "background": background}
    return _run(job, cpu_seconds, check)


def render_animation(
    frames: Sequence[str],
    durations: Sequence[int],
    kind: str,
    width: int,
    background: str,
    *,
    cpu_seconds: int = CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Return frames of one size, each shown for its duration in milliseconds, as "gif" or "webp"; raise as the above,
    and OptionError for another kind, or for no frames or more than MAX_FRAMES.
    """
    if kind not in ANIMATIONS:
        raise OptionError("kind", f"{quote(kind)} is not allowed; it must be {' or '.join(ANIMATIONS)}")
    if not 0 < len(frames) == len(durations) <= MAX_FRAMES:
        raise OptionError("frames", f"{len(frames)} frames are not allowed; there must be 1 to {MAX_FRAMES}")
    job = {
        "kind": kind,
        "frames": list(frames),
        "durations": list(durations),
        "width": check_width(width),
        "background": background,
    }
    return _run(job, cpu_seconds, check)


def render_document(
    source: str,
    files: Mapping[str, str],
    resolution: int = 0,
    *,
    cpu_seconds: int = CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Return a document of Typst with the files that it reads as PDF; with a resolution (pixels per inch) its pages as
    a PNG. Raise RenderingError, and what `check` raises.
    """
    job = {"kind": "pdf", "source": source, "files": dict(files), "resolution": resolution}
    return _run(job, cpu_seconds, check)


def _run(job: dict[str, Any], cpu_seconds: int, check: Check) -> bytes:
    """Have a job done by another process, which is ended if `check` raises."""
    limits = {"fonts": str(_HERE / "fonts"), "cpu_seconds": cpu_seconds, "megabytes": MEGABYTES}
    command = [sys.executable, "-P", str(_HERE / "renderer.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603  # our own program
        answer: list[tuple[bytes, bytes]] = []
        text = json.dumps(job | limits).encode()
        # `communicate` with a timeout would send everything again.
        talk = threading.Thread(target=lambda: answer.append(_talk(process, text)))
        talk.start()
        deadline = time.monotonic() + _WALL_FACTOR * cpu_seconds
        try:
            while talk.is_alive():
                talk.join(_POLL_SECONDS)
                check()
                if time.monotonic() > deadline:
                    break
        finally:
            if talk.is_alive():
                process.kill()
            talk.join()
    found, reason = answer[0]
    if process.returncode == 0:
        return found
    if process.returncode == 1 and reason:
        raise RenderingError(f"this cannot be drawn: {reason.decode(errors='replace').strip()[:300]}")
    raise RenderingError("drawing this takes too long; make it smaller, or choose fewer moves")


def _talk(process: "subprocess.Popen[bytes]", text: bytes) -> tuple[bytes, bytes]:
    """Send a process its job and return what it writes."""
    with contextlib.suppress(BrokenPipeError, OSError, ValueError):
        return process.communicate(text)
    return b"", b""
