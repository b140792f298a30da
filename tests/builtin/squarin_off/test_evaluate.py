"""The computer's knowledge without search: priors of moves, playout moves, and the points foreseen at the end."""

import random
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.evaluate import BLOCKERS, COUNTING, HANDOUTS, OVERSIGHTS, WEIGHT_COUNT
from fourcorners.builtin.squarin_off.strategy.priors import BEST, BLOCKS, GIVES, NEVER, OPENS, SAFE, SECOND
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng
from tests.builtin.squarin_off.positions import list_chain_moves, set_up_chains

ALL = np.ones(WEIGHT_COUNT)
ALL[OVERSIGHTS] = 0.0
"""The weights of a player who knows everything."""


def rate_moves(position: fc.Position, weights: Any = ALL) -> dict[str, float]:
    """Return the priors by move, for all legal moves; assert that computing them leaves the record unchanged."""
    s, notation = dispatch.view_record(np.array(position.states)), position.game.spec.notation
    actions = np.zeros(dispatch.bound(s), np.int64)
    n = dispatch.legal(s, actions)
    out = np.zeros(n)
    dispatch.prior(s, actions, n, weights, out)
    assert s.tobytes() == position.states.tobytes()
    return {
        notation.format(position.record, int(code)): float(prior) for code, prior in zip(actions, out, strict=False)
    }


def foresee_points(position: fc.Position, weights: Any = ALL, seed: int = 1) -> tuple[int, ...] | None:
    """Return the points foreseen by seat, None if the player does not foresee the end; the position stays as it is."""
    out = np.zeros(4)
    s = dispatch.view_record(np.array(position.states))
    if dispatch.foresee(s, weights, new_rng(seed), out) < 0.0:
        return None
    return tuple(int(points) for points in out[: position.game.seats])


def choose_move(position: fc.Position, weights: Any, seed: int = 1) -> str:
    """Return the move that a player with these weights plays without search; assert that the record is unchanged.
    The game must not be over.
    """
    s = dispatch.view_record(np.array(position.states))
    action = dispatch.rollout(s, np.array(weights, np.float64), new_rng(seed))
    assert s.tobytes() == position.states.tobytes()
    return position.game.spec.notation.format(position.record, action)


def test_a_capture_is_rated_best_and_all_other_moves_never() -> None:
    found = rate_moves(fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1a2", "a1b1", "a2b2", "b1c1", "c1c2"]))
    assert found == {"b1b2": BEST, "b2c2": NEVER, "c1d1": NEVER, "c2d2": NEVER, "d1d2": NEVER}


def test_safe_edges_come_before_edges_that_give_a_box_away() -> None:
    found = rate_moves(fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "a2b2"]))
    assert found.pop("a1a2") == GIVES
    assert found.pop("b1b2") == GIVES
    assert set(found.values()) == {SAFE}


def test_completing_a_box_worth_nothing_is_rated_as_a_safe_edge() -> None:
    game = fc.game("squarin-off", cols=1, rows=1, values="0", blockers=0)
    assert rate_moves(game.replay(["a1b1", "a2b2", "a1a2"])) == {"b1b2": SAFE}


def test_the_cheapest_chain_comes_first_and_one_edge_stands_for_each_chain() -> None:
    position = set_up_chains(3, 1)
    found = rate_moves(position)
    # The chain of three boxes costs two points more than that of one, at half a point each.
    assert sorted(found.values()) == [*[NEVER] * 4, SECOND - 1.0, OPENS]
    assert max(found, key=lambda move: found[move]) in ("a2a3", "a3b3")


def test_a_chain_of_two_is_opened_in_its_middle_by_priors_and_playout_moves() -> None:
    position = set_up_chains(2)
    assert rate_moves(position) == {"b1b2": OPENS, "a1a2": NEVER, "b1c1": NEVER}
    assert {choose_move(position, [1, 1, 0, 0, 0, 0], seed) for seed in range(8)} == {"b1b2"}


def test_a_handout_is_rated_best_before_a_long_chain_and_second_before_a_short_one() -> None:
    much = set_up_chains(3, 4).play("a1a2").play("b1b2")
    assert rate_moves(much)["c1d1"] == BEST
    assert rate_moves(much)["c1c2"] == SECOND
    little = set_up_chains(3, 1).play("a1a2").play("b1b2")
    assert rate_moves(little)["c1c2"] == BEST
    assert rate_moves(little)["c1d1"] == SECOND


def test_blockers_are_rated_never_while_all_edges_are_safe() -> None:
    found = rate_moves(fc.game("squarin-off", cols=2, rows=2, blockers=1).start())
    assert {prior for move, prior in found.items() if move.startswith("#")} == {NEVER}
    assert {prior for move, prior in found.items() if not move.startswith("#")} == {SAFE}


def test_blockers_are_laid_where_they_give_nothing_away_once_no_edge_is_safe() -> None:
    # A chain of three boxes: a blocker on either end, with the edge that leads out, spares the other two.
    moves, options = list_chain_moves(3)
    position = fc.game("squarin-off", **options, blockers=1).replay(moves)
    found = rate_moves(position)
    assert found["#a1 a1a2"] == BLOCKS == max(found.values())
    assert found["#b1 b1b2"] == GIVES
    assert {choose_move(position, [1, 1, 1, 0, 1, 0], seed) for seed in range(20)} == {"#a1 a1a2", "#c1 c1d1"}


def test_a_player_without_the_weight_blockers_rates_every_blocker_never() -> None:
    moves, options = list_chain_moves(3)
    position = fc.game("squarin-off", **options, blockers=1).replay(moves)
    found = rate_moves(position, build_weights_without(BLOCKERS))
    assert {prior for move, prior in found.items() if move.startswith("#")} == {NEVER}


def build_weights_without(weight: int) -> Any:
    """Return the weights of a player who knows everything but one thing, given by its index."""
    weights = ALL.copy()
    weights[weight] = 0
    return weights


@pytest.mark.parametrize(
    ("weights", "margin"), [(ALL, -4), (build_weights_without(HANDOUTS), -3 + 5)], ids=["all", "no handouts"]
)
def test_the_foreseen_margin_is_that_of_opening_two_chains_with_or_without_handouts(weights: Any, margin: int) -> None:
    """The mover must open the chain of 3. With handouts the opponent takes 1 + 5 points, and hands out 2.
    Without them it takes 3, and must then open the chain of 5.
    """
    position = set_up_chains(3, 5)
    points, seat = foresee_points(position, weights), position.seat
    assert points is not None
    assert seat is not None
    gained = [after - before for after, before in zip(points, position.scores, strict=True)]
    assert gained[seat] - gained[1 - seat] == margin


def test_neither_seat_is_foreseen_to_win_almost_always_from_the_start() -> None:
    # Who opens the first chain depends on the number of chains. If blockers had too little room, so would who runs out
    # of room, and one seat would win nine of ten playouts.
    position = fc.game("squarin-off").start()
    found = [foresee_points(position, seed=seed) for seed in range(30)]
    won = sum(points is not None and points[0] > points[1] for points in found)
    assert 8 <= won <= 22


def test_a_player_without_the_weight_counting_does_not_foresee_the_end() -> None:
    assert foresee_points(set_up_chains(3, 5), build_weights_without(COUNTING)) is None


@pytest.mark.parametrize(
    "options",
    [
        {"cols": 4, "rows": 3},
        {"cols": 3, "rows": 3, "players": 3, "edition": "classic"},
        {"cols": 3, "rows": 4, "players": 4, "teams": True},
        {"cols": 3, "rows": 2, "values": "103 020"},
    ],
)
def test_playout_moves_are_legal_and_no_seat_is_foreseen_fewer_points_than_it_has(options: dict[str, Any]) -> None:
    """The helpers assert besides that neither playout moves nor priors change the record."""
    game = fc.game("squarin-off", **options)
    rng = random.Random(5)
    position = game.start()
    while not position.is_over:
        moves = position.moves()
        for weights in ([0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0], [0.5, 0.5, 0.5, 0, 1, 0.5]):
            assert choose_move(position, weights) in moves
        points = foresee_points(position, seed=rng.getrandbits(20))
        assert points is not None
        assert all(after >= before for after, before in zip(points, position.scores, strict=True))
        rate_moves(position)
        position = position.play(rng.choice(moves))


@pytest.mark.compiled
def test_the_computer_keeps_its_blockers_in_the_opening() -> None:
    position = fc.game("squarin-off").start()
    for seed in range(6):
        choice = fc.Computer(nodes=300, seed=seed).choose(position)
        assert not choice.move.startswith("#")
        position = position.play(choice.move)
