"""Environments of Gymnasium pass its own checks, and a vector plays the games of single environments."""

import copy
import importlib
import itertools
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

import fourcorners as fc
from fourcorners.envs import gymnasium as environments
from fourcorners.envs import seat_games
from fourcorners.envs.gymnasium import SeatEnv, SeatVectorEnv
from tests.envs.squendo_window import lay_to_the_right

DOTS = "fourcorners/DotsAndBoxes-v0"
MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("DotsAndBoxes", {"cols": 2, "rows": 2}),
    ("SquarinOff", {"cols": 2, "rows": 2, "players": 4, "teams": True, "blockers": [1, 1, 1, 1], "seat": 2}),
    ("SquareOff", {"size": 4, "seat": 1}),
    ("Sqez", {"cols": 7, "rows": 8, "players": 3, "seat": "alternate", "reward": "margin"}),
    ("Squendo", {"players": 2, "seat": "alternate"}),
]


def choose(mask: Any, rng: np.random.Generator, share: float = 0.0) -> int:
    """Return a random action: a legal one, if there is one, but any at a share of the calls."""
    legal = np.flatnonzero(mask)
    return int(rng.integers(len(mask)) if len(legal) == 0 or rng.random() < share else rng.choice(legal))


def finish(env: Any, info: dict[str, Any], rng: np.random.Generator) -> tuple[float, dict[str, Any]]:
    """Play random legal actions to the end; return the last reward and info."""
    while True:
        _, reward, terminated, truncated, info = env.step(choose(info["action_mask"], rng))
        if terminated or truncated:
            return reward, info
        assert reward == 0.0


def name_environments() -> list[str]:
    """Return the ids of the environments of all games."""
    return [environments._name_environment(game_id) for game_id in fc.games()]


def test_every_game_and_preset_is_registered_once() -> None:
    before = dict(gymnasium.registry)
    environments.register()
    assert gymnasium.registry == before
    names = [name for name in gymnasium.registry if name.startswith("fourcorners/")]
    assert names == name_environments()
    assert {DOTS, "fourcorners/SquareOff-v0", "fourcorners/SquarinOff-v0"} <= set(names)


@pytest.mark.parametrize("name", name_environments())
def test_environment_passes_the_check_of_gymnasium_without_a_warning(name: str) -> None:
    check_env(gymnasium.make(name, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(("name", "options"), SMALL, ids=lambda value: value if isinstance(value, str) else "")
def test_vector_plays_the_games_of_single_environments(name: str, options: dict[str, Any], mode: AutoresetMode) -> None:
    count, steps, share = (2, 6, 0.1) if name == "Squendo" else (5, 60, 0.02)
    if "reward" in options:  # illegal actions raise
        share = 0.0
    name = f"fourcorners/{name}-v0"
    ours = gymnasium.make_vec(name, count, autoreset_mode=mode, **options)
    vector_kwargs = {"autoreset_mode": mode}
    singles = gymnasium.make_vec(name, count, vectorization_mode="sync", vector_kwargs=vector_kwargs, **options)
    assert isinstance(ours, SeatVectorEnv)
    assert ours.metadata["autoreset_mode"] is mode
    assert (ours.action_space, ours.observation_space) == (singles.action_space, singles.observation_space)
    rng, ends, illegal = np.random.default_rng(1), 0, 0
    found: Any = ours.reset(seed=3)
    assert data_equivalence(found, singles.reset(seed=3), exact=True)
    for step in range(steps):
        if step == steps // 2:
            found = ours.reset()
            assert data_equivalence(found, singles.reset(), exact=True)
        actions = np.array([choose(mask, rng, share) for mask in found[-1]["action_mask"]])
        found = ours.step(actions)
        assert data_equivalence(found, singles.step(actions), exact=True)
        assert found[0].dtype == ours.observation_space.dtype
        ends += int((found[2] | found[3]).sum())
        illegal += sum("illegal" in infos for infos in (found[4], found[4].get("final_info", {})))
    assert ends > 0
    assert (illegal > 0) == (share > 0)


@pytest.mark.parametrize("reward", ["win", "margin", "points"])
@pytest.mark.parametrize("seat", [0, 2])
def test_reward_at_the_end_is_that_of_the_seat(seat: int, reward: Any) -> None:
    env = SeatEnv("squarin-off", seat=seat, reward=reward, cols=2, rows=2, players=3)
    rewards = []
    for seed in range(8):
        info = env.reset(seed=seed)[1]
        rewards.append(finish(env, info, np.random.default_rng(seed))[0])
        end = fc.envs.State(env.position)
        assert end.is_over
        assert rewards[-1] == end.compute_rewards(reward)[seat]
    assert len(set(rewards)) > 1


def test_seat_alternates() -> None:
    env = SeatEnv("squarin-off", seat="alternate", cols=2, rows=2, players=3)
    seats = []
    for number in range(4):
        _, info = env.reset(seed=1 if number == 0 else None)
        seats.append(env.seat)
        assert env.position.seat == env.seat
        finish(env, info, np.random.default_rng(number))
    assert seats == [0, 1, 2, 0]


def test_game_that_ends_before_the_seat_moves_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: dict[str, Any] = {"seat": 3, "cols": 8, "rows": 7, "players": 4}
    env = SeatEnv("sqez", **arguments)
    episodes = []
    for seed in range(20):
        env.reset(seed=seed)
        assert env.position.seat == 3
        episodes.append(int(env._games.adapter.batch.episode[0]))
    assert max(episodes) > 0
    monkeypatch.setattr(seat_games, "_MOST_STARTS", 0)
    with pytest.raises(fc.GameError, match="the seat does not come to move"):
        env.reset()


def test_seed_determines_the_game_and_the_next() -> None:
    first, second = SeatEnv("squendo", seat=1), SeatEnv("squendo", seat=1)
    observed = first.reset(seed=4)[0]
    assert (second.reset(seed=4)[0] == observed).all()
    assert first.position == second.position
    began = first.position
    first.reset()
    second.reset()
    assert first.position == second.position != began
    first.reset(seed=4)
    assert first.position == began


def test_games_without_a_seed_differ() -> None:
    assert SeatEnv("squendo").reset()[0].tobytes() != SeatEnv("squendo").reset()[0].tobytes()
    first, second = (SeatVectorEnv("squendo", 2).reset()[0] for _ in range(2))
    assert first.tobytes() != second.tobytes()
    assert first[0].tobytes() != first[1].tobytes()


def test_list_of_seeds_is_that_of_the_environments() -> None:
    observed = SeatVectorEnv("squendo", 2).reset(seed=[7, 3])[0]
    for i, seed in enumerate((7, 3)):
        assert (observed[i] == SeatEnv("squendo").reset(seed=seed)[0]).all()


def test_masks_are_flags_for_libraries_that_ask() -> None:
    env, vector = SeatEnv("dots-and-boxes", cols=2, rows=2), SeatVectorEnv("dots-and-boxes", 3, cols=2, rows=2)
    info = env.reset(seed=1)[1]
    assert info["action_mask"].dtype == np.int8
    assert env.action_masks().dtype == np.bool_
    info = env.step(3)[4]
    assert np.flatnonzero(env.action_masks()).tolist() == sorted(fc.envs.State(env.position).actions())
    assert (env.action_masks() == info["action_mask"]).all()
    masks = vector.reset(seed=1)[1]["action_mask"]
    assert (vector.action_masks() == masks).all()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_game_with_a_legal_action_without_an_index_is_truncated(mode: AutoresetMode) -> None:
    env = SeatEnv("squendo", opponent=lay_to_the_right)
    env.reset(seed=1)
    actions, truncated = [], False
    while not truncated:
        actions.append(lay_to_the_right(fc.envs.State(env.position)))
        _, reward, terminated, truncated, _ = env.step(actions[-1])
        assert (reward, terminated) == (0.0, False)
    assert not env.action_masks().any()

    def play_right(batch: fc.envs.Batch) -> list[int]:
        return [lay_to_the_right(fc.envs.State(batch.position(0)))]

    vector = SeatVectorEnv("squendo", 1, opponent=play_right, autoreset_mode=mode)
    vector.reset(seed=1)
    steps = [vector.step(np.array([action])) for action in actions]
    assert not any(rewards[0] or terminations[0] for _, rewards, terminations, *_ in steps)
    assert [bool(step[3][0]) for step in steps] == [False] * (len(steps) - 1) + [True]
    is_same = mode is AutoresetMode.SAME_STEP
    assert (steps[-1][4]["action_mask"].any(), "final_obs" in steps[-1][4]) == (is_same, is_same)


def test_illegal_action_loses_and_says_why() -> None:
    env = SeatEnv("dots-and-boxes", cols=2, rows=2)
    env.reset(seed=1)
    env.step(0)
    before = env.position
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal"] == "0 is not legal: edge a1b1 is already drawn"
    assert not info["action_mask"].any()
    assert env.position == before
    with pytest.raises(fc.GameError, match="no game is running; call reset first"):
        env.step(1)
    assert env.reset()[1]["action_mask"].any()


@pytest.mark.parametrize("action", [-1, 10**30, 12])
def test_illegal_action_raises_if_wanted_and_changes_nothing(action: Any) -> None:
    env = SeatEnv("dots-and-boxes", illegal="raise", cols=2, rows=2)
    env.reset()
    before = env.position
    with pytest.raises(fc.envs.IllegalActionError, match="is not legal: "):
        env.step(action)
    assert env.position == before
    env.step(3)
    vector = SeatVectorEnv("dots-and-boxes", 2, illegal="raise", cols=2, rows=2)
    vector.reset()
    with pytest.raises(fc.envs.IllegalActionError, match=r"in game 1, .* is not legal: ") as refused:
        vector.step([3, action])  # type: ignore[arg-type]
    assert refused.value.game == 1
    assert vector.action_masks().all()


@pytest.mark.parametrize("action", [None, 0.5, "a", [1]])
def test_anything_but_a_whole_number_raises_even_where_illegal_actions_lose(action: Any) -> None:
    env = SeatEnv("dots-and-boxes", cols=2, rows=2)
    env.reset()
    with pytest.raises(fc.OptionError, match=r"action: .* is not allowed; it must be a whole number"):
        env.step(action)
    vector = SeatVectorEnv("dots-and-boxes", 2, cols=2, rows=2)
    vector.reset()
    with pytest.raises(fc.OptionError, match=r"actions(\[1\])?: .* is not allowed; it must be "):
        vector.step([3, action])  # type: ignore[arg-type]
    assert env.action_masks().all()
    assert vector.action_masks().all()


def test_function_plays_the_other_seats() -> None:
    movers = []

    def play_last(state: fc.envs.State) -> int:
        movers.append(state.seat)
        return int(state.actions()[-1])

    env = SeatEnv("squarin-off", seat=1, opponent=play_last, cols=2, rows=2, players=3)
    info = env.reset(seed=1)[1]
    assert movers == [0]
    finish(env, info, np.random.default_rng(1))
    assert set(movers) == {0, 2}


@pytest.mark.parametrize("opponent", ["random", 1])
def test_environment_can_be_copied_and_pickled(opponent: Any) -> None:
    env = SeatEnv("dots-and-boxes", opponent=opponent, cols=2, rows=2)
    info = env.reset(seed=1)[1]
    twins = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    for _ in range(3):
        action = choose(info["action_mask"], np.random.default_rng(1))
        *_, info = env.step(action)
        for twin in twins:
            twin.step(action)
            assert twin.position == env.position


def test_function_of_a_batch_plays_as_that_of_a_state() -> None:
    def play_last(batch: fc.envs.Batch) -> Any:
        offsets, indices = batch.legal_actions
        assert ((batch.seat >= 0) == (np.diff(offsets) > 0)).all()
        return [indices[end - 1] if end > start else -1 for start, end in itertools.pairwise(offsets)]

    vector = SeatVectorEnv("dots-and-boxes", 3, opponent=play_last, seat=1, cols=2, rows=2)
    single = SeatEnv("dots-and-boxes", opponent=lambda state: int(state.actions()[-1]), seat=1, cols=2, rows=2)
    info = vector.reset(seed=1)[1]
    single.reset(seed=1)
    for _ in range(4):
        action = choose(info["action_mask"][0], np.random.default_rng(1))
        observed, *_, info = vector.step(np.full(3, action))
        assert (observed == single.step(action)[0]).all()


@pytest.mark.parametrize("opponent", [lambda _: 99, lambda _: None])
def test_wrong_choice_of_an_opponent_is_told(opponent: Any) -> None:
    env = SeatEnv("dots-and-boxes", seat=1, opponent=opponent, cols=2, rows=2)
    with pytest.raises(fc.GameError, match=r"the opponent chooses wrongly: actions\[0\] is 99|actions: "):
        env.reset()
    with pytest.raises(fc.GameError, match="an opponent has failed to move; call reset first"):
        env.step(0)


class FakeComputer:
    """A computer that chooses by its seed."""

    def __init__(self, level: int, seed: int) -> None:
        assert level == 1
        self._seed = seed

    def choose(self, position: fc.Position) -> fc.Choice:
        """Choose one of the moves."""
        moves = position.moves()
        return fc.Choice(moves[self._seed % len(moves)], 0.0, 0.0, (), 0, 0.0, remaining_margin=0.0)


@pytest.mark.parametrize(
    "computer", [FakeComputer, pytest.param(fc.Computer, marks=pytest.mark.compiled)], ids=["fake", "real"]
)
def test_level_plays_the_same_for_the_same_seed_alone_and_in_a_vector(
    computer: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_games, "Computer", computer)
    arguments: dict[str, Any] = {"opponent": 1, "seat": 1, "cols": 2, "rows": 2}
    vector = SeatVectorEnv("dots-and-boxes", 4, **arguments)
    vector.reset(seed=5)
    vector.step(np.array([choose(mask, np.random.default_rng(1)) for mask in vector.action_masks()]))
    positions = [vector._games.adapter.batch.position(i) for i in range(4)]
    assert len(set(positions)) > 1
    env = SeatEnv("dots-and-boxes", **arguments)
    for i in (0, 3):
        env.reset(seed=5 + i)
        env.step(choose(env.action_masks(), np.random.default_rng(1)))
        assert env.position == positions[i]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seat": 2}, "seat: 2 is not allowed; it must be 'alternate' or a whole number from 0 to 1"),
        ({"seat": "both"}, "seat: 'both' is not allowed"),
        ({"opponent": 99}, "opponent: 99 is not allowed; it must be 'random', a function, or a level from 1 to"),
        ({"opponent": "strong"}, "opponent: 'strong' is not allowed"),
        ({"reward": "loss"}, "reward: 'loss' is not allowed"),
        ({"illegal": "pass"}, "illegal: 'pass' is not allowed; it must be lose or raise"),
        ({"reward": "points", "illegal": "lose"}, "illegal: 'lose' is not allowed unless reward is 'win'"),
        ({"render_mode": "window"}, "render_mode: 'window' is not allowed"),
        ({"cols": 99}, "cols: "),
    ],
)
@pytest.mark.parametrize("kind", [SeatEnv, SeatVectorEnv])
def test_wrong_argument_is_refused(kind: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fc.OptionError, match=message):
        kind("dots-and-boxes", **arguments)


def test_misuse_of_a_vector_is_refused_in_a_sentence() -> None:
    modes: list[Any] = [AutoresetMode.DISABLED, "off", []]
    for mode in modes:
        with pytest.raises(fc.OptionError, match=r"autoreset_mode: .* it must be NEXT_STEP or SAME_STEP"):
            SeatVectorEnv("dots-and-boxes", 2, autoreset_mode=mode)
    with pytest.raises(fc.OptionError, match="n: 0 is not allowed"):
        SeatVectorEnv("dots-and-boxes", 0)
    vector = SeatVectorEnv("dots-and-boxes", 2)
    with pytest.raises(fc.GameError, match="no game is running; call reset first"):
        vector.step(np.zeros(2, np.int64))
    vector.reset()
    with pytest.raises(
        fc.OptionError, match=r"actions: .* is not allowed; it must be 2 whole numbers, one for each game"
    ):
        vector.step(np.zeros(3, np.int64))
    with pytest.raises(
        fc.OptionError, match=r"actions: .* is not allowed; it must be 2 whole numbers, one for each game"
    ):
        vector.step([[1], [1, 2]])  # type: ignore[arg-type]  # that is tested
    assert vector.render() is None


def test_environments_draw_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    arguments: dict[str, Any] = {"cols": 2, "rows": 2}
    text = SeatEnv("dots-and-boxes", render_mode="ansi", **arguments)
    text.reset(seed=1)
    assert text.render() == str(text.position.view(0))
    vector = SeatVectorEnv("dots-and-boxes", 2, render_mode="ansi", **arguments)
    vector.reset(seed=1)
    assert vector.render() == (text.render(), text.render())
    picture = SeatEnv("dots-and-boxes", render_mode="rgb_array", **arguments)
    picture.reset(seed=1)
    assert (picture.render().shape, picture.render().dtype) == ((480, 480, 3), np.uint8)
    SeatEnv("dots-and-boxes", render_mode="human", **arguments).reset(seed=1)
    assert text.render() in capsys.readouterr().out
    with pytest.warns(UserWarning, match="render shows nothing"):
        SeatEnv("dots-and-boxes").render()


def test_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "fourcorners.envs.gymnasium")
    with pytest.raises(fc.GameError, match=r'fourcorners\.envs\.gymnasium needs the extra "envs": pip install'):
        importlib.import_module("fourcorners.envs.gymnasium")


EXTERNAL = """
import warnings
warnings.simplefilter("error")
import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env, data_equivalence
from fourcorners.core import catalogue
import fourcorners as fc
from fourcorners_cram import SPEC

catalogue.set_loader(lambda: [SPEC])
import fourcorners.envs.gymnasium

name, options = "fourcorners/Cram-v0", {"cols": 3, "rows": 2, "seat": "alternate"}
check_env(gymnasium.make(name, **options).unwrapped, skip_render_check=True)
vector = gymnasium.make_vec(name, 4, **options)
singles = gymnasium.make_vec(name, 4, vectorization_mode="sync", **options)
found = vector.reset(seed=1)
assert data_equivalence(found, singles.reset(seed=1))
ends = 0
for step in range(20):
    actions = found[-1]["action_mask"].sum(axis=1) // 2 + (step % 7 == 6)
    found = vector.step(actions)
    assert data_equivalence(found, singles.step(actions))
    ends += found[2].sum()
print(ends > 10, found[1].dtype)
"""


def test_game_without_an_encoding_passes_as_well() -> None:
    package = Path(__file__).parents[1] / "cram"
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(package), *sys.path])}
    command = [sys.executable, "-c", EXTERNAL]
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["True float64"]
