"""Guessing at an account is slowed down, and never locks out the devices of its owner."""

import io
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import httpx
import pytest

from fourcorners.web.auth import limits, windows
from tests.clock import Clock
from tests.web.accounts import PASSWORD, Visit, register, sign_in
from tests.web.client import Server
from tests.web.stored import to_full_width


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the limits; that of all attempts from a network would be reached first, and is lifted."""
    made = Clock(1_000_000.0)
    for module in (limits, windows):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=made, monotonic=made))
    unlimited = limits.RATE_LIMITS["sign-in"]._replace(network="100000/hour")
    monkeypatch.setitem(limits.RATE_LIMITS, "sign-in", unlimited)
    return made


@pytest.fixture
def guess(clock: Clock, cold_server: Server) -> Callable[..., httpx.Response]:
    """Return a function that tries a password from an address, as a browser that no one knows, and returns the answer.

    The server of the test is on the same machine as the trusted proxy, which forwards the address.
    """

    def guess_password(address: str, name: str = "Anna", password: str = "guess") -> httpx.Response:
        form, head = {"name": name, "password": password}, {"x-forwarded-for": address}
        return httpx.post(f"{cold_server.url}/account/sign-in", data=form, headers=head)

    return guess_password


@pytest.mark.parametrize("name", ["Anna", "Nobody"])
def test_guesses_from_one_network_wait_whether_the_account_exists_or_not(
    clock: Clock, guess: Callable[..., httpx.Response], visit: Visit, name: str
) -> None:
    register(visit())
    assert [guess(f"203.0.113.{number}", name).status_code for number in range(6)] == [422] * 5 + [429]
    # Another spelling is the same account, and a /64 one network.
    answer = guess("203.0.113.9", to_full_width(name))
    assert answer.status_code == 429 and answer.headers["retry-after"] == "900"
    assert "Too many attempts to sign in to this account. Try again in 15 minutes." in answer.text
    assert [guess(f"2001:db8::{number}", name).status_code for number in range(6)] == [422] * 5 + [429]
    # Another network need not wait, and neither do guesses at another account.
    assert guess("198.51.100.1", name).status_code == 422
    assert guess("203.0.113.1", "Berta").status_code == 422
    clock.time += 900
    assert guess("203.0.113.1", name).status_code == 422


def test_owner_signs_in_on_a_known_device_while_all_others_must_wait(
    clock: Clock, guess: Callable[..., httpx.Response], visit: Visit
) -> None:
    owner, stranger = visit(), visit()
    register(owner)
    owner.post("/account/sign-out")
    answers = [guess(f"203.0.{number}.1").status_code for number in range(31)]
    assert answers == [422] * 30 + [429]
    # Even with the right password, a browser in which no one has signed in waits, and does not learn that it is right.
    assert sign_in(stranger).status_code == 429
    assert sign_in(owner).status_code == 303
    clock.time += 7200
    assert sign_in(stranger).status_code == 303
    # From now on it is known as well.
    stranger.post("/account/sign-out")
    assert [guess(f"203.0.{number}.1").status_code for number in range(31, 62)][-1] == 429
    assert sign_in(stranger).status_code == 303


def test_known_device_waits_for_its_own_attempts(clock: Clock, visit: Visit) -> None:
    owner = visit()
    register(owner)
    owner.post("/account/sign-out")
    assert [sign_in(owner, password="guess").status_code for _ in range(11)] == [422] * 10 + [429]
    clock.time += 900
    assert sign_in(owner).status_code == 303


def test_parallel_guesses_are_counted_before_they_are_checked(
    guess: Callable[..., httpx.Response], visit: Visit
) -> None:
    register(visit())
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: guess("203.0.113.1").status_code, range(12)))
    assert sorted(answers) == [422] * 5 + [429] * 7


@pytest.mark.parametrize("path", ["password", "devices"])
def test_other_devices_are_unknown_after_a_new_password_or_the_end_of_their_sessions(
    guess: Callable[..., httpx.Response], visit: Visit, path: str
) -> None:
    here, there = visit(), visit()
    register(here)
    sign_in(there)
    new = "a new password"
    form = {"old-password": PASSWORD, "changed-password": new, "changed-password-again": new, "device": "others"}
    assert here.post(f"/account/{path}", data=form).status_code == 303
    password = new if path == "password" else PASSWORD
    here.post("/account/sign-out")
    for number in range(31):
        guess(f"203.0.{number}.1")
    assert sign_in(there, password=password).status_code == 429
    assert sign_in(here, password=password).status_code == 303


def test_device_is_stored_as_hashes_that_differ_by_account(
    cold_server: Server, anna: httpx.Client, visit: Visit
) -> None:
    register_again = visit()
    register(register_again, "Berta")
    assert sign_in(anna, "Berta").status_code == 303
    store = cold_server.context.store
    with store.read() as connection:
        devices = connection.exec_driver_sql("SELECT device FROM known_devices").scalars().all()
    assert len(devices) == len(set(devices)) == 3
    assert anna.cookies["device"] not in devices


def test_security_events_are_logged_with_a_label_and_a_network_and_nothing_else(
    logged: io.StringIO, guess: Callable[..., httpx.Response], visit: Visit
) -> None:
    http = visit()
    http.headers["x-forwarded-for"] = "203.0.113.7"
    register(http)
    http.post("/account/program")
    http.post("/account/devices", data={"device": "others"})
    http.post("/account/sign-out")
    for _ in range(6):
        guess("2001:db8:1:2::3")
    guess("198.51.100.1", "Secret typed as a name", "guess")
    sign_in(http)
    new = {"old-password": "wrong", "changed-password": "a new password", "changed-password-again": "a new password"}
    http.post("/account/password", data=new)
    http.post("/account/password", data=new | {"old-password": PASSWORD})
    http.post("/account/delete", data={"delete-name": "Anna", "delete-password": "a new password"})
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    events = [line for line in lines if line["logger"] == "fourcorners.security"]
    labels = {event["account"] for event in events}
    assert len(labels) == 2 and "unknown" in labels and all(re.fullmatch(r"[0-9a-f]{12}|unknown", x) for x in labels)
    assert [(event["event"], event["network"], event["level"], event.get("count")) for event in events] == [
        ("account created", "203.0.113.0/24", "info", None),
        ("API key created", "203.0.113.0/24", "info", None),
        ("sessions ended", "203.0.113.0/24", "info", 1),
        ("sign-out", "203.0.113.0/24", "info", None),
        *[("sign-in failed", "2001:db8:1::/48", "info", None)] * 5,
        ("sign-in delayed", "2001:db8:1::/48", "warning", None),
        ("sign-in failed", "198.51.100.0/24", "info", None),
        ("sign-in", "203.0.113.0/24", "info", None),
        ("wrong password", "203.0.113.0/24", "info", None),
        ("password changed", "203.0.113.0/24", "info", None),
        ("account deleted", "203.0.113.0/24", "info", None),
    ]
    text = logged.getvalue()
    assert not [word for word in ("Anna", "anna", "typed", "203.0.113.7", "2::3", PASSWORD, "guess") if word in text]
