"""What the supervisor does when it must end at once."""

import asyncio
import fcntl
import os
import socket
from pathlib import Path

import pytest

from fourcorners.web.settings import Settings
from fourcorners.web.workers.messages import Start
from fourcorners.web.workers.supervisor import Supervisor, _lock_folder, _remove_remains


class Unkillable:
    """A process that cannot be killed."""

    def kill(self) -> None:
        raise RuntimeError


@pytest.mark.parametrize("is_killable", [True, False])
def test_the_supervisor_exits_whatever_happens_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_killable: bool
) -> None:
    folder = tmp_path / "sockets"
    folder.mkdir()
    statuses: list[int] = []
    monkeypatch.setattr(os, "_exit", statuses.append)

    async def test() -> None:
        with socket.socket() as listener:
            supervisor = Supervisor(Start(Settings(tmp_path), "info", "text"), 2, listener)
            supervisor._folder = str(folder)
            if not is_killable:
                supervisor._children[0] = Unkillable()  # type: ignore[assignment]
            supervisor._force_exit()

    try:
        asyncio.run(test())
    except RuntimeError:
        assert not is_killable
    assert statuses == [1]
    assert not folder.exists()


def test_only_folders_that_no_process_has_locked_are_removed(tmp_path: Path) -> None:
    running, killed, other = (tmp_path / f"fourcorners-{name}" for name in ("running", "killed", "other"))
    for folder in (running, killed, other):
        folder.mkdir()
    _lock_folder(killed).close()
    with _lock_folder(running):
        _remove_remains(tmp_path)
        assert set(tmp_path.iterdir()) == {running, other}


def test_file_system_without_locks_is_no_obstacle_and_nothing_is_removed_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    folder = tmp_path / "fourcorners-running"
    folder.mkdir()
    with _lock_folder(folder):
        _remove_remains(tmp_path)
        assert folder.exists()


def test_an_error_in_a_task_stops_the_supervisor(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise RuntimeError("unexpected")

    async def test() -> None:
        with socket.socket() as listener:
            supervisor = Supervisor(Start(Settings(tmp_path), "info", "text"), 2, listener)
            supervisor._keep(fail())
            await supervisor._stop.wait()
            assert "error in the program" in supervisor._error

    asyncio.run(test())
    assert "unexpected" in caplog.text
