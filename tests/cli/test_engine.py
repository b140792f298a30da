"""`fourcorners engine` as a process: its input ends, it is interrupted, its output is closed; and a client of it."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fourcorners.study.engine_messages import MAX_LINE
from tests.cli.test_streams import check_failure, run

CLIENT = Path(__file__).parents[2] / "examples" / "engine_client.py"
SMALL = {"game": "dots-and-boxes", "options": {"cols": 2, "rows": 1}, "maxVisits": 4, "seed": 1}


def write_line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def test_queries_are_answered_after_the_end_of_the_input(tmp_path: Path) -> None:
    lines = [write_line(id=str(number), **SMALL) for number in range(3)]
    too_long = b"x" * (2 * MAX_LINE) + b"\n"
    done = run("fourcorners engine --threads 2", tmp_path, b"".join([*lines, too_long, write_line(id="last")[:-1]]))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(str(answer["id"]) for answer in answers) == ["0", "1", "2", "None", "last"]
    assert "is longer than" in next(answer["error"] for answer in answers if answer["id"] is None)


@pytest.mark.parametrize(("way", "name"), [("<&-", "standard input"), (">&-", "standard output")])
def test_closed_stream_is_named(way: str, name: str, tmp_path: Path) -> None:
    check_failure(run(f"fourcorners engine {way}", tmp_path, write_line(id="v")), f"{name} is closed")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signal")
def test_interrupt_ends_a_search_quietly() -> None:
    # The shell may have started the tests with the signal ignored, as it does in the background.
    program = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    program += "sys.argv[1:] = ['engine']; from fourcorners.cli import main; main()"
    command = [sys.executable, "-c", program]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]  # a dict of pipes
        process.stdin.write(write_line(id="a", game="square-off", seconds=600, reportDuringSearchEvery=0.01))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["isDuringSearch"]
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (130, b"")
        assert all(json.loads(line)["isDuringSearch"] for line in rest.splitlines())


def test_schema_is_printed(tmp_path: Path) -> None:
    schema = json.loads(run("fourcorners engine --schema", tmp_path).stdout)
    assert {"request", "answer", "$defs"} <= set(schema)
    assert all("description" in field for field in schema["$defs"]["Query"]["properties"].values())


def run_client(folder: Path, *moves: str) -> subprocess.CompletedProcess[bytes]:
    """Run the example on a small game after some moves."""
    return run(f"'{sys.executable}' '{CLIENT}' dots-and-boxes cols=2 rows=1 {' '.join(moves)}", folder)


def test_client_prints_the_best_move_of_each_position(tmp_path: Path) -> None:
    done = run_client(tmp_path, "a1b1")
    assert (done.returncode, done.stderr) == (0, b"")
    first, second = done.stdout.decode().splitlines()
    assert first.startswith("0. seat 0: ") and second.startswith("1. seat 1: ")
    assert second.endswith("; margin 2")


def test_client_says_why_a_query_is_refused(tmp_path: Path) -> None:
    done = run_client(tmp_path, "a1b1", "a1b1")
    assert done.returncode == 1
    assert done.stderr == b"moves: move 2: 'a1b1' cannot be played: edge a1b1 is already drawn\n"
