"""The pages about players: the ladders, and who plays how well."""

from __future__ import annotations

import re
import time
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.web.domain.names import LONGEST
from fourcorners.web.domain.ratings import Standing, parse_computer_level, rating_points
from fourcorners.web.domain.table import LIVE, seat_labels
from fourcorners.web.pages.account import format_day
from fourcorners.web.pages.render import render_page
from fourcorners.web.store import LadderEntry, Store, StoredTable

_RUNGS, _FIRST_RUNGS, _GAMES = 100, 5, 50
_READ = 200
_SEATS = re.compile(r"[0-9]{1,2}", re.ASCII)
_WINNERS = re.compile(r"seats? ([0-9]+(?: and [0-9]+)*) wins? ")


class Ladder(NamedTuple):
    """A ladder as a page shows it."""

    seats: int
    rungs: list[dict[str, Any]]


def show_ladders(request: Request) -> Response:
    """Show the heads of all ladders."""
    store = _store(request)
    boards: dict[str, list[Ladder]] = {game: [] for game in catalogue.games()}
    for game, seats in store.ladders():
        if game in boards:
            boards[game].append(Ladder(seats, _rungs(request, store.ladder(game, seats, _FIRST_RUNGS))))
    listed = [{"id": game, "title": catalogue.game(game).title, "boards": of} for game, of in boards.items()]
    return render_page(request, "ladders.html", {"games": sorted(listed, key=lambda game: not game["boards"])})


def show_ladder(request: Request) -> Response:
    """Show the ladder of a game for a number of seats."""
    game: str = request.path_params["game"]
    if game not in catalogue.games():
        raise HTTPException(404, f"There is no game named {quote(game)} here.")
    store = _store(request)
    offered = [seats for one, seats in store.ladders() if one == game]
    asked = request.query_params.get("seats", "")
    seats = int(asked) if _SEATS.fullmatch(asked) else next(iter(offered), 2)
    context = {
        "game": {"id": game, "title": catalogue.game(game).title},
        "offered": offered,
        "board": Ladder(seats, _rungs(request, store.ladder(game, seats, _RUNGS))),
        "most": _RUNGS,
    }
    return render_page(request, "ladder.html", context)


def _rungs(request: Request, rungs: list[LadderEntry]) -> list[dict[str, Any]]:
    return [
        {
            "rank": rank,
            "account": rung.account,
            "name": rung.account or _computer(rung.player),
            "mine": rung.player == request.state.owner,
            **_told(rung.standing),
        }
        for rank, rung in enumerate(rungs, 1)
    ]


def _computer(identity: str) -> str:
    level = parse_computer_level(identity)
    return "" if level is None else f"Level {level}"


def _told(standing: Standing) -> dict[str, Any]:
    return {
        "rating": rating_points(standing),
        "provisional": standing.provisional,
        "games": standing.games,
        "won": f"{standing.won / standing.games:.0%}" if standing.games else "",
    }


def show_player(request: Request) -> Response:
    """Show an account: its ratings, and its games as far as everybody may know of them."""
    store = _store(request)
    profile = store.find(request.path_params["name"][: 4 * LONGEST])
    if profile is None:
        raise HTTPException(404, "There is no account of this name here.")
    own = profile.id == request.state.owner
    rated = {result.table_id: result.moved.get(profile.id) for result in store.results_of(profile.id, _READ)}
    games = []
    for saved in store.of_player(profile.id, _READ):
        seated = any(chair.player == profile.id for chair in saved.chairs)
        public = saved.settings.get("visibility") == "public"
        # What has only a link is known to those who were given it; of a rated game everybody may see how it ended.
        if saved.kind == LIVE and seated and (own or public or (saved.result and saved.id in rated)):
            games.append(_game(saved, profile.id, rated.get(saved.id), open_=own or public))
    ratings = [
        {"game": game, "title": _title(game), "seats": seats, **_told(standing)}
        for game, seats, standing in store.standings_of(profile.id)
    ]
    context = {
        "profile": profile,
        "since": format_day(profile.created),
        "own": own,
        "ratings": ratings,
        "games": games[:_GAMES],
    }
    return render_page(request, "player.html", context)


def _game(saved: StoredTable, player_id: str, moved: list[float] | None, *, open_: bool) -> dict[str, Any]:
    texts = seat_labels(saved.chairs)
    own = {chair.seat for chair in saved.chairs if chair.player == player_id}
    change = (
        0
        if moved is None
        else rating_points(Standing(moved[2], moved[3])) - rating_points(Standing(moved[0], moved[1]))
    )
    return {
        "address": f"/play/{saved.id}" if open_ else "",
        "title": _title(saved.game),
        "others": [text for seat, text in enumerate(texts) if seat not in own],
        "when": format_day(saved.changed),
        "at": time.strftime("%Y-%m-%d", time.gmtime(saved.changed)),
        "outcome": _outcome(saved, own),
        "change": "" if moved is None else f"{change:+d}".replace("-", "−"),
    }


def _outcome(saved: StoredTable, own: set[int]) -> str:
    if not saved.result:
        return "running" if saved.started is not None else "waits for players"
    winners = _WINNERS.match(saved.result)
    if winners is None:
        return saved.result.partition(" ")[0].rstrip(":")
    return "won" if own & {int(seat) for seat in winners[1].split(" and ")} else "lost"


def _title(game: str) -> str:
    try:
        return catalogue.game(game).title
    except OptionError:
        return game


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store
