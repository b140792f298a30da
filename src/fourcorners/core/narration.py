"""Plies in words: the description of a move for a viewer, and explanations for newcomers."""

from typing import NamedTuple

from fourcorners.core.game import Position
from fourcorners.core.presentation import Explanation

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class Narration(NamedTuple):
    """A ply in words: a clause without subject and full stop, such as "drew c4–d4"; and explanations, perhaps none."""

    words: str
    explanations: tuple[Explanation, ...]


def narrate(before: Position, after: Position, viewer: int | None) -> Narration:
    """Describe the ply between two positions as a seat saw it, or a spectator (None).

    Only the viewer's views of both positions are used, so the words cannot reveal more.
    """
    told, views = after.game.spec.presentation, (before.view(viewer), after.view(viewer))
    return Narration(told.describe_move(*views), tuple(told.list_explanations(*views)))


def name_move(position: Position, move: str) -> str:
    """Name a legal move for use within a sentence: by its notation, or by a noun with an article."""
    return position.game.spec.presentation.name_move(position.record, move)


def begin_with_move(position: Position, move: str) -> str:
    """Name a legal move for the beginning of a sentence; notation keeps its case."""
    name = name_move(position, move)
    return name if name == move else f"{name[:1].upper()}{name[1:]}"


def spell_count(count: int, noun: str, plural: str = "") -> str:
    """Write a count, 0 or more, with its noun: "one box", "two boxes"; without `plural`, an s is added."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {noun if count == 1 else plural or f'{noun}s'}"
