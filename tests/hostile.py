"""An object to send where something else is expected."""

from __future__ import annotations


class Hostile:
    """It can be neither shown nor compared."""

    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = object.__hash__
