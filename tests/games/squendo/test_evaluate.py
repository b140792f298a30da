"""What a player of Squendo sees at sight: against the rules, and level by level what each is blind to."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng
from fourcorners.games.squendo import evaluate, rules
from fourcorners.games.squendo.levels import BASELINES, LEVELS
from fourcorners.search import playouts
from tests.games.squendo.sight import place_of, table

SEEDS = 20
GREEDY = np.array(BASELINES["greedy"].weights)
KNOWING = np.array(LEVELS[-1].weights)


def at_sight(level: int, rows: str, *hand: str) -> list[int]:
    """Return what a level plays for many seeds without looking ahead."""
    s = dispatch.view_record(table(rows, *hand))
    return [int(evaluate.rollout(s, np.array(LEVELS[level - 1].weights), new_rng(seed))) for seed in range(SEEDS)]


def share(level: int, places: set[tuple[int, int]], rows: str, *hand: str) -> float:
    """Return how often a level plays at one of some places."""
    return sum(place_of(action) in places for action in at_sight(level, rows, *hand)) / SEEDS


def margin(points: np.ndarray[tuple[int], np.dtype[np.int64]], seat: int, players: int) -> int:
    return int(points[seat]) - max(int(points[rival]) for rival in range(players) if rival != seat)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_sees_the_points_of_a_move_as_the_rules_count_them(players: int) -> None:
    weights = GREEDY.copy()
    weights[evaluate.PRIOR_SCALE] = 1.0
    rng = random.Random(players)
    game = fc.game("squendo", players=players)
    position = game.start(seed=players)
    chance = new_rng(players)
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
                # With several rivals the points of the best one count as they stand.
                before = margin(np.array(position.scores), seat, players) if players == 2 else position.scores[seat]
                assert priors[i] == pytest.approx(margin(points, seat, players) - before)
        chosen = int(evaluate.rollout(s, GREEDY, chance))
        at = actions[:n].tolist().index(chosen)
        assert priors[at] >= priors[:n].max() - 0.01
        knowing = int(evaluate.rollout(s, KNOWING, chance))
        assert knowing in actions[:n]
        position = position.play(game.spec.notation.format(s, rng.choice([chosen, knowing])))


def test_who_can_lay_nothing_passes_at_sight() -> None:
    s = dispatch.view_record(table("R", "R4x"))
    assert evaluate.rollout(s, KNOWING, new_rng(1)) == rules.PASS
    out = np.ones(1)
    evaluate.prior(s, np.array([rules.PASS]), 1, KNOWING, out)
    assert out[0] == 0.0


def test_a_playout_stops_now_and_then_but_not_close_to_the_end() -> None:
    s = dispatch.view_record(table("RR RB", "R0o"))
    out = np.zeros(rules.MAX_SEATS, np.int64)
    rng = new_rng(5)
    s.pile_size = 20
    stops = sum(evaluate.foresee(s, KNOWING, rng, out) for _ in range(300))
    assert 5 < stops < 100
    assert out.tolist()[:2] == [3, 1]
    s.pile_size = 0
    assert not any(evaluate.foresee(s, KNOWING, rng, out) for _ in range(300))


def test_every_level_below_the_top_names_what_it_does_not_see() -> None:
    assert len(LEVELS) >= 6
    assert all(level.blind and not level.solves for level in LEVELS[:-1])
    assert LEVELS[-1].solves
    assert not LEVELS[-1].blind


def test_level_1_does_not_look_for_rectangles() -> None:
    square = "RR... R...B"
    assert share(1, {(1, 0)}, square, "R0o") < 0.3
    assert share(2, {(1, 0)}, "RR... R...B", "R0o") > 0.9


def test_level_1_likes_its_own_tiles_to_count() -> None:
    s = dispatch.view_record(table("RB", "R0o", "B0o", "G0o"))
    tiles = [
        rules.decode_action(int(evaluate.rollout(s, np.array(LEVELS[0].weights), new_rng(k))))[0] for k in range(SEEDS)
    ]
    assert tiles.count(0) > SEEDS / 2


def test_level_2_does_not_look_at_what_it_covers() -> None:
    rows = "RR.BB RR.BB"
    blue = {(3, 0), (4, 0), (3, 1), (4, 1)}
    assert share(2, blue, rows, "R0o") < 0.2
    assert share(3, blue, rows, "R0o") == 1.0


def test_level_3_does_not_see_rectangles_nearly_made() -> None:
    rows = "B.B.BB .....B"
    nearly = {(4, 1), (5, 1), (5, 0)}
    assert share(3, nearly, rows, "G0o") < 0.9
    assert share(4, nearly, rows, "G0o") == 1.0


@pytest.mark.compiled
def test_compiled_and_interpreted_players_choose_the_same() -> None:
    game = fc.game("squendo", players=3)
    position = game.start(seed=4)
    rng = new_rng(9)
    while not position.is_over:
        roots = np.array(position.states)
        for level in (LEVELS[0], LEVELS[2], LEVELS[-1], BASELINES["greedy"]):
            weights = np.array(level.weights)
            one, two = new_rng(len(position.history)), new_rng(len(position.history))
            fast = playouts.choose_rollout_action(roots, roots.copy(), weights, one)
            assert fast == playouts.choose_rollout_action.interpreted(roots, roots.copy(), weights, two)
            assert one[0] == two[0]
        fast = playouts.choose_rollout_action(roots, roots.copy(), KNOWING, rng)
        position = position.play(game.spec.notation.format(position.record, int(fast)))
