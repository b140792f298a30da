"""The home page: own games and what comes next, or a small board to play on; the games, and a form for records."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.commitment import has_commitment
from fourcorners.core.errors import GameError, OptionError, RecordError
from fourcorners.core.game import Game
from fourcorners.core.game_import import import_record
from fourcorners.core.match import Record
from fourcorners.core.option_fields import format_value
from fourcorners.core.plurals import list_words, pluralise
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.game_words import describe_size, find_summary
from fourcorners.study.lessons.format import find_lesson
from fourcorners.study.lessons.judge import get_position
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.results import describe_result
from fourcorners.web.application.context import get_context
from fourcorners.web.application.daily import find_daily, read_daily_record
from fourcorners.web.application.lessons import find_next_lesson
from fourcorners.web.application.site_links import find_site_link
from fourcorners.web.application.table_setup import build_study
from fourcorners.web.auth.identity import get_known_player
from fourcorners.web.domain.clocks import DAY
from fourcorners.web.domain.results import find_suitable_level
from fourcorners.web.domain.rows import PAIRING, WAITING, Chair, StoredTable
from fourcorners.web.domain.seats import COMPUTER, PERSON, name_players
from fourcorners.web.domain.table import LIVE, STUDY, seat_labels
from fourcorners.web.pages import forms, pictures
from fourcorners.web.pages.days import format_day
from fourcorners.web.pages.games import RECENT_TABLES, find_title, store_and_redirect
from fourcorners.web.pages.lessons import find_first_lesson, read_progress
from fourcorners.web.pages.lobby import get_lobby_lists
from fourcorners.web.pages.miniatures import describe_miniatures, draw_miniature
from fourcorners.web.pages.own_boards import draw_own_boards
from fourcorners.web.pages.puzzles import choose_next_puzzle, describe_task
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.pairing import is_owner_present
from fourcorners.web.realtime.request_work import replay_in_turn
from fourcorners.web.realtime.rooms import Rooms, get_rooms

_MAX_RUNNING, _MAX_OTHERS = 6, 12
_MAX_OPEN_GAMES = 4
_MAX_RECORD_LINES = 5000


def show_home(request: Request, error: str = "", text: str = "") -> Response:
    """Show the games and the puzzle of the day. Visitors who have been here before see their own games and what comes
    next, others a board to play on. `error` is a sentence about an upload and the pasted text, for the status 422.
    """
    player: str = request.state.owner
    store = get_context(request).store
    rows = store.list_player_tables(player, RECENT_TABLES)
    rooms, now = get_rooms(request), get_context(request).time.now()
    running = [row for row in rows if row.kind == LIVE and not row.result and not _has_left(rooms, row)]
    running.sort(key=lambda row: not _is_own_turn(row, player))
    shown, others = running[:_MAX_RUNNING], [row for row in rows if row not in running[:_MAX_RUNNING]]
    others.sort(key=lambda row: row not in running)
    own = {row.id for row in rows}
    boards = draw_own_boards(rooms, shown, player)
    last_puzzle_game = store.find_last_game(player) if request.state.known else None
    progress = read_progress(request)
    is_new = not (rows or last_puzzle_game or progress)
    first = build_first_board()
    context = {
        "running": [_describe_row(row, player, now) | {"board": boards.get(row.id, "")} for row in shown],
        "others": [_describe_row(row, player, now) for row in others[:_MAX_OTHERS]],
        "cards": [_describe_card(game_id, rows, player) for game_id in catalogue.games()],
        "first": first if is_new else None,
        "offer": find_first_lesson(first["game"]["id"]) if is_new else None,
        "first_level": _find_level(first["game"]["id"], rows, player),
        "waiting": [row for row in get_lobby_lists(request).open if row.id not in own][:_MAX_OPEN_GAMES],
        "sentence": error,
        "text": text,
        "daily": _describe_daily(request),
        **describe_miniatures(set(catalogue.games())),
    }
    if not is_new:
        favourites = [last_puzzle_game, *(row.game for row in rows), *catalogue.games()]
        games = [game_id for game_id in dict.fromkeys(favourites) if game_id in catalogue.games()]
        begun = [name.partition("/")[0] for name in progress]
        context |= {
            "puzzle": _describe_next_puzzle(request, games),
            "lesson": _describe_next_lesson([*(each for each in begun if each in games), *games], progress),
        }
    response = render_page(request, "home.html", context, 422 if error else 200)
    # Back must not bring back the games as they were.
    response.headers["cache-control"] = "no-store"
    return response


def _describe_next_puzzle(request: Request, game_ids: Sequence[str]) -> dict[str, Any] | None:
    """Return a puzzle that suits the visitor, from the first of these games that has puzzles; None without one. Raise
    StoreError.
    """
    game_id = next((game_id for game_id in game_ids if list_puzzles(game_id)), "")
    puzzle = choose_next_puzzle(request, catalogue.game(game_id)) if game_id else None
    if puzzle is None:
        return None
    position = puzzle.position
    board = draw_miniature(puzzle.game, position.view(position.seat))
    return {"name": puzzle.name, "title": puzzle.game.title, "task": describe_task(puzzle), "board": board}


def _describe_next_lesson(game_ids: Sequence[str], progress: Mapping[str, int]) -> dict[str, Any] | None:
    """Return the first lesson of some games that is not finished, with the board of its next step; None if all are."""
    lesson = find_next_lesson(game_ids, progress)
    if lesson is None:
        return None
    done = progress.get(lesson.name, 0)
    return {"lesson": lesson, "done": done, "board": _draw_step(lesson.game.id, lesson.id, done)}


@functools.lru_cache(maxsize=256)
def _draw_step(game_id: str, lesson_id: str, number: int) -> Markup:
    position = get_position(find_lesson(game_id, lesson_id), number)
    return draw_miniature(position.game, position.view(position.seat))


def _describe_card(game_id: str, rows: Sequence[StoredTable], player: str) -> dict[str, Any]:
    """Return what a card shows of a game: texts, and as `fields` the form that starts a short game at `level`."""
    default = catalogue.game(game_id)
    game = catalogue.game(game_id, **default.starter)
    level = _find_level(game_id, rows, player)
    fields = {name: format_value(value) for name, value in default.starter.items()}
    fields |= {"seat-0": PERSON, "who-begins": "random"}
    for seat in range(1, game.seats):
        fields |= {f"seat-{seat}": "computer", f"level-{seat}": str(level)}
    return {
        "id": game_id,
        "title": game.title,
        "summary": find_summary(game),
        "size": describe_size(game),
        "level": level,
        "fields": fields,
        "shuffles": has_commitment(game),
        "lesson": find_first_lesson(game_id),
        "has_puzzles": bool(list_puzzles(game_id)),
        "cover": _draw_cover(game_id),
    }


def _describe_daily(request: Request) -> dict[str, Any] | None:
    """Return what the page shows of the puzzle of the day; None without puzzles. Raise StoreError."""
    context = get_context(request)
    now = context.time.now()
    daily, earlier = find_daily(now), find_daily(now - DAY)
    if daily is None:
        return None
    puzzle, position = daily.puzzle, daily.puzzle.position
    return {
        "name": puzzle.name,
        "title": puzzle.game.title,
        "day": daily.day,
        "day_in_words": format_day(now),
        "task": describe_task(puzzle),
        "board": draw_miniature(puzzle.game, position.view(position.seat)),
        "yesterday": earlier and earlier.puzzle.name,
        **read_daily_record(context.store, get_known_player(request), now)._asdict(),
    }


def _has_left(rooms: Rooms, row: StoredTable) -> bool:
    """Return whether the visitor has stopped waiting at a table for any opponent."""
    return bool(row.settings.get(PAIRING)) and row.started is None and not is_owner_present(rooms, row)


@functools.lru_cache(maxsize=64)
def _draw_cover(game_id: str) -> Markup:
    """Draw the position of a game's cover; the result is kept."""
    position = pictures.find_cover_position(game_id)
    return draw_miniature(position.game, position.view())


def _find_level(game_id: str, rows: Iterable[StoredTable], player: str) -> int:
    return find_suitable_level(rows, player, game_id, len(catalogue.game(game_id).spec.part(ComputerPlay).levels))


@functools.lru_cache(maxsize=1)
def build_first_board() -> dict[str, Any]:
    """Draw the board of the page at the start, as its first seat sees it; the result is kept.

    Its game is the first one that is meant for this; at least one is.
    """
    showcases = ((game_id, catalogue.game(game_id).showcase) for game_id in catalogue.games())
    game_id, (options, how) = next((game_id, showcase) for game_id, showcase in showcases if showcase is not None)
    game = catalogue.game(game_id, **options)
    view = game.start().view(0)
    return pictures.describe_board(game, view.scene()) | {
        "how": how,
        "size": describe_size(game),
        "moves": view.offered_moves(),
        "options": options,
    }


def _describe_row(row: StoredTable, player: str, now: float) -> dict[str, Any]:
    """Return what the page shows of a table to its `player`; `now` is server time in seconds."""
    names = name_players(seat_labels(row.chairs), [chair.kind for chair in row.chairs])
    own = row.list_seats(player)
    result = describe_result(row.result, names, find_game(row), own, is_stored=True)
    state = result or ("unfinished" if row.kind == STUDY else WAITING)
    if not row.result and row.kind == LIVE and row.turn is not None:
        # One screen that several people share names the one to move.
        state = "your turn" if own == [row.turn] else f"{names[row.turn]} to move"
    others = [name_chair(chair) for chair in row.chairs if [chair.seat] != own]
    age = _format_age(max(0.0, now - row.changed)) if row.kind == LIVE else f"a record of {row.date}"
    with_whom = " – ".join(others) if len(own) != 1 else f"against {list_words(others)}"
    return {
        "id": row.id,
        "title": find_title(row.game),
        "with_whom": with_whom,
        "state": state,
        "when": age,
        "is_own_turn": _is_own_turn(row, player),
    }


def _is_own_turn(row: StoredTable, player: str) -> bool:
    return row.kind == LIVE and row.turn is not None and row.turn in row.list_seats(player)


def name_chair(chair: Chair) -> str:
    """Name a chair's player for a sentence: "Ada", "the computer, level 3" or "an open seat"."""
    level = chair.kind.removeprefix(COMPUTER)
    if level != chair.kind and level.isdecimal():
        return f"the computer, level {level}"
    return chair.name or "an open seat"


def find_game(row: StoredTable) -> Game | None:
    """Return the game of a table; None if this version does not have it, or does not allow its options."""
    try:
        return catalogue.game(row.game, **row.options)
    except GameError:
        return None


_AGES = (
    (DAY, "{} day ago", "{} days ago"),
    (3600, "{} hour ago", "{} hours ago"),
    (60, "{} minute ago", "{} minutes ago"),
)


def _format_age(seconds: float) -> str:
    """Return a time span in its largest unit up to days, such as "3 hours ago"; below a minute "just now"."""
    for length, one, other in _AGES:
        if count := int(seconds // length):
            return pluralise(count, one, other)
    return "just now"


def redirect_home(request: Request) -> Response:
    """Redirect a visitor who opens the address of the form for records to the home page."""
    return RedirectResponse("/", 303)


async def upload_record(request: Request) -> Response:
    """Set up a table to study the record in field `record`, a file, or `text`, or redirect to what a link to this
    site in `text` leads to; show home with an error (422).
    """
    form = await forms.read_form(request)
    file, text = form.get("record", ""), form.get("text", "")
    if file or not text.strip():
        return await store_and_redirect(request, await replay_in_turn(request, _read_record, request, file))
    try:
        link = await run_in_threadpool(find_site_link, get_context(request), text, request.url.netloc)
    except GameError as error:
        return await run_in_threadpool(show_home, request, forms.explain_unopened(error), text)
    if link is not None:
        return RedirectResponse(link.table_address, 303)
    return await store_and_redirect(request, await replay_in_turn(request, _import_text, request, text))


def _import_text(request: Request, text: str, check: Callable[[], None]) -> StoredTable | Response:
    """Return what `_read_record` does for a pasted text: a record, which may have words around it, or a link that names
    its game.
    """
    try:
        return _read_record(request, str(import_record(text, check=check)), check)
    except OptionError:
        sentence = "Paste a record or a link. Moves and positions open on the analysis board, where you choose a game."
    except GameError as error:
        sentence = forms.explain_unopened(error)
    return show_home(request, sentence, text)


def _read_record(request: Request, text: str, check: Callable[[], None]) -> StoredTable | Response:
    """Return the row of a table for the text of a record, or the home page with its error (422); raise StoreError.
    `check` is that of `Record.replay`.
    """
    try:
        if not text.strip():
            return show_home(request, "Paste a record or a link, or choose a file.")
        if not forms.is_text(text):
            raise RecordError(0, "the file is not a text file")
        if text.count("\n") > _MAX_RECORD_LINES:
            raise RecordError(0, f"this record has more than {_MAX_RECORD_LINES} lines")
        match = Record.replay(text, check)
        if match.start is not None:
            raise RecordError(0, "it begins with its own position, so it opens on the analysis board only")
        return build_study(match, request.state.owner, get_context(request).time.now(), check)
    except RecordError as error:
        return show_home(request, f"This record cannot be opened: {error.message}.")
