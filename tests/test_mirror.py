"""Games played in a mirror, or on a turned table, score the same at every ply."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import fourcorners as fc
from tests.reference import REFERENCES, setup

pytestmark = pytest.mark.compiled
LETTERS = "abcdefghijklmnopqrstu"
GAMES = 15
Mirror = Callable[[str, dict[str, Any]], str]


def flip(point: str, last: int) -> str:
    """Mirror a point left to right; `last` is the number of the last column, from 0."""
    return LETTERS[last - LETTERS.index(point[0])] + point[1:]


def edges(move: str, options: dict[str, Any]) -> str:
    tokens = []
    for token in move.split(" "):
        if token.startswith("#"):
            tokens.append("#" + flip(token[1:], options["cols"] - 1))
        else:
            dots = [flip(dot, options["cols"]) for dot in re.findall(r"[a-u]\d+", token)]
            tokens.append("".join(sorted(dots, key=lambda dot: (dot[0], int(dot[1:])))))
    return " ".join(tokens)


def cells(move: str, options: dict[str, Any]) -> str:
    if move == "swap":
        return move
    return " ".join(flip(cell, options.get("size", 8) - 1) for cell in move.split(" "))


def corners(move: str, options: dict[str, Any]) -> str:
    last = options.get("cols", 8) - 1
    low, high = move.split(" ")
    return f"{flip(high, last)[0]}{low[1:]} {flip(low, last)[0]}{high[1:]}"


def half_turn(move: str, options: dict[str, Any]) -> str:
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


MIRRORS: dict[str, Mirror] = {"squarin-off": edges, "square-off": cells, "squendo": half_turn, "sqez": corners}


def mirrored_options(options: dict[str, Any]) -> dict[str, Any]:
    values = options.get("values")
    if values is None:
        return options
    lines = values.split("\n") if isinstance(values, str) else values
    return options | {"values": [line[::-1] for line in lines]}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_mirrored_game_scores_the_same(name: str) -> None:
    mirror = MIRRORS[name]
    plies = 0
    for seed in range(GAMES):
        rng = random.Random(seed)
        deck, options = setup(name, rng)
        position = fc.game(name, **options).start(deck=deck)
        twin = fc.game(name, **mirrored_options(options)).start(deck=deck)
        while not position.is_over:
            move = rng.choice(position.moves())
            assert len(position.moves()) == len(twin.moves())
            position, twin = position.play(move), twin.play(mirror(move, options))
            assert position.scores == twin.scores
            assert position.seat == twin.seat
            plies += 1
        assert twin.is_over
        assert position.outcome == twin.outcome
    assert plies > 5 * GAMES
