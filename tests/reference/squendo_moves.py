"""Random moves of Squendo that make rare rules apply: stacks, triples, rectangles, and seats without a move."""

from __future__ import annotations

import random
from collections import Counter
from copy import copy
from itertools import product
from typing import TYPE_CHECKING

from .squendo_tiles import find_black_edges, find_neighbours, parse_place

if TYPE_CHECKING:
    from .squendo import Reference


def choose_rare_move(reference: Reference, rng: random.Random) -> str:
    """Choose a legal move at random, preferring those that make rare rules apply; the game must not be over.
    These are stacks, triples, rectangles, and moves that leave the next seat without one.
    """
    moves = reference.moves()
    if moves == ["pass"]:
        return "pass"
    by_kind: dict[str, list[str]] = {"triple": [], "take": [], "double": [], "plain": []}
    for move in moves:
        kind = "take" if "take:" in move else "triple" if "leave:" in move else "plain"
        if kind == "plain" and parse_place(move.split(" ")[1]) in reference.stacks:
            kind = "double"
        by_kind[kind].append(move)
    goals = ["build"] * 9 + ["starve", "triple", "take", "double", "any"]
    if not reference.stacks or not reference.pile:
        goals += ["starve"] * 8
    if sum(tile[1:-1] == "4" for hand in reference.hands for tile in hand) >= 3:
        goals += ["wall"] * 40
    goal = rng.choice(goals)
    if by_kind.get(goal):
        return rng.choice(by_kind[goal])
    if goal == "starve":
        return min(rng.sample(moves, min(24, len(moves))), key=lambda move: count_replies(reference, move))
    if goal == "wall":
        return min(rng.sample(moves, min(40, len(moves))), key=lambda move: count_openings(reference, move))
    if goal == "build":
        return max(rng.sample(moves, min(30, len(moves))), key=lambda move: measure_progress(reference, move))
    return rng.choice(moves)


def copy_and_lay(reference: Reference, move: str) -> Reference:
    """Return the position after a placement, not a pass, as a copy; what the move exercises is not counted."""
    new = copy(reference)
    new.pile, new.hands = list(reference.pile), [set(hand) for hand in reference.hands]
    new.stacks = {place: list(stack) for place, stack in reference.stacks.items()}
    new.discards, new.passed, new.used = list(reference.discards), set(), Counter()
    new.lay_tile(*move.split(" "))
    new.advance_seat(reference.seat_to_move)
    return new


def count_replies(reference: Reference, move: str) -> int:
    """Count the moves of the next seat after a placement, played on a copy; a pass counts as none."""
    moves = copy_and_lay(reference, move).moves()
    return 0 if moves == ["pass"] else len(moves)


def count_openings(reference: Reference, move: str) -> tuple[int, int]:
    """Return how open the table is to the all-black tiles after a placement.

    The first number counts, for each symbol of which a hand has such a tile, the places where it fits, plus 2 if the
    move lays one itself; the second counts the black edges that face a free place. The reference stays as it is.
    """
    new = copy_and_lay(reference, move)
    black = {tile[-1]: tile for hand in new.hands for tile in hand if tile[1:-1] == "4"}
    visible = new.find_visible()
    places = sum(
        new.fits(tile, 0, place) and (place not in visible or visible[place][0][-1] == symbol)
        for (symbol, tile), place in product(black.items(), new.list_places())
    )
    outward = sum(
        neighbour not in new.stacks and side in find_black_edges(*top)
        for place, top in visible.items()
        for side, neighbour in find_neighbours(place).items()
    )
    return places + 2 * (move[1] == "4"), outward


def measure_progress(reference: Reference, move: str) -> tuple[int, int]:
    """Return how close the best colour is to rectangles after a placement: its filled rectangles, then its corners.
    A corner is three tiles around a right angle. The reference stays as it is.
    """
    new = copy_and_lay(reference, move)
    visible = new.find_visible()

    def progress(colour: str) -> tuple[int, int]:
        """Return the filled rectangles and the corners of one colour."""
        own = {place for place, (tile, _) in visible.items() if tile[0] == colour}
        # Three in a corner are on the way to a rectangle, three in a row are not.
        corners = sum(
            (col + dx, row) in own and (col, row + dy) in own for col, row in own for dx in (-1, 1) for dy in (-1, 1)
        )
        return len(new.find_filled_rectangles(colour)), corners

    return max(progress(colour) for colour in reference.colours[: reference.players])
