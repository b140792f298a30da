"""Fixtures for tests of the scripts."""

from pathlib import Path

import pytest

from tests.checkout import FAKE_COMMAND, FAKE_NODE, FAKE_NPM, FAKE_PYTHON, Checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Return a new checkout for each test."""
    return Checkout(tmp_path)


@pytest.fixture
def fake_checkout(checkout: Checkout) -> Checkout:
    """Return the test's checkout, in which Python, Node, npm and `fourcorners` are fakes that log their calls."""
    checkout.add_program("python3", FAKE_PYTHON)
    checkout.add_program("fourcorners", FAKE_COMMAND)
    checkout.add_program("node", FAKE_NODE)
    checkout.add_program("npm", FAKE_NPM)
    return checkout
