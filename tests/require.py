"""Values that a test needs and that a function need not find."""

from typing import TypeVar

T = TypeVar("T")


def require(value: T | None) -> T:
    """Return a value; fail if there is none."""
    assert value is not None
    return value
