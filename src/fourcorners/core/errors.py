"""All errors of the public interface, and the quoting of input in their messages."""

from itertools import zip_longest
from typing import NamedTuple

import numpy as np

_MAX_QUOTED = 60
_MAX_QUOTED_BITS = 200
_MAX_ITEMS = 4


class Reason(NamedTuple):
    """The reason for a refusal: a stable code for programs and a sentence, without a full stop, for people."""

    code: str
    sentence: str


class GameError(ValueError):
    """The base of all errors of this package.

    `code` is stable, `message` is a clause for people, and `reason` is the part of it that explains the refusal,
    without the refused input.
    """

    def __init__(self, message: str, code: str = "error") -> None:
        """Keep the message and the code; the message is also the reason unless a subclass sets another."""
        super().__init__(message)
        self.message = message
        self.reason = message
        self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        # Without `__init__`: `args` has only the message, but subclasses take other arguments.
        return type(self).__new__, (type(self), *self.args), self.__dict__


class NotationError(GameError):
    """A text that cannot be parsed as a move or a position."""

    def __init__(self, message: str, code: str = "unreadable") -> None:
        super().__init__(message, code)


class IllegalMoveError(GameError):
    """A move that can be parsed but may not be played here; `reason` is a clause without a full stop."""

    def __init__(self, move: str, reason: str, code: str) -> None:
        """Build the message from the quoted move, which is any text from outside, and the reason; `code` is stable."""
        super().__init__(f"{quote(move)} cannot be played: {reason}", code)
        self.move = move
        self.reason = reason


class OptionError(GameError):
    """An option or argument that is unknown or not allowed; `option` names it."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(f"{option}: {message}", "option")
        self.option = option


class RecordError(GameError):
    """A record that cannot be parsed or replayed; `line` counts from 1, and is 0 for the whole record."""

    def __init__(self, line: int, message: str, move: str = "", reason: str = "") -> None:
        """Keep the line, its event as `move`, if any, and the reason, by default the message without the line."""
        super().__init__(f"line {line}: {message}" if line else message, "record")
        self.line = line
        self.move = move
        self.reason = reason or message


class SolverLimit(GameError):  # noqa: N818  # the public name
    """The limits were too small to solve a position.

    `lower` and `upper` are the proven bounds of its value, a margin for the seat to move; `nodes` is the number of
    nodes searched.
    """

    def __init__(self, message: str, lower: int, upper: int, nodes: int = 0) -> None:
        """Keep the proven bounds, which are equal if only the best moves are unknown, and the searched nodes."""
        super().__init__(message, "limit")
        self.lower = lower
        self.upper = upper
        self.nodes = nodes


def quote(value: object) -> str:
    """Quote an input for a message: a text by its first 60 characters, escaped and in quotation marks.

    Numbers of up to 60 digits, including NumPy's, booleans, None, and short lists of these and of texts are written as
    usual, other objects as the name of their type. No method of such an object is called, since it might raise.
    """
    if isinstance(value, str):
        cut = str.__str__(value)[: _MAX_QUOTED + 1]
        return ascii(cut) if len(cut) <= _MAX_QUOTED else ascii(cut[:_MAX_QUOTED]) + "…"
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = np.generic.item(value)
    if type(value) is list and len(value) <= _MAX_ITEMS and not any(type(item) is list for item in value):
        return f"[{', '.join(map(quote, value))}]"
    if value is None or type(value) is bool:
        return str(value)
    if isinstance(value, int) and int.bit_length(value) <= _MAX_QUOTED_BITS:
        return int.__repr__(value)
    return float.__repr__(value) if isinstance(value, float) else f"<{type(value).__name__}>"


def describe_first_difference(given: str, canonical: str) -> str:
    """Return a clause that names the first word in which a text differs from its canonical form; they must differ."""
    pairs = zip_longest(given.split(" "), canonical.split(" "), fillvalue="")
    found, expected = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    return f"it is not in canonical form: {quote(found)} should be {quote(expected)}"
