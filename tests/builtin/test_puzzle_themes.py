"""The themes of puzzles on positions made by hand, with moves to which they apply and others to which they do not."""

import pytest

import fourcorners as fc
from fourcorners.study.puzzle_themes import MIXED, Task
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.teaching import Teaching
from tests.builtin.squarin_off.positions import set_up_board, set_up_chains

HANDOUT = "0 0,0 ------/._._._._._._./------/|0|0|0|0|_._./------"


def find_themes(
    position: fc.Position, best: str, line: tuple[str, ...] = (), refutation: tuple[str, ...] = ()
) -> set[str]:
    """Return the themes that a game finds for a best move, and assert that it explains all of them."""
    detector = position.game.spec.part(Teaching).puzzle_themes
    assert detector is not None
    found = detector.find_themes(Task(position, (best,), line or (best,), refutation))
    assert set(found) <= set(detector.THEMES)
    return set(found)


def test_leaving_two_boxes_is_double_dealing_and_taking_them_a_capture() -> None:
    position = fc.game("dots-and-boxes", cols=6, rows=2).position(HANDOUT)
    assert find_themes(position, "g1g2") == {"double-dealing"}
    assert find_themes(position, "f1f2") == {"captures"}


def test_opening_a_chain_without_a_safe_move_is_about_chains_and_with_a_loop_about_loops() -> None:
    assert find_themes(set_up_chains(5, 3), "a1a2") == {"chains"}
    loop = fc.game("dots-and-boxes", cols=2, rows=3).position("0 0,0 --/|_._|/../|_._|/--/._._./--")
    assert find_themes(loop, "a3b3") == {"chains", "loops"}


def test_giving_boxes_away_beside_a_safe_move_is_a_sacrifice() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).position("0 0,0 ---/|_._._|/...")
    assert find_themes(position, "a1b1") == {"sacrifice"}
    assert find_themes(position, "b1c1") == {"safe-moves"}


def test_parity_is_about_who_runs_out_of_safe_moves_first() -> None:
    puzzle = next(puzzle for puzzle in list_puzzles("dots-and-boxes") if "parity" in puzzle.themes)
    position, line = puzzle.position, puzzle.line
    other = next(move for move in position.moves() if move not in puzzle.best)
    assert "parity" not in find_themes(position, line[0], line, (other,))
    assert "parity" not in find_themes(position, line[0], line[:1], line)


def test_a_blocker_cuts_a_chain_of_three_and_is_no_cut_elsewhere() -> None:
    chain = set_up_board("--- ._._._. ---")
    assert find_themes(chain, "#b1 b1b2") == {"blocker-cut"}
    short = set_up_board("-- ._._. --")
    assert find_themes(short, "#a1 a1a2") == {"blocker"}


@pytest.mark.parametrize(
    ("moves", "best", "refutation", "themes"),
    [
        ("a1 d4 a2 d3 b1 c1", "b2", "", {"squares"}),
        ("a1 d4 a2 d3 b1 c1", "a4", "", {"restraint"}),
        ("a1 d4 a2 d3 b1", "b2", "", {"blocks"}),
        ("a1 d1", "d1 c4", "", {"symmetry-right"}),
        ("a1 d1", "b3", "", {"right-declined"}),
        ("a1", "b3", "d1", {"symmetry-broken"}),
    ],
)
def test_square_off_names_what_every_best_move_does(moves: str, best: str, refutation: str, themes: set[str]) -> None:
    position = fc.game("square-off", size=4, swap=False).replay(moves.split())
    assert find_themes(position, best, (), (refutation or best,)) >= themes


def test_sqez_counts_what_a_rectangle_leaves() -> None:
    row = fc.game("sqez", cols=9, rows=3).start()
    assert find_themes(row, "d1 f3") == {"last-rectangle", "parity"}
    assert "one-region" in find_themes(row, "a1 c3")
    wide = fc.game("sqez", cols=13, rows=3).start()
    assert {"independent-regions", "division"} <= find_themes(wide, "f1 h3")
    assert "division" not in find_themes(wide.play("f1 h3"), "a1 c3")
    assert find_themes(fc.game("sqez", cols=7, rows=3).start(), "c1 e3") == {MIXED}


def test_squendo_prepares_a_rectangle_that_a_later_move_of_the_line_completes() -> None:
    """Four single tiles gain seven points as a rectangle, since three of them counted before; nothing else gains more
    than two, so the points of the line tell as well which puzzles are about rectangles.
    """
    chosen = list_puzzles("squendo")[::20]
    prepared = [puzzle for puzzle in chosen if "preparation" in puzzle.themes]
    assert 1 < len(prepared) < len(chosen)
    for puzzle in chosen:
        position, seat = puzzle.position, puzzle.position.seat or 0
        task = Task(position, puzzle.best, puzzle.line, ())
        gains = []
        for move in puzzle.line:
            after = position.play(move)
            gains.append(after.scores[seat] - position.scores[seat] if position.seat == seat else 0)
            position = after
        is_prepared = max(task.count_gains(seat, puzzle.best)) < 7 <= max(gains)
        assert ("preparation" in puzzle.themes) == is_prepared, puzzle.name
