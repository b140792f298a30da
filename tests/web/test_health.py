"""Health checks and metrics for operators."""

from collections.abc import Callable

import httpx
import pytest

from fourcorners.web.store import StoreError
from tests.web.client import Browser, Server
from tests.web.processes import add_running_table


def read_metrics(server: Server, **headers: str) -> dict[str, float]:
    """Return the values of the metrics, by name with labels such as `x{kind="move"}`; send these headers.

    Assert that the request is allowed. It comes from this machine.
    """
    answer = httpx.get(f"{server.url}/metrics", headers=headers)
    assert answer.status_code == 200
    lines = [line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_health_check_fails_with_503_if_the_database_does_not_answer(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = httpx.get(f"{cold_server.url}/healthz")
    # Not ready: this server compiles nothing.
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "ready": False, "database": True})

    def fail() -> None:
        raise StoreError("gone")

    monkeypatch.setattr(cold_server.registry.store, "ping", fail)
    answer = httpx.get(f"{cold_server.url}/healthz")
    assert (answer.status_code, answer.json()["database"]) == (503, False)


def test_metrics_count_events_answers_commits_reconnections_and_open_sockets(cold_server: Server) -> None:
    """They also name the server's process once. The counters of one process may have begun before this server."""
    with Browser(cold_server) as one, Browser(cold_server) as two:
        table = add_running_table(cold_server.registry.store, one, two)
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


def test_metrics_are_only_for_this_machine_and_for_requests_with_the_token(start_cold: Callable[..., Server]) -> None:
    server = start_cold(metrics_token="sesame")
    url = f"{server.url}/metrics"
    assert read_metrics(server, authorization="Bearer sesame")
    assert read_metrics(server)
    # A request through a proxy comes from somebody else, even if the proxy is trusted.
    for name in ("x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip"):
        assert httpx.get(url, headers={name: "127.0.0.1"}).status_code == 403
        assert read_metrics(server, **{name: "203.0.113.9", "authorization": "Bearer sesame"})
    # The refusal does not reveal the token.
    for credentials in ("Bearer wrong", "Bearer", "Basic sesame"):
        refusal = httpx.get(url, headers={"authorization": credentials, "x-forwarded-for": "203.0.113.9"})
        assert refusal.status_code == 403 and "sesame" not in refusal.text
