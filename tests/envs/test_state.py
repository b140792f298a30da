"""States are positions whose actions are indices: immutable, hashable, and told apart by their records."""

import pickle
import random
from typing import Any

import numpy as np
import pytest

import fourcorners as fc


@pytest.mark.parametrize("name", fc.games())
def test_state_plays_the_game_of_its_position(name: str) -> None:
    state = fc.envs.State(name, seed=3)
    position = fc.game(name).start(seed=3)
    for ply in range(6):
        assert state.position == position
        assert (state.text, state.seat, state.scores) == (position.text, position.seat, position.scores)
        assert (state.is_over, state.rewards) == (False, (0.0,) * len(position.scores))
        actions = state.actions()
        moves = [state.encoding.find_move(position, index) for index in actions]
        assert sorted(moves) == position.moves()
        assert [state.encoding.find_index(position, move) for move in moves[:5]] == actions[:5].tolist()
        choice = 7 * ply % len(actions)
        before = hash(state)
        state, earlier, position = state.after(actions[choice]), state, position.play(moves[choice])
        assert hash(earlier) == before
        assert earlier != state
        if position.is_over:
            break
    assert ply >= 2


@pytest.mark.parametrize("name", ["dots-and-boxes", "square-off"])
def test_state_sees_what_a_batch_observes(name: str) -> None:
    batch = fc.envs.Batch(name, 3, seed=1)
    batch.rollout(20)
    for i in range(3):
        state = fc.envs.State(batch.position(i))
        assert (state.observe() == batch.observe()[i]).all()
        assert (state.observe(1, "flat") == batch.observe(1, kind="flat")[i]).all()
        assert (state.mask() == batch.legal_mask[i]).all()


def test_states_are_equal_hashed_and_pickled_by_what_they_are() -> None:
    state = fc.envs.State("dots-and-boxes")
    one, other = state.after(0).after(1), state.after(1).after(0)
    assert one == other
    assert len({one, other, pickle.loads(pickle.dumps(one)), state}) == 2
    assert state != "state"
    assert fc.envs.State(fc.game("dots-and-boxes").start()) == state
    assert state != fc.envs.State(fc.game("squarin-off", cols=5, rows=5))
    with pytest.raises(ValueError, match="read-only"):
        state.actions()[0] = 5
    with pytest.raises(AttributeError, match="a State is immutable, so seat cannot be set"):
        state.seat = 7


def test_finished_state_has_rewards_and_no_actions() -> None:
    state = fc.envs.State(fc.game("dots-and-boxes", cols=1, rows=1))
    for index in range(4):
        state = state.after(index)
    assert (state.is_over, state.seat, state.rewards, state.scores) == (True, None, (-1.0, 1.0), (0, 1))
    assert len(state.actions()) == 0
    assert not state.mask().any()
    with pytest.raises(fc.GameError, match="no action is legal: the game is over"):
        state.after(0)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (4, "4 is not legal: edge e1f1 is already drawn"),
        (60, "60 is not legal: the indices are 0 to 59"),
        (-1, "-1 is not legal: the indices are 0 to 59"),
        (2**63, "9223372036854775808 is not legal: the indices are 0 to 59"),
        ("c4d4", "'c4d4' is not legal: it must be a whole number"),
        (1.0, "1.0 is not legal: it must be a whole number"),
    ],
)
def test_action_that_is_not_legal_is_explained(index: Any, message: str) -> None:
    state = fc.envs.State("dots-and-boxes").after(np.int32(4))
    with pytest.raises(fc.GameError) as caught:
        state.after(index)
    assert (str(caught.value), caught.value.code) == (message, "illegal-action")


def test_wrong_start_is_refused_in_one_sentence() -> None:
    with pytest.raises(fc.OptionError, match="game: 5 is not allowed; it must be a Game"):
        fc.envs.State(5)
    with pytest.raises(fc.OptionError, match="seed: a position has no seed"):
        fc.envs.State(fc.game("sqez").start(), seed=1)
    with pytest.raises(fc.OptionError, match="seat: 2 is not allowed"):
        fc.envs.State("dots-and-boxes").observe(2)


def test_encoding_names_what_indices_and_planes_are() -> None:
    encoding = fc.envs.Encoding("dots-and-boxes")
    assert (encoding.count, encoding.shape, encoding.flat_shape) == (60, (7, 6, 6), (252,))
    assert encoding.describe(0) == "edge a1b1"
    assert len({encoding.describe(index) for index in range(60)}) == 60
    assert repr(encoding) == "<Encoding of dots-and-boxes: 60 indices, planes (7, 6, 6)>"
    for wrong in (-1, 60, "a1b1"):
        with pytest.raises(fc.OptionError, match=r"index: .* is not allowed; it must be a whole number from 0 to 59"):
            encoding.describe(wrong)
    position = fc.game("dots-and-boxes").start().play("a1b1")
    with pytest.raises(fc.IllegalMoveError):
        encoding.find_index(position, "a1b1")
    with pytest.raises(fc.NotationError):
        encoding.find_index(position, "a1c1")
    with pytest.raises(fc.GameError, match="0 is not legal: edge a1b1 is already drawn"):
        encoding.find_move(position, 0)
    with pytest.raises(fc.OptionError, match="position: <Position> is not allowed"):
        encoding.find_move(fc.game("sqez").start(), 0)


def test_illegal_rectangle_that_a_strict_game_accepts_has_no_legal_index() -> None:
    game = fc.game("sqez", cols=6, rows=6, strict=True)
    position = game.start().play("a1 c3")
    assert fc.envs.Encoding(game).find_index(position, "a1 d4") == -1


@pytest.mark.parametrize("name", fc.games())
def test_every_index_that_is_not_legal_is_explained_in_one_clause(name: str) -> None:
    rng = random.Random(1)
    state = fc.envs.State(name, seed=2)
    count = state.encoding.count
    assert count is not None
    for _ in range(8):
        legal = set(state.actions().tolist())
        for index in {0, count - 1, *rng.sample(range(count), min(count, 60))} - legal:
            with pytest.raises(fc.envs.IllegalActionError, match=rf"^{index} is not legal: [^.]+$"):
                state.after(index)
        state = state.after(rng.choice(sorted(legal)))
        if state.is_over:
            break
