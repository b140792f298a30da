"""Several people at one table: who sits where, clocks, draws, take-backs, plans, rematches; with clocks of our own."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.engine.warmup import Warmup
from tests.web.client import Browser, Json, Server, Socket

pytestmark = pytest.mark.compiled


class Hands:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture(scope="module")
def hands() -> Hands:
    return Hands()


@pytest.fixture(scope="module")
def timed_server(tmp_path_factory: pytest.TempPathFactory, compiled: None, hands: Hands) -> Iterator[Server]:
    """A server whose time stands still until a test moves it."""
    with pytest.MonkeyPatch.context() as patch:
        # A beat long after the last one would make an outage of the time that a test lets pass.
        patch.setattr("fourcorners.web.realtime.background_tasks.BEATS_EVERY", 1e6)
        patch.setattr(Warmup, "start", lambda self: self.done.set_result(None))
        with Server(tmp_path_factory.mktemp("company"), time=ServerTime(0.0, lambda: 0.0, hands)) as running:
            yield running


@pytest.fixture
def people(timed_server: Server) -> Iterator[list[Browser]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Browser(timed_server)) for _ in range(4)]


def by_link(host: Browser, game: str = "square-off", **form: str) -> str:
    open_ = {f"seat_{seat}": "open" for seat in range(1, int(form.get("players", "2")))}
    usual = {"size": "4", "swap": "false"} if game == "square-off" else {}
    return host.begin(game, **{**usual, **form}, seat_0="person", **open_, **{"name-0": "Ada"})


@pytest.fixture
def two(people: list[Browser]) -> Iterator[tuple[Socket, Socket]]:
    """Ada and Bo at a table of Square Off, begun."""
    with ExitStack() as stack:
        yield seated(stack, people)


def seated(stack: ExitStack, people: list[Browser], **form: str) -> tuple[Socket, Socket]:
    table = by_link(people[0], "square-off", **form)
    ada, bo = (stack.enter_context(one.sit(table)) for one in people[:2])
    assert bo.do("sit", name="Bo")["type"] == "done"
    settle(ada, bo)
    assert ada.state["started"]
    return ada, bo


def settle(*sockets: Socket) -> None:
    """Let everybody hear of the newest version."""
    newest = max(socket.state["version"] for socket in sockets)
    for socket in sockets:
        socket.send(type="hello", version=None, viewer=None)
        socket.until("state")
        newest = max(newest, socket.state["version"])
    assert all(socket.state["version"] == newest for socket in sockets)


def act(socket: Socket, *others: Socket, verb: str, **more: Any) -> Json:
    answer = socket.do(verb, **more)
    settle(socket, *others)
    return answer


def test_whoever_opens_the_link_takes_a_free_seat(people: list[Browser]) -> None:
    table = by_link(people[0])
    with people[0].sit(table) as ada, people[1].sit(table) as bo, people[2].sit(table) as cy:
        assert not ada.state["started"]
        assert ada.state["seat"] is None
        assert ada.state["moves"] == []
        assert ada.do("move", move="a1")["code"] == "not-started"
        assert "sit" in bo.state["may"]
        assert bo.do("sit", name="  Bo\n<b> ")["type"] == "done"
        settle(ada, bo, cy)
        assert ada.state["names"] == ["Ada", "Bo <b>"]
        assert ada.state["started"]
        assert cy.do("sit")["code"] == "taken"
        assert cy.do("move", move="a1")["code"] == "not-yours"
        assert bo.do("move", move="a1")["code"] == "not-your-turn"
        ada.move("a1")
        settle(ada, bo, cy)
        assert bo.state["mine"]
        assert not cy.state["mine"]


def test_two_of_one_name_can_be_told_apart_and_nobody_sits_twice(people: list[Browser]) -> None:
    table = by_link(people[0], "sqez", players="3")
    with people[0].sit(table) as ada, people[1].sit(table) as bo:
        assert act(bo, ada, verb="sit", name="Ada")["type"] == "done"
        assert bo.state["names"][:2] == ["Ada", "Ada 2"]
        assert bo.do("sit", seat=2)["code"] == "seated"
        assert act(bo, ada, verb="stand", seat=1)["type"] == "done"
        assert [chair["taken"] for chair in ada.state["chairs"]] == [True, False, False]
        assert bo.do("computer", seat=1, kind="computer:1")["code"] == "not-yours"
        assert ada.do("computer", seat=1, kind="computer:99")["code"] == "level"
        assert act(ada, bo, verb="computer", seat=1, kind="computer:1")["type"] == "done"
        assert act(bo, ada, verb="sit", seat=2, name="Bo")["type"] == "done"
        assert ada.state["started"]
        assert bo.do("stand", seat=2)["code"] == "started"


def test_a_draw_offer_spoils_no_move(two: tuple[Socket, Socket]) -> None:
    ada, bo = two
    version = ada.state["version"]
    assert act(bo, ada, verb="offer-draw", seat=1)["type"] == "done"
    assert ada.state["draw"] == 1
    ada.send(type="move", id="before", version=version, move="a1")
    assert ada.until("done", "stale")["type"] == "done"
    settle(ada, bo)
    # Who moves on has declined.
    assert ada.state["draw"] is None
    act(bo, ada, verb="offer-draw", seat=1)
    assert act(ada, bo, verb="answer-draw", seat=0, accept=True)["type"] == "done"
    assert ada.state["over"]
    assert ada.state["outcome"]["winners"] == [0, 1]


def test_a_stale_board_cannot_move(two: tuple[Socket, Socket]) -> None:
    ada, bo = two
    ada.move("a1")
    ada.send(type="move", id="late", version=bo.state["version"], move="b2")
    assert ada.until("stale", "done", "refused")["type"] == "stale"


def test_a_take_back_is_asked_of_the_others(two: tuple[Socket, Socket]) -> None:
    ada, bo = two
    assert ada.do("ask-undo", seat=0)["code"] == "no-undo"
    ada.move("a1")
    settle(ada, bo)
    bo.move("b2")
    settle(ada, bo)
    assert ada.do("undo")["code"] == "ask-undo"
    assert act(ada, bo, verb="ask-undo", seat=0)["type"] == "done"
    assert bo.state["undo_asked"] == {"by": 0, "ply": 0, "missing": [1]}
    assert ada.do("answer-undo", seat=0, accept=True)["code"] == "no-undo-asked"
    assert act(bo, ada, verb="answer-undo", seat=1, accept=False)["type"] == "done"
    assert ada.state["undo_asked"] is None
    assert len(ada.state["plies"]) == 2
    act(ada, bo, verb="ask-undo", seat=0)
    assert act(bo, ada, verb="answer-undo", seat=1, accept=True)["type"] == "done"
    assert ada.state["plies"] == []
    assert ada.state["mine"]


def test_a_clock_falls_though_nobody_is_there(people: list[Browser], hands: Hands) -> None:
    with ExitStack() as stack:
        ada, bo = seated(stack, people, clock="60+2")
        table = ada.table
        assert ada.state["clock"]["left"] == [60, 60]
        hands.time += 20
        ada.move("a1")
        settle(ada, bo)
        assert ada.state["clock"]["left"] == [42, 60]
        assert ada.state["clock"]["running"] == 1
    hands.time += 63
    with people[2].sit(table) as cy:
        while not cy.state["over"]:
            cy.next()
        assert cy.state["result"].startswith("seat 0 wins")
        assert "ran out of time" in cy.state["outcome"]["reason"]


def test_a_move_after_the_time_is_refused(people: list[Browser], hands: Hands) -> None:
    with ExitStack() as stack:
        ada, _ = seated(stack, people, clock="60+0")
        # The server looks for fallen clocks now and then; the move comes first.
        version = ada.state["version"]
        hands.time += 63
        ada.send(type="move", id="x", version=version, move="a1")
        answer = ada.until("refused", "stale")
        assert answer["type"] == "stale" or answer["code"] in {"time", "game-over"}
        while not ada.state["over"]:
            ada.next()
        assert ada.state["outcome"]["winners"] == [1]


def test_days_are_whole_again_each_turn(people: list[Browser], hands: Hands) -> None:
    with ExitStack() as stack:
        ada, bo = seated(stack, people, clock="3d")
        hands.time += 2 * 86400
        ada.move("a1")
        settle(ada, bo)
        assert ada.state["clock"]["left"] == [3 * 86400] * 2


def test_a_rated_game_with_the_computer_is_played_alone(people: list[Browser]) -> None:
    table = by_link(people[0], rated="true")
    with people[0].sit(table) as ada:
        act(ada, verb="computer", seat=1, kind="computer:1")
        ada.move("a1")
        while len(ada.state["plies"]) < 2:
            ada.next()
        assert "undo" not in ada.state["may"]
        assert ada.do("undo")["code"] == "rated"
        ada.send(type="hint", id="h", version=ada.state["version"])
        assert "rated games" in ada.until("hint")["sentence"]


def test_a_premove_is_played_when_its_turn_comes(two: tuple[Socket, Socket]) -> None:
    ada, bo = two
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


def test_a_plan_that_cannot_be_played_is_dropped_in_words(two: tuple[Socket, Socket]) -> None:
    ada, bo = two
    bo.send(type="plan", seat=1, version=bo.state["version"], ply=0, lines=[[None, "a1"]])
    bo.until("plan")
    ada.move("a1")
    assert "was planned" in bo.until("bad")["sentence"]
    settle(ada, bo)
    assert len(bo.state["plies"]) == 1
    ada.send(type="plan", seat=1, version=ada.state["version"], ply=1, lines=[[None, "b2"]])
    assert "not yours" in ada.until("bad")["sentence"]


def test_a_rematch_turns_the_seats_and_keeps_them(two: tuple[Socket, Socket], people: list[Browser]) -> None:
    ada, bo = two
    act(ada, bo, verb="resign", seat=0)
    assert bo.state["outcome"]["winners"] == [1]
    assert act(bo, ada, verb="again")["type"] == "done"
    assert ada.do("again")["code"] == "again"
    again = ada.state["again"]
    with people[2].sit(again) as cy, people[1].sit(again) as bo_again, people[0].sit(again) as ada_again:
        assert cy.do("sit")["code"] == "taken"
        assert bo_again.state["names"] == ["Bo", "Ada"]
        assert not bo_again.state["started"]
        assert act(ada_again, bo_again, cy, verb="sit", name="Ada")["type"] == "done"
        assert cy.state["started"]


def test_the_computer_plays_on_for_who_gives_up_among_three(people: list[Browser]) -> None:
    table = by_link(people[0], "sqez", players="3", cols="6", rows="6")
    with ExitStack() as stack:
        ada, bo, cy = (stack.enter_context(one.sit(table)) for one in people[:3])
        bo.do("sit", name="Bo")
        cy.do("sit", name="Cy")
        settle(ada, bo, cy)
        assert ada.do("resign", seat=0)["type"] == "done"
        while bo.state["seat"] != 1 and not bo.state["over"]:
            bo.next()
        assert bo.state["plies"][0][0] == 0
        ada.send(type="hello", version=None, viewer=None)
        ada.until("state")
        assert ada.do("move", move=bo.state["moves"][0])["type"] == "refused"


def test_chat_is_phrases_unless_the_table_allows_more(people: list[Browser]) -> None:
    with ExitStack() as stack:
        ada, bo = seated(stack, people)
        ada.send(type="say", phrase=0)
        assert bo.until("chat")["lines"] == [] or bo.heard[-1]["lines"]
        while not bo.heard[-1].get("lines"):
            bo.until("chat")
        line = bo.heard[-1]["lines"][-1]
        assert (line["name"], line["seat"], line["mine"]) == ("Ada", 0, False)
        ada.send(type="say", text="free <b>")
        assert "phrases" in ada.until("bad")["sentence"]
    with ExitStack() as stack:
        ada, bo = seated(stack, people, chat="free")
        ada.send(type="say", text="free <b>")
        while not bo.heard[-1].get("lines"):
            bo.until("chat")
        assert bo.heard[-1]["lines"][-1]["text"] == "free <b>"


def test_a_spectator_and_who_may_sit_see_no_hand(people: list[Browser]) -> None:
    table = by_link(people[0], "squendo")
    with people[0].sit(table) as ada, people[1].sit(table) as bo, people[2].sit(table) as cy:
        assert [one.state["viewer"] for one in (ada, bo, cy)] == [None, None, None]
        bo.do("sit", name="Bo")
        settle(ada, bo, cy)
        assert [one.state["viewer"] for one in (ada, bo, cy)] == [0, 1, None]
