"""Moves that people try in a reviewed game: in place of a mistake, or to ask why another one was not played."""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, TypeVar

from fourcorners.core.errors import GameError, IllegalMoveError, OptionError
from fourcorners.core.game import Position
from fourcorners.core.narration import begin_with_move, name_move
from fourcorners.core.slices import count_processor_time
from fourcorners.core.typed_moves import read_typed_move
from fourcorners.study import wording
from fourcorners.study.alternatives import Attempt, judge_attempt, why_not
from fourcorners.study.move_review import MoveReview
from fourcorners.study.review import Review
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.exercises import (
    ExerciseAnswer,
    accept_move,
    open_exercise,
    refuse_move,
    reject_move,
    render_statements,
)
from fourcorners.web.application.fair_turns import get_client
from fourcorners.web.application.reviews import look_up_review
from fourcorners.web.application.running_games import build_refusal
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.engine.work_queue import BusyError, CpuBudget

SECONDS, NODES = 3.0, 20_000
"""The limits of one move: about this many seconds of processor time, and simulations of each estimate. With both it
takes one thread.
"""
_NOT_REVIEWED = "this game has no finished review yet: have it reviewed first"

T = TypeVar("T")


async def answer_attempt(
    context: ServerContext, table_id: str, ply: int, moves: list[str], *, gives_up: bool
) -> ExerciseAnswer:
    """Judge the first of some moves tried instead of the move of a ply; without moves, return the position, and if the
    player gives up, the best move. Raise IllegalMoveError if there is no finished review or a running game has the
    position, OptionError for a wrong ply, BusyError, GameError if the move could not be judged in time, and what
    `look_up_review` raises.
    """
    review = await _find_review(context, table_id, ply)
    run = context.run_in_board_thread
    position = review.positions[ply]
    if gives_up:
        return await run(_show_best, review, ply)
    if not moves:
        return await run(open_exercise, position)
    reason = await run(position.why, moves[0])
    if reason is not None:
        return await run(refuse_move, position, reason.sentence)
    key = ("attempt", *_identify(review, table_id, ply), moves[0])
    attempt = await _find_out(context, position, key, partial(_judge, review, ply, moves[0]))
    return await run(_answer, review, attempt)


async def explain_alternative(context: ServerContext, table_id: str, ply: int, move: str) -> tuple[Review, MoveReview]:
    """Judge and explain a typed move in place of that of a ply, or that one itself; return the review as well. Raise as
    `answer_attempt`, and NotationError or IllegalMoveError for the move.
    """
    review = await _find_review(context, table_id, ply)
    position = review.positions[ply]
    move = await context.run_in_board_thread(read_typed_move, position, move)
    if move == review.moves[ply].move:
        return review, review.moves[ply]
    await context.run_in_board_thread(position.play, move)
    key = ("why not", *_identify(review, table_id, ply), move)
    return review, await _find_out(context, position, key, partial(_explain, review, ply, move))


async def _find_out(
    context: ServerContext, position: Position, key: tuple[Any, ...], work: Callable[[CpuBudget], T]
) -> T:
    """Return what `work` finds out about the move that is the last part of a key; raise as `answer_attempt`."""
    return await context.engine.judge(get_client(), key, position.game.spec.id, work)


def describe_alternative(review: Review, move: MoveReview) -> str:
    """Say what a move loses, in one sentence."""
    position = review.positions[move.ply]
    if move.loss is None:
        return f"There was not enough time to judge {name_move(position, move.move)}."
    name = begin_with_move(position, move.move)
    lost = wording.format_loss(move.loss, has_points=wording.has_points(review))
    if move.loss.exact:
        return f"{name} is as good as any move, by proof." if lost == "nothing" else f"{name} loses {lost}."
    if move.loss.points.low <= 0 and move.loss.win.low <= 0:
        return f"{name} may be as good as any move, by estimate."
    return f"{name} loses {lost}, by estimate."


async def _find_review(context: ServerContext, table_id: str, ply: int) -> Review:
    status = await look_up_review(context, table_id)
    if status.review is None or status.state != "finished":
        raise IllegalMoveError("review", _NOT_REVIEWED, "not-reviewed")
    if not 0 <= ply < len(status.review.moves):
        raise OptionError("ply", f"{ply} is not allowed; it must be 0 to {len(status.review.moves) - 1}")
    if ply in status.review.withheld:
        raise build_refusal()
    return status.review


def _identify(review: Review, table_id: str, ply: int) -> tuple[str, int, float, int]:
    """Return a key that identifies a position of a review, even among reviews of the same table: one that was made
    again, or of a game that went on after a takeback.
    """
    return table_id, ply, review.seconds, hash(tuple(move.move for move in review.moves[:ply]))


def _judge(review: Review, ply: int, move: str, budget: CpuBudget) -> Attempt:
    try:
        with count_processor_time():
            return judge_attempt(review, ply, move, SECONDS, nodes=NODES, stop=budget)
    except GameError as error:
        raise BusyError(f"{write_sentence(error.message)} Try again.") from None


def _explain(review: Review, ply: int, move: str, budget: CpuBudget) -> MoveReview:
    with count_processor_time():
        return why_not(review, ply, move, SECONDS, nodes=NODES, stop=budget)


def _answer(review: Review, attempt: Attempt) -> ExerciseAnswer:
    """Say what came of an attempt, and show the line that proves it."""
    found, played = attempt.move, review.moves[attempt.move.ply]
    position, names = review.positions[found.ply], wording.list_names(review)
    if attempt.is_accepted:
        others = [move for move in played.best_moves if move != found.move]
        count = len(others)
        also = ""
        if others and attempt.is_proven:
            other = escape(begin_with_move(position, others[0]))
            also = f" {other} is as good." if count == 1 else f" {count} other moves are as good."
        if attempt.is_proven:
            words = "<strong>Right, and proven:</strong> no move is better."
        elif found.move in played.best_moves:
            words = "<strong>Right, by estimate:</strong> the review has found no better move."
        else:
            words = (
                "<strong>Good enough, by estimate:</strong> this move seems as good as the best one. There was not "
                "enough time to prove it."
            )
        best = [found.move, *others[:1]]
        return accept_move(position, (found.move,), words + also, best, proven=attempt.is_proven, names=names)
    loss = found.loss
    lost = "" if loss is None else wording.format_loss(loss, has_points=wording.has_points(review))
    basis = "by proof" if attempt.is_proven else "by estimate"
    again = "That is the move that was played. " if found.move == played.move else ""
    words = f"{again}It loses {escape(lost)}, {basis}. "
    telling = [statement for statement in found.statements if statement.line[:1] == (found.move,)]
    line = _find_refutation(found, position)
    feedback = words + render_statements(telling[:2])
    return reject_move(position, line, feedback, proven=attempt.is_proven, names=names)


def _find_refutation(found: MoveReview, position: Position) -> tuple[str, ...]:
    """Return the line that shows what a move loses: up to the end of the opponent's turn after it."""
    lines = [statement.line for statement in found.statements if statement.line[:1] == (found.move,)]
    line = max(lines, key=len, default=(found.move,))
    shown, state = [found.move], position.play(found.move)
    rival = state.seat
    for move in line[1:]:
        if rival is None or state.seat != rival or rival == position.seat:
            break
        shown.append(move)
        state = state.play(move)
    return tuple(shown)


def _show_best(review: Review, ply: int) -> ExerciseAnswer:
    """Show the best move of a ply; raise IllegalMoveError if none is known."""
    played, position = review.moves[ply], review.positions[ply]
    if not played.best_moves:
        raise IllegalMoveError("show", "no better move is known here", "unknown")
    best, exact = played.best_moves[0], played.evaluation is not None and played.evaluation.exact
    basis = "by proof" if exact else "by estimate"
    reasons = [statement for statement in played.statements if statement.line[:1] == (best,)]
    # The first one says how good it is, and the others why.
    name, names = escape(name_move(position, best)), wording.list_names(review)
    words = f"The best move is {name}, {basis}. " + render_statements(reasons[1:3] or reasons)
    return accept_move(position, (best,), words, played.best_moves, proven=exact, names=names)
