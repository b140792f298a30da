"""The element `fourcorners-board` on a page of files alone, as anyone may write it."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import fourcorners as fc
from fourcorners.study.drawn_record import draw_match, write_drawn_record
from tests.browser.conftest import ROOT, open_page
from tests.browser.driver import assert_good_looks
from tests.browser.static_files import serve_folder

pytestmark = pytest.mark.browser
MOVES = ("a1b1", "a2b2", "a1a2", "b1b2")
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A blog</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>html { background: Canvas }</style><!-- axe takes a dark page without a background for a white one. -->
<script type="module" src="fourcorners-board.js"></script></head><body><main><h1>Two games</h1>
<fourcorners-board id="one" record="game.json"><p>A game of Ada.</p></fourcorners-board>
<fourcorners-board id="two" record="game.json" theme="dark"></fourcorners-board>
<fourcorners-board id="lost" record="nowhere.json"><p>A game of Ben.</p></fourcorners-board></main></body></html>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a page with three boards, of which one has no file; yield its address."""
    folder = tmp_path_factory.mktemp("blog")
    match = fc.Match(fc.game("dots-and-boxes", cols=1, rows=1), ["Ada", "Ben"])
    for move in MOVES:
        match.play(move)
    (folder / "game.json").write_text(write_drawn_record(draw_match(match, match.names)), encoding="utf-8")
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    shutil.copy(ROOT / "src/fourcorners/web/static/fourcorners-board.js", folder)
    with serve_folder(folder) as address:
        yield address


@pytest.fixture
def blog(site: str, chromium: Browser) -> Iterator[Page]:
    """Open the page as its reader does, in a light theme."""
    with chromium.new_context(viewport={"width": 360, "height": 740}, color_scheme="light") as context:
        page = open_page(context)
        page.goto(site)
        expect(page.get_by_role("img")).to_have_count(2)
        yield page


def test_board_steps_by_buttons_and_keys_and_no_other_board_does(blog: Page) -> None:
    board, other = blog.locator("#one"), blog.locator("#two")
    picture, words = board.get_by_role("img"), board.locator("[aria-live]")
    first = picture.get_attribute("src")
    expect(words).to_have_text(["Start", ""])
    expect(board.get_by_role("button", name="Back")).to_have_attribute("aria-disabled", "true")
    board.get_by_role("button", name="Next").click()
    expect(words).to_have_text(["Move 1 of 4", "Ada drew a1–b1."])
    expect(picture).not_to_have_attribute("src", first or "")
    blog.keyboard.press("ArrowRight")
    expect(words).to_have_text(["Move 2 of 4", "Ben drew a2–b2."])
    blog.keyboard.press("End")
    expect(words.last).to_have_text("Ben drew b1–b2 and completed one box. Ben wins 1 : 0; all edges are drawn.")
    expect(picture).to_have_attribute("alt", "Board of 1 by 1 boxes, 0 edges free. Points: Black 0; White 1.")
    expect(board.get_by_role("button", name="Next")).to_be_focused()
    expect(board.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")
    blog.keyboard.press("ArrowRight")
    expect(words.first).to_have_text("Move 4 of 4")
    blog.keyboard.press("ArrowLeft")
    expect(words.first).to_have_text("Move 3 of 4")
    board.get_by_role("button", name="First").press("Enter")
    expect(picture).to_have_attribute("src", first or "")
    board.get_by_role("button", name="Last").press("Space")
    expect(words.first).to_have_text("Move 4 of 4")
    expect(other.locator("[aria-live]").first).to_have_text("Start")


def test_buttons_stay_where_they_are_while_sentences_change(blog: Page) -> None:
    row = blog.locator("#one [role=group]")
    before, end = row.bounding_box(), blog.locator("#two").bounding_box()
    row.get_by_role("button", name="Last").click()
    expect(blog.locator("#one [aria-live]").first).to_have_text("Move 4 of 4")
    assert (row.bounding_box(), blog.locator("#two").bounding_box()) == (before, end)


def test_pictures_follow_the_theme_of_the_system_unless_the_page_chooses(blog: Page) -> None:
    one, two = (blog.locator(f"{name} img").get_attribute("src") for name in ("#one", "#two"))
    assert one != two
    blog.emulate_media(color_scheme="dark")
    expect(blog.locator("#one img")).to_have_attribute("src", two or "")
    expect(blog.locator("#two img")).to_have_attribute("src", two or "")
    blog.locator("#two").evaluate("board => board.setAttribute('theme', 'light')")
    expect(blog.locator("#two img")).to_have_attribute("src", one or "")


def test_board_whose_file_is_missing_says_so_below_what_stands_between_the_tags(blog: Page) -> None:
    expect(blog.locator("#lost").get_by_role("alert")).to_have_text("The board nowhere.json could not be loaded.")
    expect(blog.get_by_text("A game of Ben.")).to_be_visible()
    expect(blog.get_by_text("A game of Ada.")).not_to_be_visible()
    blog.locator("#lost").evaluate("board => board.setAttribute('record', 'game.json')")
    expect(blog.locator("#lost").get_by_role("button")).to_have_count(4)
    expect(blog.get_by_text("A game of Ben.")).not_to_be_visible()


@pytest.mark.parametrize("content", ["", "null", "{}", '{"title": "A", "steps": []}', '{"title": "A", "steps": [{}]}'])
def test_board_whose_file_is_not_a_drawn_record_says_so(blog: Page, content: str) -> None:
    blog.route("**/broken.json", lambda route: route.fulfill(body=content))
    blog.locator("#one").evaluate("board => board.setAttribute('record', 'broken.json')")
    expect(blog.locator("#one").get_by_role("alert")).to_have_text("The board broken.json could not be loaded.")
    expect(blog.get_by_text("A game of Ada.")).to_be_visible()
    expect(blog.locator("#one").get_by_role("button")).to_have_count(0)


def test_board_without_a_record_shows_what_stands_between_the_tags(blog: Page) -> None:
    blog.locator("#one").evaluate(
        "board => { board.setAttribute('record', 'nowhere.json'); board.removeAttribute('record'); }"
    )
    expect(blog.get_by_text("A game of Ada.")).to_be_visible()
    expect(blog.locator("#one").get_by_role("button")).to_have_count(0)
    expect(blog.locator("#one").get_by_role("alert")).to_have_count(0)


def test_markup_of_a_record_runs_no_script_and_reaches_no_other_server(blog: Page) -> None:
    markup = "<script>parent.found = 1</script><image href='/x' onload='parent.found = 1' onerror='parent.found = 1'/>"
    record = {"title": markup, "width": 9, "height": 9, "head": "", "colours": {"light": "--a:1;"}, "parts": [markup]}
    step = {"label": markup, "words": markup, "description": markup, "parts": [0]}
    blog.route("**/hostile.json", lambda route: route.fulfill(json=record | {"steps": [step, step]}))
    asked: list[str] = []
    blog.on("request", lambda request: asked.append(request.url))
    blog.locator("#one").evaluate("board => board.setAttribute('record', 'hostile.json')")
    expect(blog.locator("#one [aria-live]").last).to_have_text(markup)
    assert blog.evaluate("window.found") is None
    assert not any(address.endswith("/x") for address in asked)


def test_boards_are_accessible_and_fit_a_phone(blog: Page) -> None:
    blog.locator("#one").get_by_role("button", name="Next").click()
    assert_good_looks(blog)


def test_without_scripts_the_page_shows_what_stands_between_the_tags(site: str, chromium: Browser) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site)
        expect(page.get_by_text("A game of Ada.")).to_be_visible()
        expect(page.get_by_text("A game of Ben.")).to_be_visible()
