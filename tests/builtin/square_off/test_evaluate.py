"""What a player of Square Off sees without a search: priors, rollouts, and the end of playouts."""

import math
from itertools import product

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.square_off import evaluate
from fourcorners.builtin.square_off.levels import LEVELS
from fourcorners.builtin.square_off.notation import parse
from fourcorners.builtin.square_off.strategy import value_network
from fourcorners.builtin.square_off.strategy.square_potential import count_squares_through
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng

STRONGEST, STRONG, JUDGE = LEVELS[-1], LEVELS[-3], LEVELS[9]


def read_board(rows: str, turn: str = "w") -> fc.Position:
    """Return the position given by lines of `w`, `b`, `W`, `B` and dots for free cells, the top row first.
    `turn` is `w` or `b`. Seat 0 has White, and there is no man to replace. Raise NotationError if these contradict.
    """
    lines = rows.split()
    text = "/".join(lines)
    for length in range(len(lines), 0, -1):
        text = text.replace("." * length, str(length))
    return fc.game("square-off", size=len(lines)).position(f"{text} {turn} 0 -")


def get_priors(position: fc.Position, weights: tuple[float, ...]) -> dict[str, float]:
    """Return the priors of all legal moves by move; NaN stands for one that was not written."""
    s, notation = position.record, position.game.spec.notation
    actions = np.zeros(dispatch.bound(s), np.int64)
    n = dispatch.legal(s, actions)
    out = np.full(n, np.nan)
    dispatch.prior(s, actions, n, np.array(weights), out)
    return {notation.format(s, int(action)): float(value) for action, value in zip(actions, out, strict=False)}


def choose_moves(position: fc.Position, weights: tuple[float, ...], seeds: int = 12) -> set[str]:
    """Return the moves that rollouts with these weights choose, for seeds 0 to `seeds` - 1."""
    s = position.record
    return {
        position.game.spec.notation.format(s, int(dispatch.rollout(s, np.array(weights), new_rng(seed))))
        for seed in range(seeds)
    }


def foresee_points(position: fc.Position, weights: tuple[float, ...]) -> tuple[int, ...] | None:
    """Return the points foreseen by seat, None if a playout with these weights does not stop here."""
    out = np.zeros(2)
    spread = dispatch.foresee(position.record, np.array(weights), new_rng(1), out)
    assert spread in (0.0, -1.0)
    return None if spread else tuple(int(points) for points in out)


def test_the_best_first_cells_are_those_on_the_most_squares() -> None:
    found = get_priors(fc.game("square-off", swap=False).start(), JUDGE.weights)
    best = {move for move, value in found.items() if value == max(found.values())}
    assert best == {"b2", "c3", "f3", "g2", "b7", "c6", "f6", "g7"}
    # b2 is on nine squares, a1 on seven, d1 on four.
    assert found["b2"] > found["a1"] > found["d1"]


def test_completing_a_square_comes_first_and_blocking_one_second() -> None:
    position = read_board("""
        ........
        ........
        ....bb..
        ....b...
        .....w..
        ww......
        w.......
        .....b..
    """)
    found = get_priors(position, STRONGEST.weights)
    assert sorted(found, key=lambda move: -found[move])[:2] == ["b2", "f5"]


def test_the_symmetry_right_is_worth_more_if_the_black_man_goes_to_a_poor_cell() -> None:
    position = fc.game("square-off").replay(["b2", "g2"])
    found = get_priors(position, STRONGEST.weights)
    assert found["g2 d1"] > found["g2 b7"]


def test_every_move_of_a_position_with_the_symmetry_right_has_a_prior() -> None:
    found = get_priors(fc.game("square-off").replay(["b2", "g2"]), STRONGEST.weights)
    assert not any(math.isnan(value) for value in found.values())


# The strongest level has the weights of the one before it.
@pytest.mark.parametrize(("level", "size"), list(product(range(len(LEVELS) - 1), (4, 8))))
def test_rollouts_make_legal_moves_to_the_end(level: int, size: int) -> None:
    weights = np.array(LEVELS[level].weights)
    position = fc.game("square-off", size=size).start()
    rng = new_rng(level)
    while not position.is_over:
        action = int(dispatch.rollout(position.record, weights, rng))
        position = position.play(position.game.spec.notation.format(position.record, action))


def test_only_a_good_first_man_is_taken_over_by_a_player_with_the_weight_swaps() -> None:
    game = fc.game("square-off")
    assert choose_moves(game.replay(["b2"]), JUDGE.weights) == {"swap"}
    assert "swap" not in choose_moves(game.replay(["d1"]), JUDGE.weights)


def test_a_player_without_the_weight_swaps_takes_over_a_poor_first_man_now_and_then() -> None:
    assert choose_moves(fc.game("square-off").replay(["d1"]), LEVELS[0].weights) > {"swap"}


def test_the_first_man_is_the_best_one_not_worth_taking_over() -> None:
    start = fc.game("square-off").start()
    found = get_priors(start, STRONGEST.weights)
    # These cells are on six squares: with seven or more of the best cell's nine a swap is worthwhile.
    assert {"b1", "a2", "d3", "c4"} <= {move for move, value in found.items() if value == max(found.values())}
    for move in choose_moves(start, JUDGE.weights):
        assert count_squares_through(start.record, parse(start.record, move)) == 6


def test_the_swap_is_the_best_answer_to_a_good_first_man_and_worth_nothing_after_a_poor_one() -> None:
    start = fc.game("square-off").start()
    answers = get_priors(start.play("b2"), STRONGEST.weights)
    assert max(answers, key=lambda move: answers[move]) == "swap"
    assert get_priors(start.play("d2"), STRONGEST.weights)["swap"] == 0


def test_rollouts_choose_a_legal_first_man_on_the_smallest_board() -> None:
    start = fc.game("square-off", size=4).start()
    assert choose_moves(start, JUDGE.weights) <= set(start.moves())


def test_the_symmetry_right_sends_the_black_man_to_the_poorest_cell() -> None:
    position = fc.game("square-off").replay(["b2", "g2"])
    (move,) = choose_moves(position, JUDGE.weights)
    replaced, target = move.split()
    assert replaced == "g2"
    # No cell of the 8 x 8 board is on fewer than four squares.
    assert count_squares_through(position.record, parse(position.record, target)) == 4


def test_only_a_playout_with_the_weight_settles_stops_and_only_when_no_square_can_be_completed() -> None:
    settled = read_board("wwbb bbww bbww wwb.", "b")
    assert foresee_points(settled, STRONGEST.weights) == settled.scores
    assert foresee_points(settled, JUDGE.weights) is None
    # At the start, and where White's square with the corner b3 lacks only that one, squares can be completed.
    assert foresee_points(fc.game("square-off").start(), STRONG.weights) is None
    assert foresee_points(read_board("wwwb w.bb bwbw bw.b"), STRONGEST.weights) is None


def test_only_a_playout_with_the_network_stops_in_a_quiet_position() -> None:
    position = fc.game("square-off").replay(["b2", "g3", "c4", "f7"])
    out = np.zeros(2)
    predicted = np.zeros(2)
    spread = dispatch.foresee(position.record, np.array(STRONGEST.weights), new_rng(1), out)
    assert spread == value_network.predict(position.record, predicted) > 0
    assert out.tolist() == predicted.tolist()
    assert foresee_points(position, STRONG.weights) is None
    # White can complete a square, or swap, or use the symmetry right, or the board is larger than a word.
    for moves in (["b2", "g3", "c2", "f7", "b3", "e4"], ["b2"], ["b2", "g2"]):
        assert foresee_points(fc.game("square-off").replay(moves), STRONGEST.weights) is None
    assert foresee_points(fc.game("square-off", size=10).replay(["b2", "g3", "c4"]), STRONGEST.weights) is None


def test_a_search_with_the_network_explores_less() -> None:
    small, large = fc.game("square-off").start().record, fc.game("square-off", size=10).start().record
    assert dispatch.explore(small, np.array(STRONGEST.weights)) < dispatch.explore(small, np.array(STRONG.weights))
    for weights in (STRONGEST.weights, STRONG.weights, ()):
        assert dispatch.explore(large, np.array(weights)) == dispatch.EXPLORATION


def test_every_index_of_the_weights_has_a_name() -> None:
    names = [name for name in vars(evaluate) if name.isupper() and not name.startswith("_")]
    values = [getattr(evaluate, name) for name in names if isinstance(getattr(evaluate, name), int)]
    assert set(range(evaluate.WEIGHT_COUNT)) <= set(values)
