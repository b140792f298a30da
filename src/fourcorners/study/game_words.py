"""A game with its options in a few words."""

from fourcorners.core.game import Game
from fourcorners.core.option_fields import Field, format_value

_LONGEST_OPTION = 24


def describe_game(game: Game) -> str:
    """Return the title of a game with its size, players and changed options."""
    return f"{game.title}, {describe_options(game)}"


def find_summary(game: Game) -> str:
    """Return a game's summary in one sentence: the preset's, or else the game's."""
    return (game.preset.summary if game.preset else "") or game.spec.summary


def describe_size(game: Game) -> str:
    """Return the size of a game's board, such as "5 × 8"; empty if it has no option for it."""
    values = game.options.model_dump(mode="json")
    if {"cols", "rows"} <= values.keys():
        return f"{values['cols']} × {values['rows']}"
    return f"{values['size']} × {values['size']}" if "size" in values else ""


def describe_options(game: Game) -> str:
    """Return a game's size (if any), players and changed options in words: "5 × 8, 3 players, sides shared, strict"."""
    given, values = game.given_options(), game.options.model_dump(mode="json")
    words = [*filter(None, [describe_size(game)]), f"{game.seats} players"]
    shown = {"cols", "rows", "size", "players"}
    if game.spec.seat_colours is not None and game.spec.seat_colours.option in given:
        shown.add(game.spec.seat_colours.option)
        words.append(" – ".join(game.seat_names))
    words += [
        _describe_option(field, values[field.name])
        for field in game.options.fields()
        if field.name in given and field.name not in shown
    ]
    return ", ".join(words)


def _describe_option(field: Field, value: object) -> str:
    """Return an option in a few words, such as "no swap" or, for a number for each seat, "blockers 2 – 4".

    A value of more than 24 characters, or any other list, is just "custom".
    """
    label = field.label.lower()
    if isinstance(value, bool):
        return label if value else f"no {label}"
    text = format_value(value)
    if isinstance(value, list):
        if not all(isinstance(item, int) for item in value):
            return f"custom {label}"
        text = f"{value[0]} each" if len(set(value)) == 1 else " – ".join(map(str, value))
    return f"{label} {text}" if len(text) <= _LONGEST_OPTION else f"custom {label}"
