"""Configure logging: one line for each event, for people or as JSON, without secrets."""

import logging
import sys
import traceback
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from fourcorners.core.errors import GameError

LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("console", "json")
_FIELDS = ("table", "seat", "version", "kind", "code", "process", "count", "account", "network")
"""The only fields that are logged: no names of people, and no moves, because they may reveal hidden information.
`account` and `network` are those of `auth.security_log`.
"""
_OWN_LOGGER = "fourcorners"
_INFO_LIBRARIES = ("uvicorn", "uvicorn.error")
"""At level info these log when a server starts and stops, and each socket, which `_is_about_server` leaves out."""
_SERVER_MODULES = {"server", "on"}
_LIBRARIES = (*_INFO_LIBRARIES, "uvicorn.access", "httpx", "websockets", "asyncio", "sqlalchemy", "alembic", "ray")
"""At their lowest levels these log the contents of requests and messages, cookies included."""


def configure_logging(level: str, log_format: str, stream: TextIO | None = None) -> None:
    """Configure the root logger to write one line for each event to `stream`, or to stderr; replace its handlers.

    `level` is one of LEVELS (KeyError if unknown) and holds for this program's loggers; libraries log warnings and
    errors at most, uvicorn also starts and stops. `log_format` is one of FORMATS. Fields not in `_FIELDS` are dropped.
    """
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(_FIELDS),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _format_exception,
    ]
    renderer: Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    if log_format != "json":
        is_terminal = (sys.stderr if stream is None else stream).isatty()
        plain = structlog.dev.plain_traceback
        renderer = structlog.dev.ConsoleRenderer(colors=is_terminal, exception_formatter=plain)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer]
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    number = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(number, logging.INFO))
    logging.getLogger(_OWN_LOGGER).setLevel(number)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(max(number, logging.INFO if name in _INFO_LIBRARIES else logging.WARNING))
    for name in _INFO_LIBRARIES:
        logging.getLogger(name).addFilter(_is_about_server)


def _is_about_server(record: logging.LogRecord) -> bool:
    """Return whether a line of uvicorn is an error or about the server. Those about a connection name the client and
    the table, which for some tables is a secret, or warn of what any client can send, which would fill the disk.
    """
    return record.levelno >= logging.ERROR or record.module in _SERVER_MODULES


def _format_exception(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Replace `exc_info` of an event by the text `exception`: its traceback without local variables, and its message.

    A GameError loses its message, which quotes what a player entered, maybe a move. An event without an exception only
    loses `exc_info`, in place.
    """
    exc_info = event.pop("exc_info", None)
    if not isinstance(exc_info, tuple) or exc_info[1] is None:
        return event
    error = exc_info[1]
    summary = type(error).__name__ if isinstance(error, GameError) else f"{type(error).__name__}: {error}"
    return {**event, "exception": "".join(traceback.format_tb(error.__traceback__)) + summary}
