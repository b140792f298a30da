"""How the site presents itself to browsers, systems and other sites: manifest, icons, previews, fonts, navigation."""

import json
import re
from pathlib import Path

import httpx
import pytest
from PIL import Image

import fourcorners as fc
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.web.pages import render
from tests.web.client import Browser

STATIC = Path(fc.__file__).parent / "web" / "static"
PATHS = [
    "/",
    "/about",
    "/privacy",
    "/lobby",
    "/ladder",
    "/ladder/sqez",
    "/account",
    "/api",
    *(f"/games/{game}" for game in fc.games()),
]
pytestmark = pytest.mark.compiled


def find_meta(text: str, name: str) -> str:
    """Return the content of the one `meta` element with this name or property; raise ValueError unless there is one."""
    [content] = re.findall(rf'<meta (?:name|property)="{re.escape(name)}" content="([^"]*)">', text)
    return str(content)


def test_manifest_is_linked_and_its_icons_have_the_sizes_that_it_says(browser: Browser) -> None:
    [address] = re.findall(r'<link rel="manifest" href="([^"]+)"', browser.http.get("/").text)
    answer = browser.http.get(address)
    assert answer.headers["content-type"].startswith("application/manifest+json")
    manifest = answer.json()
    assert browser.http.get(manifest["start_url"]).status_code == 200
    assert {icon.get("purpose", "any") for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        assert browser.http.get(icon["src"]).headers["content-type"] == icon["type"]
        with Image.open(STATIC / icon["src"].removeprefix("/static/")) as image:
            assert "{}x{}".format(*image.size) == icon["sizes"]
    assert all(browser.http.get(shortcut["url"]).status_code == 200 for shortcut in manifest["shortcuts"])


def test_icon_is_served_where_browsers_look_for_it_unless_a_page_declares_one(browser: Browser) -> None:
    # The rules are a part of a page, so they declare nothing; opened on their own they need an icon, too.
    assert 'rel="icon"' not in browser.http.get("/games/sqez/rules").text
    answer = browser.http.get("/favicon.ico", follow_redirects=True)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert "set-cookie" not in answer.history[0].headers


@pytest.mark.parametrize("path", PATHS)
def test_page_has_a_description_and_a_preview_of_the_size_that_it_says(browser: Browser, path: str) -> None:
    text = browser.http.get(path).text
    assert 40 <= len(find_meta(text, "description")) <= 240
    assert find_meta(text, "og:description") == find_meta(text, "description")
    assert find_meta(text, "og:title") in text[: text.index("</title>")]
    preview = httpx.URL(find_meta(text, "og:image"))
    assert preview.is_absolute_url
    with Image.open(STATIC / preview.path.removeprefix("/static/")) as image:
        assert image.size == (int(find_meta(text, "og:image:width")), int(find_meta(text, "og:image:height")))


def test_every_game_has_a_preview_of_its_own(browser: Browser) -> None:
    previews = {find_meta(browser.http.get(f"/games/{game}").text, "og:image") for game in fc.games()}
    assert len(previews) == len(fc.games())


def test_link_to_a_table_has_a_preview_of_its_own(browser: Browser) -> None:
    table = browser.begin_table("squendo", **{"seat-1": "person"})
    address = find_meta(browser.http.get(f"/play/{table}").text, "og:image")
    assert address == f"{browser.server.url}/play/{table}/preview.png"
    assert browser.http.get(address).content.startswith(b"\x89PNG")


def test_link_to_a_shared_analysis_has_a_preview_of_its_own(browser: Browser) -> None:
    shared = browser.http.post("/api/analyses", json={"game": "sqez", "nodes": [{"depth": 0}]}).json()
    address = find_meta(browser.http.get(shared["link"]).text, "og:image")
    assert address == f"{browser.server.url}{shared['link']}/preview.png"
    assert browser.http.get(address).content.startswith(b"\x89PNG")
    assert browser.http.get("/analysis/shared/AAAAAAAAAAAAAAAA/preview.png").status_code == 404


@pytest.mark.parametrize("game", fc.games())
def test_link_to_a_puzzle_has_a_preview_of_its_own(browser: Browser, game: str) -> None:
    path = f"/puzzles/{list_puzzles(game)[0].name}"
    address = find_meta(browser.http.get(path).text, "og:image")
    assert address == f"{browser.server.url}{path}/preview.png"
    assert browser.http.get(address).content.startswith(b"\x89PNG")
    assert browser.http.get(f"/puzzles/{game}/nothing/preview.png").status_code == 404


def test_game_without_a_preview_has_that_of_the_site(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "_list_previews", lambda: frozenset({"fourcorners"}))
    assert find_meta(browser.http.get("/games/sqez").text, "og:image").endswith("/previews/fourcorners.png")


def test_fonts_that_a_page_preloads_are_small_and_come_with_their_licence(browser: Browser) -> None:
    addresses = re.findall(r'<link rel="preload" href="([^"]+)" as="font"', browser.http.get("/").text)
    assert addresses
    (address_of_sheet,) = re.findall(
        r'<link rel="stylesheet" href="([^"]+/page[^"/]*\.css)"', browser.http.get("/").text
    )
    sheet = browser.http.get(address_of_sheet).text
    for address in addresses:
        font = browser.http.get(address)
        assert font.headers["content-type"] == "font/woff2"
        assert len(font.content) < 60_000
        # What is preloaded and not used is loaded twice, or in vain.
        assert address.rpartition("/")[2] in sheet
    assert "SIL Open Font License" in (STATIC / "fonts" / "LICENSE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "marked"),
    [("/", {"/": "page"}), ("/lobby", {"/lobby": "page"}), ("/ladder/sqez", {"/ladder": "true"}), ("/games/sqez", {})],
)
def test_navigation_marks_the_page_or_its_area(browser: Browser, path: str, marked: dict[str, str]) -> None:
    text = browser.http.get(path).text
    header = text[text.index("<header") : text.index("</header>")]
    assert dict(re.findall(r'href="([^"]+)" aria-current="([^"]+)"', header)) == marked


def test_manifest_and_pages_agree_on_the_colour_of_the_paper(browser: Browser) -> None:
    manifest = json.loads((STATIC / "fourcorners.webmanifest").read_text(encoding="utf-8"))
    [paper, _] = re.findall(r"--paper: (#[0-9a-f]{6});", (STATIC / "page.css").read_text(encoding="utf-8"))
    assert find_meta(browser.http.get("/").text, "theme-color") == manifest["theme_color"] == paper


@pytest.mark.parametrize("path", ["/puzzles", "/learn", "/lobby", "/games/sqez", "/ladder/sqez"])
def test_browsers_load_covers_of_the_theme_in_use_alone(browser: Browser, path: str) -> None:
    """A picture that is not displayed is loaded anyway unless it is lazy."""
    covers = re.findall(r'<img class="on-(?:light|dark)"[^>]*>', browser.http.get(path).text)
    assert covers
    assert all('loading="lazy"' in cover for cover in covers)
