"""Every fault of the proxy, between a client and an echo server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidMessage

from tests.faults.proxy import HOST, Direction, Fault, FaultPlan, Proxy

TIMEOUT = 20.0


@asynccontextmanager
async def run_proxy(plan: FaultPlan | None = None) -> AsyncIterator[tuple[Proxy, list[str]]]:
    """Run a proxy, without faults unless there is a plan, in front of an echo server during the block.

    Yield the proxy and the list of messages that the server got, which grows.
    """
    received: list[str] = []

    async def echo(connection: ServerConnection) -> None:
        """Note each message and send it back, until the connection ends."""
        async for message in connection:
            received.append(str(message))
            await connection.send(message)

    async with (
        serve(echo, HOST, 0, compression=None) as server,
        Proxy(server.sockets[0].getsockname()[1], plan) as proxy,
    ):
        yield proxy, received


def connect_to(proxy: Proxy) -> connect:
    """Return a connection through the proxy, to be awaited or entered; it sends no messages by itself."""
    return connect(f"ws://{HOST}:{proxy.port}", compression=None, ping_interval=None)


def run_test(test: Callable[[], Awaitable[None]]) -> None:
    """Run an asynchronous test; raise TimeoutError after `TIMEOUT` seconds."""

    async def bounded() -> None:
        await asyncio.wait_for(test(), TIMEOUT)

    asyncio.run(bounded())


async def expect_close(connection: ClientConnection) -> None:
    """Wait until the connection is closed, and fail if a message arrives before."""
    with pytest.raises(ConnectionClosed):
        await connection.recv()


# 3, 200 and 70_000 exercise the three length encodings of WebSocket frames.
@pytest.mark.parametrize("length", [0, 3, 200, 70_000])
def test_messages_of_any_length_are_forwarded(length: int) -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, _), connect_to(proxy) as connection:
            await connection.send("x" * length)
            assert await connection.recv() == "x" * length

    run_test(test)


def test_duplicated_fragmented_message_arrives_twice_as_a_whole_and_the_next_one_once() -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, received), connect_to(proxy) as connection:
            proxy.inject_fault(Fault.DUPLICATE)
            # `websockets` sends a list as one message in three frames.
            await connection.send(["ab", "cd", "ef"])
            assert [await connection.recv(), await connection.recv()] == ["abcdef", "abcdef"]
            await connection.send("next")
            assert await connection.recv() == "next"
            assert received == ["abcdef", "abcdef", "next"]

    run_test(test)


@pytest.mark.parametrize(
    ("fault", "arrives"), [(Fault.CUT_BEFORE, False), (Fault.CUT_AFTER, True), (Fault.TRUNCATE, False)]
)
def test_message_arrives_only_if_the_connection_is_cut_after_it_and_a_new_connection_works(
    fault: Fault, *, arrives: bool
) -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, received):
            async with connect_to(proxy) as connection:
                proxy.inject_fault(fault)
                await connection.send("move")
                await expect_close(connection)
            async with connect_to(proxy) as connection:
                await connection.send("after")
                assert await connection.recv() == "after"
            assert received == (["move", "after"] if arrives else ["after"])
            assert proxy.counts[fault.value] == 1

    run_test(test)


def test_message_arrives_but_its_answer_is_lost_when_the_connection_is_cut_before_the_answer() -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, received), connect_to(proxy) as connection:
            proxy.inject_fault(Fault.CUT_BEFORE, Direction.DOWN)
            await connection.send("move")
            await expect_close(connection)
            assert received == ["move"]

    run_test(test)


def test_blackhole_delays_messages_and_new_connections_until_it_ends() -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, received), connect_to(proxy) as connection:
            hole = asyncio.create_task(proxy.blackhole(0.5))
            # The blackhole begins.
            await asyncio.sleep(0)
            await connection.send("late")
            opening = asyncio.create_task(connect_to(proxy).__aenter__())
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(connection.recv(), 0.2)
            assert received == []
            assert not opening.done()
            await hole
            assert await connection.recv() == "late"
            await (await opening).close()

    run_test(test)


def test_silenced_connection_loses_messages_until_it_is_cut_but_a_new_one_works() -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, received), connect_to(proxy) as connection:
            proxy.silence_connections()
            await connection.send("lost")
            async with connect_to(proxy) as second:
                await second.send("received")
                assert await second.recv() == "received"
            assert received == ["received"]
            proxy.cut_connections()
            await expect_close(connection)

    run_test(test)


def test_injected_silence_loses_the_next_message_and_all_later_ones_of_its_connection() -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, received), connect_to(proxy) as connection:
            proxy.inject_fault(Fault.SILENCE)
            await connection.send("lost")
            await connection.send("lost too")
            async with connect_to(proxy) as second:
                await second.send("received")
                assert await second.recv() == "received"
            assert received == ["received"]
            # Otherwise closing the dead connection would take as long as the client waits for the server's answer.
            proxy.cut_connections()

    run_test(test)


def test_refusing_proxy_resets_old_and_new_connections_and_works_again_afterwards() -> None:
    async def test() -> None:
        async with run_proxy() as (proxy, _):
            async with connect_to(proxy) as connection:
                refusing = asyncio.create_task(proxy.refuse_connections(0.3))
                await expect_close(connection)
                with pytest.raises((OSError, InvalidMessage)):
                    await connect_to(proxy)
                await refusing
            async with connect_to(proxy) as connection:
                await connection.send("back")
                assert await connection.recv() == "back"

    run_test(test)


def test_fault_plan_is_reproducible_by_its_seed() -> None:
    odds = {Fault.DELAY: 0.3, Fault.DUPLICATE: 0.2}
    first, second_plan = FaultPlan(odds, 7), FaultPlan(odds, 7)
    chosen = [first.choose() for _ in range(500)]
    assert chosen == [second_plan.choose() for _ in range(500)]
    other_plan = FaultPlan(odds, 8)
    assert chosen != [other_plan.choose() for _ in range(500)]
    # 500 draws with these odds contain each fault of the plan, and none besides.
    assert set(chosen) == {None, Fault.DELAY, Fault.DUPLICATE}
