"""Many servers on one database: what happens on one is seen on the others, once, whatever is lost or killed."""

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.web.realtime.connection import RESTART
from fourcorners.web.store import Store
from tests import servers
from tests.web.client import WAIT, Browser, Socket
from tests.web.processes import Process, add_running_table, create_browser

pytestmark = pytest.mark.compiled
Start = Callable[..., Process]
LEASE = 5.0


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    opened = Store(address)
    yield opened
    opened.close()


@pytest.fixture
def start(address: str, tmp_path: Path) -> Iterator[Start]:
    """Start a server process on the one database."""
    with ExitStack() as stack:
        variables = {"FOURCORNERS_DATABASE": address, "FOURCORNERS_LEASE": f"{LEASE}"}
        yield lambda *options: stack.enter_context(Process(tmp_path, *options, **variables))


def at(browser: Browser, process: Process) -> Browser:
    """Let the same browser ask another server."""
    browser.server = create_browser(process).server
    return browser


def until(line: Socket, plies: int) -> list[str]:
    """Receive until so many moves have been played; return them."""
    while len(line.state["plies"]) < plies:
        line.next()
    return [move for _, move in line.state["plies"]]


def stored(store: Store, table: str) -> list[str]:
    loaded = store.load_table(table)
    assert loaded is not None
    assert [event.version for event in loaded.events] == list(range(1, len(loaded.events) + 1))
    return [event.text for event in loaded.events]


def test_two_servers_and_a_redis_play_one_game(start: Start, store: Store) -> None:
    with ExitStack() as stack:
        address = stack.enter_context(servers.redis())
        one, two = start("--redis", address), start("--redis", address)
        anna, bert = stack.enter_context(create_browser(one)), stack.enter_context(create_browser(two))
        table = add_running_table(store, anna, bert)
        here, there = stack.enter_context(anna.sit(table)), stack.enter_context(bert.sit(table))
        moves = ["a1", "b2", "c3", "d4"]
        for count, move in enumerate(moves):
            line, other = (here, there) if count % 2 == 0 else (there, here)
            line.move(move)
            assert until(other, count + 1) == moves[: count + 1]
        # The same move, sent to both servers at once: by a page that lost its line and came back elsewhere.
        again = stack.enter_context(at(anna, two).sit(table))
        for line in (here, again):
            line.send(type="move", id="once", version=4, move="a2")
        answers = [line.until("done", "stale", "refused") for line in (here, again)]
        assert [(answer["type"], answer["version"]) for answer in answers] == [("done", 5)] * 2
        assert until(there, 5) == [*moves, "a2"]
        # Two moves for one turn: one of them is played, and both servers know which.
        elsewhere = stack.enter_context(at(bert, one).sit(table))
        there.send(type="move", id="this", version=5, move="b1")
        elsewhere.send(type="move", id="that", version=5, move="c1")
        kinds = sorted(line.until("done", "stale", "refused")["type"] for line in (there, elsewhere))
        assert kinds in (["done", "stale"], ["done", "refused"])
        assert until(here, 6) == until(again, 6) == stored(store, table)


def test_who_signs_in_at_one_server_keeps_the_seat_at_all(start: Start, store: Store) -> None:
    with ExitStack() as stack:
        address = stack.enter_context(servers.redis())
        one, two = start("--redis", address), start("--redis", address)
        anna, bert, phone = (
            stack.enter_context(create_browser(two)),
            stack.enter_context(create_browser(two)),
            create_browser(one),
        )
        form = {"new-name": "Bert", "new-password": "four corners", "new-password-again": "four corners"}
        stack.enter_context(phone).http.post("/account/register", data=form)
        table = add_running_table(store, anna, bert)
        here, there = stack.enter_context(anna.sit(table)), stack.enter_context(bert.sit(table))
        form = {"name": "Bert", "password": "four corners"}
        assert bert.http.post(f"{one.url}/account/sign-in", data=form).status_code == 303
        assert there.closed() == RESTART
        back = stack.enter_context(bert.sit(table))
        assert back.state["seats"] == [1]
        here.move("a1")
        until(back, 1)
        back.move("b2")
        assert until(here, 2) == stored(store, table)
        form = {"delete-name": "Bert", "delete-password": "four corners"}
        assert bert.http.post(f"{one.url}/account/delete", data=form).status_code == 303
        assert back.closed() == RESTART
        while not (here.state["over"] and here.state["names"][1] == "deleted player"):
            here.next()


def test_a_redis_that_is_lost_stops_nothing(start: Start, store: Store) -> None:
    with ExitStack() as stack:
        redis = stack.enter_context(ExitStack())
        address = redis.enter_context(servers.redis())
        one, two = start("--redis", address), start("--redis", address)
        anna, bert = stack.enter_context(create_browser(one)), stack.enter_context(create_browser(two))
        table = add_running_table(store, anna, bert)
        here, there = stack.enter_context(anna.sit(table)), stack.enter_context(bert.sit(table))
        here.move("a1")
        until(there, 1)
        redis.close()
        there.move("b2")
        assert until(here, 2) == ["a1", "b2"]
        here.move("c3")
        assert until(there, 3) == stored(store, table)
        here.send(type="say", phrase=0)
        while not (lines := there.until("chat")["lines"]):
            pass
        assert len(lines) == 1


def test_who_was_at_a_killed_server_goes_on_at_another(start: Start, store: Store) -> None:
    one, two = start(), start()
    with create_browser(one) as anna, create_browser(two) as bert:
        table = add_running_table(store, anna, bert)
        with anna.sit(table) as here, bert.sit(table) as there:
            here.move("a1")
            until(there, 1)
            there.move("b2")
            one.kill()
            with at(anna, two).sit(table) as back:
                assert until(back, 2) == ["a1", "b2"]
                back.move("c3")
                assert until(there, 3) == stored(store, table)


def listen(lines: list[Socket], enough: Callable[[], bool]) -> None:
    """Receive on all lines, as each of them has beats to answer, until that is enough."""
    end = time.monotonic() + 2 * WAIT
    while not enough():
        assert time.monotonic() < end
        for line in lines:
            with contextlib.suppress(TimeoutError):
                line.next(0.05)


def legal(line: Socket, options: dict[str, int]) -> str:
    """Return a move that is legal on the board of this line."""
    played = [move for _, move in line.state["plies"]]
    return fc.game("sqez", **options).replay(played).moves()[0]


def told_of_thinking(line: Socket) -> bool:
    """Whether this line was told of it, which only the server that thinks tells."""
    return any(message["type"] == "thinking" for message in line.heard)


def test_one_server_thinks_and_another_takes_over_when_it_is_killed(start: Start, store: Store) -> None:
    processes = [start(), start()]
    # Longer than a lease: who thinks has to renew it.
    options = {"cols": 20, "rows": 20, "players": 3}
    with create_browser(processes[0]) as anna, create_browser(processes[1]) as bert:
        table = add_running_table(store, anna, bert, f"computer:{LEASE + 2:g}s", game="sqez", options=options)
        with anna.sit(table) as here, bert.sit(table) as there:
            lines = [here, there]
            here.move("a1 c3")
            until(there, 1)
            there.move("e1 g3")
            listen(lines, lambda: all(len(line.state["plies"]) == 3 for line in lines))
            assert sorted(map(told_of_thinking, lines)) == [False, True]
            for line in lines:
                line.heard.clear()
            # The computer may have drawn anywhere.
            here.move(legal(here, options))
            until(there, 4)
            there.move(legal(there, options))
            listen(lines, lambda: any(map(told_of_thinking, lines)))
            thinks = [told_of_thinking(line) for line in lines].index(True)
            left = lines[1 - thinks]
            processes[thinks].kill()
            listen([left], lambda: told_of_thinking(left))
            assert len(stored(store, table)) == 5
