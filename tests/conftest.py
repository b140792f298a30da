"""Settings of all tests: the order of the phases, fixed seeds, and profiles of property tests."""

import functools
import gc
import os
import random
import zlib
from collections.abc import Iterator

import httpx
import numpy as np
import pytest
from hypothesis import settings

from tests.servers import run_postgres

# Compilation makes the first example slow, so there is no deadline.
settings.register_profile("quick", deadline=None, max_examples=30)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, database=None, print_blob=True)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def _get_phase(item: pytest.Item) -> int:
    """Return the place of a test in the order of phases: 0 interpreted, 1 compiled, 2 in a browser."""
    if item.get_closest_marker("browser"):
        return 2
    return 1 if item.get_closest_marker("compiled") else 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests in place: interpreted ones, whose errors name a file and a line, compiled ones, then browsers'."""
    items.sort(key=_get_phase)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over all that was imported: to look through it takes half a second each time."""
    gc.freeze()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests with asyncio."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """Run one PostgreSQL for all tests, since starting one takes two seconds; yield its address."""
    with run_postgres() as address:
        yield address


@pytest.fixture(scope="session", autouse=True)
def _certificates() -> Iterator[None]:
    """Load the certificates of authorities once: each HTTP client would read them anew, which takes far longer than
    what it asks of a server of these tests, and no test needs them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", functools.cache(httpx.create_ssl_context))
        yield


@pytest.fixture(autouse=True)
def _seed_generators(request: pytest.FixtureRequest) -> None:
    """Seed the global random generators of Python and NumPy with the name of the test, before every test."""
    seed = zlib.crc32(request.node.nodeid.encode())
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # the global generator must be seeded
