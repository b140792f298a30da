"""Rate limits by player and by network, an IPv4 /24 or an IPv6 /64: beyond them, 429 with the seconds to wait and one
sentence. The package `limits` counts, in memory or in the Redis that several servers share.
"""

from __future__ import annotations

import asyncio
import inspect
import ipaddress
import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import limits
from limits.aio.storage import RedisStorage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from fourcorners.core.plurals import pluralise
from fourcorners.web.auth.identity import get_client_address
from fourcorners.web.auth.windows import WindowStorage

if TYPE_CHECKING:
    from redis.asyncio import ConnectionPool

_REDIS_TIMEOUT = 1.0
_REDIS_RETRY_DELAY = 30.0
"""Seconds for which requests are counted in this process alone after a failure."""
_WAITS = (
    (86_400, "{} day", "{} days"),
    (3600, "{} hour", "{} hours"),
    (60, "{} minute", "{} minutes"),
    (1, "{} second", "{} seconds"),
)
_logger = logging.getLogger(__name__)


class RateLimit(NamedTuple):
    """How often something is allowed, in the notation of the package `limits`, e.g. "20/hour;60/day": from one
    `network`, by one `player`, by one `guest`, who is a player without an account, and by `all` together, which only
    makes sense for a subject. `sentence` says what is too much; `RateLimitError` adds how long to wait.
    """

    sentence: str
    network: str = ""
    player: str = ""
    guest: str = ""
    all: str = ""


_TOO_MANY_GUESSES = "Too many attempts to sign in to this account."
RATE_LIMITS = {
    "sign-in": RateLimit("Too many sign-in attempts from this network.", network="40/10 minutes"),
    # For each account: by a browser in which the owner has signed in before, and by all others.
    "device": RateLimit(_TOO_MANY_GUESSES, all="10/15 minutes"),
    "account": RateLimit(_TOO_MANY_GUESSES, network="5/15 minutes", all="30/2 hours"),
    "register": RateLimit("Too many new accounts from this network.", network="40/hour;120/day"),
    "password": RateLimit("Too many password attempts.", network="60/10 minutes", player="10/10 minutes"),
    "name": RateLimit("Too many name changes.", network="240/10 minutes", player="30/10 minutes"),
    "settings": RateLimit("Too many changes of settings.", network="240/10 minutes", player="30/10 minutes"),
    "program": RateLimit("Too many new API keys.", player="20/hour"),
    "export": RateLimit("Too many downloads of your data.", network="120/hour", player="10/hour"),
    "tables": RateLimit(
        "Too many new games in the last ten minutes.",
        network="720/10 minutes",
        player="120/10 minutes",
        guest="60/10 minutes",
    ),
    # A page that waits for an opponent asks every ten seconds.
    "pairing": RateLimit("Too many searches for an opponent.", network="960/10 minutes", player="120/10 minutes"),
    "reviews": RateLimit("Too many reviews.", network="120/10 minutes", player="20/10 minutes"),
    "attempts": RateLimit("Too many moves to judge.", network="720/10 minutes", player="120/10 minutes"),
    "puzzles": RateLimit("Too many puzzles.", network="1200/10 minutes", player="300/10 minutes"),
    "sets": RateLimit("Too many sets of puzzles.", network="80/hour", player="20/hour"),
    # For each set. A class behind one address fits in, and what a stranger adds leaves room for it (`MAX_PUPILS`).
    "pupils": RateLimit("Too many new names from this network.", network="40/hour"),
    # A page of another site may show several, and all its readers come without cookies.
    "embeds": RateLimit("Too many pages in the last minute.", network="2400/minute"),
    # A reader who steps quickly asks a few times a second.
    "engine": RateLimit("Too many questions to the engine.", network="1920/minute", player="120/minute"),
    "shares": RateLimit("Too many shared analyses.", network="60/hour;120/day", player="30/hour;60/day"),
    "pictures": RateLimit("Too many pictures.", network="480/10 minutes", player="120/10 minutes"),
    "chat": RateLimit("Too many messages.", network="480/minute", player="20/minute"),
    "guests": RateLimit("Too many new guests from this network.", network="240/10 minutes"),
    "api": RateLimit("Too many requests.", network="4800/minute", player="600/minute"),
    "pages": RateLimit("Too many pages in the last minute.", network="1200/minute", player="120/minute"),
    # The lobby asks every three seconds.
    "lists": RateLimit("Too many requests.", network="4800/minute", player="120/minute"),
    "check": RateLimit("Too many changes in this form.", network="2400/minute", player="240/minute"),
}


class RateLimitError(Exception):
    """A rate limit is exceeded; `sentence` tells people why and how long to wait, `retry_after` is in seconds."""

    def __init__(self, cause: str, retry_after: int) -> None:
        """Build the sentence, which is the message as well, from a limit's own and the seconds to wait, at least 1."""
        self.sentence = f"{cause} Try again in {_write_wait(retry_after)}."
        self.retry_after = retry_after
        super().__init__(self.sentence)


class RateLimiter:
    """Counts requests in memory or, for several servers together, in Redis."""

    def __init__(self, redis: str = "") -> None:
        """Count in the Redis at an address, or in memory if that is empty; do not connect yet."""
        self._memory = FixedWindowRateLimiter(WindowStorage())
        self._pool: ConnectionPool | None = None
        self._shared: FixedWindowRateLimiter | None = None
        if redis:
            self._pool, storage = _create_redis_storage(redis)
            self._shared = FixedWindowRateLimiter(storage)
        self._retry_shared_at = 0.0
        self._rules = {name: _parse_limits(limit) for name, limit in RATE_LIMITS.items()}

    async def count(self, name: str, address: str = "", player: str = "", guest: str = "", subject: str = "") -> None:
        """Count one request against the limit `name` (KeyError if unknown); raise RateLimitError if it is one too many.

        Requests about different subjects count separately. `address` is an IP address; `player` and `guest` are a
        player's id, `guest` only for a player without an account. Empty values and loopback addresses are not counted.
        A refused request counts nowhere, unless others arrive at the same moment.
        """
        keys = {"network": find_network(address), "player": player, "guest": guest, "all": "all"}
        counted = [(item, (name, subject, kind, keys[kind])) for kind, item in self._rules[name] if keys[kind]]
        if self._shared is not None and time.monotonic() >= self._retry_shared_at:
            try:
                async with asyncio.timeout(_REDIS_TIMEOUT):
                    wait = await _count_all(self._shared, counted)
            except (StorageError, TimeoutError, OSError) as error:
                # Rate limits only protect the server, so no request waits for Redis.
                self._retry_shared_at = time.monotonic() + _REDIS_RETRY_DELAY
                _logger.warning("Redis failed; rate limits are counted in this process: %s", type(error).__name__)
                wait = await _count_all(self._memory, counted)
        else:
            wait = await _count_all(self._memory, counted)
        if wait > 0:
            raise RateLimitError(RATE_LIMITS[name].sentence, math.ceil(wait))

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self._pool is not None:
            await self._pool.aclose()


async def _count_all(
    limiter: FixedWindowRateLimiter, counted: Sequence[tuple[limits.RateLimitItem, tuple[str, ...]]]
) -> float:
    """Count one request at limits with their keys and return 0, or count nothing and return the seconds to wait; a
    request that is refused only because of another at the same moment may count at some. Raise errors of the storage.
    """
    windows = [await limiter.get_window_stats(item, *keys) for item, keys in counted]
    full = [window.reset_time - time.time() for window in windows if not window.remaining]
    if full:
        return max(1.0, *full)
    added = [await limiter.hit(item, *keys) for item, keys in counted]
    return 0.0 if all(added) else 1.0


async def enforce_rate_limit(connection: HTTPConnection, name: str, subject: str = "") -> None:
    """Count a request by its address and player, and raise, as `RateLimiter.count` does."""
    limiter: RateLimiter = connection.app.state.limits
    player, session = connection.scope["state"]["owner"], connection.scope["state"]["session"]
    await limiter.count(name, get_client_address(connection), player, find_guest(player, session), subject)


def limit_rate(
    name: str, endpoint: Callable[[Request], Response | Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that calls another one, in a thread unless it is a coroutine function, unless that exceeds a
    rate limit: RateLimitError.
    """

    async def enforce_and_answer(request: Request) -> Response:
        await enforce_rate_limit(request, name)
        if inspect.iscoroutinefunction(endpoint):
            return cast("Response", await endpoint(request))
        return cast("Response", await run_in_threadpool(endpoint, request))

    return enforce_and_answer


def find_guest(player: str, session: str) -> str:
    """Return the player if it is a guest, whose id is the hash of the secret that makes its session, otherwise ""."""
    return player if player == session else ""


def find_network(address: str) -> str:
    """Return the network that rate limits count, such as 203.0.113.0/24 or 2001:db8::/64.

    Return "" for loopback addresses, which belong to the operator or to a proxy that does not forward addresses. Return
    text that is not an IP address unchanged. An IPv4 address mapped to IPv6 counts as IPv4.
    """
    return _mask(address, {4: 24, 6: 64})


def normalise_address(address: str) -> str:
    """Return the network of one host: 203.0.113.7/32, or a /64 as `find_network`."""
    return _mask(address, {4: 32, 6: 64})


def find_wide_network(address: str) -> str:
    """Return the network that shares places and turns, 203.0.113.0/24 or 2001:db8::/48, as `find_network` does."""
    return _mask(address, {4: 24, 6: 48})


def _mask(address: str, prefixes: dict[int, int]) -> str:
    """Return the network around an address, given the length of its prefix by IP version."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    return "" if parsed.is_loopback else str(ipaddress.ip_network((parsed, prefixes[parsed.version]), strict=False))


def _write_wait(seconds: int) -> str:
    """Return a wait in the largest unit of which it has at least two, rounded up: "40 seconds", "2 minutes"."""
    size, one, other = next((wait for wait in _WAITS if seconds >= 2 * wait[0]), _WAITS[-1])
    return pluralise(math.ceil(seconds / size), one, other)


def _parse_limits(limit: RateLimit) -> list[tuple[str, limits.RateLimitItem]]:
    """List a limit's parts as (name of the field of RateLimit, parsed limit); raise ValueError."""
    texts = [(kind, text) for kind, text in limit._asdict().items() if kind != "sentence" and text]
    return [(kind, item) for kind, text in texts for item in limits.parse_many(text)]


def _create_redis_storage(address: str) -> tuple[ConnectionPool, RedisStorage]:
    """Return a pool of connections to Redis, not yet connected, and its storage; ImportError without the package."""
    # Imported here because the package is optional.
    from redis.asyncio import ConnectionPool  # noqa: PLC0415  # an optional dependency

    pool = ConnectionPool.from_url(address, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT)
    # With `wrap_exceptions`, errors of every client library arrive as StorageError.
    options: dict[str, Any] = {"connection_pool": pool, "implementation": "redispy", "wrap_exceptions": True}
    scheme = "async+redis+" if address.startswith("unix:") else "async+"
    return pool, RedisStorage(f"{scheme}{address}", key_prefix="fourcorners:limits", **options)
