"""The home page and what it leads to, on a server that has compiled nothing."""

import io
import socket
import time

import httpx
import pytest

from fourcorners.web.pages.home import _name_winners
from tests.web.accounts import Visit, register
from tests.web.client import Server


def test_lobby_shows_the_name_of_a_signed_in_player(visit: Visit) -> None:
    http = visit()
    assert "Sign in" in http.get("/lobby").text
    register(http, "Anna")
    page = http.get("/lobby").text
    assert "Anna" in page
    assert "Sign in" not in page


@pytest.mark.parametrize(
    "name", ["name", "register", "sign-in", "sign-out", "devices", "program", "password", "delete"]
)
def test_address_of_an_account_form_leads_to_the_account_page(visit: Visit, name: str) -> None:
    answer = visit().get(f"/account/{name}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")


def test_address_of_the_upload_leads_home(visit: Visit) -> None:
    answer = visit().get("/records")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\x00\x00", b"fourcorners record 1\n\xff\xfe", b"GIF89a\x01\x02"]
)
def test_upload_that_is_not_text_is_refused_without_quoting_it(visit: Visit, content: bytes) -> None:
    answer = visit().post("/records", files={"record": ("x.record", content, "application/octet-stream")})
    assert answer.status_code == 422
    assert "This record cannot be opened: the file is not a text file." in answer.text
    assert not any(word in answer.text for word in ("PNG", "GIF89a", "\ufffd"))


def test_client_that_leaves_during_an_upload_is_not_logged_as_a_failure(
    cold_server: Server, logged: io.StringIO
) -> None:
    with socket.create_connection(("127.0.0.1", cold_server.port)) as client:
        head = "POST /records HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        client.sendall(f"{head}Content-Length: 100000\r\n\r\n--x".encode())
        time.sleep(0.2)
    httpx.get(f"{cold_server.url}/healthz")
    time.sleep(0.3)
    assert "ClientDisconnect" not in logged.getvalue()


@pytest.mark.parametrize(
    ("result", "own", "words"),
    [
        ("seat 0 wins 5-3: all is full", [0], "You win 5–3"),
        ("seat 0 wins 5-3: all is full", [1], "Ada wins 5–3"),
        ("seat 0 wins 5-3: Ben resigned", [0], "You win: Ben resigned"),
        ("seats 0 and 1 win 5-3: all is full", [0], "Ada and Ben win 5–3"),
        ("draw 4-4: all is full", [0], "draw 4–4"),
        ("abandoned", [0], "abandoned"),
    ],
)
def test_result_of_an_own_game_addresses_the_reader(result: str, own: list[int], words: str) -> None:
    assert _name_winners(result, ("Ada", "Ben"), own) == words


def test_join_in_the_lobby_takes_a_seat(cold_server: Server, visit: Visit) -> None:
    form = {"seat-0": "person", "seat-1": "open", "visibility": "public"}
    table = visit().post("/games/sqez", data=form).headers["location"]
    cold_server.forget_lists()
    assert f'href="{table}#sit"' in visit().get("/lobby").text
