"""Rate limits by address and by player: beyond them, 429 with the seconds to wait and one sentence."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import math
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import limits
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import StorageError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from fourcorners.web.auth.identity import get_client_address

if TYPE_CHECKING:
    from redis.asyncio import ConnectionPool

_REDIS_TIMEOUT = 1.0
_REDIS_RETRY_DELAY = 30.0
_logger = logging.getLogger(__name__)


class RateLimit(NamedTuple):
    """How often something is allowed, in the notation of the package `limits`, e.g. "20/hour;60/day".

    The limits for one `address` and one `player` hold side by side. `total` holds for everybody together, or for one
    subject (see `RateLimiter.count`). `sentence` says what is too much; `RateLimitError` adds how long to wait.
    """

    sentence: str
    address: str = ""
    player: str = ""
    total: str = ""


RATE_LIMITS = {
    "sign-in": RateLimit("Too many sign-in attempts from this address.", address="20/10 minutes"),
    "register": RateLimit("Too many new accounts from this address.", address="20/hour;60/day"),
    "password": RateLimit("Too many password attempts.", address="30/10 minutes", player="10/10 minutes"),
    "name": RateLimit("Too many name changes.", address="120/10 minutes", player="30/10 minutes"),
    "program": RateLimit("Too many new API keys.", player="20/hour"),
    "export": RateLimit("Too many downloads of your data.", address="60/hour", player="10/hour"),
    "tables": RateLimit(
        "Too many new games in the last ten minutes.",
        address="360/10 minutes",
        player="120/10 minutes",
        total="3000/10 minutes",
    ),
    # A page that waits for an opponent asks every ten seconds.
    "pairing": RateLimit("Too many searches for an opponent.", address="480/10 minutes", player="120/10 minutes"),
    "chat": RateLimit("Too many messages.", address="240/minute", player="20/minute"),
    "guests": RateLimit("Too many new guests from this address.", address="120/10 minutes", total="6000/10 minutes"),
    "api": RateLimit("Too many requests.", address="2400/minute", player="600/minute"),
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
        """Count in the Redis at an address, or in memory if the address is empty; do not connect yet."""
        self._memory = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._pool: ConnectionPool | None = None
        self._shared: SlidingWindowCounterRateLimiter | None = None
        if redis:
            self._pool, self._shared = _create_redis_limiter(redis)
        self._retry_redis_at = 0.0
        self._rules = {name: _parse_limits(limit) for name, limit in RATE_LIMITS.items()}

    async def count(self, name: str, address: str = "", player: str = "", subject: str = "") -> None:
        """Count one request against the limit `name` (KeyError if unknown); raise RateLimitError if it is one too many.

        `address` is an IP address, `player` a player id; an empty one is not counted, nor is a loopback address. With a
        `subject`, such as an account's name, the total is counted for that subject instead of for everybody. These are
        counted in order; after an error those before have counted the request.
        """
        keys = {"address": normalise_address(address), "player": player, "total": subject or "all"}
        for kind, item in self._rules[name]:
            if keys[kind]:
                await self._count_with_fallback(item, name, kind, keys[kind])

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self._pool is not None:
            await self._pool.aclose()

    async def _count_with_fallback(self, item: limits.RateLimitItem, name: str, kind: str, key: str) -> None:
        """Count in Redis; without it, and `_REDIS_RETRY_DELAY` s after it failed, in memory. Raise RateLimitError."""
        if self._shared is not None and time.monotonic() >= self._retry_redis_at:
            try:
                async with asyncio.timeout(_REDIS_TIMEOUT):
                    await _count_at(self._shared, item, name, kind, key)
                    return
            except (StorageError, TimeoutError, OSError) as error:
                # Rate limits only protect the server, so a request does not have to wait for Redis.
                self._retry_redis_at = time.monotonic() + _REDIS_RETRY_DELAY
                _logger.warning("Redis failed; rate limits are counted in this process: %s", type(error).__name__)
        await _count_at(self._memory, item, name, kind, key)


async def _count_at(limiter: SlidingWindowCounterRateLimiter, item: limits.RateLimitItem, name: str, *key: str) -> None:
    """Count one request at a limiter; raise RateLimitError if the limit is exceeded, and errors of its storage."""
    if not await limiter.hit(item, name, *key):
        stats = await limiter.get_window_stats(item, name, *key)
        raise RateLimitError(RATE_LIMITS[name].sentence, max(1, math.ceil(stats.reset_time - time.time())))


async def enforce_rate_limit(connection: HTTPConnection, name: str, subject: str = "") -> None:
    """Count a request by its address and player, as `RateLimiter.count` does; raise HTTPException 429 if it exceeds."""
    limiter: RateLimiter = connection.app.state.limits
    try:
        await limiter.count(name, get_client_address(connection), connection.scope["state"]["owner"], subject)
    except RateLimitError as error:
        raise HTTPException(429, error.sentence, {"retry-after": str(error.retry_after)}) from None


def normalise_address(address: str) -> str:
    """Return the network that counts as one address, such as 203.0.113.7/32 or, for IPv6, 2001:db8::/64.

    Return "" for loopback addresses, which belong to the operator or to a proxy that does not forward addresses. Return
    text that is not an IP address unchanged. An IPv4 address mapped to IPv6 counts as IPv4.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback:
        return ""
    prefix = 32 if isinstance(parsed, ipaddress.IPv4Address) else 64
    return str(ipaddress.ip_network((parsed, prefix), strict=False))


def _write_wait(seconds: int) -> str:
    """Return a wait in the largest unit of which it has at least two, rounded up: "40 seconds", "2 minutes"."""
    sizes = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}
    unit = next((unit for unit, size in sizes.items() if seconds >= 2 * size), "second")
    count = math.ceil(seconds / sizes[unit])
    return f"{count} {unit}{'s' * (count > 1)}"


def _parse_limits(limit: RateLimit) -> list[tuple[str, limits.RateLimitItem]]:
    """List a limit's parts as (kind of key: address, player or total; parsed limit); raise ValueError."""
    kinds = ("address", "player", "total")
    return [(kind, item) for kind in kinds if (text := getattr(limit, kind)) for item in limits.parse_many(text)]


def _create_redis_limiter(address: str) -> tuple[ConnectionPool, SlidingWindowCounterRateLimiter]:
    """Return a pool of connections to Redis, not yet connected, and its limiter; ImportError without the package."""
    # Imported here because the package is optional.
    from redis.asyncio import ConnectionPool  # noqa: PLC0415

    pool = ConnectionPool.from_url(address, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT)
    # With `wrap_exceptions`, errors of every client library arrive as StorageError.
    options: dict[str, Any] = {"connection_pool": pool, "implementation": "redispy", "wrap_exceptions": True}
    storage = RedisStorage(f"async+{address}", key_prefix="fourcorners:limits", **options)
    return pool, SlidingWindowCounterRateLimiter(storage)
