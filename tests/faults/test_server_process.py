"""The server process of the fault tests leaves nothing running when it does not start."""

import asyncio
import signal
from pathlib import Path

import pytest

from tests.faults import server_process
from tests.faults.server_process import ServerProcess


def test_server_that_is_not_healthy_in_time_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_process, "START_TIMEOUT", 0.0)

    async def start_too_slowly() -> int | None:
        """Start a server, which must fail, and return the exit status of its process; None if it still runs."""
        server = ServerProcess(tmp_path)
        with pytest.raises(RuntimeError, match="did not start"):
            await server.start()
        assert server._process is not None
        return server._process.returncode

    assert asyncio.run(start_too_slowly()) == -signal.SIGKILL
