"""The themes of puzzles in Sqez, detected by playing on."""

from collections.abc import Mapping

from fourcorners.builtin.sqez.facts import count_moves_left, count_regions
from fourcorners.core.game import Position
from fourcorners.study.puzzle_themes import MIXED, Task, name_true

THEMES: Mapping[str, str] = {
    "last-rectangle": "After every best move, whatever the opponent draws, you can draw the last rectangle.",
    "parity": "After every best move an even number of rectangles will be drawn, whatever both players do.",
    "independent-regions": "Every best move leaves two independent regions or more, in which rectangles still compete.",
    "division": "All that remains is connected, and every best move divides it into independent regions.",
    "one-region": "Every best move leaves a single region, in which all that remains is connected.",
    MIXED: "The best moves have no other theme in common.",
}
_MOST_RECTANGLES = 600
_MOST_POSITIONS = 2_000
_TWO = 2


def find_themes(task: Task) -> list[str]:
    """Return the themes of a puzzle."""
    results = [after for after in task.list_results() if after.seat is not None]
    regions = [_count_competing_regions(after) for after in results]
    divides = bool(regions) and min(regions) >= _TWO
    return name_true(
        {
            "last-rectangle": lambda: bool(results) and all(map(_can_end_after_any_answer, results)),
            "parity": lambda: bool(results) and all(map(_is_even, results)),
            "independent-regions": lambda: divides,
            "division": lambda: divides and _count_competing_regions(task.position) == 1,
            "one-region": lambda: set(regions) == {1},
        }
    )


def _count_competing_regions(position: Position) -> int:
    """Count the independent regions; 0 if no rectangle affects another, or if there are too many to compare."""
    s = position.record
    return 0 if count_moves_left(s, _MOST_RECTANGLES) else count_regions(s, _MOST_RECTANGLES)


def _is_even(after: Position) -> bool:
    """Return whether every game from here on has an even number of moves; False if there are too many to try."""
    budget = [_MOST_POSITIONS]
    return _find_parities(after, {}, budget) == {0} and budget[0] > 0


def _find_parities(position: Position, known: dict[bytes, frozenset[int]], budget: list[int]) -> frozenset[int]:
    """Return the possible parities of the number of moves to the end; both once the `budget` of positions is spent."""
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
    """Return whether, after any answer, some move ends the game."""
    return all(_can_end(after.play(answer)) for answer in after.moves())


def _can_end(position: Position) -> bool:
    return position.seat is not None and any(position.play(move).seat is None for move in position.moves())
