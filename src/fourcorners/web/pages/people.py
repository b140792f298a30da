"""The ladders, and the public page of an account."""

import re
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.study.results import format_score, parse_result
from fourcorners.web.application.context import get_context
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.domain.names import MAX_LENGTH
from fourcorners.web.domain.ratings import Standing, parse_computer_level, rating_points, rating_uncertainty
from fourcorners.web.domain.results import parse_winners
from fourcorners.web.domain.rows import WAITING
from fourcorners.web.domain.table import LIVE
from fourcorners.web.pages.addresses import get_game_id
from fourcorners.web.pages.days import format_day, format_iso_day
from fourcorners.web.pages.games import find_title
from fourcorners.web.pages.home import find_game, name_chair
from fourcorners.web.pages.render import render_page
from fourcorners.web.store import LadderEntry, RatedGame, StoredTable

_LADDER_LENGTH, _PREVIEW_LENGTH = 100, 5
_GAMES_READ, _GAMES_SHOWN = 200, 50
_SEATS = re.compile(r"[0-9]{1,2}", re.ASCII)


class Ladder(NamedTuple):
    """A ladder as the templates show it: the number of seats, and its entries from the top, see `_describe_entries`."""

    seats: int
    entries: list[dict[str, Any]]


def show_ladders(request: Request) -> Response:
    """Show the first five of every ladder, by game; games without rated games come last."""
    store = get_context(request).store
    ladders: dict[str, list[Ladder]] = {game: [] for game in catalogue.games()}
    for game, seats in store.list_ladders():
        if game in ladders:
            entries = store.read_ladder(game, seats, _PREVIEW_LENGTH)
            ladders[game].append(Ladder(seats, _describe_entries(request, entries)))
    games = [{"id": game, "title": catalogue.game(game).title, "ladders": ladders[game]} for game in ladders]
    return render_page(request, "ladders.html", {"games": sorted(games, key=lambda game: not game["ladders"])})


def show_ladder(request: Request) -> Response:
    """Show a game's ladder for `?seats=`, else the first number that has one, or 2; Refusal 404, StoreError."""
    game = get_game_id(request)
    store = get_context(request).store
    offered = [seats for ladder_game, seats in store.list_ladders() if ladder_game == game]
    text = request.query_params.get("seats", "")
    seats = int(text) if _SEATS.fullmatch(text) else next(iter(offered), 2)
    context = {
        "game": {"id": game, "title": catalogue.game(game).title},
        "offered": offered,
        "ladder": Ladder(seats, _describe_entries(request, store.read_ladder(game, seats, _LADDER_LENGTH))),
        "max_entries": _LADDER_LENGTH,
    }
    return render_page(request, "ladder.html", context)


def _describe_entries(request: Request, entries: list[LadderEntry]) -> list[dict[str, Any]]:
    """Return what the templates show of ladder entries, with a `rank` from 1; `account` is None for a computer."""
    return [
        {
            "rank": rank,
            "account": entry.account,
            "name": entry.account or _name_computer(entry.player),
            "mine": entry.player == request.state.owner,
            **_describe_standing(entry.standing),
        }
        for rank, entry in enumerate(entries, 1)
    ]


def _name_computer(identity: str) -> str:
    level = parse_computer_level(identity)
    return "" if level is None else f"Level {level}"


def _describe_standing(standing: Standing) -> dict[str, Any]:
    """Return `rating` in points with its `uncertainty`, which gives `low` and `high`, and whether it is `provisional`;
    `games`, and `won` in percent, empty without games.
    """
    rating, uncertainty = rating_points(standing), rating_uncertainty(standing)
    return {
        "rating": rating,
        "uncertainty": uncertainty,
        "low": rating - uncertainty,
        "high": rating + uncertainty,
        "provisional": standing.provisional,
        "games": standing.games,
        "won": f"{standing.won / standing.games:.0%}" if standing.games else "",
    }


def show_player(request: Request) -> Response:
    """Show an account: its ratings and the games that this visitor may see."""
    store = get_context(request).store
    # Written in decomposed characters, a name may be longer than it is stored.
    profile = store.find_account(request.path_params["name"][: 4 * MAX_LENGTH])
    if profile is None:
        raise Refusal(404, "There is no account with this name.")
    is_own = profile.id == request.state.owner
    rated_games = store.list_rated_games(profile.id, _GAMES_READ)
    changes = {rated.table_id: rated.moved.get(profile.id) for rated in rated_games}
    games = []
    for table in store.list_player_tables(profile.id, _GAMES_READ):
        is_seated = any(chair.player == profile.id for chair in table.chairs)
        can_open = is_own or table.settings.get("visibility") == "public"
        # Only those who were given the link may see an unlisted game, but the result of a rated game is public.
        if table.kind == LIVE and is_seated and (can_open or (table.result and table.id in changes)):
            games.append(_describe_game(table, profile.id, changes.get(table.id), can_open=can_open))
    ratings = [
        {
            "game": game,
            "title": find_title(game),
            "seats": seats,
            "history": _list_ratings(rated_games, profile.id, game, seats),
            **_describe_standing(standing),
        }
        for game, seats, standing in store.list_player_standings(profile.id)
    ]
    context = {
        "profile": profile,
        "since": format_day(profile.created),
        "own": is_own,
        "ratings": ratings,
        "games": games[:_GAMES_SHOWN],
    }
    return render_page(request, "player.html", context)


def _list_ratings(rated_games: list[RatedGame], player: str, game: str, seats: int) -> list[int]:
    """Return a player's ratings in points before and after each rated game with these `seats`, the oldest first."""
    ratings: list[int] = []
    for rated in reversed(rated_games):
        changes = rated.moved.get(player)
        if changes is not None and (rated.game, rated.seats) == (game, seats):
            old_mu, old_sigma, new_mu, new_sigma = changes
            ratings = ratings or [rating_points(Standing(old_mu, old_sigma))]
            ratings.append(rating_points(Standing(new_mu, new_sigma)))
    return ratings


def _describe_game(table: StoredTable, player: str, changes: list[float] | None, *, can_open: bool) -> dict[str, Any]:
    """Return what a page shows of a game; `changes` are mu and sigma before, then after it, None if it is unrated."""
    own = {chair.seat for chair in table.chairs if chair.player == player}
    points = 0
    if changes is not None:
        old_mu, old_sigma, new_mu, new_sigma = changes
        points = rating_points(Standing(new_mu, new_sigma)) - rating_points(Standing(old_mu, old_sigma))
    return {
        "address": f"/play/{table.id}" if can_open else "",
        "title": find_title(table.game),
        "others": [name_chair(chair) for chair in table.chairs if chair.seat not in own],
        "when": format_day(table.changed),
        "at": format_iso_day(table.changed),
        "outcome": _describe_outcome(table, own),
        "score": _format_score(table, own),
        "change": "" if changes is None else f"{points:+d}".replace("-", "−"),
    }


def _describe_outcome(table: StoredTable, own: set[int]) -> str:
    """Return "won", "lost", "draw" or "abandoned" for the player of the seats `own`, or why there is no result yet."""
    if not table.result:
        return "running" if table.started is not None else WAITING
    winners = parse_winners(table.result)
    if not winners:
        return table.result.partition(" ")[0].rstrip(":")
    return "won" if own & winners else "lost"


def _format_score(table: StoredTable, own: set[int]) -> str:
    """Return the points of a game that the board decided, those of the seats `own` first; "" of others."""
    result = parse_result(table.result)
    if result is None or not result.is_decided_by_points:
        return ""
    return format_score(result.winners, result.points, find_game(table), own)
