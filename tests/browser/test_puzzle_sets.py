"""The page of the results of a set: a teacher removes names and closes the set."""

import re

import pytest
from playwright.sync_api import Page, expect

from fourcorners.study.puzzles.format import list_puzzles
from tests.browser.driver import assert_good_looks

pytestmark = [pytest.mark.browser, pytest.mark.ci]
GAME = "dots-and-boxes"


def test_teacher_removes_a_name_and_closes_the_set(page: Page) -> None:
    page.goto("/sets")
    page.get_by_label("Title").fill("Homework")
    page.get_by_label("Puzzles and positions").fill(f"{GAME}/{list_puzzles(GAME)[0].id}")
    page.get_by_role("button", name="Make the set").click()
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
    for choice, sentence in (("Only the names", "takes no new names"), ("No one", "This set is closed")):
        page.get_by_label(choice).check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_label(choice)).to_be_checked()
        assert_good_looks(page)
        page.goto(f"{pupils_link}?name=Dora")
        expect(page.get_by_text(re.compile(sentence)).first).to_be_visible()
        assert_good_looks(page)
        page.goto(results)
