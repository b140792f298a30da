"""Several people at one table: seats, clocks, draws, takebacks, premoves, chat and rematches; tests set the clock."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.realtime.connection import Connection
from tests.clock import Clock
from tests.web.client import Browser, Json, Server, Socket

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def fake_clock() -> Clock:
    """The clock of `timed_server`, which the tests of this module share and only advance."""
    return Clock(1_000_000.0)


@pytest.fixture(scope="module")
def timed_server(tmp_path_factory: pytest.TempPathFactory, compiled: None, fake_clock: Clock) -> Iterator[Server]:
    """A server for all tests of this module, whose time is that of `fake_clock`; everything is compiled already."""
    with pytest.MonkeyPatch.context() as patch:
        # A late heartbeat would turn the time that a test lets pass into an outage.
        patch.setattr("fourcorners.web.realtime.background_tasks.BEATS_EVERY", 1e6)
        patch.setattr("fourcorners.web.realtime.heartbeat.GRACE", 1e9)
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
    """Set up a table with the host as Ada at seat 0 and open seats besides; return its id.

    `form` has further fields, such as `players` for more than two. Square Off is played on 4 x 4 without a swap.
    """
    open_ = {f"seat_{seat}": "open" for seat in range(1, int(form.get("players", "2")))}
    usual = {"size": "4", "swap": "false"} if game == "square-off" else {}
    return host.begin_table(game, **{**usual, **form}, seat_0="person", **open_, **{"name-0": "Ada"})


@pytest.fixture
def ada_and_bo(people: list[Browser]) -> Iterator[tuple[Socket, Socket]]:
    """The sockets of Ada (seat 0) and Bo (seat 1) at a new game of Square Off, closed after the test."""
    with ExitStack() as stack:
        yield seat_two(stack, people)


def seat_two(stack: ExitStack, people: list[Browser], **form: str) -> tuple[Socket, Socket]:
    """Begin a game of Square Off between the first two browsers, as Ada (seat 0) and Bo; return their sockets.

    `form` has further fields of the form, such as `clock`. The stack closes the sockets.
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
        socket.receive_until("state")
        newest = max(newest, socket.state["version"])
    assert all(socket.state["version"] == newest for socket in sockets)


def send_and_synchronise(socket: Socket, *others: Socket, verb: str, **more: Any) -> Json:
    """Send a command from a socket, bring all sockets to the newest version, and return the answer to the command."""
    answer = socket.send_command(verb, **more)
    synchronise(socket, *others)
    return answer


def test_visitor_who_takes_the_last_open_seat_starts_the_game_under_a_cleaned_name(people: list[Browser]) -> None:
    table = create_open_table(people[0])
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo:
        # No one is to move before the game has started, not even the host at seat 0.
        assert not ada.state["started"]
        assert ada.state["seat"] is None
        assert ada.state["moves"] == []
        assert ada.send_command("move", move="a1")["code"] == "not-started"
        assert "sit" in bo.state["may"]
        # White space is trimmed; the page shows the rest as text, so that <b> does no harm.
        assert bo.send_command("sit", name="  Bo\n<b> ")["type"] == "done"
        synchronise(ada, bo)
        assert ada.state["names"] == ["Ada", "Bo <b>"]
        assert ada.state["started"]


def test_only_the_player_whose_turn_it_is_can_move_and_a_spectator_finds_no_open_seat(people: list[Browser]) -> None:
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people)
        cy = stack.enter_context(people[2].open_table(ada.table))
        assert cy.send_command("sit")["code"] == "taken"
        assert cy.send_command("move", move="a1")["code"] == "not-yours"
        assert bo.send_command("move", move="a1")["code"] == "not-your-turn"
        ada.move("a1")
        synchronise(ada, bo, cy)
        assert [one.state["mine"] for one in (ada, bo, cy)] == [False, True, False]


def test_equal_names_are_numbered_and_no_player_sits_twice(people: list[Browser]) -> None:
    table = create_open_table(people[0], "sqez", players="3")
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo:
        assert send_and_synchronise(bo, ada, verb="sit", name="Ada")["type"] == "done"
        assert bo.state["names"][:2] == ["Ada", "Ada 2"]
        assert bo.send_command("sit", seat=2)["code"] == "seated"


def test_seat_can_be_left_only_before_the_game_has_started(people: list[Browser]) -> None:
    table = create_open_table(people[0], "sqez", players="3")
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo, people[2].open_table(table) as cy:
        send_and_synchronise(bo, ada, verb="sit", seat=1, name="Bo")
        assert send_and_synchronise(bo, ada, cy, verb="leave-seat", seat=1)["type"] == "done"
        assert [chair["taken"] for chair in ada.state["chairs"]] == [True, False, False]
        send_and_synchronise(bo, ada, cy, verb="sit", seat=1, name="Bo")
        send_and_synchronise(cy, ada, bo, verb="sit", seat=2, name="Cy")
        assert ada.state["started"]
        assert bo.send_command("leave-seat", seat=1)["code"] == "started"


def test_only_the_host_adds_computers_of_existing_levels(people: list[Browser]) -> None:
    table = create_open_table(people[0], "sqez", players="3")
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo:
        assert bo.send_command("add-computer", seat=1, kind="computer:1")["code"] == "not-yours"
        assert ada.send_command("add-computer", seat=1, kind="computer:99")["code"] == "level"
        assert send_and_synchronise(ada, bo, verb="add-computer", seat=1, kind="computer:1")["type"] == "done"
        assert not ada.state["started"]
        assert send_and_synchronise(bo, ada, verb="sit", seat=2, name="Bo")["type"] == "done"
        assert ada.state["started"]


def test_draw_offer_does_not_make_a_move_stale_and_is_declined_by_a_move_or_accepted(
    ada_and_bo: tuple[Socket, Socket],
) -> None:
    ada, bo = ada_and_bo
    # Ada sends her move for the board as it was before Bo's offer.
    version = ada.state["version"]
    assert send_and_synchronise(bo, ada, verb="offer-draw", seat=1)["type"] == "done"
    assert ada.state["draw"] == 1
    ada.send(type="move", id="before", version=version, move="a1")
    assert ada.receive_until("done", "stale")["type"] == "done"
    synchronise(ada, bo)
    # Playing on declines the offer.
    assert ada.state["draw"] is None
    send_and_synchronise(bo, ada, verb="offer-draw", seat=1)
    assert send_and_synchronise(ada, bo, verb="answer-draw", seat=0, accept=True)["type"] == "done"
    # In a draw all seats win.
    assert ada.state["over"]
    assert ada.state["outcome"]["winners"] == [0, 1]


def test_move_for_an_older_board_is_stale_even_if_it_is_now_the_turn_of_another(
    ada_and_bo: tuple[Socket, Socket],
) -> None:
    ada, _ = ada_and_bo
    before = ada.state["version"]
    ada.move("a1")
    ada.send(type="move", id="late", version=before, move="b2")
    # It is not refused as "not-your-turn": the page shows the new board instead of an error.
    assert ada.receive_until("stale", "done", "refused")["type"] == "stale"


def test_player_resigns_also_while_the_move_of_another_is_on_its_way(ada_and_bo: tuple[Socket, Socket]) -> None:
    ada, bo = ada_and_bo
    before = bo.state["version"]
    ada.move("a1")
    bo.send(type="resign", id="late", version=before, seat=1)
    assert bo.receive_until("done", "stale", "refused")["type"] == "done"
    synchronise(ada, bo)
    assert ada.state["outcome"]["winners"] == [0]


def test_take_back_must_be_asked_for_and_needs_the_agreement_of_the_opponent(ada_and_bo: tuple[Socket, Socket]) -> None:
    ada, bo = ada_and_bo
    # There is no move to take back yet.
    assert ada.send_command("request-takeback", seat=0)["code"] == "no-undo"
    ada.move("a1")
    synchronise(ada, bo)
    bo.move("b2")
    synchronise(ada, bo)
    assert ada.send_command("undo")["code"] == "ask-undo"
    assert send_and_synchronise(ada, bo, verb="request-takeback", seat=0)["type"] == "done"
    # Seat 0 asks to go back to ply 0, and seat 1 has not agreed yet. No one can answer their own request.
    assert bo.state["takeback_request"] == {"by": 0, "ply": 0, "missing": [1]}
    assert ada.send_command("answer-takeback", seat=0, accept=True)["code"] == "no-undo-asked"
    assert send_and_synchronise(bo, ada, verb="answer-takeback", seat=1, accept=False)["type"] == "done"
    assert ada.state["takeback_request"] is None
    assert len(ada.state["plies"]) == 2
    send_and_synchronise(ada, bo, verb="request-takeback", seat=0)
    assert send_and_synchronise(bo, ada, verb="answer-takeback", seat=1, accept=True)["type"] == "done"
    assert ada.state["plies"] == []
    assert ada.state["mine"]


def test_clock_takes_the_time_of_a_move_and_adds_the_increment(
    people: list[Browser], fake_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A beat on its way while the clock jumps would count as lag, and Ada would be given back a second.
    monkeypatch.setattr(Connection, "measure_lag", lambda *_: None)
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people, clock="60+2")
        assert ada.state["clock"]["left"] == [60, 60]
        # The clock starts with Ada's move, or after 30 seconds.
        fake_clock.time += 50
        ada.move("a1")
        synchronise(ada, bo)
        # Ada has used 20 of 60 seconds and gained 2.
        assert ada.state["clock"]["left"] == [42, 60]
        assert ada.state["clock"]["running"] == 1


def test_player_runs_out_of_time_although_no_player_is_connected(people: list[Browser], fake_clock: Clock) -> None:
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people, clock="60+2")
        table = ada.table
        ada.move("a1")
        synchronise(ada, bo)
    # 30 seconds to arrive, Bo's 60, the second that a clock waits for a late move, and a little more.
    fake_clock.time += 93
    with people[2].open_table(table) as cy:
        while not cy.state["over"]:
            cy.receive_next()
        assert cy.state["result"].startswith("seat 0 wins")
        assert "ran out of time" in cy.state["outcome"]["reason"]


def test_move_after_the_time_is_up_is_not_played_and_loses_the_game(people: list[Browser], fake_clock: Clock) -> None:
    with ExitStack() as stack:
        ada, _ = seat_two(stack, people, clock="60+0")
        # The move may arrive before or after the server looks for players whose time is up.
        version = ada.state["version"]
        fake_clock.time += 93
        ada.send(type="move", id="x", version=version, move="a1")
        answer = ada.receive_until("refused", "stale")
        assert answer["type"] == "stale" or answer["code"] in {"time", "game-over"}
        while not ada.state["over"]:
            ada.receive_next()
        assert ada.state["outcome"]["winners"] == [1]


def test_game_in_which_no_one_ever_moves_ends_and_does_not_count(people: list[Browser], fake_clock: Clock) -> None:
    with ExitStack() as stack:
        ada, _ = seat_two(stack, people, clock="60+2", rated="true")
        table = ada.table
    fake_clock.time += 93
    with people[2].open_table(table) as cy:
        while not cy.state["over"]:
            cy.receive_next()
        assert cy.state["outcome"]["winners"] == [1]
        assert cy.state["unrated"] == "fewer than 2 moves were played"


def test_clock_in_days_gives_each_turn_its_full_time(people: list[Browser], fake_clock: Clock) -> None:
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people, clock="3d")
        fake_clock.time += 2 * 86400
        ada.move("a1")
        synchronise(ada, bo)
        assert ada.state["clock"]["left"] == [3 * 86400] * 2


def test_rated_game_with_a_computer_allows_no_undo_and_no_hints(people: list[Browser]) -> None:
    form = {"rated": "true", "clock": "600+5", "size": "8", "swap": "true"}
    with people[0].open_table(create_open_table(people[0], **form)) as ada:
        # Ada has chosen to begin.
        assert "random" in ada.send_command("add-computer", kind="computer:1")["sentence"]
    table = create_open_table(people[0], **form, **{"who-begins": "random"})
    with people[0].open_table(table) as ada:
        # No one could rate it.
        assert ada.send_command("add-computer", kind="computer:2s")["code"] == "rated"
        send_and_synchronise(ada, verb="add-computer", kind="computer:1")
        ada.receive_until_mine()
        ada.move(ada.state["moves"][0])
        # With the computer's move there is something to take back.
        ada.receive_until_mine()
        assert "undo" not in ada.state["may"]
        assert ada.send_command("undo")["code"] == "rated"
        ada.send(type="hint", id="h", version=ada.state["version"])
        assert "rated games" in ada.receive_until("hint")["sentence"]


def test_premoves_of_the_opponents_seat_are_refused(ada_and_bo: tuple[Socket, Socket]) -> None:
    ada, bo = ada_and_bo
    ada.move("a1")
    synchronise(ada, bo)
    ada.send(type="premoves", seat=1, version=ada.state["version"], ply=1, lines=[[None, "b2"]])
    assert "not yours" in ada.receive_until("error")["sentence"]


def test_rematch_starts_with_rotated_seats_when_the_opponent_agrees(
    ada_and_bo: tuple[Socket, Socket], people: list[Browser]
) -> None:
    ada, bo = ada_and_bo
    send_and_synchronise(ada, bo, verb="resign", seat=0)
    assert bo.state["outcome"]["winners"] == [1]
    assert send_and_synchronise(bo, ada, verb="rematch")["type"] == "done"
    assert ada.state["rematch_request"] == {"by": 1, "missing": [0], "declined": None}
    assert send_and_synchronise(ada, bo, verb="decline-rematch")["type"] == "done"
    assert bo.state["rematch_request"] == {"by": None, "missing": [], "declined": 0}
    assert bo.send_command("rematch")["code"] == "declined"
    assert send_and_synchronise(ada, bo, verb="rematch")["type"] == "done"
    assert send_and_synchronise(bo, ada, verb="rematch")["type"] == "done"
    assert ada.send_command("rematch")["code"] == "again"
    again = ada.state["rematch"]
    assert ada.state["rematch_request"] is None
    with (
        people[2].open_table(again) as cy,
        people[1].open_table(again) as bo_again,
    ):
        assert cy.send_command("sit")["code"] == "taken"
        assert bo_again.state["names"] == ["Bo", "Ada"]
        assert bo_again.state["started"] and bo_again.state["mine"]


def test_computer_replaces_a_player_who_resigns_among_three_and_cannot_move_any_more(people: list[Browser]) -> None:
    table = create_open_table(people[0], "sqez", players="3", cols="6", rows="6")
    with ExitStack() as stack:
        ada, bo, cy = (stack.enter_context(one.open_table(table)) for one in people[:3])
        bo.send_command("sit", name="Bo")
        cy.send_command("sit", name="Cy")
        synchronise(ada, bo, cy)
        assert ada.send_command("resign", seat=0)["type"] == "done"
        # The computer moves for seat 0; then it is Bo's turn.
        while bo.state["seat"] != 1 and not bo.state["over"]:
            bo.receive_next()
        assert bo.state["plies"][0][0] == 0
        ada.send(type="hello", version=None, viewer=None)
        ada.receive_until("state")
        assert ada.send_command("move", move=bo.state["moves"][0])["type"] == "refused"


def test_chat_takes_only_phrases_by_default_and_free_text_if_the_table_allows_it(people: list[Browser]) -> None:
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people)
        ada.send(type="say", phrase=0)
        # The first message may be the empty chat that a newcomer receives.
        bo.receive_until("chat")
        while not bo.heard[-1].get("lines"):
            bo.receive_until("chat")
        line = bo.heard[-1]["lines"][-1]
        assert (line["name"], line["seat"], line["mine"]) == ("Ada", 0, False)
        ada.send(type="say", text="free <b>")
        assert "phrases" in ada.receive_until("error")["sentence"]
    with ExitStack() as stack:
        ada, bo = seat_two(stack, people, chat="free")
        ada.send(type="say", text="free <b>")
        while not bo.heard[-1].get("lines"):
            bo.receive_until("chat")
        assert bo.heard[-1]["lines"][-1]["text"] == "free <b>"


def test_players_see_their_own_hands_only_once_the_game_has_begun_and_spectators_none(people: list[Browser]) -> None:
    table = create_open_table(people[0], "squendo")
    with people[0].open_table(table) as ada, people[1].open_table(table) as bo, people[2].open_table(table) as cy:
        # `viewer` is the seat whose hand the board shows.
        assert [one.state["viewer"] for one in (ada, bo, cy)] == [None, None, None]
        bo.send_command("sit", name="Bo")
        synchronise(ada, bo, cy)
        assert [one.state["viewer"] for one in (ada, bo, cy)] == [0, 1, None]
