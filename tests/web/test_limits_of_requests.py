"""How much one address or player may ask for, in memory and in a Redis, and what is answered beyond that."""

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from fourcorners.web.auth import limits
from fourcorners.web.auth.limits import RateLimit, RateLimiter, RateLimitError, normalise_address
from tests.servers import redis
from tests.web.client import Server
from tests.web.stored import wide

PASSWORD = "four corners"
RULES = {
    "try": RateLimit("Too much.", address="3/hour", player="2/hour"),
    "all": RateLimit("Too much of all.", whole="2/hour"),
}


@pytest.fixture(scope="module")
def redis_address() -> Iterator[str]:
    with redis() as address:
        yield address


@pytest.fixture(params=["memory", "redis"])
def two(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], tuple[RateLimiter, RateLimiter]]:
    """Make what two servers count with, if they share what they count, or one twice."""
    monkeypatch.setattr(limits, "RULES", {f"{name} {request.node.name}": rule for name, rule in RULES.items()})
    if request.param == "memory":
        return lambda: (RateLimiter(),) * 2
    address = request.getfixturevalue("redis_address")
    return lambda: (RateLimiter(address), RateLimiter(address))


def counted(
    request: pytest.FixtureRequest, two: Callable[[], tuple[RateLimiter, RateLimiter]], asked: list[dict[str, Any]]
) -> list[bool]:
    """Count at one and the other in turn; tell which were taken."""

    async def count() -> list[bool]:
        both, taken = two(), []
        async with contextlib.AsyncExitStack() as stack:
            for limiter in set(both):
                stack.push_async_callback(limiter.close)
            for number, one in enumerate(asked):
                what = f"{one.pop('what', 'try')} {request.node.name}"
                try:
                    await both[number % 2].count(what, **one)
                except RateLimitError as error:
                    assert error.sentence == limits.RATE_LIMITS[what].sentence
                    assert 1 <= error.wait <= 7200
                    taken.append(False)
                else:
                    taken.append(True)
        return taken

    return asyncio.run(count())


def test_a_player_asks_only_so_often(request: pytest.FixtureRequest, two: Any) -> None:
    asked = [{"address": f"203.0.113.{number}", "player": "p"} for number in range(4)]
    assert counted(request, two, [*asked, {"address": "203.0.113.9", "player": "q"}]) == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_an_address_asks_only_so_often_whoever_it_says_it_is(request: pytest.FixtureRequest, two: Any) -> None:
    asked = [{"address": "203.0.113.7", "player": f"p{number}"} for number in range(5)]
    assert counted(request, two, asked) == [True, True, True, False, False]
    # A household has many addresses of the newer kind.
    asked = [{"address": f"2001:db8::{number}", "player": f"q{number}"} for number in range(4)]
    assert counted(request, two, [*asked, {"address": "2001:db8:0:1::1", "player": "r"}]) == [True] * 3 + [False, True]


def test_something_else_is_limited_for_everybody(request: pytest.FixtureRequest, two: Any) -> None:
    asked = [{"what": "all", "other": other, "player": str(number)} for number, other in enumerate("aaabb")]
    assert counted(request, two, asked) == [True, True, False, True, True]
    assert counted(request, two, [{"what": "all", "player": str(number)} for number in range(3)]) == [True, True, False]


def test_a_redis_that_does_not_answer_hinders_nobody(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"try {request.node.name}"
    monkeypatch.setattr(limits, "RULES", {name: RULES["try"]})
    gone = RateLimiter("redis://127.0.0.1:1/0")
    assert counted(request, lambda: (gone, gone), [{"player": "p"} for _ in range(3)]) == [True, True, False]


def test_what_is_one_address() -> None:
    assert normalise_address("203.0.113.7") == normalise_address("::ffff:203.0.113.7") == "203.0.113.7/32"
    assert normalise_address("2001:db8::1%eth0") == "2001:db8::/64"
    assert [normalise_address(own) for own in ("127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "")] == [""] * 5
    assert normalise_address("testclient") == "testclient"


def test_every_rule_can_be_read_and_says_what_it_limits() -> None:
    for what, rule in limits.RATE_LIMITS.items():
        assert re.fullmatch(r"[A-Z].*wait a (little|while)\.", rule.sentence)
        assert any(rule[1:]), what
    RateLimiter()


def strict(monkeypatch: pytest.MonkeyPatch, what: str, **rule: str) -> None:
    monkeypatch.setitem(limits.RATE_LIMITS, what, RateLimit(limits.RATE_LIMITS[what].sentence, **rule))


def refused(answer: httpx.Response, sentence: str) -> None:
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 7200
    assert sentence in answer.text
    assert "<h1>" in answer.text


def test_passwords_are_not_tried_for_ever(start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    strict(monkeypatch, "sign-in", address="3/hour")
    strict(monkeypatch, "account", whole="5/hour")
    server = start_cold()

    def tried(address: str, name: str) -> httpx.Response:
        form, head = {"name": name, "password": "guess"}, {"x-forwarded-for": address}
        return httpx.post(f"{server.url}/account/sign-in", data=form, headers=head)

    for number in range(3):
        assert tried("203.0.113.1", f"name{number}").status_code == 422
    refused(tried("203.0.113.1", "anna"), "tried to sign in from here")
    for number in range(5):
        assert tried(f"203.0.113.1{number}", "anna" if number % 2 else wide("ANNA")).status_code == 422
    refused(tried("203.0.113.20", "Anna"), "for this account")
    assert tried("203.0.113.21", "berta").status_code == 422


def test_an_address_that_anybody_can_make_up_counts_for_nothing(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    strict(monkeypatch, "name", player="3/hour", address="1/hour")
    server = start_cold(proxies="192.0.2.1")
    with httpx.Client(base_url=server.url) as http:
        answers = [
            http.post("/account/name", data={"guest-name": "Ann"}, headers={"x-forwarded-for": f"203.0.113.{number}"})
            for number in range(4)
        ]
    assert [answer.status_code for answer in answers] == [303, 303, 303, 429]


def test_accounts_games_and_exports_are_limited(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    strict(monkeypatch, "register", address="1/hour")
    strict(monkeypatch, "tables", player="2/hour")
    strict(monkeypatch, "export", player="1/hour")
    strict(monkeypatch, "password", player="1/hour")
    server, head = start_cold(), {"x-forwarded-for": "203.0.113.1"}
    with (
        httpx.Client(base_url=server.url, headers=head) as http,
        httpx.Client(base_url=server.url, headers=head) as other,
    ):
        answers = []
        for one, name in ((http, "Anna"), (other, "Berta")):
            form = {"new-name": name, "new-password": PASSWORD, "new-password-again": PASSWORD}
            answers.append(one.post("/account/register", data=form))
        assert answers[0].status_code == 303
        refused(answers[1], "accounts were made from here")
        assert [http.post("/games/sqez", data={}).status_code for _ in range(2)] == [303, 303]
        refused(http.post("/games/sqez", data={}), "games were begun in the last ten minutes")
        assert http.post("/games/sqez", data={"cols": "99"}).status_code == 422
        record = "fourcorners record 1\ngame: square-off\noptions: {}\n"
        refused(http.post("/records", data={"record": record}), "games were begun in the last ten minutes")
        assert other.post("/games/sqez", data={}).status_code == 303
        assert http.get("/account/export").status_code == 200
        refused(http.get("/account/export"), "asked for too often")
        change = {"old-password": "x", "changed-password": "a new password", "changed-password-again": "a new password"}
        assert http.post("/account/password", data=change).status_code == 422
        refused(http.post("/account/password", data=change), "wrong password was given")


def test_records_are_not_asked_for_without_end(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    strict(monkeypatch, "api", player="1/hour")
    with httpx.Client(base_url=start_cold().url) as http:
        table = http.post("/games/square-off", data={}).headers["location"]
        assert http.get(f"{table}/record").text.startswith("fourcorners record")
        refused(http.get(f"{table}/record"), "answers in a minute")


def test_forms_too_large_change_nothing(start_cold: Callable[..., Server]) -> None:
    with httpx.Client(base_url=start_cold().url) as http:
        assert http.post("/account/name", data={"guest-name": "x" * 2_000_000}).status_code == 413
        assert http.post("/account/sign-in", data={"name": "x" * 500_000, "password": "y" * 500_000}).status_code == 422
        assert http.post("/account/name", data={"guest-name": "x" * 500_000}).status_code == 303
        assert "x" * 60 in http.get("/account").text
        assert "x" * 61 not in http.get("/account").text
