"""Files of puzzles: what they may contain, and what is said about a wrong one."""

import csv
import dataclasses
import io
from collections.abc import Iterator

import pytest

import fourcorners as fc
from fourcorners.study.puzzles.format import (
    COLUMNS,
    Decision,
    Puzzle,
    PuzzleError,
    find_puzzle,
    format_puzzles,
    list_puzzles,
    parse_puzzles,
)
from fourcorners.study.puzzles.identity import compute_id
from fourcorners.study.puzzles.judge import judge_moves
from fourcorners.study.puzzles.proof import check_puzzle, prove_puzzle
from tests.study.sample_puzzles import install_puzzles

GAME = fc.game("dots-and-boxes")
HEAD = ",".join(COLUMNS)
ROW = {
    "id": "abcdefgh",
    "options": '{"cols":2}',
    "position": "0 0,0",
    "best": "a1b1;a1a2",
    "value": "2",
    "next_value": "-2",
    "themes": "chains",
    "rating": "1200",
    "source": "a test",
    "line": "a1b1;b1c1",
    "later": '{"a1b1;b1c1":["b2c2",1,-1]}',
}


def write(**changes: str) -> str:
    """Return a file with one puzzle, ROW with changes."""
    cells = ['"' + cell.replace('"', '""') + '"' for cell in (ROW | changes).values()]
    return f"{HEAD}\n{','.join(cells)}\n"


def test_row_is_read_and_written_again() -> None:
    (puzzle,) = parse_puzzles(GAME, write())
    assert puzzle.game == fc.game("dots-and-boxes", cols=2) and puzzle.game.id == "dots-and-boxes"
    assert (puzzle.best, puzzle.value, puzzle.next_value) == (("a1b1", "a1a2"), 2, -2)
    assert (puzzle.themes, puzzle.rating, puzzle.line) == (("chains",), 1200, ("a1b1", "b1c1"))
    assert puzzle.later == (Decision(after=("a1b1", "b1c1"), best=("b2c2",), value=1, next_value=-1),)
    assert parse_puzzles(GAME, format_puzzles([puzzle])) == (puzzle,)


def test_file_without_later_decisions_is_read() -> None:
    rows = list(csv.reader(io.StringIO(write())))
    text = "\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row[:-1]) for row in rows)
    (puzzle,) = parse_puzzles(GAME, text)
    assert puzzle.later == () and puzzle.line == ("a1b1", "b1c1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 0: the first line must be id,options"),
        ("id,best\n", "line 1: the first line must be id,options"),
        (f"{HEAD}\nabc\n", "line 2: it has 1 columns, not 11"),
        (f'{HEAD}\n"abc', "line 2: unexpected end of data"),
        (write(id="ABC"), "line 2: the id 'ABC' must have 8"),
        (write() + write().splitlines()[1], "line 3: the id abcdefgh occurs twice"),
        (write(options="{"), "line 2: Expecting property name"),
        (write(options="[1]"), "must be a JSON object"),
        (write(options='{"cols":99}'), "cols: 99 is not allowed"),
        (write(best=""), "there must be a best move"),
        (write(best="a1b1;a1b1"), "a best move occurs twice"),
        (write(line="b1c1"), "the line must begin with 'a1b1'"),
        (write(value="two"), "the column value has 'two'; it must be a whole number"),
        (write(value="-2"), "the value -2 must be more than the next value -2"),
        (write(later="[]"), "later must be an object of at most 40 decisions"),
        (
            write(later='{"a1b1":["a1b1",1]}'),
            "the decision after 'a1b1' must have best moves, a value and a next value",
        ),
        (write(later='{"a1b1":["",1,0]}'), "the decision after 'a1b1' must have a best move"),
        (write(later='{"":["a1b1",1,0]}'), "the decision after '' must have moves before it"),
        (write(later='{"a1b1":["a1b1",0,0]}'), "has a value that is not more than the next value"),
        (write(themes="Chains!"), "the themes 'Chains!' must be lower-case words"),
    ],
)
def test_wrong_file_is_refused_with_line_and_reason(text: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        parse_puzzles(GAME, text)
    assert message in caught.value.message


def test_puzzle_is_found_by_its_id_and_unknown_ones_are_refused() -> None:
    puzzle = list_puzzles("sqez")[0]
    assert find_puzzle("sqez", puzzle.id) is puzzle
    with pytest.raises(PuzzleError, match="puzzle 'nothing': there is none with this id in sqez"):
        find_puzzle("sqez", "nothing")


def test_one_move_decides_in_a_puzzle_without_later_decisions_and_an_illegal_one_is_refused_with_the_reason() -> None:
    puzzle = next(puzzle for puzzle in list_puzzles("dots-and-boxes") if not puzzle.later)
    start = puzzle.position
    wrong = next(move for move in start.moves() if move not in puzzle.best)
    assert judge_moves(puzzle, ()).state == "open"
    for move in puzzle.best:
        assert judge_moves(puzzle, (move,)).state == "right"
    verdict = judge_moves(puzzle, (puzzle.line[0], "anything"))
    assert verdict.line == puzzle.line and verdict.positions == (start, start.play(puzzle.line[0]))
    assert judge_moves(puzzle, (wrong,)).state == "wrong"
    refused = judge_moves(puzzle, ("zz",))
    assert refused.state == "refused" and refused.feedback == getattr(start.why("zz"), "sentence", None)


@pytest.fixture
def line_puzzle() -> Iterator[Puzzle]:
    """A small puzzle with two moves to find, between which the opponent defends."""
    with install_puzzles() as puzzles:
        yield puzzles[11]


def test_defence_is_played_between_the_moves_to_find_and_each_is_judged(line_puzzle: Puzzle) -> None:
    assert line_puzzle.count_moves(line_puzzle.first) == (2, 2)
    after = [line_puzzle.position.play_line(line_puzzle.line[:count]) for count in range(4)]
    opened = judge_moves(line_puzzle, ("b1c1",))
    assert (opened.state, opened.found) == ("open", 1)
    assert opened.positions == tuple(after[:3]) and opened.decision == line_puzzle.later[0]
    assert opened.line == line_puzzle.line[2:]
    solved = judge_moves(line_puzzle, ("b1c1", "b1b2", "z9"))
    assert (solved.state, solved.found, solved.positions) == ("right", 2, tuple(after[2:]))
    wrong = next(move for move in after[2].moves() if move != "b1b2")
    for moves, found in ((("b1c1", wrong), 1), ((wrong, "b1b2"), 0)):
        verdict = judge_moves(line_puzzle, moves)
        assert (verdict.state, verdict.found) == ("wrong", found)
    refused = judge_moves(line_puzzle, ("b1c1", "a1b1"))
    assert refused.state == "refused" and refused.positions == (after[2],)


def test_every_decision_is_proven_and_so_is_the_defence(line_puzzle: Puzzle) -> None:
    (later,) = line_puzzle.later
    puzzle = dataclasses.replace(line_puzzle, id=compute_id(line_puzzle.position))
    check_puzzle(puzzle)
    prove_puzzle(puzzle)
    position = puzzle.position
    weak = next(move for move in position.play("b1c1").moves() if move not in {"a1b1", "b1b2", "a2b2", "a1a2"})
    own = next(move for move in position.moves() if move not in puzzle.best)
    wrong = {
        "after b1c1, a1b1: its best moves must be b1b2": {"best": ("b1b2", "c1c2")},
        "after b1c1, a1b1: its next value must be -3": {"next_value": -2},
        "the solver is not to move": {"after": ("b1c1",)},
        "it does not follow a best move": {"after": (own, "b1c1")},
        "a best move is illegal": {"best": ("b1b2", "b1c1")},
    }
    for message, change in wrong.items():
        false = dataclasses.replace(puzzle, later=(dataclasses.replace(later, **change),))  # type: ignore[arg-type]
        with pytest.raises(PuzzleError, match=message):
            check_and_prove(false)
    for message, other in {
        "its line must begin with b1c1, a1b1, b1b2": {"line": ("b1c1", weak)},
        "another one follows the same best move": {"later": (later, dataclasses.replace(later, after=("b1c1", weak)))},
    }.items():
        with pytest.raises(PuzzleError, match=message):
            check_and_prove(dataclasses.replace(puzzle, **other))  # type: ignore[arg-type]


def check_and_prove(puzzle: Puzzle) -> None:
    """Check a puzzle and prove it."""
    check_puzzle(puzzle)
    prove_puzzle(puzzle)


def test_claims_that_do_not_fit_the_position_are_found() -> None:
    puzzle = list_puzzles("dots-and-boxes")[0]
    illegal = "a1z9"
    wrong = {
        "its id must be": {"id": "aaaaaaaa"},
        "a best move is illegal": {"best": (*puzzle.best, illegal)},
        "z9 is not a dot": {"line": (illegal,)},
        "all moves are best": {"best": tuple(puzzle.position.moves())},
        "the game has no themes forks": {"themes": ("forks",)},
        "not a position": {"text": "nothing"},
    }
    check_puzzle(puzzle)
    for message, change in wrong.items():
        with pytest.raises(PuzzleError, match=message):
            check_puzzle(dataclasses.replace(puzzle, **change))  # type: ignore[arg-type]  # fields by name
