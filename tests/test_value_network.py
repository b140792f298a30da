"""The training of value networks on games of the strongest level."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.value_network import fitting, games, subjects
from benchmarks.value_network.__main__ import play
from fourcorners.builtin.square_off.evaluate import is_quiet
from fourcorners.builtin.square_off.strategy import features as square_off_features
from fourcorners.builtin.square_off.strategy import value_network as square_off_network
from fourcorners.builtin.squendo.strategy import features

COUNT, PART = 400, 0.5
USEFUL = features.OWN_IN_HAND  # the only input on which the end depends in the games made up here


def make_games(seed: int) -> fitting.Games:
    """Return made-up games of one position, in which the seat with more of USEFUL mostly gets more points."""
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, 4, (COUNT, 2, features.INPUT_COUNT)).astype(np.float32)
    points = rng.integers(0, 4, (COUNT, 2)).astype(float)
    final = points + 3.0 * inputs[:, :, USEFUL] + rng.integers(0, 2, (COUNT, 2))
    return fitting.Games(inputs, points, final, np.full(COUNT, PART), np.arange(COUNT))


def test_the_fit_finds_what_decides_made_up_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "_BATCH", 32)
    settings = fitting.Settings(hidden=8, rounds=1, epochs=30, decay=1e-3)
    network, report = fitting.fit([make_games(1)], settings, 1)
    assert [line["round"] for line in report] == [0, 1]
    tested = make_games(2)
    chances = network.predict(tested.inputs, tested.points, tested.part)[4]
    truth = tested.final[:, 0] > tested.final[:, 1]
    decided = tested.final[:, 0] != tested.final[:, 1]
    assert np.mean((chances[:, 0] > 0.5)[decided] == truth[decided]) > 0.8


def test_the_written_module_computes_what_the_network_predicts(tmp_path: Path) -> None:
    path = tmp_path / "weights.py"
    made = make_games(3)
    network = fitting._create_network([made], 16, np.random.default_rng(4))
    network = network._replace(direct=np.linspace(-1.0, 1.0, features.INPUT_COUNT))
    path.write_text(fitting.format_network("squendo", network), encoding="utf-8")
    module = SimpleNamespace(**runpy.run_path(str(path)))
    _, _, expected, spread, _ = network.predict(made.inputs, made.points, made.part)
    units = made.inputs @ module.INPUT[:-1] + module.INPUT[-1]
    found = made.points + PART * (units[..., -1] + np.maximum(units[..., :-1], 0.0) @ module.OUTPUT)
    # Parameters are written with four digits.
    assert found == pytest.approx(expected, abs=0.05)
    assert module.SPREAD * np.exp(module.SPREAD_GROWTH * PART) == pytest.approx(spread[0, 0], rel=1e-3)


def test_targets_look_ahead_only_within_a_game() -> None:
    made = make_games(5)._replace(game=np.repeat(np.arange(COUNT // 2), 2))
    network = fitting._create_network([made], 16, np.random.default_rng(6))
    mixed, chances = fitting._mix_targets(network, made)
    truth = fitting._compute_win_shares(made.final)
    # The last position of each game keeps its end; the one before moves towards what the network says about the last.
    assert (mixed.final[1::2] == made.final[1::2]).all()
    assert (chances[1::2] == truth[1::2]).all()
    _, _, expected, _, said = network.predict(made.inputs, made.points, made.part)
    share = fitting._LAMBDA
    assert mixed.final[::2] == pytest.approx(share * made.final[1::2] + (1 - share) * expected[1::2])
    assert chances[::2] == pytest.approx(share * truth[1::2] + (1 - share) * said[1::2])


@pytest.mark.compiled
@pytest.mark.parametrize("name", subjects.SUBJECTS)
def test_a_stopped_run_plays_the_units_that_are_missing_as_before(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "_GAMES", 2)
    for number in (0, 1, 2):
        games.play_unit(name, tmp_path, number, 4, 1)
    before = dict(games.read_units(tmp_path))
    (tmp_path / "000001.npz").unlink()
    (tmp_path / "000003.part").write_bytes(b"not complete")
    # The unit that is missing took some time, too.
    play(name, tmp_path, float(before[0].seconds[0] + before[2].seconds[0]) + 1e-6, 4, 1, 1)
    after = dict(games.read_units(tmp_path))
    assert sorted(after) == [0, 1, 2]
    for number, unit in after.items():
        for column in ("starts", "lengths", "actions"):
            assert getattr(unit, column).tobytes() == getattr(before[number], column).tobytes()


def test_a_folder_takes_one_configuration(tmp_path: Path) -> None:
    play("square-off", tmp_path, 0.0, 4, 1, 1)
    with pytest.raises(ValueError, match=r'has games with .*"seed": 1.*not with .*"seed": 2'):
        play("square-off", tmp_path, 0.0, 4, 2, 1)


@pytest.mark.compiled
def test_games_are_described_as_they_were_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_GAMES", 2)
    for number in (0, 3):  # on two sizes
        games.play_unit("square-off", tmp_path, number, 4, 1)
    (described,) = games.describe_games("square-off", tmp_path)
    assert set(described.game.tolist()) == {0, 1, 2, 3}
    inputs, now = np.zeros((2, square_off_features.INPUT_COUNT)), np.zeros(2)
    index = 0
    for number, unit in games.read_units(tmp_path):
        game, first = games.create_game("square-off", number), 0
        for length in unit.lengths:
            position, seen = game.start(), []
            for action in unit.actions[first : first + length]:
                if is_quiet(position.record):
                    seen.append(position)
                position = position.play(game.spec.notation.format(position.record, int(action)))
            assert position.is_over
            for each in seen:
                square_off_features.compute_features(each.record, inputs, now)
                assert described.inputs[index].tolist() == inputs.tolist()
                assert tuple(described.points[index]) == each.scores
                assert tuple(described.final[index]) == position.scores
                assert described.part[index] == int(each.record.free[0]).bit_count() / square_off_network.SCALE
                index += 1
            first += length
    assert index == len(described.part)


@pytest.mark.compiled
def test_games_of_squendo_make_a_set_for_each_number_of_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_GAMES", 1)
    for number in (0, 3):
        games.play_unit("squendo", tmp_path, number, 2, 1)
    two, four = games.describe_games("squendo", tmp_path)
    for described, seats in ((two, 2), (four, 4)):
        assert described.inputs.shape == (len(described.game), seats, features.INPUT_COUNT)
        # A game begins with all tiles left, and its last position has the fewest.
        assert described.part[0] == described.part.max() > described.part[-1] == described.part.min()
        assert (described.final == described.final[0]).all()
