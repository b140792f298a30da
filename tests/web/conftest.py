"""Fixtures: databases, servers on free ports, and browsers."""

import io
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import psycopg
import pytest

from fourcorners.web import log
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.store import Store
from fourcorners.web.store.engine import DATABASE_FILE
from tests.servers import new_database
from tests.web.accounts import Visit
from tests.web.client import Browser, Server


@pytest.fixture(scope="session")
def bare_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database file to copy, which takes a tenth of the time of creating one."""
    folder = tmp_path_factory.mktemp("bare")
    Store(folder).close()
    return folder / DATABASE_FILE


@pytest.fixture(scope="session")
def bare_database(postgresql: str) -> Iterator[str]:
    """The name of an empty PostgreSQL database to copy."""
    with new_database(postgresql) as address:
        Store(address).close()
        yield str(psycopg.conninfo.conninfo_to_dict(address)["dbname"])


@pytest.fixture
def folder(tmp_path: Path, bare_file: Path) -> Path:
    """A folder of this test with an empty database."""
    shutil.copy(bare_file, tmp_path)
    return tmp_path


@pytest.fixture
def address(postgresql: str, bare_database: str) -> Iterator[str]:
    """The address of an empty PostgreSQL database of this test."""
    with new_database(postgresql, bare_database) as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str | Path:
    """An empty database of either kind, as `Store` takes it."""
    made: str | Path = request.getfixturevalue("folder" if request.param == "sqlite" else "address")
    return made


@pytest.fixture
def store(database: str | Path) -> Iterator[Store]:
    """A store over an empty database of either kind."""
    opened = Store(database)
    yield opened
    opened.close()


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """The log of this test as JSON, at the lowest level."""
    names = [None, "fourcorners", "uvicorn", "uvicorn.error", "websockets", "asyncio", "sqlalchemy", "alembic", "ray"]
    before = [(logging.getLogger(name), logging.getLogger(name).level) for name in names]
    handlers = logging.getLogger().handlers
    text = io.StringIO()
    log.configure_logging("debug", "json", text)
    yield text
    logging.getLogger().handlers = handlers
    for logger, level in before:
        logger.setLevel(level)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that do not stop it."""
    with Server(tmp_path_factory.mktemp("games")) as running:
        yield running.warm()


@pytest.fixture(scope="session")
def compiled(server: Server) -> None:
    """Everything is compiled in this process, because the shared server has done so."""


@pytest.fixture
def start_server(folder: Path, compiled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server over this test's folder; it may be called again after a stop."""
    monkeypatch.setattr(Warmup, "start", lambda self: self.done.set_result(None))
    with ExitStack() as stack:
        yield lambda pace=0.0: stack.enter_context(Server(folder, pace))


@pytest.fixture
def start_cold(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server which compiles nothing, for tests that play few moves."""
    monkeypatch.setattr(Warmup, "start", lambda _: None)
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Server(folder, **settings))


@pytest.fixture
def cold_server(start_cold: Callable[..., Server]) -> Server:
    """A server on which nothing is compiled."""
    return start_cold()


@pytest.fixture
def browser(server: Server) -> Iterator[Browser]:
    """A browser with its own cookie."""
    with Browser(server) as opened:
        yield opened


@pytest.fixture
def other(server: Server) -> Iterator[Browser]:
    """Another player's browser."""
    with Browser(server) as opened:
        yield opened


@pytest.fixture
def visit(cold_server: Server) -> Iterator[Visit]:
    """Return a function that opens the account page with a new cookie."""
    opened: list[httpx.Client] = []

    def come() -> httpx.Client:
        opened.append(httpx.Client(base_url=cold_server.url, timeout=30))
        opened[-1].get("/account")
        return opened[-1]

    yield come
    for client in opened:
        client.close()
