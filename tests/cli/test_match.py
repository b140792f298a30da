"""`fourcorners match`, run as typed by a user."""

import errno
import json
import time
from pathlib import Path
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.cli import match
from fourcorners.core import slices
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import EngineMatch, PlayedGame
from tests.cli.test_commands import run_command, run_failing_command

pytestmark = pytest.mark.compiled
# Four games of a game that takes a moment.
SMALL = ("match", "dots-and-boxes", "-o", "cols=2", "-o", "rows=2", "--games", "4")


def test_match_prints_a_table_and_draws_a_plot(tmp_path: Path) -> None:
    plot = tmp_path / "plot.svg"
    completed = run_command(*SMALL, "plain", "1", "--nodes", "20", "--plot", str(plot))
    assert completed.returncode == 0, completed
    assert "Dots and Boxes" in completed.stdout
    assert "plain" in completed.stdout
    assert "<svg" in plot.read_text(encoding="utf-8")


def test_match_that_was_saved_is_reported_again_without_playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = json.loads(run_command(*SMALL, "2", "1", "--save", str(tmp_path), "--json").stdout)
    saved = (tmp_path / "2-1.jsonl").read_text(encoding="utf-8")
    monkeypatch.delattr(EngineMatch, "play")
    second = json.loads(run_command(*SMALL, "2", "1", "--save", str(tmp_path), "--json").stdout)
    assert first == second
    assert first[0]["games"] == 4
    # No game was added.
    assert (tmp_path / "2-1.jsonl").read_text(encoding="utf-8") == saved


def test_match_with_processor_time_is_another_match_whose_games_count_it_and_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks: list[object] = []
    play = EngineMatch.play

    def note_clock(match: EngineMatch, *game: Any) -> PlayedGame | None:
        """Note which clock a game has."""
        clocks.append(slices.find_clock())
        return play(match, *game)

    monkeypatch.setattr(EngineMatch, "play", note_clock)
    arguments = (*SMALL, "top", "simulations", "--seconds", "0.01", "--save", str(tmp_path))
    rows = json.loads(run_command(*arguments, "--cpu", "--json").stdout)
    assert (rows[0]["first"], rows[0]["second"], rows[0]["games"]) == ("top", "simulations", 4)
    assert clocks == 4 * [time.thread_time]
    assert slices.find_clock() is time.perf_counter
    assert "is not the log of this match" in run_failing_command(*arguments, status=2)


@pytest.mark.parametrize("name", ["dots-and-boxes", "squarin-off"])
def test_match_of_all_levels_plays_those_of_its_game_from_the_strongest_down(name: str) -> None:
    board = ("-o", "cols=1", "-o", "rows=1", "-o", "blockers=0")
    rows = json.loads(run_command("match", name, *board, "--levels", "--games", "2", "--nodes", "1", "--json").stdout)
    count = len(fc.game(name).spec.part(ComputerPlay).levels)
    assert [row["first"] for row in rows] == [str(number) for number in range(count, 1, -1)]


def test_saved_match_is_not_continued_with_another_seed(tmp_path: Path) -> None:
    run_command(*SMALL, "2", "1", "--save", str(tmp_path))
    assert "is not the log of this match" in run_failing_command(
        *SMALL, "2", "1", "--save", str(tmp_path), "--seed", "2", status=2
    )


def test_wrong_players_and_limits_and_an_unusable_folder_are_reported_in_one_sentence(tmp_path: Path) -> None:
    assert "name two or more players" in run_failing_command(*SMALL, "1", status=2)
    assert "name two or more players" in run_failing_command(*SMALL, "1", "2", "--levels", status=2)
    assert "is not allowed; it must be 1, 2, 3" in run_failing_command(*SMALL, "1", "nobody", status=2)
    assert "--seconds -1 is not allowed" in run_failing_command(*SMALL, "1", "2", "--seconds=-1", status=2)
    message = run_failing_command(*SMALL, "1", "2", "--seconds-per-game", "0", status=2)
    assert "--seconds-per-game 0 is not allowed" in message
    message = run_failing_command(*SMALL, "top", "plain", "--seconds", "1", "--seconds-per-game", "1", status=2)
    assert "it is not allowed with seconds" in message
    assert "--until 0 is not allowed" in run_failing_command(*SMALL, "1", "2", "--until", "0", status=2)
    (tmp_path / "file").write_text("", encoding="utf-8")
    message = run_failing_command(*SMALL, "1", "2", "--save", str(tmp_path / "file"))
    assert message.rstrip().endswith("file cannot be used: it must be a folder")


def test_error_of_the_system_in_a_match_that_is_not_saved_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **_limits: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(match._PlayerPair, "run", fail)
    with pytest.raises(OSError, match="Too many open files"):
        match.match("sqez", ["1", "2"])
