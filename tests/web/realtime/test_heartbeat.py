"""No clock is charged for time in which no server could store a move, also if a paused server comes back."""

import asyncio
import threading
from dataclasses import fields
from typing import Any

import pytest

from fourcorners.web.application.context import ServerContext
from fourcorners.web.domain.clocks import Outage, ServerTime
from fourcorners.web.realtime.background_tasks import BackgroundTasks
from fourcorners.web.realtime.computer_turns import ComputerTurns
from fourcorners.web.realtime.heartbeat import GRACE, Heartbeat
from fourcorners.web.store import Store, StoreError
from tests.clock import Clock
from tests.web.client import WAIT, Browser, Server, StartServer, seat_two

PAUSE = 500.0


@pytest.fixture
def clock() -> Clock:
    return Clock(1000.0)


@pytest.fixture
def paused_server(start_cold: StartServer, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server whose time is that of `clock`, and which records no heartbeats by itself, as while paused."""
    monkeypatch.setattr("fourcorners.web.realtime.background_tasks.BEATS_EVERY", 1e6)
    monkeypatch.setattr("fourcorners.web.realtime.background_tasks.FLAGS_EVERY", 1e6)
    return start_cold(server_time=ServerTime(0.0, lambda: 0.0, clock))


def flag_clocks(server: Server) -> None:
    """Let the clocks fall that are due."""
    tasks = BackgroundTasks(server.rooms)
    asyncio.run_coroutine_threadsafe(tasks.flag_clocks(), server.loop).result(WAIT)


def test_no_clock_falls_for_the_time_in_which_the_only_server_was_paused(paused_server: Server, clock: Clock) -> None:
    with Browser(paused_server) as ada, Browser(paused_server) as bob:
        socket, other = seat_two(ada, bob, clock="60+2")
        with socket, other:
            clock.time += PAUSE
            flag_clocks(paused_server)
            socket.send(type="hello", version=None, viewer=None)
            socket.receive_until("state")
            assert not socket.state["over"]
            socket.move("a1")


def test_move_that_arrives_first_after_a_pause_is_not_charged_for_it(paused_server: Server, clock: Clock) -> None:
    with Browser(paused_server) as ada, Browser(paused_server) as bob:
        socket, other = seat_two(ada, bob, clock="60+2")
        with socket, other:
            clock.time += PAUSE
            assert socket.send_command("move", move="a1")["type"] == "done"
            while not socket.state["plies"]:
                socket.receive_next()
            assert not socket.state["over"]
            # The increment is added.
            assert socket.state["clock"]["left"] == [62, 60]


def test_premove_is_not_charged_for_a_pause_that_ends_just_before_it_is_played(
    paused_server: Server, clock: Clock, monkeypatch: pytest.MonkeyPatch
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


def start_heartbeat(store: Store, process: str, clock: Clock) -> tuple[Heartbeat, list[Outage]]:
    """Start the heartbeat of a server process; return it, and the outages that it knows of."""
    outages: list[Outage] = []
    others: dict[str, Any] = dict.fromkeys(field.name for field in fields(ServerContext))
    used = {"store": store, "process": process, "outages": outages, "time": ServerTime(0.0, lambda: 0.0, clock)}
    beat = Heartbeat(ServerContext(**{**others, **used}))
    beat.start()
    return beat, outages


async def test_all_servers_learn_of_an_outage_that_one_of_them_has_recorded(store: Store, clock: Clock) -> None:
    """When they find their database again, the first one records the outage."""

    first, second = (start_heartbeat(store, name, clock) for name in ("first", "second"))
    clock.time += PAUSE
    await first[0].record()
    clock.time += 1.0
    await second[0].record()
    assert first[1] == second[1] == [(0.0, PAUSE)]


async def test_server_that_was_paused_while_another_one_ran_records_no_outage(store: Store, clock: Clock) -> None:
    (running, _), (paused, outages) = (start_heartbeat(store, name, clock) for name in ("running", "paused"))
    for _ in range(10):
        clock.time += GRACE - 1
        await running.record()
    await paused.catch_up()
    assert outages == []


async def test_many_commands_after_a_pause_record_one_heartbeat(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[object] = []
    record = store.record_heartbeat

    def count(*args: Any) -> Any:
        recorded.append(args)
        return record(*args)

    monkeypatch.setattr(store, "record_heartbeat", count)

    beat, outages = start_heartbeat(store, "only", clock)
    await beat.catch_up()
    assert len(recorded) == 1
    clock.time += PAUSE
    await asyncio.gather(*(beat.catch_up() for _ in range(5)))
    assert len(recorded) == 2
    assert outages == [(0.0, PAUSE)]


async def test_all_who_wait_while_the_database_is_down_share_one_attempt_and_its_error(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[object] = []

    def fail(*args: object) -> None:
        """Fail as the store does when the database does not answer."""
        attempts.append(args)
        raise StoreError("no answer")

    beat, outages = start_heartbeat(store, "only", clock)
    clock.time += PAUSE
    with monkeypatch.context() as patch:
        patch.setattr(store, "record_heartbeat", fail)
        waiting = (beat.record(), *(beat.catch_up() for _ in range(5)))
        errors = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(error) for error in errors] == [StoreError] * 6
        assert len(attempts) == 1
    await beat.catch_up()
    assert outages == [(0.0, PAUSE)]


async def test_attempt_goes_on_when_one_of_those_who_wait_for_it_leaves(store: Store, clock: Clock) -> None:
    beat, outages = start_heartbeat(store, "only", clock)
    clock.time += PAUSE
    first, second = asyncio.create_task(beat.catch_up()), asyncio.create_task(beat.catch_up())
    await asyncio.sleep(0)
    first.cancel()
    await second
    assert first.cancelled()
    assert outages == [(0.0, PAUSE)]


async def test_attempt_that_began_before_a_pause_is_not_enough_after_it(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, record = threading.Event(), threading.Event(), store.record_heartbeat

    def hold(*args: Any) -> Any:
        """Record a heartbeat once the test says so."""
        begun.set()
        assert go_on.wait(WAIT)
        return record(*args)

    beat, outages = start_heartbeat(store, "only", clock)
    monkeypatch.setattr(store, "record_heartbeat", hold)
    early = asyncio.create_task(beat.record())
    await asyncio.to_thread(begun.wait, WAIT)
    clock.time += PAUSE
    late = asyncio.create_task(beat.catch_up())
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(early, late)
    assert outages == [(0.0, PAUSE)]


def test_command_that_comes_just_when_an_attempt_has_ended_does_not_stop_the_event_loop(
    store: Store, clock: Clock
) -> None:
    async def ask_at_once() -> None:
        beat, outages = start_heartbeat(store, "only", clock)
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


async def test_outages_that_could_not_be_read_are_read_with_the_next_heartbeat(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        """Fail as the store does when the database does not answer."""
        raise StoreError("no answer")

    (first, _), (second, outages) = (start_heartbeat(store, name, clock) for name in ("first", "second"))
    clock.time += PAUSE
    await first.record()
    with monkeypatch.context() as patch:
        patch.setattr(store, "list_outages", fail)
        with pytest.raises(StoreError):
            await second.catch_up()
    await second.catch_up()
    assert outages == [(0.0, PAUSE)]
