"""Fixtures: databases, servers on free ports, and browsers."""

import io
import logging
import math
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path

import httpx
import jinja2
import psycopg
import pytest

from fourcorners.web import app, log
from fourcorners.web.auth import passwords
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.pages.assets import Assets
from fourcorners.web.store import Store
from fourcorners.web.store.engine import DATABASE_FILE
from tests.servers import create_database
from tests.web.accounts import Visit, register
from tests.web.client import Browser, Server, StartServer


@pytest.fixture(scope="session", autouse=True)
def hashing_parameters() -> Iterator[tuple[int, int]]:
    """Hash passwords as cheaply as argon2 allows, since every server does so when it starts; yield the parameters that
    the program has, passes and KiB, which `standard_hashing` restores.
    """
    names = ("_TIME_COST", "_MEMORY_KIB")
    with pytest.MonkeyPatch.context() as patch:
        standard = (passwords._TIME_COST, passwords._MEMORY_KIB)
        for name, cheapest in zip(names, (1, 8), strict=True):
            patch.setattr(passwords, name, cheapest)
        yield standard


@pytest.fixture
def standard_hashing(hashing_parameters: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords in this test as the program does; it has no value, and must come before a server."""
    for name, value in zip(("_TIME_COST", "_MEMORY_KIB"), hashing_parameters, strict=True):
        monkeypatch.setattr(passwords, name, value)


@pytest.fixture(scope="session", autouse=True)
def _shared_preparations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the compiled templates of the pages and the bundles of their scripts, which every server would otherwise
    compile and build anew.
    """
    bytecode = jinja2.FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jinja2, "Environment", partial(jinja2.Environment, bytecode_cache=bytecode))
        patch.setattr(app, "Assets", cache(Assets))
        yield


@pytest.fixture(scope="session", autouse=True)
def _patient_budgets() -> Iterator[None]:
    """Let boards take any processor time, so that no result depends on the machine's speed; tests of budgets set it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "BOARD_LIMITS", app.BOARD_LIMITS._replace(cpu_seconds=math.inf))
        yield


@pytest.fixture(scope="session")
def bare_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of an empty SQLite database, which tests copy: that takes a tenth of the time of creating one."""
    folder = tmp_path_factory.mktemp("bare")
    Store(folder).close()
    return folder / DATABASE_FILE


@pytest.fixture(scope="session")
def bare_database(postgresql: str) -> Iterator[str]:
    """The name of an empty PostgreSQL database of the current schema, which tests copy and must not change."""
    with create_database(postgresql) as address:
        Store(address).close()
        yield str(psycopg.conninfo.conninfo_to_dict(address)["dbname"])


@pytest.fixture
def folder(tmp_path: Path, bare_file: Path) -> Path:
    """A data folder of this test alone, with an empty SQLite database."""
    shutil.copy(bare_file, tmp_path)
    return tmp_path


@pytest.fixture
def address(postgresql: str, bare_database: str) -> Iterator[str]:
    """The address of an empty PostgreSQL database of this test alone, which is dropped afterwards."""
    with create_database(postgresql, bare_database) as made:
        yield made


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.ci)])
def database(request: pytest.FixtureRequest) -> str | Path:
    """An empty database of this test alone, as `Store` takes it; CI runs the test a second time, with PostgreSQL."""
    made: str | Path = request.getfixturevalue("folder" if request.param == "sqlite" else "address")
    return made


@pytest.fixture
def store(database: str | Path) -> Iterator[Store]:
    """An open store over an empty database of this test alone; CI runs the test a second time, with PostgreSQL."""
    opened = Store(database)
    yield opened
    opened.close()


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """The log of this test as it grows: a JSON object on each line, from level debug.

    It replaces the handlers of the root logger. Handlers and levels are restored at the end of the test.
    """
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
    """One server with everything compiled, over its own folder, for all tests that do not stop or change it.

    `scripts/test` has compiled everything; what a test needs is loaded when it is first used, which takes less than
    loading all of it.
    """
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Warmup, "start", lambda self: self.done.set_result(None))
            running = stack.enter_context(Server(tmp_path_factory.mktemp("games")))
        yield running


@pytest.fixture(scope="session")
def compiled(server: Server) -> None:
    """Make sure that everything is compiled in this process, by starting the shared server; it has no value."""


@pytest.fixture
def start_server(folder: Path, compiled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartServer]:
    """Return a function of `pace`, in seconds, that starts a server over this test's folder and returns it running.

    It may be called again after a stop. Everything is compiled, and the servers are stopped at the end of the test.
    """
    # What `compiled` has compiled counts for this process, so that these servers are ready at once.
    monkeypatch.setattr(Warmup, "start", lambda self: self.done.set_result(None))
    with ExitStack() as stack:
        yield lambda pace=0.0: stack.enter_context(Server(folder, pace))


@pytest.fixture
def start_cold(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartServer]:
    """Return a function of the arguments of `Server` that starts one over this test's folder and stops it at the end.

    The server compiles nothing in advance and never says that it is ready, for tests that play few moves.
    """
    monkeypatch.setattr(Warmup, "start", lambda _: None)
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Server(folder, **settings))


@pytest.fixture
def cold_server(start_cold: StartServer) -> Server:
    """A running server of this test alone, on which nothing is compiled (see `start_cold`)."""
    return start_cold()


@pytest.fixture(scope="module")
def module_server(tmp_path_factory: pytest.TempPathFactory, bare_file: Path) -> Iterator[Server]:
    """A running server of all tests of a module, which neither stop nor change it; nothing is compiled on it."""
    folder = tmp_path_factory.mktemp("module")
    shutil.copy(bare_file, folder)
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Warmup, "start", lambda _: None)
            running = stack.enter_context(Server(folder))
        yield running


@pytest.fixture
def browser(server: Server) -> Iterator[Browser]:
    """A browser at the shared server, of this test alone: a player with a cookie."""
    with Browser(server) as opened:
        yield opened


@pytest.fixture
def other(server: Server) -> Iterator[Browser]:
    """A second browser at the shared server, with its own cookie: another player than `browser`."""
    with Browser(server) as opened:
        yield opened


@pytest.fixture
def visit(cold_server: Server) -> Iterator[Visit]:
    """Return a function that opens the account page of `cold_server` as a new guest and returns the HTTP client.

    All clients are closed at the end of the test.
    """
    opened: list[httpx.Client] = []

    def open_account_page() -> httpx.Client:
        """Open the account page with a new client, which keeps the cookie that it gets, and return the client."""
        opened.append(httpx.Client(base_url=cold_server.url, timeout=30))
        opened[-1].get("/account")
        return opened[-1]

    yield open_account_page
    for client in opened:
        client.close()


@pytest.fixture
def anna(visit: Visit) -> httpx.Client:
    """The client of a visitor who has registered as Anna."""
    http = visit()
    register(http)
    return http
