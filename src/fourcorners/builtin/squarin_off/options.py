"""The options of Squarin' Off: board, values, blockers, edition and teams; the names of seats and dots."""

import re
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.options import Options

MAX_SIZE = 20
MAX_LAYOUT_LENGTH = 1000
"""Characters of a `values` text; the largest layout has 20 lines of 20 digits."""
MAX_BLOCKERS = {2: 6, 3: 4, 4: 3}
"""Blockers of each seat in a full set, by number of players."""
COLUMNS = "abcdefghijklmnopqrstu"
COLOURS = {"2016": ("Black", "White", "Blue", "Yellow"), "classic": ("Red", "Green", "Black", "Clear")}

STANDARD = (
    "1111221111",
    "1112112111",
    "1121331211",
    "1211221121",
    "2132332312",
    "2132332312",
    "1211221121",
    "1121331211",
    "1112112111",
    "1111221111",
)
"""The values of the 10 x 10 board (R6), top row first: 60 boxes of 1, 28 of 2 and 12 of 3."""


class SquarinOffOptions(Options):
    """The options of one game. A validator fills in each default that depends on another option."""

    cols: int = Field(default=10, ge=1, le=MAX_SIZE, title="Columns", description="Boxes from left to right.")
    rows: int = Field(default=10, ge=1, le=MAX_SIZE, title="Rows", description="Boxes from bottom to top.")
    players: Literal[2, 3, 4] = Field(default=2, title="Players", description="The number of players.")
    blockers: tuple[int, ...] = Field(
        default=None,
        validate_default=True,
        title="Blockers",
        description="Blockers for each player: one number for all, or a list in seat order, such as 6, 4. "
        "Default: 6 each with two players, 4 with three, 3 with four.",
    )
    values: tuple[str, ...] = Field(
        default=None,
        validate_default=True,
        title="Values",
        description="Points for each box: one line of digits per row, top row first, or a single digit for all boxes. "
        "Default: the standard layout on 10 × 10, otherwise 1 for every box.",
    )
    edition: Literal["2016", "classic"] = Field(
        default="2016",
        title="Edition",
        description="2016: a move with a blocker ends the turn. Classic: you go on if that move completed a box.",
    )
    teams: bool = Field(
        default=False,
        validate_default=True,
        title="Teams",
        description="Four players in two teams: first and third against second and fourth.",
    )

    chips: Literal["shared", "own"] = Field(
        default="shared",
        validate_default=True,
        title="Partners’ chips",
        description="In teams. Shared: partners have chips of one colour. Own: each has a different colour.",
    )

    @field_validator("blockers", mode="before")
    @classmethod
    def _parse_blockers(cls, given: Any, info: ValidationInfo) -> tuple[int, ...]:
        """Return the blockers by seat from a number for all seats, a list, or their text; None means a full set.
        Raise OptionError for anything else, and for numbers above a full set.
        """
        # An option that was refused is missing in `data`.
        players = info.data.get("players", 2)
        limit = MAX_BLOCKERS[players]
        chosen = limit if given is None else given
        if isinstance(chosen, str) and re.fullmatch(r"[0-9](?:[ ,]+[0-9]){0,3}", chosen, re.ASCII):
            chosen = [int(digit) for digit in re.findall("[0-9]", chosen)]
        # A bool does not count as a number here.
        if type(chosen) is int:
            chosen = [chosen] * players
        if (
            not isinstance(chosen, list | tuple)
            or len(chosen) != players
            or not all(type(count) is int and 0 <= count <= limit for count in chosen)
        ):
            message = f"a number from 0 to {limit}, or a list of {players} such numbers, one for each player"
            raise OptionError("blockers", f"{_quote_value(given)} is not allowed; it must be {message}")
        return tuple(chosen)

    @field_validator("values", mode="before")
    @classmethod
    def _parse_values(cls, given: Any, info: ValidationInfo) -> tuple[str, ...]:
        """Return a string of digits per row, top row first, from such a list, their text, or one digit for all boxes.
        None means the default layout. Raise OptionError for anything else.
        """
        cols, rows = info.data.get("cols", 10), info.data.get("rows", 10)
        if given is None:
            return STANDARD if (cols, rows) == (10, 10) else ("1" * cols,) * rows
        if isinstance(given, str):
            lines: Any = given.split() if len(given) <= MAX_LAYOUT_LENGTH else None
            if re.fullmatch("[0-9]", given.strip(), re.ASCII):
                lines = [given.strip() * cols] * rows
        else:
            lines = given
        if (
            not isinstance(lines, list | tuple)
            or len(lines) != rows
            or not all(isinstance(line, str) and re.fullmatch(f"[0-9]{{{cols}}}", line, re.ASCII) for line in lines)
        ):
            message = f"{rows} lines of {cols} digits from 0 to 9, top row first, or one digit for all boxes"
            raise OptionError("values", f"{_quote_value(given)} is not allowed; it must be {message}")
        # Plain strings, in case the caller passed a subclass of `str`.
        return tuple(str.__str__(line) for line in lines)

    @field_validator("teams", mode="after")
    @classmethod
    def _check_teams(cls, given: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic calls it
        """Return the value as it is; raise OptionError if it is true and there are not four players."""
        if given and info.data.get("players", 4) != 4:  # missing if it was refused itself
            raise OptionError("teams", "true is not allowed with two or three players; teams need four")
        return given

    @field_validator("chips", mode="after")
    @classmethod
    def _check_chips(cls, given: str, info: ValidationInfo) -> str:
        """Return the value as it is; raise OptionError for own chips in a game without teams."""
        if given == "own" and not info.data.get("teams", True):  # missing if it was refused itself
            raise OptionError("chips", "own is not allowed without teams, where all have their own chips")
        return given

    @classmethod
    def _parse_value(cls, name: str, text: str) -> Any:
        """Return the value of an option, not validated yet, from its text in a form or on the command line."""
        # A text such as 111 is a row of digits; JSON would read it as one number.
        if name == "values" and not text.startswith("["):
            return text
        return super()._parse_value(name, text)

    @property
    def parties(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each party; they win together."""
        return ((0, 2), (1, 3)) if self.teams else super().parties

    def given_options(self) -> dict[str, Any]:
        """Return the options that differ from their defaults as JSON values, in their shortest form: 3, not [3, 3]."""
        given = super().given_options()
        if "blockers" in given and len(set(self.blockers)) == 1:
            given["blockers"] = self.blockers[0]
        digits = set("".join(self.values))
        if "values" in given and len(digits) == 1:
            given["values"] = digits.pop()
        return given


def _quote_value(given: object) -> str:
    """Quote a rejected value for an error message; a short list in full, because one of its items is wrong."""
    if isinstance(given, list | tuple) and len(given) <= 4:
        return "[" + ", ".join(quote(item) for item in given) + "]"
    return quote(given)


def list_seat_names(options: SquarinOffOptions) -> tuple[str, ...]:
    """Return the names of the chips' colours by seat, such as Black; partners share a colour unless they have own."""
    colours = COLOURS[options.edition]
    return colours[:2] * 2 if options.teams and options.chips == "shared" else colours[: options.players]


def format_dot(column: int, row: int) -> str:
    """Format a dot as on a chessboard, from column and row counted from 0; a box is named after its lower-left dot."""
    return f"{COLUMNS[column]}{row + 1}"
