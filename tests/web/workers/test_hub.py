"""The hub: workers hear of each other, know who has which table in memory, and count together."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest

from fourcorners.web.auth import limits
from fourcorners.web.auth.limits import RateLimit, RateLimiter, RateLimitError
from fourcorners.web.interprocess import frames
from fourcorners.web.interprocess.hub_client import HubClient, Ping, Watch, encode, start_answering_pings
from fourcorners.web.metrics import Metrics
from fourcorners.web.protocol.server_events import ChairsChanged, PlayerSignedOut, ServerEvent, TableChanged
from fourcorners.web.realtime import pubsub
from fourcorners.web.realtime.connection_pool import ConnectionPool
from fourcorners.web.realtime.pubsub import HubEventBus
from fourcorners.web.realtime.worker_exchange import WorkerExchange
from fourcorners.web.workers import hub as hub_module
from fourcorners.web.workers.hub import Hub
from tests.waiting import wait_until


class Worker:
    """A worker's connection to the hub, and its events."""

    def __init__(self, address: str, number: int) -> None:
        self.hub = HubClient(address, number)
        self.bus = HubEventBus(self.hub, is_alone=True)
        self.heard: list[ServerEvent] = []

    async def start(self) -> None:
        await self.bus.start(self.heard.append)
        await self.hub.connect()


class Server:
    """A hub with workers that have been started."""

    def __init__(self, folder: Path) -> None:
        self.hub = Hub()
        self.address = str(folder / "hub")
        self.workers: list[Worker] = []

    async def add_worker(self) -> Worker:
        """Start a worker, and wait until all know each other."""
        worker = Worker(self.address, len(self.workers))
        await worker.start()
        self.workers.append(worker)
        numbers = {each.hub.worker for each in self.workers}
        await wait_for(lambda: all(each.hub.workers | {each.hub.worker} == numbers for each in self.workers))
        return worker


async def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true while the event loop runs."""
    await asyncio.to_thread(wait_until, condition)


@contextlib.asynccontextmanager
async def run_server(folder: Path, workers: int) -> AsyncIterator[Server]:
    server = Server(folder)
    await server.hub.listen(server.address)
    try:
        for _ in range(workers):
            await server.add_worker()
        yield server
    finally:
        for worker in server.workers:
            worker.hub.close()
        server.hub.close()


def count_messages(worker: Worker, messages: list[str]) -> None:
    """Note what a worker hears about tables in memory."""
    worker.hub.subscribe("greeting", lambda *_: messages.append("greeting"))
    worker.hub.subscribe("rooms", lambda _, text: messages.append(f"rooms {text}"))


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def test_events_of_a_table_reach_the_workers_that_have_it_in_memory_and_no_others(tmp_path: Path) -> None:
    async def test() -> None:
        async with run_server(tmp_path, 3) as server:
            one, two, three = server.workers
            await one.bus.open_table("t")
            await two.bus.open_table("t")
            assert [worker.bus.is_shared("t") for worker in server.workers] == [True, True, True]
            one.bus.publish(TableChanged("t", 5))
            one.bus.publish(PlayerSignedOut("p"))
            await wait_for(lambda: len(two.heard) == 2)
            assert two.heard == [TableChanged("t", 5), PlayerSignedOut("p")]
            two.bus.close_table("t")
            await wait_for(lambda: not one.bus.is_shared("t"))
            one.bus.publish(TableChanged("t", 6))
            one.bus.publish(PlayerSignedOut("q"))
            await wait_for(lambda: PlayerSignedOut("q") in two.heard)
            assert TableChanged("t", 6) not in two.heard + three.heard
            assert one.heard == []

    run(test)


def test_once_a_table_is_opened_all_other_workers_know(tmp_path: Path) -> None:
    async def test() -> None:
        async with run_server(tmp_path, 3) as server:
            one, *others = server.workers
            for number in range(20):
                await one.bus.open_table(f"t{number}")
                assert all(other.bus.is_shared(f"t{number}") for other in others)

    run(test)


def test_a_new_worker_learns_what_the_others_have_in_memory(tmp_path: Path) -> None:
    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            await server.workers[0].bus.open_table("t")
            late = await server.add_worker()
            await late.bus.open_table("t")
            assert late.bus.is_shared("t")
            late.bus.publish(ChairsChanged("t"))
            await wait_for(lambda: server.workers[0].heard == [ChairsChanged("t")])

    run(test)


def test_a_worker_that_joins_many_with_thousands_of_tables_costs_one_message_from_each(tmp_path: Path) -> None:
    async def test() -> None:
        async with run_server(tmp_path, 7) as server:
            messages: list[str] = []
            for worker in server.workers:
                worker.bus._here |= {f"table-{worker.hub.worker}-{number}" for number in range(4000)}
                worker.hub.on_lost = lambda: messages.append("lost")
                count_messages(worker, messages)
            late = Worker(server.address, 7)
            count_messages(late, messages)
            await late.start()
            server.workers.append(late)
            tables = [table for worker in server.workers for table in worker.bus._here]
            await wait_for(lambda: all(late.bus.is_shared(table) for table in tables))
            # Whatever else was on its way arrives before this.
            await late.bus.open_table("t")
            assert len(tables) == 28_000
            assert [message for message in messages if not message.endswith("=t")] == 7 * ["greeting"] + 7 * [
                "rooms +t"
            ]
            assert late.hub.workers == set(range(7))

    run(test)


def test_a_worker_that_is_lost_is_forgotten_and_waited_for_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pubsub, "_TIMEOUT", 3600.0)

    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            one, two = server.workers
            await two.bus.open_table("t")
            two.hub._handlers.clear()  # it answers no more
            opening = asyncio.create_task(one.bus.open_table("u"))
            await wait_for(lambda: one.bus.is_shared("t"))
            assert not opening.done()
            two.hub.close()
            server.hub.end_worker(1)
            await opening
            assert not one.bus.is_shared("t")
            assert one.hub.workers == set()

    run(test)


def test_a_worker_that_reads_nothing_is_disconnected_and_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "_MAX_WAITING", 100_000)

    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            one, two = server.workers
            lost: list[bool] = []
            two.hub.on_lost = lambda: lost.append(True)
            hung: list[int] = []
            server.hub.on_hung = hung.append
            transport = get_transport(two)
            transport.pause_reading()
            for _ in range(100):
                one.hub.publish("noise", 10_000 * "x")
                await asyncio.sleep(0)
            await wait_for(lambda: hung == [1])
            # Its process may still commit moves.
            assert one.hub.workers == {1}
            server.hub.end_worker(1)
            await wait_for(lambda: one.hub.workers == set())
            transport.resume_reading()
            await wait_for(lambda: lost == [True])

    run(test)


def test_a_worker_that_does_not_answer_is_silent_then_heard_again_and_one_that_never_does_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "_PING_SECONDS", 0.01)

    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            calls: list[tuple[str, int]] = []
            for name in ("on_silent", "on_heard", "on_hung"):
                setattr(server.hub, name, lambda number, name=name: calls.append((name, number)))
            transport = get_transport(server.workers[1])
            transport.pause_reading()
            await wait_for(lambda: calls == [("on_silent", 1)])
            transport.resume_reading()
            await wait_for(lambda: calls[1:] == [("on_heard", 1)])
            transport.pause_reading()
            await wait_for(lambda: calls[2:] == [("on_silent", 1), ("on_hung", 1)])

    run(test)


def test_opening_a_table_does_not_wait_for_a_worker_that_hangs_and_that_hears_of_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "_PING_SECONDS", 0.01)
    monkeypatch.setattr(pubsub, "_TIMEOUT", 3600.0)

    async def test() -> None:
        async with run_server(tmp_path, 3) as server:
            one, hung, _ = server.workers
            transport = get_transport(hung)
            transport.pause_reading()
            # It is not known yet to hang.
            await one.bus.open_table("t")
            assert one.hub.silent == {1}
            await one.bus.open_table("u")
            late = Worker(server.address, 3)
            await late.start()
            await wait_for(lambda: late.hub.workers == {0, 1, 2} and late.hub.silent == {1})
            await late.bus.open_table("v")
            late.hub.close()
            server.hub.end_worker(3)
            transport.resume_reading()
            await wait_for(lambda: not one.hub.silent and hung.bus.is_shared("t") and hung.bus.is_shared("u"))
            await one.bus.open_table("w")
            assert hung.bus.is_shared("w")

    run(test)


def test_a_process_that_is_no_worker_is_pinged_too_and_the_workers_do_not_count_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "_PING_SECONDS", 0.01)

    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            calls: list[tuple[str, int]] = []
            server.hub.on_silent = lambda number: calls.append(("silent", number))
            server.hub.on_hung = lambda number: calls.append(("hung", number))
            start_answering_pings(server.address, -1)
            stream, mute = await asyncio.open_unix_connection(server.address)
            mute.write(frames.encode_frame(encode(Watch(-2))))
            await wait_for(lambda: calls == [("silent", -2), ("hung", -2)])
            assert [worker.hub.workers for worker in server.workers] == [{1}, {0}]
            # Only pings have arrived, and nothing of what the workers tell each other.
            server.workers[0].hub.publish("noise", "x")
            await server.workers[0].bus.open_table("t")
            mute.close()
            assert set((await stream.read()).split(frames.encode_frame(encode(Ping())))) == {b""}

    run(test)


def test_tables_of_a_lost_worker_stay_shared_until_they_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            one, two = server.workers
            await one.bus.open_table("both")
            await two.bus.open_table("both")
            await two.bus.open_table("there")
            monkeypatch.setattr(pubsub, "_SHARED_AFTER_LOSS", 3600.0)
            two.hub.close()
            server.hub.end_worker(1)
            await wait_for(lambda: one.hub.workers == set())
            assert (one.bus.is_shared("both"), one.bus.is_shared("there")) == (True, False)
            [event] = one.heard
            assert isinstance(event, TableChanged) and event.table_id == "both"
            # After a while nothing of that loss counts any more.
            monkeypatch.setattr(pubsub, "_SHARED_AFTER_LOSS", 0.0)
            one.bus._elsewhere["both"] = {1}
            one.bus._remove_worker(1, "")
            assert one.bus.is_shared("both")
            await wait_for(lambda: not one.bus.is_shared("both"))

    run(test)


def get_transport(worker: Worker) -> asyncio.Transport:
    """Return the transport of a worker's connection."""
    transport = worker.hub._protocol._transport
    assert transport is not None
    return transport


def test_workers_count_requests_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RATE_LIMITS", {"try": RateLimit("Too much.", player="3/hour")})

    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            one, two = (RateLimiter(hub=worker.hub) for worker in server.workers)
            for limiter in (one, two, one):
                await limiter.count("try", player="p")
            with pytest.raises(RateLimitError):
                await two.count("try", player="p")
            await two.count("try", player="q")

    run(test)


def test_without_the_hub_a_worker_counts_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RATE_LIMITS", {"try": RateLimit("Too much.", player="1/hour")})

    async def test() -> None:
        async with run_server(tmp_path, 1) as server:
            limiter = RateLimiter(hub=server.workers[0].hub)
            await limiter.count("try", player="p")
            server.hub.close()
            await wait_for(lambda: not server.workers[0].hub.is_connected)
            await limiter.count("try", player="p")
            with pytest.raises(RateLimitError):
                await limiter.count("try", player="p")

    run(test)


def test_after_a_moment_without_the_hub_workers_count_together_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits, "RATE_LIMITS", {"try": RateLimit("Too much.", player="3/hour")})
    monkeypatch.setattr(limits, "_HUB_RETRY_DELAY", 0.0)

    async def raise_timeout(*_: object) -> None:
        raise TimeoutError

    async def test() -> None:
        async with run_server(tmp_path, 2) as server:
            one, two = (RateLimiter(hub=worker.hub) for worker in server.workers)
            with monkeypatch.context() as patch:
                patch.setattr(server.workers[0].hub, "ask", raise_timeout)
                for _ in range(2):
                    await one.count("try", player="p")
            for limiter in (one, two, one):
                await limiter.count("try", player="p")
            with pytest.raises(RateLimitError):
                await one.count("try", player="p")

    run(test)
    assert caplog.text.count("the hub failed") == 1


def test_a_worker_that_joins_hears_how_many_sockets_the_others_have(tmp_path: Path) -> None:
    class Sockets(list[int]):
        elsewhere = 0

    def exchange(worker: Worker, count: int) -> Sockets:
        sockets = Sockets(range(count))
        WorkerExchange(worker.hub, cast("ConnectionPool", sockets), Metrics(""))
        return sockets

    async def test() -> None:
        async with run_server(tmp_path, 1) as server:
            exchange(server.workers[0], 3)
            for _ in range(2):
                late = Worker(server.address, 1)
                sockets = exchange(late, 0)
                await late.start()
                await wait_for(lambda sockets=sockets: sockets.elsewhere == 3)  # type: ignore[misc]
                late.hub.close()
                server.hub.end_worker(1)

    run(test)
