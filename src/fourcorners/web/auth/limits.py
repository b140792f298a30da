"""Rate limits by network and by player: beyond them, 429 with the seconds to wait and one sentence.

Networks are nested: a /64 lies in a /56, and that in a /48. Each layer has its limit. What all networks together may do
is shared fairly between them, so that nobody can use up what a newcomer from another network needs.
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
from limits.errors import StorageError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from fourcorners.web.auth.identity import get_client_address
from fourcorners.web.auth.windows import MemoryWindows, Usage, WindowStorage, read_usage

if TYPE_CHECKING:
    from redis.asyncio import ConnectionPool

_LAYERS = {4: ((24, 4), (32, 1)), 6: ((48, 4), (56, 2), (64, 1))}
"""By IP version the layers of networks, the widest first: the length of the prefix, and how many times as much as one
address or /64 network it may do."""
_SHARE = 0.25
"""The share of what is left of a capacity that one network of the widest layer may have used: alone a fifth of all."""
_ALWAYS_SERVED = 3
"""As many requests of a network of the widest layer are served, however much others have used of a capacity."""
_UNLIMITED = 2**31
_REDIS_TIMEOUT = 1.0
_REDIS_RETRY_DELAY = 30.0
"""Seconds for which requests are counted in this process alone after a failure."""
_logger = logging.getLogger(__name__)


class RateLimit(NamedTuple):
    """How often something is allowed, in the notation of the package `limits`, e.g. "20/hour;60/day".

    All limits hold side by side: those for one `address` and, multiplied as `_LAYERS` says, for the networks around it;
    for the widest of these networks alone (`network`); for one `player`; and one `guest`, who is a player without an
    account.
    `capacity` is for all networks together, which share it fairly. `sentence` says what is too much; `RateLimitError`
    adds how long to wait.
    """

    sentence: str
    address: str = ""
    network: str = ""
    player: str = ""
    guest: str = ""
    capacity: str = ""


RATE_LIMITS = {
    "sign-in": RateLimit("Too many sign-in attempts from this address.", address="20/10 minutes"),
    "register": RateLimit("Too many new accounts from this address.", address="20/hour;60/day"),
    "password": RateLimit("Too many password attempts.", address="30/10 minutes", player="10/10 minutes"),
    "name": RateLimit("Too many name changes.", address="120/10 minutes", player="30/10 minutes"),
    "settings": RateLimit("Too many changes of settings.", address="120/10 minutes", player="30/10 minutes"),
    "program": RateLimit("Too many new API keys.", player="20/hour"),
    "export": RateLimit("Too many downloads of your data.", address="60/hour", player="10/hour"),
    "tables": RateLimit(
        "Too many new games in the last ten minutes.",
        address="360/10 minutes",
        player="120/10 minutes",
        guest="60/10 minutes",
        capacity="3000/10 minutes",
    ),
    # A page that waits for an opponent asks every ten seconds.
    "pairing": RateLimit("Too many searches for an opponent.", address="480/10 minutes", player="120/10 minutes"),
    "reviews": RateLimit(
        "Too many reviews.", address="60/10 minutes", player="20/10 minutes", capacity="400/10 minutes"
    ),
    "attempts": RateLimit(
        "Too many moves to judge.", address="360/10 minutes", player="120/10 minutes", capacity="4000/10 minutes"
    ),
    "puzzles": RateLimit(
        "Too many puzzles.", address="600/10 minutes", player="300/10 minutes", capacity="12000/10 minutes"
    ),
    "sets": RateLimit("Too many sets of puzzles.", address="40/hour", player="20/hour", capacity="600/hour"),
    # For each set. A class behind one address fits in, and what a stranger adds leaves room for it (`MAX_PUPILS`).
    "pupils": RateLimit("Too many new names from this network.", network="40/hour"),
    # A page of another site may show several, and all its readers come without cookies.
    "embeds": RateLimit("Too many pages in the last minute.", address="1200/minute"),
    # Somebody who steps quickly asks a few times a second.
    "engine": RateLimit("Too many questions to the engine.", address="960/minute", player="120/minute"),
    "shares": RateLimit(
        "Too many shared analyses.", address="30/hour;60/day", player="30/hour;60/day", capacity="2000/hour"
    ),
    "pictures": RateLimit(
        "Too many pictures.", address="240/10 minutes", player="120/10 minutes", capacity="3000/10 minutes"
    ),
    "chat": RateLimit("Too many messages.", address="240/minute", player="20/minute"),
    "guests": RateLimit("Too many new guests from this address.", address="120/10 minutes", capacity="6000/10 minutes"),
    "api": RateLimit("Too many requests.", address="2400/minute", player="600/minute"),
    "pages": RateLimit("Too many pages in the last minute.", address="600/minute", player="120/minute"),
    # The lobby asks every three seconds.
    "lists": RateLimit("Too many requests.", address="2400/minute", player="120/minute"),
    "check": RateLimit("Too many changes in this form.", address="1200/minute", player="240/minute"),
}


class RateLimitError(Exception):
    """A rate limit is exceeded; `sentence` tells people why and how long to wait, `retry_after` is in seconds."""

    def __init__(self, cause: str, retry_after: int) -> None:
        """Build the sentence, which is the message as well, from a limit's own and the seconds to wait, at least 1."""
        self.sentence = f"{cause} Try again in {_write_wait(retry_after)}."
        self.retry_after = retry_after
        super().__init__(self.sentence)


class _Quota(NamedTuple):
    """A limit for one key, such as that of a network: `amount` requests in `expiry` seconds.

    A capacity is no limit itself, but is shared between networks: `shares` are their keys, the widest layer first.
    """

    key: str
    amount: int
    expiry: int
    shares: tuple[str, ...] = ()


class RateLimiter:
    """Counts requests in memory or, for several servers together, in Redis."""

    def __init__(self, redis: str = "") -> None:
        """Count in the Redis at an address, or in memory if that is empty; do not connect yet."""
        self._memory = MemoryWindows()
        self._pool: ConnectionPool | None = None
        self._shared: WindowStorage | None = None
        if redis:
            self._pool, self._shared = _create_redis_storage(redis)
        self._retry_shared_at = 0.0
        self._is_failing = False
        self._rules = {name: _parse_limits(limit) for name, limit in RATE_LIMITS.items()}

    async def count(self, name: str, address: str = "", player: str = "", guest: str = "", subject: str = "") -> None:
        """Count one request against the limit `name` (KeyError if unknown); raise RateLimitError if it is one too many.
        Requests about different subjects count separately.

        `address` is an IP address, `player` and `guest` a player's id, the second only without an account. What is
        empty is not counted, nor is a loopback address. A refused request counts nowhere, unless others came at the
        same moment.
        """
        counted = f"{name}/{subject}" if subject else name
        quotas = _list_quotas(counted, self._rules[name], list_networks(address), (player, guest))
        if self._shared is not None and time.monotonic() >= self._retry_shared_at:
            try:
                async with asyncio.timeout(_REDIS_TIMEOUT):
                    await _count_at(self._shared, name, quotas)
            except (StorageError, TimeoutError, OSError) as error:
                # Rate limits only protect the server, so a request does not have to wait for others.
                self._note_failure(error)
            else:
                self._is_failing = False
                return
        await _count_at(self._memory, name, quotas)

    def _note_failure(self, error: Exception) -> None:
        """Count in this process for a while; log the first failure only."""
        self._retry_shared_at = time.monotonic() + _REDIS_RETRY_DELAY
        if not self._is_failing:
            _logger.warning("Redis failed; rate limits are counted in this process: %s", type(error).__name__)
        self._is_failing = True

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self._pool is not None:
            await self._pool.aclose()


async def _count_at(storage: WindowStorage, name: str, quotas: Sequence[_Quota]) -> None:
    """Count one request at all quotas, or raise RateLimitError and count nothing; one that is refused only because of
    another at the same moment may count at some of them. Raise errors of the storage.
    """
    expiries = {key: quota.expiry for quota in quotas for key in (quota.key, *quota.shares)}
    read = await asyncio.gather(*(read_usage(storage, *window) for window in expiries.items()))
    usages = dict(zip(expiries, read, strict=True))
    wait = max((_compute_wait(quota, usages) for quota in quotas), default=0.0)
    if wait > 0:
        raise RateLimitError(RATE_LIMITS[name].sentence, max(1, math.ceil(wait)))
    # Requests that were read at the same moment may together exceed a limit.
    amounts = {quota.key: quota.amount for quota in quotas if not quota.shares}
    add = storage.acquire_sliding_window_entry
    added = await asyncio.gather(*(add(key, amounts.get(key, _UNLIMITED), expiry) for key, expiry in expiries.items()))
    if not all(added):
        raise RateLimitError(RATE_LIMITS[name].sentence, 1)


def _compute_wait(quota: _Quota, usages: dict[str, Usage]) -> float:
    """Return the seconds until one more request is within a quota, 0 if it is now.

    The share of a network in a capacity shrinks as the capacity fills up, as the thresholds of a switch with shared
    memory do (Choudhury and Hahne 1998): of what is left, the widest layer may have used `_SHARE`, and each layer below
    as much as the one around it has left. So something is always left for others, in every layer.
    """
    usage = usages[quota.key]
    if not quota.shares:
        return usage.compute_wait(quota.amount)
    allowed, wait = _SHARE * (quota.amount - usage.total), 0.0
    for key in quota.shares:
        used = usages[key]
        allowed = max(_ALWAYS_SERVED, allowed)
        wait = max(wait, used.compute_wait(allowed))
        allowed -= used.total
    return wait


def _list_quotas(
    name: str,
    rules: Sequence[tuple[str, limits.RateLimitItem]],
    networks: Sequence[tuple[str, int]],
    others: tuple[str, str],
) -> list[_Quota]:
    """List the quotas of one request. `networks` are those around its address, the widest first, none for this machine;
    `others` are the player and the guest.
    """
    keys = dict(zip(("player", "guest"), others, strict=True))
    quotas = []
    for kind, item in rules:
        expiry = item.get_expiry()
        prefix = f"{name}/{kind}/{expiry}"
        if kind == "address":
            quotas += [_Quota(f"{prefix}/{network}", factor * item.amount, expiry) for network, factor in networks]
        elif kind == "network":
            quotas += [_Quota(f"{prefix}/{network}", item.amount, expiry) for network, _ in networks[:1]]
        elif kind == "capacity" and networks:
            quotas.append(_Quota(prefix, item.amount, expiry, tuple(f"{prefix}/{network}" for network, _ in networks)))
        elif keys.get(kind):
            quotas.append(_Quota(f"{prefix}/{keys[kind]}", item.amount, expiry))
    return quotas


async def enforce_rate_limit(connection: HTTPConnection, name: str, subject: str = "") -> None:
    """Count a request by its address and player, as `RateLimiter.count` does; raise HTTPException 429 if it exceeds."""
    limiter: RateLimiter = connection.app.state.limits
    player, session = connection.scope["state"]["owner"], connection.scope["state"]["session"]
    try:
        address, guest = get_client_address(connection), find_guest(player, session)
        await limiter.count(name, address, player, guest, subject)
    except RateLimitError as error:
        raise HTTPException(429, error.sentence, {"retry-after": str(error.retry_after)}) from None


def limit_rate(
    name: str, endpoint: Callable[[Request], Response | Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that calls another one, in a thread unless it is a coroutine function, unless that exceeds a
    rate limit: HTTPException 429.
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


def normalise_address(address: str) -> str:
    """Return the network that counts as one address, such as 203.0.113.7/32 or, for IPv6, 2001:db8::/64.

    Return "" for loopback addresses, which belong to the operator or to a proxy that does not forward addresses. Return
    text that is not an IP address unchanged. An IPv4 address mapped to IPv6 counts as IPv4.
    """
    networks = list_networks(address)
    return networks[-1][0] if networks else ""


def find_wide_network(address: str) -> str:
    """Return the widest network around an address that has a limit; "" where `list_networks` is empty."""
    networks = list_networks(address)
    return networks[0][0] if networks else ""


def list_networks(address: str) -> list[tuple[str, int]]:
    """List the networks around an address, the widest first, each with its factor (see `_LAYERS`).

    The last one is that of `normalise_address`; the list is empty where that is.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return [(address, 1)] if address else []
    if isinstance(parsed, ipaddress.IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback:
        return []
    layers = _LAYERS[parsed.version]
    return [(str(ipaddress.ip_network((parsed, prefix), strict=False)), factor) for prefix, factor in layers]


def _write_wait(seconds: int) -> str:
    """Return a wait in the largest unit of which it has at least two, rounded up: "40 seconds", "2 minutes"."""
    sizes = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}
    unit = next((unit for unit, size in sizes.items() if seconds >= 2 * size), "second")
    count = math.ceil(seconds / sizes[unit])
    return f"{count} {unit}{'s' * (count > 1)}"


def _parse_limits(limit: RateLimit) -> list[tuple[str, limits.RateLimitItem]]:
    """List a limit's parts as (name of the field of RateLimit, parsed limit); raise ValueError."""
    texts = [(kind, text) for kind, text in limit._asdict().items() if kind != "sentence" and text]
    return [(kind, item) for kind, text in texts for item in limits.parse_many(text)]


def _create_redis_storage(address: str) -> tuple[ConnectionPool, WindowStorage]:
    """Return a pool of connections to Redis, not yet connected, and its storage; ImportError without the package."""
    # Imported here because the package is optional.
    from redis.asyncio import ConnectionPool  # noqa: PLC0415

    pool = ConnectionPool.from_url(address, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT)
    # With `wrap_exceptions`, errors of every client library arrive as StorageError.
    options: dict[str, Any] = {"connection_pool": pool, "implementation": "redispy", "wrap_exceptions": True}
    scheme = "async+redis+" if address.startswith("unix:") else "async+"
    return pool, RedisStorage(f"{scheme}{address}", key_prefix="fourcorners:limits", **options)
