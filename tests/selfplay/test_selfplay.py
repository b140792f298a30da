"""`fourcorners selfplay`: the tables, their splits, and runs that were stopped."""

import hashlib
import json
import random
import re
import shlex
import threading
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import fourcorners as fc
from fourcorners.selfplay import run
from fourcorners.selfplay.configuration import Configuration
from fourcorners.selfplay.folder import RunFolder
from fourcorners.selfplay.unit import build_unit, compute_key, compute_rewards
from tests.cli.test_commands import run_command, run_failing_command

pytestmark = pytest.mark.compiled
# Two units of a board that takes a moment.
SMALL = ("selfplay", "dots-and-boxes", "-o", "cols=2", "-o", "rows=1", "--games", "20", "--player", "plain")
PLAYERS = (*SMALL, "--player", "child", "--nodes", "10", "--label")


def read_table(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    rows: list[dict[str, Any]] = pq.read_table(folder / f"{table}.parquet").to_pylist()
    return rows


def read_hashes(folder: Path) -> dict[str, Any]:
    """Return the lengths and hashes of the files in a complete folder."""
    files: dict[str, Any] = json.loads((folder / "manifest.json").read_text())["files"]
    assert files
    return files


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a complete run of `PLAYERS`."""
    folder = tmp_path_factory.mktemp("data") / "run"
    completed = run_command(*PLAYERS, "--out", str(folder), "--jobs", "1")
    assert completed.returncode == 0, completed
    return folder


def test_games_can_be_replayed_and_their_positions_have_what_was_known(data: Path) -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=1)
    encoding = fc.envs.Encoding(game)
    games, positions = read_table(data, "games"), read_table(data, "positions")
    assert [row["game"] for row in games] == list(range(20))
    assert [row["players"] for row in games[:2]] == [["plain", "child"], ["child", "plain"]]
    searched = 0
    for row in games:
        line = [game.start()]
        for move in row["moves"]:
            line.append(line[-1].play(move))
        last = line.pop()
        assert last.is_over and last.outcome is not None
        assert (tuple(row["scores"]), tuple(row["winners"])) == (last.scores, last.outcome.winners)
        assert row["rewards"] == compute_rewards(last) and sum(row["rewards"]) == 0
        turns = [turn for turn in positions if turn["game"] == row["game"]]
        assert [turn["ply"] for turn in turns] == list(range(row["opening"], row["plies"]))
        for turn in turns:
            position, move = line[turn["ply"]], row["moves"][turn["ply"]]
            assert (turn["text"], turn["seat"]) == (position.text, position.seat)
            moves = [encoding.find_move(position, index) for index in turn["actions"]]
            assert sorted(moves) == position.moves()
            assert encoding.find_move(position, turn["played"]) == move
            assert turn["rewards"] == row["rewards"]
            assert 0 <= turn["win"] <= 1 and abs(turn["margin"]) <= 2
            if turn["visits"] is not None:
                assert row["players"][turn["seat"]] == "plain"
                assert len(turn["visits"]) == len(turn["actions"])
                searched += sum(turn["visits"])
    assert searched > 0


def test_labels_are_the_values_of_the_solver(data: Path) -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=1)
    encoding = fc.envs.Encoding(game)
    for row in read_table(data, "positions"):
        position = game.position(row["text"])
        solution = fc.solve(position, every_move=True)
        assert row["exact"]
        assert row["value"] == row["lower"] == row["upper"] == solution.remaining_margin
        assert dict(zip(row["actions"], row["values"], strict=True)) == {
            encoding.find_index(position, move): value for move, value in solution.values.items()
        }


def test_labels_that_are_not_proven_have_bounds_and_no_guess(tmp_path: Path) -> None:
    board = ("selfplay", "dots-and-boxes", "-o", "cols=4", "-o", "rows=4", "--player", "child", "--games", "1")
    assert run_command(*board, "--label", "--label-nodes", "1", "--out", str(tmp_path)).returncode == 0
    rows = read_table(tmp_path, "positions")
    unproven = [row for row in rows if not row["exact"]]
    assert unproven
    for row in unproven:
        assert row["value"] is None
        assert row["lower"] < row["upper"]
        assert len(row["values"]) == len(row["actions"])
    assert any(row["exact"] and row["value"] == row["lower"] for row in rows)


def test_data_card_has_the_command_that_makes_the_same_files(data: Path, tmp_path: Path) -> None:
    card = (data / "README.md").read_text()
    assert str(data) not in card
    (line,) = (line for line in card.splitlines() if line.startswith("    fourcorners "))
    words = shlex.split(line.replace("FOLDER", str(tmp_path)))
    assert run_command(*words[1:]).returncode == 0
    assert read_hashes(tmp_path) == read_hashes(data)
    for table in ("games", "positions"):
        count = pq.read_metadata(data / f"{table}.parquet").num_rows
        (row,) = re.findall(rf"^\| `{table}.parquet` \|(.*)\|$", card, re.MULTILINE)
        assert sum(map(int, row.split("|"))) == count


def test_croissant_has_what_the_standard_requires_and_describes_the_files_and_their_columns(data: Path) -> None:
    found = json.loads((data / "croissant.json").read_text())
    assert found["@type"] == "sc:Dataset"
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert {"@context", "name", "description", "license", "url", "creator", "version"} <= set(found)
    hashes = read_hashes(data)
    names = {file["@id"] for file in found["distribution"]}
    assert names == {"games.parquet", "positions.parquet"}
    for file in found["distribution"]:
        content = (data / file["contentUrl"]).read_bytes()
        assert file["sha256"] == hashes[file["@id"]]["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["contentSize"] == f"{len(content)} B"
    for records in found["recordSet"]:
        schema = pq.read_schema(data / f"{records['@id']}.parquet")
        assert [field["source"]["extract"]["column"] for field in records["field"]] == schema.names
        for field, column in zip(records["field"], schema, strict=True):
            assert field["source"]["fileObject"]["@id"] in names
            kind = column.type.value_type if field.get("repeated") else column.type
            wanted = {"string": "sc:Text", "bool": "sc:Boolean", "float": "sc:Float", "double": "sc:Float"}
            assert field["dataType"] == wanted.get(str(kind), "sc:Integer")
    # A date is one that the user gives, since the time of a run would change the bytes.
    assert "datePublished" not in found


def test_no_test_position_is_equivalent_to_a_training_position(data: Path) -> None:
    positions, games = read_table(data, "positions"), read_table(data, "games")
    splits = {row["game"]: row["split"] for row in games}
    assert set(splits.values()) == {"train", "validation", "test"}
    keys = {split: {row["key"] for row in positions if row["split"] == split} for split in ("train", "test", "none")}
    keys["validation"] = {row["key"] for row in positions if row["split"] == "validation"}
    assert not keys["test"] & (keys["train"] | keys["validation"])
    assert not keys["validation"] & keys["train"]
    assert keys["none"] <= keys["train"] | keys["validation"] and keys["none"]
    for row in positions:
        assert row["split"] in {splits[row["game"]], "none"}
        assert row["split"] == "train" or splits[row["game"]] != "train"


def test_equivalent_positions_have_the_same_key() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=2)
    keys = {compute_key(game.replay([move])) for move in ("a1b1", "b1c1", "a1a2", "c2c3")}
    assert len(keys) == 1
    assert compute_key(game.replay(["a2b2"])) not in keys


def test_run_that_was_stopped_goes_on_with_the_missing_units_and_gives_the_same_bytes(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[int] = []

    def fail_at_second(configuration: Configuration, number: int, stop: Any) -> dict[str, bytes] | None:
        """Note the number of a unit, and fail before the second one as a full disk does."""
        if number == 1 and not played.count(1):
            played.append(1)
            raise OSError(28, "No space left on device")
        played.append(number)
        return build_unit(configuration, number, stop)

    monkeypatch.setattr(run, "build_unit", fail_at_second)
    arguments = (*PLAYERS, "--out", str(tmp_path / "run"), "--jobs", "1")
    assert "No space left" in run_failing_command(*arguments)
    assert [path.name for path in (tmp_path / "run").iterdir() if path.suffix == ".parquet"] == []
    # A kill in the middle of writing leaves such a folder.
    (tmp_path / "run/units/000001.0.part").mkdir()
    assert run_command(*arguments).returncode == 0
    assert sorted(played) == [0, 1, 1]
    assert read_hashes(tmp_path / "run") == read_hashes(data)
    assert not (tmp_path / "run/units").exists()
    # A complete run is left as it is.
    assert run_command(*arguments).returncode == 0
    assert sorted(played) == [0, 1, 1]


def test_interrupted_unit_is_not_kept() -> None:
    configuration = Configuration("dots-and-boxes", {"cols": 2, "rows": 1}, 20, ("plain",), 10, 2, 1)
    stop = threading.Event()
    stop.set()
    assert build_unit(configuration, 0, stop) is None


def test_number_of_jobs_does_not_change_the_bytes(data: Path, tmp_path: Path) -> None:
    assert run_command(*PLAYERS, "--out", str(tmp_path), "--jobs", "2").returncode == 0
    assert read_hashes(tmp_path) == read_hashes(data)


def test_other_configurations_players_that_cannot_be_repeated_and_foreign_folders_are_refused(
    data: Path, tmp_path: Path
) -> None:
    other = run_failing_command(*PLAYERS, "--seed", "2", "--out", str(data), status=2)
    assert "another configuration" in other
    assert "limited time" in run_failing_command(*SMALL, "--out", str(tmp_path), status=2)
    assert "must be 1" in run_failing_command(*SMALL, "--player", "0", "--out", str(tmp_path), status=2)
    assert "leave it out" in run_failing_command(
        *PLAYERS, "--out", str(tmp_path), "--ray", "local", "--jobs", "1", status=2
    )
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "letter.txt").touch()
    assert "other files" in run_failing_command(*PLAYERS, "--out", str(tmp_path), status=2)
    assert "cannot be used" in run_failing_command(*PLAYERS, "--out", str(tmp_path / "letter.txt"))
    (tmp_path / "letter.txt").rename(tmp_path / "manifest.json")
    assert "is damaged" in run_failing_command(*PLAYERS, "--out", str(tmp_path), status=2)


def test_unit_that_another_process_has_written_is_not_doubled(tmp_path: Path) -> None:
    configuration = Configuration("dots-and-boxes", {"cols": 1, "rows": 1}, 1, ("child",), None, 0, 1)
    # A run that was killed at once.
    (tmp_path / ".manifest.json.part").touch()
    folder = RunFolder(tmp_path, configuration)
    files = build_unit(configuration, 0)
    assert files is not None
    folder.add_unit(0, files)
    folder.add_unit(0, files)
    assert folder.list_missing() == []
    folder.finish()
    assert len(read_table(tmp_path, "games")) == 1


def test_views_have_what_the_seat_may_know_and_nothing_else(tmp_path: Path) -> None:
    arguments = ("selfplay", "squendo", "--player", "child", "--games", "1", "--out", str(tmp_path))
    assert run_command(*arguments).returncode == 0
    game = fc.game("squendo")
    views, positions = read_table(tmp_path, "views"), read_table(tmp_path, "positions")
    assert len(views) == len(positions) > 10
    rng = random.Random(1)
    for view, position in rng.sample(list(zip(views, positions, strict=True)), 10):
        full = game.position(position["text"])
        assert game.view(view["text"], view["seat"]).text == view["text"] == full.view(full.seat).text
        assert view["text"] != position["text"]
        assert view["key"] != position["key"]
        shared = {name: value for name, value in view.items() if name not in {"text", "key", "split"}}
        assert shared == {name: position[name] for name in shared}
    # No outcome, no label and no seed.
    assert set(views[0]) == {
        *("game", "ply", "seat", "text", "key", "actions", "played", "visits", "win", "margin", "split")
    }
