"""Beats of many sockets while the event loop is busy with other things."""

import asyncio
import threading
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocket

from fourcorners.web.realtime import connection_pool
from fourcorners.web.realtime.connection import BEAT_EVERY, QUIET_BEAT_EVERY, Connection
from fourcorners.web.realtime.connection_pool import ConnectionPool

SOCKETS, SECONDS = 500, 180.0


class LateLoop:
    """Stands for `asyncio`, with its own clock, by which everything that sleeps wakes `delay` seconds too late. The
    servers of other tests, which run in other threads, get `asyncio` itself.
    """

    def __init__(self, delay: float) -> None:
        self.now = 0.0
        self._delay = delay
        self._thread = threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    def get_running_loop(self) -> Any:
        if threading.get_ident() != self._thread:
            return asyncio.get_running_loop()
        return SimpleNamespace(time=lambda: self.now)

    async def sleep(self, seconds: float) -> None:
        """Let time pass; raise CancelledError after `SECONDS`."""
        if threading.get_ident() != self._thread:
            await asyncio.sleep(seconds)
            return
        self.now += seconds + self._delay
        if self.now > SECONDS:
            raise asyncio.CancelledError


class IdleClient:
    """The channel and the conversation of a client that answers beats at once, and notes when they come."""

    def __init__(self, loop: LateLoop) -> None:
        self.connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
        self.beats: list[float] = []
        self._loop = loop
        self.connection.attach(self)
        self.connection.begin(self)
        self.connection.mark_active()

    def send_text(self, _: bytes) -> None:
        self.beats.append(self._loop.now)
        self.connection.receive_text("beat")

    def handle(self, *_: object) -> None:
        """Ignore the answer."""

    def close(self, code: int, reason: str) -> None:
        raise AssertionError

    def pause_reading(self) -> None:
        raise AssertionError

    def resume_reading(self) -> None:
        raise AssertionError

    def abort(self) -> None:
        raise AssertionError

    def end(self) -> None:
        raise AssertionError


def list_gaps(monkeypatch: pytest.MonkeyPatch, delay: float) -> list[list[float]]:
    """Return for each of many idle clients the seconds between its beats, on a loop that is `delay` seconds late."""
    loop, pool = LateLoop(delay), ConnectionPool(SOCKETS)
    clients = [IdleClient(loop) for _ in range(SOCKETS)]
    for client in clients:
        pool.add(client.connection)
    monkeypatch.setattr(connection_pool, "asyncio", loop)
    with pytest.raises(asyncio.CancelledError):
        pool.send_beats(lambda: 0.0).send(None)
    return [[later - sooner for sooner, later in pairwise(client.beats)] for client in clients]


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.19, 0.25, 0.35])
def test_quiet_beats_come_when_they_were_promised_however_late_the_loop_is(
    monkeypatch: pytest.MonkeyPatch, delay: float
) -> None:
    # Half a second is much less than the six that pages allow.
    assert max(max(gaps) for gaps in list_gaps(monkeypatch, delay)) <= QUIET_BEAT_EVERY + 0.5


def test_late_slices_do_not_delay_others_so_that_quiet_sockets_get_a_quarter_of_the_beats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for gaps in list_gaps(monkeypatch, 0.1):
        assert gaps[0] == pytest.approx(BEAT_EVERY, abs=0.5)
        assert gaps[-4:] == pytest.approx([QUIET_BEAT_EVERY] * 4, abs=0.5)
