"""The endpoints of the analysis board: positions with their moves, the engine, and analyses that are shared."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Concatenate, Literal, ParamSpec, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from fourcorners.core import catalogue
from fourcorners.core.annotations import Mark
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.game import Position, View
from fourcorners.core.match import Record
from fourcorners.study.analysis_run import AnalysisLine
from fourcorners.study.stills import Colours
from fourcorners.study.value_badges import Worths
from fourcorners.web.api.files import build_file, check_kind
from fourcorners.web.api.models import analysis as models
from fourcorners.web.application.analysis_board import (
    BoardAnswer,
    Completion,
    Line,
    PositionCache,
    complete_move,
    describe_line,
)
from fourcorners.web.application.analysis_pictures import LINE_MEDIA_TYPES, LineOrder, draw_line
from fourcorners.web.application.analysis_tree import ShownValues, build_record
from fourcorners.web.application.context import get_context
from fourcorners.web.application.fair_turns import get_client, run_in_turn
from fourcorners.web.application.position_editor import EditorAnswer, complete_edit, edit_position
from fourcorners.web.application.refusals import Refusal, build_refusal
from fourcorners.web.application.running_games import refuse_help
from fourcorners.web.application.shared_analyses import Shown, find_node, find_position, load_shared
from fourcorners.web.auth.limits import RateLimitError, enforce_rate_limit
from fourcorners.web.domain.sentences import capitalise
from fourcorners.web.engine.analysis_text import Seats, describe_solution
from fourcorners.web.engine.services import Findings
from fourcorners.web.engine.work_queue import BusyError
from fourcorners.web.protocol.codec import encode_json
from fourcorners.web.realtime.request_work import await_unless_gone, draw_in_turn, replay_in_turn
from fourcorners.web.store.analyses import MAX_LENGTH, MAX_PER_PLAYER

LINES_TYPE = "application/x-ndjson"
_OVER = ("the game is over here", "game-over")
_PULSE = 1.0
"""The seconds after which something is sent to a client even if nothing new was found."""
P = ParamSpec("P")
T = TypeVar("T")


async def show_board(request: Request, body: models.AnalysedPosition) -> BoardAnswer:
    """Return a position with its moves."""
    return await _work(request, body, describe_line)


async def complete(request: Request, body: models.BegunMove) -> Completion:
    """Return what can follow the beginning of a move."""
    return await _work(request, body, complete_move, body.tokens)


async def edit(request: Request, body: models.EditedPosition) -> EditorAnswer:
    """Change a position by hand."""
    game = catalogue.game(body.game, **body.options)
    return await _run_board_work(request, lambda **_: edit_position(game, body.position, body.tool, body.edit))


async def complete_change(request: Request, body: models.BegunEdit) -> Completion:
    """Return what can follow the beginning of a change."""
    game = catalogue.game(body.game, **body.options)
    return await _run_board_work(request, lambda **_: complete_edit(game, body.position, body.tool, body.tokens))


async def search_lines(request: Request, body: models.EngineRequest) -> models.EngineUpdate:
    """Answer with what the engine finds, again and again."""
    await enforce_rate_limit(request, "engine")
    line = await find_line_in_turn(request, body)
    if line.view.is_over:
        raise IllegalMoveError("lines", *_OVER)
    await refuse_help(get_context(request), line.last)
    return StreamingResponse(_stream_lines(request, line, body.lines), media_type=LINES_TYPE)  # type: ignore[return-value]


async def _stream_lines(request: Request, line: Line, count: int) -> AsyncIterator[bytes]:
    """Yield updates as lines of JSON until the search is done; when the client leaves, it ends within a moment."""
    engine = get_context(request).engine
    updates: asyncio.Queue[Findings] = asyncio.Queue(1)

    def report(findings: Findings) -> None:
        # A client that reads slowly gets the latest one only.
        if updates.full():
            updates.get_nowait()
        updates.put_nowait(findings)

    search = asyncio.ensure_future(engine.analyse(get_client(), line.view, count, report))
    next_update = asyncio.ensure_future(updates.get())
    try:
        while not search.done():
            await asyncio.wait((search, next_update), timeout=_PULSE, return_when=asyncio.FIRST_COMPLETED)
            if next_update.done():
                yield _encode_update(line, "running", next_update.result())
                next_update = asyncio.ensure_future(updates.get())
            elif not search.done():
                # A client that has left is noticed when something is sent.
                yield b"\n"
        yield _encode_end(line, search)
    finally:
        search.cancel()
        next_update.cancel()


def _encode_end(line: Line, search: asyncio.Future[Findings]) -> bytes:
    """Return the last update: what was found, or why nothing was."""
    try:
        return _encode_update(line, "done", search.result())
    except (BusyError, GameError) as error:
        sentence = build_refusal(error).detail
    return (
        encode_json(
            models.EngineUpdate(
                state="refused", sentence=sentence, seat=line.view.seat or 0, nodes=0, share=1.0, lines=[]
            )
        )
        + b"\n"
    )


def _encode_update(line: Line, state: Literal["running", "done"], findings: Findings) -> bytes:
    update = models.EngineUpdate(
        state=state,
        sentence="",
        seat=line.view.seat or 0,
        nodes=findings.nodes,
        share=min(1.0, round(findings.share, 3)),
        lines=[_describe_engine_line(line, found) for found in findings.lines],
    )
    return encode_json(update) + b"\n"


def _describe_engine_line(line: Line, found: AnalysisLine) -> models.EngineLine:
    position, seats = line.last, [line.view.seat or 0]
    moves = list(found.line)
    if isinstance(position, Position):
        played = position.play_line(moves).list_plies(position.ply_count)
        seats = [ply.seat for ply in played]
    return models.EngineLine(
        move=found.move,
        line=moves,
        seats=seats,
        margin=round(found.final_margin, 2),
        win=round(found.win, 4),
        lower=found.lower,
        upper=found.upper,
        nodes=found.nodes,
    )


async def solve_moves(request: Request, body: models.AnalysedPosition) -> models.MoveValues:
    """Return the exact value of every move."""
    return await _solve(request, (await find_line_in_turn(request, body)).last)


async def _solve(request: Request, position: Position | View) -> models.MoveValues:
    """Return the exact value of every move of a position; raise IllegalMoveError where the engine says nothing."""
    await enforce_rate_limit(request, "engine")
    context = get_context(request)
    if position.is_over:
        raise IllegalMoveError("values", *_OVER)
    if isinstance(position, View):
        raise IllegalMoveError("values", "exact values are available only where nothing is hidden", "hidden")
    await refuse_help(context, position)
    result = await await_unless_gone(request, context.engine.solve(get_client(), position))
    seats = Seats(position, tuple(capitalise(name) for name in position.seat_names))
    answer = await context.run_in_board_thread(describe_solution, result, seats, position, ())
    values = [models.MoveValue(move=move, value=value) for move, value in answer.pop("moves", ())]
    return models.MoveValues(**answer, moves=values)


async def share_analysis(request: Request, body: models.AnalysisToShare) -> models.SharedAnalysis:
    """Store an analysis under a new link."""
    await enforce_rate_limit(request, "shares")
    record = await _build_record(request, body)
    text = str(record)
    if len(text) > MAX_LENGTH:
        sentence = (
            f"This analysis has {len(text):,} characters; at most {MAX_LENGTH:,} can be shared. Download it instead."
        )
        raise Refusal(422, sentence, "too-large")
    analysis_id, context = secrets.token_urlsafe(12), get_context(request)
    shown = "" if body.shown is None else await _describe_shown(request, record, body)
    if not await context.store.add_analysis(analysis_id, request.state.owner, text, context.time.now(), shown):
        raise Refusal(422, f"You have shared {MAX_PER_PLAYER} analyses, the maximum for one player.", "too-many")
    return models.SharedAnalysis(id=analysis_id, link=f"/analysis/shared/{analysis_id}", embed=f"/embed/{analysis_id}")


async def _describe_shown(request: Request, record: Record, body: models.AnalysisToShare) -> str:
    """Return what an analysis shows when it opens, as it is stored. Values that cannot be told now are left out."""
    node = await get_context(request).run_in_board_thread(find_node, record, body.nodes, body.shown)
    shown = Shown(node=node)
    if body.values:
        try:
            solved = await _solve(request, (await replay_in_turn(request, find_position, str(record), shown)).position)
        except (GameError, BusyError, RateLimitError):
            solved = None
        if solved is not None and solved.moves:
            moves = [(each.move, each.value) for each in solved.moves]
            values = ShownValues(sentence=solved.sentence, detail=solved.detail, counts=solved.counts, moves=moves)
            shown = Shown(node=node, values=values)
    return encode_json(shown).decode()


async def show_shared(request: Request, _: None) -> Response:
    """Return a shared analysis as a record."""
    return PlainTextResponse(
        (await run_in_threadpool(load_shared, get_context(request), request.path_params["analysis"])).text
    )


async def write_record(request: Request, body: models.AnalysisTree) -> models.AnalysisRecord:
    """Return an analysis as a record."""
    return models.AnalysisRecord(name=f"{body.game}-analysis.txt", text=str(await _build_record(request, body)))


async def _build_record(request: Request, body: models.AnalysisTree) -> Record:
    """Return the record of an analysis that was checked, in turn; raise Refusal 422, and 503 if too many are."""
    game = catalogue.game(body.game, **body.options)
    return await replay_in_turn(request, build_record, game, body.position, body.record, body.nodes)


async def draw_analysis_picture(request: Request, body: models.AnalysisPicture) -> Response:
    """Draw a position with its marks, or the line that leads there."""
    await enforce_rate_limit(request, "pictures")
    kind = request.path_params["kind"]
    check_kind(kind, LINE_MEDIA_TYPES)
    style = body.style
    marks = [[Mark.parse(mark) for mark in noted] for noted in body.marks]
    colours = Colours(style.theme, style.palette, style.look)
    worths = Worths([(each.move, each.value) for each in body.values], body.counts) if body.values else None
    order = LineOrder(kind, marks, body.comment, colours, style.width, style.pause, style.last, worths)
    line = await find_line_in_turn(request, body)
    drawn = await draw_in_turn(request, draw_line, line, order)
    return build_file(drawn, f"{body.game}-analysis.{kind}", LINE_MEDIA_TYPES[kind])


async def find_line_in_turn(request: Request, body: models.AnalysedPosition) -> Line:
    """Return the line of a request, when it is its turn; raise GameError, BusyError, ClientDisconnect."""
    return await _run_board_work(request, partial(_find_line, get_context(request).positions, body))


async def _work(
    request: Request,
    body: models.AnalysedPosition,
    work: Callable[Concatenate[Line, P], T],
    *arguments: P.args,
    **named: P.kwargs,
) -> T:
    """Return what some work makes of a position, in a thread and in turn; raise Refusal 503 if too many ask."""
    positions = get_context(request).positions

    def find_and_work(check: Callable[[], None]) -> T:
        return work(_find_line(positions, body, check), *arguments, **named)

    return await _run_board_work(request, find_and_work)


async def _run_board_work(request: Request, work: Callable[..., T]) -> T:
    """Do some work when it is the client's turn, but end it and raise ClientDisconnect when the client leaves."""
    return await await_unless_gone(request, run_in_turn(get_context(request).boards, work))


def _find_line(cache: PositionCache, body: models.AnalysedPosition, check: Callable[[], None]) -> Line:
    """Return the line of a request; raise GameError, and what `check` raises."""
    return cache.find_line(catalogue.game(body.game, **body.options), body.position, body.moves, check)
