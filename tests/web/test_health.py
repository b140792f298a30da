"""Liveness, readiness and metrics for operators."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from fourcorners import __version__
from fourcorners.warmup.steps import Step
from fourcorners.web import health
from fourcorners.web.store import StoreError
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, StartServer
from tests.web.processes import add_running_table


def read_metrics(server: Server, **headers: str) -> dict[str, float]:
    """Return the values of the metrics, by name with labels such as `x{kind="move"}`; send these headers.

    Assert that the request is allowed. It comes from this machine.
    """
    answer = httpx.get(f"{server.url}/metrics", headers=headers)
    assert answer.status_code == 200
    lines = [line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def ask(server: Server, path: str = "/readyz", **headers: str) -> tuple[int, Any]:
    """Return the status and the JSON of an answer to a request with these headers."""
    answer = httpx.get(f"{server.url}{path}", headers=headers, timeout=WAIT)
    return answer.status_code, answer.json()


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the outcome of a probe count for one request only; it has no value."""
    monkeypatch.setattr(health, "_FRESH", 0.0)


@pytest.mark.usefixtures("no_cache")
def test_server_is_alive_while_the_database_does_not_answer_but_says_so(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not ready in the sense of this format: this server compiles nothing.
    assert ask(cold_server, "/healthz") == (
        200,
        {"status": "ok", "ready": False, "database": True, "version": __version__},
    )

    def fail() -> None:
        raise StoreError("gone")

    monkeypatch.setattr(cold_server._app.state.read_probe, "_check", fail)
    assert ask(cold_server, "/healthz") == (
        200,
        {"status": "ok", "ready": False, "database": False, "version": __version__},
    )


def test_progress_of_a_game_is_told_on_request_under_the_ids_of_its_presets_too(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(cold_server, "/healthz?game=sqez")[1]["features"] == {}
    warmup = cold_server.context.warmup
    monkeypatch.setattr(warmup, "_missing", frozenset({Step("squarin_off", "hints"), Step("squarin-off", "hints")}))
    for name in ("squarin-off", "dots-and-boxes"):
        features = ask(cold_server, f"/healthz?game={name}")[1]["features"]
        assert features["solve"] == 1.0
        assert 0 < features["hint"] < 1
    assert ask(cold_server, "/healthz?game=sqez")[1]["features"] == {}
    assert "features" not in ask(cold_server, "/healthz?game=nothing")[1]


def test_server_that_stops_is_neither_alive_nor_ready(cold_server: Server) -> None:
    cold_server.rooms.closing = True
    assert ask(cold_server, "/healthz")[0] == 503
    assert ask(cold_server) == (503, {"status": "failing", "sentence": "The server is stopping."})
    cold_server.rooms.closing = False


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.ci)])
def any_server(request: pytest.FixtureRequest) -> Server:
    """A running server of this test alone, with SQLite, and in CI also with PostgreSQL."""
    # The database is made first, so that it is removed after the server has stopped.
    address = request.getfixturevalue("address") if request.param == "postgresql" else ""
    start_cold: StartServer = request.getfixturevalue("start_cold")
    return start_cold(database=address)


@pytest.mark.usefixtures("no_cache")
def test_server_is_ready_if_games_can_be_stored_and_leaves_no_trace_of_trying(any_server: Server) -> None:
    assert [ask(any_server) for _ in range(3)] == [(200, {"status": "ok"})] * 3
    with any_server.context.store.read() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM results")) == 0


@pytest.mark.usefixtures("no_cache")
def test_server_without_a_relation_is_alive_but_not_ready(any_server: Server) -> None:
    with any_server.context.store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE chat")
    status, answer = ask(any_server)
    assert (status, answer["status"]) == (503, "failing")
    assert "chat" in answer["sentence"] and answer["sentence"].endswith(".")
    assert ask(any_server, "/healthz")[0] == 200
    # Others learn nothing about the database.
    assert ask(any_server, forwarded="for=203.0.113.9") == (
        503,
        {"status": "failing", "sentence": "Games cannot be stored at the moment."},
    )


@pytest.mark.usefixtures("no_cache")
def test_server_with_a_full_disk_is_not_ready_until_there_is_room_again(cold_server: Server) -> None:
    store, limit = cold_server.context.store, 1_000_000

    def limit_pages(connection: sa.Connection) -> None:
        """Limit the database file to `limit` pages, as a full disk does."""
        connection.exec_driver_sql(f"PRAGMA max_page_count = {limit}")

    sa.event.listen(store.engine, "begin", limit_pages)
    with store.read() as connection:
        limit = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
    assert ask(cold_server) == (
        503,
        {"status": "failing", "sentence": "This could not be stored: database or disk is full."},
    )
    assert ask(cold_server, "/healthz") == (
        200,
        {"status": "ok", "ready": False, "database": True, "version": __version__},
    )
    limit = 1_000_000
    assert ask(cold_server) == (200, {"status": "ok"})


def test_many_questions_about_readiness_are_one_write(cold_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_FRESH", 1000.0)
    checks = []
    monkeypatch.setattr(cold_server._app.state.write_probe, "_check", lambda: checks.append(1))
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: ask(cold_server), range(20)))
    assert answers == [(200, {"status": "ok"})] * 20
    assert len(checks) == 1


def test_write_that_takes_too_long_is_a_failure_and_is_not_repeated_meanwhile(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_FRESH", 0.0)
    monkeypatch.setattr(health, "_PROBE_TIMEOUT", 0.05)
    may_go_on, checks = threading.Event(), []

    def hang() -> None:
        checks.append(1)
        assert may_go_on.wait(WAIT)

    monkeypatch.setattr(cold_server._app.state.write_probe, "_check", hang)
    sentence = "The database has not answered within 0.05 seconds."
    assert [ask(cold_server) for _ in range(3)] == [(503, {"status": "failing", "sentence": sentence})] * 3
    assert len(checks) == 1
    may_go_on.set()
    wait_until(lambda: ask(cold_server)[0] == 200)


def test_metrics_count_events_answers_commits_reconnections_and_open_sockets(cold_server: Server) -> None:
    """They also name the server's process once. The counters of one process may have begun before this server."""
    with Browser(cold_server) as one, Browser(cold_server) as two:
        table = add_running_table(cold_server.context.store, one, two)
        before = read_metrics(cold_server)
        with one.open_table(table) as socket:
            socket.move("a1")
            assert socket.send_command("move", move="b2")["type"] == "refused"
            socket.send(type="move", id="old", version=0, move="b2")
            socket.receive_until("stale")
            socket.send_command("resign", seat=0)
            now = read_metrics(cold_server)
            assert now["fourcorners_sockets"] == now["fourcorners_rooms"] == 1
            # A hello with a version is that of a page that was connected before.
            socket.send(type="hello", version=2, viewer=None)
            socket.receive_until("patch")
        grown = {name: value - before.get(name, 0.0) for name, value in read_metrics(cold_server).items()}
        assert grown['fourcorners_events_total{kind="move"}'] == 1
        assert grown['fourcorners_events_total{kind="resign"}'] == 1
        assert [grown[f'fourcorners_answers_total{{answer="{kind}"}}'] for kind in ("done", "refused", "stale")] == [
            2,
            1,
            1,
        ]
        assert grown["fourcorners_commit_seconds_count"] == 2
        assert grown["fourcorners_reconnects_total"] == 1
        # One for each event; the server writes other things too, such as heartbeats.
        assert grown["fourcorners_transactions"] >= 2
        assert sum(name.startswith("fourcorners_process_info{") for name in now) == 1


def test_metrics_are_only_for_this_machine_and_for_requests_with_the_token(start_cold: StartServer) -> None:
    server = start_cold(metrics_token="sesame")
    url = f"{server.url}/metrics"
    assert read_metrics(server, authorization="Bearer sesame")
    assert read_metrics(server)
    # A request through a proxy comes from someone else, even if the proxy is trusted.
    for name in ("x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip"):
        assert httpx.get(url, headers={name: "127.0.0.1"}).status_code == 403
        assert read_metrics(server, **{name: "203.0.113.9", "authorization": "Bearer sesame"})
    # The refusal does not reveal the token.
    for credentials in ("Bearer wrong", "Bearer", "Basic sesame"):
        refusal = httpx.get(url, headers={"authorization": credentials, "x-forwarded-for": "203.0.113.9"})
        assert refusal.status_code == 403 and "sesame" not in refusal.text
