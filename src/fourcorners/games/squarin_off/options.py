"""The options of Squarin' Off: the board, its values, the blockers, the edition and the teams."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.options import Options

MAX_SIZE = 20
LONGEST_LAYOUT = 1000
MOST_BLOCKERS = {2: 6, 3: 4, 4: 3}
COLUMNS = "abcdefghijklmnopqrstu"
SIDE_NAMES = ("lower", "right", "upper", "left")
COLOURS = {"2016": ("Black", "White", "Blue", "Yellow"), "classic": ("Red", "Green", "Black", "Clear")}

# Top row first: 60 boxes of 1, 28 of 2, 12 of 3.
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


class SquarinOffOptions(Options):
    """What players may choose. A default that depends on another option is filled in."""

    cols: int = Field(default=10, ge=1, le=MAX_SIZE, title="Columns", description="Boxes from left to right, 1 to 20.")
    rows: int = Field(default=10, ge=1, le=MAX_SIZE, title="Rows", description="Boxes from bottom to top, 1 to 20.")
    players: Literal[2, 3, 4] = Field(default=2, title="Players", description="Two, three or four.")
    blockers: tuple[int, ...] = Field(
        default=None,
        validate_default=True,
        title="Blockers",
        description="How many blockers each player has: a number, or one number for each player in turn, such as 6, 4. "
        "Left empty: 6 each for two players, 4 for three, 3 for four.",
    )
    values: tuple[str, ...] = Field(
        default=None,
        validate_default=True,
        title="Values",
        description="What the boxes are worth: a line of digits for each row, the top row first, or one digit for all "
        "boxes. Left empty: the printed board on 10 x 10, else 1 for each box.",
    )
    edition: Literal["2016", "classic"] = Field(
        default="2016",
        title="Edition",
        description="In 2016 a move with a blocker ends the turn; in the classic edition the turn goes on if that move "
        "completed a box.",
    )
    teams: bool = Field(
        default=False,
        validate_default=True,
        title="Teams",
        description="Four players as two teams: the first and third against the second and fourth.",
    )

    @field_validator("blockers", mode="before")
    @classmethod
    def _count_blockers(cls, given: Any, info: ValidationInfo) -> tuple[int, ...]:
        players = info.data.get("players", 2)
        most = MOST_BLOCKERS[players]
        chosen = most if given is None else given
        if isinstance(chosen, str) and re.fullmatch(r"[0-9](?:[ ,]+[0-9]){0,3}", chosen, re.ASCII):
            chosen = [int(digit) for digit in re.findall("[0-9]", chosen)]
        if type(chosen) is int:
            chosen = [chosen] * players
        if (
            not isinstance(chosen, list | tuple)
            or len(chosen) != players
            or not all(type(count) is int and 0 <= count <= most for count in chosen)
        ):
            message = f"a number from 0 to {most}, or a list of {players} such numbers, one for each player"
            raise OptionError("blockers", f"{_shown(given)} is not allowed; it may be {message}")
        return tuple(chosen)

    @field_validator("values", mode="before")
    @classmethod
    def _lay_out(cls, given: Any, info: ValidationInfo) -> tuple[str, ...]:
        cols, rows = info.data.get("cols", 10), info.data.get("rows", 10)
        if given is None:
            return STANDARD if (cols, rows) == (10, 10) else ("1" * cols,) * rows
        if isinstance(given, str):
            lines: Any = given.split() if len(given) <= LONGEST_LAYOUT else None
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
            raise OptionError("values", f"{_shown(given)} is not allowed; it may be {message}")
        return tuple(str.__str__(line) for line in lines)

    @field_validator("teams", mode="after")
    @classmethod
    def _need_four(cls, given: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic calls it
        if given and info.data.get("players", 4) != 4:
            raise OptionError("teams", "true is not allowed with two or three players; it may be true with four only")
        return given

    @classmethod
    def _value(cls, name: str, text: str) -> Any:
        # A row such as 111 is digits, not a number.
        if name == "values" and not text.startswith("["):
            return text
        return super()._value(name, text)

    @property
    def parties(self) -> tuple[tuple[int, ...], ...]:
        """The seats that win together."""
        return ((0, 2), (1, 3)) if self.teams else super().parties

    def given(self) -> dict[str, Any]:
        """Return, as short JSON values, only the options needed to make these again."""
        given = super().given()
        if "blockers" in given and len(set(self.blockers)) == 1:
            given["blockers"] = self.blockers[0]
        digits = set("".join(self.values))
        if "values" in given and len(digits) == 1:
            given["values"] = digits.pop()
        return given


def _shown(given: object) -> str:
    """Quote a wrong value; a short list in full, as it is what the player must mend."""
    if isinstance(given, list | tuple) and len(given) <= 4:
        return "[" + ", ".join(quote(item) for item in given) + "]"
    return quote(given)


def seat_names(options: SquarinOffOptions) -> tuple[str, ...]:
    """Return the colours of the chips by seat; partners share one."""
    colours = COLOURS[options.edition]
    if options.teams:
        return (colours[0], colours[1], colours[0], colours[1])
    return colours[: options.players]


def dot_name(column: int, row: int) -> str:
    """Name a dot, counted from 0, as on a chessboard; a box bears the name of its lower-left dot."""
    return f"{COLUMNS[column]}{row + 1}"
