"""What a server does again and again leaves time for moves."""

import asyncio
from contextlib import ExitStack

import pytest

from fourcorners.web.realtime import background_tasks
from fourcorners.web.realtime.background_tasks import BackgroundTasks
from fourcorners.web.realtime.room import Room
from tests.web.client import WAIT, Browser, Server


def test_rooms_are_brought_up_to_date_a_few_at_a_time_and_without_their_locks(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_tasks, "ROOMS_AT_ONCE", 2)
    catch_up = Room.catch_up
    # In each turn of the event loop; the server updates its rooms too, in its own task.
    counts: list[int] = []
    updates: list[asyncio.Task[None]] = []

    async def catch_up_and_count(room: Room, version: int | None = None, *, wake: bool = True) -> None:
        if asyncio.current_task() in updates:
            counts[-1] += 1
        # Someone's move is being stored there.
        async with room.session.hold_unread():
            await catch_up(room, version, wake=wake)

    async def update_rooms() -> None:
        """Update the rooms while the turns of the loop are counted."""
        counts.append(0)
        updates.append(asyncio.create_task(BackgroundTasks(cold_server.rooms).update_watched_rooms()))
        while not updates[0].done():
            counts.append(0)
            await asyncio.sleep(0)
        await updates[0]

    with Browser(cold_server) as ada, ExitStack() as sockets:
        tables = [ada.begin_table("square-off", seat_0="person", seat_1="person") for _ in range(7)]
        for table in tables:
            sockets.enter_context(ada.open_table(table))
        monkeypatch.setattr(Room, "catch_up", catch_up_and_count)
        asyncio.run_coroutine_threadsafe(update_rooms(), cold_server.loop).result(WAIT)
    assert sum(counts) == 7
    assert max(counts) == 2
