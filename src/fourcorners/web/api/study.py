"""The endpoints of the HTTP API for study: reviews, attempts, puzzles, sets, lessons and typed games."""

import contextlib
import functools
from collections.abc import Iterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from fourcorners.core.errors import IllegalMoveError, NotationError, OptionError, quote
from fourcorners.study.json_report import build_json, build_move
from fourcorners.study.lessons.format import LessonError
from fourcorners.study.puzzles.format import PuzzleError
from fourcorners.web.api import models
from fourcorners.web.api.errors import NO_TABLE, ApiError
from fourcorners.web.application.attempts import (
    answer_attempt,
    describe_alternative,
    explain_alternative,
)
from fourcorners.web.application.context import get_context
from fourcorners.web.application.entries import EntryAnswer, answer_entry
from fourcorners.web.application.exercises import ExerciseAnswer, render_statements
from fourcorners.web.application.lessons import LessonAnswer, answer_moves
from fourcorners.web.application.puzzle_sets import SetError, answer_item, clean_pupil, may_see_results
from fourcorners.web.application.puzzles import PuzzleAnswer, Question, answer_puzzle
from fourcorners.web.application.reviews import ReviewStatus, look_up_review, request_review
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.engine.work_queue import BusyError
from fourcorners.web.realtime.request_work import await_unless_gone, replay_in_turn
from fourcorners.web.store import StoredSet


async def judge_lesson(_: Request, body: models.LessonMoves) -> LessonAnswer:
    """Judge the moves of a learner; raise ApiError 404 if there is no such lesson or step."""
    try:
        return await run_in_threadpool(answer_moves, body.game, body.lesson, body.step, tuple(body.moves))
    except (OptionError, LessonError, IndexError):
        sentence = f"There is no step {body.step} of a lesson {quote(body.lesson)} of {quote(body.game)}; see /learn."
        raise ApiError(404, "not-found", sentence) from None


async def judge_puzzle(request: Request, body: models.PuzzleMoves) -> PuzzleAnswer:
    """Judge a move in a puzzle; raise ApiError 404 if there is none, HTTPException 429, StoreError."""
    await enforce_rate_limit(request, "puzzles")
    player = request.state.owner if request.state.known else None
    question = Question(tuple(body.moves), body.show, body.helped, body.rated)
    try:
        return await answer_puzzle(get_context(request), player, body.game, body.puzzle, question)
    except (OptionError, PuzzleError):
        sentence = f"There is no puzzle {quote(body.puzzle)} of {quote(body.game)}; see /puzzles."
        raise ApiError(404, "not-found", sentence) from None


async def judge_set(request: Request, body: models.SetMoves) -> ExerciseAnswer:
    """Judge a pupil's move in a set; raise ApiError 404 if there is none, 422, HTTPException 429, StoreError."""
    await enforce_rate_limit(request, "puzzles")
    context, stored = get_context(request), await _load_set(request)
    count_name = functools.partial(enforce_rate_limit, request, "pupils", stored.id)
    answer = answer_item(
        context,
        request.state.owner,
        stored,
        body.pupil,
        body.item,
        body.moves,
        gives_up=body.show,
        count_name=count_name,
    )
    try:
        with _translate_refusals():
            return await answer
    except SetError as error:
        raise ApiError(422, "set", str(error)) from None


async def show_set(request: Request, query: models.SetQuery) -> models.SetState:
    """Return a set to its owner; raise ApiError 404, StoreError."""
    return await _describe_set(request, await _load_own_set(request, query.key))


async def admit_to_set(request: Request, body: models.SetAdmission) -> models.SetState:
    """Store whose answers a set counts; raise ApiError 404, HTTPException 429, StoreError."""
    await enforce_rate_limit(request, "sets")
    context, stored = get_context(request), await _load_own_set(request, body.key)
    await context.run_in_thread(context.store.set_admission, stored.id, body.admits)
    return await _describe_set(request, stored._replace(admits=body.admits))


async def remove_from_set(request: Request, body: models.SetNames) -> models.SetState:
    """Remove names from a set; raise ApiError 404, HTTPException 429, StoreError."""
    await enforce_rate_limit(request, "sets")
    context, stored = get_context(request), await _load_own_set(request, body.key)
    await context.run_in_thread(context.store.remove_pupils, stored.id, [clean_pupil(name) for name in body.pupils])
    return await _describe_set(request, stored)


async def _load_set(request: Request) -> StoredSet:
    """Return the set of a request; raise ApiError 404, StoreError."""
    context = get_context(request)
    stored = await context.run_in_thread(context.store.load_set, request.path_params["set"][:32], context.time.now())
    if stored is None:
        raise ApiError(404, "not-found", "There is no such set here: it may have expired or been deleted.")
    return stored


async def _load_own_set(request: Request, key: str) -> StoredSet:
    """Return the set of a request by its owner, who made it or has the key; raise ApiError 404, StoreError."""
    stored = await _load_set(request)
    if not (may_see_results(stored, key) or (request.state.known and request.state.owner == stored.owner)):
        raise ApiError(404, "not-found", "There is no such set of yours: send the key of the owner’s link.")
    return stored


async def _describe_set(request: Request, stored: StoredSet) -> models.SetState:
    context = get_context(request)
    results = await context.run_in_thread(context.store.list_results, stored.id)
    names = list(dict.fromkeys(result.pupil for result in results))
    return models.SetState(id=stored.id, title=stored.title, admits=stored.admits, pupils=names)


async def judge_entry(request: Request, body: models.TypedGame) -> EntryAnswer:
    """Check the moves of a game; raise OptionError, or HTTPException 422 or 503."""
    return await replay_in_turn(
        request, answer_entry, body.game, body.options, body.moves, body.typed, body.names, body.date, body.deck
    )


async def show_review(request: Request, _: None) -> models.ReviewAnswer:
    """Return what there is of a review; raise ApiError, StoreError, GameError, and as `replay_in_turn`."""
    context = get_context(request)
    with _translate_refusals():
        status = await look_up_review(context, request.path_params["table"])
    return await context.run_in_thread(_describe_review, status)


async def start_review(request: Request, _: None) -> models.ReviewAnswer:
    """Have a game reviewed; raise as `show_review`, and HTTPException 429."""
    await enforce_rate_limit(request, "reviews")
    context = get_context(request)
    with _translate_refusals():
        status = await request_review(context, request.path_params["table"])
    return await context.run_in_thread(_describe_review, status)


async def judge_attempt(request: Request, body: models.AttemptMoves) -> ExerciseAnswer:
    """Judge a move that somebody tries in place of one of a reviewed game; raise as `show_review`."""
    await enforce_rate_limit(request, "attempts")
    context, table = get_context(request), request.path_params["table"]
    with _translate_refusals():
        answer = answer_attempt(context, table, body.ply, body.moves, gives_up=body.show)
        return await await_unless_gone(request, answer)


async def explain_other_move(request: Request, body: models.OtherMove) -> models.OtherMoveAnswer:
    """Explain why another move was not better; raise as `show_review`."""
    await enforce_rate_limit(request, "attempts")
    context, table = get_context(request), request.path_params["table"]
    with _translate_refusals():
        explanation = explain_alternative(context, table, body.ply, body.move)
        review, found = await await_unless_gone(request, explanation)
    return models.OtherMoveAnswer(
        sentence=describe_alternative(review, found), html=render_statements(found.statements), move=build_move(found)
    )


@contextlib.contextmanager
def _translate_refusals() -> Iterator[None]:
    """Raise ApiError in place of the errors of reviews, attempts and sets."""
    try:
        yield
    except LookupError:
        raise ApiError(404, "not-found", NO_TABLE) from None
    except IllegalMoveError as error:
        raise ApiError(422, error.code, f"{error.reason[:1].upper()}{error.reason[1:]}.") from None
    except NotationError as error:
        raise ApiError(422, error.code, f"{error.message[:1].upper()}{error.message[1:]}.") from None
    except BusyError as error:
        raise ApiError(503, "unavailable", str(error), retry_after=60) from None


def _describe_review(status: ReviewStatus) -> models.ReviewAnswer:
    return models.ReviewAnswer(
        state=status.state,
        plies=status.plies,
        judged=status.judged_plies,
        errors=status.errors,
        sentence=status.sentence,
        compiled=status.compiled,
        review=None if status.review is None else build_json(status.review),
    )
