"""Logs: one line an event, for people or as JSON, with the ids of tables and seats, and nothing that is secret."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from fourcorners.core.errors import GameError

LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("console", "json")
_TOLD = ("table", "seat", "version", "kind", "code", "process", "count")
"""What may stand beside an event's words: no moves, as they may name what is hidden, and nobody's names."""
_OURS = "fourcorners"
_TALKATIVE = (
    "uvicorn",
    "uvicorn.error",
    "uvicorn.access",
    "httpx",
    "websockets",
    "asyncio",
    "sqlalchemy",
    "alembic",
    "ray",
)
"""At their lowest level these tell what requests and messages hold, cookies as well."""
_PLAIN = ("uvicorn", "uvicorn.error")
"""These say when a server begins and ends."""


def configure_logging(level: str, form: str, stream: TextIO | None = None) -> None:
    """Let this program, and the libraries that it uses, write its log in one way."""
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(_TOLD),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_values,
    ]
    last: Processor
    if form == "json":
        last = structlog.processors.JSONRenderer(ensure_ascii=False)
    else:
        plain = structlog.dev.plain_traceback
        last = structlog.dev.ConsoleRenderer(colors=_is_terminal(stream), exception_formatter=plain)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    number = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(number, logging.INFO))
    logging.getLogger(_OURS).setLevel(number)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(number, logging.INFO if name in _PLAIN else logging.WARNING))


def _is_terminal(stream: TextIO | None) -> bool:
    return (sys.stderr if stream is None else stream).isatty()


def _without_values(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Tell where something failed, and its words only if those quote nothing that was asked or played."""
    failure = event.pop("exc_info", None)
    if not isinstance(failure, tuple) or failure[1] is None:
        return event
    error = failure[1]
    words = type(error).__name__ if isinstance(error, GameError) else f"{type(error).__name__}: {error}"
    return {**event, "exception": "".join(traceback.format_tb(error.__traceback__)) + words}
