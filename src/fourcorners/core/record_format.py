"""The text format of a record: a header of named lines, an empty line, and numbered events.

In version 2 the events are followed by study rows: comments, variations and more (see `core.tree_format`), and the
header may have the position with which the record begins.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from fourcorners.core.errors import RecordError, quote
from fourcorners.core.text_files import clean

TITLE, STUDY_TITLE = "fourcorners record 1", "fourcorners record 2"
MAX_RECORD_LENGTH = 1_000_000
MAX_EVENTS = 20_000
LAST_EVENTS = 10
"""The additional events that a record may have, so that a match at the limit can still be ended."""
MAX_VARIATION_DEPTH = 50
_HEADERS = (
    "game",
    "options",
    "position",
    "seats",
    "date",
    "result",
    "commitment",
    "deck",
    "nonce",
    "values",
    "seen by",
)
EVENT = re.compile(r"([1-9][0-9]{0,6}) ([0-9]{1,2}) (.+)", re.ASCII)
"""Matches a row with a number, a seat and a move or event."""
UNDO = re.compile(r"!undo (0|[1-9][0-9]{0,5})", re.ASCII)
"""Matches the event that takes moves back, with the number of remaining plies."""


class RecordLine(NamedTuple):
    """A seat and its event: a move, or a word that begins with `!`."""

    seat: int
    text: str


class StudyRow(NamedTuple):
    """A row without its indentation, its number in the text, from 1, and the number of events before it."""

    number: int
    event: int
    text: str


class ParsedText(NamedTuple):
    """The parts of a record's text: header, events and study rows.

    They are the header's values by name, the events and the numbers of their rows, and the study rows, whose brackets
    match.
    """

    header: Mapping[str, str]
    lines: tuple[RecordLine, ...]
    row_numbers: tuple[int, ...]
    study: tuple[StudyRow, ...]


def write(header: Mapping[str, str], lines: Iterable[RecordLine]) -> str:
    """Return a record's text: known header names in order, without empty values, and events numbered from 1.

    If the header has a position, the record has version 2: version 1 always begins at the start of the game.
    """
    title = STUDY_TITLE if header.get("position") else TITLE
    return _join_rows(title, header, [f"{number} {line.seat} {line.text}" for number, line in enumerate(lines, 1)])


def write_study(header: Mapping[str, str], rows: Iterable[str]) -> str:
    """Return the text of a record of version 2 with the header as `write` has it, and given rows after it."""
    return _join_rows(STUDY_TITLE, header, rows)


def _join_rows(title: str, header: Mapping[str, str], rows: Iterable[str]) -> str:
    """Return the text with a title, a header and the rows after it."""
    values = (f"{name}: {header[name]}" for name in _HEADERS if header.get(name))
    return "\n".join([title, *values, "", *rows]) + "\n"


def parse(text: object) -> ParsedText:
    """Parse a text into header, events and study rows, without checking their content.

    Rows are numbered from 1. A byte order mark, the kind of line ends, blank rows, and blanks around rows make no
    difference. Raise RecordError.
    """
    record = _clean_text(text)
    rows = [row.strip() for row in record.rstrip().split("\n")]
    first = next((index for index, row in enumerate(rows) if row), 0)
    title = _use_spaces(rows[first])
    if title not in {TITLE, STUDY_TITLE}:
        fail(first + 1, f"a record begins with {quote(TITLE)} or {quote(STUDY_TITLE)}, not with {quote(rows[first])}")
    # An empty row may also follow each row of the header.
    last = max((index for index in range(first, len(rows)) if _find_name(rows[index])), default=first)
    end = next((index for index in range(last + 1, len(rows)) if not rows[index]), len(rows))
    has_study = title == STUDY_TITLE
    events, study = _split_rows(rows, end + 1, has_study=has_study)
    lines: list[RecordLine] = []
    for index in events:
        found = EVENT.fullmatch(_use_spaces(rows[index]))
        if found is None:
            fail(index + 1, f"an event is a number, a seat and a move, such as '1 0 c4d4', not {quote(rows[index])}")
        if int(found[1]) != len(lines) + 1:
            fail(index + 1, f"events are numbered in order: the next one is {len(lines) + 1}, not {found[1]}")
        lines.append(RecordLine(int(found[2]), found[3]))
    header = _parse_header(rows[first + 1 : end], first + 2)
    if not has_study and "position" in header:
        fail(0, f"a record that starts from a given position begins with {quote(STUDY_TITLE)}")
    return ParsedText(header, tuple(lines), tuple(index + 1 for index in events), tuple(study))


def _clean_text(text: object) -> str:
    """Return the text of a record, cleaned; raise RecordError if it is not text or too long."""
    given = str.__str__(text) if isinstance(text, str) else None
    # Line ends may have two characters, which count once.
    record = None if given is None or len(given) > 2 * MAX_RECORD_LENGTH else clean(given)
    if record is None or len(record) > MAX_RECORD_LENGTH:
        fail(0, f"{quote(text)} is not a record: it must be text of at most {MAX_RECORD_LENGTH} characters")
    return record


def _use_spaces(row: str) -> str:
    """Return a row with spaces in place of the no-break spaces that some pages and mail programs insert."""
    return row.replace("\xa0", " ")


def _split_rows(rows: list[str], begin: int, *, has_study: bool) -> tuple[list[int], list[StudyRow]]:
    """Return the indices of the events and, if there are any, the study rows, from an index on; raise RecordError."""
    events: list[int] = []
    study: list[StudyRow] = []
    depth = 0
    for index in range(begin, len(rows)):
        text = rows[index]
        if not text:
            continue
        if not has_study or (depth == 0 and text[:1] not in {";", "*", "=", "(", ")"}):
            if len(events) == MAX_EVENTS + LAST_EVENTS:
                fail(index + 1, f"a record has at most {MAX_EVENTS} events")
            events.append(index)
            continue
        if not text.startswith(";"):
            text = _use_spaces(text)
        depth += text.startswith("(") - text.startswith(")")
        if depth < 0:
            fail(index + 1, "this ')' ends no variation: none has begun")
        if depth > MAX_VARIATION_DEPTH:
            fail(index + 1, f"variations may be nested {MAX_VARIATION_DEPTH} deep, not deeper")
        study.append(StudyRow(index + 1, len(events), text))
    if depth:
        fail(len(rows), f"the record ends before {depth} of its variations: a ')' is missing")
    return events, study


def _find_name(row: str) -> str:
    """Return the name with which a row of the header begins; empty for any other row."""
    name, colon, _ = row.partition(":")
    name = _use_spaces(name).strip()
    return name if colon and name in _HEADERS else ""


def _parse_header(rows: list[str], first: int) -> dict[str, str]:
    """Parse the rows of the header, numbered from `first`, into values by name; raise RecordError for a wrong row, or
    if there is no `game`.
    """
    header: dict[str, str] = {}
    for number, row in enumerate(rows, first):
        if not row:
            continue
        name, value = _find_name(row), row.partition(":")[2].strip()
        if not name:
            fail(number, f"a header line is one of {', '.join(_HEADERS)}, a colon and a value, not {quote(row)}")
        if name in header:
            fail(number, f"the header has {quote(name)} twice")
        header[name] = value
    if "game" not in header:
        fail(0, "the header names no game")
    return header


def parse_json(text: str, kind: type) -> Any:
    """Parse a header's value as JSON; raise RecordError unless it is of the `kind`, `list` or `dict`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        fail(0, f"{quote(text)} cannot be parsed as JSON")
    if type(value) is not kind:
        fail(0, f"{quote(text)} is not a JSON {'list' if kind is list else 'object'}")
    return value


def fail(line: int, message: str) -> NoReturn:
    """Raise RecordError for a line, counted from 1, or for the whole record (0)."""
    raise RecordError(line, message)
