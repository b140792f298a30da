"""A separate program that renders pictures and documents: it reads a job as JSON and writes a file.

It runs in its own process because the rasteriser holds Python's global lock, and because a process can be killed, and
limited in time and memory, at any moment. It imports nothing from this package, which would take a second.

A job has a `kind`: "png" (with `svg`, `width` and `background`), "gif" or "webp" (a `Film` of `frames.py`, with
`background` and the `durations` of its frames in milliseconds), or "pdf" (with `source`, the text of a document, and
`files`, texts by name that it reads as its inputs; with a `resolution`, the result is a PNG of all pages below each
other instead). `fonts` is a folder, `cpu_seconds` and `megabytes` are limits, and `parent` is the id of the process
that waits for the file.
"""

import contextlib
import ctypes
import io
import json
import os
import signal
import sys
from collections.abc import Iterable
from typing import Any

_COLOURS = 256
_SAMPLES = 4
"""The number of frames, including the first and the last, that determine the colours of a GIF."""
_NO_KEY_FRAMES = 2**31 - 1
_PR_SET_PDEATHSIG = 1  # from <sys/prctl.h>
_SERIF, _SANS = "Fourcorners Serif", "Fourcorners Sans"


def _end_with(parent: int) -> None:
    """Let the system end this process when its parent ends; on systems that cannot, only `_limit` ends it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the program that asked for this has ended")


def _limit(cpu_seconds: int, megabytes: int) -> None:
    """Limit this process's processor time and memory where the system supports it."""
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        if sys.platform != "darwin":  # macOS refuses any memory limit
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def _rasterise(svg: str, job: dict[str, Any], width: int, background: str | None) -> bytes:
    """Return a picture as PNG; it uses only our fonts, so it looks the same on every machine."""
    import resvg_py

    return resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        background=background,
        skip_system_fonts=True,
        font_dirs=[job["fonts"]],
        font_family=_SERIF,
        serif_family=_SERIF,
        sans_serif_family=_SANS,
        monospace_family=_SANS,
    )


def _animate(job: dict[str, Any]) -> bytes:
    """Return frames as an animation that repeats."""
    frames = list(compose_frames(job))
    target = io.BytesIO()
    common = {"save_all": True, "duration": job["durations"], "loop": 0}
    if job["kind"] == "gif":
        frames = _reduce_colours(frames)
        # A common palette prevents flicker, and lets the file store only changes.
        frames[0].save(target, "GIF", append_images=frames[1:], optimize=False, disposal=1, **common)
    else:
        # Storing only changes is faster and smaller than an occasional whole frame.
        frames[0].save(target, "WEBP", append_images=frames[1:], quality=82, method=2, kmax=_NO_KEY_FRAMES, **common)
    return target.getvalue()


def compose_frames(job: dict[str, Any]) -> Iterable[Any]:
    """Yield the frames, each composed of sprites where it differs from the one before."""
    from PIL import Image

    sheets = [Image.open(io.BytesIO(_rasterise(svg, job, width, None))).convert("RGBA") for svg, width in job["sheets"]]
    sprites = []
    for sheet, (x, y, width, height), left, top in job["sprites"]:
        sprites.append((sheets[sheet].crop((x, y, x + width, y + height)), left, top))
    del sheets
    shown = Image.new("RGB", (job["width"], job["height"]), job["background"])
    for patches in job["frames"]:
        shown = shown.copy()
        for (x, y, width, height), numbers in patches:
            patch = Image.new("RGB", (width, height), job["background"])
            for number in numbers:
                sprite, left, top = sprites[number]
                patch.paste(sprite, (left - x, top - y), sprite)
            shown.paste(patch, (x, y))
        yield shown


def _reduce_colours(frames: list[Any]) -> list[Any]:
    """Return the frames with one palette for all."""
    from PIL import Image

    last = len(frames) - 1
    samples = [frames[round(last * number / (_SAMPLES - 1))] for number in range(_SAMPLES)]
    width, height = frames[0].size
    sheet = Image.new("RGB", (width, height * _SAMPLES))
    for number, sample in enumerate(samples):
        sheet.paste(sample, (0, height * number))
    palette = sheet.quantize(_COLOURS, Image.Quantize.MEDIANCUT)
    return [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]


def _typeset(job: dict[str, Any]) -> bytes:
    """Return a document as PDF, or its pages as one PNG."""
    import typst

    # A document depends on its source alone: neither on the machine's fonts nor on other packages.
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[job["fonts"]])
    resolution = job["resolution"]
    pages = typst.compile(
        job["source"].encode(),
        root=job["fonts"],
        font_paths=fonts,
        ignore_system_fonts=True,
        package_path=job["fonts"],
        package_cache_path=job["fonts"],
        sys_inputs=job["files"],
        timestamp=0,
        format="png" if resolution else "pdf",
        ppi=resolution or None,
    )
    if not resolution:
        return pages
    return _join_pages([pages] if isinstance(pages, bytes) else pages)


def _join_pages(pages: Iterable[bytes]) -> bytes:
    from PIL import Image

    images = [Image.open(io.BytesIO(page)).convert("RGB") for page in pages]
    joined = Image.new("RGB", (max(image.width for image in images), sum(image.height + 8 for image in images)), "grey")
    top = 0
    for image in images:
        joined.paste(image, (0, top))
        top += image.height + 8
    target = io.BytesIO()
    joined.save(target, "PNG")
    return target.getvalue()


def main() -> None:
    """Do the job and exit: with status 0, or with 1 and the reason on standard error."""
    job = json.load(sys.stdin)
    _end_with(job["parent"])
    _limit(job["cpu_seconds"], job["megabytes"])
    try:
        if job["kind"] == "pdf":
            found = _typeset(job)
        else:
            found = (
                _rasterise(job["svg"], job, job["width"], job["background"]) if job["kind"] == "png" else _animate(job)
            )
    except (ValueError, RuntimeError, MemoryError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    sys.stdout.buffer.write(found)


if __name__ == "__main__":
    main()
