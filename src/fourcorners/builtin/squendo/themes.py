"""The themes of puzzles in Squendo, detected by playing on."""

from collections.abc import Mapping

from fourcorners.builtin.squendo.position_setup import list_stacks
from fourcorners.builtin.squendo.scoring import count_rectangles
from fourcorners.core.game import Position
from fourcorners.study.puzzle_themes import MIXED, Task, name_true

THEMES: Mapping[str, str] = {
    "preparation": "No best move completes a rectangle, but a later move of the same player in the line does.",
    "spoiling": "Every best move takes points from the opponent.",
    "stacks": "Every best move lays a tile on another and leaves a double stack.",
    "triples": "Every best move makes a stack of three, of which one tile stays.",
    "taking-back": "Every best move takes a tile back to the hand.",
    "inferred-hands": "The move that gains most at once is not best: the tiles that the opponent must hold refute it.",
    MIXED: "The best moves have no other theme in common.",
}


def find_themes(task: Task) -> list[str]:
    """Return the themes of a puzzle."""
    position = task.position
    seat = position.seat or 0
    theirs = task.count_gains(1 - seat, task.best)
    has_three = ["leave:" in move for move in task.best]
    return name_true(
        {
            "preparation": lambda: _prepares_rectangle(task),
            "spoiling": lambda: all(gain < 0 for gain in theirs),
            "stacks": lambda: not any(has_three) and all(_is_on_tile(position, move) for move in task.best),
            "triples": lambda: all(has_three),
            "taking-back": lambda: all(" take:" in move for move in task.best),
            "inferred-hands": lambda: _is_greed_refuted(task),
        }
    )


def _completes_rectangle(position: Position, move: str) -> bool:
    """Return whether a move leaves its player more rectangles.

    Points do not tell: four single tiles that make a rectangle gain seven, because three counted one each before.
    """
    seat = position.seat or 0
    return bool(count_rectangles(position.play(move).record, seat) > count_rectangles(position.record, seat))


def _prepares_rectangle(task: Task) -> bool:
    """Return whether no best move completes a rectangle, but a later move of the same seat in the line does.

    There is no theme for best moves that all complete one: level 2 finds those, so they are not puzzles.
    """
    position, seat = task.position, task.position.seat
    if any(_completes_rectangle(position, move) for move in task.best):
        return False
    for number, move in enumerate(task.line):
        if number and position.seat == seat and _completes_rectangle(position, move):
            return True
        position = position.play(move)
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
