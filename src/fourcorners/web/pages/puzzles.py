"""The pages of puzzles: the list of all games, single puzzles, that of the day, and the timed run."""

import random
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.errors import quote
from fourcorners.core.game import Game
from fourcorners.core.narration import spell_count
from fourcorners.study.lessons.format import find_lesson_about
from fourcorners.study.puzzle_themes import MIXED
from fourcorners.study.puzzles.choice import choose_daily, choose_next, choose_run, list_themes
from fourcorners.study.puzzles.format import Puzzle, find_puzzle, list_puzzles
from fourcorners.study.puzzles.knowledge import describe_facts, list_known_pieces
from fourcorners.web.application.context import get_context
from fourcorners.web.application.puzzles import (
    count_progress,
    describe_hint,
    find_first_standing,
    list_games_with_puzzles,
    name_theme,
    read_ratings,
)
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.domain.names import MAX_LENGTH
from fourcorners.web.domain.ratings import Standing, rating_points
from fourcorners.web.domain.sentences import capitalise
from fourcorners.web.pages import pictures
from fourcorners.web.pages.addresses import build_analysis_address, get_game_id
from fourcorners.web.pages.days import format_day, format_iso_day
from fourcorners.web.pages.render import render_page
from fourcorners.web.protocol.board_picture import draw_tokens

_random = random.SystemRandom()


def show_puzzles(request: Request) -> Response:
    """Show the games with puzzles, and what the visitor has solved."""
    games = [_describe_game(request, game) for game in list_games_with_puzzles()]
    return render_page(request, "puzzles.html", {"games": games, "known": request.state.known})


def _describe_game(request: Request, game: Game) -> dict[str, Any]:
    store, player = get_context(request).store, request.state.owner
    puzzles = list_puzzles(game.id)
    attempts = store.read_attempts(player, game.id) if request.state.known else {}
    standing = store.read_puzzle_standing(game.id, player) if request.state.known else None
    daily = choose_daily(puzzles, find_today(request))
    return {
        "id": game.id,
        "title": game.title,
        "count": len(puzzles),
        "tried": sum(puzzle.id in attempts for puzzle in puzzles),
        "solved": sum(attempts.get(puzzle.id, False) for puzzle in puzzles),
        "rating": None if standing is None else rating_points(standing),
        "daily": daily is not None and daily.id in attempts,
        "themes": count_progress(puzzles, attempts, list_themes(puzzles)),
    }


def find_today(request: Request) -> str:
    """Return the day for which the puzzle of the day is chosen."""
    return format_iso_day(get_context(request).time.now())


def redirect_to_puzzles(request: Request) -> Response:
    """Redirect to a game's puzzles in the list of all."""
    return RedirectResponse(f"/puzzles#{_find_game(request).id}", 303)


def redirect_to_daily(request: Request) -> Response:
    """Redirect to the puzzle of the day."""
    game = _find_game(request)
    puzzle = choose_daily(list_puzzles(game.id), find_today(request))
    return RedirectResponse(f"/puzzles/{game.id}/{_require(puzzle).id}?from=daily", 303)


def redirect_to_next(request: Request) -> Response:
    """Redirect to a puzzle that suits the visitor, of the theme in `?theme=`."""
    game, query = _find_game(request), request.query_params
    theme = query.get("theme", "")
    puzzle = choose_next_puzzle(request, game, theme, query.get("but", ""))
    suffix = f"?theme={theme}" if theme else ""
    return RedirectResponse(f"/puzzles/{game.id}/{_require(puzzle).id}{suffix}", 303)


def choose_next_puzzle(request: Request, game: Game, theme: str = "", but: str = "") -> Puzzle | None:
    """Return a puzzle that suits the visitor, of a theme if one is given, and if possible not the one with the id
    `but`; raise Refusal 404 for an unknown theme, or StoreError.
    """
    store, player = get_context(request).store, request.state.owner
    puzzles = list_puzzles(game.id)
    if theme and theme not in list_themes(puzzles):
        raise Refusal(404, f"There are no puzzles on {quote(theme)} for this game.")
    standing = store.read_puzzle_standing(game.id, player) or Standing()
    tried = store.read_attempts(player, game.id)
    ratings = read_ratings(store, game.id, puzzles)
    return choose_next(puzzles, ratings, rating_points(standing), tried, _random, theme, but)


def show_puzzle(request: Request) -> Response:
    """Show a puzzle."""
    game_id, query_params = get_game_id(request), request.query_params
    theme = query_params.get("theme", "")
    puzzle = find_puzzle(game_id, request.path_params["puzzle"])
    store, game = get_context(request).store, puzzle.game
    get_context(request).warmup.prefer(game.spec.id)
    standing = store.read_puzzle_standing(game_id, puzzle.id) or find_first_standing(puzzle)
    own = store.read_puzzle_standing(game_id, request.state.owner) if request.state.known else None
    attempt = store.read_attempts(request.state.owner, game_id).get(puzzle.id) if request.state.known else None
    theme = theme if theme in list_themes(list_puzzles(game_id)) else ""
    query = f"?theme={theme}&but={puzzle.id}" if theme else f"?but={puzzle.id}"
    now, today, challenger = get_context(request).time.now(), find_today(request), find_challenger(request)
    if challenger is not None and challenger["player"] == request.state.owner:
        challenger = None
    lesson = next(filter(None, (find_lesson_about(game_id, each) for each in puzzle.themes)), None)
    context = {
        "puzzle": puzzle,
        # A link that is opened on a later day leads to a puzzle like any other.
        "is_daily": query_params.get("from") == "daily" and puzzle == choose_daily(list_puzzles(game_id), today),
        "day": today,
        "day_in_words": format_day(now),
        "challenger": challenger,
        "themes": [name_theme(each) for each in puzzle.themes if each != MIXED],
        "theme_title": name_theme(theme) if theme else "",
        "difficulty": rating_points(standing),
        "own_rating": None if own is None else rating_points(own),
        "attempt": attempt,
        "analysis_path": build_analysis_address(game, puzzle.text),
        "next_path": f"/puzzles/{game_id}/next{query}",
        "lesson": lesson,
        "steps": [describe_step(puzzle, {"game": game_id, "puzzle": puzzle.id})],
        **describe_first_board(puzzle),
    }
    return render_page(request, "puzzle.html", context)


def find_challenger(request: Request) -> dict[str, str] | None:
    """Return who challenges by the link of a puzzle, as `name`, `account` and `player`: in `?by=` stands the name of an
    account. Anyone else is "A friend", without an account, so that no link can put words on the page. None for other
    links; raise StoreError.
    """
    by = request.query_params.get("by")
    if by is None:
        return None
    profile = get_context(request).store.find_account(by[: 4 * MAX_LENGTH]) if by else None
    if profile is None or profile.account is None:
        return {"name": "A friend", "account": "", "player": ""}
    return {"name": profile.account, "account": profile.account, "player": profile.id}


def show_run(request: Request) -> Response:
    """Show a timed run of puzzles of rising difficulty."""
    game = _find_game(request)
    puzzles = list_puzzles(game.id)
    run = choose_run(puzzles, read_ratings(get_context(request).store, game.id, puzzles), _random)
    get_context(request).warmup.prefer(game.spec.id)
    steps = [
        describe_step(puzzle, {"game": game.id, "puzzle": puzzle.id, "rated": False}, has_hint=False)
        | {"name": f"puzzle {number}", "link": f"/puzzles/{puzzle.name}"}
        for number, puzzle in enumerate(run, 1)
    ]
    return render_page(request, "puzzle_run.html", {"steps": steps, **describe_first_board(run[0])})


def describe_first_board(puzzle: Puzzle) -> dict[str, Any]:
    """Return what the page of exercises needs to begin with the board of a puzzle."""
    position = puzzle.position
    return pictures.describe_board(puzzle.game, position.view(position.seat).scene())


def describe_step(puzzle: Puzzle, question: dict[str, Any], *, has_hint: bool = True) -> dict[str, Any]:
    """Return a puzzle as an exercise of a page, and what the page asks the API with to have moves judged."""
    return {
        "question": question,
        "text": describe_task(puzzle),
        "situation": describe_situation(puzzle),
        "hint": describe_hint(puzzle, puzzle.first) if has_hint else "",
    }


def describe_task(puzzle: Puzzle) -> str:
    """Say what to do in a puzzle."""
    name = puzzle.position.seat_names[puzzle.position.seat or 0]
    goal = "win" if puzzle.game.spec.scoring == "last-move" else "find the best move"
    least, most = puzzle.count_moves(puzzle.first)
    number = spell_count(most, "move")
    count = f"Up to {number}" if least < most else capitalise(number)
    task = f"{capitalise(name)} to move: {goal}."
    return f"{task} {count} to find in a row, against the best defence." if most > 1 else task


def describe_situation(puzzle: Puzzle) -> dict[str, Any]:
    """Return what the picture of a puzzle does not show: points, the facts of the table, and pieces that the seat to
    move knows from the moves before.
    """
    game, position = puzzle.game, puzzle.position
    known = list_known_pieces(position)
    drawn = draw_tokens(game, [token for _, tokens in known for token in tokens])
    label = game.spec.explain.label
    return {
        "facts": describe_facts(position, position.seat),
        "known": [
            {
                "place": capitalise(place),
                # Written by the game, from no input.
                "pieces": [{"label": label(token), "picture": Markup(drawn.get(token, ""))} for token in tokens],  # noqa: S704
            }
            for place, tokens in known
        ],
    }


def _find_game(request: Request) -> Game:
    game_id = request.path_params["game"]
    if game_id not in catalogue.games() or not list_puzzles(game_id):
        raise Refusal(404, f"There are no puzzles of a game named {quote(game_id)} here.")
    return catalogue.game(game_id)


def _require(puzzle: Puzzle | None) -> Puzzle:
    if puzzle is None:
        raise Refusal(404, "There is no such puzzle here.")
    return puzzle
