"""Every error a caller can meet, and how input is quoted in them."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

_QUOTED = 60


class Reason(NamedTuple):
    """Why something is refused: a stable code for programs and a sentence for people."""

    code: str
    sentence: str


class GameError(ValueError):
    """The root of all errors of this package; `code` is stable, the message is for people."""

    def __init__(self, message: str, code: str = "error") -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.args, self.__dict__))


class NotationError(GameError):
    """A text that cannot be read as a move or a position."""

    def __init__(self, message: str, code: str = "unreadable") -> None:
        super().__init__(message, code)


class IllegalMoveError(GameError):
    """A move that can be read but may not be played here."""

    def __init__(self, move: str, reason: str, code: str) -> None:
        super().__init__(f"{quote(move)} may not be played: {reason}", code)
        self.move = move
        self.reason = reason


class OptionError(GameError):
    """An option of a game that is unknown or out of its range; `option` names it."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(f"{option}: {message}", "option")
        self.option = option


class RecordError(GameError):
    """A record that cannot be read or does not replay; `line` counts from 1, 0 for the whole."""

    def __init__(self, line: int, message: str, move: str = "", reason: str = "") -> None:
        super().__init__(f"line {line}: {message}" if line else message, "record")
        self.line = line
        self.move = move
        self.reason = reason or message


class SolverLimit(GameError):  # noqa: N818  # the public name
    """The limits given did not suffice to solve a position.

    `lower` and `upper` are the bounds proven for its value (margin for the seat to move), `nodes` how many were
    searched.
    """

    def __init__(self, message: str, lower: int, upper: int, nodes: int = 0) -> None:
        super().__init__(message, "limit")
        self.lower = lower
        self.upper = upper
        self.nodes = nodes


def _rebuild(kind: type[GameError], args: tuple[object, ...], state: dict[str, object]) -> GameError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


def quote(value: object) -> str:
    """Return an input as a message may show it: escaped, and cut to a readable length."""
    if isinstance(value, str):
        cut = str.__str__(value)[: _QUOTED + 1]
        return ascii(cut) if len(cut) <= _QUOTED else ascii(cut[:_QUOTED]) + "…"
    if value is None or type(value) is bool or (type(value) is int and value.bit_length() < 64) or type(value) is float:
        return str(value)
    return f"<{type(value).__name__}>"


def describe_first_difference(given: str, usual: str) -> str:
    """Say in which word a text first departs from the one way in which it is written."""
    words = zip_longest(given.split(" "), usual.split(" "), fillvalue="")
    one, other = next(((one, other) for one, other in words if one != other), ("", ""))
    return f"it is written in one way only: where it has {quote(one)} there should be {quote(other)}"
