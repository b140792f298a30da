"""Solving positions of a finished record: values, ranking, chains; by mouse, touch and keyboard."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import fourcorners as fc
from tests.browser.conftest import open_page
from tests.browser.driver import (
    assert_good_looks,
    click_tokens,
    play_randomly,
    press_by_keyboard,
    press_by_mouse,
    press_by_touch,
    start_game,
    wait_for_moves,
    wait_for_value,
)

pytestmark = pytest.mark.browser

# Three boxes are left, two of them in a chain: Ada must open the chain or give the single box away.
CHAIN_MOVES = ["a1b1", "a2b2", "b2c2", "a3b3", "b3c3", "a1a2", "c1c2"]


def open_record(page: Page, folder: Path, match: fc.Match) -> None:
    """Open the record of a match through the upload form, as a file in `folder`; wait until its board is drawn."""
    path = folder / "game.record"
    path.write_text(str(fc.Record.of(match)), encoding="utf-8")
    page.goto("/")
    page.set_input_files("#record", str(path))
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("#board svg")


def play_match(game: str, moves: list[str], **options: object) -> fc.Match:
    """Return a match of Ada (seat 0) and Bo with these moves; raise OptionError, NotationError or IllegalMoveError."""
    match = fc.Match(fc.game(game, **options), ["Ada", "Bo"])
    for move in moves:
        match.play(move)
    return match


def solve_by_brute_force(position: fc.Position) -> dict[str, int]:
    """Return for each move by how many points the seat to move then wins the game of two, negative if it loses.

    The position must not be over, and needs to be small: every position is visited once.
    """
    seat = position.seat
    assert seat is not None
    known: dict[str, tuple[int, ...]] = {}

    def compute_final_scores(at: fc.Position) -> tuple[int, ...]:
        """Return the scores at the end by seat, if both play best."""
        if at.is_over:
            return at.scores
        mover = at.seat or 0
        if at.text not in known:
            known[at.text] = max(
                (compute_final_scores(at.play(move)) for move in at.moves()), key=lambda s: s[mover] - s[1 - mover]
            )
        return known[at.text]

    ends = {move: compute_final_scores(position.play(move)) for move in position.moves()}
    return {move: end[seat] - end[1 - seat] for move, end in ends.items()}


def read_badges(page: Page) -> dict[str, int]:
    """Return the value of every token that has a badge, from its accessible label: positive for a win."""
    labels = page.eval_on_selector_all(
        "#board [data-token]", "nodes => nodes.map(n => [n.dataset.token, n.getAttribute('aria-label').split('; ')[1]])"
    )
    return {token: parse_value(words) for token, words in labels if words}


def parse_value(words: str) -> int:
    """Return a label such as "wins by 2, the best" as a number, here 2: negative if it loses, 1 without an amount.

    Raise KeyError for a label that does not begin with wins, loses or draws.
    """
    verb, _, amount = words.removesuffix(", the best").partition(" by ")
    return {"draws": 0, "wins": 1, "loses": -1}[verb] * int(amount or 1)


def test_every_move_is_shown_with_its_value(page: Page, tmp_path: Path) -> None:
    """On the board and in the list, best first, with the result; choosing a move plays nothing, and Solve ends it."""
    match = play_match("dots-and-boxes", CHAIN_MOVES, cols=2, rows=2)
    open_record(page, tmp_path, match)
    expect(page.locator(".worths")).to_have_count(0)
    page.get_by_role("button", name="Solve").click()
    expect(page.locator("#ranking-panel")).to_be_visible()
    expected = solve_by_brute_force(match.position)
    best = max(expected.values())
    winner = ["Ada", "Bo"][match.position.seat or 0] if best > 0 else ["Bo", "Ada"][match.position.seat or 0]
    sentence = f"Solved: {winner} wins by {abs(best)}." if best else "Solved: a draw."
    expect(page.locator("#verdict-sentence")).to_have_text(sentence)
    # Otherwise the order of the list would show nothing.
    assert len(set(expected.values())) > 1
    wait_for_value(lambda: read_badges(page), expected)
    expect(page.locator("#board .worths .worth")).to_have_count(len(expected))
    expect(page.locator("#board .worths .best")).to_have_count(list(expected.values()).count(best))
    listed = page.locator("#ranking [data-move]").all_inner_texts()
    assert sorted(listed) == sorted(expected)
    assert [expected[move] for move in listed] == sorted(expected.values(), reverse=True)
    # Hovering over a move in the list highlights it on the board and plays nothing.
    worst = listed[-1]
    page.locator(f'#ranking [data-move="{worst}"]').hover()
    expect(page.locator(f'#board .shown[data-token="{worst}"]')).to_have_count(1)
    page.locator("#ranking h3").first.hover()
    expect(page.locator("#board .shown")).to_have_count(0)
    page.locator(f'#ranking [data-move="{worst}"]').hover()
    page.mouse.move(5, 5)
    expect(page.locator("#board .shown")).to_have_count(0)
    click_tokens(page, worst)
    expect(page.locator("#status")).to_contain_text(worst)
    wait_for_moves(page, len(CHAIN_MOVES))
    page.get_by_role("button", name="Solve").click()
    expect(page.locator(".worths, .can")).to_have_count(0)
    expect(page.locator("#ranking-panel")).to_be_hidden()
    expect(page.locator(f'#board [data-token="{worst}"]')).not_to_have_attribute("aria-label", re.compile("; "))


@pytest.mark.ci
def test_stepping_solves_the_shown_position(page: Page, tmp_path: Path) -> None:
    match = play_match("dots-and-boxes", CHAIN_MOVES, cols=2, rows=2)
    open_record(page, tmp_path, match)
    page.get_by_role("button", name="Solve").click()
    for ply in (6, 5, 6, 7):
        page.locator(f"#moves [data-ply='{ply}']").click()
        # 2 x 2 boxes have 12 edges, each of which is a move.
        expect(page.locator("#ranking [data-move]")).to_have_count(12 - ply)
        expect(page.locator("#verdict-sentence")).to_contain_text("Solved")
        wait_for_value(lambda: read_badges(page), solve_by_brute_force(match.positions[ply]))


@pytest.mark.ci
def test_the_corners_of_rectangles_show_values(page: Page, tmp_path: Path) -> None:
    """A corner has the best value of its rectangles; once one is chosen, the others have those of both together."""
    match = play_match("sqez", ["a1 c3"], cols=5, rows=5)
    open_record(page, tmp_path, match)
    page.get_by_role("button", name="Solve").click()
    expect(page.locator("#ranking-panel")).to_be_visible()
    expected = {move: 1 if value > 0 else -1 for move, value in solve_by_brute_force(match.position).items()}
    corners: dict[str, int] = {}
    for move, worth in expected.items():
        a, m, _, b, n = list(move)
        for corner in (a + m, b + n, a + n, b + m):
            corners[corner] = max(worth, corners.get(corner, -1))
    wait_for_value(lambda: read_badges(page), corners)
    expect(page.locator("#verdict-sentence")).to_contain_text("nimber")
    move = next(iter(expected))
    first, last = move.split(" ")
    click_tokens(page, last)
    wait_for_value(lambda: read_badges(page).get(first), expected[move])
    click_tokens(page, first)
    expect(page.locator("#status")).to_contain_text(f"{move} {'wins' if expected[move] > 0 else 'loses'}")
    page.keyboard.press("Escape")
    wait_for_value(lambda: read_badges(page), corners)
    wait_for_moves(page, 1)


def test_solving_works_by_keyboard_on_the_board_and_in_the_list(page: Page, tmp_path: Path) -> None:
    open_record(page, tmp_path, play_match("dots-and-boxes", CHAIN_MOVES, cols=2, rows=2))
    page.get_by_role("button", name="Chains").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#ranking-panel")).to_be_visible()
    target = page.query_selector("#board .can")
    assert target is not None
    press_by_keyboard(page, target)
    expect(page.locator("#status")).to_contain_text(target.get_attribute("data-token") or "")
    page.locator("#ranking [data-move]").first.focus()
    page.keyboard.press("End")
    last = page.locator("#ranking [data-move]").last
    expect(last).to_be_focused()
    expect(page.locator("#board .shown")).to_have_attribute("data-token", last.inner_text())
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text(last.inner_text())


@pytest.mark.ci
def test_solving_with_a_blocker_works_by_touch_on_a_phone_without_scrolling_sideways(
    phone: Page, tmp_path: Path
) -> None:
    match = play_match("squarin-off", ["a1b1", "#c1 c1d1"], cols=3, rows=1, blockers=1)
    open_record(phone, tmp_path, match)
    phone.get_by_role("button", name="Solve").tap()
    expect(phone.locator("#ranking-panel")).to_be_visible()
    edge = phone.query_selector("#board .can")
    assert edge is not None
    press_by_touch(phone, edge)
    expect(phone.locator("#status")).to_contain_text(edge.get_attribute("data-token") or "")
    # Edges have values until a blocker is picked up; then the boxes have.
    expected = solve_by_brute_force(match.position)
    wait_for_value(lambda: read_badges(phone), {move: worth for move, worth in expected.items() if " " not in move})
    hand = phone.query_selector('#tray [data-gesture="carry"]')
    assert hand is not None
    press_by_touch(phone, hand)
    boxes: dict[str, int] = {}
    for move, worth in expected.items():
        if " " in move:
            # A box has the best value of the moves with the blocker there; -99 is below all values.
            boxes[move.split(" ")[0]] = max(worth, boxes.get(move.split(" ")[0], -99))
    wait_for_value(lambda: read_badges(phone), boxes)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360


def test_chains_are_outlined_on_request_and_the_choice_is_remembered(
    page: Page, context: BrowserContext, tmp_path: Path
) -> None:
    match = play_match("dots-and-boxes", CHAIN_MOVES, cols=2, rows=2)
    open_record(page, tmp_path, match)
    chain = page.locator("#board .overlay").first
    expect(chain).to_be_hidden()
    page.get_by_role("button", name="Chains").click()
    expect(chain).to_be_visible()
    page.get_by_label("Previous move").click()
    expect(page.locator("#board .overlay").first).to_be_visible()
    again = open_page(context)
    again.goto(page.url)
    expect(again.locator("#board .overlay").first).to_be_visible()
    expect(again.get_by_role("button", name="Chains")).to_have_attribute("aria-pressed", "true")
    again.get_by_role("button", name="Chains").click()
    expect(again.locator("#board .overlay").first).to_be_hidden()


@pytest.mark.ci
def test_solving_is_accessible_and_not_wider_than_the_window(page: Page, tmp_path: Path) -> None:
    for match in (
        play_match("dots-and-boxes", CHAIN_MOVES, cols=2, rows=2),
        play_match("sqez", ["a1 c3"], cols=5, rows=5),
    ):
        open_record(page, tmp_path, match)
        if page.get_by_role("button", name="Chains").is_visible():
            page.get_by_role("button", name="Chains").click()
        page.get_by_role("button", name="Solve").click()
        expect(page.locator("#ranking-panel")).to_be_visible()
        assert_good_looks(page)
        press_by_mouse(page, page.query_selector("#board .can") or pytest.fail("there is no move to try"))
        assert_good_looks(page)


def test_only_a_finished_game_can_be_solved_before_its_last_move(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pc", cols=2, rows=2)
    expect(page.locator("#solve")).to_be_hidden()
    expect(page.locator("#overlay")).to_be_hidden()
    expect(page.locator("#board .overlay")).to_have_count(0)
    play_randomly(page, 3)
    # At the end there is nothing to solve.
    page.get_by_role("button", name="Solve").click()
    expect(page.locator("#verdict-sentence")).to_contain_text("step back")
    page.get_by_label("Previous move").click()
    expect(page.locator("#verdict-sentence")).to_contain_text("Solved")
    expect(page.locator("#ranking [data-move]")).to_have_count(1)
    # Undo resumes the game and removes the values.
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#solve")).to_be_hidden()
    expect(page.locator("#ranking-panel")).to_be_hidden()
    expect(page.locator(".worths")).to_have_count(0)
