"""Computers at tables: their progress, their search trees, and when they stop thinking."""

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.game import View
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.engine import move_service
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, Socket


class FakeSearch:
    """A search that runs until a test lets it go on, or until it is stopped.

    `began` and `stopped` are released once for each search that begins or is stopped; `used` refers weakly to the
    computer of each search, in order.
    """

    def __init__(self) -> None:
        """Let each search run until `go_on` is set."""
        self.began = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.used: list[weakref.ref[fc.Computer]] = []

    def choose(
        self, player: fc.Computer, view: View, stop: threading.Event, progress: Callable[[SearchProgress], None]
    ) -> str:
        """Stand in for `choose_move`: report progress, wait for `go_on` or `stop`, and return the first legal move."""
        self.used.append(weakref.ref(player))
        progress(SearchProgress(17, 0.1, 0.456))
        self.began.release()
        while not self.go_on.wait(0.005):
            if stop.is_set():
                self.stopped.release()
                break
        return view.moves()[0]


@pytest.fixture
def fake_search(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSearch]:
    """Replace the search of all computers, during one test, by one that the test controls; end it afterwards."""
    search = FakeSearch()
    monkeypatch.setattr("fourcorners.web.engine.move_service.choose_move", search.choose)
    yield search
    search.go_on.set()


def start_thinking(browser: Browser, fake_search: FakeSearch) -> tuple[str, Socket]:
    """Start a game, move at seat 0, and wait until the computer thinks; return the table's id and the open socket."""
    table = browser.begin_table("square-off", size="4", swap="false", seat_0="person", seat_1="computer", level_1="1")
    socket = browser.open_table(table)
    socket.move("a1")
    assert fake_search.began.acquire(timeout=WAIT)
    return table, socket


@pytest.mark.compiled
def test_progress_message_has_the_seat_the_simulations_and_the_rounded_share(
    browser: Browser, fake_search: FakeSearch
) -> None:
    _, socket = start_thinking(browser, fake_search)
    with socket:
        progress = {"seat": 1, "simulations": 17, "share": 0.46, "preparing": False}
        assert socket.receive_until("computer-progress") == {"type": "computer-progress", **progress}


@pytest.mark.compiled
@pytest.mark.parametrize("verb", ["resign", "undo"])
def test_resign_and_undo_stop_the_search_and_drop_its_tree(
    browser: Browser, server: Server, fake_search: FakeSearch, verb: str
) -> None:
    _, socket = start_thinking(browser, fake_search)
    with socket:
        assert socket.send_command(verb, **({"seat": 0} if verb == "resign" else {}))["type"] == "done"
        assert fake_search.stopped.acquire(timeout=WAIT)
        socket.receive_until("patch")
        assert [move for _, move in socket.state["plies"]] == (["a1"] if verb == "resign" else [])
        # After this round trip the server has handled the end of the search.
        socket.send(type="look", ply=0)
        socket.receive_until("look")
    # Neither the cache nor anything else keeps the computer with its search tree.
    assert len(server.local_move_service.computers) == 0

    def is_forgotten() -> bool:
        """Return whether the computer is gone; the thread of the search may have been the last to hold it."""
        gc.collect()
        return [used() for used in fake_search.used] == [None]

    wait_until(is_forgotten)


@pytest.mark.compiled
def test_search_stops_with_the_last_watcher_and_restarts_with_the_next(
    browser: Browser, fake_search: FakeSearch
) -> None:
    table, socket = start_thinking(browser, fake_search)
    with browser.open_table(table) as second:
        with socket:
            pass
        # The first page is closed, but the second one still watches.
        assert not fake_search.stopped.acquire(timeout=0.1)
        assert second.state["version"] == 1
    assert fake_search.stopped.acquire(timeout=WAIT)
    with browser.open_table(table) as third:
        assert [move for _, move in third.state["plies"]] == ["a1"]
        assert fake_search.began.acquire(timeout=WAIT)
        fake_search.go_on.set()
        third.receive_until_mine()
        assert len(third.state["plies"]) == 2


@pytest.mark.compiled
def test_computer_with_its_search_tree_is_kept_between_moves_until_the_game_is_over(
    browser: Browser, server: Server, fake_search: FakeSearch
) -> None:
    fake_search.go_on.set()
    _, socket = start_thinking(browser, fake_search)
    with socket:
        socket.receive_until_mine()
        assert len(server.local_move_service.computers) == 1
        kept = fake_search.used[0]()
        assert kept is not None
        socket.move(socket.state["moves"][0])
        socket.receive_until_mine()
        assert [used() for used in fake_search.used] == [kept, kept]
        socket.send_command("resign", seat=0)
        assert len(server.local_move_service.computers) == 0


@pytest.mark.compiled
@pytest.mark.parametrize("game", ["dots-and-boxes", "square-off", "squendo", "sqez"])
def test_real_search_of_a_minute_stops_when_the_player_resigns(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    ended: list[str] = []
    ends = threading.Semaphore(0)

    think = move_service.choose_move

    def choose(*args: Any) -> str:
        """Search as usual, and note the move once the search has ended."""
        ended.append(think(*args))
        ends.release()
        return ended[-1]

    monkeypatch.setattr("fourcorners.web.engine.move_service.choose_move", choose)
    # The board must be too large for the solver, or the search would end early.
    options = {"cols": "20", "rows": "20"} if game == "sqez" else {}
    table = browser.begin_table(game, seat_1="computer", level_1="time", **options, **{"seconds-1": "60"})
    with browser.open_table(table) as socket:
        # In Sqez on 20 x 20 there are too many moves to be sent.
        socket.move((socket.state["moves"] or ["a1 c3"])[0])
        socket.receive_until("computer-progress")
        assert ended == []
        assert socket.send_command("resign", seat=0)["type"] == "done"
        # This must happen long before the minute is over.
        assert ends.acquire(timeout=WAIT)
        assert len(server.local_move_service.computers) == 0
