"""Rate limits in memory and in Redis, and the answers to requests that exceed them."""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx
import pytest

from fourcorners.web.auth import limits
from fourcorners.web.auth.limits import (
    RateLimit,
    RateLimiter,
    RateLimitError,
    find_network,
    find_wide_network,
    normalise_address,
)
from fourcorners.web.auth.windows import WindowStorage
from tests.servers import run_redis
from tests.web.accounts import register
from tests.web.client import StartServer

CreateLimiters = Callable[[], tuple[RateLimiter, RateLimiter]]
CountRequests = Callable[[CreateLimiters, list[dict[str, Any]]], Awaitable[list[bool]]]
LIMITS = {
    "try": RateLimit("Too much.", network="3/hour", player="2/hour"),
    "guest": RateLimit("Too much for a guest.", guest="1/hour"),
    "each": RateLimit("Too much for all.", all="2/hour"),
}


@pytest.fixture(scope="module")
def redis_address() -> Iterator[str]:
    """Yield the address of a Redis server, which runs for all tests of this module; no test clears it."""
    with run_redis() as address:
        yield address


@pytest.fixture(params=["memory", "redis"])
def create_limiters(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> CreateLimiters:
    """Return a function that creates the limiters of two servers that share a Redis, or one in memory, given twice.

    They know only `LIMITS`, under names that end with the name of the test, because all tests share one Redis.
    """
    monkeypatch.setattr(limits, "RATE_LIMITS", {f"{name} {request.node.name}": limit for name, limit in LIMITS.items()})
    if request.param == "memory":
        return lambda: (RateLimiter(),) * 2
    # A busy machine may need more than the second after which a server counts alone.
    monkeypatch.setattr(limits, "_REDIS_TIMEOUT", 60.0)
    address = request.getfixturevalue("redis_address")
    return lambda: (RateLimiter(address), RateLimiter(address))


@pytest.fixture
def count_requests(request: pytest.FixtureRequest) -> CountRequests:
    """Return a function that counts requests at two limiters in turn and returns which were accepted, in order.

    Its arguments are a `CreateLimiters` and the requests, each as keyword arguments of `RateLimiter.count`; `name`,
    which is removed from a request, is a key of `LIMITS`, by default "try". It also asserts that each error has the
    limit's sentence and the seconds to wait, and closes the limiters.
    """

    async def count_all(create: CreateLimiters, requests: list[dict[str, Any]]) -> list[bool]:
        limiters, accepted = create(), []
        async with contextlib.AsyncExitStack() as stack:
            for limiter in set(limiters):
                stack.push_async_callback(limiter.close)
            for number, arguments in enumerate(requests):
                name = f"{arguments.pop('name', 'try')} {request.node.name}"
                try:
                    await limiters[number % 2].count(name, **arguments)
                except RateLimitError as error:
                    assert error.sentence.startswith(f"{limits.RATE_LIMITS[name].sentence} Try again in ")
                    assert 1 <= error.retry_after <= 3600
                    accepted.append(False)
                else:
                    accepted.append(True)
        return accepted

    return count_all


async def test_requests_of_one_player_from_several_addresses_are_limited(
    create_limiters: CreateLimiters, count_requests: CountRequests
) -> None:
    requests = [{"address": f"203.0.{number}.1", "player": "p"} for number in range(4)]
    requests.append({"address": "203.0.3.1", "player": "q"})
    assert await count_requests(create_limiters, requests) == [True, True, False, False, True]


@pytest.mark.parametrize(
    ("network", "other"), [("203.0.113.{:d}", "203.0.114.1"), ("2001:db8::{:x}", "2001:db8:0:1::1")]
)
async def test_requests_of_several_players_from_one_network_are_limited(
    create_limiters: CreateLimiters, count_requests: CountRequests, network: str, other: str
) -> None:
    requests = [{"address": network.format(number), "player": f"p{number}"} for number in range(1, 6)]
    requests.append({"address": other, "player": "r"})
    assert await count_requests(create_limiters, requests) == [True, True, True, False, False, True]


async def test_each_subject_has_its_own_limit(create_limiters: CreateLimiters, count_requests: CountRequests) -> None:
    requests = [{"name": "each", "subject": subject} for subject in "aabab"]
    assert await count_requests(create_limiters, requests) == [True, True, True, False, True]


async def test_guests_have_their_own_limits(create_limiters: CreateLimiters, count_requests: CountRequests) -> None:
    requests = [{"name": "guest", "player": "p", "guest": guest} for guest in ("p", "p", "q", "", "")]
    assert await count_requests(create_limiters, requests) == [True, False, True, True, True]


async def test_refused_requests_count_nowhere(create_limiters: CreateLimiters, count_requests: CountRequests) -> None:
    """Otherwise one player could use up the limit of its network with requests that are refused."""
    requests = [{"address": "203.0.113.7", "player": "p"}] * 40 + [{"address": "203.0.113.8", "player": "q"}] * 2
    assert await count_requests(create_limiters, requests) == [True] * 2 + [False] * 38 + [True, False]


async def test_the_own_machine_is_not_limited(create_limiters: CreateLimiters, count_requests: CountRequests) -> None:
    assert all(await count_requests(create_limiters, [{"address": "127.0.0.1"} for _ in range(20)]))


async def test_requests_at_the_same_moment_do_not_exceed_a_limit(create_limiters: CreateLimiters, request: Any) -> None:
    limiter = create_limiters()[0]
    counted = (limiter.count(f"try {request.node.name}", "2001:db8:7::1") for _ in range(20))
    results = await asyncio.gather(*counted, return_exceptions=True)
    await limiter.close()
    assert all(result is None or isinstance(result, RateLimitError) for result in results)
    assert results.count(None) == 3


async def test_unreachable_redis_is_replaced_by_memory(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, count_requests: CountRequests
) -> None:
    # `count_requests` adds the test's name to the names of limits.
    monkeypatch.setattr(limits, "RATE_LIMITS", {f"try {request.node.name}": LIMITS["try"]})
    # Nothing listens on port 1.
    limiter = RateLimiter("redis://127.0.0.1:1/0")
    assert await count_requests(lambda: (limiter, limiter), [{"player": "p"} for _ in range(3)]) == [True, True, False]


def test_ipv4_address_counts_alone_and_ipv6_addresses_by_network() -> None:
    assert normalise_address("203.0.113.7") == normalise_address("::ffff:203.0.113.7") == "203.0.113.7/32"
    assert normalise_address("2001:db8::1%eth0") == find_network("2001:db8::2") == "2001:db8::/64"
    assert find_network("203.0.113.7") == find_wide_network("203.0.113.9") == "203.0.113.0/24"
    assert find_wide_network("2001:db8::1") == "2001:db8::/48"


async def test_memory_forgets_windows_that_are_past(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("fourcorners.web.auth.windows.time.time", lambda: now)
    storage = WindowStorage()

    async def use(key: str) -> tuple[int, int, float]:
        """Count one request in ten seconds; return the count twice, and when the window ends."""
        return await storage.incr(key, 10), await storage.get(key), await storage.get_expiry(key)

    assert await use("a") == (1, 1, 1010.0)
    now = 1009.0
    assert await use("a") == (2, 2, 1010.0)
    assert await use("b") == (1, 1, 1019.0)
    now = 1010.0
    assert await storage.get("a") == 0
    assert await use("c") == (1, 1, 1020.0)
    assert set(storage._windows[10]) == {"b", "c"}
    assert await use("a") == (1, 1, 1020.0)


def test_loopback_and_missing_addresses_are_empty_and_other_texts_stay() -> None:
    loopback = ("127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "")
    assert {normalise_address(address) for address in loopback} == {""}
    assert normalise_address("testclient") == "testclient"


@pytest.mark.parametrize(
    ("seconds", "wait"),
    [
        (1, "1 second"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (121, "3 minutes"),
        (7199, "120 minutes"),
        (7201, "3 hours"),
        (172_800, "2 days"),
    ],
)
def test_sentence_ends_with_the_time_to_wait_rounded_up(seconds: int, wait: str) -> None:
    error = RateLimitError("Too much.", seconds)
    assert (error.sentence, error.retry_after) == (f"Too much. Try again in {wait}.", seconds)


def test_every_limit_can_be_parsed_and_has_a_sentence() -> None:
    for name, limit in limits.RATE_LIMITS.items():
        assert re.fullmatch(r"Too many [^.]*\.", limit.sentence)
        assert any(limit[1:]), name
    # It parses all of them, and raises ValueError if it cannot.
    RateLimiter()


def set_limit(monkeypatch: pytest.MonkeyPatch, name: str, **limit: str) -> None:
    """Replace a rate limit but for its sentence, before the server starts; what `limit` does not name is unlimited.

    Limits are per day, so that no window ends during a test.
    """
    monkeypatch.setitem(limits.RATE_LIMITS, name, RateLimit(limits.RATE_LIMITS[name].sentence, **limit))


def assert_limited(answer: httpx.Response, sentence: str) -> None:
    """Assert that an answer is an error page with status 429 that says how long to wait and has `sentence`."""
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 86_400
    assert sentence in answer.text
    assert re.search(r"Try again in \d+ (second|minute|hour|day)s?\.", answer.text)
    assert "<h1>" in answer.text


def test_sign_in_attempts_are_limited_by_network(start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "sign-in", network="3/day")
    server = start_cold()

    def sign_in(address: str, name: str) -> httpx.Response:
        """Try to sign in to an account that does not exist, from an address that the trusted proxy forwards."""
        form, head = {"name": name, "password": "guess"}, {"x-forwarded-for": address}
        return httpx.post(f"{server.url}/account/sign-in", data=form, headers=head)

    for number in range(3):
        assert sign_in("203.0.113.1", f"name{number}").status_code == 422
    assert_limited(sign_in("203.0.113.1", "anna"), "sign-in attempts from this network")
    assert sign_in("198.51.100.1", "anna").status_code == 422


def test_forwarded_address_of_an_untrusted_proxy_is_ignored(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, "name", player="3/day", network="1/day")
    server = start_cold(proxies="192.0.2.1")
    with httpx.Client(base_url=server.url) as http:
        answers = [
            http.post("/account/name", data={"guest-name": "Ann"}, headers={"x-forwarded-for": "203.0.113.1"})
            for _ in range(4)
        ]
    # The test's own address, loopback, is not limited. The forwarded one would be limited after one request.
    assert [answer.status_code for answer in answers] == [303, 303, 303, 429]


def test_registrations_from_one_network_are_limited(start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "register", network="1/day")
    # The test's own address, loopback, is not limited; a forwarded one is.
    head = {"x-forwarded-for": "203.0.113.1"}
    with httpx.Client(base_url=start_cold().url, headers=head) as one, httpx.Client(base_url=one.base_url) as other:
        other.headers.update(head)
        assert register(one).status_code == 303
        assert_limited(register(other, "Berta"), "new accounts from this network")


def test_new_games_and_uploaded_records_of_one_player_share_a_limit(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A form with an error creates no game and is answered as usual, even beyond the limit."""
    set_limit(monkeypatch, "tables", player="2/day")
    server = start_cold()
    with httpx.Client(base_url=server.url) as http, httpx.Client(base_url=server.url) as other:
        assert [http.post("/games/sqez", data={}).status_code for _ in range(2)] == [303, 303]
        assert_limited(http.post("/games/sqez", data={}), "new games in the last ten minutes")
        assert http.post("/games/sqez", data={"cols": "99"}).status_code == 422
        record = "fourcorners record 1\ngame: square-off\noptions: {}\n"
        assert_limited(http.post("/records", data={"record": record}), "new games in the last ten minutes")
        assert other.post("/games/sqez", data={}).status_code == 303


def test_exports_and_password_attempts_of_one_player_are_limited(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, "export", player="1/day")
    set_limit(monkeypatch, "password", player="1/day")
    with httpx.Client(base_url=start_cold().url) as http:
        assert register(http).status_code == 303
        assert http.get("/account/export").status_code == 200
        assert_limited(http.get("/account/export"), "downloads of your data")
        change = {"old-password": "x", "changed-password": "a new password", "changed-password-again": "a new password"}
        assert http.post("/account/password", data=change).status_code == 422
        assert_limited(http.post("/account/password", data=change), "password attempts")


@pytest.mark.parametrize(
    ("name", "method", "path"),
    [
        ("pages", "GET", "/"),
        ("pages", "GET", "/lobby"),
        ("pages", "GET", "/games/sqez"),
        ("pages", "GET", "/ladder"),
        ("lists", "GET", "/lobby/lists"),
        ("check", "POST", "/games/sqez/check"),
    ],
)
def test_pages_lists_and_form_checks_are_limited_by_network_and_by_player(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch, name: str, method: str, path: str
) -> None:
    set_limit(monkeypatch, name, network="2/day", player="1/day")
    server = start_cold()

    def ask(address: str, cookies: httpx.Cookies | None = None) -> httpx.Response:
        """Ask from an address that the trusted proxy forwards, as a new visitor unless there are cookies."""
        head = {"x-forwarded-for": address}
        return httpx.request(method, f"{server.url}{path}", headers=head, cookies=cookies)

    first = ask("203.0.113.1")
    assert first.status_code == 200
    assert ask("203.0.113.1").status_code == 200
    assert_limited(ask("203.0.113.1"), limits.RATE_LIMITS[name].sentence)
    if first.cookies:
        assert_limited(ask("198.51.100.1", first.cookies), limits.RATE_LIMITS[name].sentence)
    assert ask("198.51.100.1").status_code == 200


def test_record_downloads_are_limited(start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "api", player="1/day")
    with httpx.Client(base_url=start_cold().url) as http:
        table = http.post("/games/square-off", data={}).headers["location"]
        assert http.get(f"{table}/record").text.startswith("fourcorners record")
        assert_limited(http.get(f"{table}/record"), "Too many requests")


def test_long_name_and_password_are_read_and_the_name_is_cut_to_60_characters(start_cold: StartServer) -> None:
    with httpx.Client(base_url=start_cold().url) as http:
        assert http.post("/account/sign-in", data={"name": "x" * 500_000, "password": "y" * 500_000}).status_code == 422
        assert http.post("/account/name", data={"guest-name": "x" * 500_000}).status_code == 303
        assert "x" * 60 in http.get("/account").text
        assert "x" * 61 not in http.get("/account").text
