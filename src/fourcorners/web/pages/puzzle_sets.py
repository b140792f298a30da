"""The pages of sets of puzzles: the form, the pupils' page, and the results for the owner of a set."""

import contextlib
import hashlib
from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from fourcorners.core.errors import GameError, IllegalMoveError, quote
from fourcorners.study.puzzles.format import Puzzle
from fourcorners.web.application.context import get_context
from fourcorners.web.application.puzzle_sets import (
    LIFETIME,
    MAX_ITEMS,
    MAX_PUPIL_NAME,
    MAX_TITLE,
    SetError,
    build_puzzle,
    clean_pupil,
    create_set,
    load_own_set,
    load_set,
    tabulate_results,
)
from fourcorners.web.application.refusals import Refusal, build_refusal
from fourcorners.web.auth.identity import get_known_player
from fourcorners.web.domain.clocks import DAY
from fourcorners.web.engine.work_queue import BusyError
from fourcorners.web.pages import pictures
from fourcorners.web.pages.days import format_day
from fourcorners.web.pages.forms import read_form
from fourcorners.web.pages.puzzle_picker import add_picks, describe_picker
from fourcorners.web.pages.puzzles import describe_first_board, describe_step
from fourcorners.web.pages.render import render_page
from fourcorners.web.store import StoredSet
from fourcorners.web.store.puzzle_sets import ALL, LISTED, MAX_PUPILS, NONE, SetResult

_DAYS = round(LIFETIME / DAY)
_ADMISSIONS = {
    ALL: "Everyone with the pupils’ link",
    LISTED: "Only the names that are listed here",
    NONE: "No one: the set is closed",
}
_MARK = "name-"
"""The prefix of the names of the boxes that mark pupils."""


def show_sets(request: Request) -> Response:
    """Show the form for a new set, with the items in `?items=`, puzzles to pick from, and the visitor's own sets."""
    return _show_form(request, {**request.query_params, "items": request.query_params.get("items", "")[:2000]})


async def pick_puzzles(request: Request) -> Response:
    """Show the form again with the puzzles that were picked, and others to pick from."""
    form = await read_form(request)
    items, sentence = await run_in_threadpool(add_picks, form)
    return await run_in_threadpool(_show_form, request, {**form, "items": items}, sentence, 200)


def redirect_to_sets(_: Request) -> Response:
    """Redirect a visitor who opens the address of the list to the form."""
    return RedirectResponse("/sets", 303)


def _show_form(request: Request, form: Mapping[str, str], sentence: str = "", status: int = 200) -> Response:
    """Show the form with what was typed, chosen and picked, with a `sentence` on what is wrong."""
    sets = (
        get_context(request).store.list_sets(request.state.owner, get_context(request).time.now())
        if request.state.known
        else []
    )
    context = {
        "title_text": form.get("title", ""),
        "items": form.get("items", ""),
        "sentence": sentence,
        "picked": sum(bool(line.strip()) for line in form.get("items", "").splitlines()),
        "picker": describe_picker(form, form.get("items", "")),
        "sets": [{"id": each.id, "title": each.title, "expires": format_day(each.expires)} for each in sets],
        "limits": {"items": MAX_ITEMS, "title": MAX_TITLE, "pupils": MAX_PUPILS, "days": _DAYS},
    }
    return render_page(request, "puzzle_sets.html", context, status)


async def create(request: Request) -> Response:
    """Make a set and redirect to its results, or show the form with what is wrong."""
    context = get_context(request)
    form = await read_form(request)
    title, (items, sentence) = form.get("title", ""), await run_in_threadpool(add_picks, form)
    if sentence:
        return await run_in_threadpool(_show_form, request, {**form, "items": items}, sentence, 422)
    try:
        made = await create_set(context, request.state.owner, title, items)
    except (SetError, BusyError) as error:
        return await run_in_threadpool(_show_form, request, {**form, "items": items}, build_refusal(error).detail, 422)
    except IllegalMoveError as error:
        sentence = f"A position cannot be used: {error.message}."
        return await run_in_threadpool(_show_form, request, {**form, "items": items}, sentence, 422)
    return RedirectResponse(f"/sets/{made.id}/results?{urlencode({'key': made.secret})}", 303)


def show_set(request: Request) -> Response:
    """Show a set to a pupil, who types a name first."""
    stored = load_set(get_context(request), request.path_params["set"])
    pupil = clean_pupil(request.query_params.get("name", ""))
    is_refused = stored.admits == LISTED and pupil and not get_context(request).store.has_pupil(stored.id, pupil)
    if not pupil or is_refused or stored.admits == NONE:
        sentence = f"{quote(pupil)} is not on the list of this set, which accepts no new names." if is_refused else ""
        context = {"set": stored, "pupil": pupil, "longest": MAX_PUPIL_NAME, "sentence": sentence}
        return render_page(request, "puzzle_set_name.html", context)
    known = list_known_puzzles(stored)
    if not known:
        raise Refusal(404, "This server no longer has any of the puzzles in this set.")
    puzzles = list(known.values())
    results = get_context(request).store.list_results(stored.id)
    done = {
        result.item: _name_result(result)
        for result in results
        if result.pupil == pupil and (result.solved or result.shown)
    }
    is_mixed = len({puzzle.game.id for puzzle in puzzles}) > 1
    steps = [
        step
        | {
            "game": puzzle.game.id,
            "text": f"{puzzle.game.title}. {step['text']}" if is_mixed else step["text"],
            "name": f"puzzle {number + 1}",
            "result": done.get(number, ""),
        }
        for number, puzzle in known.items()
        for step in [describe_step(puzzle, {"item": number})]
    ]
    first = next((index for index, number in enumerate(known) if number not in done), 0)
    specs = {puzzle.game.id: puzzle.game.spec for puzzle in puzzles}
    context = {
        "set": stored,
        "pupil": pupil,
        "steps": steps,
        "first": first,
        "missing": len(stored.items) - len(known),
        "styles": [pictures.build_style_url(game_id) for game_id in specs],
        "defs_of_games": {game_id: pictures.get_defs(spec) for game_id, spec in specs.items()},
        **describe_first_board(puzzles[first]),
        # One page has boards of several games.
        "hidden": any(spec.hidden for spec in specs.values()),
        "prompts": {name: text for spec in specs.values() for name, text in spec.presentation.prompts.items()},
    }
    return render_page(request, "puzzle_set.html", context)


def list_known_puzzles(stored: StoredSet) -> dict[int, Puzzle]:
    """Return the puzzles of a set by their numbers, without those that this server no longer has."""
    known = {}
    for number, item in enumerate(stored.items):
        with contextlib.suppress(GameError):
            known[number] = build_puzzle(item)
    return known


def _name_result(result: SetResult) -> str:
    """Return the `ExerciseResult` (types/page.d.ts) of a puzzle that a pupil has solved or been shown."""
    if result.solved:
        return "first" if result.tries == 1 else "later"
    return "shown"


def show_results(request: Request) -> Response:
    """Show the results to the player who made the set, or who has the owner's link."""
    key = request.query_params.get("key", "")
    stored = _load_own(request, key)
    results = get_context(request).store.list_results(stored.id)
    base = str(request.base_url).rstrip("/")
    context = {
        "set": stored,
        "key": key,
        "pupils_link": f"{base}/sets/{stored.id}",
        "owner_link": f"{base}/sets/{stored.id}/results?{urlencode({'key': key})}" if key else "",
        "rows": tabulate_results(stored, results),
        "expires": format_day(stored.expires),
        "most": MAX_PUPILS,
        "choices": _ADMISSIONS.items(),
    }
    return render_page(request, "puzzle_set_results.html", context)


def serve_results(request: Request) -> Response:
    """Answer the owner with the HTML of the results alone, or with 304 if `if-none-match` has their ETag."""
    key = request.query_params.get("key", "")
    stored = _load_own(request, key)
    rows = tabulate_results(stored, get_context(request).store.list_results(stored.id))
    template = request.app.state.templates.get_template("puzzle_set_table.html")
    html = template.render(set=stored, key=key, rows=rows)
    headers = {"etag": f'"{hashlib.sha256(html.encode()).hexdigest()[:32]}"'}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(html, headers=headers)


async def change_admission(request: Request) -> Response:
    """Store whose answers the owner's set counts, and show its results."""
    stored, form = await _read_own_form(request)
    admits = form.get("admits", "")
    if admits not in _ADMISSIONS:
        raise Refusal(400, f"{quote(admits)} is not allowed; it must be {', '.join(_ADMISSIONS)}.")
    await run_in_threadpool(get_context(request).store.set_admission, stored.id, admits)
    return _redirect_to_results(stored, form)


async def remove_pupils(request: Request) -> Response:
    """Remove the marked names from the owner's set, with their results, and show the other results."""
    stored, form = await _read_own_form(request)
    marked = [clean_pupil(name.removeprefix(_MARK)) for name in form if name.startswith(_MARK)]
    await run_in_threadpool(get_context(request).store.remove_pupils, stored.id, marked)
    return _redirect_to_results(stored, form)


async def _read_own_form(request: Request) -> tuple[StoredSet, dict[str, str]]:
    """Return the set and the form of a request by the owner, who made the set or has the owner's link; raise
    Refusal 404 or StoreError.
    """
    form = await read_form(request)
    return await run_in_threadpool(_load_own, request, form.get("key", "")), form


def _redirect_to_results(stored: StoredSet, form: dict[str, str]) -> Response:
    key = form.get("key", "")
    query = f"?{urlencode({'key': key})}" if key else ""
    return RedirectResponse(f"/sets/{stored.id}/results{query}", 303)


async def delete(request: Request) -> Response:
    """Delete the owner's set."""
    stored, _ = await _read_own_form(request)
    await run_in_threadpool(get_context(request).store.delete_set, stored.id)
    return RedirectResponse("/sets", 303)


def _load_own(request: Request, key: str) -> StoredSet:
    return load_own_set(get_context(request), request.path_params["set"], get_known_player(request), key)
