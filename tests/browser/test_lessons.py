"""Lessons in a browser: solved by mouse, by typing and by keyboard alone, with feedback, hints and progress."""

import secrets

import pytest
from playwright.sync_api import Page, Route, expect

import fourcorners as fc
from fourcorners.study.lessons.format import Lesson, find_lesson, list_lessons
from fourcorners.study.lessons.judge import judge_moves
from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_good_looks, click_tokens, press_by_keyboard, wait_for_script
from tests.browser.test_accounts import PASSWORD, submit_registration
from tests.waiting import wait_until

pytestmark = pytest.mark.browser
FIRST = [list_lessons(name)[0] for name in fc.games() if list_lessons(name)]
OTHERS = [lesson for name in fc.games() for lesson in list_lessons(name)[1:]]


def wait_for_step(page: Page, number: int, state: str) -> None:
    """Wait until the page shows a step, counted from 0, in a state, and takes moves again.

    Until the answer to a move is shown, the board takes no other move, and the state is still the one before it.
    """
    page.wait_for_selector(f'#exercise[data-step="{number}"][data-state="{state}"]', timeout=30_000)
    expect(page.locator("#scene")).not_to_have_attribute("aria-busy", "true")


def press_move(page: Page, move: str) -> None:
    """Make a move by clicking its places on the board or in the tray, and what is not drawn on its button.

    Rotations have their own pictures: the piece is turned before it is laid.
    """
    tokens = move.split(" ")
    turns = [token for token in tokens if token in {"r0", "r1", "r2", "r3"}]
    if turns and len(tokens) == 3:
        click_tokens(page, tokens[0])
        for _ in range(4):
            if page.locator(f"#tray .turn-{turns[0][1:]}").count():
                break
            page.keyboard.press("r")
        click_tokens(page, tokens[1])
        return
    for token in tokens:
        choice = page.locator(f'#choices [data-choice="token {token}"]')
        place = page.locator(f'#scene [data-token="{token}"]')
        if token.startswith("#"):
            click_tokens(page, "#")
        # What is the only choice left is chosen by the page.
        if choice.or_(place).count():
            if choice.count():
                choice.click()
            else:
                click_tokens(page, token)


def type_move(page: Page, move: str) -> None:
    """Make a move by typing it."""
    page.get_by_label("Type a move").fill(move)
    page.get_by_label("Type a move").press("Enter")


def solve(page: Page, lesson: Lesson, *, types: bool = False) -> None:
    """Solve a lesson from its first step to its end by mouse, or by typing moves."""
    page.goto(f"/learn/{lesson.name}")
    for number, step in enumerate(lesson.steps):
        wait_for_step(page, number, "open")
        for count, move in enumerate(step.shown_moves, 1):
            (type_move if types else press_move)(page, move)
            state = judge_moves(lesson, number, step.shown_moves[:count]).state
            wait_for_step(page, number, state)
            expect(page.locator("#feedback")).not_to_be_empty()
        page.get_by_role("button", name="Next", exact=True).click()
    wait_for_step(page, len(lesson.steps), "over")
    expect(page.locator("#finish")).to_contain_text("Lesson finished.")


@pytest.mark.parametrize(
    "lesson",
    [FIRST[0], *(pytest.param(lesson, marks=pytest.mark.ci) for lesson in FIRST[1:])],
    ids=lambda lesson: lesson.name,
)
def test_first_lesson_of_each_game_is_solved_by_mouse_and_remembered(page: Page, lesson: Lesson) -> None:
    solve(page, lesson)
    page.goto("/learn")
    item = page.locator(f'[data-lesson="{lesson.name}"]')
    expect(item).to_contain_text("done")
    expect(page.locator(f'[data-progress="{lesson.game.id}"]')).to_contain_text("1 of")


def test_progress_follows_the_account_to_another_browser(page: Page, new_guest: NewGuest) -> None:
    lesson = find_lesson("dots-and-boxes", "rules")
    # What an earlier version has kept in the browser.
    page.goto("/learn")
    kept = {lesson.name: len(lesson.steps)}
    page.evaluate("kept => localStorage.setItem('lessons', JSON.stringify(kept))", kept)
    page.reload()
    expect(page.locator(f'[data-lesson="{lesson.name}"]')).to_contain_text("done")
    wait_for_script(page, "localStorage.getItem('lessons') === '{}'")
    name = f"Learner{secrets.token_hex(4)}"
    submit_registration(page, name)
    expect(page.get_by_role("status")).to_contain_text("Your account has been created.")
    other = new_guest()
    other.goto("/account")
    form = other.get_by_role("form", name="Sign in")
    form.get_by_label("Name").fill(name)
    form.get_by_label("Password").fill(PASSWORD)
    form.get_by_role("button").click()
    expect(other.get_by_text("You are signed in.")).to_be_visible()
    other.goto("/learn")
    expect(other.locator(f'[data-lesson="{lesson.name}"]')).to_contain_text("done")


@pytest.mark.ci
@pytest.mark.parametrize("lesson", OTHERS, ids=lambda lesson: lesson.name)
def test_other_lesson_is_solved_by_typing(page: Page, lesson: Lesson) -> None:
    solve(page, lesson, types=True)


def test_lesson_is_solved_by_keyboard_alone(page: Page) -> None:
    lesson = find_lesson("dots-and-boxes", "double-dealing")
    page.goto(f"/learn/{lesson.name}")
    for number, step in enumerate(lesson.steps):
        wait_for_step(page, number, "open")
        if not number:
            # Reading begins before the text, and no edge looks chosen.
            expect(page.locator(":focus")).to_have_count(0)
        for count, move in enumerate(step.shown_moves, 1):
            element = page.query_selector(f'#board [data-token="{move}"]')
            assert element is not None
            press_by_keyboard(page, element)
            wait_for_step(page, number, judge_moves(lesson, number, step.shown_moves[:count]).state)
        # The focus has gone to the button that leads on.
        expect(page.get_by_role("button", name="Next", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
    wait_for_step(page, len(lesson.steps), "over")


def test_wrong_move_is_explained_and_taken_back_and_help_is_at_hand(page: Page) -> None:
    page.goto("/learn/dots-and-boxes/double-dealing")
    wait_for_step(page, 0, "open")
    feedback = page.locator("#feedback")
    expect(page.get_by_role("button", name="Next", exact=True)).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text("Begin at b1–b2 and go on to the right.")).to_be_visible()
    for count in range(1, 5):
        page.get_by_role("button", name="Show me").click()
        expect(feedback).to_contain_text(f"{count} of 4" if count < 4 else "Four boxes are yours")
    page.get_by_role("button", name="Next", exact=True).click()
    wait_for_step(page, 1, "open")
    click_tokens(page, "f1f2")
    wait_for_step(page, 1, "wrong")
    expect(feedback).to_contain_text("six all")
    expect(page.get_by_role("button", name="Try again")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_step(page, 1, "open")
    expect(feedback).to_be_empty()
    type_move(page, "a1b1")
    expect(feedback).to_contain_text("Edge a1b1 is already drawn.")
    type_move(page, "g1g2")
    wait_for_step(page, 1, "done")
    expect(feedback).to_contain_text("White drew f1–f2 and completed two boxes.")
    page.get_by_role("button", name="Back").click()
    wait_for_step(page, 0, "open")
    page.reload()
    # What is done stays done.
    wait_for_step(page, 2, "open")


def test_moves_typed_before_the_answer_are_played_in_order(page: Page) -> None:
    lesson = find_lesson("dots-and-boxes", "double-dealing")
    page.goto(f"/learn/{lesson.name}")
    wait_for_step(page, 0, "open")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/lessons", hold, times=1)
    for move in lesson.steps[0].shown_moves:
        type_move(page, move)
    wait_until(lambda: page.evaluate("true") and len(held) == 1)
    held[0].continue_()
    wait_for_step(page, 0, "done")


def test_a_step_that_is_loading_takes_no_moves(page: Page) -> None:
    lesson = find_lesson("square-off", "rules")
    held: list[Route] = []
    page.goto(f"/learn/{lesson.name}")
    wait_for_step(page, 0, "open")
    type_move(page, lesson.steps[0].shown_moves[0])
    wait_for_step(page, 0, "done")
    page.get_by_role("button", name="Next", exact=True).click()
    wait_for_step(page, 1, "open")
    expect(page.locator("#board .can")).not_to_have_count(0)

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/lessons", hold, times=1)
    page.get_by_role("button", name="Back").click()
    expect(page.locator("#exercise")).to_have_attribute("data-step", "0")
    expect(page.locator("#board .can")).to_have_count(0)
    wait_until(lambda: page.evaluate("true") and len(held) == 1)
    held[0].continue_()
    wait_for_step(page, 0, "open")
    expect(page.locator("#board .can")).not_to_have_count(0)


def test_lesson_without_a_server_says_so(page: Page) -> None:
    page.route("**/api/lessons", lambda route: route.abort())
    page.goto("/learn/dots-and-boxes/rules")
    expect(page.locator("#feedback")).to_contain_text("The server cannot be reached.")


@pytest.mark.ci
def test_lessons_are_accessible_and_not_wider_than_the_window(page: Page) -> None:
    page.goto("/learn")
    assert_good_looks(page)
    for lesson in FIRST:
        page.goto(f"/learn/{lesson.name}")
        wait_for_step(page, 0, "open")
        page.get_by_role("button", name="Hint").click()
        assert_good_looks(page)
        page.get_by_role("button", name="Show me").click()
        expect(page.locator("#feedback")).not_to_be_empty()
        assert_good_looks(page)
