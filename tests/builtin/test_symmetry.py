"""Texts by which games recognise positions that are equivalent under symmetry."""

import random

import pytest

import fourcorners as fc
from fourcorners.study.puzzles.identity import compute_id
from tests.test_symmetry import (
    mirror_sqez_move,
    mirror_square_off_move,
    mirror_squarin_off_move,
    rotate_squendo_move,
)

MAPPINGS = {
    "dots-and-boxes": (mirror_squarin_off_move, {"cols": 4, "rows": 3}),
    "squarin-off": (mirror_squarin_off_move, {"cols": 4, "rows": 3, "blockers": 2}),
    "square-off": (mirror_square_off_move, {"size": 6}),
    "sqez": (mirror_sqez_move, {"cols": 8, "rows": 6}),
    "squendo": (rotate_squendo_move, {}),
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_mirrored_game_has_the_same_ids_and_another_move_another_one(name: str) -> None:
    map_move, options = MAPPINGS[name]
    rng = random.Random(name)
    position = image = fc.game(name, **options).start(seed=3)
    ids = {compute_id(position)}
    for count in range(2, 12):
        if position.is_over:
            break
        move = rng.choice([move for move in position.moves() if "take:" not in move])
        position, image = position.play(move), image.play(map_move(move, options))
        assert compute_id(position) == compute_id(image)
        ids.add(compute_id(position))
        assert len(ids) == count
    assert len(ids) > 2


def test_turned_boards_and_exchanged_seats_are_equivalent() -> None:
    wide, high = (
        fc.game("dots-and-boxes", cols=cols, rows=5 - cols).replay(moves)
        for cols, moves in ((3, ["a1b1", "a1a2"]), (2, ["a1b1", "a1a2"]))
    )
    assert compute_id(wide) == compute_id(high)
    game = fc.game("dots-and-boxes", cols=2, rows=1)
    assert compute_id(game.position("0 0,0 ../|_._./..")) == compute_id(game.position("1 0,0 ../|_._./.."))


def test_the_colours_of_square_off_are_told_apart() -> None:
    game = fc.game("square-off", size=4, swap=False)
    assert compute_id(game.replay(["a1", "b1"])) != compute_id(game.replay(["b1", "a1"]))
