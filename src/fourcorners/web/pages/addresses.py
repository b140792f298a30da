"""What the address of a page names: a game, or a table; and addresses that several pages link to."""

import re
from urllib.parse import urlencode

from starlette.requests import Request

from fourcorners.core import catalogue
from fourcorners.core.errors import quote
from fourcorners.core.game import Game
from fourcorners.core.option_fields import format_value
from fourcorners.web.application.context import get_context
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.table_session import load_row
from fourcorners.web.domain.rows import StoredTable

_PLY = re.compile(r"[0-9]{1,4}", re.ASCII)


def get_game_id(request: Request) -> str:
    """Return the id of the game in a request's path; raise Refusal 404 if there is no such game."""
    game_id: str = request.path_params["game"]
    if game_id not in catalogue.games():
        raise Refusal(404, f"There is no game named {quote(game_id)} here.")
    return game_id


def get_linked_ply(request: Request) -> int | None:
    """Return the number of moves before the position to which a link leads, `?ply=`; None for the current one."""
    text = request.query_params.get("ply", "")
    return int(text) if _PLY.fullmatch(text) else None


def load_table(request: Request) -> StoredTable:
    """Return the stored table of a request; blocks. Raise as `load_row`."""
    return load_row(get_context(request), request.path_params["table"])


def build_analysis_address(game: Game, position: str = "") -> str:
    """Return the address of the analysis board with a game's options and a position; without one, a script adds it."""
    options = {name: format_value(value) for name, value in game.given_options().items()}
    return f"/analysis/{game.id}?{urlencode([*options.items(), ('position', position)])}"
