"""The first visit on a new computer, in a browser: `python -m benchmarks.first_visit [ROUNDS]`.

Each round clones the last commit, starts it with `scripts/play`, which installs everything, and starts it once more
with an empty cache of compiled code. A browser opens the page and plays a move on its board. The result is a Markdown
table with the seconds from each start, medians of all rounds. Downloads that pip and uv keep are not made again.

A second table has what the home page and a table cost a phone with 150 ms and 1.6 Mbit/s, with an empty cache and with
a warm one: requests that reach the server, kilobytes as a proxy compresses them, the largest contentful paint in
milliseconds, and the layout shift.
"""

import contextlib
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, sync_playwright

from benchmarks.page_weight import PHONE, Weight, weigh_page

_ROOT = Path(__file__).resolve().parents[1]
_STEPS = ("page", "pictures", "first move", "answer")
_LIMIT_SECONDS = 300.0


def open_when_served(page: Page, address: str, process: subprocess.Popen[bytes]) -> None:
    """Open the address as soon as the server listens; raise RuntimeError if it ends or takes too long."""
    end = time.monotonic() + _LIMIT_SECONDS
    while True:
        try:
            page.goto(address, wait_until="domcontentloaded")
        except Error as error:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the server did not start") from error
            time.sleep(0.02)
        else:
            return


@contextlib.contextmanager
def serve(checkout: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a checkout, yield the address that will be served and the process, and stop it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "FOURCORNERS_CACHE": str(checkout / "kernels"), "BROWSER": "true"}
    options = ["--port", str(port), "--data", str(checkout / "kept")]
    process = subprocess.Popen(["scripts/play", *options], cwd=checkout, env=environment, stdout=sys.stderr)
    try:
        yield f"http://127.0.0.1:{port}/", process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def time_first_visit(checkout: Path, browser: Browser) -> list[float]:
    """Start a checkout with nothing compiled; return the seconds until each of `_STEPS`.

    The page is new to the browser. The answer is the end of the computer's first turn.
    """
    for folder in ("kernels", "kept"):
        shutil.rmtree(checkout / folder, ignore_errors=True)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    begin = time.monotonic()
    with serve(checkout) as (address, process):
        open_when_served(page, address, process)
        times = [time.monotonic() - begin]
        page.evaluate("Promise.all([...document.images].map(image => image.decode()))")
        times.append(time.monotonic() - begin)
        line = page.wait_for_selector("#board [data-token].can", state="attached")
        assert line is not None
        place = line.bounding_box()
        assert place is not None
        page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        page.wait_for_selector('#first[data-state="busy"]')
        page.wait_for_selector('#first:not([data-state="busy"])')
        times.append(time.monotonic() - begin)
        page.wait_for_selector('#first[data-state="mine"]')
        times.append(time.monotonic() - begin)
        context.close()
    return times


def weigh_pages(checkout: Path, browser: Browser) -> dict[str, Weight]:
    """Start a checkout; return by page and state of the cache the rows of the second table."""
    rows = {}
    context = browser.new_context(viewport=PHONE)
    with serve(checkout) as (address, process):
        maker = context.new_page()
        open_when_served(maker, address, process)
        maker.locator(".game-card button").first.click()
        maker.wait_for_selector("#play")
        for name, visited in (("home", address), ("table", maker.url)):
            visitor = browser.new_context(viewport=PHONE)
            for cache in ("empty", "warm"):
                rows[f"{name}, {cache} cache"] = weigh_page(visitor.new_page(), visited)
            visitor.close()
        context.close()
    return rows


def main(rounds: int) -> None:
    """Print the table for this many rounds; raise CalledProcessError or RuntimeError if one fails."""
    found: dict[str, list[list[float]]] = {"with installation": [], "installed": []}
    weights: dict[str, Weight] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("FOURCORNERS_BROWSER") or shutil.which("chromium-headless-shell"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                checkout = Path(folder) / "fourcorners"
                subprocess.run(["git", "clone", "--quiet", str(_ROOT), str(checkout)], check=True)
                for times in found.values():
                    times.append(time_first_visit(checkout, browser))
                weights = weigh_pages(checkout, browser)
        browser.close()
    print(f"| start | {' | '.join(_STEPS)} |\n|---|{'---|' * len(_STEPS)}")
    for name, times in found.items():
        print(f"| {name} | {' | '.join(f'{statistics.median(column):.1f} s' for column in zip(*times, strict=True))} |")
    columns = "requests | only revalidated | compressed | largest paint | layout shift"
    print(f"\n| page | {columns} |\n|{'---|' * 6}")
    for name, (requests, revalidations, size, paint, shift) in weights.items():
        print(f"| {name} | {requests} | {revalidations} | {size / 1000:.0f} KB | {paint:.0f} ms | {shift:.3f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
