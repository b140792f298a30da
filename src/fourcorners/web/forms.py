"""Forms: read from a request within limits, and turned into a game with seats."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.match import LONGEST_NAME
from fourcorners.web.computer import GENTLE_LEVEL, levels_of
from fourcorners.web.table import COMPUTER, PERSON

MOST_SEATS = 8
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
    confirm: bool


def game_of(game_id: str, form: Mapping[str, str]) -> Game:
    """Make the game that a form describes; raise OptionError."""
    fields = {field.name for field in catalogue.game(game_id).spec.options.fields()}
    return catalogue.parse(game_id, {name: text for name, text in form.items() if name in fields})


def setup_of(game_id: str, form: Mapping[str, str]) -> Setup:
    """Make a game and its seats from a form; raise OptionError."""
    game = game_of(game_id, form)
    kinds = [_kind(form, seat, levels_of(game.spec)) for seat in range(game.seats)]
    persons = kinds.count(PERSON)
    names = []
    for seat, kind in enumerate(kinds):
        usual = (
            f"Computer {kind.removeprefix(COMPUTER)}"
            if kind != PERSON
            else "You"
            if persons == 1
            else f"Player {seat + 1}"
        )
        names.append(clean_name(form.get(f"name-{seat}", "") if kind == PERSON else "") or usual)
    first = 0
    if form.get("who-begins", "random") != "order":
        # Ruling R1; those at the table keep their order, so that partners still sit across.
        first = random.SystemRandom().randrange(game.seats)
    return Setup(game, turned(names, first), turned(kinds, first), form.get("confirm") == "true")


def turned(seats: Iterable[str], first: int) -> tuple[str, ...]:
    """Let the seat `first` begin."""
    listed = list(seats)
    return tuple(listed[first:] + listed[:first])


def _kind(form: Mapping[str, str], seat: int, levels: tuple[int, ...]) -> str:
    who = form.get(f"seat-{seat}", PERSON if seat == 0 else "computer")
    if who == PERSON:
        return PERSON
    if who != "computer":
        raise OptionError(f"seat-{seat}", f"{quote(who)} is not allowed; it may be person or computer")
    return f"{COMPUTER}{_level(form, seat, levels)}"


def _level(form: Mapping[str, str], seat: int, levels: tuple[int, ...]) -> int:
    others = (form[f"level-{i}"] for i in range(MOST_SEATS) if f"level-{i}" in form)
    text = form.get(f"level-{seat}") or next(others, "") or str(GENTLE_LEVEL)
    if text not in map(str, levels):
        raise OptionError(f"level-{seat}", f"{quote(text)} is not allowed; it may be {min(levels)} to {max(levels)}")
    return int(text)


def clean_name(text: str) -> str:
    """Return a name as it can be shown on one line, cut to the longest allowed."""
    shown = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text[: 10 * LONGEST_NAME])
    return " ".join(shown.split())[:LONGEST_NAME]


def seat_rows(form: Mapping[str, str], game: Game) -> list[dict[str, Any]]:
    """List the seats' rows as a page's form shows them, with what was typed."""
    rows = []
    colours = game.seat_names
    for seat in range(MOST_SEATS):
        text = form.get(f"level-{seat}", "")
        rows.append(
            {
                "index": seat,
                "shown": seat < game.seats or f"seat-{seat}" in form,
                "colour": colours[seat] if seat < game.seats else "",
                "name": clean_name(form.get(f"name-{seat}", "")),
                "kind": "person"
                if form.get(f"seat-{seat}", "person" if seat == 0 else "computer") == PERSON
                else "computer",
                "level": int(text) if text in map(str, levels_of(game.spec)) else GENTLE_LEVEL,
            }
        )
    return rows
