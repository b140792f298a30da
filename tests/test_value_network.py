"""The training of the value network of the strongest Squendo player."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from benchmarks import value_network as fitting
from fourcorners.builtin.squendo.strategy import features, value_network

COUNT = 400
USEFUL = features.OWN_IN_HAND  # the only input on which the end depends in the games made up here


def make_games(seed: int) -> fitting.Games:
    """Return made-up games of one position, in which the seat with more of USEFUL mostly gets more points."""
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, 4, (COUNT, 2, features.INPUT_COUNT)).astype(float)
    points = rng.integers(0, 4, (COUNT, 2)).astype(float)
    final = points + 3.0 * inputs[:, :, USEFUL] + rng.integers(0, 2, (COUNT, 2))
    return fitting.Games(inputs, points, final, np.full(COUNT, 18.0), np.arange(COUNT, dtype=float))


def test_the_fit_finds_what_decides_made_up_games(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_ROUNDS", 1), ("_EPOCHS", 30), ("_BATCH", 32)):
        monkeypatch.setattr(fitting, name, value)
    network, report = fitting.fit([make_games(1)], 1)
    assert [line["round"] for line in report] == [0, 1]
    games = make_games(2)
    chances = network.predict(games.inputs, games.points, games.tiles)[4]
    truth = games.final[:, 0] > games.final[:, 1]
    decided = games.final[:, 0] != games.final[:, 1]
    assert np.mean((chances[:, 0] > 0.5)[decided] == truth[decided]) > 0.8


def test_the_written_module_computes_what_the_network_predicts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "weights.py"
    monkeypatch.setattr(fitting, "_TARGET", path)
    games = make_games(3)
    network = fitting._create_network([games], np.random.default_rng(4))
    fitting.write(network._replace(direct=np.linspace(-1.0, 1.0, features.INPUT_COUNT)))
    spec = importlib.util.spec_from_file_location("weights", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    network = network._replace(direct=np.linspace(-1.0, 1.0, features.INPUT_COUNT))
    _, _, expected, spread, _ = network.predict(games.inputs, games.points, games.tiles)
    units = games.inputs @ module.INPUT[:-1] + module.INPUT[-1]
    part = 18.0 / value_network.TILES
    found = games.points + part * (units[..., -1] + np.maximum(units[..., :-1], 0.0) @ module.OUTPUT)
    # Parameters are written with four digits.
    assert found == pytest.approx(expected, abs=0.05)
    assert module.SPREAD * np.exp(module.SPREAD_GROWTH * part) == pytest.approx(spread[0, 0], rel=1e-3)


def test_targets_look_ahead_only_within_a_game() -> None:
    games = make_games(5)._replace(game=np.repeat(np.arange(COUNT // 2, dtype=float), 2))
    network = fitting._create_network([games], np.random.default_rng(6))
    mixed, chances = fitting._mix_targets(network, games)
    truth = fitting._compute_win_shares(games.final)
    # The last position of each game keeps its end; the one before moves towards what the network says about the last.
    assert (mixed.final[1::2] == games.final[1::2]).all()
    assert (chances[1::2] == truth[1::2]).all()
    _, _, expected, _, said = network.predict(games.inputs, games.points, games.tiles)
    share = fitting._LAMBDA
    assert mixed.final[::2] == pytest.approx(share * games.final[1::2] + (1 - share) * expected[1::2])
    assert chances[::2] == pytest.approx(share * truth[1::2] + (1 - share) * said[1::2])
