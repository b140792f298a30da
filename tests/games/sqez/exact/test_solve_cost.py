"""Estimates of the cost of solving Sqez: their order of magnitude, and that they leave the record alone."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.games.sqez.exact.solve_cost import estimate_cost

OPTIONS: list[dict[str, object]] = [
    {"cols": 5, "rows": 5},
    {"cols": 6, "rows": 4, "sides": "shared"},
    {"cols": 5, "rows": 5, "enclose": "any"},
    {"cols": 4, "rows": 5, "sides": "shared", "enclose": "any"},
]


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_the_cost_falls_in_the_course_of_a_game_and_grows_with_the_field(options: dict[str, object]) -> None:
    rng = random.Random(4)
    position = fc.game("sqez", **options).start()
    costs = []
    while not position.is_over:
        costs.append(estimate_cost(position.record))
        position = position.play(rng.choice(position.moves()))
    assert costs[-1] < costs[0]
    larger = fc.game("sqez", cols=12, rows=12).start()
    assert estimate_cost(fc.game("sqez").start().record) < 8_000 < estimate_cost(larger.record)


@pytest.mark.compiled
def test_undrawn_edges_that_no_rectangle_can_use_cost_nothing_with_shared_sides() -> None:
    # A dozen moves are left, and most edges are undrawn.
    position = fc.game("sqez", sides="shared").start()
    rng, left = random.Random(1), 441
    while left > 12:
        sample = rng.sample(position.moves(), 8)
        position = position.play(min(sample, key=lambda move: len(position.play(move).moves())))
        left = len(position.moves())
    assert not position.is_over
    assert len(position.history) < 12
    assert estimate_cost(position.record) < 8_000


@pytest.mark.compiled
def test_estimating_does_not_change_the_record() -> None:
    position = fc.game("sqez").replay(["b2 d4"])
    before = position.record.tobytes()
    assert estimate_cost(position.record) > 0
    assert position.record.tobytes() == before
    assert compiled_api.legal(position.states, 0, np.zeros(441, np.int64)) == len(position.moves())
