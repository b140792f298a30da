"""`fourcorners solve`, run as typed by a user."""

import itertools
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.cli import solve, solve_progress, solve_report
from fourcorners.solvers import checkpoint
from fourcorners.solvers.checkpoint import SolveState
from tests.cli.test_commands import run_command, run_failing_command

pytestmark = pytest.mark.compiled
# SMALL is solved in a moment, LARGE not within seconds.
SMALL = ("dots-and-boxes", "-o", "cols=2", "-o", "rows=2", "--memory", "1M")
LARGE = ("dots-and-boxes", "-o", "cols=5", "-o", "rows=4", "--memory", "16MiB")
MAIN = "from fourcorners.cli import main; main()"


def solve_as_json(*arguments: str, status: int = 0) -> dict[str, Any]:
    """Run `solve --json` and return the report, by the names that `build_json` gives; assert the exit status."""
    completed = run_command("solve", *arguments, "--json")
    assert completed.returncode == status, completed
    found: dict[str, Any] = json.loads(completed.stdout)
    return found


def test_report_names_the_value_and_the_nodes_and_the_best_moves_unless_not_asked_for() -> None:
    text = run_command("solve", *SMALL).stdout
    assert text.startswith("Black, to move, wins by 2 from here.\nBest moves: a1a2, a1b1, ")
    assert "nodes in" in text
    assert "Best moves" not in run_command("solve", *SMALL, "--no-moves").stdout


def test_report_names_the_final_margin_if_the_score_is_not_level() -> None:
    # Seat 1 has one box already and will have the other.
    line = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1b2"]).text
    text = run_command(
        "solve", "dots-and-boxes", "-o", "cols=2", "-o", "rows=1", "--position", line, "--memory", "1M"
    ).stdout
    assert text.startswith("White, to move, wins by 1 from here. The score is 1 : 0 now, so it wins by 2 at the end.")
    found = solve_as_json("dots-and-boxes", "-o", "cols=2", "-o", "rows=1", "--position", line, "--memory", "1M")
    assert (found["final_margin"], found["remaining_margin"]) == (2, 1)


def test_json_report_with_every_move_matches_fc_solve_and_names_the_settings() -> None:
    # One thread, because with several the number of nodes depends on their timing.
    found = solve_as_json(*SMALL, "--every-move", "--threads", "1")
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    solution = fc.solve(position, every_move=True, threads=1, memory=1 << 20)
    assert found["values"] == dict(solution.values)
    assert found["moves"] == list(solution.moves)
    assert found["nodes"] == solution.nodes
    assert (found["remaining_margin"], found["lower"], found["upper"]) == (2, 2, 2)
    assert (found["final_margin"], found["remaining_margin"]) == (2, 2)
    assert (found["solved"], found["why"], found["memory"], found["threads"]) == (True, None, 1 << 20, 1)
    assert (found["game"], found["options"]) == ("dots-and-boxes", {"cols": 2, "rows": 2})
    assert found["position"] == position.text
    assert set(found["versions"]) == {"python", "fourcorners", "numpy", "numba"}


def test_report_with_every_move_groups_the_moves_by_value_best_first() -> None:
    values = solve_as_json(*SMALL, "--every-move")["values"]
    lines = run_command("solve", *SMALL, "--every-move").stdout.splitlines()
    # The first line names the result, the last one the nodes.
    assert lines[1:-1] == [
        f"{value:+4d}: {', '.join(sorted(move for move in values if values[move] == value))}"
        for value in sorted(set(values.values()), reverse=True)
    ]


def test_report_of_sqez_for_two_names_the_nimber() -> None:
    text = run_command("solve", "sqez", "-o", "cols=6", "-o", "rows=6").stdout
    assert text.startswith("Graphite, to move, wins. The nimber is 4.\n")
    assert solve_as_json("sqez", "-o", "cols=5", "-o", "rows=5")["nimber"] == 0


def test_report_of_sqez_for_three_has_the_margins_of_all_seats() -> None:
    three = solve_as_json("sqez", "-o", "cols=4", "-o", "rows=4", "-o", "players=3")
    solution = fc.solve(fc.game("sqez", cols=4, rows=4, players=3).start())
    assert three["margins"] == list(solution.margins or ())
    assert three["remaining_margin"] == solution.remaining_margin


def test_last_or_an_earlier_position_of_a_record_can_be_solved(tmp_path: Path) -> None:
    """A ply beyond the last one, and a game or options beside the record, are usage errors."""
    match = fc.Match(fc.game("square-off", size=4), date="2026-11-21")
    for move in ("b2", "b4", "c3", "d4", "a1", "a4", "b3", "d1"):
        match.play(move)
    path = tmp_path / "game.txt"
    path.write_text(str(fc.Record.of(match)))
    assert solve_as_json("--record", str(path))["position"] == match.position.text
    assert solve_as_json("--record", str(path), "--ply", "7")["position"] == match.positions[7].text
    assert "--ply may be 0 to 8, not 9" in run_failing_command("solve", "--record", str(path), "--ply", "9", status=2)
    assert "omit those" in run_failing_command("solve", "square-off", "--record", str(path), status=2)


def test_finished_game_has_value_0() -> None:
    line = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1b2"]).text
    options = ("dots-and-boxes", "-o", "cols=1", "-o", "rows=1", "--position", line)
    assert run_command("solve", *options).stdout == "The game is over: nothing is left to win.\n"
    assert solve_as_json(*options)["remaining_margin"] == 0


def test_usage_errors_are_reported_in_one_sentence() -> None:
    assert "name a game" in run_failing_command("solve", status=2)
    assert "not known" in run_failing_command("solve", "chess", status=2)
    assert "not an option" in run_failing_command("solve", "sqez", "-o", "cols", status=2)
    assert "--ply needs --record" in run_failing_command("solve", "sqez", "--ply", "3", status=2)
    assert "--seconds 0" in run_failing_command("solve", "sqez", "--seconds", "0", status=2)
    assert "--seconds nan" in run_failing_command("solve", "sqez", "--seconds", "nan", status=2)
    assert "--every 0" in run_failing_command("solve", "sqez", "--every", "0", status=2)
    # 1K is a size, but a smaller one than any solver can use.
    for memory in ("lots", "-1", "1K", "4GX", ""):
        assert "is not allowed; it must be 65536 bytes or more" in run_failing_command(
            "solve", "sqez", "--memory", memory, status=2
        )
    assert "need --save" in run_failing_command("solve", "sqez", "--resume", status=2)
    run_failing_command("solve", "sqez", "--position", "nonsense", status=2)


def test_save_to_a_file_that_cannot_be_used_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    # A folder, a file in a missing folder, and a missing file to resume from.
    assert "cannot be used" in run_failing_command("solve", *SMALL, "--save", str(tmp_path))
    assert "cannot be used" in run_failing_command("solve", *SMALL, "--save", str(tmp_path / "missing" / "file"))
    assert "cannot be used" in run_failing_command("solve", *SMALL, "--save", str(tmp_path / "file"), "--resume")
    assert list(tmp_path.iterdir()) == []


def test_save_of_a_game_whose_solver_has_no_checkpoints_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    three = ("sqez", "-o", "cols=4", "-o", "rows=4", "-o", "players=3")
    assert "cannot be saved" in run_failing_command("solve", *three, "--save", str(tmp_path / "file"), status=2)
    assert list(tmp_path.iterdir()) == []


def test_game_that_is_too_large_exits_with_status_3() -> None:
    assert "too large" in run_failing_command("solve", "squarin-off", status=3)


def test_memory_is_parsed_with_its_unit() -> None:
    """A unit is a power of 1024, in any spelling; without one the number counts bytes."""
    assert [solve._parse_bytes(text) for text in ("65536", "64K", "64kib", "1.5 MiB", "4GB", "1TiB")] == [
        *(1 << 16, 1 << 16, 1 << 16, 3 << 19, 1 << 32, 1 << 40)
    ]


def test_run_that_ends_early_reports_bounds_and_is_continued_unless_told_to_start_anew(tmp_path: Path) -> None:
    """It is continued with and without --resume, and from its second run on the report counts earlier nodes too.

    Without --memory it keeps that of the file.
    """
    path = tmp_path / "game.solve"
    first = solve_as_json(*LARGE, "--threads", "1", "--seconds", "0.5", "--save", str(path), status=3)
    assert (first["solved"], first["moves"], first["remaining_margin"]) == (False, None, None)
    assert first["lower"] < first["upper"]
    assert first["why"] == "not solved within 0.5 s"
    assert (first["nodes_before"], first["seconds_before"]) == (0, 0)
    # LARGE[:-2] leaves out --memory.
    text = run_command("solve", *LARGE[:-2], "--seconds", "0.2", "--save", str(path)).stdout
    assert "Black, to move, gains between " in text
    assert "Not finished: not solved within 0.2 s." in text
    assert "of them in earlier runs" in text
    third = solve_as_json(*LARGE[:-2], "--seconds", "0.2", "--save", str(path), "--resume", status=3)
    # The memory is that of the file, 16 MiB.
    assert third["memory"] == 1 << 24
    assert third["nodes_before"] > first["nodes"]
    assert third["lower"] >= first["lower"] and third["upper"] <= first["upper"]
    fresh = solve_as_json(*LARGE, "--seconds", "0.2", "--save", str(path), "--fresh", status=3)
    assert fresh["nodes_before"] == 0


def test_file_of_another_solve_or_of_something_else_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    assert run_command("solve", *SMALL, "--save", str(path)).returncode == 0
    before = path.read_bytes()
    other = fc.game("dots-and-boxes", cols=2, rows=2).start().play("a1b1").text
    assert "another position" in run_failing_command(
        "solve", *SMALL, "--position", other, "--save", str(path), status=2
    )
    assert "other options" in run_failing_command("solve", *LARGE, "--save", str(path), status=2)
    assert "has a memory of 1048576 bytes" in run_failing_command(
        "solve", *SMALL, "--memory", "100K", "--save", str(path), status=2
    )
    assert path.read_bytes() == before
    path.write_text("a letter")
    assert "is not a checkpoint" in run_failing_command("solve", *SMALL, "--save", str(path), status=2)
    assert path.read_text() == "a letter"


def test_finished_solve_is_reported_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    assert run_command("solve", *SMALL, "--save", str(path)).returncode == 0
    again = solve_as_json(*SMALL, "--save", str(path))
    assert (again["remaining_margin"], again["nodes_before"] > 0) == (2, True)


@pytest.mark.parametrize("name", [pytest.param(signal.SIGINT, marks=pytest.mark.ci), signal.SIGTERM])
def test_signal_saves_and_reports_bounds_from_which_a_solve_can_be_resumed(
    tmp_path: Path, name: signal.Signals
) -> None:
    path = tmp_path / "game.solve"
    command = [sys.executable, "-c", MAIN, "solve", *LARGE, "--json", "--save", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None and process.stdout is not None
        # The first line of progress: the solve runs, and the handlers of signals are installed. A notice of compiling
        # may precede it.
        assert any(line.startswith("value ") for line in itertools.islice(process.stderr, 2))
        process.send_signal(name)
        found = json.loads(process.stdout.read())
        assert process.wait() == 130
        assert "Traceback" not in process.stderr.read()
    assert (found["solved"], found["why"]) == (False, "stopped before it was solved")
    more = solve_as_json(*LARGE, "--seconds", "0.2", "--save", str(path), "--resume", status=3)
    assert more["nodes_before"] == found["nodes"] > 0
    assert more["lower"] >= found["lower"] and more["upper"] <= found["upper"]


def test_second_signal_closes_the_display_and_exits_at_once() -> None:
    # The first only asks the solver to stop, which it cannot do while compiled code runs or a disk hangs.
    lines = (
        "import os, signal, threading",
        "from types import SimpleNamespace",
        "from fourcorners.cli.solve import _handle_signals",
        "stop = threading.Event()",
        "display = SimpleNamespace(close=lambda: print('closed', flush=True))",
        "with _handle_signals(stop, display):",
        "    os.kill(os.getpid(), signal.SIGINT)",
        "    print(stop.is_set(), flush=True)",
        "    os.kill(os.getpid(), signal.SIGTERM)",
        "    print('went on', flush=True)",
    )
    completed = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert (completed.returncode, completed.stdout.split(), completed.stderr) == (130, ["True", "closed"], "")


def test_progress_is_saved_at_intervals_and_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The fourth argument of `save` is the state.
    saved: list[SolveState] = []
    monkeypatch.setattr(checkpoint, "save", lambda *arguments: saved.append(arguments[3]))
    found = solve_as_json(*LARGE, "--seconds", "1", "--every", "1e-9", "--save", str(tmp_path / "file"), status=3)
    # Once after each slice of the search, of which a slow machine may do only one, and once at the end.
    assert len(saved) >= 2
    assert [state.nodes for state in saved] == sorted(state.nodes for state in saved)
    assert saved[-1].nodes == found["nodes"]


def test_failed_save_is_reported_after_the_result_and_keeps_the_previous_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.solve"
    assert run_command("solve", *SMALL, "--save", str(path)).returncode == 0
    before = path.read_bytes()

    def fail_to_save(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "save", fail_to_save)
    completed = run_command("solve", *SMALL, "--save", str(path))
    assert completed.stdout.startswith("Black, to move, wins by 2")
    assert "cannot be written: No space left on device (the previous file is unchanged)" in completed.stderr
    assert path.read_bytes() == before


def test_progress_display_shows_bounds_as_a_bar_nodes_speed_time_memory_and_moves() -> None:
    """The bar is as long as the bounds are wide; once the value is known, the best moves are searched for."""
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    display = solve_progress.ProgressDisplay(position)
    display._first_bounds = -4, 4
    wide, narrow, solved = (
        display._draw(SolveState(lower, upper, 1000, 2.0, 1 << 20), 500.0, 0.25, tried).plain
        for lower, upper, tried in ((-4, 4, 0), (0, 2, 0), (2, 2, 3))
    )
    # The bar has 40 cells for the first bounds, -4 to 4, and always at least one.
    assert wide.splitlines()[1].count("━") == 40
    assert narrow.splitlines()[1].count("━") == 10
    assert "0 to 2" in narrow and "1,000 nodes   500/s   2.0 s" in narrow and "25.0% full" in narrow
    assert solved.splitlines()[1].count("━") == 1
    assert "3 of 12" in solved


def test_report_names_the_partner_of_the_seat_to_move_in_a_team() -> None:
    game = fc.game("squarin-off", cols=2, rows=1, players=4, teams=True, blockers=0)
    assert solve_report._describe_mover(game.start()) == "Seat 1, to move, with its partner Seat 3,"
