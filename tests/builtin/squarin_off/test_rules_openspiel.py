"""Dots and Boxes compared with OpenSpiel: legal moves, seat to move and result of random games."""

import random

import pyspiel
import pytest

import fourcorners as fc
from benchmarks.rivals import list_edge_names

pytestmark = pytest.mark.compiled


def compare_games(games: int, seed: int) -> int:
    """Assert that both agree on moves and turns at every ply of random games, and on results; return how many plies."""
    rng = random.Random(seed)
    plies = 0
    for _ in range(games):
        cols, rows = rng.choice(((1, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 3)))
        names = list_edge_names(cols, rows)
        theirs = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={cols})").new_initial_state()
        ours = fc.game("dots-and-boxes", cols=cols, rows=rows).start()
        while not theirs.is_terminal():
            legal = theirs.legal_actions()
            assert sorted(names[action] for action in legal) == ours.moves()
            assert theirs.current_player() == ours.seat
            # Prefer moves that complete a box among a few: purely random play seldom keeps the turn.
            candidates = rng.sample(ours.moves(), min(4, len(legal)))
            move = max(candidates, key=lambda name: sum(ours.play(name).scores))
            theirs.apply_action(names.index(move))
            ours = ours.play(move)
            plies += 1
        assert ours.is_over
        margin = ours.scores[0] - ours.scores[1]
        assert theirs.returns() == [float((margin > 0) - (margin < 0)), float((margin < 0) - (margin > 0))]
        assert sum(ours.scores) == cols * rows
    return plies


def test_random_games_agree_with_openspiel() -> None:
    assert compare_games(60, seed=1) > 600


@pytest.mark.slow
def test_a_thousand_random_games_agree_with_openspiel() -> None:
    assert compare_games(1000, seed=2) > 10_000
