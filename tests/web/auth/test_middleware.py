"""Identify requests by cookie or API key, reject other sites' pages, and resist planted secrets."""

from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from fourcorners.web.auth.identity import COOKIE, hash_secret
from fourcorners.web.store import Store, StoreError
from tests.web.accounts import register, sign_in
from tests.web.client import Server, Socket, StartServer

SECRET = "s" * 43


@pytest.fixture
def http(cold_server: Server) -> Iterator[httpx.Client]:
    """Yield a client for this test's server that keeps cookies like a browser."""
    with httpx.Client(base_url=cold_server.url) as client:
        yield client


def build_bearer(secret: str) -> dict[str, str]:
    """Build the Authorization header by which a program sends its secret."""
    return {"authorization": f"Bearer {secret}"}


def test_cookie_is_hidden_from_scripts_sent_to_this_host_only_and_secure_behind_tls(http: httpx.Client) -> None:
    plain = http.get("/account").headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} < set(plain.split("; "))
    assert "Secure" not in plain
    # Without a domain browsers send it to this host only.
    assert "domain" not in plain.lower()
    # The trusted proxy, here this client on the same machine, says that the browser uses TLS.
    proxied = http.get("/account", headers={"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9"})
    assert proxied.headers.get_list("set-cookie")[0] == f"__Host-{plain}; Secure"


def test_headers_of_an_untrusted_proxy_are_ignored(start_cold: StartServer) -> None:
    with httpx.Client(base_url=start_cold(proxies="203.0.113.1").url) as http:
        assert "Secure" not in http.get("/account", headers={"x-forwarded-proto": "https"}).headers["set-cookie"]


def test_static_files_and_health_are_served_and_pages_answer_503_if_players_cannot_be_read(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says when to try again, but not what is wrong."""

    def fail(*_: object) -> None:
        raise StoreError("the database is gone")

    monkeypatch.setattr(Store, "read_session", fail)
    cookie = {"cookie": f"{COOKIE}={SECRET}"}
    assert httpx.get(f"{cold_server.url}/static/page.css", headers=cookie).status_code == 200
    assert httpx.get(f"{cold_server.url}/healthz", headers=cookie).status_code == 200
    answer = httpx.get(f"{cold_server.url}/account", headers=cookie)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "gone" not in answer.text


def test_program_is_identified_by_its_header_and_gets_no_cookie(cold_server: Server, http: httpx.Client) -> None:
    store: Store = cold_server.context.store
    store.save_guest_name(hash_secret(SECRET), "Robot", 1.0)
    with httpx.Client(base_url=cold_server.url) as program:
        for scheme in ("Bearer", "bearer", "BEARER"):
            answer = program.get("/account", headers={"authorization": f"{scheme} {SECRET}"})
            assert "Hello, Robot" in answer.text
            assert "set-cookie" not in answer.headers


def test_header_of_a_program_takes_precedence_over_a_cookie_which_stays(
    cold_server: Server, http: httpx.Client
) -> None:
    cold_server.context.store.save_guest_name(hash_secret(SECRET), "Robot", 1.0)
    http.get("/account")
    answer = http.get("/account", headers=build_bearer(SECRET))
    assert "Hello, Robot" in answer.text
    assert "set-cookie" not in answer.headers


def test_malformed_api_key_is_rejected_and_not_repeated(http: httpx.Client) -> None:
    for wrong in ("x", "x" * 42, "x" * 44, "ä" * 43, "x" * 42 + "=", "x" * 5000):
        answer = http.get("/account", headers={b"authorization": f"Bearer {wrong}".encode("latin-1")})
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        # A single x occurs in the message anyway.
        assert wrong not in answer.text or wrong == "x"


def test_other_authorization_schemes_are_ignored(http: httpx.Client) -> None:
    cookie = http.get("/account").headers["set-cookie"]
    assert http.get("/account", headers={"authorization": "Basic YTpi"}).headers["set-cookie"] == cookie


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://[", "{own}.example"])
def test_forms_on_pages_of_other_sites_are_refused(http: httpx.Client, origin: str) -> None:
    own = str(http.base_url).rstrip("/")
    http.get("/account")
    assert http.post("/account/name", data={"guest-name": "Ann"}, headers={"origin": own}).status_code == 303
    origin = origin.format(own=own)
    for path in ("name", "register", "sign-in", "sign-out", "devices", "password", "delete"):
        answer = http.post(f"/account/{path}", data={"guest-name": "Eve"}, headers={"origin": origin})
        assert answer.status_code == 403, path
        assert "set-cookie" not in answer.headers


def test_program_may_send_any_origin_unless_it_sends_a_cookie(http: httpx.Client, cold_server: Server) -> None:
    foreign = {"origin": "https://elsewhere.example", **build_bearer(SECRET)}
    form = {"guest-name": "Robot"}
    http.get("/account")
    assert http.post("/account/name", data=form, headers=foreign).status_code == 403
    assert httpx.post(f"{cold_server.url}/account/name", data=form, headers=foreign).status_code == 303
    assert cold_server.context.store.read_profile(hash_secret(SECRET)).name == "Robot"


def test_websockets_of_other_sites_or_with_malformed_keys_are_refused_but_a_program_may_send_any_origin(
    cold_server: Server,
) -> None:
    address = f"ws://127.0.0.1:{cold_server.port}/play/nothing/live"
    foreign = {"origin": "https://elsewhere.example"}
    # Another site's page can make a browser send its cookie, so that a cookie is refused even beside a key.
    both = {**foreign, **build_bearer(SECRET), "cookie": f"{COOKIE}={SECRET}"}
    for headers in (foreign, {"origin": f"{cold_server.url}.example"}, both, build_bearer("x")):
        with pytest.raises(InvalidStatus):
            connect(address, additional_headers=headers)
    for headers in ({}, build_bearer(SECRET), {**foreign, **build_bearer(SECRET)}):
        with Socket(connect(address, additional_headers=headers)) as socket:
            # Accepted, but there is no such table.
            assert socket.receive_close_code() == 4404


@pytest.fixture
def victim_and_attacker(cold_server: Server) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Yield the browsers of a victim and of an attacker, who has planted a cookie with `SECRET` in the victim's.

    Both are therefore the same guest; the attacker's browser sends the same cookie.
    """
    cookies = {COOKIE: SECRET}
    with (
        httpx.Client(base_url=cold_server.url, cookies=cookies) as victim,
        httpx.Client(base_url=cold_server.url, cookies=cookies) as attacker,
    ):
        yield victim, attacker


def test_planted_secret_does_not_open_the_account_that_the_victim_registers(
    victim_and_attacker: tuple[httpx.Client, httpx.Client],
) -> None:
    victim, attacker = victim_and_attacker
    assert victim.get("/account").status_code == 200
    registration = register(victim)
    assert registration.status_code == 303
    assert registration.cookies[COOKIE] != SECRET
    assert "You are playing as a guest" in attacker.get("/account").text
    assert "Anna" not in attacker.get("/account").text


def test_planted_secret_does_not_open_the_account_to_which_the_victim_signs_in(
    victim_and_attacker: tuple[httpx.Client, httpx.Client], http: httpx.Client
) -> None:
    victim, attacker = victim_and_attacker
    # From another device.
    registration = register(http)
    answer = sign_in(victim)
    assert answer.status_code == 303
    # Each device gets its own secret.
    assert answer.cookies[COOKIE] not in {SECRET, registration.cookies[COOKIE]}
    assert "You are playing as a guest" in attacker.get("/account").text


def test_sign_out_gives_a_new_secret_and_ends_the_old_one(http: httpx.Client, cold_server: Server) -> None:
    register(http)
    before = http.cookies[COOKIE]
    answer = http.post("/account/sign-out")
    after = answer.cookies[COOKIE]
    assert after != before
    assert "You are signed out." in http.get(answer.headers["location"]).text
    old = {"cookie": f"{COOKIE}={before}"}
    assert "Anna" not in httpx.get(f"{cold_server.url}/account", headers=old).text


HTTPS = {"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9"}


def read_cookies(answer: httpx.Response) -> dict[str, str]:
    """Return the values of the cookies that an answer sets, by name; "" for one that it removes."""
    pairs = [header.partition(";")[0].partition("=") for header in answer.headers.get_list("set-cookie")]
    return {name: value for name, _, value in pairs}


def test_browser_keeps_its_session_when_the_cookie_gets_its_prefix(cold_server: Server) -> None:
    """A cookie of an earlier version is accepted over TLS, set under the new name and removed under the old one."""
    url = f"{cold_server.url}/account"
    cold_server.context.store.save_guest_name(hash_secret(SECRET), "Ann", 1.0)
    answer = httpx.get(url, headers={**HTTPS, "cookie": f"{COOKIE}={SECRET}"})
    assert "Hello, Ann" in answer.text
    assert read_cookies(answer) == {f"__Host-{COOKIE}": SECRET, COOKIE: ""}
    answer = httpx.get(url, headers={**HTTPS, "cookie": f"__Host-{COOKIE}={SECRET}"})
    assert "Hello, Ann" in answer.text
    assert read_cookies(answer) == {f"__Host-{COOKIE}": SECRET}


def test_cookie_that_a_neighbour_has_planted_does_not_replace_the_one_with_the_prefix(cold_server: Server) -> None:
    cold_server.context.store.save_guest_name(hash_secret(SECRET), "Ann", 1.0)
    cookies = f"{COOKIE}={'p' * 43}; __Host-{COOKIE}={SECRET}"
    answer = httpx.get(f"{cold_server.url}/account", headers={**HTTPS, "cookie": cookies})
    assert "Hello, Ann" in answer.text
    assert read_cookies(answer) == {f"__Host-{COOKIE}": SECRET, COOKIE: ""}


def test_cookie_with_the_prefix_counts_for_the_api_too_and_only_over_tls(cold_server: Server) -> None:
    cold_server.context.store.save_guest_name(hash_secret(SECRET), "Ann", 1.0)
    cookie = {"cookie": f"__Host-{COOKIE}={SECRET}"}
    assert "Hello, Ann" not in httpx.get(f"{cold_server.url}/account", headers=cookie).text
    answer = httpx.get(f"{cold_server.url}/api/me", headers={**HTTPS, **cookie})
    assert answer.json()["name"] == "Ann"


def test_browsers_are_told_to_use_tls_only_where_they_do_and_which_features_are_never_used(http: httpx.Client) -> None:
    plain, proxied = http.get("/"), http.get("/", headers=HTTPS)
    assert "strict-transport-security" not in plain.headers
    assert proxied.headers["strict-transport-security"] == "max-age=31536000"
    for answer in (plain, proxied, http.get("/static/page.css"), http.get("/api/games")):
        assert "camera=()" in answer.headers["permissions-policy"]
