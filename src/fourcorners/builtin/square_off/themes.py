"""The themes of puzzles in Square Off, detected by playing on."""

from collections.abc import Mapping

from fourcorners.builtin.square_off.board import has_cell
from fourcorners.builtin.square_off.facts import count_symmetry_rights, list_threats
from fourcorners.builtin.square_off.notation import parse
from fourcorners.builtin.square_off.options import BLACK, WHITE, list_squares
from fourcorners.builtin.square_off.rules import RIGHT
from fourcorners.core.game import Position
from fourcorners.study.puzzle_themes import MIXED, Task, name_true

THEMES: Mapping[str, str] = {
    "squares": "Every best move completes a square, but not every square is the best one.",
    "double-squares": "In best play the mover completes two squares or more with one man.",
    "forks": "After every best move the mover can complete a square next, whatever the opponent answers.",
    "blocks": "Every best move takes a cell where the opponent would complete a square.",
    "restraint": "A square can be completed, but no best move does so.",
    "symmetry-right": "Every best move uses the symmetry right.",
    "right-declined": "White may use the symmetry right, but no best move does.",
    "symmetry-broken": "The best of the other moves would let White use the symmetry right, and no best move does.",
    "threats": "Every best move threatens a square on a cell where there was no such threat, and is not a fork.",
    "quiet-moves": "No best move completes, prevents or threatens a square.",
    MIXED: "The best moves have no other theme in common.",
}
_TWO = 2


def find_themes(task: Task) -> list[str]:
    """Return the themes of a puzzle."""
    position = task.position
    s, colour = position.record, int(position.record.placed) & 1
    actions = [int(parse(s, move)) for move in task.best]
    gains = task.count_gains(position.seat or 0, task.best)
    own, theirs = list_threats(s, colour), list_threats(s, 1 - colour)
    uses_right = all(action >= RIGHT for action in actions)
    blocks = all(action in theirs for action in actions)
    results = task.list_results()
    is_fork = [_is_fork(after, colour) for after in results]
    makes_threat = [bool(list_threats(after.record, colour).keys() - own.keys()) for after in results]
    return name_true(
        {
            "squares": lambda: all(gain > 0 for gain in gains) and not uses_right,
            "double-squares": lambda: _completes_two(task),
            "forks": lambda: all(is_fork),
            "blocks": lambda: blocks,
            "restraint": lambda: bool(own) and not any(gains),
            "symmetry-right": lambda: uses_right,
            "right-declined": lambda: count_symmetry_rights(s) > 0 and not any(action >= RIGHT for action in actions),
            "symmetry-broken": lambda: _prevents_right(task, results),
            "threats": lambda: all(makes_threat) and not any(is_fork),
            "quiet-moves": lambda: not (any(gains) or uses_right or blocks or own or any(makes_threat)),
        }
    )


def _completes_two(task: Task) -> bool:
    """Return whether a move of the seat to move, in the line, completes two squares and marks men."""
    position, seat = task.position, task.position.seat or 0
    for move in task.line:
        after = position.play(move)
        is_gain = position.seat == seat and after.scores[seat] > position.scores[seat]
        if is_gain and _count_completed(after) >= _TWO:
            return True
        position = after
    return False


def _count_completed(after: Position) -> int:
    """Return the number of squares that the last move completed."""
    s = after.record
    cell = int(parse(s, after.history[-1].split(" ")[-1])) if after.history[-1] != "swap" else -1
    colour = WHITE if has_cell(s.men[WHITE], cell) else BLACK
    squares = (corners for corners in list_squares(int(s.side)) if cell in corners)
    return sum(all(has_cell(s.men[colour], corner) for corner in corners) for corners in squares)


def _is_fork(after: Position, colour: int) -> bool:
    """Return whether a colour threatens on two cells or more, and on one or more after any answer."""
    if after.seat is None or len(list_threats(after.record, colour)) < _TWO:
        return False
    return all(list_threats(after.play(answer).record, colour) for answer in after.moves())


def _prevents_right(task: Task, results: list[Position]) -> bool:
    """Return whether the move that the refutation begins with allows the right, and no best move does."""
    refuted = task.position.play(task.refutation[0])
    return _allows_right(refuted) and not any(map(_allows_right, results))


def _allows_right(after: Position) -> bool:
    return after.seat is not None and count_symmetry_rights(after.record) > 0
