"""Annotations of a move besides text: marks and evaluations, each one line of a record."""

import re
from dataclasses import dataclass

from fourcorners.core import arguments
from fourcorners.core.errors import GameError, OptionError, quote

MARKS = {
    "circle": 1,
    "cross": 1,
    "square": 1,
    "arrow": 2,
    "best": 0,
    "good": 0,
    "interesting": 0,
    "inaccuracy": 0,
    "mistake": 0,
    "blunder": 0,
}
"""The number of places of the board that each kind of mark names; a kind without places judges the move."""
MAX_MARGIN, MAX_NODES = 10**7, 10**15
_PLACES = 6  # decimals, so that a number is unchanged after it is written and read
_PLACE = re.compile(r"[!-~]{1,40}", re.ASCII)
_NUMBER = r"-?[0-9]{1,8}"
_FRACTION = rf"{_NUMBER}(?:\.[0-9]{{1,{_PLACES}}})?"
_EVALUATION = re.compile(
    rf"seat ([0-9]{{1,2}}): margin ({_FRACTION}), (?:(exact)|({_NUMBER}) to ({_NUMBER})), "
    rf"win ({_FRACTION}), ([0-9]{{1,16}}) nodes",
    re.ASCII,
)
_EXAMPLE = "seat 0: margin 2.5, -4 to 9, win 0.71, 1200 nodes"


@dataclass(frozen=True)
class Mark:
    """A sign at a move: of a kind in MARKS, at places such as ("c4",), each a token of the game without spaces.

    This does not check that the board has such a place; pages ignore unknown places. Raise OptionError for another
    kind, or for too few, too many or unprintable places.
    """

    kind: str
    places: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if type(self.kind) is not str or self.kind not in MARKS:
            raise OptionError("mark", f"{quote(self.kind)} is not allowed; it must be {' or '.join(MARKS)}")
        places, count = self.places, MARKS[self.kind]
        if type(places) is not tuple or len(places) != count or not all(map(_is_place, places)):
            wanted = f"a tuple of {count} places such as 'c4'" if count else "an empty tuple"
            raise OptionError("mark", f"the places {quote(places)} are not allowed; with {self.kind} they are {wanted}")

    def __str__(self) -> str:
        """Return the mark as text, such as `arrow a1 c3`."""
        return " ".join((self.kind, *self.places))

    @classmethod
    def parse(cls, text: str) -> "Mark":
        """Parse the text of a mark, as `str` writes it; raise OptionError."""
        kind, *places = text.split(" ")
        return cls(kind, tuple(places))


@dataclass(frozen=True)
class Evaluation:
    """An evaluation of a position: the expected final margin of a seat, its proven bounds, and its chance of winning.

    `margin` is the seat's points minus those of its best rival. It lies between the whole numbers `lower` and `upper`,
    which are equal if it is proven. `win` is the chance of winning, 0 to 1. `nodes` is the work of the evaluation, 0 if
    unknown. Numbers are rounded to six decimals. Raise OptionError for numbers that contradict each other.
    """

    seat: int
    margin: float
    win: float
    lower: int
    upper: int
    nodes: int = 0

    def __post_init__(self) -> None:
        for name, limit in (("seat", 99), ("nodes", MAX_NODES)):
            object.__setattr__(self, name, arguments.check_int(name, getattr(self, name), 0, limit))
        for name in ("lower", "upper"):
            points = arguments.check_int(name, getattr(self, name), -MAX_MARGIN, MAX_MARGIN, "a whole number of points")
            object.__setattr__(self, name, points)
        for name, least, most in (("margin", self.lower, self.upper), ("win", 0, 1)):
            value = getattr(self, name)
            number = arguments.as_number(value)
            # Only a finite number can lie between both bounds.
            if number is None or not least <= number <= most:
                raise OptionError(name, f"{quote(value)} is not allowed; it must be a number from {least} to {most}")
            # Adding 0.0 turns -0.0 into 0.0, which is written without a sign.
            object.__setattr__(self, name, round(float(number), _PLACES) + 0.0)

    @property
    def is_exact(self) -> bool:
        """Whether the margin is proven."""
        return self.lower == self.upper

    def __str__(self) -> str:
        """Return the evaluation as text, such as `seat 0: margin 2.5, -4 to 9, win 0.71, 1200 nodes`."""
        bounds = "exact" if self.is_exact else f"{self.lower} to {self.upper}"
        numbers = f"margin {format_number(self.margin)}, {bounds}, win {format_number(self.win)}"
        return f"seat {self.seat}: {numbers}, {self.nodes} nodes"

    @classmethod
    def parse(cls, text: str) -> "Evaluation":
        """Parse the text of an evaluation, as `str` writes it; raise OptionError or GameError."""
        found = _EVALUATION.fullmatch(text)
        if found is None:
            raise GameError(f"an evaluation looks like {_EXAMPLE!r}, or has 'exact' as bounds, not {quote(text)}")
        seat, margin, exact, lower, upper, win, nodes = found.groups()
        if exact:
            whole = margin.partition(".")
            if whole[2]:
                raise OptionError("margin", f"{quote(margin)} is not allowed; an exact margin is a whole number")
            lower = upper = whole[0]
        return cls(int(seat), float(margin), float(win), int(lower), int(upper), int(nodes))


def _is_place(place: object) -> bool:
    """Return whether this can be a place: up to 40 visible characters."""
    return type(place) is str and _PLACE.fullmatch(place) is not None


def format_number(number: float) -> str:
    """Format a rounded number with as many decimals as it needs."""
    return f"{number:.{_PLACES}f}".rstrip("0").rstrip(".")
