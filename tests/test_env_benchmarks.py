"""The benchmark of environments: what its loops do, checked by counts, and its targets from given figures."""

import itertools
import os
from functools import partial

import pytest
from numba import config

import fourcorners as fc
from benchmarks import env_peers, envs
from benchmarks.load import report
from fourcorners.envs import pettingzoo

TINY = envs.Effort(rounds=1, seconds=0.0, games=4)
GAMES = ["dots-and-boxes", *(pytest.param(game, marks=pytest.mark.ci) for game in envs.BOARDS if game != envs.COMPARED)]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpret all kernels: to compile a batch takes longer than the few steps of a test."""
    monkeypatch.setattr(config, "DISABLE_JIT", 1)


def test_loops_of_openspiel_count_the_edges_of_its_games() -> None:
    loops = env_peers.build_openspiel_loops(1)
    assert [loops[name]() for name in (env_peers.CPP, env_peers.MASKS, env_peers.TENSORS)] == [1000 * 60, 60, 60]


def test_loop_of_pettingzoo_counts_the_steps_of_players_who_are_told_that_the_game_is_over() -> None:
    env = pettingzoo.env(fc.game("dots-and-boxes", cols=2, rows=1))
    assert env_peers.play_aec(env) == 7 + 2


@pytest.mark.parametrize("game", GAMES)
def test_benchmark_measures_every_target_whose_library_is_installed(game: str) -> None:
    cores = os.sched_getaffinity(0)
    said: list[str] = []
    found = envs.measure_environments([game], TINY, said.append)
    assert os.sched_getaffinity(0) == cores
    title = envs.BOARDS[game].title
    own = [target for target in found["targets"] if target["name"].startswith(title)]
    assert len(own) == (4 + 13 if game == envs.COMPARED else 4)
    missing = [target["name"] for target in found["targets"] if target["met"] is None]
    assert len(missing) <= len(said) + 1  # pgx has two boards
    assert all(rate > 0 for rate in found["steps_per_s"].values())
    # The sizes of records do not depend on the machine.
    assert [target["met"] for target in own if "record and mask" in target["name"]] == [True]


def test_loops_take_turns_and_their_ratio_is_the_median_over_the_rounds() -> None:
    order: list[str] = []
    clock = itertools.count(0.0, 0.5).__next__

    def work(name: str, steps: int) -> int:
        order.append(name)
        return steps

    loops = {"a": partial(work, "a", 8), "b": partial(work, "b", 2)}
    rates = envs.measure_rates(loops, envs.Effort(2, 0.0, 1), clock)
    assert order == ["a", "b"] * 3  # the first calls do not count
    assert rates == {"a": [8.0, 8.0], "b": [2.0, 2.0]}
    assert envs.divide({"a": [3.0, 10.0, 8.0], "b": [1.0, 2.0, 2.0]}, "a", "b") == 4
    assert envs.divide(rates, "a", "c") is None


def test_target_is_met_by_its_limit_and_unknown_without_a_figure() -> None:
    assert envs.make_target("x", 18.0, 18) == {"name": "x", "target": "≥ 18", "measured": "18.0", "met": True}
    assert envs.make_target("x", 17.4, 18)["met"] is False
    assert envs.make_target("x", 1416, 1416, " bytes", is_most=True)["measured"] == "1416 bytes"
    assert not envs.make_target("x", 1417, 1416, " bytes", is_most=True)["met"]
    assert envs.make_target("x", None, 18) == {"name": "x", "target": "≥ 18", "measured": None, "met": None}


def test_report_has_the_targets_the_rates_and_the_machine() -> None:
    figures = {"targets": [envs.make_target("x", 20.0, 18)], "steps_per_s": {"y": 2_500_000}}
    machine = {"python": "3.11", "processor": "EPYC", "cores": 2}
    text = report.build_environment_section({"machine": machine, "quick": True, "envs": figures})["envs"]
    assert text.startswith("EPYC, 2 cores; python 3.11. **A quick run")
    assert "| x | ≥ 18 | 20.0 | met |" in text
    assert "| y | 2.5 |" in text
