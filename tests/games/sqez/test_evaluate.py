"""What players of Sqez see at first sight: rectangles tried and taken back, last moves, answers."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.games.sqez import make_unmake
from fourcorners.games.sqez.evaluate import rollout
from fourcorners.games.sqez.exact import nimber
from fourcorners.games.sqez.notation import format as spell
from fourcorners.games.sqez.notation import parse

OPTIONS: list[dict[str, object]] = [
    {"cols": 5, "rows": 5},
    {"cols": 6, "rows": 4, "sides": "shared"},
    {"cols": 5, "rows": 5, "enclose": "any"},
    {"cols": 4, "rows": 5, "sides": "shared", "enclose": "any"},
]


def after(*moves: str, **options: object) -> fc.Position:
    return fc.game("sqez", **options).replay(moves)


def record(position: fc.Position) -> dispatch.State:
    return dispatch.view_record(np.array(position.states))


def ends(position: fc.Position) -> set[str]:
    return {move for move in position.moves() if position.play(move).is_over}


@pytest.mark.parametrize("options", OPTIONS)
def test_a_rectangle_that_is_taken_back_leaves_no_trace(options: dict[str, object]) -> None:
    rng = random.Random(1)
    for _ in range(3):
        position = fc.game("sqez", **options).start()
        while not position.is_over:
            s = record(position)
            for move in position.moves()[:20]:
                before = make_unmake.put_down(s, parse(s, move))
                drawn = position.play(move)
                assert all((s[name] == drawn.record[name]).all() for name in ("across", "up", "sides", "free"))
                make_unmake.take_back(s, parse(s, move), before)
                assert s.tobytes() == position.record.tobytes()
            position = position.play(rng.choice(position.moves()))


@pytest.mark.parametrize("options", OPTIONS)
def test_legal_rectangles_follow_one_another(options: dict[str, object]) -> None:
    rng = random.Random(2)
    position = fc.game("sqez", **options).start()
    while not position.is_over:
        s, action, found = record(position), make_unmake.NONE, []
        while (action := make_unmake.next_legal(s, action)) != make_unmake.NONE:
            found.append(spell(s, action))
        assert sorted(found) == position.moves()
        position = position.play(rng.choice(position.moves()))


@pytest.mark.parametrize("options", OPTIONS)
def test_last_moves_and_safe_ones_are_found(options: dict[str, object]) -> None:
    rng, chance = random.Random(3), new_rng(3)
    seen = 0
    position = fc.game("sqez", **options).start()
    while not position.is_over:
        moves = position.moves()
        if len(moves) <= 12:
            s = record(position)
            last, safe = make_unmake.last_move(s, chance), make_unmake.safe_move(s, 12, chance)
            assert make_unmake.can_end(s) == bool(ends(position)) == (last != make_unmake.NONE)
            assert last == make_unmake.NONE or spell(s, last) in ends(position)
            careful = {move for move in moves if not ends(position.play(move))}
            assert (spell(s, safe) in careful) if careful else safe == make_unmake.NONE
            assert make_unmake.safe_move(s, len(moves) - 1, chance) == make_unmake.NONE
            assert s.tobytes() == position.record.tobytes()
            seen += 1
        position = position.play(rng.choice(moves))
    assert seen > 0


def test_answers_that_end_the_game_are_foreseen() -> None:
    # Between the lines of a 9 x 3 field two single rectangles are left: the first is answered by the second.
    position = after("d1 f3", cols=9, rows=3)
    assert len(position.moves()) == 2
    s = record(position)
    one, other = (parse(s, move) for move in position.moves())
    assert make_unmake.ending_answer(s, one) == other
    empty = record(after(cols=9, rows=3))
    assert make_unmake.ends_whatever_comes(empty, parse(empty, "d1 f3"))
    assert not make_unmake.ends_whatever_comes(s, one)  # the answer itself is the last


def test_who_sees_nothing_draws_anything() -> None:
    position = after(cols=5, rows=5)
    drawn = {int(rollout(record(position), np.zeros(2), new_rng(seed))) for seed in range(60)}
    assert len(drawn) > 20
    assert {spell(position.record, action) for action in drawn} <= set(position.moves())


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_effort_is_of_the_right_order(options: dict[str, object]) -> None:
    rng = random.Random(4)
    position = fc.game("sqez", **options).start()
    efforts = []
    while not position.is_over:
        efforts.append(nimber.effort(position.record))
        position = position.play(rng.choice(position.moves()))
    assert efforts[-1] < efforts[0]
    assert nimber.effort(fc.game("sqez").start().record) < 8_000 < nimber.effort(after(cols=12, rows=12).record)


@pytest.mark.compiled
def test_effort_with_shared_sides_does_not_mind_lines_that_nobody_can_use() -> None:
    # A dozen moves are left, and most edges are undrawn.
    position = fc.game("sqez", sides="shared").start()
    rng, left = random.Random(1), 441
    while left > 12:
        position = position.play(
            min(rng.sample(position.moves(), 8), key=lambda move: len(position.play(move).moves()))
        )
        left = len(position.moves())
    assert not position.is_over
    assert len(position.history) < 12
    assert nimber.effort(position.record) < 8_000


@pytest.mark.compiled
def test_effort_does_not_touch_the_record() -> None:
    position = after("b2 d4")
    before = position.record.tobytes()
    assert nimber.effort(position.record) > 0
    assert position.record.tobytes() == before
    assert compiled_api.legal(position.states, 0, np.zeros(441, np.int64)) == len(position.moves())
