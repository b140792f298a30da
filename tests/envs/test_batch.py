"""Batches play the games of the rules, whatever their size, threads and compilation, and refuse all else."""

import contextlib
import copy
import hashlib
import importlib.util
import os
import pickle
import random
import subprocess
import sys
import threading
from concurrent.futures import wait
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.atomics import fetch_add
from fourcorners.core.bits import new_rng
from fourcorners.envs import batch as batch_module
from fourcorners.envs import kernels
from fourcorners.envs import threads as threads_module

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 3}),
    ("squarin-off", {"cols": 3, "rows": 2, "players": 3, "blockers": [1, 0, 2]}),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 4, "teams": True, "edition": "classic"}),
    ("square-off", {"size": 4, "symmetry": "each", "swap": True}),
    ("sqez", {"cols": 5, "rows": 4, "players": 3}),
    ("sqez", {"cols": 4, "rows": 4, "sides": "shared", "strict": True}),
    ("squendo", {"players": 2}),
    ("squendo", {"players": 4}),
]
all_games = pytest.mark.parametrize(("name", "options"), GAMES)


def digest(batch: fc.envs.Batch) -> str:
    """Return a hash of all that determines how a batch goes on, and of what its players see."""
    observed = batch.observe(kind="flat")
    offsets, indices = batch.legal_actions
    parts = (batch.seat, batch.episode, batch.scores, batch.rewards, batch.done, offsets, indices, observed)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


@all_games
def test_games_of_a_batch_are_those_of_the_rules(name: str, options: dict[str, Any]) -> None:
    game = fc.game(name, **options)
    batch = fc.envs.Batch(game, 2, seed=5)
    positions = [batch.position(i) for i in range(2)]
    ended = 0
    for _ in range(60):
        actions = batch.sample()
        moves = [batch.encoding.find_move(position, actions[i]) for i, position in enumerate(positions)]
        offsets, indices = batch.legal_actions
        for i, position in enumerate(positions):
            legal = indices[offsets[i] : offsets[i + 1]].tolist()
            assert len(set(legal)) == len(position.moves())
            assert {batch.encoding.find_move(position, index) for index in legal[:9]} <= set(position.moves())
            assert (batch.seat[i], tuple(batch.scores[i])) == (position.seat, position.scores)
        step = batch.step(actions)
        for i, position in enumerate(positions):
            positions[i] = position.play(moves[i])
            outcome = positions[i].outcome
            assert step.done[i] == (outcome is not None)
            if outcome is None:
                assert batch.position(i) == positions[i]
                assert not step.rewards[i].any()
                assert not batch.winners[i].any()
                continue
            ended += 1
            final = batch.final
            number = np.flatnonzero(step.done).tolist().index(i)
            assert final.position(number) == positions[i]
            assert final.seat[number] == -1
            assert tuple(final.scores[number]) == positions[i].scores
            assert tuple(np.flatnonzero(batch.winners[i])) == outcome.winners
            assert (step.rewards[i] > 0).nonzero()[0].tolist() in (list(outcome.winners), [])
            positions[i] = batch.position(i)
    assert ended >= 1 or game.spec.hidden  # a game of Squendo is longer


@all_games
def test_rollout_plays_the_steps_of_sample(name: str, options: dict[str, Any]) -> None:
    game = fc.game(name, **options)
    one, other = (fc.envs.Batch(game, 3, seed=8) for _ in range(2))
    rewards, ended = np.zeros((3, game.seats)), np.zeros(3, np.int64)
    for _ in range(40):
        step = one.step(one.sample())
        rewards += step.rewards
        ended += step.done
    result = other.rollout(40)
    assert digest(one) == digest(other)
    np.testing.assert_allclose(result.rewards, rewards)
    assert (result.ended == ended).all()


@all_games
def test_game_depends_on_seed_number_and_episode_but_not_on_the_batch_or_its_threads(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_module, "_STEPS_PER_THREAD", 1)
    game = fc.game(name, **options)
    small, large = fc.envs.Batch(game, 2, seed=3, threads=1), fc.envs.Batch(game, 5, seed=3, threads=3)
    assert digest(small) == digest(large[:2])
    for _ in range(3):
        small.step(small.sample())
        large.step(large.sample())
    small.rollout(20)
    large.rollout(20)
    assert digest(small) == digest(large[:2])
    assert digest(fc.envs.Batch(game, 2, seed=4)[:2]) != digest(fc.envs.Batch(game, 2, seed=3)) or not game.spec.hidden


@pytest.mark.parametrize("mode", ["interpreted", pytest.param("compiled", marks=pytest.mark.compiled)])
def test_threads_that_share_steps_make_those_of_one(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "_STEPS_PER_THREAD", 1)
    monkeypatch.setattr(threads_module, "count_processors", lambda: 3)
    if mode == "interpreted":
        monkeypatch.setattr(kernels, "PART", 5)
        monkeypatch.setattr(kernels, "PATIENCE", 50)
    game, n = fc.game("dots-and-boxes", cols=2, rows=1), 5 * kernels.PART + 3
    alone, shared = (fc.envs.Batch(game, n, seed=3, threads=threads) for threads in (1, 3))
    for round_ in range(30):
        actions = alone.sample()
        assert (shared.sample() == actions).all()
        illegal = actions.copy()
        illegal[[n - 1, n - 2 - round_ % 3]] = -1
        before = digest(shared)
        with pytest.raises(fc.envs.IllegalActionError, match=rf"^actions\[{n - 2 - round_ % 3}\] is -1"):
            shared.step(illegal)
        assert digest(shared) == before
        alone.step(actions)
        # The samples themselves and a copy of them are the same.
        shared.step(shared._shared.samples if round_ % 2 else actions.copy())
        assert digest(shared) == digest(alone)
        if round_ == 20:
            shared = pickle.loads(pickle.dumps(shared))
        if round_ % 10 == 5:
            assert shared._helpers._running
            # Helpers that found nothing to do are called again.
            wait([*shared._helpers._running])


def test_helpers_take_parts_and_their_errors_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "_STEPS_PER_THREAD", 1)
    monkeypatch.setattr(threads_module, "count_processors", lambda: 2)
    monkeypatch.setattr(kernels, "PART", 1)
    monkeypatch.setattr(kernels, "PATIENCE", 50)
    takers = set()

    def note_taker(words: Any, index: int, number: int) -> int:
        found = fetch_add(words, index, number)
        if index == kernels.NEXT and found < 40:
            takers.add(threading.get_ident())
        return found

    monkeypatch.setattr(kernels, "fetch_add", note_taker)
    batch = fc.envs.Batch(fc.game("dots-and-boxes", cols=2, rows=1), 40, seed=3, threads=2)
    while len(takers) < 2:
        batch.step(batch.sample())

    def fail(*_: object) -> None:
        raise RuntimeError("a helper fails")

    monkeypatch.setattr(kernels, "help_out", fail)

    def sample_on() -> None:
        while True:
            batch.sample()

    with pytest.raises(RuntimeError, match="a helper fails"):
        sample_on()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_copy_of_the_process_steps_a_batch_that_another_thread_was_stepping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "_STEPS_PER_THREAD", 1)
    batch = fc.envs.Batch(fc.game("dots-and-boxes", cols=2, rows=1), 40, seed=3, threads=2)
    batch.sample()
    with batch._helpers._lock:
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                batch.step(batch.sample())
                os._exit(0)
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


EXPECTED = {
    "squarin-off": "1247b73dd815c183",
    "dots-and-boxes": "41b3d85e91ded4d3",
    "square-off": "fea5742a17ceaf77",
    "squendo": "94c7ba696fdf1102",
    "sqez": "a03ab18d940f4efc",
}


@pytest.mark.parametrize("mode", ["interpreted", pytest.param("compiled", marks=pytest.mark.compiled)])
@pytest.mark.parametrize("name", fc.games())
def test_results_are_the_same_interpreted_and_compiled(name: str, mode: str) -> None:
    batch = fc.envs.Batch(fc.game(name), 3, seed=1)
    digests = [digest(batch)]
    for _ in range(3):
        batch.rollout(5)
        batch.step(batch.sample())
        digests.append(digest(batch))
    assert hashlib.sha256("".join(digests).encode()).hexdigest()[:16] == EXPECTED[name]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_game_and_episode_has_a_deal_of_its_own(players: int) -> None:
    batch = fc.envs.Batch(fc.game("squendo", players=players), 20, seed=1)
    hands = [batch.position(i).text for i in range(20)]
    batch.reset([3, 7])
    assert batch.episode.tolist() == [i in {3, 7} for i in range(20)]
    hands += [batch.position(3).text, batch.position(7).text]
    assert len(set(hands)) == 22
    for text in hands:
        assert batch.game.position(text).text == text


@pytest.mark.parametrize(
    ("reward", "points", "options", "expected"),
    [
        ("win", (3, 1), {}, (1, -1)),
        ("win", (2, 2), {}, (0, 0)),
        ("margin", (3, 1), {}, (2, -2)),
        ("points", (3, 1), {}, (3, 1)),
        ("win", (3, 1, 0), {"players": 3}, (1, -0.5, -0.5)),
        ("win", (2, 2, 0), {"players": 3}, (0.25, 0.25, -0.5)),
        ("margin", (3, 1, 0), {"players": 3}, (2.5, -0.5, -2)),
        ("win", (1, 3, 0, 0), {"players": 4}, (-1 / 3, 1, -1 / 3, -1 / 3)),
        ("win", (3, 1, 3, 1), {"players": 4, "teams": True}, (1, -1, 1, -1)),
        ("margin", (3, 1, 3, 1), {"players": 4, "teams": True}, (2, -2, 2, -2)),
    ],
)
def test_rewards_of_a_game_follow_from_its_points(
    reward: Any, points: tuple[int, ...], options: dict[str, Any], expected: tuple[float, ...]
) -> None:
    game = fc.game("squarin-off", cols=2, rows=2, blockers=0, **options)
    rng = random.Random(0)
    while True:
        position = game.start()
        while len(position.moves()) > 1:
            position = position.play(rng.choice(position.moves()))
        if position.play(position.moves()[0]).scores == points:
            break
    batch = fc.envs.Batch(game, 1, seed=0, reward=reward, position=position)
    index = batch.encoding.find_index(position, position.moves()[0])
    assert batch.step([index]).rewards[0].tolist() == pytest.approx(expected)
    state = fc.envs.State(position).after(index)
    assert state.compute_rewards(reward) == pytest.approx(expected)


@pytest.mark.parametrize("players", range(2, 9))
def test_rewards_for_winning_add_up_to_nothing(players: int) -> None:
    batch = fc.envs.Batch(fc.game("sqez", cols=4, rows=4, players=players), 8, seed=2)
    result = batch.rollout(30)
    assert result.ended.min() > 0
    assert result.rewards.sum(axis=1) == pytest.approx(np.zeros(8), abs=1e-5)
    assert result.rewards.any()


def test_illegal_input_changes_nothing_and_is_told() -> None:
    game = fc.game("dots-and-boxes")
    batch = fc.envs.Batch(game, 20, seed=1)
    batch.step([game_index := batch.encoding.find_index(game.start(), "c4d4")] * 20)
    before = digest(batch)
    actions = batch.sample().copy()
    actions[17] = game_index
    with pytest.raises(fc.envs.IllegalActionError) as caught:
        batch.step(actions)
    assert str(caught.value) == f"actions[17] is {game_index}, which is not legal: edge c4d4 is already drawn"
    assert (caught.value.code, caught.value.game) == ("illegal-action", 17)
    for bad, message in [
        ([60] * 20, "actions[0] is 60, which is not legal: the indices are 0 to 59"),
        ([-1] * 20, "actions[0] is -1, which is not legal: the indices are 0 to 59"),
        (np.full(20, 2**64 - 1, np.uint64), f"actions[0] is {2**64 - 1}, which is not legal: the indices are 0 to 59"),
        ([1] * 19, "actions: int64 of the shape (19,) is not allowed; it must be 20 whole numbers, one for each game"),
        ([0.5] * 20, "actions: float64 of the shape (20,) is not allowed"),
        ([True] * 20, "actions: bool of the shape (20,) is not allowed"),
        ("abc", "actions: 'abc' is not allowed"),
        ([[1], *[[2, 3]] * 19], "actions: <list> is not allowed"),
        (None, "actions: None is not allowed"),
        ([10**30] * 20, "actions: <list> is not allowed"),
    ]:
        with pytest.raises(fc.GameError) as refused:
            batch.step(bad)  # type: ignore[arg-type]  # that is tested
        assert str(refused.value).startswith(message)
    with pytest.raises(
        fc.envs.IllegalActionError, match=r"choices\[2\] is 59, but the list of that game has the numbers 0 to 58"
    ):
        batch.list_step([58, 0, *[59] * 18])
    assert digest(batch) == before


def test_a_move_with_a_blocker_that_is_not_legal_is_explained() -> None:
    batch = fc.envs.Batch(fc.game("squarin-off", cols=3, rows=3, blockers=[1, 0]), 1, seed=0)
    batch.step([24])  # a blocker on box a1, at the bottom
    with pytest.raises(fc.GameError, match=r"actions\[0\] is 59, which is not legal: you have no blockers left"):
        batch.step([59])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": 5}, "game: 5 is not allowed; it must be a Game"),
        ({"game": "chess"}, "game: 'chess' is not known"),
        ({"n": 0}, "n: 0 is not allowed; it must be a whole number from 1 to 16777216"),
        ({"n": True}, "n: True is not allowed"),
        ({"seed": 1.5}, "seed: 1.5 is not allowed; it must be a whole number"),
        ({"seed": None}, "seed: None is not allowed"),
        ({"reward": "gold"}, "reward: 'gold' is not allowed; it must be win or margin or points"),
        ({"threads": 0}, "threads: 0 is not allowed"),
        ({"auto_reset": 1}, "auto_reset: 1 is not allowed; it must be True or False"),
        ({"legal": "all"}, "legal: 'all' is not allowed; it must be auto or mask or list"),
        ({"position": "start"}, "position: 'start' is not allowed; it must be a Position of"),
        ({"position": fc.game("sqez").start()}, "position: <Position> is not allowed"),
    ],
)
def test_wrong_argument_is_refused_in_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fc.OptionError) as caught:
        fc.envs.Batch(**{"game": "dots-and-boxes", "n": 2, "seed": 1, **arguments})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("seed", [-1, 2**70, np.int8(5), np.uint64(2**64 - 1), 0])
def test_any_whole_number_is_a_seed(seed: Any) -> None:
    one, other = (fc.envs.Batch("dots-and-boxes", 2, seed=each) for each in (seed, int(seed) + 1))
    assert (one.sample() == fc.envs.Batch("dots-and-boxes", 2, seed=int(seed)).sample()).all()
    one.rollout(10)
    other.rollout(10)
    assert digest(one) != digest(other)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "actions",
    [
        np.ma.array([1, 2]),
        np.array([1, 2], ">i8"),
        np.array([1, 0, 2, 0])[::2],
        np.frombuffer(b"-" + np.array([1, 2]).tobytes(), np.int64, offset=1),
        np.array([1, 2], np.uint8),
    ],
)
def test_any_array_of_whole_numbers_is_one_of_actions(actions: Any) -> None:
    batch = fc.envs.Batch("dots-and-boxes", 2, seed=1)
    for _ in range(2):  # the second call of a kernel does not check the types of its arguments
        batch.reset()
        batch.step(actions)
        assert [batch.position(i) for i in range(2)] == [batch.game.start().play(move) for move in ("b1c1", "c1d1")]


def test_batch_may_be_empty() -> None:
    batch = fc.envs.Batch("dots-and-boxes", 3, seed=1)
    batch.step(batch.sample())
    for empty in (batch.final, batch[:0], batch[[]], batch[np.zeros(3, np.bool_)]):
        assert empty.observe().shape == (0, *batch.encoding.shape)
        assert empty.observe(kind="flat").shape == (0, *batch.encoding.flat_shape)
        assert empty.legal_mask.shape == (0, 60)
        assert empty.step(empty.sample()).rewards.shape == (0, 2)
        assert (len(empty.scores), len(empty.winners), len(empty.legal_actions[0])) == (0, 0, 1)


def test_flags_choose_games() -> None:
    batch = fc.envs.Batch("dots-and-boxes", 3, seed=1)
    batch.reset(np.array([False, True, True]))
    assert batch.episode.tolist() == [0, 1, 1]
    assert len(batch[np.array([True, False, True])]) == 2
    for wrong in (np.ones(2, np.bool_), [[1], [1, 2]], [0.5], "abc", [[0]]):
        with pytest.raises(fc.OptionError, match=r"indices: .* is not allowed; it must be a list of numbers"):
            batch.reset(wrong)  # type: ignore[arg-type]  # that is tested


def test_game_that_is_over_waits_without_auto_reset() -> None:
    batch = fc.envs.Batch(fc.game("dots-and-boxes", cols=1, rows=1), 2, seed=1, auto_reset=False)
    for _ in range(4):
        batch.step(batch.sample())
    assert batch.done.all()
    assert sorted(batch.rewards[0].tolist()) == [-1, 1]
    assert not batch.legal_mask.any()
    assert batch.legal_actions[0].tolist() == [0, 0, 0]
    assert batch.sample().tolist() == [-1, -1]
    batch.reset([1])
    assert batch.done.tolist() == [True, False]
    step = batch.step([999, 3])
    assert not step.rewards.any()
    assert batch.position(1).history == ()
    assert batch.legal_actions[0].tolist() == [0, 0, 3]
    assert batch.rollout(10).ended.tolist() == [0, 1]
    assert len(batch.final) == 2


def test_games_start_from_a_position_and_go_on_from_one() -> None:
    game = fc.game("sqez", cols=6, rows=5)
    start = game.start().play("a1 c3")
    batch = fc.envs.Batch(game, 3, seed=1, position=start)
    assert [batch.position(i) for i in range(3)] == [start] * 3
    batch.rollout(10)
    assert batch.episode.min() > 0
    batch.reset()
    assert batch.position(2) == start
    batch.set_position(1, game.start())
    assert batch.position(1) == game.start()
    assert (batch.legal_mask[1] == fc.envs.State(game).mask()).all()
    over = start
    while not over.is_over:
        over = over.play(over.moves()[0])
    for wrong in (over, fc.game("sqez").start(), "x"):
        with pytest.raises(fc.OptionError, match="position"):
            batch.set_position(1, wrong)  # type: ignore[arg-type]  # that is tested
    assert batch.position(1) == game.start()
    for i in (-1, 3, 1.0):
        with pytest.raises(fc.OptionError, match=r"i: .* is not allowed"):
            batch.position(i)  # type: ignore[arg-type]  # that is tested


@all_games
def test_copies_slices_files_and_pickles_go_on_alike(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    batch = fc.envs.Batch(fc.game(name, **options), 4, seed=6, reward="margin")
    batch.rollout(7)
    batch.save(tmp_path / "batch.npz")
    others = [batch.copy(), batch[[0, 1, 2, 3]], batch[:], pickle.loads(pickle.dumps(batch)), copy.copy(batch)]
    others.append(fc.envs.Batch.load(tmp_path / "batch.npz"))
    tail = batch[2:]
    before = digest(batch)
    for other in others:
        assert digest(other) == before
        other.rollout(50)
    assert digest(batch) == before
    batch.rollout(50)
    tail.rollout(50)
    assert [digest(other) for other in others] == [digest(batch)] * 6
    assert digest(tail) == digest(batch[[2, 3]])
    with pytest.raises(fc.OptionError, match="there are the games 0 to 3"):
        batch[[4]]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}"])
def test_file_that_is_no_batch_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(fc.GameError, match=r"x\.npz is not a batch that this version wrote"):
        fc.envs.Batch.load(tmp_path / "x.npz")
    np.savez(tmp_path / "y.npz", about=np.array("{}"))
    with pytest.raises(fc.GameError, match=r"y\.npz is not a batch"):
        fc.envs.Batch.load(tmp_path / "y.npz")


def test_arrays_are_shared_without_copies() -> None:
    batch = fc.envs.Batch("dots-and-boxes", 8, seed=1)
    arrays = [batch.legal_mask, batch.rewards, batch.done, batch.seat, batch.episode, batch.observe(), batch.sample()]
    for array in arrays:
        assert array.flags.carray
        assert np.from_dlpack(array).ctypes.data == array.ctypes.data
        if importlib.util.find_spec("torch"):
            assert importlib.import_module("torch").from_numpy(array).data_ptr() == array.ctypes.data
        if importlib.util.find_spec("jax"):
            shared = importlib.import_module("jax").dlpack.from_dlpack(array)
            assert shared.unsafe_buffer_pointer() == array.ctypes.data
    step = batch.step(batch.sample())
    assert step.rewards is batch.rewards
    kept = batch.step(batch.sample(), copy=True)
    assert not np.shares_memory(kept.done, batch.done)
    out = np.empty((8, *batch.encoding.shape), np.float32)
    assert batch.observe(out=out) is out
    assert (out == batch.observe()).all()
    assert (batch.observe(kind="flat") == out.reshape(8, -1)).all()
    for wrong in (out[:7], out.astype(np.float64), np.asfortranarray(out), "x"):
        with pytest.raises(
            fc.OptionError, match=r"out: .* is not allowed; it must be a writable, C-contiguous array of float32"
        ):
            batch.observe(out=wrong)  # type: ignore[arg-type]  # that is tested


def test_what_is_written_into_a_mask_makes_no_action_legal() -> None:
    batch = fc.envs.Batch("dots-and-boxes", 1, seed=1)
    batch.step([0])
    batch.legal_mask[:] = True
    with pytest.raises(fc.GameError, match=r"actions\[0\] is 0, which is not legal"):
        batch.step([0])


def test_seat_sees_the_same_in_worlds_that_it_cannot_tell_apart() -> None:
    game = fc.game("squendo", players=3)
    batch = fc.envs.Batch(game, 10, seed=4)
    batch.rollout(12)
    kinds: tuple[Literal["planes", "flat"], ...] = ("planes", "flat")
    for kind in kinds:
        for seat in range(3):
            seen = batch.observe(seat, kind=kind).copy()
            twins = batch.copy()
            for i in range(10):
                states = batch.position(i).states.copy()
                compiled_api.hide(states, 0, seat)
                compiled_api.deal(states, 0, new_rng(i))
                twins.set_position(i, fc.Position(game, states, ()))
            assert any(twins.position(i) != batch.position(i) for i in range(10))
            assert (twins.observe(seat, kind=kind) == seen).all()


def test_many_indices_are_masked_only_on_demand() -> None:
    game = fc.game("sqez", cols=14, rows=14)
    lists = fc.envs.Batch(game, 1, seed=1)
    with pytest.raises(fc.GameError, match=r"no masks, because Sqez has 6,084 indices: use legal_actions, or ask"):
        _ = lists.legal_mask
    masks = fc.envs.Batch(game, 1, seed=1, legal="mask")
    assert np.flatnonzero(masks.legal_mask[0]).tolist() == sorted(lists.legal_actions[1].tolist())
    for _ in range(3):
        number = int(masks.sample()[0])
        place = lists.legal_actions[1].tolist().index(number)
        masks.step([number])
        lists.list_step([place])
        assert digest(masks) == digest(lists)
    assert len(fc.envs.Batch("dots-and-boxes", 1, seed=1, legal="list").legal_actions[1]) == 60


def test_environments_are_loaded_on_first_use_alone() -> None:
    program = "import sys, fourcorners as fc; print('fourcorners.envs' in sys.modules, fc.envs.Batch.__name__)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "Batch"]
    with pytest.raises(AttributeError, match="has no attribute 'enws'"):
        _ = fc.enws


@pytest.mark.parametrize("auto_reset", [True, False])
def test_game_whose_table_grows_beyond_the_window_is_truncated_and_counted(*, auto_reset: bool) -> None:
    game = fc.game("squendo")
    batch = fc.envs.Batch(game, 2, seed=1, auto_reset=auto_reset)
    step, ply = None, 0
    while step is None or not step.done.any():
        ply += 1
        offsets, indices = batch.legal_actions
        # Game 0 lays each tile as far to the right as it can: an index is (slot, row, column, rotation, outcome).
        first = max(indices[: offsets[1]].tolist(), key=lambda index: index // 36 % 25 if index < 90_000 else -1)
        step = batch.step([first, batch.sample()[1]])
    assert (step.done.tolist(), step.truncated.tolist()) == ([True, False], [True, False])
    assert ply > 12
    assert batch.truncations == 1
    assert not step.rewards.any()
    assert not batch.winners.any()
    final = batch.final
    assert (len(final), final.truncated.tolist(), final.seat.tolist()) == (1, [True], [-1])
    position = final.position(0)
    assert not position.is_over
    state = fc.envs.State(position)
    assert (state.is_over, state.is_truncated, state.seat, state.rewards) == (True, True, None, (0.0, 0.0))
    assert batch.episode.tolist() == [int(auto_reset), 0]
    with pytest.raises(fc.OptionError, match="position: a legal action there has no index"):
        batch.set_position(1, position)


@pytest.mark.parametrize("name", ["dots-and-boxes", "squendo"])
def test_game_with_a_seed_is_that_of_a_batch_of_one(name: str) -> None:
    seeds = [9, -3, 2**70]
    many = fc.envs.Batch(name, 3, seed=seeds)
    singles = [fc.envs.Batch(name, 1, seed=seed) for seed in seeds]
    again = fc.envs.Batch(name, 3, seed=5)
    again.rollout(5)
    again.reset(seed=np.array([9, -3, 2**70 % 2**64], np.object_))
    for _ in range(2):
        assert [digest(many[[i]]) for i in range(3)] == [digest(single) for single in singles]
        assert digest(many) == digest(again)
        for batch in (many, again, *singles):
            batch.rollout(6)
            batch.reset()
    again.reset(seed=5)
    assert digest(again) == digest(fc.envs.Batch(name, 3, seed=5))


@pytest.mark.parametrize("seed", [[1], [1, 2.0], "ab", None, [[1], [2]]])
def test_seeds_that_do_not_fit_are_refused(seed: Any) -> None:
    with pytest.raises(fc.OptionError, match=r"seed: .* is not allowed; it must be a whole number, or a list of 2"):
        fc.envs.Batch("dots-and-boxes", 2, seed=seed)


def test_some_games_alone_get_no_seed() -> None:
    batch = fc.envs.Batch("dots-and-boxes", 2, seed=1)
    with pytest.raises(fc.OptionError, match="seed: it is not allowed with indices"):
        batch.reset([0], seed=2)


@all_games
def test_games_that_pause_stay_as_they_are(name: str, options: dict[str, Any]) -> None:
    batch = fc.envs.Batch(fc.game(name, **options), 3, seed=5, auto_reset=False)
    one, others = batch.copy()[[1]], digest(batch[[0, 2]])
    for _ in range(4):
        with batch.only(np.array([False, True, False])):
            assert batch.seat[[0, 2]].tolist() == [-1, -1]
            assert len(batch.legal_actions[1]) == len(one.legal_actions[1])
            batch.step(batch.sample())
        one.step(one.sample())
        assert digest(batch[[1]]) == digest(one)
        assert digest(batch[[0, 2]]) == others
    with (
        pytest.raises(fc.OptionError, match="chosen: it must be an array of 3 flags"),
        batch.only(np.ones(2, np.bool_)),
    ):
        pass


@all_games
def test_what_is_written_into_the_other_arrays_breaks_no_game(name: str, options: dict[str, Any]) -> None:
    game = fc.game(name, **options)
    plain, written = (fc.envs.Batch(game, 3, seed=5) for _ in range(2))
    for seat in (7, 127):
        written.seat[:] = seat
        assert (written.observe() == plain.observe()).all()
        written.step(written.sample())
        plain.step(plain.sample())
        written.seat[:] = seat
        written.rollout(3)
        plain.rollout(3)
    assert digest(written) == digest(plain)
    rewards = written.rewards
    rewards -= 0.01  # a penalty for each step
    assert (written.step(written.sample()).rewards == plain.step(plain.sample()).rewards).all()
    written.done[:] = True
    assert written.final.observe().shape == plain.observe().shape
    assert written.final.scores.shape == (3, game.seats)
    over = fc.envs.Batch(game, 3, seed=5, auto_reset=False)
    over.rollout(500)
    before = over.scores.copy()
    over.seat[:] = 0
    assert over.sample().tolist() == [-1, -1, -1]
    assert len(over.legal_actions[1]) == 0
    over.step([0, 0, 0])
    over.seat[:] = 0
    over.list_step([0, 0, 0])
    over.rollout(5)
    assert (over.scores == before).all()
