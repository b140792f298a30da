"""What a page costs a phone with a slow connection: requests, bytes, the largest contentful paint, the layout shift."""

import gzip
from typing import NamedTuple

from playwright.sync_api import Page, Response, ViewportSize

PHONE: ViewportSize = {"width": 360, "height": 740}
_SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
"""In milliseconds and bytes per second: 1.6 Mbit/s."""
_HEADERS = 300
"""The bytes that browsers count for an answer without a body."""
_PACKED = (".woff2", ".png")
_OBSERVE = """
window.paint = window.shift = 0;
function observe(type, note) {
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
}
observe("largest-contentful-paint", (entry) => { window.paint = entry.startTime; });
observe("layout-shift", (entry) => { if (!entry.hadRecentInput) window.shift += entry.value; });
"""


class Weight(NamedTuple):
    """What opening a page took: requests that reached the server, and of these such that only asked whether something
    has changed; bytes, with texts compressed as by a proxy; milliseconds; and the cumulative layout shift.
    """

    requests: int
    revalidations: int
    bytes: int
    paint_ms: float
    shift: float


def weigh_page(page: Page, address: str) -> Weight:
    """Open an address in a new page; what its context has opened before is in the cache."""
    answers: list[Response] = []

    def keep(answer: Response) -> None:
        # Playwright cannot call a method that is not written in Python.
        answers.append(answer)

    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", _SLOW)
    page.on("response", keep)
    page.add_init_script(_OBSERVE)
    page.goto(address, wait_until="networkidle")
    page.evaluate("document.fonts.ready.then(() => {})")
    page.remove_listener("response", keep)
    session.detach()
    moved = {answer.url: _read_transfer(page, answer.url) for answer in answers}
    bodies = [(answer.url, answer.body()) for answer in answers if moved[answer.url] > _HEADERS]
    sizes = [len(body) if url.endswith(_PACKED) else len(gzip.compress(body)) for url, body in bodies]
    asked = sum(size > 0 for size in moved.values())
    return Weight(asked, asked - len(bodies), sum(sizes), page.evaluate("paint"), page.evaluate("shift"))


def _read_transfer(page: Page, address: str) -> int:
    """Return how many bytes a page has received for an address: 0 from the cache, `_HEADERS` if only revalidated."""
    find = "address => performance.getEntriesByName(address).reduce((sum, entry) => sum + (entry.transferSize ?? 0), 0)"
    return int(page.evaluate(find, address))
