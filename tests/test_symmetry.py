"""Symmetry: games in a mirror, or on a rotated table, have the same scores after every ply."""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import fourcorners as fc
from tests.reference import REFERENCES, draw_setup

pytestmark = pytest.mark.compiled
LETTERS = "abcdefghijklmnopqrstu"
GAMES = 15
MoveMapping = Callable[[str, dict[str, Any]], str]


def mirror_point(point: str, last: int) -> str:
    """Mirror a point, a column letter and a row, left to right; `last` is the index of the last column, from 0."""
    return LETTERS[last - LETTERS.index(point[0])] + point[1:]


def mirror_squarin_off_move(move: str, options: dict[str, Any]) -> str:
    """Mirror a move of Squarin' Off, edges and blockers, left to right; the option `cols` counts columns of boxes."""
    tokens = []
    for token in move.split(" "):
        if token.startswith("#"):
            tokens.append("#" + mirror_point(token[1:], options["cols"] - 1))
        else:
            dots = [mirror_point(dot, options["cols"]) for dot in re.findall(r"[a-u]\d+", token)]
            tokens.append("".join(sorted(dots, key=lambda dot: (dot[0], int(dot[1:])))))
    return " ".join(tokens)


def mirror_square_off_move(move: str, options: dict[str, Any]) -> str:
    """Mirror a move of Square Off left to right; `swap` stays as it is. A board without `size` has 8 columns."""
    if move == "swap":
        return move
    return " ".join(mirror_point(cell, options.get("size", 8) - 1) for cell in move.split(" "))


def mirror_sqez_move(move: str, options: dict[str, Any]) -> str:
    """Mirror a move of Sqez, a rectangle, left to right; a board without the option `cols` has 8 columns."""
    last = options.get("cols", 8) - 1
    low, high = move.split(" ")
    return f"{mirror_point(high, last)[0]}{low[1:]} {mirror_point(low, last)[0]}{high[1:]}"


def rotate_squendo_move(move: str, options: dict[str, Any]) -> str:
    """Rotate a move of Squendo by half a turn about the first tile; the options do not matter."""
    tokens, tile = [], ""
    for token in move.split(" "):
        if re.fullmatch(r"-?\d+,-?\d+", token):
            x, y = (-int(number) for number in token.split(","))
            tokens.append(f"{x},{y}")
        elif re.fullmatch(r"r[0-3]", token):
            turns = {"0": 1, "4": 1, "2o": 2}.get(tile[1:-1], 4)
            tokens.append(f"r{(int(token[1]) + 2) % turns}")
        else:
            tile = token.removeprefix("leave:") if not token.startswith("take:") else tile
            tokens.append(token)
    return " ".join(tokens)


MAPPINGS: dict[str, MoveMapping] = {
    "squarin-off": mirror_squarin_off_move,
    "square-off": mirror_square_off_move,
    "squendo": rotate_squendo_move,
    "sqez": mirror_sqez_move,
}


def mirror_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the values of the boxes, if there are any, mirrored; the given ones do not change."""
    values = options.get("values")
    if values is None:
        return options
    lines = values.split("\n") if isinstance(values, str) else values
    return options | {"values": [line[::-1] for line in lines]}


@pytest.mark.parametrize("name", REFERENCES)
def test_mirrored_or_rotated_game_has_the_same_scores_turns_number_of_moves_and_end(name: str) -> None:
    map_move = MAPPINGS[name]
    plies = 0
    for seed in range(GAMES):
        rng = random.Random(seed)
        deck, options = draw_setup(name, rng)
        position = fc.game(name, **options).start(deck=deck)
        twin = fc.game(name, **mirror_options(options)).start(deck=deck)
        while not position.is_over:
            move = rng.choice(position.moves())
            assert len(position.moves()) == len(twin.moves())
            position, twin = position.play(move), twin.play(map_move(move, options))
            assert position.scores == twin.scores
            assert position.seat == twin.seat
            plies += 1
        assert twin.is_over
        assert position.outcome == twin.outcome
    assert plies > 5 * GAMES  # the games were not over at once
