"""The options of a game as fields of the form for a new game: the number of players and the size, then all others."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.option_fields import Field, format_value

SIZE_CHOICE = "board"
"""The field of the form in which a size is chosen by name; without it the fields of the size itself count."""
OWN_SIZE = "own"
_PLAYERS = "players"
_MOST_COUNTS = 8  # for which there is room in a row
_SMALL, _STANDARD = "small", "standard"
# Side lengths as a share of the usual one, for games that declare no sizes; each is rounded to one that the game
# allows. The small board is that of the game's first game; its share is for games without one.
_SHARES = {_SMALL: 0.65, _STANDARD: 1.0, "large": 1.5}


class SizeChoice(NamedTuple):
    """A size that the form offers by name: "small", "standard" or "large", its dimensions as text, and its options.

    Unless the game declares its sizes, the small one is its first game, which may differ in more than size: in the
    `others` where they are left blank, and `note` says what the dimensions do not, such as "2 blockers".
    """

    name: str
    dimensions: str
    options: dict[str, str]
    others: Mapping[str, str] = {}
    note: str = ""


class OptionFields(NamedTuple):
    """The fields of a form, as `list_fields` returns them: `players` or None, those of the `size`, and the `others`."""

    players: dict[str, Any] | None
    counts: list[str]
    sizes: list[SizeChoice]
    size: list[dict[str, Any]]
    others: list[dict[str, Any]]


def arrange_fields(game: Game, form: Mapping[str, str], wrong: str = "", reason: str = "") -> OptionFields:
    """Return the fields of the options that a game leaves open, with what was typed; `reason` is shown at `wrong`."""
    fields = list_fields(game, form, wrong, reason)
    players = next((field for field in fields if field["name"] == _PLAYERS), None)
    counts = list(players["choices"] or map(str, range(players["low"], players["high"] + 1))) if players else []
    if len(counts) > _MOST_COUNTS:
        players, counts = None, []
    sizes = list_sizes(game)
    size_names = sizes[0].options.keys() if sizes else ()
    colours = game.spec.seat_colours
    main = {*size_names, *([_PLAYERS] if players else []), *([colours.option] if colours else [])}
    return OptionFields(
        players,
        counts,
        sizes,
        [field for field in fields if field["name"] in size_names],
        [field for field in fields if field["name"] not in main],
    )


def list_fields(game: Game, form: Mapping[str, str], wrong: str = "", reason: str = "") -> list[dict[str, Any]]:
    """Return for each option that the preset leaves open its `Field`, typed `value`, and `reason` if it is `wrong`."""
    return [
        {**field._asdict(), "value": form.get(field.name, ""), "reason": reason if wrong == field.name else ""}
        for field in _list_open_options(game)
    ]


def _list_open_options(game: Game) -> list[Field]:
    """Return the options that the preset leaves open, with its own defaults."""
    fields, preset = game.spec.options.fields(), game.preset
    if preset is None:
        return list(fields)
    return [
        field._replace(default=str(preset.defaults.get(field.name, field.default)))
        for field in fields
        if field.name not in preset.options and field.name not in preset.unused
    ]


def describe_seat_colours(game: Game, form: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the template variables for choosing the seats' colours, with what was typed; None if players cannot."""
    colours = game.spec.seat_colours
    if colours is None:
        return None
    field = next(field for field in _list_open_options(game) if field.name == _PLAYERS)
    return {
        "option": colours.option,
        "value": form.get(colours.option, ""),
        "names": list(colours.names.items()),
        "counts": {seats: colours.count(seats) for seats in range(field.low or 2, (field.high or 2) + 1)},
    }


def list_sizes(game: Game) -> list[SizeChoice]:
    """Return the sizes that a form offers by name, the smallest first; none if the game has no size to choose."""
    names = {"cols", "rows"}, {"size"}
    found = {field.name: field for field in _list_open_options(game) if field.kind == "number"}
    sides = next((wanted for wanted in names if wanted <= found.keys()), None)
    if sides is None:
        return []
    if game.preset is None and game.spec.sizes:
        declared = {name: {side: str(options[side]) for side in sides} for name, options in game.spec.sizes.items()}
        return [SizeChoice(name, _format_dimensions(options), options) for name, options in declared.items()]
    sizes = []
    first = {name: format_value(value) for name, value in game.starter.items()}
    for name, share in _SHARES.items():
        options = {side: str(_scale_side(found[side], share)) for side in sides}
        if name != _SMALL or not sides.issubset(first):
            sizes.append(SizeChoice(name, _format_dimensions(options), options))
            continue
        options = {side: first[side] for side in sides}
        others = {option: text for option, text in first.items() if option not in sides}
        numbers = [f"{text} {option}" for option, text in others.items() if text.isdecimal()]
        sizes.append(SizeChoice(name, _format_dimensions(options), options, others, ", ".join(numbers)))
    # Limits, or a first game of the usual size, may make another one the same as the standard size, which always stays.
    standard = next(size.dimensions for size in sizes if size.name == _STANDARD)
    return [size for size in sizes if size.name == _STANDARD or size.dimensions != standard]


def _format_dimensions(options: Mapping[str, str]) -> str:
    """Return a size as text: "8 × 6", columns first, even if it has only one side."""
    columns, rows = (options[name] for name in (("cols", "rows") if "cols" in options else ("size", "size")))
    return f"{columns} × {rows}"


def _scale_side(field: Field, share: float) -> int:
    """Return a share of a side's usual length, rounded up from half a step, within the field's limits."""
    step = field.step or 1
    length = step * int(int(field.default) * share / step + 0.5)
    return max(field.low or 1, min(field.high or length, length))


def find_size_choice(game: Game, form: Mapping[str, str]) -> str:
    """Return the name of the size that a form chooses, or `OWN_SIZE` if it gives another one."""
    sizes = {size.name: size for size in list_sizes(game)}
    if form.get(SIZE_CHOICE) in {*sizes, OWN_SIZE}:
        return form[SIZE_CHOICE]
    if not sizes:
        return OWN_SIZE
    sides = sizes[_STANDARD].options
    if not any(side in form for side in sides):
        return _STANDARD
    defaults = {field.name: field.default for field in _list_open_options(game)}
    typed = {side: form[side].strip() if form.get(side, "").strip() else defaults[side] for side in sides}
    return next((name for name, size in sizes.items() if _is_chosen(size, typed, form)), OWN_SIZE)


def _is_chosen(size: SizeChoice, typed: Mapping[str, str], form: Mapping[str, str]) -> bool:
    """Return whether a form without a size by name has these side lengths, and gives all that else makes the size."""
    return size.options == typed and all(form.get(name, "").strip() == text for name, text in size.others.items())


def apply_size_choice(game: Game, form: Mapping[str, str]) -> dict[str, str]:
    """Return a form with the options of the size that it chooses by name; raise OptionError for an unknown name."""
    choice = form.get(SIZE_CHOICE, OWN_SIZE)
    sizes = {size.name: size for size in list_sizes(game)}
    if choice != OWN_SIZE and choice not in sizes:
        allowed = " or ".join([*sizes, OWN_SIZE])
        raise OptionError(SIZE_CHOICE, f"{quote(choice)} is not allowed; it must be {allowed}")
    if choice == OWN_SIZE:
        return dict(form)
    size = sizes[choice]
    others = {name: text for name, text in size.others.items() if not form.get(name, "").strip()}
    return {**form, **size.options, **others}
