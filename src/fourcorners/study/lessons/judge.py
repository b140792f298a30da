"""The judgement of the learner's moves in a lesson: accepted, wrong, refused, or not enough yet."""

import functools
from typing import Literal, NamedTuple

from fourcorners.core.errors import GameError
from fourcorners.core.game import Position
from fourcorners.study.lessons.format import Condition, Lesson, LessonError, Step

State = Literal["open", "done", "wrong", "refused"]


class Verdict(NamedTuple):
    """The outcome of the learner's moves.

    In the state "open", the task goes on or there is none; "done" means that it is solved. After a "wrong" move, the
    positions show why. A "refused" move is illegal, and `feedback` gives the reason as a clause. `positions` are to be
    shown one after the other: the first is the one before the last move, and the last one stays. `next_move` is a move
    that helps to solve the task from there; empty if there is none.
    """

    state: State
    feedback: str
    positions: tuple[Position, ...]
    next_move: str = ""


@functools.lru_cache(maxsize=256)
def _list_positions(lesson: Lesson) -> tuple[Position, ...]:
    """Return the initial positions of a lesson's steps; raise LessonError."""
    positions: list[Position] = []
    for number in range(len(lesson.steps)):
        try:
            positions.append(_set_up(lesson, number, positions))
        except GameError as error:
            raise LessonError(lesson.name, f"step {number + 1}: {error.message}") from None
    return tuple(positions)


def _set_up(lesson: Lesson, number: int, earlier: list[Position]) -> Position:
    """Set up the initial position of a step, given those of the `earlier` steps; raise GameError."""
    step, game = lesson.steps[number], lesson.games[number]
    if step.goes_on and number:
        position = earlier[-1]
        for move in (*lesson.steps[number - 1].shown_moves, *lesson.steps[number - 1].reply):
            position = position.play(move)
        return position
    position = game.start(0, step.deck) if step.position is None else game.position(step.position)
    for move in step.moves or ():
        position = position.play(move)
    return position


def get_position(lesson: Lesson, number: int) -> Position:
    """Return the initial position of a step, counted from 0; raise LessonError if it cannot be set up."""
    return _list_positions(lesson)[number]


def judge_moves(lesson: Lesson, number: int, moves: tuple[str, ...]) -> Verdict:
    """Judge the learner's moves in a step, counted from 0; moves after the end of the task are ignored.

    Raise LessonError if the lesson itself is invalid.
    """
    step, start = lesson.steps[number], get_position(lesson, number)
    position, solution = start, step.shown_moves
    verdict = Verdict("open", "", (position,), solution[0] if solution else "")
    for count, move in enumerate(moves if step.has_task else (), 1):
        reason = position.why(move)
        if reason is not None:
            return Verdict("refused", reason.sentence, (position,))
        after = position.play(move)
        state = _judge_move(step, start, position, after)
        if state == "done":
            return Verdict("done", step.good, _play_on(lesson, (position, after), step.reply))
        if state == "wrong":
            return _refute(lesson, step, position, after)
        following = solution[count] if solution[:count] == moves[:count] and count < len(solution) else ""
        verdict = Verdict("open", _count_points(step, start, after), (position, after), following)
        position = after
    return verdict


def _judge_move(step: Step, start: Position, before: Position, after: Position) -> State:
    """Return the state of a step's task, which began at `start`, after a legal move."""
    learner = start.seat
    if learner is None:
        return "wrong"
    if step.collect:
        if after.scores[learner] - start.scores[learner] >= step.collect:
            return "done"
        goes_on = after.scores[learner] > before.scores[learner] and after.seat == learner
        return "open" if goes_on else "wrong"
    condition = step.condition
    return "done" if condition is not None and meets(condition, before, after) else "wrong"


def _count_points(step: Step, start: Position, after: Position) -> str:
    """Say how many of the points are collected so far."""
    learner = start.seat or 0
    return f"{after.scores[learner] - start.scores[learner]} of {step.collect}. Go on."


def meets(condition: Condition, before: Position, after: Position) -> bool:
    """Return whether the move between two positions meets a condition."""
    if condition.moves and after.last_move_text not in condition.moves:
        return False
    if condition.token and condition.token not in after.last_move_text.split(" "):
        return False
    if condition.least_gain is not None and _count_gain(before, after) < condition.least_gain:
        return False
    if condition.choices is not None and len(after.moves()) != condition.choices:
        return False
    if condition.most_gift is None and condition.least_gift is None:
        return True
    answers = after.moves() if after.seat != before.seat else []
    gift = max((_count_gain(after, after.play(move)) for move in answers), default=0)
    is_small = condition.most_gift is None or gift <= condition.most_gift
    return is_small and (condition.least_gift is None or gift >= condition.least_gift)


def _count_gain(before: Position, after: Position) -> int:
    """Return the points that the seat to move in the first position has won in the second."""
    seat = before.seat or 0
    return after.scores[seat] - before.scores[seat]


def _refute(lesson: Lesson, step: Step, before: Position, after: Position) -> Verdict:
    """Say why a move is not accepted, and play the moves that show it."""
    for wrong in step.wrong:
        if meets(wrong, before, after):
            return Verdict("wrong", wrong.text, _play_on(lesson, (before, after), wrong.then))
    return Verdict("wrong", step.otherwise, (before, after))


def _play_on(lesson: Lesson, positions: tuple[Position, ...], moves: tuple[str, ...]) -> tuple[Position, ...]:
    """Add the positions after further moves; raise LessonError for an illegal one."""
    for move in moves:
        try:
            positions = (*positions, positions[-1].play(move))
        except GameError as error:
            raise LessonError(lesson.name, error.message) from None
    return positions
