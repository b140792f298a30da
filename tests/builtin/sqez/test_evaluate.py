"""What Sqez players see without a search: their rollouts, with and without a blind spot."""

import numpy as np

import fourcorners as fc
from fourcorners.builtin.sqez.evaluate import rollout
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng


def choose_moves(position: fc.Position, weights: tuple[float, float], seeds: int) -> set[str]:
    """Return the moves that rollouts with the weights LAST_MOVES and ANSWERS choose, for seeds 0 to `seeds` - 1."""
    s = dispatch.view_record(np.array(position.states))
    actions = (int(rollout(s, np.array(weights), new_rng(seed))) for seed in range(seeds))
    return {position.game.spec.notation.format(s, action) for action in actions}


def test_a_rollout_without_weights_draws_any_rectangle() -> None:
    position = fc.game("sqez", cols=5, rows=5).start()
    moves = choose_moves(position, (0.0, 0.0), 60)
    assert len(moves) > 20  # 60 uniform draws of many moves are mostly different
    assert moves <= set(position.moves())


def test_a_rollout_that_sees_last_moves_ends_the_game_if_it_can() -> None:
    position = fc.game("sqez", cols=5, rows=5).replay(["a1 c3"])
    assert all(position.play(move).is_over for move in choose_moves(position, (1.0, 0.0), 10))


def test_a_rollout_that_sees_answers_leaves_no_last_move_if_it_can() -> None:
    # After d1 f3, for example, two rectangles are left, and neither spoils the other.
    position = fc.game("sqez", cols=9, rows=3).start()
    for move in choose_moves(position, (1.0, 500.0), 10):
        after = position.play(move)
        assert not any(after.play(answer).is_over for answer in after.moves())
