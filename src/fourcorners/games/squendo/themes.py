"""The themes of puzzles in Squendo, detected by playing on."""

from collections.abc import Mapping

from fourcorners.core.position import Position
from fourcorners.core.puzzle_themes import MIXED, Task, name_true
from fourcorners.games.squendo.position_setup import list_stacks

THEMES: Mapping[str, str] = {
    "rectangles": "Every best move completes a rectangle of the mover's colour.",
    "preparation": "No best move completes a rectangle, but a later move of the same player in the line does.",
    "spoiling": "Every best move takes points from the opponent.",
    "stacks": "Every best move lays a tile on another and leaves a double stack.",
    "triples": "Every best move makes a stack of three, of which one tile stays.",
    "taking-back": "Every best move takes a tile back to the hand.",
    "inferred-hands": "The move that gains most at once is not best: the tiles that the opponent must hold refute it.",
    MIXED: "The best moves have no other theme in common.",
}
_RECTANGLE = 10


def find_themes(task: Task) -> list[str]:
    """Return the themes of a puzzle."""
    position = task.position
    seat = position.seat or 0
    own, theirs = task.count_gains(seat, task.best), task.count_gains(1 - seat, task.best)
    has_three = ["leave:" in move for move in task.best]
    return name_true(
        {
            "rectangles": lambda: all(gain >= _RECTANGLE for gain in own),
            "preparation": lambda: not any(gain >= _RECTANGLE for gain in own) and _completes_later(task),
            "spoiling": lambda: all(gain < 0 for gain in theirs),
            "stacks": lambda: not any(has_three) and all(_is_on_tile(position, move) for move in task.best),
            "triples": lambda: all(has_three),
            "taking-back": lambda: all(" take:" in move for move in task.best),
            "inferred-hands": lambda: _is_greed_refuted(task),
        }
    )


def _completes_later(task: Task) -> bool:
    """Return whether a later move of the seat to move in the line gains as much as a rectangle."""
    position, seat = task.position, task.position.seat or 0
    for number, move in enumerate(task.line):
        after = position.play(move)
        if number and position.seat == seat and after.scores[seat] - position.scores[seat] >= _RECTANGLE:
            return True
        position = after
    return False


def _is_on_tile(position: Position, move: str) -> bool:
    """Return whether a move, which makes no stack of three, lays a tile on another."""
    if move == "pass":
        return False
    after = position.play(move)
    return len(list_stacks(after.record)) == len(list_stacks(position.record))


def _is_greed_refuted(task: Task) -> bool:
    """Return whether no move that gains most at once, against the opponent, is best, while the opponent holds tiles."""
    position, seat = task.position, task.position.seat or 0
    moves = position.moves()
    gains = [
        own - theirs
        for own, theirs in zip(task.count_gains(seat, moves), task.count_gains(1 - seat, moves), strict=True)
    ]
    greedy = {move for move, gain in zip(moves, gains, strict=True) if gain == max(gains)}
    return int(position.record.hand_size[1 - seat]) > 0 and not greedy & set(task.best)
