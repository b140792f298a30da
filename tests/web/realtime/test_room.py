"""Several people at one table: seats, clocks, draws, takebacks, premoves, chat and rematches; tests set the clock."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.engine.warmup import Warmup
from tests.web.client import Browser, Json, Server, Socket

pytestmark = pytest.mark.compiled


class FakeClock:
    """A clock, in seconds, that stands still until a test sets `time`."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture(scope="module")
def fake_clock() -> FakeClock:
    """The clock of `timed_server`, which the tests of this module share and only advance."""
    return FakeClock()


@pytest.fixture(scope="module")
def timed_server(tmp_path_factory: pytest.TempPathFactory, compiled: None, fake_clock: FakeClock) -> Iterator[Server]:
    """A server for all tests of this module, whose time is that of `fake_clock`; everything is compiled already."""
    with pytest.MonkeyPatch.context() as patch:
        # A late heartbeat would turn the time that a test lets pass into an outage.
        patch.setattr("fourcorners.web.realtime.background_tasks.BEATS_EVERY", 1e6)
        patch.setattr(Warmup, "start", lambda self: self.done.set_result(None))
        with Server(
            tmp_path_factory.mktemp("company"), server_time=ServerTime(0.0, lambda: 0.0, fake_clock)
        ) as running:
            yield running


@pytest.fixture
def people(timed_server: Server) -> Iterator[list[Browser]]:
    """Four browsers with their own cookies, new for each test."""
    with ExitStack() as stack:
        yield [stack.enter_context(Browser(timed_server)) for _ in range(4)]


def create_open_table(host: Browser, game: str = "square-off", **form: str) -> str:
    """Set up a table with the host as Ada at seat 0 and open seats besides; `form` adds fields. Return its id."""
    open_ = {f"seat_{seat}": "open" for seat in range(1, int(form.get("players", "2")))}
    usual = {"size": "4", "swap": "false"} if game == "square-off" else {}
    return host.begin(game, **{**usual, **form}, seat_0="person", **open_, **{"name-0": "Ada"})


@pytest.fixture
def ada_and_bo(people: list[Browser]) -> Iterator[tuple[Socket, Socket]]:
    """The sockets of Ada (seat 0) and Bo (seat 1) at a new game of Square Off, closed after the test."""
    with ExitStack() as stack:
        yield seat_two(stack, people)


def seat_two(stack: ExitStack, people: list[Browser], **form: str) -> tuple[Socket, Socket]:
    """Begin a game of Square Off between the first two browsers, with fields of the form; return Ada's and Bo's socket.

    The stack closes the sockets.
    """
    table = create_open_table(people[0], "square-off", **form)
    ada, bo = (stack.enter_context(one.open_table(table)) for one in people[:2])
    assert bo.send_command("sit", name="Bo")["type"] == "done"
    synchronise(ada, bo)
    assert ada.state["started"]
    return ada, bo


def synchronise(*sockets: Socket) -> None:
    """Say hello at all sockets again, so that they show the whole table; fail unless all show the newest version."""
    newest = max(socket.state["version"] for socket in sockets)
    for socket in sockets:
        socket.send(type="hello", version=None, viewer=None)
        socket.until("state")
        newest = max(newest, socket.state["version"])
    assert all(socket.state["version"] == newest for socket in sockets)


def send_and_synchronise(socket: Socket, *others: Socket, verb: str, **more: Any) -> Json:
    """Send a command from a socket, bring all sockets to the newest version, and return the answer to the command."""
    answer = socket.send_command(verb, **more)
    synchronise(socket, *others)
    return answer


def test_visitor_who_takes_the_last_open_seat_starts_the_game(people: list[Browser]) -> None:
    table = create_open_table(people[0])
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo, people[2].open_table(table) as cy:
        assert not ada.state["started"]
        assert ada.state["seat"] is None
        assert ada.state["moves"] == []
        assert ada.send_command("move", move="a1")["code"] == "not-started"
        assert "sit" in bo.state["may"]
        assert bo.send_command("sit", name="  Bo\n<b> ")["type"] == "done"
        synchronise(ada, bo, cy)
        assert ada.state["names"] == ["Ada", "Bo <b>"]
        assert ada.state["started"]
        assert cy.send_command("sit")["code"] == "taken"
        assert cy.send_command("move", move="a1")["code"] == "not-yours"
        assert bo.send_command("move", move="a1")["code"] == "not-your-turn"
        ada.move("a1")
        synchronise(ada, bo, cy)
        assert bo.state["mine"]
        assert not cy.state["mine"]


def test_equal_names_are_numbered_nobody_sits_twice_and_only_the_host_adds_computers(people: list[Browser]) -> None:
    table = create_open_table(people[0], "sqez", players="3")
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo:
        assert send_and_synchronise(bo, ada, verb="sit", name="Ada")["type"] == "done"
        assert bo.state["names"][:2] == ["Ada", "Ada 2"]
        assert bo.send_command("sit", seat=2)["code"] == "seated"
        assert send_and_synchronise(bo, ada, verb="stand", seat=1)["type"] == "done"
        assert [chair["taken"] for chair in ada.state["chairs"]] == [True, False, False]
        assert bo.send_command("computer", seat=1, kind="computer:1")["code"] == "not-yours"
        assert ada.send_command("computer", seat=1, kind="computer:99")["code"] == "level"
        assert send_and_synchronise(ada, bo, verb="computer", seat=1, kind="computer:1")["type"] == "done"
        assert send_and_synchronise(bo, ada, verb="sit", seat=2, name="Bo")["type"] == "done"
        assert ada.state["started"]
        assert bo.send_command("stand", seat=2)["code"] == "started"


def test_draw_offer_does_not_make_a_move_stale_and_can_be_declined_or_accepted(
    ada_and_bo: tuple[Socket, Socket],
) -> None:
    ada, bo = ada_and_bo
    version = ada.state["version"]
    assert send_and_synchronise(bo, ada, verb="offer-draw", seat=1)["type"] == "done"
    assert ada.state["draw"] == 1
    ada.send(type="move", id="before", version=version, move="a1")
    assert ada.until("done", "stale")["type"] == "done"
    synchronise(ada, bo)
    # Playing on declines the offer.
    assert ada.state["draw"] is None
    send_and_synchronise(bo, ada, verb="offer-draw", seat=1)
    assert send_and_synchronise(ada, bo, verb="answer-draw", seat=0, accept=True)["type"] == "done"
    assert ada.state["over"]
    assert ada.state["outcome"]["winners"] == [0, 1]


def test_move_for_an_older_board_is_stale(ada_and_bo: tuple[Socket, Socket]) -> None:
    ada, bo = ada_and_bo
    ada.move("a1")
    ada.send(type="move", id="late", version=bo.state["version"], move="b2")
    assert ada.until("stale", "done", "refused")["type"] == "stale"


def test_take_back_needs_the_agreement_of_the_others(ada_and_bo: tuple[Socket, Socket]) -> None:
    ada, bo = ada_and_bo
    assert ada.send_command("ask-undo", seat=0)["code"] == "no-undo"
    ada.move("a1")
    synchronise(ada, bo)
    bo.move("b2")
    synchronise(ada, bo)
    assert ada.send_command("undo")["code"] == "ask-undo"
    assert send_and_synchronise(ada, bo, verb="ask-undo", seat=0)["type"] == "done"
    assert bo.state["undo_asked"] == {"by": 0, "ply": 0, "missing": [1]}
    assert ada.send_command("answer-undo", seat=0, accept=True)["code"] == "no-undo-asked"
    assert send_and_synchronise(bo, ada, verb="answer-undo", seat=1, accept=False)["type"] == "done"
    assert ada.state["undo_asked"] is None
    assert len(ada.state["plies"]) == 2
    send_and_synchronise(ada, bo, verb="ask-undo", seat=0)
    assert send_and_synchronise(bo, ada, verb="answer-undo", seat=1, accept=True)["type"] == "done"
    assert ada.state["plies"] == []
    assert ada.state["mine"]


def test_clock_falls_while_nobody_is_connected(people: list[Browser], fake_clock: FakeClock) -> None:
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people, clock="60+2")
        table = ada.table
        assert ada.state["clock"]["left"] == [60, 60]
        fake_clock.time += 20
        ada.move("a1")
        synchronise(ada, bo)
        # Ada has used 20 of 60 seconds and gained 2.
        assert ada.state["clock"]["left"] == [42, 60]
        assert ada.state["clock"]["running"] == 1
    # Bo's 60 seconds, the second that a clock waits for a late move, and a little more.
    fake_clock.time += 63
    with people[2].open_table(table) as cy:
        while not cy.state["over"]:
            cy.next()
        assert cy.state["result"].startswith("seat 0 wins")
        assert "ran out of time" in cy.state["outcome"]["reason"]


def test_move_after_the_deadline_is_refused(people: list[Browser], fake_clock: FakeClock) -> None:
    with ExitStack() as stack:
        ada, _ = seat_two(stack, people, clock="60+0")
        # The move may arrive before or after the server looks for fallen clocks.
        version = ada.state["version"]
        fake_clock.time += 63
        ada.send(type="move", id="x", version=version, move="a1")
        answer = ada.until("refused", "stale")
        assert answer["type"] == "stale" or answer["code"] in {"time", "game-over"}
        while not ada.state["over"]:
            ada.next()
        assert ada.state["outcome"]["winners"] == [1]


def test_each_turn_has_its_full_days(people: list[Browser], fake_clock: FakeClock) -> None:
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people, clock="3d")
        fake_clock.time += 2 * 86400
        ada.move("a1")
        synchronise(ada, bo)
        assert ada.state["clock"]["left"] == [3 * 86400] * 2


def test_rated_game_with_a_computer_allows_no_undo_and_no_hints(people: list[Browser]) -> None:
    table = create_open_table(people[0], rated="true")
    with people[0].open_table(table) as ada:
        send_and_synchronise(ada, verb="computer", seat=1, kind="computer:1")
        ada.move("a1")
        while len(ada.state["plies"]) < 2:
            ada.next()
        assert "undo" not in ada.state["may"]
        assert ada.send_command("undo")["code"] == "rated"
        ada.send(type="hint", id="h", version=ada.state["version"])
        assert "rated games" in ada.until("hint")["sentence"]


def test_premove_line_is_played_over_several_turns(ada_and_bo: tuple[Socket, Socket]) -> None:
    ada, bo = ada_and_bo
    bo.send(type="plan", seat=1, version=bo.state["version"], ply=0, lines=[[None, "b2", None, "c3"]])
    assert bo.until("plan")["lines"] == [[None, "b2", None, "c3"]]
    ada.move("a1")
    while len(ada.state["plies"]) < 2:
        ada.next()
    assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]
    assert not any(message["type"] == "plan" for message in ada.heard)
    ada.move("d4")
    while len(ada.state["plies"]) < 4:
        ada.next()
    assert ada.state["plies"][-1] == [1, "c3"]


def test_illegal_premove_is_dropped_and_premoves_of_another_seat_are_refused(ada_and_bo: tuple[Socket, Socket]) -> None:
    ada, bo = ada_and_bo
    bo.send(type="plan", seat=1, version=bo.state["version"], ply=0, lines=[[None, "a1"]])
    bo.until("plan")
    ada.move("a1")
    assert "was not played" in bo.until("bad")["sentence"]
    synchronise(ada, bo)
    assert len(bo.state["plies"]) == 1
    ada.send(type="plan", seat=1, version=ada.state["version"], ply=1, lines=[[None, "b2"]])
    assert "not yours" in ada.until("bad")["sentence"]


def test_rematch_rotates_and_reserves_the_seats(ada_and_bo: tuple[Socket, Socket], people: list[Browser]) -> None:
    ada, bo = ada_and_bo
    send_and_synchronise(ada, bo, verb="resign", seat=0)
    assert bo.state["outcome"]["winners"] == [1]
    assert send_and_synchronise(bo, ada, verb="again")["type"] == "done"
    assert ada.send_command("again")["code"] == "again"
    again = ada.state["again"]
    with (
        people[2].open_table(again) as cy,
        people[1].open_table(again) as bo_again,
        people[0].open_table(again) as ada_again,
    ):
        assert cy.send_command("sit")["code"] == "taken"
        assert bo_again.state["names"] == ["Bo", "Ada"]
        assert not bo_again.state["started"]
        assert send_and_synchronise(ada_again, bo_again, cy, verb="sit", name="Ada")["type"] == "done"
        assert cy.state["started"]


def test_computer_replaces_a_player_who_resigns_among_three(people: list[Browser]) -> None:
    table = create_open_table(people[0], "sqez", players="3", cols="6", rows="6")
    with ExitStack() as stack:
        ada, bo, cy = (stack.enter_context(one.open_table(table)) for one in people[:3])
        bo.send_command("sit", name="Bo")
        cy.send_command("sit", name="Cy")
        synchronise(ada, bo, cy)
        assert ada.send_command("resign", seat=0)["type"] == "done"
        while bo.state["seat"] != 1 and not bo.state["over"]:
            bo.next()
        assert bo.state["plies"][0][0] == 0
        ada.send(type="hello", version=None, viewer=None)
        ada.until("state")
        assert ada.send_command("move", move=bo.state["moves"][0])["type"] == "refused"


def test_table_takes_phrases_by_default_and_free_text_if_set_up_for_it(people: list[Browser]) -> None:
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people)
        ada.send(type="say", phrase=0)
        bo.until("chat")
        while not bo.heard[-1].get("lines"):
            bo.until("chat")
        line = bo.heard[-1]["lines"][-1]
        assert (line["name"], line["seat"], line["mine"]) == ("Ada", 0, False)
        ada.send(type="say", text="free <b>")
        assert "phrases" in ada.until("bad")["sentence"]
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people, chat="free")
        ada.send(type="say", text="free <b>")
        while not bo.heard[-1].get("lines"):
            bo.until("chat")
        assert bo.heard[-1]["lines"][-1]["text"] == "free <b>"


def test_hands_stay_hidden_until_the_game_begins(people: list[Browser]) -> None:
    table = create_open_table(people[0], "squendo")
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo, people[2].open_table(table) as cy:
        assert [one.state["viewer"] for one in (ada, bo, cy)] == [None, None, None]
        bo.send_command("sit", name="Bo")
        synchronise(ada, bo, cy)
        assert [one.state["viewer"] for one in (ada, bo, cy)] == [0, 1, None]
