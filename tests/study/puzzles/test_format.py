"""Files of puzzles: what they may contain, and what is said about a wrong one."""

import dataclasses

import pytest

import fourcorners as fc
from fourcorners.study.puzzles.format import (
    COLUMNS,
    PuzzleError,
    find_puzzle,
    format_puzzles,
    list_puzzles,
    parse_puzzles,
)
from fourcorners.study.puzzles.judge import judge_move
from fourcorners.study.puzzles.proof import check_puzzle

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
    assert parse_puzzles(GAME, format_puzzles([puzzle])) == (puzzle,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 0: the first line must be id,options"),
        ("id,best\n", "line 1: the first line must be id,options"),
        (f"{HEAD}\nabc\n", "line 2: it has 1 columns, not 10"),
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


def test_first_move_decides_and_an_illegal_one_is_refused_with_the_reason() -> None:
    puzzle = list_puzzles("dots-and-boxes")[0]
    start = puzzle.position
    wrong = next(move for move in start.moves() if move not in puzzle.best)
    assert judge_move(puzzle, ()).state == "open"
    for move in puzzle.best:
        assert judge_move(puzzle, (move,)).state == "right"
    verdict = judge_move(puzzle, (puzzle.line[0], "anything"))
    assert verdict.line == puzzle.line[1:] and verdict.positions == (start, start.play(puzzle.line[0]))
    assert judge_move(puzzle, (wrong,)).state == "wrong"
    assert judge_move(puzzle, (wrong,)).least_loss == puzzle.value - puzzle.next_value > 0
    refused = judge_move(puzzle, ("zz",))
    assert refused.state == "refused" and refused.feedback == getattr(start.why("zz"), "sentence", None)


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
