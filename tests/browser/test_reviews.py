"""Reviewing a finished game: the button, progress, the report, and moving along the graph by keyboard and pointer."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

import fourcorners as fc
from tests.browser.conftest import NewGuest
from tests.browser.driver import TIMEOUT_MS, assert_good_looks, play_randomly, press_by_keyboard, start_game
from tests.browser.test_solving import open_record, play_match
from tests.waiting import wait_until

pytestmark = pytest.mark.browser


def play_box() -> fc.Match:
    """Return a finished game of Ada and Bo for two boxes, in which Bo gives both away."""
    match = fc.Match(fc.game("dots-and-boxes", cols=2, rows=1), ["Ada", "Bo"])
    for move in ("a1b1", "b1c1", "a2b2", "a1a2", "b1b2", "b2c2", "c1c2"):
        match.play(move)
    assert match.is_over
    return match


def wait_for_review(page: Page) -> None:
    """Wait until the review is finished; if a busy server must compile the game first, this may take a minute."""
    expect(page.locator("#report")).to_have_attribute("data-state", "finished", timeout=4 * TIMEOUT_MS)


def open_review(page: Page, folder: Path, match: fc.Match | None = None) -> None:
    """Open the record of a finished game, press the button, and wait until the review is finished."""
    open_record(page, folder, match or play_box())
    page.get_by_role("button", name="Review this game").click()
    wait_for_review(page)


def test_a_game_is_reviewed_and_its_moves_are_stepped_through_by_keyboard_and_pointer(
    page: Page, tmp_path: Path
) -> None:
    open_review(page, tmp_path)
    expect(page.locator("h1")).to_have_text("Review of a game of Dots and Boxes")
    expect(page.locator("#graph")).to_have_text("Expected margin for Ada, the first player")
    title, slider = page.locator("#shown-title"), page.locator("#ply")
    graph = page.get_by_role("region", name="Expected margin")
    slider.focus()
    page.keyboard.press("Home")
    expect(title).to_contain_text("1. Ada: a1b1")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"1\. Ada: a1b1"))
    page.keyboard.press("ArrowRight")
    expect(title).to_contain_text("2. Bo: b1c1")
    graph.focus()
    page.keyboard.press("ArrowRight")
    expect(title).to_contain_text("3. Ada: a2b2")
    expect(graph).to_be_focused()
    expect(page.locator("#review-news")).to_contain_text("3. Ada: a2b2")
    expect(page.locator("#shown img").first).to_have_js_property("complete", True)
    assert page.locator("#shown img").first.evaluate("image => image.naturalWidth") > 0
    page.get_by_role("link", name="Next move").click()
    expect(title).to_contain_text("4. Bo: a1a2")
    expect(page.get_by_role("link", name="Next move")).to_be_focused()
    box = page.locator(".graph").bounding_box()
    assert box is not None
    # The first ply is at the left edge of the curve, and the end of the game at its right edge.
    page.mouse.click(box["x"] + box["width"] * 0.07, box["y"] + box["height"] / 2)
    expect(title).to_contain_text("1. Ada: a1b1")
    expect(page).to_have_url(re.compile(r"\?ply=1$"))


def test_mistakes_are_gone_through_by_keys_and_buttons_with_the_better_move_on_the_same_board(
    page: Page, tmp_path: Path
) -> None:
    open_review(page, tmp_path)
    listed = page.locator(".mistakes a[data-ply]")
    names = listed.all_inner_texts()
    assert len(names) > 1
    title, board = page.locator("#shown-title"), page.locator("#shown img:visible")
    expect(title).to_contain_text(names[0])
    listed.first.focus()
    page.keyboard.press("ArrowDown")
    expect(title).to_contain_text(names[1])
    expect(listed.nth(1)).to_have_attribute("aria-current", "step")
    expect(listed.nth(1)).to_be_focused()
    page.get_by_role("link", name="Previous mistake").click()
    expect(title).to_contain_text(names[0])
    page.keyboard.press("ArrowRight")
    expect(title).not_to_contain_text(names[0])
    page.keyboard.press("ArrowLeft")
    expect(title).to_contain_text(names[0])
    expect(board).to_have_count(1)
    played = board.get_attribute("src")
    page.get_by_role("radio", name="Better").check()
    expect(board).to_have_count(1)
    assert board.get_attribute("src") != played
    page.get_by_role("link", name="Try it yourself").click()
    expect(page.locator("#exercise")).to_have_attribute("data-state", "open")
    expect(page.locator(".step:visible")).to_contain_text(names[0].split()[-1])


def test_move_after_which_the_game_was_lost_is_told_and_shown(page: Page, tmp_path: Path) -> None:
    moves = ["a1a2", "a2b2", "c1c2", "b2c2", "a1b1", "b1c1", "b1b2"]
    open_review(page, tmp_path, play_match("dots-and-boxes", moves, cols=2, rows=1))
    turn = page.locator(".turn")
    expect(turn).to_contain_text("Move 6, b1c1, turned the game: before it Bo was winning, after it Ada was winning.")
    turn.get_by_role("link", name="See where it turned").click()
    expect(page.locator("#shown-title")).to_contain_text("6. Bo: b1c1")
    page.locator("a.crumb").click()
    card = page.get_by_role("group", name="Result")
    expect(card).to_contain_text("Move 6, b1c1, turned the game: before it Bo was winning, after it Ada was winning.")
    card.get_by_role("link", name="See where it turned").click()
    expect(page.locator("#shown-title")).to_contain_text("6. Bo: b1c1")


def test_board_stays_in_view_on_a_phone_and_a_mistake_that_is_chosen_is_explained_below_it(
    page: Page, tmp_path: Path
) -> None:
    open_review(page, tmp_path)
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator("#moves").scroll_into_view_if_needed()
    expect(page.locator("#shown img:visible")).to_be_in_viewport(ratio=1)
    page.locator(".mistakes a[data-ply]").last.click()
    expect(page.locator("#shown img:visible")).to_be_in_viewport(ratio=1)
    expect(page.locator(".told .reason")).to_be_in_viewport()
    heights = page.locator(".stage .segments").evaluate(
        """node => [0, 1].map(() => {
          const { height } = node.getBoundingClientRect();
          for (const span of node.querySelectorAll("span")) span.textContent = "the red circle ".repeat(20);
          return height;
        })"""
    )
    assert heights[0] == heights[1], "a long name of a move makes the switch higher"


HOLD_TEXTS = """() => {
window.held = [];
const { text } = Response.prototype;
Response.prototype.text = async function () {
  const read = await text.call(this);
  if (/\\/[0-9]+$/.test(this.url)) await new Promise((resolve) => window.held.push(resolve));
  return read;
};
}"""


def test_a_move_that_arrives_after_the_reader_has_gone_on_is_not_shown(page: Page, tmp_path: Path) -> None:
    open_review(page, tmp_path)
    title, slider = page.locator("#shown-title"), page.locator("#ply")
    slider.focus()
    page.keyboard.press("Home")
    expect(title).to_contain_text("1. Ada: a1b1")
    page.evaluate(HOLD_TEXTS)
    page.keyboard.press("ArrowRight")
    wait_until(lambda: page.evaluate("window.held.length") == 1)
    page.keyboard.press("ArrowRight")
    wait_until(lambda: page.evaluate("window.held.length") == 2)
    # The later answer is shown, then the earlier one comes.
    page.evaluate("window.held[1]()")
    expect(title).to_contain_text("3. Ada: a2b2")
    page.evaluate("window.held[0]()")
    page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    expect(title).to_contain_text("3. Ada: a2b2")


def test_the_page_scrolls_by_the_keys_up_and_down_outside_of_board_and_mistakes(page: Page, tmp_path: Path) -> None:
    open_review(page, tmp_path)
    title, link = page.locator("#shown-title"), page.get_by_role("link", name="Show move 1", exact=True)
    shown = title.inner_text()
    page.evaluate("addEventListener('keydown', (event) => { window.prevented = event.defaultPrevented; })")
    link.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("window.prevented") is False
    expect(title).to_have_text(shown)
    page.locator("#next-move").focus()
    page.keyboard.press("ArrowDown")
    expect(title).not_to_have_text(shown)


ASK_FOR_ALL = """(query) => {
const link = document.createElement("a");
link.id = "whose";
link.href = query;
link.textContent = "Show all mistakes";
document.querySelector(".mistakes").append(link);
}"""


def test_a_report_that_came_for_an_earlier_move_is_fetched_again_and_keeps_the_focus_in_its_list(
    page: Page, tmp_path: Path
) -> None:
    """The link to the same move is in the list of mistakes and in that of all moves."""
    open_review(page, tmp_path)
    title, link = page.locator("#shown-title"), page.locator("#whose")
    page.evaluate(ASK_FOR_ALL, "?ply=1&all=1")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/review/report*", hold, times=1)
    link.click()
    wait_until(lambda: page.evaluate("true") and len(held) == 1)
    mistake = page.locator(".mistakes a[data-ply]").last
    number = mistake.get_attribute("data-ply")
    in_all_moves = page.locator(f'.moves a[data-ply="{number}"]')
    in_all_moves.click()
    expect(title).to_contain_text(f"{number}. ")
    expect(in_all_moves).to_be_focused()
    with page.expect_response(lambda response: f"ply={number}" in response.url and "/report" in response.url):
        held[0].continue_()
    # The new report has no link that was added by this test.
    expect(link).to_have_count(0)
    expect(in_all_moves).to_be_focused()


def test_of_two_questions_about_other_moves_the_last_one_is_answered(page: Page, tmp_path: Path) -> None:
    open_review(page, tmp_path)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/review/alternatives", hold, times=1)
    field, answer = page.get_by_label("Why not another move?"), page.locator(".why-not-answer")
    field.fill("z8")
    field.press("Enter")
    wait_until(lambda: page.evaluate("true") and len(held) == 1)
    field.fill("z9")
    field.press("Enter")
    expect(answer).to_contain_text("z9")
    with page.expect_response("**/review/alternatives"):
        held[0].continue_()
    page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    expect(answer).to_contain_text("z9")


def test_a_review_can_be_read_by_another_player_without_scripts(
    page: Page, new_guest: NewGuest, tmp_path: Path
) -> None:
    open_review(page, tmp_path)
    visitor = new_guest(java_script_enabled=False)
    visitor.goto(page.url)
    visitor.get_by_role("link", name="Show move 5").click()
    expect(visitor.locator("#shown-title")).to_contain_text("5. Ada: b1b2")
    expect(visitor.get_by_role("button", name="Show", exact=True)).to_be_visible()


def test_only_a_finished_game_has_the_button(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols=1, rows=1)
    expect(page.locator("#review")).to_be_hidden()
    play_randomly(page, 3)
    expect(page.get_by_role("button", name="Review this game")).to_be_visible()


@pytest.mark.ci
def test_a_review_is_accessible_and_not_wider_than_the_window(page: Page, tmp_path: Path) -> None:
    open_review(page, tmp_path)
    assert_good_looks(page)
    page.emulate_media(media="print")
    expect(page.locator(".stepper")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the focus is on an element; fail after 80 times."""
    for _ in range(80):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


@pytest.mark.ci
def test_a_sqez_game_is_reviewed_and_its_mistakes_are_repaired_by_keyboard_alone(page: Page, tmp_path: Path) -> None:
    open_record(page, tmp_path, play_match("sqez", ["a2 c5", "d3 f6", "b1 e4"], cols=6, rows=6))
    tab_to(page, page.get_by_role("button", name="Review this game"))
    page.keyboard.press("Enter")
    wait_for_review(page)
    tab_to(page, page.locator("#ply"))
    page.keyboard.press("ArrowRight")
    expect(page.locator("#shown-title")).to_contain_text("2. Bo: d3 f6")
    expect(page.locator("#review-news")).to_contain_text("2. Bo: d3 f6")
    tab_to(page, page.get_by_label("Why not another move?"))
    page.keyboard.type("d1 f3")
    page.keyboard.press("Enter")
    expect(page.locator(".why-not-answer strong")).to_contain_text("d1 f3")
    tab_to(page, page.locator(".practise a").first)
    page.keyboard.press("Enter")
    exercise = page.locator("#exercise")
    expect(exercise).to_have_attribute("data-state", "open")
    question = page.locator(".step[data-task]").first.evaluate("step => JSON.parse(step.dataset.question)")
    solution = page.request.post(f"{exercise.get_attribute('data-judge')}", data={**question, "show": True}).json()
    for token in solution["best"][0].split(" "):
        element = page.query_selector(f'#board [data-token="{token}"]')
        assert element is not None
        press_by_keyboard(page, element)
    expect(exercise).to_have_attribute("data-state", "done")
    expect(page.locator("#feedback")).to_contain_text("Right, and proven:")
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_focused()
