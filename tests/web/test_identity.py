"""Who asks: the cookie, a program's header, other sites' pages, and a secret that somebody else has chosen."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from fourcorners.web.auth.identity import COOKIE
from fourcorners.web.store import Store, StoreError
from tests.web.client import Server, Socket

SECRET = "s" * 43
PASSWORD = "four corners"


@pytest.fixture
def http(cold_server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=cold_server.url) as client:
        yield client


def hash_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


def register(http: httpx.Client, name: str) -> httpx.Response:
    form = {"new-name": name, "new-password": PASSWORD, "new-password-again": PASSWORD}
    return http.post("/account/register", data=form)


def test_the_cookie_is_for_this_server_alone_and_behind_tls_for_tls_alone(http: httpx.Client) -> None:
    plain = http.get("/account").headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} < set(plain.split("; "))
    assert "Secure" not in plain
    assert "domain" not in plain.lower()
    through = http.get("/account", headers={"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9"})
    assert through.headers["set-cookie"] == f"{plain}; Secure"


def test_what_a_proxy_says_counts_only_where_it_is_trusted(start_cold: Callable[..., Server]) -> None:
    with httpx.Client(base_url=start_cold(proxies="203.0.113.1").url) as http:
        assert "Secure" not in http.get("/account", headers={"x-forwarded-proto": "https"}).headers["set-cookie"]


def test_files_that_are_anybodys_are_given_without_a_look_at_who_asks(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("the database is gone")

    monkeypatch.setattr(Store, "session", fail)
    cookie = {"cookie": f"{COOKIE}={SECRET}"}
    assert httpx.get(f"{cold_server.url}/static/page.css", headers=cookie).status_code == 200
    assert httpx.get(f"{cold_server.url}/healthz", headers=cookie).status_code == 200
    answer = httpx.get(f"{cold_server.url}/account", headers=cookie)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "gone" not in answer.text


def test_a_program_is_known_by_its_header(cold_server: Server, http: httpx.Client) -> None:
    store: Store = cold_server.registry.store
    store.remember_guest(hash_of(SECRET), "Robot", 1.0)
    with httpx.Client(base_url=cold_server.url) as program:
        for scheme in ("Bearer", "bearer", "BEARER"):
            answer = program.get("/account", headers={"authorization": f"{scheme} {SECRET}"})
            assert "Hello, Robot" in answer.text
            assert "set-cookie" not in answer.headers
    # The header says who asks, also where there is a cookie, which stays what it was.
    http.get("/account")
    answer = http.get("/account", headers=bearer(SECRET))
    assert "Hello, Robot" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("wrong", ["x", "x" * 42, "x" * 44, "ä" * 43, "x" * 42 + "=", "x" * 5000])
def test_a_header_without_a_secret_is_refused(http: httpx.Client, wrong: str) -> None:
    answer = http.get("/account", headers={b"authorization": f"Bearer {wrong}".encode("latin-1")})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert wrong not in answer.text or wrong == "x"


def test_other_schemes_of_authorization_are_nothing_to_this_server(http: httpx.Client) -> None:
    cookie = http.get("/account").headers["set-cookie"]
    assert http.get("/account", headers={"authorization": "Basic YTpi"}).headers["set-cookie"] == cookie


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://["])
@pytest.mark.parametrize("path", ["name", "register", "sign-in", "sign-out", "devices", "password", "delete"])
def test_another_sites_page_changes_nothing(http: httpx.Client, path: str, origin: str) -> None:
    http.get("/account")
    answer = http.post(f"/account/{path}", data={"guest-name": "Eve"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_program_may_name_any_origin_unless_a_cookie_comes_with_it(http: httpx.Client, cold_server: Server) -> None:
    elsewhere = {"origin": "https://elsewhere.example", **bearer(SECRET)}
    form = {"guest-name": "Robot"}
    http.get("/account")
    assert http.post("/account/name", data=form, headers=elsewhere).status_code == 403
    assert httpx.post(f"{cold_server.url}/account/name", data=form, headers=elsewhere).status_code == 303
    assert cold_server.registry.store.profile(hash_of(SECRET)).name == "Robot"


def test_sockets_are_guarded_alike(cold_server: Server) -> None:
    address = f"ws://127.0.0.1:{cold_server.port}/play/nothing/live"
    elsewhere = {"origin": "https://elsewhere.example"}
    for headers in (elsewhere, {**elsewhere, **bearer(SECRET), "cookie": f"{COOKIE}={SECRET}"}, bearer("x")):
        with pytest.raises(InvalidStatus):
            connect(address, additional_headers=headers)
    for headers in ({}, bearer(SECRET), {**elsewhere, **bearer(SECRET)}):
        with Socket(connect(address, additional_headers=headers)) as socket:
            assert socket.closed() == 4404


def test_a_secret_that_somebody_else_chose_opens_no_account(cold_server: Server) -> None:
    with ExitStack() as stack:

        @contextmanager
        def browser(secret: str) -> Iterator[httpx.Client]:
            with httpx.Client(base_url=cold_server.url, cookies={COOKIE: secret}) as client:
                yield client

        victim, eve = stack.enter_context(browser(SECRET)), stack.enter_context(browser(SECRET))
        assert victim.get("/account").status_code == 200
        registered = register(victim, "Anna")
        assert registered.status_code == 303
        own = registered.cookies[COOKIE]
        assert own != SECRET
        assert "You play as a guest" in eve.get("/account").text
        assert "Anna" not in eve.get("/account").text

        again, mallory = stack.enter_context(browser("t" * 43)), stack.enter_context(browser("t" * 43))
        signed_in = again.post("/account/sign-in", data={"name": "anna", "password": PASSWORD})
        assert signed_in.status_code == 303
        assert signed_in.cookies[COOKIE] not in {"t" * 43, SECRET, own}
        assert "You play as a guest" in mallory.get("/account").text


def test_who_signs_out_is_nobody_that_was_known_before(http: httpx.Client, cold_server: Server) -> None:
    register(http, "Anna")
    before = http.cookies[COOKIE]
    answer = http.post("/account/sign-out")
    after = answer.cookies[COOKIE]
    assert after != before
    old = {"cookie": f"{COOKIE}={before}"}
    assert "Anna" not in httpx.get(f"{cold_server.url}/account", headers=old).text
