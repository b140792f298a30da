"""Environments of PettingZoo pass its own tests, keep secrets, and refuse what is not legal."""

import importlib
import itertools
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.envs import pettingzoo
from fourcorners.envs.adapter import Adapter
from tests.envs.squendo_window import lay_to_the_right

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 2}),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 3}),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 4, "teams": True, "blockers": [1, 1, 1, 1]}),
    ("square-off", {"size": 4}),
    ("sqez", {"cols": 8, "rows": 8, "players": 8}),
    ("squendo", {"players": 2}),
]
small_games = pytest.mark.parametrize(
    ("name", "options"), SMALL, ids=lambda value: value if isinstance(value, str) else ""
)
CLASSIC_WARNINGS = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",  # after the end
)


def play_one(env: pettingzoo.GameEnv, rng: np.random.Generator) -> None:
    """Play a random legal action."""
    env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))


def is_running(env: pettingzoo.GameEnv) -> bool:
    """Return whether no agent is done."""
    return not any(env.terminations.values()) and not any(env.truncations.values())


@small_games
def test_environment_passes_the_tests_of_pettingzoo_without_a_warning(name: str, options: dict[str, Any]) -> None:
    api_test(pettingzoo.env(name, **options), num_cycles=30)
    seed_test(lambda: pettingzoo.env(name, **options), num_cycles=10)


@pytest.mark.filterwarnings(*CLASSIC_WARNINGS)
@small_games
def test_classic_form_passes_the_tests_of_pettingzoo(name: str, options: dict[str, Any]) -> None:
    api_test(pettingzoo.env(name, mask="observation", **options), num_cycles=30)
    seed_test(lambda: pettingzoo.env(name, mask="observation", **options), num_cycles=5)


def make_without_pictures(name: str, options: dict[str, Any], render_mode: str) -> pettingzoo.GameEnv:
    """Return an environment that does not offer pictures, each of which takes half a second."""
    mode: Any = render_mode
    env = pettingzoo.env(name, render_mode=mode, **options)
    env.metadata["render_modes"] = ["ansi", "human"]
    return env


@small_games
def test_text_passes_the_render_test(name: str, options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: make_without_pictures(name, options, render_mode))
    assert str(fc.game(name, **options).start(seed=0).view(0)).splitlines()[0] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "options"), [SMALL[0], *(pytest.param(*case, marks=pytest.mark.ci) for case in SMALL[1:])]
)
def test_pictures_pass_the_render_test(name: str, options: dict[str, Any]) -> None:
    shapes = []

    def check(picture: Any) -> bool:
        shapes.append(picture.shape)
        return bool(picture.std() > 1)

    render_test(lambda render_mode: pettingzoo.env(name, render_mode=render_mode, **options), {"rgb_array": check})
    assert set(shapes) == {(480, 480, 3)}


@pytest.mark.parametrize("reward", ["win", "margin", "points"])
@small_games
def test_seats_masks_and_rewards_are_those_of_the_rules(name: str, options: dict[str, Any], reward: Any) -> None:
    env, rng = pettingzoo.env(name, reward=reward, **options), np.random.default_rng(3)
    env.reset(seed=5)
    plies = 0
    while is_running(env):
        state = fc.envs.State(env.position)
        assert env.agent_selection == f"seat_{state.seat}"
        for agent in env.agents:
            mask = env.infos[agent]["action_mask"]
            assert mask.dtype == np.int8
            expected = sorted(state.actions().tolist()) if agent == env.agent_selection else []
            assert np.flatnonzero(mask).tolist() == expected
        agent = env.agent_selection
        assert (env.observe(agent) == state.observe()).all()
        assert set(env.rewards.values()) == {0.0}
        play_one(env, rng)
        plies += 1
        if plies == 12 and name == "squendo":  # long, and a mask of it has 90,001 entries
            return
    end = fc.envs.State(env.position)
    assert end.is_over
    assert tuple(env.rewards.values()) == end.compute_rewards(reward)
    assert all(env.last()[2:4] == (True, False) for agent in env.agents)
    assert reward != "win" or (
        sum(env.rewards.values()) == pytest.approx(0.0, abs=1e-6) and max(env.rewards.values()) <= 1
    )


def test_a_seat_may_move_several_times_in_a_row() -> None:
    env, rng = pettingzoo.env("dots-and-boxes", cols=2, rows=2), np.random.default_rng(1)
    env.reset(seed=1)
    movers = []
    while is_running(env):
        movers.append(env.agent_selection)
        play_one(env, rng)
    assert any(first == second for first, second in itertools.pairwise(movers))


def test_classic_form_shows_the_mask_to_the_seat_to_move_alone() -> None:
    env = pettingzoo.env("dots-and-boxes", mask="observation", cols=2, rows=2)
    env.reset(seed=1)
    assert env.infos == {"seat_0": {}, "seat_1": {}}
    assert env.observe("seat_0")["action_mask"].sum() == 12
    assert env.observe("seat_1")["action_mask"].sum() == 0
    env.step(3)
    assert np.flatnonzero(env.observe("seat_1")["action_mask"] == 0).tolist() == [3]
    assert env.observe("seat_0")["action_mask"].sum() == 0


def test_seed_determines_this_game_and_the_next() -> None:
    first, second = (pettingzoo.env("squendo") for _ in range(2))
    for env in (first, second):
        env.reset(seed=7)
    assert first.position == second.position
    began = first.position
    for env in (first, second):
        env.reset()
    assert first.position == second.position != began
    first.reset(seed=8)
    assert first.position != began
    first.reset(seed=7)
    assert first.position == began


def test_observations_contain_nothing_hidden() -> None:
    env, other = (pettingzoo.env("squendo", players=3) for _ in range(2))
    rng = np.random.default_rng(2)
    env.reset(seed=4)
    other.reset(seed=9)
    for _ in range(4):
        play_one(env, rng)
    for seat in range(3):
        states = env.position.states.copy()
        compiled_api.hide(states, 0, seat)
        compiled_api.deal(states, 0, new_rng(6))
        other._adapter.batch.set_position(0, fc.Position(env.game, states, ()))
        assert other.position != env.position
        for agent in range(3):
            is_equal = (env.observe(f"seat_{agent}") == other.observe(f"seat_{agent}")).all()
            assert is_equal == (agent == seat)
        assert (env.state() != other.state()).any()


def test_state_is_all_observations_and_lies_in_its_space() -> None:
    env = pettingzoo.env("squendo", players=3)
    env.reset(seed=1)
    state = env.state()
    assert env.state_space.contains(state)
    parts = np.split(state, 3)
    assert all((part == env.observe(f"seat_{seat}")).all() for seat, part in enumerate(parts))


def test_illegal_action_loses_for_the_whole_party_and_says_why(caplog: pytest.LogCaptureFixture) -> None:
    env = pettingzoo.env("squarin-off", cols=2, rows=2, players=4, teams=True)
    env.reset()
    env.step(0)
    before = env.position
    env.step(0)
    assert env.position == before
    assert list(env.rewards.values()) == [1.0, -1.0, 1.0, -1.0]
    assert all(env.terminations.values())
    assert env.infos["seat_1"]["illegal"] == "0 is not legal: edge a1b1 is already drawn"
    assert "seat_1 loses, because 0 is not legal" in caplog.text
    for agent in env.agent_iter():
        assert env.last()[1] == (1.0 if agent in {"seat_0", "seat_2"} else -1.0)
        env.step(None)
    assert env.agents == []
    env.reset()
    assert env.infos["seat_0"]["action_mask"].any()


@pytest.mark.parametrize("action", [None, 0.5, "a", [1]])
def test_anything_but_a_whole_number_raises_even_where_illegal_actions_lose(action: Any) -> None:
    env = pettingzoo.env("dots-and-boxes", cols=2, rows=2)
    env.reset()
    with pytest.raises(fc.OptionError, match=r"action: .* is not allowed; it must be a whole number"):
        env.step(action)
    assert is_running(env)


@pytest.mark.parametrize("action", [-1, 10**30, 12])
def test_illegal_action_raises_if_wanted_and_changes_nothing(action: Any) -> None:
    env = pettingzoo.env("dots-and-boxes", illegal="raise", cols=2, rows=2)
    env.reset()
    before = env.position
    with pytest.raises(fc.envs.IllegalActionError, match="is not legal: "):
        env.step(action)
    assert env.position == before
    assert is_running(env)


def test_illegal_action_raises_where_losing_may_not_be_the_worst() -> None:
    env = pettingzoo.env("dots-and-boxes", reward="margin", cols=2, rows=2)
    env.reset()
    with pytest.raises(fc.envs.IllegalActionError):
        env.step(-1)
    with pytest.raises(fc.OptionError, match="illegal: 'lose' is not allowed unless reward is 'win'"):
        pettingzoo.env("dots-and-boxes", reward="margin", illegal="lose")


def test_game_with_a_legal_action_without_an_index_is_truncated() -> None:
    env = pettingzoo.env("squendo")
    env.reset(seed=1)
    while is_running(env):
        env.step(lay_to_the_right(fc.envs.State(env.position)))
    assert fc.envs.State(env.position).is_truncated
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        assert (reward, terminated, truncated, int(info["action_mask"].sum())) == (0.0, False, True, 0)
        assert agent in {"seat_0", "seat_1"}
        env.step(None)


def test_game_with_more_legal_actions_than_numbers_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    env = pettingzoo.env("dots-and-boxes", cols=2, rows=2)
    env.reset()
    monkeypatch.setattr(Adapter, "find_overlong", lambda _: np.ones(1, np.bool_))
    env.step(0)
    assert env.last()[1:4] == (0.0, False, True)


def test_every_game_and_preset_has_a_module() -> None:
    for game_id in fc.games():
        name = f"{game_id.replace('-', '_')}_v0"
        module = getattr(pettingzoo, name)
        assert name in dir(pettingzoo)
        assert module is getattr(pettingzoo, name)
        assert str(module.env()) == name
        assert module.raw_env().game == fc.game(game_id)
    with pytest.raises(AttributeError, match="has no attribute 'chess_v0'"):
        _ = pettingzoo.chess_v0


def test_game_takes_more_options() -> None:
    assert pettingzoo.env(fc.game("dots-and-boxes", cols=3), rows=2).game == fc.game("dots-and-boxes", cols=3, rows=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mask": "infos"}, "mask: 'infos' is not allowed; it must be info or observation"),
        ({"render_mode": "window"}, "render_mode: 'window' is not allowed; it must be ansi or rgb_array or human"),
        ({"reward": "loss"}, "reward: 'loss' is not allowed; it must be win or margin or points"),
        ({"illegal": "pass"}, "illegal: 'pass' is not allowed; it must be lose or raise"),
        ({"cols": 99}, "cols: "),
        ({"size": 4}, "size: "),
    ],
)
def test_wrong_argument_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fc.OptionError, match=message):
        pettingzoo.env("dots-and-boxes", **arguments)


def test_misuse_is_refused_in_a_sentence() -> None:
    env = pettingzoo.env("dots-and-boxes", cols=2, rows=2)
    assert list(env.agent_iter()) == []
    with pytest.raises(fc.GameError, match="no game is running; call reset first"):
        env.step(0)
    with pytest.raises(fc.OptionError, match="agent: 'player_1' is not known; it must be seat_0 or seat_1"):
        env.observe("player_1")
    with pytest.raises(fc.OptionError, match="seed: 'x' is not allowed"):
        env.reset(seed="x")  # type: ignore[arg-type]
    env.reset()
    with pytest.warns(UserWarning, match="render shows nothing"):
        env.render()


def test_environment_can_be_pickled_in_the_middle_of_a_game() -> None:
    env, rng = pettingzoo.env("squendo"), np.random.default_rng(1)
    env.reset(seed=3)
    play_one(env, rng)
    copied = pickle.loads(pickle.dumps(env))
    for one in (env, copied):
        play_one(one, np.random.default_rng(2))
        one.reset()
    assert copied.position == env.position


def test_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "fourcorners.envs.pettingzoo")
    with pytest.raises(fc.GameError, match=r'fourcorners\.envs\.pettingzoo needs the extra "envs": pip install'):
        importlib.import_module("fourcorners.envs.pettingzoo")


EXTERNAL = """
import warnings
warnings.simplefilter("error")
from fourcorners.core import catalogue
import fourcorners as fc
from fourcorners_cram import SPEC

catalogue.set_loader(lambda: [SPEC])
from fourcorners.envs.pettingzoo import cram_v0
from pettingzoo.test import api_test, seed_test

api_test(cram_v0.env(cols=3, rows=2), num_cycles=30)
seed_test(lambda: cram_v0.env(cols=3, rows=2), num_cycles=10)
env = cram_v0.env(cols=3, rows=2, render_mode="ansi")
env.reset()
mask = env.infos["seat_0"]["action_mask"]
print(env.action_space("seat_0").n == len(mask), mask[:8], mask.sum(), len(env.position.moves()))
env.step(6)
print(env.infos["seat_1"]["action_mask"].sum(), len(env.position.moves()))
env.step(6)
print(env.infos["seat_1"]["illegal"])
"""


def test_game_without_an_encoding_passes_and_counts_its_legal_actions() -> None:
    package = Path(__file__).parents[1] / "cram"
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(package), *sys.path])}
    command = [sys.executable, "-c", EXTERNAL]
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-3:] == [
        "True [1 1 1 1 1 1 1 0] 7 7",
        "4 4",
        "6 is not legal: it must be a whole number from 0 to 3",
    ]
