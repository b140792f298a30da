"""The ids of commands: a command that is sent again is done once, another one with the same id is refused."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.web.client import Browser, Server, StartServer
from tests.web.program import Program, read_refusal

USED = (409, "id-used")
Fields = dict[str, Any]


@pytest.fixture
def two(cold_server: Server) -> Iterator[tuple[Program, Program]]:
    """Ada's and Ben's programs at a server of this test alone."""
    with Program(cold_server, "Ada") as ada, Program(cold_server, "Ben") as ben:
        yield ada, ben


def begin_table(host: Program) -> str:
    """Return the id of a new table of Square Off on 4 x 4, with its host at seat 0 and seat 1 open."""
    return host.begin_table("square-off", "me", "open", options={"size": 4, "swap": False})


def seat_two(host: Program, guest: Program) -> str:
    """Return the id of a table like that of `begin_table` at which the guest has taken seat 1: its version is 1."""
    table = begin_table(host)
    guest.execute(table, "sit", id="guest")
    return table


@pytest.mark.parametrize(
    ("verb", "fields"),
    [("move", {"move": "b2"}), ("move", {"move": "??"}), ("resign", {"seat": 0}), ("offer-draw", {"seat": 0})],
)
def test_id_of_a_move_does_not_do_for_another_move_or_command(
    two: tuple[Program, Program], verb: str, fields: Fields
) -> None:
    ada, ben = two
    table = seat_two(ada, ben)
    ada.execute(table, "move", id="x", move="a1")
    ben.execute(table, "move", move="c3")
    answer = ada.send_command(table, verb, id="x", **fields)
    assert read_refusal(answer) == USED
    assert "'x' belongs to another command" in answer.json()["sentence"]
    assert ada.fetch_table(table)["version"] == 3
    # The move itself is still known.
    assert ada.send_command(table, "move", version=1, id="x", move="a1").json()["version"] == 2


@pytest.mark.parametrize(
    ("verb", "first", "other"),
    [
        ("rename", {"seat": 0, "name": "Ada L."}, {"seat": 0, "name": "Lovelace"}),
        ("add-computer", {"seat": 1, "kind": "computer:1"}, {"seat": 1, "kind": "computer:2"}),
        ("leave-seat", {"seat": 0}, {"seat": 1}),
    ],
)
def test_fields_of_a_command_count_before_the_game_starts(
    two: tuple[Program, Program], verb: str, first: Fields, other: Fields
) -> None:
    """Events do not say all that a command says: the name, for one, is stored with the chair."""
    ada, _ = two
    table = ada.begin_table("squarin-off", "me", "open", "open", options={"players": 3})
    done = ada.execute(table, verb, id="x", **first)
    assert read_refusal(ada.send_command(table, verb, id="x", **other)) == USED
    assert ada.execute(table, verb, id="x", **first) == done
    assert ada.fetch_table(table)["version"] == done


@pytest.mark.parametrize(
    ("asked", "verb", "first", "other"),
    [
        ("offer-draw", "answer-draw", {"accept": False}, {"accept": True}),
        ("request-takeback", "answer-takeback", {"accept": False}, {"accept": True}),
    ],
)
def test_answer_to_an_offer_does_not_turn_into_the_opposite(
    two: tuple[Program, Program], asked: str, verb: str, first: Fields, other: Fields
) -> None:
    ada, ben = two
    table = seat_two(ada, ben)
    ada.execute(table, "move", move="a1")
    ada.execute(table, asked, seat=0)
    ben.execute(table, verb, id="x", seat=1, **first)
    assert read_refusal(ben.send_command(table, verb, id="x", seat=1, **other)) == USED
    assert ben.send_command(table, verb, id="x", seat=1, **first).json()["version"] == 4


def test_rematch_sent_again_is_done_and_another_one_with_its_id_is_refused(two: tuple[Program, Program]) -> None:
    ada, ben = two
    table = seat_two(ada, ben)
    ada.execute(table, "resign", id="end", seat=0)
    assert read_refusal(ada.send_command(table, "rematch", id="end")) == USED
    ben.execute(table, "rematch")
    done = ada.execute(table, "rematch", id="x")
    assert ada.execute(table, "again", id="x") == done  # as earlier versions called it
    assert read_refusal(ada.send_command(table, "rematch", id="x", level=2)) == USED


def test_two_seats_of_a_player_share_its_ids(two: tuple[Program, Program]) -> None:
    ada, _ = two
    table = ada.begin_table("square-off", "me", "me", options={"size": 4, "swap": False})
    ada.execute(table, "move", id="x", move="a1")
    assert read_refusal(ada.send_command(table, "move", id="x", move="b2")) == USED
    assert read_refusal(ada.send_command(table, "resign", id="x", seat=1)) == USED
    assert not ada.fetch_table(table)["over"]


def test_players_choose_ids_independently(two: tuple[Program, Program]) -> None:
    """The ids of a computer's seat, and of a seat that its holder left, are the sender's too."""
    ada, ben = two
    table = ada.begin_table("squarin-off", "me", "open", "open", options={"players": 3})
    ada.execute(table, "add-computer", id="c1", seat=2, kind="computer:1")
    assert ben.execute(table, "sit", id="c1", seat=1) == 2
    assert ben.fetch_table(table)["names"][1] == "Ben"
    assert read_refusal(ada.send_command(table, "rename", id="c1", seat=0, name="A")) == USED


def test_who_takes_a_seat_after_another_is_not_told_that_its_command_was_done(two: tuple[Program, Program]) -> None:
    """The store keeps an id once for each seat: it is refused, and not answered as the command of another player."""
    ada, ben = two
    table = ada.begin_table("squarin-off", "me", "open", "open", options={"players": 3})
    ben.execute(table, "sit", id="c1", seat=1)
    ben.execute(table, "leave-seat", id="c2", seat=1)
    with Program(ada.server, "Ben") as other:
        assert read_refusal(other.send_command(table, "sit", id="c1", seat=1)) == USED
        other.execute(table, "sit", id="c3", seat=1)
        # Ben's commands stay Ben's, no matter who has the seat now.
        assert ben.execute(table, "sit", id="c1", seat=1) == 1
        assert read_refusal(ben.send_command(table, "sit", id="c1", seat=2)) == USED


def test_ids_keep_their_commands_after_a_restart_and_later_events(start_cold: StartServer) -> None:
    with ExitStack() as stack:
        first = start_cold()
        ada, ben = (stack.enter_context(Program(first, name)) for name in ("Ada", "Ben"))
        table = seat_two(ada, ben)
        ada.execute(table, "move", id="x", move="a1")
        ben.execute(table, "move", move="c3")
        first.stop()
        second = start_cold()
        for program in (ada, ben):
            program.http.base_url = second.url
        assert read_refusal(ada.send_command(table, "move", id="x", move="b2")) == USED
        assert read_refusal(ada.send_command(table, "resign", id="x", seat=0)) == USED
        assert ada.execute(table, "move", id="x", move="a1") == 2
        # A takeback removes the move, but not what its id means.
        ben.execute(table, "request-takeback", seat=1)
        ada.execute(table, "answer-takeback", seat=0, accept=True)
        assert read_refusal(ada.send_command(table, "move", id="x", move="b2")) == USED
        assert ada.execute(table, "move", id="x", move="a1") == 2


def test_socket_refuses_what_the_api_refuses(cold_server: Server) -> None:
    with ExitStack() as stack:
        ada, ben = (stack.enter_context(Browser(cold_server)) for _ in range(2))
        table = ada.begin_table("square-off", size="4", swap="false", seat_0="person", seat_1="open")
        here, there = (stack.enter_context(one.open_table(table)) for one in (ada, ben))
        there.send_command("sit")
        here.receive_until_mine()
        version = here.state["version"]
        assert here.send_command("move", id="x", move="a1")["type"] == "done"
        assert here.send_command("move", id="x", version=version, move="a1") == {
            "type": "done",
            "id": "x",
            "version": version + 1,
        }
        for verb, fields in (("move", {"move": "b2"}), ("resign", {"seat": 0})):
            answer = here.send_command(verb, id="x", version=version, **fields)
            assert (answer["type"], answer["code"]) == ("refused", "id-used")
