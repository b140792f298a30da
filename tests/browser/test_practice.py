"""The lessons and puzzles of the documentation site, in a browser without a connection."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import fourcorners as fc
from fourcorners.study.lessons.format import list_lessons
from fourcorners.study.lessons.judge import judge_moves
from fourcorners.study.puzzles.format import Puzzle, find_puzzle
from tests.browser.conftest import open_page
from tests.browser.driver import assert_good_looks
from tests.browser.static_files import serve_folder
from tests.browser.test_lessons import press_move, type_move, wait_for_step
from tests.browser.test_puzzles import find_wrong_move, solve, wait_for_state

# Building the site installs packages that nothing else needs, and takes a minute or two.
pytestmark = [pytest.mark.browser, pytest.mark.ci]
ADDRESS = re.compile(r'(?:href|src)="([^"#]+)[^"]*"')


@pytest.fixture
def folder(site_folder: Path) -> Path:
    """The folder with the pages."""
    return site_folder / "exercises"


@pytest.fixture
def page(folder: Path, chromium: Browser) -> Iterator[Page]:
    """A page with the address of a server that has nothing else."""
    with serve_folder(folder) as address, chromium.new_context(base_url=address) as context:
        yield open_page(context)


def open_offline(page: Page, name: str) -> None:
    """Open a page, and then cut the connection."""
    page.context.unroute_all()
    page.context.set_offline(False)
    page.goto(f"/{name}", wait_until="networkidle")
    page.context.set_offline(True)
    page.context.route("**", lambda route: route.abort())


def read_puzzle(page: Page, game_id: str, number: int) -> Puzzle:
    """Return a puzzle of the page, by its number from 0."""
    question = page.locator(".step[data-task]").nth(number).get_attribute("data-question")
    found = re.search(r'"puzzle": "(\w+)"', question or "")
    assert found is not None, question
    return find_puzzle(game_id, found[1])


@pytest.mark.parametrize("game_id", fc.games())
def test_lesson_is_finished_without_a_connection(page: Page, game_id: str) -> None:
    lesson = list_lessons(game_id)[0]
    open_offline(page, f"{game_id}-{lesson.id}.html")
    for number, step in enumerate(lesson.steps):
        wait_for_step(page, number, "open")
        for count, move in enumerate(step.shown_moves, 1):
            (press_move if number % 2 == 0 else type_move)(page, move)
            wait_for_step(page, number, judge_moves(lesson, number, step.shown_moves[:count]).state)
            expect(page.locator("#feedback")).not_to_be_empty()
        page.get_by_role("button", name="Next", exact=True).click()
    wait_for_step(page, len(lesson.steps), "over")
    expect(page.locator("#finish")).to_contain_text("Lesson finished.")
    open_offline(page, "index.html")
    expect(page.locator(f'[data-lesson="{lesson.name}"]')).to_have_class("done")


@pytest.mark.parametrize("game_id", fc.games())
def test_puzzles_are_solved_without_a_connection(page: Page, game_id: str) -> None:
    open_offline(page, f"{game_id}-puzzles.html")
    expect(page.locator("#step-count")).to_have_text("Puzzle 1 of 50")
    solve(page, read_puzzle(page, game_id, 0))
    page.get_by_role("button", name="Next", exact=True).click()

    expect(page.locator("#step-count")).to_have_text("Puzzle 2 of 50")
    wait_for_state(page, "open")
    puzzle = read_puzzle(page, game_id, 1)
    type_move(page, "nonsense")
    expect(page.locator("#feedback")).to_contain_text("This move is not allowed here.")
    type_move(page, find_wrong_move(puzzle))
    wait_for_state(page, "wrong")
    page.get_by_role("button", name="Try again").click()
    wait_for_state(page, "open")
    solve(page, puzzle)

    page.locator("#picker summary").click()
    page.get_by_role("link", name="Puzzle 30", exact=True).click()
    expect(page.locator("#step-count")).to_have_text("Puzzle 30 of 50")
    wait_for_state(page, "open")
    hint = page.locator(".step:not([hidden]) .hint")
    if hint.count():
        page.get_by_role("button", name="Hint").click()
        expect(hint).to_be_visible()
    page.get_by_role("button", name="Show me").click()
    wait_for_state(page, "done")
    expect(page.locator("#feedback")).to_contain_text("The best move is")

    # Another visit knows what came of them, and begins with the first one that is left.
    open_offline(page, "index.html")
    expect(page.locator(f'[data-puzzles="{game_id}"]')).to_contain_text("3 of 50 tried, 2 solved")
    open_offline(page, f"{game_id}-puzzles.html")
    expect(page.locator("#step-count")).to_have_text("Puzzle 3 of 50")
    assert page.locator(".picks li[class]:not([class=''])").evaluate_all("items => items.map(li => li.className)") == [
        "first",
        "later",
        "shown",
    ]


def test_end_says_what_came_of_each_puzzle_and_all_can_begin_anew(page: Page) -> None:
    open_offline(page, "square-off-puzzles.html#50")
    wait_for_state(page, "open")
    page.get_by_role("button", name="Show me").click()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#step-count")).to_have_text("1 of 50 puzzles tried")
    expect(page.locator(".outcomes")).to_contain_text("Not found, but shown: 50")
    # Longer than the position after each move stays.
    page.wait_for_timeout(1000)
    expect(page.locator("#feedback")).to_be_empty()
    page.context.unroute_all()
    page.context.set_offline(False)
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("#step-count")).to_have_text("Puzzle 1 of 50")
    expect(page.locator(".picks .sign")).to_have_count(0)


def test_pages_look_good_on_phones_and_large_screens(page: Page) -> None:
    for game_id in fc.games():
        page.goto(f"/{game_id}-puzzles.html", wait_until="networkidle")
        page.locator("#picker summary").click()
        assert_good_looks(page)
        page.goto(f"/{game_id}-{list_lessons(game_id)[0].id}.html", wait_until="networkidle")
        assert_good_looks(page)
    page.goto("/index.html", wait_until="networkidle")
    assert_good_looks(page)


def test_copy_of_the_folder_works_without_a_server(folder: Path, chromium: Browser) -> None:
    with chromium.new_context() as context:
        page = open_page(context)
        page.goto(f"{folder.as_uri()}/index.html")
        expect(page.get_by_role("link", name="Documents")).to_have_count(0)
        page.locator('[data-puzzles="dots-and-boxes"] a').click()
        wait_for_state(page, "open")
        solve(page, read_puzzle(page, "dots-and-boxes", 0))


def test_everything_that_pages_name_is_in_the_folder(folder: Path) -> None:
    pages = sorted(folder.glob("*.html"))
    assert len(pages) == 1 + sum(1 + len(list_lessons(game_id)) for game_id in fc.games())
    for each in pages:
        named = set(ADDRESS.findall(each.read_text(encoding="utf-8").partition('<script type="application/json"')[0]))
        # The documents are beside the folder.
        assert [name for name in named - {"../index.html"} if not (folder / name).is_file()] == [], each.name
