"""An object for tests of invalid input."""


class Hostile:
    """An object that raises RuntimeError when it is printed or compared; it can be hashed."""

    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = object.__hash__
