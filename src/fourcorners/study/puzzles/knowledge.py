"""Knowledge of the seat to move in a puzzle that its picture does not show: inferable hands, and covered pieces.

The knowledge follows from the moves before the puzzle, which the puzzle does not show.
"""

from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.game import Position


class KnownPieces(NamedTuple):
    """A place as the beginning of a sentence, such as "Red holds", and the tokens of the pieces there; perhaps none."""

    place: str
    tokens: tuple[str, ...]


def list_known_pieces(position: Position) -> list[KnownPieces]:
    """List the unseen pieces that the seat to move knows, from its view alone.

    They are the other hands, if it can infer all of them, and the pieces that were covered after all had seen them.
    """
    hidden, seat = position.game.spec.hidden_information, position.seat
    if hidden is None or seat is None:
        return []
    view = position.view(seat)
    covered = [KnownPieces(place, (token,)) for place, token in hidden.list_covered(view.record)]
    if not hidden.can_infer_hands(view.record, seat):
        return covered
    # Only one world is possible, so any deal finds it.
    states = np.array(view.states)
    compiled_api.deal(states, 0, new_rng(0))
    world = Position(position.game, states, ())
    others = (other for other in range(position.game.seats) if other != seat)
    return [KnownPieces(f"{position.seat_names[other]} holds", list_hand(world, other)) for other in others] + covered


def list_hand(position: Position, seat: int) -> tuple[str, ...]:
    """Return the tokens that a seat's own view shows beside the board."""
    tray = position.view(seat).scene().tray
    return tuple(element.token for element in tray.elements if element.token) if tray else ()


def describe_known_pieces(position: Position) -> list[str]:
    """Describe the known pieces in sentences."""
    label = position.game.spec.explain.label
    sentences = []
    for place, tokens in list_known_pieces(position):
        words = f"{place} {'; '.join(map(label, tokens)) or 'nothing'}."
        sentences.append(words[:1].upper() + words[1:])
    return sentences


def describe_facts(position: Position, seat: int | None) -> str:
    """Return what a seat sees but the picture of a position does not show: points, and facts about table and seats."""
    names = [f"{name[:1].upper()}{name[1:]}" for name in position.seat_names]
    points = [str(points) for points in position.scores]
    found: dict[str, dict[int, str]] = {}
    of_table = []
    for owner, name, value in position.view(seat).facts():
        if owner is None:
            of_table.append(f"{name}: {value}")
        else:
            found.setdefault(name, {})[owner] = value
    rows = {name: [values.get(each, "") for each in range(len(names))] for name, values in found.items()}
    of_seats = [
        f"{name}: {', '.join(map(' '.join, zip(names, values, strict=True)))}"
        for name, values in rows.items()
        # Skip the points, which stand above, and facts that the name already states.
        if all(value.isdecimal() for value in values) and values != points
    ]
    has_points = position.game.spec.scoring == "points"
    scores = [", ".join(map(" ".join, zip(names, points, strict=True)))] if has_points else []
    facts = " · ".join([*scores, *of_seats, *of_table])
    return f"{facts[:1].upper()}{facts[1:]}"
