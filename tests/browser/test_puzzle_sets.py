"""A teacher picks puzzles, follows the results of a set, removes names and closes the set."""

import re

import pytest
from playwright.sync_api import Page, expect

from fourcorners.study.puzzles.format import list_puzzles
from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_good_looks

pytestmark = pytest.mark.browser
GAME = "dots-and-boxes"


def test_teacher_picks_puzzles_without_scripts_and_makes_a_set(new_guest: NewGuest) -> None:
    page = new_guest(java_script_enabled=False)
    page.goto("/sets")
    page.get_by_label("Game").select_option(GAME)
    page.get_by_role("button", name="Show").click()
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Add the marked puzzles").click()
    page.get_by_role("button", name="Add all 10").click()
    expect(page.locator("#pick")).to_contain_text("11 of 30 items in your set.")
    page.get_by_label("Title").fill("Homework")
    page.get_by_role("button", name="Create set").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Homework")


def test_pages_of_a_teacher_look_good_and_results_come_while_the_page_is_open(page: Page) -> None:
    page.goto("/sets")
    assert_good_looks(page)
    page.get_by_label("Title").fill("Homework")
    page.get_by_role("button", name="Add all 10").click()
    page.get_by_role("button", name="Create set").click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the link for your pupils").click()
    expect(page.locator("#said")).to_have_text("Copied.")
    link = str(page.evaluate("navigator.clipboard.readText()"))
    assert link == page.get_by_label("For your pupils").input_value()
    assert page.evaluate("document.querySelector('.share-box img').naturalWidth > 0")
    expect(page.get_by_text("No one has tried it yet.")).to_be_visible()
    set_id = link.rpartition("/")[2]
    for number, name in enumerate(("Cleo", "Dora"), 1):
        shown = page.request.post(f"/api/sets/{set_id}", data={"pupil": name, "item": 0, "show": True})
        assert shown.ok
        expect(page.get_by_role("checkbox")).to_have_count(number)
        # A mark stays when others come.
        if number == 1:
            page.get_by_label("Cleo").check()
    expect(page.get_by_label("Cleo")).to_be_checked()
    assert_good_looks(page)


@pytest.mark.ci
def test_teacher_removes_a_name_and_closes_the_set(page: Page) -> None:
    page.goto("/sets")
    page.get_by_label("Title").fill("Homework")
    page.get_by_label("Puzzles and positions").fill(f"{GAME}/{list_puzzles(GAME)[0].id}")
    page.get_by_role("button", name="Create set").click()
    pupils_link = page.get_by_label("For your pupils").input_value()
    set_id = pupils_link.rpartition("/")[2]
    for name in ("Cleo", "A stranger with the longest name"):
        shown = page.request.post(f"/api/sets/{set_id}", data={"pupil": name, "item": 0, "show": True})
        assert shown.ok
    page.reload()
    assert_good_looks(page)
    page.get_by_label("A stranger").check()
    page.get_by_role("button", name="Remove the marked names").click()
    expect(page.get_by_role("checkbox")).to_have_count(1)
    results = page.url
    for choice, sentence in (("Only the names", "accepts no new names"), ("No one", "This set is closed")):
        page.get_by_label(choice).check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_label(choice)).to_be_checked()
        assert_good_looks(page)
        page.goto(f"{pupils_link}?name=Dora")
        expect(page.get_by_text(re.compile(sentence)).first).to_be_visible()
        assert_good_looks(page)
        page.goto(results)
