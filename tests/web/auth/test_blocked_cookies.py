"""A browser that blocks cookies is told so before anything is made that only a player can have."""

import httpx
import pytest
from websockets.sync.client import connect

from fourcorners.web.auth.identity import NO_COOKIE
from tests.web.client import Browser, Server, Socket

TABLE = {"seat-0": "person", "seat-1": "computer", "who-begins": "order"}
SMALL = {"game": "square-off", "options": {"size": 4}, "seats": ["me", "computer:1"]}
PATHS = [
    "/games/square-off",
    "/lobby/pair/square-off",
    "/account/name",
    "/account/register",
    "/account/sign-in",
    "/account/program",
    "/account/recover",
    "/account/passkey-sign-in",
]


@pytest.fixture
def browser_headers(module_server: Server) -> dict[str, str]:
    """The headers of a form on a page of the server, in a browser that sends no cookie."""
    return {"origin": module_server.url, "accept": "text/html,application/xhtml+xml"}


def count_tables(server: Server) -> int:
    """Return how many tables are stored."""
    with server.context.store.engine.connect() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM tables").scalar_one())


@pytest.mark.parametrize("path", PATHS)
def test_form_without_a_cookie_is_refused_in_one_sentence(
    module_server: Server, browser_headers: dict[str, str], path: str
) -> None:
    before = count_tables(module_server)
    answer = httpx.post(module_server.url + path, data=TABLE, headers=browser_headers)
    assert answer.status_code == 403
    assert NO_COOKIE in answer.text
    assert "<h1>Cookies are blocked</h1>" in answer.text
    assert count_tables(module_server) == before


def test_script_without_a_cookie_gets_the_sentence_as_json(
    module_server: Server, browser_headers: dict[str, str]
) -> None:
    headers = {**browser_headers, "accept": "*/*"}
    answer = httpx.post(f"{module_server.url}/account/passkey-sign-in-options", headers=headers)
    assert (answer.status_code, answer.json()) == (403, {"code": "cookies", "sentence": NO_COOKIE})
    answer = httpx.post(f"{module_server.url}/api/tables", json=SMALL, headers=headers)
    assert (answer.status_code, answer.json()["code"], answer.json()["sentence"]) == (403, "cookies", NO_COOKIE)


def test_program_without_a_cookie_is_served_as_before(module_server: Server) -> None:
    assert httpx.post(f"{module_server.url}/games/square-off", data=TABLE).status_code == 303
    assert httpx.post(f"{module_server.url}/api/tables", json=SMALL).json()["code"] == "secret"


def test_seat_is_refused_to_a_browser_without_a_cookie(module_server: Server) -> None:
    with Browser(module_server) as host:
        table = host.begin_table("square-off", seat_0="person", seat_1="open")
        address = f"ws://127.0.0.1:{module_server.port}/play/{table}/live"
        with Socket(connect(address, additional_headers={"origin": module_server.url})) as guest:
            guest.send(type="hello", version=None, viewer=None)
            guest.receive_until("state")
            guest.send(type="sit", id="c1", version=0, seat=1, name="Ben")
            refusal = guest.receive_until("refused")
            assert (refusal["code"], refusal["sentence"]) == ("cookies", NO_COOKIE)
        with host.open_table(table) as socket:
            assert not socket.state["chairs"][1]["taken"]
