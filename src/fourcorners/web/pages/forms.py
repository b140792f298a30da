"""HTML forms: read within limits, turned into a table to set up, and shown again with what was typed."""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from fourcorners.core import catalogue, text_files
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.shuffle import is_value
from fourcorners.core.spec import Spec
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.table_setup import CHATS, MAX_SEATS, VISIBILITIES, Sharing, TableSetup
from fourcorners.web.domain import clocks, seats
from fourcorners.web.domain.clocks import TimeControl, check_range
from fourcorners.web.domain.level_points import find_level_points
from fourcorners.web.domain.names import clean_name
from fourcorners.web.domain.seats import DEFAULT_LEVEL, OPEN, PERSON, Strength, level_numbers
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import YOU
from fourcorners.web.pages.option_fields import apply_size_choice
from fourcorners.web.realtime.request_work import read_body

SECONDS_A_MOVE = "time"
"""The value of the level menu for a computer with seconds per move."""
_DIFFICULTIES = ("Easy", "Medium", "Hard", "Very hard")
TABLE_FIELDS = ("clock", "clock-minutes", "clock-increment", "clock-days", "visibility", "chat", "rated")
"""The fields besides the game's own options at which a form shows an error."""
LARGEST_BODY = 1_100 * 1024
_MAX_FIELDS = 200
_LONGEST_SHOWN = 8  # characters of a typed number
_FORM_TYPES = {"multipart/form-data", "application/x-www-form-urlencoded"}
_NUMBER = re.compile(r"[0-9]{1,5}", re.ASCII)
_MINUTES = re.compile(r"[0-9]{1,3}([.,][0-9]{1,3})?", re.ASCII)


class LevelChoice(NamedTuple):
    """An option of a computer's level menu: its group, the value that a form sends, its text, and what it means."""

    group: str
    value: str
    label: str
    help: str


BY_TIME = LevelChoice("Limited by time", SECONDS_A_MOVE, "Seconds per move", "Full strength: it holds nothing back.")


def is_text(content: str) -> bool:
    """Return whether the content of a file or a field is text: without signs that mean nothing to a reader."""
    return not any((sign < " " and not sign.isspace()) or sign == "\ufffd" for sign in content)


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form by name, files as text; of several fields with one name the last; {} for no body.

    Bytes of files that are not text are replaced. Raise Refusal with one sentence: 413 if the body is too large,
    400 if it is not a form or has too many fields; and ClientDisconnect.
    """
    body = await read_body(request, LARGEST_BODY)
    if not body:
        # A form without fields may come without a content type.
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in _FORM_TYPES:
        raise Refusal(400, "This is not a form: it must be multipart/form-data or urlencoded.")

    # Starlette reads a form from the ASGI messages, which have been used up.
    async def replay() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    try:
        form = await Request(request.scope, replay).form(
            max_files=_MAX_FIELDS, max_fields=_MAX_FIELDS, max_part_size=LARGEST_BODY
        )
    except HTTPException as error:
        # Starlette's reader has a sentence for each fault of a form.
        raise Refusal(400, write_sentence(error.detail)) from error
    try:
        return {
            name: _decode_file(await value.read()) if isinstance(value, UploadFile) else value
            for name, value in form.items()
        }
    finally:
        await form.close()


def _decode_file(data: bytes) -> str:
    """Decode a file; bytes that are not text are replaced."""
    try:
        return text_files.decode(data)
    except UnicodeDecodeError:
        return data.decode(errors="replace")


class Host(NamedTuple):
    """The player who sets up a table: the name, whether it is an account's, and which names other accounts have."""

    name: str
    account: bool
    is_taken: Callable[[str], bool]


def parse_game(game_id: str, form: Mapping[str, str]) -> Game:
    """Return the game with its options from a form, ignoring other fields; raise OptionError, for an unknown id too."""
    game = catalogue.game(game_id)
    fields = {field.name for field in game.spec.options.fields()}
    chosen = apply_size_choice(game, form)
    return catalogue.parse_game(game_id, {name: text for name, text in chosen.items() if name in fields})


def parse_setup(game_id: str, form: Mapping[str, str], host: Host) -> TableSetup:
    """Return the table that a form describes; raise OptionError with the wrong field, or "game", as its `option`."""
    game = parse_game(game_id, form)
    kinds = [_parse_kind(form, seat, game.spec) for seat in range(game.seats)]
    # Where all play on this device, the form does not ask.
    rated = form.get("rated") == "true" and set(kinds) != {PERSON}
    return TableSetup(
        game,
        kinds,
        control=parse_time_control(form),
        confirm=form.get("confirm") == "true",
        sharing=_parse_sharing(form) if OPEN in kinds else Sharing(),
        names=_name_people(form, kinds, host, is_known=rated or OPEN in kinds),
        shuffle=form.get("who-begins", "random") != "order",
        hide_points=form.get("hide_points") == "true" and game.spec.presentation.points_clause is not None,
        rated=rated,
        hash=parse_hash(form),
    )


def parse_hash(form: Mapping[str, str]) -> str:
    """Return the hash that a script has put into a form, of the browser's value for the shuffle; empty without one."""
    text = form.get("hash", "")
    return text if is_value(text) else ""


def explain_unopened(error: GameError) -> str:
    """Say why a record, a link or another text cannot be opened."""
    return f"This cannot be opened: {error.message}."


def parse_time_control(form: Mapping[str, str]) -> TimeControl:
    """Return the time control of a form, none without a field `clock`; raise OptionError that names the wrong field.
    `clock` is one of `list_clock_choices`; `clock-minutes`, `clock-increment` and `clock-days` describe a custom clock.
    """
    choice = form.get("clock", "")
    if choice == clocks.GAME_CLOCK:
        increment = _parse_number(form, "clock-increment", 0, clocks.MAX_INCREMENT, clocks.SECONDS_PER_TURN)
        return TimeControl(_parse_minutes(form), increment)
    if choice == clocks.DAYS_CLOCK:
        return TimeControl(days=_parse_number(form, "clock-days", 1, clocks.MAX_DAYS, clocks.DAYS_PER_TURN))
    return TimeControl.parse(choice)


def _parse_number(form: Mapping[str, str], field: str, low: int, high: int, unit: str) -> int:
    """Return the whole number in a field; raise OptionError, which names the `unit`, unless it is `low` to `high`."""
    text = form.get(field, "").strip()
    return check_range(field, int(text) if _NUMBER.fullmatch(text) else text, low, high, unit)


def _parse_minutes(form: Mapping[str, str]) -> int:
    """Return the seconds of a custom clock, which a form gives in minutes; raise OptionError if not in range."""
    text = form.get("clock-minutes", "").strip()
    seconds = round(60 * float(text.replace(",", "."))) if _MINUTES.fullmatch(text) else 0
    if clocks.MIN_SECONDS <= seconds <= clocks.MAX_SECONDS:
        return seconds
    allowed = f"{clocks.MIN_SECONDS} seconds ({clocks.MIN_SECONDS / 60:.2f}) to {clocks.MAX_SECONDS // 60} minutes"
    raise OptionError("clock-minutes", f"{quote(text)} is not allowed; it must be {allowed} for the game")


def _parse_sharing(form: Mapping[str, str]) -> Sharing:
    visibility = _parse_choice(form, "visibility", VISIBILITIES)
    return Sharing(visibility, _parse_choice(form, "chat", CHATS))


def _parse_choice(form: Mapping[str, str], field: str, allowed: Sequence[str]) -> str:
    """Return the value of a field, the first allowed one if it is missing; raise OptionError if it is not allowed."""
    choice = form.get(field, allowed[0])
    if choice not in allowed:
        raise OptionError(field, f"{quote(choice)} is not allowed; it must be {' or '.join(allowed)}")
    return choice


def _name_people(form: Mapping[str, str], kinds: Sequence[str], host: Host, *, is_known: bool) -> dict[int, str]:
    """Return the name of each person at this browser by seat; raise OptionError for the name of another account.

    `kinds` has the kind of player at each seat. Where others must know the players (`is_known`), as with open seats, an
    account's holder has its name at the first own seat; elsewhere any name will do, because no one can be misled by it.
    Blank names become "You" or "Player N".
    """
    own = [seat for seat, kind in enumerate(kinds) if kind == PERSON]
    names = {seat: clean_name(form.get(f"name-{seat}", "")) for seat in own}
    alone = len(own) == 1
    if not is_known:
        return {seat: name or (YOU if alone else f"Player {seat + 1}") for seat, name in names.items()}
    if own and (host.account or (alone and not names[own[0]])):
        names[own[0]] = host.name
    for seat, name in names.items():
        if name and host.is_taken(name):
            raise OptionError(f"name-{seat}", "this is the name of another player’s account; choose another one")
    return {seat: name or f"Player {seat + 1}" for seat, name in names.items()}


def _parse_kind(form: Mapping[str, str], seat: int, spec: Spec) -> str:
    """Return "person", "open" or a kind of computer such as "computer:3" for a seat of a form; raise OptionError."""
    kind = form.get(f"seat-{seat}", PERSON if seat == 0 else "computer")
    if kind in {PERSON, OPEN}:
        return kind
    if kind != "computer":
        raise OptionError(f"seat-{seat}", f"{quote(kind)} is not allowed; it must be person, open or computer")
    return _parse_strength(form, seat, level_numbers(spec)).kind


def _parse_strength(form: Mapping[str, str], seat: int, levels: tuple[int, ...]) -> Strength:
    """Return the strength of a seat's computer: one of `levels`, or seconds; raise OptionError with the wrong field."""
    text = form.get(f"level-{seat}", "")
    if not text:
        # A form without this seat gives its computer the strength of another seat.
        given = [other for other in range(MAX_SEATS) if form.get(f"level-{other}")]
        seat, text = (given[0], form[f"level-{given[0]}"]) if given else (seat, str(DEFAULT_LEVEL))
    if text == SECONDS_A_MOVE:
        typed = form.get(f"seconds-{seat}", "")
        seconds = seats.parse_seconds(typed)
        if seconds is None:
            allowed = f"{seats.MIN_MOVE_SECONDS:g} to {seats.MAX_MOVE_SECONDS:g} seconds per move"
            raise OptionError(f"seconds-{seat}", f"{quote(typed)} is not allowed; it must be {allowed}")
        return Strength(seconds=seconds)
    if text not in map(str, levels):
        raise OptionError(f"level-{seat}", f"{quote(text)} is not allowed; it must be {min(levels)} to {max(levels)}")
    return Strength(int(text))


def list_table_fields(form: Mapping[str, str], wrong: str = "", reason: str = "") -> dict[str, Any]:
    """Return the template variables for clock, visibility and chat, with what was typed. `wrong` names a field with an
    error, and `reason` says what is wrong with it; both may be empty.
    """
    groups = itertools.groupby(clocks.list_clock_choices(), lambda choice: choice.group)
    defaults = {"minutes": "10", "increment": "5", "days": "3"}
    return {
        **{key: clean_name(form.get(f"clock-{key}", text))[:_LONGEST_SHOWN] for key, text in defaults.items()},
        "clocks": [{"name": name, "choices": list(choices)} for name, choices in groups],
        "clock": form.get("clock", ""),
        "visibility": form.get("visibility", VISIBILITIES[0]),
        "chat": form.get("chat", CHATS[0]),
        "rated": form.get("rated") == "true",
        "rated_clock": str(TimeControl(600, 5)),
        "hide_points": form.get("hide_points") == "true",
        "wrong": wrong,
        "reason": reason,
    }


def list_seat_rows(
    form: Mapping[str, str], game: Game, suitable_level: int = DEFAULT_LEVEL, wrong: str = "", reason: str = ""
) -> list[dict[str, Any]]:
    """Return the template variables for each possible seat with what was typed, and where nothing was the computer at
    the suitable level; a `wrong` field has its `reason`.
    """
    rows, default = [], str(suitable_level)
    helps = {choice.value: choice.help for choice in (*list_level_choices(game.id, game.spec), BY_TIME)}
    for seat in range(MAX_SEATS):
        level = form.get(f"level-{seat}", default)
        level = level if level in helps else default
        kind = form.get(f"seat-{seat}", PERSON if seat == 0 else "computer")
        seconds = clean_name(form.get(f"seconds-{seat}", ""))[:_LONGEST_SHOWN]
        rows.append(
            {
                "index": seat,
                "shown": seat < game.seats or f"seat-{seat}" in form,
                "colour": game.seat_names[seat] if seat < game.seats else "",
                "name": clean_name(form.get(f"name-{seat}", "")),
                "kind": kind if kind in {PERSON, OPEN} else "computer",
                "level": level,
                "level_help": helps[level],
                "seconds": seconds or f"{seats.DEFAULT_MOVE_SECONDS:g}",
                "wrong": wrong.removesuffix(f"-{seat}") if wrong.endswith(f"-{seat}") else "",
                "reason": reason if wrong.endswith(f"-{seat}") else "",
            }
        )
    return rows


def list_level_choices(game_id: str, spec: Spec) -> list[LevelChoice]:
    """List the options of a computer's level menu: the levels with their points in four groups, the easiest first. The
    steps between levels are about equal, so groups of the same length are too.
    """
    count = len(spec.part(ComputerPlay).levels)
    return [
        LevelChoice(
            _DIFFICULTIES[len(_DIFFICULTIES) * (level - 1) // count],
            str(level),
            f"{level} · {find_level_points(game_id, level).points} · {spec.part(ComputerPlay).levels[level - 1].name}",
            seats.describe_level(spec, level),
        )
        for level in level_numbers(spec)
    ]


def group_level_choices(choices: Iterable[LevelChoice]) -> list[dict[str, Any]]:
    """Return the `name` and the `choices` of each group of options that follow each other."""
    return [{"name": name, "choices": list(group)} for name, group in itertools.groupby(choices, lambda one: one.group)]
