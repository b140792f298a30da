"""Forms: read from a request within limits, and turned into a game with seats."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.spec import Spec
from fourcorners.web.domain.clocks import TimeControl, list_clock_choices
from fourcorners.web.domain.names import clean_name
from fourcorners.web.domain.seats import (
    DEFAULT_LEVEL,
    DEFAULT_MOVE_SECONDS,
    LEAST_SECONDS,
    MOST_SECONDS,
    OPEN,
    PERSON,
    Strength,
    describe_level,
    format_level,
    level_numbers,
    parse_seconds,
    parse_strength,
    rotate_seats,
)

MOST_SEATS = 8
VISIBILITIES = ("link", "public")
CHATS = ("presets", "free")
BY_TIME = "time"
"""What stands for a level where a computer is given seconds a move."""
LARGEST_BODY = 1_100_000
_DRAINED = 16_000_000
_MOST_FIELDS = 200
_NAME = re.compile(rb'[;\s]name="([^"\r\n]{0,100})"')


async def read_form(request: Request) -> dict[str, str]:
    """Read a form's fields by name, the last of a name; raise HTTPException if it is too large or no form."""
    body = await _body(request)
    kind, _, rest = request.headers.get("content-type", "").partition(";")
    if kind.strip().lower() == "multipart/form-data":
        return _multipart(body, rest)
    try:
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise HTTPException(400, "This form cannot be read.") from None


async def _body(request: Request) -> bytes:
    chunks, total = [], 0
    async for chunk in request.stream():
        total += len(chunk)
        if total > _DRAINED:
            break
        # A browser shows the answer only once it has sent everything, so a little too much is read and dropped.
        if total <= LARGEST_BODY:
            chunks.append(chunk)
    if total > LARGEST_BODY:
        raise HTTPException(413, "What was sent is too large: at most 1 MB is taken.")
    return b"".join(chunks)


def _multipart(body: bytes, parameters: str) -> dict[str, str]:
    found = re.search(r'boundary="?([^";,\s]{1,70})', parameters)
    if found is None:
        raise HTTPException(400, "This form cannot be read.")
    parts = (b"\r\n" + body).split(b"\r\n--" + found[1].encode("latin-1"), _MOST_FIELDS)
    form = {}
    for part in parts[1:]:
        head, _, value = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if name is not None:
            form[name[1].decode(errors="replace")] = value.decode(errors="replace")
    return form


class Setup(NamedTuple):
    """A game with who plays it, as a form says."""

    game: Game
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    settings: dict[str, Any]


class Host(NamedTuple):
    """Who sets up a game: what they are called, whether that is an account's name, and which names are others'."""

    name: str
    account: bool
    is_others: Callable[[str], bool]


def game_of(game_id: str, form: Mapping[str, str]) -> Game:
    """Make the game that a form describes; raise OptionError."""
    fields = {field.name for field in catalogue.game(game_id).spec.options.fields()}
    return catalogue.parse(game_id, {name: text for name, text in form.items() if name in fields})


def setup_of(game_id: str, form: Mapping[str, str], host: Host) -> Setup:
    """Make a game and its seats from a form; raise OptionError."""
    game = game_of(game_id, form)
    kinds = [_kind(form, seat, game.spec) for seat in range(game.seats)]
    settings = _settings(form, among_people=OPEN in kinds)
    people = _people(form, kinds, host)
    names = [
        people[seat] if kind == PERSON else "" if kind == OPEN else parse_strength(kind, game.spec).name
        for seat, kind in enumerate(kinds)
    ]
    first = 0
    if form.get("who-begins", "random") != "order":
        # Ruling R1; those at the table keep their order, so that partners still sit across.
        first = random.SystemRandom().randrange(game.seats)
    return Setup(game, rotate_seats(names, first), rotate_seats(kinds, first), settings)


def _people(form: Mapping[str, str], kinds: Sequence[str], host: Host) -> dict[int, str]:
    """Name the people at this browser by seat; raise OptionError for a name by which others would be misled."""
    seats = [seat for seat, kind in enumerate(kinds) if kind == PERSON]
    typed = {seat: clean_name(form.get(f"name-{seat}", "")) for seat in seats}
    alone = len(seats) == 1
    if OPEN not in kinds:
        return {seat: name or ("You" if alone else f"Player {seat + 1}") for seat, name in typed.items()}
    if seats and (host.account or (alone and not typed[seats[0]])):
        typed[seats[0]] = host.name
    for seat, name in typed.items():
        if name and host.is_others(name):
            raise OptionError(f"name-{seat}", "somebody’s account has this name; choose another one")
    return {seat: name or f"Player {seat + 1}" for seat, name in typed.items()}


def _settings(form: Mapping[str, str], *, among_people: bool) -> dict[str, Any]:
    """Read how a game is played; what is about people who come by a link counts only where some may."""
    settings: dict[str, Any] = {"confirm": form.get("confirm") == "true", "clock": TimeControl.from_form(form).as_json()}
    if among_people:
        for name, allowed in (("visibility", VISIBILITIES), ("chat", CHATS)):
            chosen = form.get(name, allowed[0])
            if chosen not in allowed:
                raise OptionError(name, f"{quote(chosen)} is not allowed; it may be {' or '.join(allowed)}")
            settings[name] = chosen
        settings["rated"] = form.get("rated") == "true"
    return settings


TERMS = ("clock", "clock-minutes", "clock-increment", "clock-days", "visibility", "chat")
"""The fields, besides the game's own options, that a form shows a reason at."""
_LONGEST_SHOWN = 8


def terms(form: Mapping[str, str], wrong: str = "", reason: str = "") -> dict[str, Any]:
    """Return what a page's form shows of clock and company, as typed; `reason` says why the field `wrong` is so."""
    groups: list[dict[str, Any]] = []
    for choice in list_clock_choices():
        if not groups or groups[-1]["name"] != choice.group:
            groups.append({"name": choice.group, "choices": []})
        groups[-1]["choices"].append(choice)

    def typed(name: str, usual: str) -> str:
        return clean_name(form.get(name, usual))[:_LONGEST_SHOWN]

    return {
        "clocks": groups,
        "clock": form.get("clock", ""),
        "minutes": typed("clock-minutes", "10"),
        "increment": typed("clock-increment", "5"),
        "days": typed("clock-days", "3"),
        "visibility": form.get("visibility", VISIBILITIES[0]),
        "chat": form.get("chat", CHATS[0]),
        "rated": form.get("rated") == "true",
        "wrong": wrong,
        "reason": reason,
    }


def _kind(form: Mapping[str, str], seat: int, spec: Spec) -> str:
    who = form.get(f"seat-{seat}", PERSON if seat == 0 else "computer")
    if who in {PERSON, OPEN}:
        return who
    if who != "computer":
        raise OptionError(f"seat-{seat}", f"{quote(who)} is not allowed; it may be person, open or computer")
    return _strength(form, seat, level_numbers(spec)).kind


def _strength(form: Mapping[str, str], seat: int, levels: tuple[int, ...]) -> Strength:
    text = form.get(f"level-{seat}", "")
    if not text:
        # A seat that the form does not name plays as another one does.
        others = [other for other in range(MOST_SEATS) if form.get(f"level-{other}")]
        seat, text = (others[0], form[f"level-{others[0]}"]) if others else (seat, str(DEFAULT_LEVEL))
    if text == BY_TIME:
        typed = form.get(f"seconds-{seat}", "")
        seconds = parse_seconds(typed)
        if seconds is None:
            range_ = f"it may be {LEAST_SECONDS:g} to {MOST_SECONDS:g} seconds a move"
            raise OptionError(f"seconds-{seat}", f"{quote(typed)} is not allowed; {range_}")
        return Strength(seconds=seconds)
    if text not in map(str, levels):
        raise OptionError(f"level-{seat}", f"{quote(text)} is not allowed; it may be {min(levels)} to {max(levels)}")
    return Strength(int(text))


def seat_rows(form: Mapping[str, str], game: Game, wrong: str = "") -> list[dict[str, Any]]:
    """List the seats' rows as a page's form shows them, with what was typed; `wrong` names what did not fit."""
    rows = []
    colours = game.seat_names
    usual = str(DEFAULT_LEVEL)
    offered = {str(level["value"]) for level in levels_offered(game.spec)}
    for seat in range(MOST_SEATS):
        text = form.get(f"level-{seat}", usual)
        kind = form.get(f"seat-{seat}", PERSON if seat == 0 else "computer")
        rows.append(
            {
                "index": seat,
                "shown": seat < game.seats or f"seat-{seat}" in form,
                "colour": colours[seat] if seat < game.seats else "",
                "name": clean_name(form.get(f"name-{seat}", "")),
                "kind": kind if kind in {PERSON, OPEN} else "computer",
                "level": text if text in offered else usual,
                "seconds": clean_name(form.get(f"seconds-{seat}", ""))[:8] or f"{DEFAULT_MOVE_SECONDS:g}",
                "wrong": wrong == f"seconds-{seat}",
                "wrong_name": wrong == f"name-{seat}",
            }
        )
    return rows


def levels_offered(spec: Spec) -> list[dict[str, str]]:
    """List what may be chosen for a computer: its levels, each with what it is blind to, and seconds a move."""
    levels = [
        {"value": str(level), "label": format_level(spec, level), "help": describe_level(spec, level)}
        for level in level_numbers(spec)
    ]
    return [*levels, {"value": BY_TIME, "label": "Seconds a move", "help": "Full strength: it holds nothing back."}]
