"""What computer players see without search: compared with the rules, and what each level cannot see."""

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import evaluate, rules
from fourcorners.builtin.squendo.levels import BASELINES, LEVELS
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng
from tests.builtin.squendo.drawn_tables import build_table, decode_place

SEEDS = 20
GREEDY = np.array(BASELINES["greedy"].weights)
STRONG, STRONGEST = (np.array(level.weights) for level in LEVELS[-2:])


def collect_rollouts(level: int, rows: str, *hand: str) -> list[int]:
    """Return the actions that a level (from 1) chooses without search on a drawn table, for each of SEEDS seeds."""
    s = dispatch.view_record(build_table(rows, *hand))
    return [int(evaluate.rollout(s, np.array(LEVELS[level - 1].weights), new_rng(seed))) for seed in range(SEEDS)]


def measure_share(level: int, places: set[tuple[int, int]], rows: str, *hand: str) -> float:
    """Return how often a level plays at one of these places on a drawn table, from 0 to 1."""
    return sum(decode_place(action) in places for action in collect_rollouts(level, rows, *hand)) / SEEDS


def compute_margin(points: np.ndarray[tuple[int], np.dtype[np.int64]], seat: int, players: int) -> int:
    """Return the points of a seat minus those of its best rival."""
    return int(points[seat]) - max(int(points[rival]) for rival in range(players) if rival != seat)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_values_a_move_by_the_points_that_the_rules_count(players: int) -> None:
    """In every position of a game, the priors of up to four placements, at 1 for each point, are the points gained.

    Greedy's rollout chooses an action of the highest prior, and that of the strongest level a legal one.
    """
    weights = GREEDY.copy()
    weights[evaluate.PRIOR_SCALE] = 1.0
    rng = random.Random(players)
    game = fc.game("squendo", players=players)
    position = game.start(seed=players)
    rng_state = new_rng(players)
    while not position.is_over:
        s = dispatch.view_record(position.states.copy())
        actions = np.zeros(rules.bound(s), np.int64)
        n = rules.legal(s, actions)
        priors = np.zeros(len(actions))
        evaluate.prior(s, actions, n, weights, priors)
        seat = int(s.seat)
        for i in rng.sample(range(n), min(n, 4)):
            after = position.states.copy()
            rules.play(dispatch.view_record(after), actions[i])
            points = np.zeros(rules.MAX_SEATS, np.int64)
            rules.points(dispatch.view_record(after), points)
            if actions[i] != rules.PASS:
                # With several rivals, the points of the best one are not taken as a difference.
                before = (
                    compute_margin(np.array(position.scores), seat, players) if players == 2 else position.scores[seat]
                )
                assert priors[i] == pytest.approx(compute_margin(points, seat, players) - before)
        chosen = int(evaluate.rollout(s, GREEDY, rng_state))
        index = actions[:n].tolist().index(chosen)
        assert priors[index] >= priors[:n].max() - 0.01  # equal priors may differ by rounding
        strong = int(evaluate.rollout(s, STRONGEST, rng_state))
        assert strong in actions[:n]
        position = position.play(game.spec.notation.format(s, rng.choice([chosen, strong])))


def test_a_player_without_a_legal_placement_passes_and_a_pass_has_prior_0() -> None:
    # The tile has another symbol and black edges, so it fits neither on top nor beside.
    s = dispatch.view_record(build_table("R", "R4x"))
    assert evaluate.rollout(s, STRONGEST, new_rng(1)) == rules.PASS
    out = np.ones(1)  # must be overwritten
    evaluate.prior(s, np.array([rules.PASS]), 1, STRONGEST, out)
    assert out[0] == 0.0


def test_playouts_stop_at_random_with_the_present_points_but_not_close_to_the_end() -> None:
    s = dispatch.view_record(build_table("RR RB", "R0o"))
    out = np.zeros(rules.MAX_SEATS)
    rng = new_rng(5)
    s.pile_size = 20  # far from the end
    spreads = [evaluate.foresee(s, STRONG, rng, out) for _ in range(300)]
    assert set(spreads) == {-1.0, 0.0}
    assert 5 < spreads.count(0.0) < 100  # sometimes, but seldom
    assert out.tolist()[:2] == [3, 1]
    s.pile_size = 0
    assert all(evaluate.foresee(s, STRONG, rng, out) == -1.0 for _ in range(300))


def test_the_strongest_level_predicts_the_end_at_once_but_not_close_to_it() -> None:
    s = dispatch.view_record(build_table("RR RB", "R0o"))
    out = np.zeros(rules.MAX_SEATS)
    s.pile_size = 20
    assert evaluate.foresee(s, STRONGEST, new_rng(5), out) > 0.0
    assert out[0] > out[1] > 0.0
    s.pile_size = s.hand_size[1] = 0
    assert evaluate.foresee(s, STRONGEST, new_rng(5), out) == -1.0


def test_only_a_level_that_predicts_the_end_explores_less_than_usual() -> None:
    s = dispatch.view_record(build_table("RR RB", "R0o"))
    assert evaluate.explore(s, STRONGEST) < dispatch.EXPLORATION
    for weights in (STRONG, GREEDY, np.zeros(0)):
        assert evaluate.explore(s, weights) == dispatch.EXPLORATION


def test_every_level_but_the_strongest_says_what_it_does_not_see_and_does_not_solve() -> None:
    assert len(LEVELS) >= 6
    # Only the strongest uses the exact solvers.
    assert all(level.blind and not level.solves for level in LEVELS[:-1])
    assert LEVELS[-1].solves
    assert not LEVELS[-1].blind


def count_own_tiles(level: int) -> int:
    """Count the seeds for which a level lays its own one of three tiles, R0o, whose code is 0."""
    actions = collect_rollouts(level, "RB", "R0o", "B0o", "G0o")
    return [rules.decode_action(action)[0] for action in actions].count(0)


def test_level_1_lays_tiles_of_any_colour_and_level_2_prefers_its_own() -> None:
    assert count_own_tiles(1) < SEEDS / 2 < count_own_tiles(2)


def test_level_2_does_not_look_for_rectangles_and_level_3_does() -> None:
    # At column 1, row 0 the red tile completes a square.
    square = "RR... R...B"
    assert measure_share(2, {(1, 0)}, square, "R0o") < 0.3
    assert measure_share(3, {(1, 0)}, square, "R0o") > 0.9


def test_level_3_does_not_look_at_what_it_covers_and_level_4_does() -> None:
    # On any tile of blue's square the red tile takes away the points of the square.
    rows = "RR.BB RR.BB"
    blue = {(3, 0), (4, 0), (3, 1), (4, 1)}
    assert measure_share(3, blue, rows, "R0o") < 0.2
    assert measure_share(4, blue, rows, "R0o") == 1.0


def test_level_4_does_not_see_nearly_complete_rectangles_and_level_5_does() -> None:
    # One more blue tile would complete the square in the corner: green prevents that there.
    rows = "B.B.BB .....B"
    nearly = {(4, 1), (5, 1), (5, 0)}
    assert measure_share(4, nearly, rows, "G0o") < 0.9
    assert measure_share(5, nearly, rows, "G0o") == 1.0
