"""An option as a form shows it, and its value as text; without pydantic, which takes long to import."""

import json
from typing import NamedTuple


class Field(NamedTuple):
    """One option as a form shows it.

    `kind` is "number", "choice", "flag", "text" or "seat-colours" (see `core.seat_colours`); `choices` has the texts of
    a choice, and is empty otherwise. `low`, `high` and `step` limit a number.
    """

    name: str
    label: str
    help: str
    kind: str
    default: str
    low: int | None
    high: int | None
    step: int | None
    choices: tuple[str, ...]


def format_value(value: object) -> str:
    """Format an option's value as the text by which a form or a command line gives it."""
    return value if isinstance(value, str) else json.dumps(value)
