"""The themes of puzzles in Sqez, detected by playing on."""

from collections.abc import Mapping

from fourcorners.core.position import Position
from fourcorners.core.puzzle_themes import MIXED, Task, name_true
from fourcorners.games.sqez.facts import count_moves_left, count_regions

THEMES: Mapping[str, str] = {
    "last-rectangle": "After every best move, whatever the opponent draws, you can draw the last rectangle.",
    "parity": "After every best move no rectangle gets in the way of another, and an even number is left.",
    "independent-regions": "Every best move leaves two independent regions or more, in which rectangles still compete.",
    "one-region": "Every best move leaves a single region, in which all that remains is connected.",
    MIXED: "The best moves have no other theme in common.",
}
_MOST_ANSWERS = 40
_TWO = 2


def find_themes(task: Task) -> list[str]:
    """Return the themes of a puzzle."""
    results = [after for after in task.list_results() if after.seat is not None]
    records = [after.record for after in results]
    is_settled = [count_moves_left(s) > 0 for s in records]
    return name_true(
        {
            "last-rectangle": lambda: bool(results) and all(map(_can_end_after_any_answer, results)),
            "parity": lambda: bool(results) and all(is_settled),
            "independent-regions": lambda: not any(is_settled) and all(count_regions(s) >= _TWO for s in records),
            "one-region": lambda: bool(results) and not any(is_settled) and all(count_regions(s) == 1 for s in records),
        }
    )


def _can_end_after_any_answer(after: Position) -> bool:
    """Return whether, after any answer, some move ends the game; False if there are too many answers to try."""
    answers = after.moves()
    return len(answers) <= _MOST_ANSWERS and all(_can_end(after.play(answer)) for answer in answers)


def _can_end(position: Position) -> bool:
    return position.seat is not None and any(position.play(move).seat is None for move in position.moves())
