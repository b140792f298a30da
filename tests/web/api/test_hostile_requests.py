"""Hostile requests: whatever a program sends, the answer says what is wrong, and no game changes."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourcorners.web.api.endpoints import VERBS
from fourcorners.web.auth import limits
from fourcorners.web.protocol import client_messages
from fourcorners.web.protocol.close_codes import GONE
from fourcorners.web.protocol.codec import UnreadableMessageError, find_tag
from fourcorners.web.realtime import request_work
from tests.web.client import WAIT, Browser, Server, StartServer
from tests.web.program import Program, read_refusal
from tests.web.realtime.test_hostile_messages import HOSTILE

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = ("id", "version", "move", "seat", "accept", "name", "kind", "type", "game", "options", "seats", "clock")
BODIES = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=6) | JSON
REFUSED = {400, 403, 404, 409, 413, 422}


@pytest.fixture
def table(cold_server: Server) -> Iterator[tuple[Program, str]]:
    """Ada's program and the id of a new 4 × 4 table of Square Off where both seats are hers; the server is new."""
    with Program(cold_server) as ada:
        yield ada, ada.begin_table("square-off", "me", "me", options={"size": 4})


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused_in_one_short_line_or_is_the_command_of_another_verb(text: str) -> None:
    body = text.encode("utf-8", "surrogatepass")
    for verb in VERBS:
        try:
            message = client_messages.parse_command(verb, body)
        except UnreadableMessageError as error:
            assert len(str(error)) < 400
            assert "\n" not in str(error)
        else:
            # The verb is in the path. The `type` in the text, which is that of another verb, is ignored.
            assert find_tag(type(message)) == verb
            assert json.loads(text)["type"] != verb


def test_hostile_bodies_are_refused_and_change_nothing_at_the_table(table: tuple[Program, str]) -> None:
    """An empty body, which stands for {}, is valid only for a new guest, whose name is optional."""
    ada, name = table
    before = ada.fetch_table(name)
    paths = ["/api/players", "/api/tables", f"/api/tables/{name}/move", f"/api/tables/{name}/resign"]
    # A byte order mark, half a character, deep nesting, and no object.
    extra = [
        "\ufeff{}",
        '{"name": "\\ud800"}',
        '{"game":"square-off","options":' + '{"a":' * 500 + "1" + "}" * 501,
        "1",
    ]
    for path in paths:
        for text in (*HOSTILE, *extra):
            answer = ada.request("POST", path, content=text.encode("utf-8", "surrogatepass"))
            if answer.is_success:
                assert (path, json.loads(text or "{}")) == ("/api/players", {})
            else:
                assert answer.status_code in REFUSED, answer.text
        assert read_refusal(ada.request("POST", path, content=b"\xff\xfe\x00")) == (400, "unreadable")
    after = ada.fetch_table(name)
    # Only the server's time has changed.
    assert {**after, "now": 0} == {**before, "now": 0}


def test_hostile_queries_and_table_ids_are_refused(table: tuple[Program, str]) -> None:
    ada, name = table
    for query in (
        "since=x",
        "since=-1",
        "since=1e3",
        f"since={'9' * 5000}",
        "wait=nan",
        "wait=-1",
        "wait=inf",
        "viewer=64",
        "viewer=",
        "more=1",
        "since=%00",
        "%ff=1",
    ):
        assert read_refusal(ada.request("GET", f"/api/tables/{name}?{query}")) == (400, "unreadable"), query
    assert read_refusal(ada.request("GET", "/api/tables?mine=perhaps")) == (400, "unreadable")
    # A slash makes the id a longer path, which exists only with another method.
    for odd in ("%00", "..%2f..", "a" * 5000, "%F0%9F%8E%B2"):
        assert read_refusal(ada.request("GET", f"/api/tables/{odd}")) in {(404, "not-found"), (405, "method")}


def test_nul_which_postgresql_cannot_store_is_refused_with_any_database(
    start_cold: StartServer, database: str | Path
) -> None:
    server = start_cold(**({"database": database} if isinstance(database, str) else {}))
    with Program(server) as ada:
        assert read_refusal(ada.request("GET", "/api/sets/%00")) == (400, "unreadable")
    with Browser(server) as browser:
        answers = [browser.http.get(path) for path in ("/play/%00", "/sets/%00")]
        answers.append(browser.http.post("/account/sign-in", data={"name": "a\0", "password": "four corners"}))
        assert [answer.status_code for answer in answers] == [400] * 3
        assert all("the character NUL" in answer.text for answer in answers)
        with browser.connect("%00") as socket:
            assert socket.receive_close_code() == GONE


@given(body=BODIES, verb=st.sampled_from(VERBS))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arbitrary_json_is_answered_or_refused_but_never_causes_a_server_error(
    table: tuple[Program, str], body: Any, verb: str
) -> None:
    ada, name = table
    content = json.dumps(body).encode()
    for path in ("/api/tables", f"/api/tables/{name}/{verb}"):
        answer = ada.request("POST", path, content=content)
        assert answer.is_success or answer.status_code in REFUSED, answer.text


def test_body_that_does_not_arrive_in_time_is_answered_with_408(
    table: tuple[Program, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, name = table
    monkeypatch.setattr(request_work, "_READ_SECONDS", 0.1)
    head = f"POST /api/tables/{name}/move HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ada.secret}\r\n"
    with socket.create_connection(("127.0.0.1", ada.server.port), WAIT) as line:
        # One character of the hundred that it announces.
        line.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 408 ")


def test_rate_limit_answer_has_the_time_to_wait(start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # Creating the guest does not count for the guest, who does not exist yet.
    strict = limits.RATE_LIMITS["api"]._replace(player="3/day")
    monkeypatch.setattr(limits, "RATE_LIMITS", {**limits.RATE_LIMITS, "api": strict})
    with Program(start_cold()) as ada:
        answers: list[httpx.Response] = [ada.request("GET", "/api/me") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert read_refusal(answers[3]) == (429, "too-much")
    assert int(answers[3].headers["retry-after"]) > 0
    assert re.search(r"Try again in \d+ (second|minute|hour)s?\.$", answers[3].json()["sentence"])
