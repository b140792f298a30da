"""A server whose database is gone, or whose disk is full: what players and programs are told."""

import io
import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from fourcorners import __version__
from fourcorners.web import health
from fourcorners.web.realtime import background_tasks, heartbeat
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, StartServer, seat_two
from tests.web.disk import fill_disk


def begin_table(browser: Browser) -> str:
    """Set up a game in which the browser plays both seats; return the table's id."""
    return browser.begin_table("square-off", size="4", seat_0="person", seat_1="person")


def ask(server: Server, method: str, path: str, **options: Any) -> tuple[int, Any]:
    """Return the status and the JSON of an answer of the API."""
    answer = httpx.request(method, f"{server.url}{path}", timeout=WAIT, **options)
    return answer.status_code, answer.json()


@pytest.fixture
def program(cold_server: Server) -> Callable[..., tuple[int, Any]]:
    """Return a function that sends a request of a program to the server: a path, and a body for POST."""
    secret = ask(cold_server, "POST", "/api/players", json={"name": "Ada"})[1]["secret"]
    headers = {"authorization": f"Bearer {secret}"}

    def send(path: str, **body: Any) -> tuple[int, Any]:
        if not body:
            return ask(cold_server, "GET", path, headers=headers)
        return ask(cold_server, "POST", path, headers=headers, json=body)

    return send


@pytest.fixture
def table(program: Callable[..., tuple[int, Any]]) -> str:
    """A table at which the program plays both seats of a small game."""
    options = {"size": 4, "swap": False}
    return str(program("/api/tables", game="square-off", options=options, seats=["me", "me"])[1]["id"])


@pytest.fixture(params=[False, True])
def _late(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test at once, and also as if the last heartbeat were so old that there may have been an outage."""
    if request.param:
        monkeypatch.setattr(heartbeat, "GRACE", -1.0)


@pytest.mark.usefixtures("_late")
def test_programs_get_503_for_every_write_to_a_full_disk_and_may_still_read(
    program: Callable[..., tuple[int, Any]], table: str
) -> None:
    writes: list[tuple[str, dict[str, Any]]] = [
        (f"/api/tables/{table}/move", {"id": "m", "version": 0, "move": "a1"}),
        (f"/api/tables/{table}/resign", {"id": "r", "version": 0, "seat": 0}),
        ("/api/tables", {"game": "square-off", "options": {"size": 4}, "seats": ["me", "me"]}),
        ("/api/players", {"name": "Eve"}),
    ]
    with fill_disk():
        for path, body in writes:
            status, answer = program(path, **body)
            assert (status, answer["code"]) == (503, "unavailable"), path
            assert answer["sentence"].endswith("try again later.") or answer["sentence"].endswith("Try again later.")
        status, answer = program(f"/api/tables/{table}")
        assert (status, answer["version"]) == (200, 0)
    assert program(*[writes[0][0]], **writes[0][1]) == (200, {"type": "done", "id": "m", "version": 1})


@pytest.mark.usefixtures("_late")
def test_sockets_stay_open_on_a_full_disk_and_are_told_that_a_move_is_not_stored(cold_server: Server) -> None:
    with ExitStack() as stack:
        ada, bob = (stack.enter_context(Browser(cold_server)) for _ in range(2))
        here, there = map(stack.enter_context, seat_two(ada, bob))
        version = here.state["version"]
        with fill_disk():
            for _ in range(2):
                answer = here.send_command("move", move="a1")
                assert (answer["type"], "could not be stored" in answer["sentence"]) == ("stale", True)
                assert here.receive_until("state")["version"] == version
            there.send(type="say", phrase=0)
            assert "out of storage space" in there.receive_until("error")["sentence"]
        assert here.send_command("move", move="a1")["type"] == "done"


def test_move_that_was_stored_before_the_disk_was_full_is_done_when_it_is_sent_again(
    program: Callable[..., tuple[int, Any]], table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "GRACE", -1.0)
    move = {"id": "m", "version": 0, "move": "a1"}
    done = program(f"/api/tables/{table}/move", **move)
    with fill_disk():
        assert program(f"/api/tables/{table}/move", **move) == done


def test_server_starts_with_a_full_disk_for_reading_and_stores_again_once_there_is_room(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch, logged: io.StringIO
) -> None:
    monkeypatch.setattr(health, "_FRESH", 0.0)
    first = start_cold()
    with Browser(first) as browser:
        table = begin_table(browser)
        cookies = browser.http.cookies
        pages = ("/", "/lobby", f"/play/{table}", f"/play/{table}/record")
        for path in pages:
            # The tests keep compiled templates in files, for which there is no room later.
            assert browser.http.get(path).status_code == 200, path
    first.__exit__(None, None, None)
    with fill_disk():
        server = start_cold()
        assert ask(server, "GET", "/readyz")[0] == 503
        with Browser(server) as browser:
            browser.http.cookies = cookies
            for path in pages:
                assert browser.http.get(path).status_code == 200, path
            with browser.open_table(table) as socket:
                assert socket.send_command("move", move="a1")["type"] == "stale"
    assert "games can be read but not stored" in logged.getvalue()
    with Browser(server) as browser:
        browser.http.cookies = cookies
        with browser.open_table(table) as socket:
            assert socket.send_command("move", move="a1")["type"] == "done"
    assert ask(server, "GET", "/readyz")[0] == 200


def test_server_whose_database_is_gone_acknowledges_nothing_and_logs_it_once(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch, logged: io.StringIO
) -> None:
    monkeypatch.setattr(background_tasks, "BEATS_EVERY", 0.01)
    monkeypatch.setattr(background_tasks, "FLAGS_EVERY", 0.01)
    monkeypatch.setattr(health, "_FRESH", 0.0)
    server = start_cold()
    folder, attempts = server.folder, list[float]()
    record = server.rooms.heartbeat.record

    async def count_and_record() -> None:
        attempts.append(0.0)
        await record()

    with Browser(server) as browser:
        table = begin_table(browser)
        with browser.open_table(table) as socket:
            shutil.move(folder / "fourcorners.db", folder / "elsewhere")
            socket.send(type="move", id="m", version=0, move="a1")
            assert socket.receive_close_code() == 1012
        assert ask(server, "GET", "/readyz")[0] == 503
        assert ask(server, "GET", "/healthz") == (
            200,
            {"status": "ok", "ready": False, "database": False, "version": __version__},
        )
        assert browser.http.get("/lobby").status_code == 503
        monkeypatch.setattr(server.rooms.heartbeat, "record", count_and_record)
        wait_until(lambda: len(attempts) > 5)
        lines = [json.loads(line) for line in logged.getvalue().splitlines()]
        events = [line["event"] for line in lines if line["event"].startswith("a background task failed")]
        assert len(events) == 1 and str(folder / "fourcorners.db") in events[0]
        # It is back, and gone once more, which is another line.
        shutil.move(folder / "elsewhere", folder / "fourcorners.db")
        wait_until(lambda: ask(server, "GET", "/readyz")[0] == 200)
        with browser.open_table(table) as socket:
            assert socket.send_command("move", move="a1")["type"] == "done"
