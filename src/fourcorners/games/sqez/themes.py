"""The themes of puzzles in Sqez, detected by playing on."""

from collections.abc import Mapping

from fourcorners.core.position import Position
from fourcorners.core.puzzle_themes import MIXED, Task, name_true
from fourcorners.games.sqez.facts import count_moves_left, count_regions

THEMES: Mapping[str, str] = {
    "last-rectangle": "After every best move, whatever the opponent draws, you can draw the last rectangle.",
    "parity": "After every best move an even number of rectangles will be drawn, whatever both players do.",
    "independent-regions": "Every best move leaves two independent regions or more, in which rectangles still compete.",
    "one-region": "Every best move leaves a single region, in which all that remains is connected.",
    MIXED: "The best moves have no other theme in common.",
}
_MOST_ANSWERS = 40
_MOST_POSITIONS = 300
_TWO = 2


def find_themes(task: Task) -> list[str]:
    """Return the themes of a puzzle."""
    results = [after for after in task.list_results() if after.seat is not None]
    records = [after.record for after in results]
    is_settled = [count_moves_left(s) > 0 for s in records]
    return name_true(
        {
            "last-rectangle": lambda: bool(results) and all(map(_can_end_after_any_answer, results)),
            "parity": lambda: bool(results) and all(map(_is_even, results)),
            "independent-regions": lambda: (
                bool(results) and not any(is_settled) and all(count_regions(s) >= _TWO for s in records)
            ),
            "one-region": lambda: bool(results) and not any(is_settled) and all(count_regions(s) == 1 for s in records),
        }
    )


def _is_even(after: Position) -> bool:
    """Return whether every game from here on has an even number of moves; False if there are too many to try."""
    budget = [_MOST_POSITIONS]
    return _find_parities(after, {}, budget) == {0} and budget[0] > 0


def _find_parities(position: Position, known: dict[bytes, frozenset[int]], budget: list[int]) -> frozenset[int]:
    """Return which parities the number of moves to the end may have; both once the `budget` of positions is spent."""
    if position.seat is None:
        return frozenset({0})
    key = position.states.tobytes()
    if key not in known:
        budget[0] -= 1
        found: frozenset[int] = frozenset()
        for move in position.moves() if budget[0] > 0 else ():
            found |= {1 - parity for parity in _find_parities(position.play(move), known, budget)}
            if len(found) == _TWO:
                break
        known[key] = found if budget[0] > 0 else frozenset({0, 1})
    return known[key]


def _can_end_after_any_answer(after: Position) -> bool:
    """Return whether, after any answer, some move ends the game; False if there are too many answers to try."""
    answers = after.moves()
    return len(answers) <= _MOST_ANSWERS and all(_can_end(after.play(answer)) for answer in answers)


def _can_end(position: Position) -> bool:
    return position.seat is not None and any(position.play(move).seat is None for move in position.moves())
