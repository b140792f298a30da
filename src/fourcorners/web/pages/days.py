"""Days as pages write them, in UTC."""

from datetime import UTC, datetime


def format_day(at: float) -> str:
    """Write a Unix time as a day for people, such as "3 May 2026"."""
    day = datetime.fromtimestamp(at, UTC)
    return f"{day.day} {day:%B %Y}"


def format_iso_day(at: float) -> str:
    """Write a Unix time as a day for programs, such as "2026-05-03"."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()
