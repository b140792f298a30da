"""The page on how strong the computer's levels are, and the reports on the games."""

from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.levels import Level
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.domain.level_points import CHILD_POINTS, find_level_points, read_measurements
from fourcorners.web.domain.seats import describe_level, level_numbers
from fourcorners.web.pages.addresses import get_game_id
from fourcorners.web.pages.render import render_page

_UNLIMITED = 1_000_000
"""A level with at least this many simulations for a move is limited by its seconds alone."""


def show_strength(request: Request) -> Response:
    """Show the levels of every game with their points, what they do, and how that was measured."""
    games = [_describe_game(catalogue.game(name)) for name in catalogue.games()]
    return render_page(request, "strength.html", {"games": games, "child": CHILD_POINTS})


def _describe_game(game: Game) -> dict[str, Any]:
    levels = [
        {
            "number": number,
            "name": game.spec.part(ComputerPlay).levels[number - 1].name,
            **find_level_points(game.id, number)._asdict(),
            "blind": describe_level(game.spec, number),
            "thinks": _describe_thinking(game.spec.part(ComputerPlay).levels[number - 1]),
        }
        for number in level_numbers(game.spec)
    ]
    board = read_measurements(game.id).board
    return {"id": game.id, "title": game.title, "board": board, "levels": levels, "has_report": has_report(game)}


def _describe_thinking(level: Level) -> str:
    """Say in a sentence how a level finds its move."""
    if not level.nodes:
        return "Plays by what it sees, without looking ahead."
    if level.nodes >= _UNLIMITED:
        text = f"Simulates for up to {level.seconds:g} seconds a move"
    else:
        text = f"Simulates {level.nodes:,} games for a move"
    if level.solves >= 1:
        return f"{text}, and solves positions exactly where that is quick."
    return f"{text}, and solves positions exactly at {level.solves:.0%} of its moves." if level.solves else f"{text}."


def has_report(game: Game) -> bool:
    """Return whether there is a report on a game."""
    return bool(_read_report(game))


def show_report(request: Request) -> Response:
    """Show the report on a game under the layout of the site; raise Refusal 404 if there is none."""
    game = catalogue.game(get_game_id(request))
    body = _read_report(game)
    if not body:
        raise Refusal(404, f"There is no report on {game.title} yet.")
    report = Markup(body)  # noqa: S704  # a file of the program, from no input
    return render_page(request, "report.html", {"game": {"id": game.id, "title": game.title}, "report": report})


def _read_report(game: Game) -> str:
    """Return what `fourcorners report` has written between the tags of `main` in the game's folder; "" without it."""
    text = game.spec.read_if_present(f"report-{game.id}.html")
    return text.partition("<main>\n")[2].partition("</main>")[0]
