"""The proxy that fails on purpose does what it says, between a client and a server that repeats what it hears."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidMessage

from tests.faults.proxy import HOST, Fault, Plan, Proxy, Way

WITHIN = 20.0


@asynccontextmanager
async def between(plan: Plan | None = None) -> AsyncIterator[tuple[Proxy, list[str]]]:
    """A proxy before a server that notes what it hears and says it back."""
    heard: list[str] = []

    async def echo(connection: ServerConnection) -> None:
        async for message in connection:
            heard.append(str(message))
            await connection.send(message)

    async with (
        serve(echo, HOST, 0, compression=None) as server,
        Proxy(server.sockets[0].getsockname()[1], plan) as proxy,
    ):
        yield proxy, heard


def client(proxy: Proxy) -> connect:
    return connect(f"ws://{HOST}:{proxy.port}", compression=None, ping_interval=None)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(test(), WITHIN)

    asyncio.run(bounded())


async def ends(connection: ClientConnection) -> bool:
    with pytest.raises(ConnectionClosed):
        await connection.recv()
    return True


@pytest.mark.parametrize("length", [0, 3, 200, 70_000])
def test_messages_of_any_length_pass(length: int) -> None:
    async def test() -> None:
        async with between() as (proxy, _), client(proxy) as line:
            await line.send("x" * length)
            assert await line.recv() == "x" * length

    run(test)


def test_a_message_in_fragments_is_doubled_whole() -> None:
    async def test() -> None:
        async with between() as (proxy, heard), client(proxy) as line:
            proxy.strike(Fault.DOUBLE)
            await line.send(["ab", "cd", "ef"])
            assert [await line.recv(), await line.recv()] == ["abcdef", "abcdef"]
            await line.send("next")
            assert await line.recv() == "next"
            assert heard == ["abcdef", "abcdef", "next"]

    run(test)


@pytest.mark.parametrize(
    ("fault", "arrives"), [(Fault.CUT_BEFORE, False), (Fault.CUT_AFTER, True), (Fault.HALVE, False)]
)
def test_a_line_is_cut_before_within_or_after_a_message(fault: Fault, *, arrives: bool) -> None:
    async def test() -> None:
        async with between() as (proxy, heard):
            async with client(proxy) as line:
                proxy.strike(fault)
                await line.send("move")
                assert await ends(line)
            async with client(proxy) as line:
                await line.send("after")
                assert await line.recv() == "after"
            assert heard == (["move", "after"] if arrives else ["after"])
            assert proxy.counts[fault.value] == 1

    run(test)


def test_an_answer_is_lost_with_its_line() -> None:
    async def test() -> None:
        async with between() as (proxy, heard), client(proxy) as line:
            proxy.strike(Fault.CUT_BEFORE, Way.DOWN)
            await line.send("move")
            assert await ends(line)
            assert heard == ["move"]

    run(test)


def test_a_blackhole_keeps_what_was_said_and_takes_new_lines() -> None:
    async def test() -> None:
        async with between() as (proxy, heard), client(proxy) as line:
            hole = asyncio.create_task(proxy.blackhole(0.5))
            await asyncio.sleep(0)
            await line.send("late")
            opening = asyncio.create_task(client(proxy).__aenter__())
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(line.recv(), 0.2)
            assert heard == []
            assert not opening.done()
            await hole
            assert await line.recv() == "late"
            await (await opening).close()

    run(test)


def test_a_silenced_line_is_dead_and_a_new_one_is_not() -> None:
    async def test() -> None:
        async with between() as (proxy, heard), client(proxy) as line:
            proxy.silence()
            await line.send("lost")
            async with client(proxy) as other:
                await other.send("heard")
                assert await other.recv() == "heard"
            assert heard == ["heard"]
            proxy.cut()
            assert await ends(line)

    run(test)


def test_a_line_can_fall_silent_at_a_message() -> None:
    async def test() -> None:
        async with between() as (proxy, heard), client(proxy) as line:
            proxy.strike(Fault.SILENCE)
            await line.send("lost")
            await line.send("lost too")
            async with client(proxy) as other:
                await other.send("heard")
                assert await other.recv() == "heard"
            assert heard == ["heard"]
            proxy.cut()

    run(test)


def test_nobody_is_let_in_while_all_are_refused() -> None:
    async def test() -> None:
        async with between() as (proxy, _):
            async with client(proxy) as line:
                refusing = asyncio.create_task(proxy.refuse(0.3))
                assert await ends(line)
                with pytest.raises((OSError, InvalidMessage)):
                    await client(proxy)
                await refusing
            async with client(proxy) as line:
                await line.send("back")
                assert await line.recv() == "back"

    run(test)


def test_a_plan_is_the_same_for_the_same_seed() -> None:
    odds = {Fault.DELAY: 0.3, Fault.DOUBLE: 0.2}
    first, again = Plan(odds, 7), Plan(odds, 7)
    chosen = [first.choose() for _ in range(500)]
    assert chosen == [again.choose() for _ in range(500)]
    assert set(chosen) == {None, Fault.DELAY, Fault.DOUBLE}
