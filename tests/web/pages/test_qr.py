"""Draw the link of a table as a QR code."""

import re

import pytest
import segno

from fourcorners.web.pages.qr import draw_qr_code
from tests.web.client import Browser

pytestmark = pytest.mark.compiled


def test_qr_code_encodes_its_text() -> None:
    text = "https://example.org/play/abc_DEF-123"
    assert read_modules(draw_qr_code(text)) == [bytes(row) for row in segno.make_qr(text, error="m").matrix]


def test_table_has_a_qr_code_of_its_address_that_browsers_may_cache_and_that_runs_no_scripts(browser: Browser) -> None:
    table = browser.begin_table("square-off", **{"seat-1": "open"})
    answer = browser.http.get(f"/play/{table}/qr.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "max-age" in answer.headers["cache-control"]
    assert "script" not in answer.headers["content-security-policy"]
    address = f"{browser.http.base_url}".rstrip("/") + f"/play/{table}"
    assert read_modules(answer.text) == [bytes(row) for row in segno.make_qr(address, error="m").matrix]


def test_unknown_table_has_no_qr_code(browser: Browser) -> None:
    assert browser.http.get("/play/none-such-table/qr.svg").status_code == 404


def read_modules(picture: str) -> list[bytes]:
    """Return the rows of a QR code from its SVG strokes, a 1 for each dark module, without the quiet zone.

    The strokes are horizontal: M moves to a point, m moves by a distance, and h draws a run of dark modules.
    """
    # The quiet zone is four modules wide, as the standard demands.
    border = 4
    view_box = re.search(r'viewBox="0 0 ([0-9]+) [0-9]+"', picture)
    strokes = re.search(r'class="qrline"[^>]* d="([^"]+)"', picture)
    assert view_box and strokes
    size = int(view_box[1]) - 2 * border
    rows = [bytearray(size) for _ in range(size)]
    x = y = 0.0
    for command, arguments in re.findall(r"([Mmh])([-0-9. ]+)", strokes[1]):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", arguments)]
        if command == "h":
            for column in range(int(x), int(x + numbers[0])):
                rows[int(y) - border][column - border] = 1
            x += numbers[0]
        else:
            x, y = (numbers[0], numbers[1]) if command == "M" else (x + numbers[0], y + numbers[1])
    return [bytes(row) for row in rows]
