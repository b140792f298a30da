"""The page to type games that were played on paper; `entry.js` has the moves checked by the API."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError
from fourcorners.core.game import Game
from fourcorners.study.entry import name_seats
from fourcorners.study.game_words import describe_options
from fourcorners.web.application.context import get_context
from fourcorners.web.pages import pictures
from fourcorners.web.pages.option_fields import list_fields
from fourcorners.web.pages.render import render_page


def show_entry(request: Request) -> Response:
    """Show the games, or for `?game=` with its options the board and the field for moves; with an error status 422."""
    query = dict(request.query_params)
    game_id = query.pop("game", "")
    context: dict[str, Any] = {
        "games": [(name, catalogue.game(name).title) for name in catalogue.games()],
        "error": "",
        "game": None,
        "fields": [],
    }
    if not game_id:
        return render_page(request, "entry.html", context)
    try:
        game = catalogue.parse_game(game_id, query)
    except OptionError as error:
        context["error"] = f"{error.message}."
        if game_id in catalogue.games():
            context["fields"] = list_fields(catalogue.game(game_id), query, error.option, context["error"])
            context["chosen"] = game_id
        return render_page(request, "entry.html", context, 422)
    get_context(request).warmup.prefer(game.spec.id)
    return render_page(request, "entry.html", context | _describe(game) | {"fields": list_fields(game, query)})


def _describe(game: Game) -> dict[str, Any]:
    """Return what the page shows of a game."""
    board = pictures.describe_board(game, game.start(seed=0).view().scene())
    board["game"] |= {
        "words": describe_options(game),
        "options": game.given_options(),
        "hidden": game.spec.hidden,
        "seats": name_seats(game),
    }
    return {"chosen": game.id, **board}
