"""Connections to PostgreSQL that do not wait for ever."""

import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")
ANSWER_TIMEOUT = 12.0
"""Seconds to wait for an answer; PostgreSQL itself cancels statements before that, see `engine`."""


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is closed when an exchange has taken `answer_timeout` seconds and nothing more has arrived.

    TCP notices only a lost machine. A database that is paused, one that waits for its replica to confirm a commit, or
    one behind a proxy that has lost it would keep a thread waiting for ever, and the players with it.
    """

    answer_timeout = ANSWER_TIMEOUT

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Run one exchange with the database; raise OperationalError if it fails or takes too long."""
        return super().wait(self._limit(gen), *args, **kwargs)

    def _limit(self, exchange: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        """Pass an exchange on, step by step; close the connection and raise OperationalError when its time is over."""
        end = time.monotonic() + self.answer_timeout
        try:
            wanted = next(exchange)
            while True:
                ready = yield wanted
                # psycopg resumes this several times a second, with 0 if nothing has arrived. What has arrived counts,
                # however late: it may be this process that was paused.
                if not ready and time.monotonic() > end:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"no answer within {self.answer_timeout:g} seconds")
                wanted = exchange.send(ready)
        except StopIteration as stop:
            result: T = stop.value
            return result
