"""Alternatives to the moves of a reviewed game: what they lose, why, and whether they are good enough."""

import threading
from typing import NamedTuple

from fourcorners.core import arguments
from fourcorners.core.errors import GameError, quote
from fourcorners.study.evaluation import Margins, find_party
from fourcorners.study.findings import FIRST_NOISE, SURE
from fourcorners.study.labels import ERRORS, Label
from fourcorners.study.move_review import MoveReview
from fourcorners.study.pace import Pace
from fourcorners.study.review import Review, build_move, check_limits
from fourcorners.study.reviewer import Part, Reviewer

DEFAULT_SECONDS = 2.0
_PROOF_SHARES = (0.5, 0.7)
"""The proof of a single move gets a larger share of the time than each of the many proofs in a review."""


class Attempt(NamedTuple):
    """A move suggested in place of an error, judged as in a review.

    `is_accepted` says that it is as good as the best move. If `is_proven`, that is proven; otherwise the interval of
    its loss contains zero.
    """

    move: MoveReview
    is_accepted: bool
    is_proven: bool


def list_mistakes(review: Review, seat: int, *, inaccuracies: bool = False) -> tuple[MoveReview, ...]:
    """List a seat's mistakes and blunders for which a better move is known, in the order of the game.

    With `inaccuracies`, include those too. Raise GameError if `review` is not a Review, and OptionError if it has no
    such seat.
    """
    _check_review(review)
    last = len(review.players) - 1
    seat = arguments.check_int("seat", seat, 0, last, f"0 to {last}")
    wanted = [label for label in ERRORS if inaccuracies or label is not Label.INACCURACY]
    return tuple(
        move
        for move in review.errors
        if move.seat == seat and move.label in wanted and move.best_moves and move.move not in move.best_moves
    )


def judge_attempt(
    review: Review,
    ply: int,
    move: str,
    seconds: float | None = None,
    *,
    nodes: int | None = None,
    seed: int | None = None,
    stop: threading.Event | None = None,
) -> Attempt:
    """Judge a move suggested in place of an error. Arguments, limits and errors are the same as for `why_not`.

    The review's best moves are accepted, and the move played is rejected, without another search. Raise GameError if
    the move could not be judged within the limits.
    """
    played = _find_move(review, ply)
    ply, position = played.ply, review.positions[played.ply]
    if move == played.move:
        loss = played.loss
        return Attempt(played, is_accepted=played.label not in ERRORS, is_proven=loss is not None and loss.exact)
    if move in played.best_moves:
        position.play(move)
        is_exact = played.evaluation is not None and played.evaluation.exact
        label = Label.BEST if is_exact else Label.GOOD
        found = MoveReview(ply, played.seat, move, played.phase, played.evaluation, None, label, played.best_moves, ())
        return Attempt(found, is_accepted=True, is_proven=is_exact)
    found = why_not(review, ply, move, seconds, nodes=nodes, seed=seed, stop=stop)
    if found.loss is None:
        raise GameError(f"there was not enough time to judge {quote(move)}", "limit")
    is_good = found.loss.points.low <= 0 and found.loss.win.low <= 0
    return Attempt(found, is_accepted=is_good, is_proven=found.loss.exact)


def why_not(
    review: Review,
    ply: int,
    move: str,
    seconds: float | None = None,
    *,
    nodes: int | None = None,
    seed: int | None = None,
    stop: threading.Event | None = None,
) -> MoveReview:
    """Judge and explain another legal move of the position before a ply, counted from 0, of a review.

    The search takes about `seconds` (2 if there is no limit). `nodes` limits the simulations of each estimate, and the
    proofs in proportion. Set `stop` to end it early and get the result so far.

    Raise GameError if `review` is not a Review, OptionError if the game has no such ply or a limit is not allowed, and
    NotationError or IllegalMoveError for the move.
    """
    played = _find_move(review, ply)
    seconds, nodes, seed = check_limits(seconds, nodes, seed, stop)
    if seconds is None and nodes is None:
        seconds = DEFAULT_SECONDS
    ply, position = played.ply, review.positions[played.ply]
    after = position.play(move)
    pace = Pace(None if seconds is None else float(seconds), nodes, stop, _PROOF_SHARES)
    count = len(review.moves)
    part = Part(ply, count, review.all_points, _find_noise(played))
    reviewer = Reviewer([position, after], [player.name for player in review.players], pace, seed, part)
    exact = _find_margins(review, played)
    reviewer.judge_first_ply(exact, played.best_moves if exact is not None else ())
    return build_move(reviewer, 0, ply, count)


def _check_review(review: object) -> None:
    if not isinstance(review, Review):
        raise GameError(f"{quote(review)} has no moves to judge: it must be a Review")


def _find_move(review: Review, ply: int) -> MoveReview:
    """Return the move of a ply; raise GameError or OptionError."""
    _check_review(review)
    last = len(review.moves) - 1
    return review.moves[arguments.check_int("ply", ply, 0, last, f"0 to {last}")]


def _find_noise(played: MoveReview) -> tuple[float, float]:
    """Return how much searches differed in the review, from the interval of this ply's move."""
    loss = played.loss
    if loss is None or loss.exact:
        return FIRST_NOISE
    widths = (max(each.high - each.value, each.value - each.low) for each in (loss.points, loss.win))
    points, win = (width / SURE or first for width, first in zip(widths, FIRST_NOISE, strict=True))
    return points, win


def _find_margins(review: Review, played: MoveReview) -> Margins | None:
    """Return the final margins by seat with best play from the position before a move.

    Return None unless the review has proven them and there are two parties.
    """
    game, evaluation = review.record.game, played.evaluation
    if evaluation is None or not evaluation.exact or len(game.options.parties) != 2:
        return None
    margin, party = round(evaluation.margin.value), find_party(game, played.seat)
    return tuple(margin if seat in party else -margin for seat in range(game.seats))
