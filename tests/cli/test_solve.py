"""`fourcorners solve`, run as somebody types it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.cli import solve, solve_progress, solve_report
from fourcorners.solve import checkpoint
from fourcorners.solve.checkpoint import Standing
from tests.cli.test_commands import fails, run

pytestmark = pytest.mark.compiled
SMALL = ("dots-and-boxes", "-o", "cols=2", "-o", "rows=2", "--memory", "1M")
LARGE = ("dots-and-boxes", "-o", "cols=5", "-o", "rows=4", "--memory", "16MiB")
STARTED = "from fourcorners.cli import main; main()"


def result(*arguments: str, status: int = 0) -> dict[str, Any]:
    """Solve; return the JSON."""
    done = run("solve", *arguments, "--json")
    assert done.returncode == status, done
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_result_in_words() -> None:
    text = run("solve", *SMALL).stdout
    assert text.startswith("Seat 0, to move, wins by 2 from here.\nBest moves: a1a2, a1b1, ")
    assert "nodes in" in text
    assert "Best moves" not in run("solve", *SMALL, "--no-moves").stdout


def test_the_end_of_a_game_that_is_not_even() -> None:
    line = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1b2"]).text
    text = run("solve", "dots-and-boxes", "-o", "cols=2", "-o", "rows=1", "--position", line, "--memory", "1M").stdout
    assert text.startswith(
        "Seat 1, to move, wins by 1 from here. With the points as they stand, 0 to 1, in the end it wins by 2."
    )


def test_the_value_of_every_move() -> None:
    found = result(*SMALL, "--every-move", "--threads", "1")
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    solution = fc.solve(position, every_move=True, threads=1, memory=1 << 20)
    assert found["values"] == dict(solution.values)
    assert found["moves"] == list(solution.moves)
    assert found["nodes"] == solution.nodes
    assert (found["value"], found["lower"], found["upper"], found["final_margin"]) == (2, 2, 2, 2)
    assert (found["solved"], found["why"], found["memory"], found["threads"]) == (True, None, 1 << 20, 1)
    assert (found["game"], found["options"]) == ("dots-and-boxes", {"cols": 2, "rows": 2})
    assert found["position"] == position.text
    assert set(found["versions"]) == {"python", "fourcorners", "numpy", "numba"}
    lines = run("solve", *SMALL, "--every-move").stdout.splitlines()
    assert [line[:5] for line in lines[1:-1]] == [
        f"{value:+4d}:" for value in sorted(set(found["values"].values()))[::-1]
    ]


def test_nimbers_and_parties() -> None:
    text = run("solve", "sqez", "-o", "cols=6", "-o", "rows=6").stdout
    assert text.startswith("Seat 0, to move, wins. The nimber is 4.\n")
    assert result("sqez", "-o", "cols=5", "-o", "rows=5")["nimber"] == 0
    three = result("sqez", "-o", "cols=4", "-o", "rows=4", "-o", "players=3")
    solution = fc.solve(fc.game("sqez", cols=4, rows=4, players=3).start())
    assert three["margins"] == list(solution.margins or ())
    assert three["value"] == solution.value


def test_a_position_of_a_record(tmp_path: Path) -> None:
    match = fc.Match(fc.game("square-off", size=4), date="2026-11-21")
    for move in ("b2", "b4", "c3", "d4", "a1", "a4", "b3", "d1"):
        match.play(move)
    path = tmp_path / "game.txt"
    path.write_text(str(fc.Record.of(match)))
    assert result("--record", str(path))["position"] == match.position.text
    assert result("--record", str(path), "--ply", "7")["position"] == match.positions[7].text
    assert "--ply may be 0 to 8, not 9" in fails("solve", "--record", str(path), "--ply", "9", status=2)
    assert "leave those away" in fails("solve", "square-off", "--record", str(path), status=2)


def test_a_finished_game_is_worth_nothing() -> None:
    line = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1b2"]).text
    options = ("dots-and-boxes", "-o", "cols=1", "-o", "rows=1", "--position", line)
    assert run("solve", *options).stdout == "The game is over: nothing is left to be won.\n"
    assert result(*options)["value"] == 0


def test_what_makes_no_sense_is_refused_in_a_sentence(tmp_path: Path) -> None:
    assert "name a game" in fails("solve", status=2)
    assert "not known" in fails("solve", "chess", status=2)
    assert "no option" in fails("solve", "sqez", "-o", "cols", status=2)
    assert "--ply is for a record" in fails("solve", "sqez", "--ply", "3", status=2)
    assert "--seconds 0" in fails("solve", "sqez", "--seconds", "0", status=2)
    assert "--seconds nan" in fails("solve", "sqez", "--seconds", "nan", status=2)
    assert "--every 0" in fails("solve", "sqez", "--every", "0", status=2)
    for memory in ("lots", "-1", "1K", "4GX", ""):
        assert "is not allowed; it may be 65536 bytes or more" in fails("solve", "sqez", "--memory", memory, status=2)
    assert "which is not given" in fails("solve", "sqez", "--resume", status=2)
    fails("solve", "sqez", "--position", "nonsense", status=2)
    assert "cannot be used" in fails("solve", *SMALL, "--save", str(tmp_path))
    assert "cannot be used" in fails("solve", *SMALL, "--save", str(tmp_path / "missing" / "file"))
    assert "cannot be used" in fails("solve", *SMALL, "--save", str(tmp_path / "file"), "--resume")
    three = ("sqez", "-o", "cols=4", "-o", "rows=4", "-o", "players=3")
    assert "cannot be saved" in fails("solve", *three, "--save", str(tmp_path / "file"), status=2)
    assert "too large" in fails("solve", "squarin-off", status=3)
    assert list(tmp_path.iterdir()) == []


def test_memory_is_read_with_its_unit() -> None:
    assert [solve._bytes(text) for text in ("65536", "64K", "64kib", "1.5 MiB", "4GB", "1TiB")] == [
        *(1 << 16, 1 << 16, 1 << 16, 3 << 19, 1 << 32, 1 << 40)
    ]


def test_limits_leave_bounds_and_the_next_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    first = result(*LARGE, "--threads", "1", "--seconds", "0.5", "--save", str(path), status=3)
    assert (first["solved"], first["moves"], first["value"]) == (False, None, None)
    assert first["lower"] < first["upper"]
    assert first["why"] == "not solved within 0.5 s"
    assert (first["nodes_before"], first["seconds_before"]) == (0, 0)
    text = run("solve", *LARGE[:-2], "--seconds", "0.2", "--save", str(path)).stdout
    assert "Seat 0, to move, is worth " in text
    assert "Not finished: not solved within 0.2 s." in text
    assert "of them in earlier runs" in text
    third = result(*LARGE[:-2], "--seconds", "0.2", "--save", str(path), "--resume", status=3)
    # Without --memory it is that of the file.
    assert third["memory"] == 1 << 24
    assert third["nodes_before"] > first["nodes"]
    assert third["lower"] >= first["lower"] and third["upper"] <= first["upper"]
    anew = result(*LARGE, "--seconds", "0.2", "--save", str(path), "--fresh", status=3)
    assert anew["nodes_before"] == 0


def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    assert run("solve", *SMALL, "--save", str(path)).returncode == 0
    before = path.read_bytes()
    other = fc.game("dots-and-boxes", cols=2, rows=2).start().play("a1b1").text
    assert "another position" in fails("solve", *SMALL, "--position", other, "--save", str(path), status=2)
    assert "other options" in fails("solve", *LARGE, "--save", str(path), status=2)
    assert "has a memory of 1048576 bytes" in fails("solve", *SMALL, "--memory", "100K", "--save", str(path), status=2)
    path.write_text("a letter")
    assert "is no checkpoint" in fails("solve", *SMALL, "--save", str(path), status=2)
    assert path.read_text() == "a letter"
    path.write_bytes(before)
    again = result(*SMALL, "--save", str(path))
    assert (again["value"], again["nodes_before"] > 0) == (2, True)


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_what_is_proven(tmp_path: Path, name: signal.Signals) -> None:
    path = tmp_path / "game.solve"
    command = [sys.executable, "-c", STARTED, "solve", *LARGE, "--json", "--save", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None and process.stdout is not None
        line = process.stderr.readline()
        assert line.startswith("value "), line
        process.send_signal(name)
        found = json.loads(process.stdout.read())
        assert process.wait() == 130
        assert "Traceback" not in process.stderr.read()
    assert (found["solved"], found["why"]) == (False, "stopped before it was solved")
    more = result(*LARGE, "--seconds", "0.2", "--save", str(path), "--resume", status=3)
    assert more["nodes_before"] == found["nodes"] > 0
    assert more["lower"] >= found["lower"] and more["upper"] <= found["upper"]


def test_a_second_signal_ends_the_program_at_once() -> None:
    # As when the first is not heard: compiled code that has not come back, or a disk that hangs.
    lines = (
        "import os, signal, threading",
        "from types import SimpleNamespace",
        "from fourcorners.cli.solve import _signals",
        "stop = threading.Event()",
        "watch = SimpleNamespace(close=lambda: print('closed', flush=True))",
        "with _signals(stop, watch):",
        "    os.kill(os.getpid(), signal.SIGINT)",
        "    print(stop.is_set(), flush=True)",
        "    os.kill(os.getpid(), signal.SIGTERM)",
        "    print('went on', flush=True)",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (130, ["True", "closed"], "")


def test_it_saves_from_time_to_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[Standing] = []
    monkeypatch.setattr(checkpoint, "save", lambda *arguments: saved.append(arguments[3]))
    found = result(*LARGE, "--seconds", "1", "--every", "0.004", "--save", str(tmp_path / "file"), status=3)
    assert len(saved) >= 3
    assert [standing.nodes for standing in saved] == sorted(standing.nodes for standing in saved)
    assert saved[-1].nodes == found["nodes"]


def test_a_save_that_fails_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.solve"
    assert run("solve", *SMALL, "--save", str(path)).returncode == 0
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "save", full)
    done = run("solve", *SMALL, "--save", str(path))
    assert done.stdout.startswith("Seat 0, to move, wins by 2")
    assert "cannot be written: No space left on device (the older file is as it was)" in done.stderr
    assert path.read_bytes() == before


def test_the_picture_closes_in() -> None:
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    shown = solve_progress.Watch(position)
    shown._widest = -4, 4
    open_, near, done = (
        shown._picture(Standing(lower, upper, 1000, 2.0, 1 << 20), 500.0, 0.25, tried).plain
        for lower, upper, tried in ((-4, 4, 0), (0, 2, 0), (2, 2, 3))
    )
    assert open_.splitlines()[1].count("━") == 40
    assert near.splitlines()[1].count("━") == 10
    assert "0 to 2" in near and "1,000 nodes   500/s   2.0 s" in near and "25.0% full" in near
    assert done.splitlines()[1].count("━") == 1
    assert "3 of 12" in done


def test_a_partner_is_named() -> None:
    game = fc.game("squarin-off", cols=2, rows=1, players=4, teams=True, blockers=0)
    assert solve_report._mover(game.start()) == "Seat 0, to move, with its partner 2,"
