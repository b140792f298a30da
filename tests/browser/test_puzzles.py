"""Mistakes, puzzles, runs and sets in a browser: by mouse, by typing and by keyboard alone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import fourcorners as fc
from fourcorners.study.puzzles.format import Decision, Puzzle, find_puzzle, list_puzzles
from fourcorners.study.puzzles.knowledge import describe_facts
from fourcorners.web.application.puzzles import describe_hint
from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_good_looks, click_tokens, press_by_keyboard
from tests.browser.test_lessons import type_move
from tests.browser.test_reviews import open_review

pytestmark = pytest.mark.browser
GAME = "dots-and-boxes"


@pytest.fixture
def puzzles() -> tuple[Puzzle, ...]:
    """The puzzles of one game."""
    return list_puzzles(GAME)


def wait_for_state(page: Page, state: str) -> None:
    """Wait until the exercise is in a state and the page is at rest."""
    page.wait_for_selector(f'#exercise[data-state="{state}"]', timeout=30_000)
    expect(page.locator("#scene")).not_to_have_attribute("aria-busy", "true")


def find_wrong_move(puzzle: Puzzle) -> str:
    """Return a move that is not among the best."""
    return next(move for move in puzzle.position.moves() if move not in puzzle.best)


def solve(page: Page, puzzle: Puzzle) -> None:
    """Type all moves of a puzzle that is open, and wait until it is solved."""
    decisions = puzzle.list_main_decisions()
    for count, decision in enumerate(decisions, 1):
        type_move(page, decision.best[0])
        if count < len(decisions):
            expect(page.locator("#feedback")).to_contain_text(f"{count} of ")
            wait_for_state(page, "open")
    wait_for_state(page, "done")


def wait_for_another_page(page: Page, address: str) -> None:
    """Wait until the page has another address than this one."""
    page.wait_for_url(lambda url: url != address)


def read_puzzle(page: Page) -> Puzzle:
    """Return the puzzle of the page's address."""
    game, puzzle_id = page.url.split("?")[0].split("/")[-2:]
    return find_puzzle(game, puzzle_id)


def test_mistakes_of_a_game_are_repaired_and_other_moves_asked_about(page: Page, tmp_path: Path) -> None:
    open_review(page, tmp_path)
    field = page.get_by_label("Why not another move?")
    field.fill("z9")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".why-not-answer")).to_contain_text("z9")
    page.get_by_role("link", name="Learn from Bo’s mistakes").click()
    wait_for_state(page, "open")
    expect(page.locator("#title")).to_have_text("Mistakes of Bo")
    count = page.locator(".step[data-task]").count()
    for number in range(count):
        wait_for_state(page, "open")
        played = page.locator(".step[data-task]").nth(number).locator("code").inner_text()
        type_move(page, played)
        wait_for_state(page, "wrong")
        expect(page.locator("#feedback")).to_contain_text("That is the move that was played.")
        page.get_by_role("button", name="Try again").click()
        wait_for_state(page, "open")
        page.get_by_role("button", name="Show me").click()
        wait_for_state(page, "done")
        expect(page.locator("#feedback")).to_contain_text("by proof")
        page.get_by_role("button", name="Next", exact=True).click()
    wait_for_state(page, "over")
    shown = page.locator("#finish li")
    expect(shown).to_have_count(1)
    expect(shown).to_contain_text("Not found, but shown: move ")
    expect(shown.get_by_role("link")).to_have_count(count)


def test_puzzle_is_solved_by_mouse_after_a_wrong_move_and_leads_to_another_one(
    page: Page, puzzles: tuple[Puzzle, ...]
) -> None:
    puzzle = next(puzzle for puzzle in puzzles if not puzzle.later and describe_hint(puzzle, puzzle.first))
    page.goto(f"/puzzles/{puzzle.name}")
    wait_for_state(page, "open")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_be_visible()
    # Screen readers speak only what appears in a region that is there already.
    page.locator("#feedback").evaluate("region => { region.dataset.region = ''; }")
    type_move(page, find_wrong_move(puzzle))
    wait_for_state(page, "wrong")
    expect(page.locator("#feedback")).to_contain_text("by proof")
    expect(page.locator("#feedback[data-region]")).to_contain_text("Your puzzle rating:")
    page.get_by_role("button", name="Try again").click()
    wait_for_state(page, "open")
    for token in puzzle.best[0].split(" "):
        click_tokens(page, token)
    wait_for_state(page, "done")
    before = page.url
    page.get_by_role("button", name="Next puzzle").click()
    wait_for_another_page(page, before)
    wait_for_state(page, "open")
    assert read_puzzle(page) != puzzle


def test_long_feedback_covers_no_button_on_a_low_screen(page: Page, puzzles: tuple[Puzzle, ...]) -> None:
    page.set_viewport_size({"width": 1280, "height": 420})
    page.goto(f"/puzzles/{GAME}/{max(puzzles, key=lambda puzzle: len(puzzle.line)).id}")
    wait_for_state(page, "open")
    page.get_by_role("button", name="Show me").click()
    wait_for_state(page, "done")
    feedback, controls = page.locator("#feedback p").last.bounding_box(), page.locator("#controls").bounding_box()
    assert feedback is not None and controls is not None
    assert feedback["y"] + feedback["height"] <= controls["y"]


def test_puzzles_are_solved_by_keyboard_alone(page: Page) -> None:
    page.goto(f"/puzzles/{GAME}/daily")
    for _ in range(2):
        wait_for_state(page, "open")
        for number, decision in enumerate(read_puzzle(page).list_main_decisions()):
            if number:
                expect(page.locator("#feedback")).to_contain_text(f"{number} of ")
                wait_for_state(page, "open")
            element = page.query_selector(f'#board [data-token="{decision.best[0]}"]')
            assert element is not None
            press_by_keyboard(page, element)
        wait_for_state(page, "done")
        expect(page.locator("#outcome")).to_have_text("You found it at once.")
        expect(page.get_by_role("button", name="Next puzzle")).to_be_focused()
        before = page.url
        page.keyboard.press("Enter")
        wait_for_another_page(page, before)
    page.goto("/puzzles")
    expect(page.locator(f"#{GAME}")).to_contain_text("2 tried, 2 solved at once")


def test_single_keys_go_to_the_field_and_the_list_of_keys_and_ask_for_a_hint_only_where_there_is_one(
    page: Page, puzzles: tuple[Puzzle, ...]
) -> None:
    puzzle = next(puzzle for puzzle in puzzles if not describe_hint(puzzle, puzzle.first) and not puzzle.later)
    page.goto(f"/puzzles/{puzzle.name}")
    wait_for_state(page, "open")
    for key in ("h", "?"):
        page.keyboard.press(key)
    expect(page.locator("#keys dl")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#keys dl")).to_be_hidden()
    page.keyboard.press("m")
    expect(page.get_by_label("Type a move")).to_be_focused()
    page.keyboard.type(puzzle.best[0])
    page.keyboard.press("Enter")
    wait_for_state(page, "done")
    # The key for a hint that does not exist is no help.
    expect(page.locator("#outcome")).to_have_text("You found it at once.")


def test_solution_is_told_at_once_and_what_others_answer_after_it_has_been_played(
    page: Page, puzzles: tuple[Puzzle, ...]
) -> None:
    puzzle = max(puzzles, key=lambda puzzle: len(puzzle.line))
    page.clock.install()
    page.goto(f"/puzzles/{puzzle.name}")
    wait_for_state(page, "open")
    # As long as no one lets time pass, only the first of the moves is played.
    page.emulate_media(reduced_motion="no-preference")
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    page.get_by_role("button", name="Show me").click()
    feedback = page.locator("#feedback")
    expect(feedback).to_contain_text(f"The best move is {puzzle.best[0]}.")
    expect(page.locator("#status")).to_be_empty()
    expect(page.locator("#board .can")).to_have_count(0)
    sentences = feedback.locator("p:not(#rating)")
    expect(sentences).to_have_count(1)
    page.clock.run_for(len(puzzle.line) * 1000)
    expect(sentences.nth(1)).to_be_visible()


def find_line_puzzle(name: str = "sqez") -> Puzzle:
    """Return a puzzle of a game with several moves to find, along whose line the opponent answers each."""
    return next(
        puzzle
        for puzzle in list_puzzles(name)
        if len(decisions := puzzle.list_main_decisions()) > 1 and len(decisions[1].after) > 1
    )


def test_defence_is_played_after_a_right_move_and_each_step_has_a_retry_and_a_solution(page: Page) -> None:
    puzzle = find_line_puzzle()
    decisions = puzzle.list_main_decisions()
    page.goto(f"/puzzles/{puzzle.name}")
    wait_for_state(page, "open")
    feedback = page.locator("#feedback")
    expect(page.locator(".step-text")).to_contain_text("moves to find in a row, against the best defence.")
    expect(page.get_by_role("link", name="Analyse this position")).to_be_hidden()
    type_move(page, puzzle.best[0])
    expect(feedback).to_contain_text(f"1 of {len(decisions)} moves found")
    expect(feedback.locator("p").last).to_contain_text("drew the rectangle")
    wait_for_state(page, "open")
    after = puzzle.position.play_line(decisions[1].after)
    wrong = next(move for move in after.moves() if move not in decisions[1].best)
    type_move(page, wrong)
    wait_for_state(page, "wrong")
    expect(page.locator("#rating")).to_contain_text("(−")
    page.get_by_role("button", name="Try again").click()
    wait_for_state(page, "open")
    page.get_by_role("button", name="Show me").click()
    wait_for_state(page, "done")
    expect(feedback).to_contain_text("The best move is ")
    expect(page.locator("#best-play button")).to_have_count(len(puzzle.line))


def test_each_move_of_best_play_shows_its_position_and_the_analysis_board_opens_at_the_puzzle(page: Page) -> None:
    puzzle = find_line_puzzle()
    page.goto(f"/puzzles/{puzzle.name}")
    wait_for_state(page, "open")
    for count, decision in enumerate(puzzle.list_main_decisions(), 1):
        type_move(page, decision.best[0])
        expect(page.locator("#feedback")).to_contain_text(re.compile(rf"\b{count}\b( of|) .*moves found"))
        page.locator('#scene:not([aria-busy="true"])').wait_for()
    wait_for_state(page, "done")
    moves = page.locator("#best-play button")
    moves.first.click()
    expect(moves.first).to_have_attribute("aria-current", "true")
    first = page.locator("#board svg").inner_html()
    moves.nth(1).click()
    expect(moves.nth(1)).to_have_attribute("aria-current", "true")
    second = page.locator("#board svg").inner_html()
    assert first != second
    moves.first.click()
    expect(moves.first).to_have_attribute("aria-current", "true")
    assert page.locator("#board svg").inner_html() == first
    # The facts are those of the shown position.
    expect(page.locator(".step .facts")).to_have_text(
        describe_facts(puzzle.position.play(puzzle.line[0]), puzzle.position.seat)
    )
    page.get_by_role("link", name="Analyse this position").click()
    page.wait_for_url("**/analysis/**")
    expect(page.locator("#analysis")).to_have_attribute("data-ply", "0")
    expect(page.locator("#board .can").first).to_be_attached()


def solve_in_run(page: Page, puzzle: Puzzle) -> None:
    """Type all moves of a puzzle of a run, which goes on by itself after the last one."""
    for count, decision in enumerate(puzzle.list_main_decisions()):
        if count:
            expect(page.locator("#feedback")).to_contain_text(f"{count} of ")
            wait_for_state(page, "open")
        type_move(page, decision.best[0])


def test_run_ends_with_the_third_miss_and_the_best_is_remembered(page: Page) -> None:
    page.clock.install()
    page.goto(f"/puzzles/{GAME}/run")
    page.get_by_role("button", name="Start").click()
    for number in range(4):
        page.clock.run_for(2000)
        page.wait_for_selector(f'#exercise[data-step="{number}"][data-state="open"]')
        step = page.locator(".step[data-task]").nth(number)
        puzzle = find_puzzle(GAME, str(step.evaluate("step => JSON.parse(step.dataset.question).puzzle")))
        if number:
            type_move(page, find_wrong_move(puzzle))
        else:
            solve_in_run(page, puzzle)
        # The page goes on by itself, on a busy machine perhaps before this is seen.
        judged = f'#exercise[data-step="{number}"][data-state="{"wrong" if number else "done"}"]'
        page.wait_for_selector(f'{judged}, #exercise[data-step="{number + 1}"], #finish li', state="attached")
    page.clock.run_for(2000)
    expect(page.locator("#result")).to_contain_text("Three misses. You solved 1 puzzle. That is your best run.")
    expect(page.locator("#finish li")).to_have_text(
        ["✓ Found at once: puzzle 1", "✗ Not found: puzzle 2, puzzle 3, puzzle 4"]
    )
    page.goto("/puzzles")
    expect(page.locator(f'[data-best-run="{GAME}"]')).to_have_text("Your best run: 1")


def test_run_ends_when_the_time_is_up(page: Page) -> None:
    page.clock.install()
    page.goto(f"/puzzles/{GAME}/run")
    page.get_by_role("button", name="Start").click()
    wait_for_state(page, "open")
    page.clock.run_for(181_000)
    expect(page.locator("#result")).to_contain_text("Time is up. You solved 0 puzzles.")
    expect(page.locator("#finish li")).to_have_text("✗ Not found: puzzle 1")


def test_pupils_solve_a_set_and_the_teacher_sees_it(
    page: Page, new_guest: NewGuest, puzzles: tuple[Puzzle, ...]
) -> None:
    page.goto("/sets")
    page.get_by_label("Title").fill("Homework")
    page.get_by_label("Puzzles and positions").fill("\n".join(f"{GAME}/{puzzle.id}" for puzzle in puzzles[:2]))
    page.get_by_role("button", name="Create set").click()
    link = page.get_by_label("For your pupils").input_value()
    pupil = new_guest()
    pupil.goto(link)
    pupil.get_by_label("Your name").fill("Cleo")
    pupil.get_by_role("button", name="Begin").click()
    for number, puzzle in enumerate(puzzles[:2]):
        pupil.wait_for_selector(f'#exercise[data-step="{number}"][data-state="open"]')
        solve(pupil, puzzle)
        pupil.get_by_role("button", name="Next", exact=True).click()
    expect(pupil.locator("#finish li")).to_have_text("✓ Found at once: puzzle 1, puzzle 2")
    page.reload()
    expect(page.get_by_role("row", name="Cleo")).to_contain_text("2 of 2")
    page.get_by_role("button", name="Delete the set").click()
    page.wait_for_url("**/sets")
    pupil.reload()
    expect(pupil.locator("body")).to_contain_text("There is no set of puzzles at this address.")


@pytest.mark.ci
def test_pages_of_puzzles_are_accessible_and_not_wider_than_the_window(
    page: Page, puzzles: tuple[Puzzle, ...], tmp_path: Path
) -> None:
    puzzle = next(puzzle for puzzle in puzzles if describe_hint(puzzle, puzzle.first))
    for path in ("/puzzles", "/sets", f"/puzzles/{GAME}/run"):
        page.goto(path)
        assert_good_looks(page)
    page.goto(f"/puzzles/{GAME}/{puzzle.id}")
    wait_for_state(page, "open")
    page.get_by_role("button", name="Hint").click()
    assert_good_looks(page)
    type_move(page, find_wrong_move(puzzle))
    wait_for_state(page, "wrong")
    assert_good_looks(page)
    page.get_by_role("button", name="Show me").click()
    wait_for_state(page, "done")
    assert_good_looks(page)
    page.goto("/sets")
    page.get_by_label("Title").fill("Homework")
    page.get_by_label("Puzzles and positions").fill(f"{GAME}/{puzzle.id}")
    page.get_by_role("button", name="Create set").click()
    link = page.get_by_label("For your pupils").input_value()
    assert_good_looks(page)
    page.goto(link)
    assert_good_looks(page)
    page.get_by_label("Your name").fill("Cleo")
    page.get_by_role("button", name="Begin").click()
    wait_for_state(page, "open")
    assert_good_looks(page)
    open_review(page, tmp_path)
    page.get_by_role("link", name="Learn from Bo’s mistakes").click()
    wait_for_state(page, "open")
    assert_good_looks(page)


def test_what_shows_the_symmetry_has_a_name_as_long_as_it_is_a_picture(page: Page) -> None:
    puzzle = next(
        puzzle for puzzle in list_puzzles("square-off") if "symmetry-right" in puzzle.themes and not puzzle.later
    )
    page.goto(f"/puzzles/{puzzle.name}")
    wait_for_state(page, "open")
    mirror = page.locator('[id="so-mirror"]')
    expect(mirror).to_have_attribute("role", "img")
    type_move(page, puzzle.best[0])
    wait_for_state(page, "done")
    expect(mirror).not_to_have_attribute("role", "img")
    expect(mirror).not_to_have_attribute("aria-label", "")


@pytest.mark.ci
@pytest.mark.parametrize("name", [name for name in fc.games() if list_puzzles(name)])
def test_twenty_puzzles_of_each_game_are_solved_by_typing(page: Page, name: str) -> None:
    for puzzle in list_puzzles(name)[:20]:
        page.goto(f"/puzzles/{puzzle.name}")
        wait_for_state(page, "open")
        decision: Decision | None = puzzle.first
        while decision is not None:
            wait_for_state(page, "open")
            before = page.locator("#feedback").inner_text()
            type_move(page, decision.best[-1])
            expect(page.locator("#feedback")).not_to_have_text(before)
            decision = puzzle.find_next(decision, decision.best[-1])
        wait_for_state(page, "done")
    page.goto("/puzzles")
    expect(page.locator(f"#{name}")).to_contain_text("20 tried, 20 solved at once")
