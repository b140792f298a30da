"""The endpoints of the HTTP API for study: reviews, attempts, puzzles, sets, lessons and typed games."""

import functools

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game_import import name_with_options
from fourcorners.study.json_report import build_json, build_move
from fourcorners.study.lessons.format import LessonError
from fourcorners.web.api.models import study as models
from fourcorners.web.application.attempts import (
    answer_attempt,
    describe_alternative,
    explain_alternative,
)
from fourcorners.web.application.context import get_context
from fourcorners.web.application.entries import EntryAnswer, answer_entry
from fourcorners.web.application.exercises import ExerciseAnswer, render_statements
from fourcorners.web.application.lessons import LessonAnswer, add_progress, answer_moves
from fourcorners.web.application.puzzle_sets import answer_item, clean_pupil, load_own_set, load_set
from fourcorners.web.application.puzzles import PuzzleAnswer, PuzzleJudgement, Question, answer_puzzle
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.reviews import ReviewStatus, look_up_review, request_review
from fourcorners.web.application.site_links import find_site_link
from fourcorners.web.auth.identity import get_known_player
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.realtime.request_work import await_unless_gone, replay_in_turn
from fourcorners.web.store import StoredSet


async def judge_lesson(request: Request, body: models.LessonMoves) -> LessonAnswer:
    """Judge the moves of a learner."""
    try:
        return await get_context(request).run_in_board_thread(
            answer_moves, body.game, body.lesson, body.step, tuple(body.moves)
        )
    except (OptionError, LessonError, IndexError):
        sentence = f"There is no step {body.step} of a lesson {quote(body.lesson)} of {quote(body.game)}; see /learn."
        raise Refusal(404, sentence) from None


async def save_progress(request: Request, body: models.LessonSteps) -> models.LessonProgress:
    """Store how many steps of lessons are done, and return the progress in all lessons."""
    player = get_known_player(request)
    if player is None:
        return models.LessonProgress(lessons=None)
    progress = await run_in_threadpool(add_progress, get_context(request), player, body.lessons)
    return models.LessonProgress(lessons=progress)


async def judge_puzzle(request: Request, body: models.PuzzleMoves) -> PuzzleAnswer:
    """Judge the moves in a puzzle."""
    await enforce_rate_limit(request, "puzzles")
    question = Question(tuple(body.moves), body.show, body.helped, body.rated)
    return await answer_puzzle(get_context(request), get_known_player(request), body.game, body.puzzle, question)


async def judge_set(request: Request, body: models.SetMoves) -> PuzzleJudgement:
    """Judge a pupil's moves in a set."""
    await enforce_rate_limit(request, "puzzles")
    context = get_context(request)
    stored = await run_in_threadpool(load_set, context, request.path_params["set"])
    count_name = functools.partial(enforce_rate_limit, request, "pupils", stored.id)
    return await answer_item(
        context,
        stored,
        body.pupil,
        body.item,
        body.moves,
        gives_up=body.show,
        count_name=count_name,
    )


async def show_set(request: Request, query: models.SetQuery) -> models.SetState:
    """Return a set to its owner."""
    return await _describe_set(request, await _load_own_set(request, query.key))


async def admit_to_set(request: Request, body: models.SetAdmission) -> models.SetState:
    """Store whose answers a set counts."""
    await enforce_rate_limit(request, "sets")
    context, stored = get_context(request), await _load_own_set(request, body.key)
    await run_in_threadpool(context.store.set_admission, stored.id, body.admits)
    return await _describe_set(request, stored._replace(admits=body.admits))


async def remove_from_set(request: Request, body: models.SetNames) -> models.SetState:
    """Remove names from a set."""
    await enforce_rate_limit(request, "sets")
    context, stored = get_context(request), await _load_own_set(request, body.key)
    await run_in_threadpool(context.store.remove_pupils, stored.id, [clean_pupil(name) for name in body.pupils])
    return await _describe_set(request, stored)


async def _load_own_set(request: Request, key: str) -> StoredSet:
    owner = get_known_player(request)
    return await run_in_threadpool(load_own_set, get_context(request), request.path_params["set"], owner, key)


async def _describe_set(request: Request, stored: StoredSet) -> models.SetState:
    context = get_context(request)
    results = await run_in_threadpool(context.store.list_results, stored.id)
    names = list(dict.fromkeys(result.pupil for result in results))
    return models.SetState(id=stored.id, title=stored.title, admits=stored.admits, pupils=names)


async def judge_entry(request: Request, body: models.TypedGame) -> EntryAnswer:
    """Check the moves of a game; a typed line that is a link to a game here stands for the moves of that game."""
    moves, typed = list(body.moves), body.typed
    line = "" if typed is None or typed >= len(moves) else moves[typed]
    link = None
    if "/" in line:
        link = await run_in_threadpool(find_site_link, get_context(request), line, request.url.netloc)
    if link is not None and typed is not None:
        found, linked = await replay_in_turn(request, link.list_moves, request.state.owner)
        if found != catalogue.game(body.game, **body.options):
            raise GameError(f"this link leads to a game of {name_with_options(found)}: choose that game first", "link")
        moves[typed : typed + 1], typed = linked, None
    return await replay_in_turn(
        request, answer_entry, body.game, body.options, moves, typed, body.names, body.date, body.deck
    )


async def show_review(request: Request, _: None) -> models.ReviewAnswer:
    """Return what there is of a review."""
    context = get_context(request)
    status = await look_up_review(context, request.path_params["table"])
    return await context.run_in_board_thread(_describe_review, status)


async def start_review(request: Request, _: None) -> models.ReviewAnswer:
    """Have a game reviewed."""
    await enforce_rate_limit(request, "reviews")
    context = get_context(request)
    status = await request_review(context, request.path_params["table"])
    return await context.run_in_board_thread(_describe_review, status)


async def judge_attempt(request: Request, body: models.AttemptMoves) -> ExerciseAnswer:
    """Judge a move tried in place of one of a reviewed game."""
    await enforce_rate_limit(request, "attempts")
    context, table = get_context(request), request.path_params["table"]
    answer = answer_attempt(context, table, body.ply, body.moves, gives_up=body.show)
    return await await_unless_gone(request, answer)


async def explain_other_move(request: Request, body: models.OtherMove) -> models.OtherMoveAnswer:
    """Explain why another move was not better."""
    await enforce_rate_limit(request, "attempts")
    context, table = get_context(request), request.path_params["table"]
    explanation = explain_alternative(context, table, body.ply, body.move)
    review, found = await await_unless_gone(request, explanation)
    return models.OtherMoveAnswer(
        sentence=describe_alternative(review, found), html=render_statements(found.statements), move=build_move(found)
    )


def _describe_review(status: ReviewStatus) -> models.ReviewAnswer:
    return models.ReviewAnswer(
        state=status.state,
        plies=status.plies,
        judged=status.judged_plies,
        errors=status.errors,
        sentence=status.sentence,
        compiled=status.compiled,
        ahead=status.ahead,
        review=None if status.review is None else build_json(status.review),
    )
