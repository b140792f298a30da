"""`fourcorners stats`: the figures of a run."""

import json
import shutil
from pathlib import Path
from statistics import fmean

import pytest

from tests.cli.test_commands import run_command, run_failing_command
from tests.selfplay.test_selfplay import PLAYERS, SMALL, read_table

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a complete run with labels."""
    folder = tmp_path_factory.mktemp("statistics") / "run"
    assert run_command(*PLAYERS, "--out", str(folder)).returncode == 0
    return folder


def test_figures_are_those_of_the_rows(data: Path) -> None:
    found = json.loads(run_command("stats", str(data), "--json").stdout)
    games, positions = read_table(data, "games"), read_table(data, "positions")
    assert found["plies"] == [7, 7.0, 7]
    for seat in range(2):
        assert found["wins"][seat] == fmean(seat in game["winners"] for game in games)
    assert found["shared"] == fmean(len(game["winners"]) == 2 for game in games)
    rewards = [game["rewards"][game["players"].index("plain")] for game in games]
    assert found["players"] == {"child": pytest.approx(-fmean(rewards)), "plain": pytest.approx(fmean(rewards))}
    assert found["branching"] == pytest.approx(fmean(len(row["actions"]) for row in positions))
    assert found["exact"] == 1.0
    assert sum(found["rows"]["positions"].values()) == len(positions)
    assert found["by_ply"][0] == {"ply": 2, "positions": 20, "branching": 5.0, "exact": 1.0}
    assert [row["ply"] for row in found["by_ply"]] == [2, 3, 4, 5, 6]


def test_tables_are_printed_and_plots_drawn(data: Path, tmp_path: Path) -> None:
    plot = tmp_path / "plot.svg"
    completed = run_command("stats", str(data), "--plot", str(plot))
    assert completed.returncode == 0, completed
    for text in ("validation", "wins of seat 0", "mean reward of child", "proven values", "100.0%"):
        assert text in completed.stdout
    assert "<svg" in plot.read_text(encoding="utf-8")


def test_data_without_labels_says_so_and_a_draw_is_a_shared_win(tmp_path: Path) -> None:
    run = (*SMALL, "--nodes", "1", "--games", "1", "--seed", "5", "--out", str(tmp_path))
    assert run_command(*run).returncode == 0
    (game,) = read_table(tmp_path, "games")
    assert game["winners"] == [0, 1]
    assert json.loads(run_command("stats", str(tmp_path), "--json").stdout)["shared"] == 1.0
    assert "no labels" in run_command("stats", str(tmp_path)).stdout
    assert json.loads(run_command("stats", str(tmp_path), "--json").stdout)["exact"] is None


def test_folder_without_data_and_changed_files_are_refused(data: Path, tmp_path: Path) -> None:
    assert "no complete run" in run_failing_command("stats", str(tmp_path))
    shutil.copytree(data, tmp_path / "copy")
    content = bytearray((tmp_path / "copy/positions.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "copy/positions.parquet").write_bytes(content)
    assert "is not the file that the manifest names" in run_failing_command("stats", str(tmp_path / "copy"))
    (tmp_path / "copy/games.parquet").unlink()
    assert "games.parquet is not the file" in run_failing_command("stats", str(tmp_path / "copy"))
