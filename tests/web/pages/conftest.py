"""Fixtures for tests of the pages."""

import pytest

from fourcorners.web.store import Store
from tests.web.client import Server


@pytest.fixture
def store(cold_server: Server) -> Store:
    """The store of `cold_server`, in which a test can look and write while the server runs."""
    opened: Store = cold_server.context.store
    return opened
