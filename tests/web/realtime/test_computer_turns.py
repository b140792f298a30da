"""The computers at the tables: what they keep between moves, and that they stop when nobody wants their move."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.position import View
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine import move_service
from fourcorners.web.engine.move_service import ComputerCache, ProgressMeter
from tests.web.client import WAIT, Browser, Server, Socket

SPEC = fc.game("square-off").spec
LIGHT, HEAVY = Strength(1), Strength(seconds=2.0)


def test_a_computer_is_kept_for_its_next_move_and_no_others() -> None:
    kept = ComputerCache(32)
    first = kept.borrow("table", 0, LIGHT)
    assert len(kept) == 0
    kept.give_back("table", 0, LIGHT, first, SPEC)
    other = kept.borrow("table", 1, LIGHT)
    assert other is not first
    kept.give_back("table", 1, LIGHT, other, SPEC)
    assert kept.borrow("table", 0, LIGHT) is first
    assert kept.borrow("table", 1, Strength(2)) is not other
    assert kept.borrow("table", 0, LIGHT) is not first


def test_only_so_much_is_kept() -> None:
    kept = ComputerCache(32)
    for seat in range(100):
        kept.give_back("light", seat, LIGHT, kept.borrow("light", seat, LIGHT), SPEC)
    assert len(kept) == 32
    for seat in range(3):
        kept.give_back("heavy", seat, HEAVY, kept.borrow("heavy", seat, HEAVY), SPEC)
    # Each heavy one is worth eight light ones, and what was used last stays.
    assert len(kept) == 3 + 8
    last = kept.borrow("light", 99, LIGHT)
    kept.give_back("light", 99, LIGHT, last, SPEC)
    assert kept.borrow("light", 99, LIGHT) is last
    kept.forget_table("light")
    assert len(kept) == 3
    kept.forget_table("heavy")
    assert len(kept) == 0


def test_the_share_is_that_of_the_time_where_time_is_the_limit() -> None:
    counted, timed = ProgressMeter(LIGHT, SPEC), ProgressMeter(Strength(seconds=1e-6), SPEC)
    for meter in (counted, timed):
        assert meter.read() == (0, 0.0)
        meter.start()
        meter.update(SearchProgress(12, 0.1, 0.25))
    assert counted.read() == (12, 0.25)
    assert timed.read() == (12, 1.0)


class Thinker:
    """A computer that thinks until it is told to go on, or to stop."""

    def __init__(self) -> None:
        self.began = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.used: list[weakref.ref[fc.Computer]] = []

    def choose(
        self, player: fc.Computer, view: View, stop: threading.Event, progress: Callable[[SearchProgress], None]
    ) -> str:
        self.used.append(weakref.ref(player))
        progress(SearchProgress(17, 0.1, 0.456))
        self.began.release()
        while not self.go_on.wait(0.005):
            if stop.is_set():
                self.stopped.release()
                break
        return view.moves()[0]


@pytest.fixture
def thinker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Thinker]:
    made = Thinker()
    monkeypatch.setattr("fourcorners.web.engine.move_service.choose_move", made.choose)
    yield made
    made.go_on.set()


def thinking(browser: Browser, thinker: Thinker) -> tuple[str, Socket]:
    """Begin a game in which the computer is at its first answer."""
    table = browser.begin("square-off", size="4", swap="false", seat_0="person", seat_1="computer", level_1="1")
    socket = browser.sit(table)
    socket.move("a1")
    assert thinker.began.acquire(timeout=WAIT)
    return table, socket


@pytest.mark.compiled
def test_progress_tells_how_far_it_is_and_no_more(browser: Browser, thinker: Thinker) -> None:
    _, socket = thinking(browser, thinker)
    with socket:
        assert socket.until("thinking") == {"type": "thinking", "seat": 1, "simulations": 17, "share": 0.46}


@pytest.mark.compiled
@pytest.mark.parametrize("verb", ["resign", "undo"])
def test_a_search_ends_with_its_game(browser: Browser, server: Server, thinker: Thinker, verb: str) -> None:
    _, socket = thinking(browser, thinker)
    with socket:
        assert socket.do(verb, **({"seat": 0} if verb == "resign" else {}))["type"] == "done"
        assert thinker.stopped.acquire(timeout=WAIT)
        socket.until("patch")
        assert [move for _, move in socket.state["plies"]] == (["a1"] if verb == "resign" else [])
        socket.send(type="look", ply=0)
        socket.until("look")
    assert len(server.local_move_service.computers) == 0
    gc.collect()
    assert [used() for used in thinker.used] == [None]


@pytest.mark.compiled
def test_a_search_ends_with_the_last_page_and_begins_again_with_the_next(browser: Browser, thinker: Thinker) -> None:
    table, socket = thinking(browser, thinker)
    with browser.sit(table) as second:
        with socket:
            pass
        # Somebody looks on still.
        assert not thinker.stopped.acquire(timeout=0.1)
        assert second.state["version"] == 1
    assert thinker.stopped.acquire(timeout=WAIT)
    with browser.sit(table) as third:
        assert [move for _, move in third.state["plies"]] == ["a1"]
        assert thinker.began.acquire(timeout=WAIT)
        thinker.go_on.set()
        third.until_mine()
        assert len(third.state["plies"]) == 2


@pytest.mark.compiled
def test_what_was_thought_is_kept_until_the_game_is_over(browser: Browser, server: Server, thinker: Thinker) -> None:
    thinker.go_on.set()
    _, socket = thinking(browser, thinker)
    with socket:
        socket.until_mine()
        assert len(server.local_move_service.computers) == 1
        kept = thinker.used[0]()
        assert kept is not None
        socket.move(socket.state["moves"][0])
        socket.until_mine()
        assert [used() for used in thinker.used] == [kept, kept]
        socket.do("resign", seat=0)
        assert len(server.local_move_service.computers) == 0


@pytest.mark.compiled
@pytest.mark.parametrize("game", ["dots-and-boxes", "square-off", "squendo", "sqez"])
def test_a_minute_of_thinking_ends_when_the_game_is_given_up(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    ended: list[str] = []
    ends = threading.Semaphore(0)

    think = move_service.choose_move

    def choose(*args: Any) -> str:
        ended.append(think(*args))
        ends.release()
        return ended[-1]

    monkeypatch.setattr("fourcorners.web.engine.move_service.choose_move", choose)
    # Too large to be solved at once.
    options = {"cols": "20", "rows": "20"} if game == "sqez" else {}
    table = browser.begin(game, seat_1="computer", level_1="time", **options, **{"seconds-1": "60"})
    with browser.sit(table) as socket:
        socket.move((socket.state["moves"] or ["a1 c3"])[0])
        socket.until("thinking")
        assert ended == []
        assert socket.do("resign", seat=0)["type"] == "done"
        # Long before the minute is over.
        assert ends.acquire(timeout=WAIT)
        assert len(server.local_move_service.computers) == 0
