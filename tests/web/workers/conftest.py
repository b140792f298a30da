"""Servers with worker processes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.web.processes import Process

StartWorkers = Callable[..., Process]


@pytest.fixture
def start_workers(folder: Path) -> Iterator[StartWorkers]:
    """Return a function that starts a server with two workers on a new database, with options of the command line."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(Process(folder, "--workers", "2", *options))
