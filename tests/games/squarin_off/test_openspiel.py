"""Dots and Boxes compared with OpenSpiel's: legal moves, seat to move and result over random games."""

from __future__ import annotations

import random

import pyspiel
import pytest

import fourcorners as fc

pytestmark = pytest.mark.compiled


def edge_names(cols: int, rows: int) -> list[str]:
    """Name the edges in OpenSpiel's order: rows of dots from the top, then upright edges row by row from the top."""

    def dot(column: int, row_from_top: int) -> str:
        return f"{'abcdefghijklmnopqrstu'[column]}{rows + 1 - row_from_top}"

    lying = [dot(x, y) + dot(x + 1, y) for y in range(rows + 1) for x in range(cols)]
    upright = [dot(x, y + 1) + dot(x, y) for y in range(rows) for x in range(cols + 1)]
    return lying + upright


def compare(games: int, seed: int) -> int:
    rng = random.Random(seed)
    plies = 0
    for _ in range(games):
        cols, rows = rng.choice(((1, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 3)))
        names = edge_names(cols, rows)
        theirs = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={cols})").new_initial_state()
        ours = fc.game("dots-and-boxes", cols=cols, rows=rows).start()
        while not theirs.is_terminal():
            legal = theirs.legal_actions()
            assert sorted(names[action] for action in legal) == ours.moves()
            assert theirs.current_player() == ours.seat
            # Of a few moves one that completes a box is liked: random play alone seldom keeps the turn.
            few = rng.sample(ours.moves(), min(4, len(legal)))
            move = max(few, key=lambda name: sum(ours.play(name).scores))
            theirs.apply_action(names.index(move))
            ours = ours.play(move)
            plies += 1
        assert ours.is_over
        margin = ours.scores[0] - ours.scores[1]
        assert theirs.returns() == [float((margin > 0) - (margin < 0)), float((margin < 0) - (margin > 0))]
        assert sum(ours.scores) == cols * rows
    return plies


def test_random_games() -> None:
    assert compare(60, seed=1) > 600


@pytest.mark.slow
def test_a_thousand_random_games() -> None:
    assert compare(1000, seed=2) > 10_000
