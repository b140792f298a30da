"""No clock is charged for time in which no server could store a move, also if a paused server comes back."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from fourcorners.web.application.context import ServerContext
from fourcorners.web.domain.clocks import Outage, ServerTime
from fourcorners.web.realtime.background_tasks import BackgroundTasks
from fourcorners.web.realtime.computer_turns import ComputerTurns
from fourcorners.web.realtime.heartbeat import GRACE, Heartbeat
from fourcorners.web.store import Store, StoreError
from tests.web.client import WAIT, Browser, Server, seat_two

PAUSE = 500.0


class PausedClock:
    """A clock that runs on only when a test says so; `time` is in seconds."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> PausedClock:
    return PausedClock()


@pytest.fixture
def paused_server(start_cold: Callable[..., Server], clock: PausedClock, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server whose time is that of `clock`, and which records no heartbeats of its own accord, as while paused."""
    monkeypatch.setattr("fourcorners.web.realtime.background_tasks.BEATS_EVERY", 1e6)
    monkeypatch.setattr("fourcorners.web.realtime.background_tasks.FLAGS_EVERY", 1e6)
    return start_cold(server_time=ServerTime(0.0, lambda: 0.0, clock))


def begin_timed_table(browser: Browser) -> str:
    """Set up a game with a minute for each side, in which the browser has seat 0; return its id."""
    return browser.begin_table("square-off", size="4", swap="false", seat_0="person", seat_1="open", clock="60+2")


def flag_clocks(server: Server) -> None:
    """Let the clocks fall that are due."""
    tasks = BackgroundTasks(server.rooms)
    asyncio.run_coroutine_threadsafe(tasks.flag_clocks(), server.loop).result(WAIT)


def test_no_clock_falls_for_the_time_in_which_the_only_server_was_paused(
    paused_server: Server, clock: PausedClock
) -> None:
    with Browser(paused_server) as ada, Browser(paused_server) as bob:
        table = begin_timed_table(ada)
        with ada.open_table(table) as socket, bob.open_table(table) as other:
            assert other.send_command("sit", name="Bob")["type"] == "done"
            while not socket.state["started"]:
                socket.receive_next()
            clock.time += PAUSE
            flag_clocks(paused_server)
            socket.send(type="hello", version=None, viewer=None)
            socket.receive_until("state")
            assert not socket.state["over"]
            socket.move("a1")


def test_move_that_arrives_first_after_a_pause_is_not_charged_for_it(paused_server: Server, clock: PausedClock) -> None:
    with Browser(paused_server) as ada, Browser(paused_server) as bob:
        table = begin_timed_table(ada)
        with ada.open_table(table) as socket, bob.open_table(table) as other:
            assert other.send_command("sit", name="Bob")["type"] == "done"
            while not socket.state["started"]:
                socket.receive_next()
            clock.time += PAUSE
            assert socket.send_command("move", move="a1")["type"] == "done"
            while not socket.state["plies"]:
                socket.receive_next()
            assert not socket.state["over"]
            # The increment is added.
            assert socket.state["clock"]["left"] == [62, 60]


def test_premove_is_not_charged_for_a_pause_that_ends_just_before_it_is_played(
    paused_server: Server, clock: PausedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ComputerTurns._run

    async def pause_and_run(*arguments: Any) -> None:
        """Begin to look for the premove after a pause."""
        clock.time += PAUSE
        await run(*arguments)

    with Browser(paused_server) as first, Browser(paused_server) as second:
        ada, bob = seat_two(first, second, clock="60+2")
        with ada, bob:
            bob.send(type="premoves", seat=1, version=bob.state["version"], ply=0, lines=[[None, "b2"]])
            assert bob.receive_until("premoves", "error").get("lines") == [[None, "b2"]]
            monkeypatch.setattr(ComputerTurns, "_run", pause_and_run)
            ada.move("a1")
            while len(ada.state["plies"]) < 2:
                ada.receive_next()
            assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]
            assert (ada.state["over"], ada.state["clock"]["left"]) == (False, [62, 62])


def make_heartbeat(store: Store, process: str, clock: PausedClock) -> tuple[Heartbeat, list[Outage]]:
    """Return the heartbeat of a server process, and the outages that it knows of."""
    outages: list[Outage] = []
    others: dict[str, Any] = dict.fromkeys(field.name for field in fields(ServerContext))
    used = {"store": store, "process": process, "outages": outages, "time": ServerTime(0.0, lambda: 0.0, clock)}
    return Heartbeat(ServerContext(**{**others, **used})), outages


def test_all_servers_learn_of_an_outage_that_one_of_them_has_recorded(store: Store, clock: PausedClock) -> None:
    """When they find their database again, the first one records the outage."""

    async def lose_database() -> None:
        first, second = (make_heartbeat(store, name, clock) for name in ("first", "second"))
        for beat, _ in (first, second):
            beat.start()
        clock.time += PAUSE
        await first[0].record()
        clock.time += 1.0
        await second[0].record()
        assert first[1] == second[1] == [(0.0, PAUSE)]

    asyncio.run(lose_database())


def test_server_that_was_paused_while_another_one_ran_records_no_outage(store: Store, clock: PausedClock) -> None:
    async def pause() -> None:
        (running, _), (paused, outages) = (make_heartbeat(store, name, clock) for name in ("running", "paused"))
        for beat in (running, paused):
            beat.start()
        for _ in range(10):
            clock.time += GRACE - 1
            await running.record()
        await paused.catch_up()
        assert outages == []

    asyncio.run(pause())


def test_many_commands_after_a_pause_record_one_heartbeat(
    store: Store, clock: PausedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[object] = []
    record = store.record_heartbeat

    def count(*args: Any) -> Any:
        recorded.append(args)
        return record(*args)

    monkeypatch.setattr(store, "record_heartbeat", count)

    async def pause() -> None:
        beat, outages = make_heartbeat(store, "only", clock)
        beat.start()
        await beat.catch_up()
        assert len(recorded) == 1
        clock.time += PAUSE
        await asyncio.gather(*(beat.catch_up() for _ in range(5)))
        assert len(recorded) == 2
        assert outages == [(0.0, PAUSE)]

    asyncio.run(pause())


def test_all_who_wait_while_the_database_is_down_share_one_attempt_and_its_error(
    store: Store, clock: PausedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[object] = []

    def fail(*args: object) -> None:
        """Fail as the store does when the database does not answer."""
        attempts.append(args)
        raise StoreError("no answer")

    async def lose_database() -> None:
        beat, outages = make_heartbeat(store, "only", clock)
        beat.start()
        clock.time += PAUSE
        with monkeypatch.context() as patch:
            patch.setattr(store, "record_heartbeat", fail)
            waiting = (beat.record(), *(beat.catch_up() for _ in range(5)))
            errors = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(error) for error in errors] == [StoreError] * 6
            assert len(attempts) == 1
        await beat.catch_up()
        assert outages == [(0.0, PAUSE)]

    asyncio.run(lose_database())


def test_attempt_goes_on_when_one_of_those_who_wait_for_it_leaves(store: Store, clock: PausedClock) -> None:
    async def leave() -> None:
        beat, outages = make_heartbeat(store, "only", clock)
        beat.start()
        clock.time += PAUSE
        first, second = asyncio.create_task(beat.catch_up()), asyncio.create_task(beat.catch_up())
        await asyncio.sleep(0)
        first.cancel()
        await second
        assert first.cancelled()
        assert outages == [(0.0, PAUSE)]

    asyncio.run(leave())


def test_attempt_that_began_before_a_pause_is_not_enough_after_it(
    store: Store, clock: PausedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, record = threading.Event(), threading.Event(), store.record_heartbeat

    def hold(*args: Any) -> Any:
        """Record a heartbeat once the test says so."""
        begun.set()
        assert go_on.wait(WAIT)
        return record(*args)

    async def pause() -> None:
        beat, outages = make_heartbeat(store, "only", clock)
        beat.start()
        monkeypatch.setattr(store, "record_heartbeat", hold)
        early = asyncio.create_task(beat.record())
        await asyncio.to_thread(begun.wait, WAIT)
        clock.time += PAUSE
        late = asyncio.create_task(beat.catch_up())
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(early, late)
        assert outages == [(0.0, PAUSE)]

    asyncio.run(pause())


def test_command_that_comes_just_when_an_attempt_has_ended_does_not_stop_the_event_loop(
    store: Store, clock: PausedClock
) -> None:
    async def ask_at_once() -> None:
        beat, outages = make_heartbeat(store, "only", clock)
        beat.start()
        before = asyncio.all_tasks()
        early = asyncio.create_task(beat.record())
        await asyncio.sleep(0)
        (attempt,) = asyncio.all_tasks() - before - {early}
        # The attempt reads the time as soon as it runs.
        await asyncio.sleep(0)
        clock.time += PAUSE
        while not attempt.done():  # noqa: ASYNC110  # an event would be set too late
            await asyncio.sleep(0)
        await beat.catch_up()
        assert outages == [(0.0, PAUSE)]

        finished.set()

    # A loop that no longer runs cannot be interrupted, only left behind.
    finished = threading.Event()
    threading.Thread(target=asyncio.run, args=(ask_at_once(),), daemon=True).start()
    assert finished.wait(WAIT)


def test_outages_that_could_not_be_read_are_read_with_the_next_heartbeat(
    store: Store, clock: PausedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        """Fail as the store does when the database does not answer."""
        raise StoreError("no answer")

    async def lose_database() -> None:
        (first, _), (second, outages) = (make_heartbeat(store, name, clock) for name in ("first", "second"))
        for beat in (first, second):
            beat.start()
        clock.time += PAUSE
        await first.record()
        with monkeypatch.context() as patch:
            patch.setattr(store, "list_outages", fail)
            with pytest.raises(StoreError):
                await second.catch_up()
        await second.catch_up()
        assert outages == [(0.0, PAUSE)]

    asyncio.run(lose_database())
