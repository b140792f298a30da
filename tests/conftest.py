"""What every test shares: the order of the phases, fixed seeds, and how hard property tests try."""

import os
import random
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

from tests.servers import postgres

# Compiling takes long once: no deadline for a single example.
settings.register_profile("quick", deadline=None, max_examples=30)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, database=None, print_blob=True)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def _phase(item: pytest.Item) -> int:
    if item.get_closest_marker("browser"):
        return 2
    return 1 if item.get_closest_marker("compiled") else 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Interpreted tests come first: their errors name a file and a line."""
    for item in items:
        if item.path.name == "README.md":
            item.add_marker(pytest.mark.compiled)
    items.sort(key=_phase)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """One PostgreSQL for all tests: a new one takes two seconds."""
    with postgres() as address:
        yield address


@pytest.fixture(autouse=True)
def _fixed_seed(request: pytest.FixtureRequest) -> None:
    """Give the global generators a seed that depends on the test's name alone."""
    seed = zlib.crc32(request.node.nodeid.encode())
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # the global one is what is to be fixed
