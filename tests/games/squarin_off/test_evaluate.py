"""What the computer knows at first sight: the order in which it looks at moves, what it plays, what it foresees."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng
from fourcorners.games.squarin_off.evaluate import BLOCKERS, COUNTING, HANDOUTS, WEIGHTS
from fourcorners.games.squarin_off.strategy import chain_values, endgame_playout, greedy_moves
from fourcorners.games.squarin_off.strategy.priors import BEST, GIVES, NEVER, OPENS, SAFE, SECOND
from fourcorners.games.squarin_off.strategy.priors import BLOCKS as A_CUT
from fourcorners.search import playouts

ALL = np.ones(WEIGHTS)


def lines(*lengths: int) -> tuple[list[str], dict[str, Any]]:
    """Return moves that leave one or two rows of so many boxes as chains, and options.

    A chain is open at the left border, and below its last box in the lowest row, above it in the highest.
    """
    cols, rows = max(lengths), len(lengths)
    names = "abcdefghi"
    ends = {
        f"{names[length - 1]}{row}{names[length]}{row}" for length, row in zip(lengths, (1, rows + 1), strict=False)
    }
    across = [f"{names[c]}{row}{names[c + 1]}{row}" for row in range(1, rows + 2) for c in range(cols)]
    up = [f"{names[c]}{r + 1}{names[c]}{r + 2}" for r, length in enumerate(lengths) for c in range(length, cols + 1)]
    return [edge for edge in across + up if edge not in ends], {"cols": cols, "rows": rows}


def chains(*lengths: int) -> fc.Position:
    """Return a position of one or two chains that lie in rows; what is beside them is completed."""
    moves, options = lines(*lengths)
    return fc.game("dots-and-boxes", **options).replay(moves)


def copy(position: fc.Position, **fields: int) -> Any:
    s = dispatch.view_record(np.array(position.states))
    for name, value in fields.items():
        setattr(s, name, value)
    endgame_playout.mark_ground(s)
    return s


def priors(position: fc.Position, weights: Any = ALL) -> dict[str, float]:
    s, notation = dispatch.view_record(np.array(position.states)), position.game.spec.notation
    actions = np.zeros(dispatch.bound(s), np.int64)
    n = dispatch.legal(s, actions)
    out = np.zeros(n)
    dispatch.prior(s, actions, n, weights, out)
    assert s.tobytes() == position.states.tobytes()
    return {
        notation.format(position.record, int(code)): float(worth) for code, worth in zip(actions, out, strict=False)
    }


def foreseen(position: fc.Position, weights: Any = ALL, seed: int = 1) -> tuple[int, ...] | None:
    out = np.zeros(4, np.int64)
    s = dispatch.view_record(np.array(position.states))
    if not dispatch.foresee(s, weights, new_rng(seed), out):
        return None
    return tuple(int(points) for points in out[: position.game.seats])


def rolled(position: fc.Position, weights: Any, seed: int = 1) -> str:
    s = dispatch.view_record(np.array(position.states))
    action = dispatch.rollout(s, np.array(weights, np.float64), new_rng(seed))
    assert s.tobytes() == position.states.tobytes()
    return position.game.spec.notation.format(position.record, action)


def test_boxes_are_taken_before_all_else() -> None:
    found = priors(fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1a2", "a1b1", "a2b2", "b1c1", "c1c2"]))
    assert found == {"b1b2": BEST, "b2c2": NEVER, "c1d1": NEVER, "c2d2": NEVER, "d1d2": NEVER}


def test_safe_edges_come_before_those_that_give_a_box_away() -> None:
    found = priors(fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "a2b2"]))
    assert found.pop("a1a2") == GIVES
    assert found.pop("b1b2") == GIVES
    assert set(found.values()) == {SAFE}


def test_a_box_worth_nothing_is_no_prey() -> None:
    game = fc.game("squarin-off", cols=1, rows=1, values="0", blockers=0)
    assert priors(game.replay(["a1b1", "a2b2", "a1a2"])) == {"b1b2": SAFE}


def test_the_cheapest_chain_comes_first_and_each_only_once() -> None:
    position = chains(3, 1)
    found = priors(position)
    assert sorted(found.values()) == [*[NEVER] * 4, SECOND - 1.0, OPENS]
    assert max(found, key=lambda move: found[move]) in ("a2a3", "a3b3")


def test_a_chain_of_two_is_opened_in_its_middle() -> None:
    position = chains(2)
    assert priors(position) == {"b1b2": OPENS, "a1a2": NEVER, "b1c1": NEVER}
    assert {rolled(position, [1, 1, 0, 0, 0], seed) for seed in range(8)} == {"b1b2"}


def test_handing_out_is_better_where_much_is_left() -> None:
    much = chains(3, 4).play("a1a2").play("b1b2")
    assert priors(much)["c1d1"] == BEST
    assert priors(much)["c1c2"] == SECOND
    little = chains(3, 1).play("a1a2").play("b1b2")
    assert priors(little)["c1c2"] == BEST
    assert priors(little)["c1d1"] == SECOND


def test_blockers_are_kept_while_there_is_a_safe_edge() -> None:
    found = priors(fc.game("squarin-off", cols=2, rows=2, blockers=1).start())
    assert {worth for move, worth in found.items() if move.startswith("#")} == {NEVER}
    assert {worth for move, worth in found.items() if not move.startswith("#")} == {SAFE}


def test_then_they_are_laid_where_nothing_is_given_away() -> None:
    moves, options = lines(3)
    position = fc.game("squarin-off", **options, blockers=1).replay(moves)
    found = priors(position)
    assert found["#a1 a1a2"] == A_CUT == max(found.values())
    assert found["#b1 b1b2"] == GIVES
    assert {rolled(position, [1, 1, 1, 0, 1], seed) for seed in range(20)} == {"#a1 a1a2", "#c1 c1d1"}
    without = ALL.copy()
    without[BLOCKERS] = 0
    assert priors(position, without)["#a1 a1a2"] == NEVER


@pytest.mark.parametrize(
    ("gifts", "margin"),
    [
        ([], 0),
        ([(1, endgame_playout.NO_HANDOUT)], -1),
        ([(1, endgame_playout.NO_HANDOUT), (2, endgame_playout.NO_HANDOUT)], 1),
        ([(3, 2)], -3),
        ([(3, 2), (5, 2)], -4),
        ([(4, 4), (8, 4)], -4),
        ([(1, endgame_playout.NO_HANDOUT), (3, 2), (5, 2)], 3),
    ],
)
def test_margins_of_gifts(gifts: list[tuple[int, int]], margin: int) -> None:
    s = copy(fc.game("squarin-off", cols=1, rows=1).start())
    for i, (total, back) in enumerate(gifts):
        s.chain_value[i], s.chain_handout[i], s.chain_spots[i] = total, back, 0
    assert chain_values.compute_margin(s, len(gifts)) == margin
    assert chain_values.compute_margin_with_blockers(s, len(gifts), 0, 0) == margin
    assert chain_values.compute_margin_with_blockers(s, len(gifts), 3, 2) == margin


def test_who_has_more_blockers_need_not_open() -> None:
    s = copy(fc.game("squarin-off", cols=1, rows=1).start())
    s.chain_value[0], s.chain_handout[0], s.chain_spots[0] = 5, 2, 3
    assert [
        chain_values.compute_margin_with_blockers(s, 1, own, others) for own, others in [(1, 0), (1, 1), (0, 1), (2, 1)]
    ] == [
        5,
        -5,
        -5,
        5,
    ]


def test_foreseeing_counts_out_chains() -> None:
    position = chains(3, 5)
    points = foreseen(position)
    assert points is not None
    seat = position.seat
    assert seat is not None
    gained = [after - before for after, before in zip(points, position.scores, strict=True)]
    assert gained[seat] - gained[1 - seat] == -4
    blind = ALL.copy()
    blind[HANDOUTS] = 0
    points = foreseen(position, blind)
    assert points is not None
    gained = [after - before for after, before in zip(points, position.scores, strict=True)]
    assert gained[seat] - gained[1 - seat] == -3 + 5
    blind[COUNTING] = 0
    assert foreseen(position, blind) is None


@pytest.mark.parametrize(
    "options",
    [
        {"cols": 4, "rows": 3},
        {"cols": 3, "rows": 3, "players": 3, "edition": "classic"},
        {"cols": 3, "rows": 4, "players": 4, "teams": True},
        {"cols": 3, "rows": 2, "values": "103 020"},
    ],
)
def test_random_games_stay_legal_and_whole(options: dict[str, Any]) -> None:
    game = fc.game("squarin-off", **options)
    rng = random.Random(5)
    position = game.start()
    while not position.is_over:
        for weights in ([0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 1, 0, 1]):
            assert rolled(position, weights) in position.moves()
        points = foreseen(position, seed=rng.getrandbits(20))
        assert points is not None
        assert all(after >= before for after, before in zip(points, position.scores, strict=True))
        priors(position)
        position = position.play(rng.choice(position.moves()))


def test_trying_out_is_undone() -> None:
    position = chains(3, 4).play("a1a2").play("b1b2")
    s = copy(position)
    before = s.tobytes()
    assert greedy_moves.is_handout_better(s, 1.0)
    assert s.tobytes() == before


@pytest.mark.compiled
def test_the_computer_keeps_its_blockers_in_the_opening() -> None:
    position = fc.game("squarin-off").start()
    for seed in range(6):
        choice = fc.Computer(nodes=300, seed=seed).choose(position)
        assert not choice.move.startswith("#")
        position = position.play(choice.move)


@pytest.mark.compiled
def test_first_sight_is_the_same_interpreted_and_compiled() -> None:
    rng = random.Random(3)
    for options in ({"cols": 4, "rows": 4}, {"cols": 3, "rows": 3, "players": 3}):
        position = fc.game("squarin-off", **options).start()
        while not position.is_over:
            for weights in ([0.0] * 5, [1.0, 1.0, 1.0, 0.0, 1.0]):
                arrays = (np.array(position.states), np.array(position.states), np.array(weights))
                seed = rng.getrandbits(30)
                quick = playouts.choose_rollout_action(*arrays, new_rng(seed))
                assert quick == playouts.choose_rollout_action.interpreted(*arrays, new_rng(seed))
            position = position.play(rng.choice(position.moves()))
