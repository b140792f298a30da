"""A real server on a free port, and browsers that speak to it."""

import io
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from fourcorners.web import log
from fourcorners.web.store import Store
from fourcorners.web.thinking.kernels import Warmth
from tests.servers import new_database, postgres
from tests.web.accounts import Visit
from tests.web.client import Browser, Server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """One PostgreSQL for all tests."""
    with postgres() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str | Path]:
    """An empty database of either kind, as the store is given it."""
    if request.param == "sqlite":
        yield tmp_path
    else:
        with new_database(request.getfixturevalue("postgresql")) as address:
            yield address


@pytest.fixture
def store(database: str | Path) -> Iterator[Store]:
    """A store over an empty database of either kind."""
    opened = Store(database)
    yield opened
    opened.close()


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """All that is logged, as JSON and at the lowest level."""
    names = [None, "fourcorners", "uvicorn", "uvicorn.error", "websockets", "asyncio", "sqlalchemy", "alembic", "ray"]
    before = [(logging.getLogger(name), logging.getLogger(name).level) for name in names]
    handlers = logging.getLogger().handlers
    text = io.StringIO()
    log.set_up("debug", "json", text)
    yield text
    logging.getLogger().handlers = handlers
    for logger, level in before:
        logger.setLevel(level)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that need not stop it."""
    with Server(tmp_path_factory.mktemp("games")) as running:
        yield running.warm()


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start a server over this test's own folder; several times, to see it come back."""
    with ExitStack() as stack:
        yield lambda pace=0.0: stack.enter_context(Server(tmp_path, pace)).warm()


@pytest.fixture
def start_cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Start a server for pages that need no rules, so that nothing is compiled for them."""
    monkeypatch.setattr(Warmth, "start", lambda _: None)
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Server(tmp_path, **settings))


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
    """Somebody else's browser."""
    with Browser(server) as opened:
        yield opened


@pytest.fixture
def visit(cold_server: Server) -> Iterator[Visit]:
    """Come with another browser."""
    opened: list[httpx.Client] = []

    def come() -> httpx.Client:
        opened.append(httpx.Client(base_url=cold_server.url, timeout=30))
        opened[-1].get("/account")
        return opened[-1]

    yield come
    for client in opened:
        client.close()
