"""Make and unmake: a rectangle drawn on a record of Sqez and taken back leaves no trace."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import dispatch
from fourcorners.games.sqez.notation import parse
from fourcorners.games.sqez.strategy.make_unmake import make, unmake

OPTIONS: list[dict[str, object]] = [
    {"cols": 5, "rows": 5},
    {"cols": 6, "rows": 4, "sides": "shared"},
    {"cols": 5, "rows": 5, "enclose": "any"},
    {"cols": 4, "rows": 5, "sides": "shared", "enclose": "any"},
]


def copy_record(position: fc.Position) -> dispatch.State:
    return dispatch.view_record(np.array(position.states))


@pytest.mark.parametrize("options", OPTIONS)
def test_make_draws_like_play_and_unmake_restores_every_byte(options: dict[str, object]) -> None:
    rng = random.Random(1)
    for _ in range(3):
        position = fc.game("sqez", **options).start()
        while not position.is_over:
            s = copy_record(position)
            for move in position.moves()[:20]:
                before = make(s, parse(s, move))
                drawn = position.play(move)
                assert all((s[name] == drawn.record[name]).all() for name in ("across", "up", "sides", "free"))
                unmake(s, parse(s, move), before)
                assert s.tobytes() == position.record.tobytes()
            position = position.play(rng.choice(position.moves()))
