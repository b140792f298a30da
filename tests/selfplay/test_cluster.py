"""`fourcorners selfplay --ray`, on a cluster that is started here: lost workers, and equal bytes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from fourcorners.core.errors import GameError, OptionError
from fourcorners.selfplay.configuration import Configuration, describe_versions
from fourcorners.selfplay.run import build_unit_remotely, play_on_cluster
from tests.cli.test_commands import run_command, run_failing_command
from tests.selfplay.test_selfplay import PLAYERS, read_hashes

pytestmark = [pytest.mark.compiled, pytest.mark.ci]
# Six units, each of which takes a second.
RUN = (
    *(
        "selfplay",
        "dots-and-boxes",
        "-o",
        "cols=3",
        "-o",
        "rows=3",
        "--games",
        "96",
        "--label",
        "--label-nodes",
        "2000",
    ),
    *("--player", "simulations", "--nodes", "300"),
)


def wait_until(is_true: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait until something holds, and fail after some time."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


def list_busy_workers() -> list[psutil.Process]:
    """List the workers of the cluster of this process that play a unit."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if process.cmdline()[:1] == ["ray::build_unit_remotely"]:
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_local_killed_resumed_and_clustered_runs_have_equal_bytes(tmp_path: Path) -> None:
    here, there, resumed = (tmp_path / name for name in ("here", "there", "resumed"))
    assert run_command(*RUN, "--out", str(here)).returncode == 0

    # A worker is killed in the middle of a unit.
    killed = []

    def kill_worker() -> None:
        """Kill one worker that plays, once a unit is complete."""
        wait_until(lambda: any((there / "units").glob("??????")) and list_busy_workers())
        worker = list_busy_workers()[0]
        worker.kill()
        killed.append(worker.pid)

    thread = threading.Thread(target=kill_worker)
    thread.start()
    completed = run_command(*RUN, "--out", str(there), "--ray", "local")
    thread.join()
    assert completed.returncode == 0, completed
    assert killed
    assert read_hashes(there) == read_hashes(here)

    # A run is killed, and goes on.
    command = [sys.executable, "-m", "fourcorners", *RUN, "--out", str(resumed), "--jobs", "1"]
    with subprocess.Popen(command, env=os.environ) as program:
        wait_until(lambda: any((resumed / "units").glob("??????")))
        program.send_signal(signal.SIGKILL)
    assert not (resumed / "README.md").exists()
    assert run_command(*RUN, "--out", str(resumed)).returncode == 0
    assert read_hashes(resumed) == read_hashes(here)


def test_cluster_that_cannot_be_joined_is_reported_in_one_sentence(tmp_path: Path) -> None:
    sentence = run_failing_command(*PLAYERS, "--out", str(tmp_path), "--ray", "nonsense://x", status=2)
    assert "cannot be joined" in sentence


def test_machine_with_other_versions_is_refused_and_a_failed_unit_is_reported() -> None:
    configuration = Configuration("dots-and-boxes", {"cols": 1, "rows": 1}, 1, ("child",), None, 0, 1)
    with pytest.raises(OptionError, match="has the versions"):
        build_unit_remotely(configuration, 0, {**describe_versions(), "numpy": "1.0"})
    wrong = Configuration("dots-and-boxes", {"cols": 1, "rows": 1}, 1, ("no-player",), None, 0, 1)
    with pytest.raises(GameError, match=r"a unit failed on the cluster.*no-player"):
        list(play_on_cluster(wrong, [0], threading.Event(), "local"))
