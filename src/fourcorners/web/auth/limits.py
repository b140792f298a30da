"""How much one address or player may ask for: beyond that, 429 with the time to wait and one sentence."""

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

_ANSWERED_WITHIN = 1.0
_SPARED_FOR = 30.0
_logger = logging.getLogger(__name__)


class RateLimit(NamedTuple):
    """So many within such times: for one address, for one player, and for everybody together or one other thing."""

    sentence: str
    address: str = ""
    player: str = ""
    whole: str = ""


RATE_LIMITS = {
    "sign-in": RateLimit("Too many have tried to sign in from here; wait a little.", address="20/10 minutes"),
    # Against one account from many addresses: slow enough, and its owner is shut out by strangers for an hour at most.
    "account": RateLimit("Too often a wrong password was given for this account; wait a little.", whole="100/hour"),
    "register": RateLimit("Too many accounts were made from here; wait a while.", address="20/hour;60/day"),
    "password": RateLimit(
        "Too often a wrong password was given; wait a little.", address="30/10 minutes", player="10/10 minutes"
    ),
    "name": RateLimit(
        "The name was changed too often; wait a little.", address="120/10 minutes", player="30/10 minutes"
    ),
    "program": RateLimit("Too many secrets were made; wait a while.", player="20/hour"),
    "export": RateLimit("Your data was asked for too often; wait a while.", address="60/hour", player="10/hour"),
    "tables": RateLimit(
        "Too many games were begun in the last ten minutes; wait a little.",
        address="360/10 minutes",
        player="120/10 minutes",
        whole="3000/10 minutes",
    ),
    "chat": RateLimit("That is much talk at once; wait a little.", address="240/minute", player="20/minute"),
    "guests": RateLimit(
        "Too many guests came from here; wait a little.", address="120/10 minutes", whole="6000/10 minutes"
    ),
    "api": RateLimit(
        "That is more than this server answers in a minute; wait a little.", address="2400/minute", player="600/minute"
    ),
}


class RateLimitError(Exception):
    """More than may be asked for; `wait` is in seconds, the message a sentence."""

    def __init__(self, sentence: str, wait: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.wait = wait


class RateLimiter:
    """What was asked for, counted in memory, or in a Redis for many servers together."""

    def __init__(self, redis: str = "") -> None:
        self._memory = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._pool = _pool(redis) if redis else None
        self._shared = None if self._pool is None else SlidingWindowCounterRateLimiter(_storage(redis, self._pool))
        self._spared_until = 0.0
        self._rules = {what: _parsed(rule) for what, rule in RATE_LIMITS.items()}

    async def count(self, what: str, address: str = "", player: str = "", other: str = "") -> None:
        """Count one of what is limited, and raise TooOftenError if it is one too many.

        `other` is what else it is counted for, such as an account's name, instead of everybody together.
        """
        whose = {"address": normalise_address(address), "player": player, "whole": other or "all"}
        for kind, item in self._rules[what]:
            if whose[kind]:
                await self._hit(what, item, kind, whose[kind])

    async def close(self) -> None:
        """Leave the Redis."""
        if self._pool is not None:
            await self._pool.aclose()

    async def _hit(self, what: str, item: limits.RateLimitItem, kind: str, whose: str) -> None:
        shared = self._shared if time.monotonic() >= self._spared_until else None
        if shared is not None:
            try:
                async with asyncio.timeout(_ANSWERED_WITHIN):
                    await _hit(shared, what, item, kind, whose)
            except (StorageError, TimeoutError, OSError) as error:
                # Each server counts for itself meanwhile, as nobody should wait for what only protects.
                self._spared_until = time.monotonic() + _SPARED_FOR
                _logger.warning("limits are counted here alone for a while: %s", type(error).__name__)
            else:
                return
        await _hit(self._memory, what, item, kind, whose)


async def _hit(
    limiter: SlidingWindowCounterRateLimiter, what: str, item: limits.RateLimitItem, kind: str, whose: str
) -> None:
    if not await limiter.hit(item, what, kind, whose):
        stats = await limiter.get_window_stats(item, what, kind, whose)
        raise RateLimitError(RATE_LIMITS[what].sentence, max(1, math.ceil(stats.reset_time - time.time())))


async def enforce_rate_limit(connection: HTTPConnection, what: str, other: str = "") -> None:
    """Count what a request asks for; raise HTTPException if it is too much."""
    counted: RateLimiter = connection.app.state.limits
    try:
        await counted.count(what, get_client_address(connection), connection.scope["state"]["owner"], other)
    except RateLimitError as error:
        raise HTTPException(429, error.sentence, {"retry-after": str(error.wait)}) from None


def normalise_address(address: str) -> str:
    """Return what counts as one address: whole, or of the newer kind the half that a household is given.

    This machine's own counts as none: those are its operator, or a proxy that does not say for whom it asks.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback:
        return ""
    network = 32 if isinstance(parsed, ipaddress.IPv4Address) else 64
    return str(ipaddress.ip_network((parsed, network), strict=False))


def _parsed(rule: RateLimit) -> list[tuple[str, limits.RateLimitItem]]:
    kinds = ("address", "player", "whole")
    return [(kind, item) for kind in kinds if (text := getattr(rule, kind)) for item in limits.parse_many(text)]


def _pool(address: str) -> ConnectionPool:
    # Not everybody has the library, nor needs it.
    from redis.asyncio import ConnectionPool  # noqa: PLC0415

    waits = {"socket_timeout": _ANSWERED_WITHIN, "socket_connect_timeout": _ANSWERED_WITHIN}
    return ConnectionPool.from_url(address, **waits)


def _storage(address: str, pool: ConnectionPool) -> RedisStorage:
    options: dict[str, Any] = {"connection_pool": pool}
    return RedisStorage(
        f"async+{address}",
        # Errors of any client come as one kind.
        wrap_exceptions=True,
        implementation="redispy",
        key_prefix="fourcorners:limits",
        **options,
    )
