"""Rematches: all players must agree, and the seats rotate."""

import pytest

import fourcorners as fc
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.web.application.table_setup import TableSetup, build_rematch, build_table
from fourcorners.web.domain.actions import close_table, list_allowed_verbs
from fourcorners.web.domain.clocks import TimeControl
from fourcorners.web.domain.commands import DeclineRematch, Rematch, Resign, Verb
from fourcorners.web.domain.rematch import TOGETHER, has_open_request, list_missing_seats
from fourcorners.web.domain.table import Table
from tests.web.tables import ADA, BOB, CLEO, SMALL, START, apply, build_row, seat_players

ASK, DECLINE = Rematch("ask", 0), DeclineRematch("decline", 0)


def finish(*players: str) -> Table:
    """Return a table that is over because all players but the last resigned."""
    game = SMALL if len(players) == 2 else fc.game("squarin-off", players=len(players))
    table = seat_players(game, *players)
    for seat, player in enumerate(players[:-1]):
        apply(table, player, Resign(f"end{seat}", 0, seat))
    assert table.is_over
    return table


def read_rematch(table: Table) -> str | None:
    """Return the table of the rematch; a comparison would convince the type checker that it never changes."""
    return table.rematch_id


def list_rematch_verbs(table: Table, player: str) -> set[Verb]:
    return {Verb.REMATCH, Verb.DECLINE_REMATCH} & set(list_allowed_verbs(table, player))


def refuse(table: Table, player: str, command: Rematch | DeclineRematch, rematch_id: str | None = None) -> str:
    """Return the code of the error about a command, which changes nothing."""
    version = table.version
    with pytest.raises(GameError) as caught:
        apply(table, player, command, rematch_id=rematch_id)
    assert table.version == version
    assert isinstance(caught.value, IllegalMoveError)
    return caught.value.code


def test_rematch_begins_when_the_other_player_agrees() -> None:
    table = finish(ADA, BOB)
    assert list_rematch_verbs(table, ADA) == {Verb.REMATCH}
    apply(table, ADA, ASK)
    assert read_rematch(table) is None
    assert list_missing_seats(table) == (1,)
    assert list_rematch_verbs(table, ADA) == {Verb.DECLINE_REMATCH}
    assert list_rematch_verbs(table, BOB) == {Verb.REMATCH, Verb.DECLINE_REMATCH}
    assert refuse(table, ADA, Rematch("more", 0)) == "asked"
    apply(table, BOB, Rematch("agree", 0), rematch_id="next")
    assert read_rematch(table) == "next"
    assert not has_open_request(table)
    assert not list_rematch_verbs(table, ADA) and not list_rematch_verbs(table, BOB)


def test_all_of_three_players_must_agree_and_one_refusal_ends_the_request() -> None:
    table = finish(ADA, BOB, CLEO)
    apply(table, BOB, ASK)
    assert list_missing_seats(table) == (0, 2)
    apply(table, CLEO, Rematch("agree", 0))
    apply(table, ADA, DECLINE)
    assert not has_open_request(table)
    assert table.rematch_request is not None and table.rematch_request.declined == 0
    # Only the player who declined may ask after that.
    assert refuse(table, BOB, Rematch("again", 0)) == "declined"
    apply(table, ADA, Rematch("after all", 0))
    assert list_missing_seats(table) == (1, 2)
    apply(table, BOB, Rematch("b", 0))
    apply(table, CLEO, Rematch("c", 0), rematch_id="next")
    assert read_rematch(table) == "next"


def test_player_who_asked_can_withdraw_and_ask_again() -> None:
    table = finish(ADA, BOB)
    assert refuse(table, ADA, DECLINE) == "not-asked"
    apply(table, ADA, ASK)
    apply(table, ADA, DECLINE)
    assert table.rematch_request is None
    apply(table, ADA, Rematch("again", 0))
    assert has_open_request(table)


def test_last_answer_without_a_table_is_told_apart_so_that_the_server_tries_again() -> None:
    table = finish(ADA, BOB)
    apply(table, ADA, ASK)
    assert refuse(table, BOB, Rematch("agree", 0)) == TOGETHER
    # Ada withdraws while a table is set up for Bob's answer: it must not become a game that no one knows of.
    apply(table, ADA, DECLINE)
    assert refuse(table, BOB, Rematch("alone", 0), rematch_id="next") == TOGETHER
    apply(table, BOB, Rematch("alone", 0))
    assert has_open_request(table)


def test_all_players_sit_at_the_rematch_and_another_one_begins() -> None:
    table = finish(ADA, BOB)
    rematch = Table(build_rematch(table, BOB, START))
    assert rematch.started is not None
    assert [chair.player for chair in rematch.chairs] == [BOB, ADA]
    third = finish(ADA, BOB, CLEO)
    assert [chair.player for chair in Table(build_rematch(third, ADA, START)).chairs] == [BOB, CLEO, ADA]


def test_several_people_at_one_screen_agree_at_once() -> None:
    table = Table(build_row(SMALL, ("person", "person")))
    apply(table, ADA, Resign("end", 0, 0))
    apply(table, ADA, ASK, rematch_id="next")
    assert read_rematch(table) == "next"


def test_two_at_one_screen_answer_once_for_both_seats() -> None:
    table = seat_players(fc.game("squarin-off", players=3), ADA, BOB, CLEO)
    table.replace_chair(table.chairs[1]._replace(player=ADA))
    apply(table, ADA, Resign("x", 0, 0))
    apply(table, CLEO, Resign("y", 0, 2))
    apply(table, CLEO, ASK)
    assert list_missing_seats(table) == (0, 1)
    apply(table, ADA, Rematch("agree", 0), rematch_id="next")
    assert read_rematch(table) == "next"


def test_level_is_for_players_who_play_alone() -> None:
    table = finish(ADA, BOB)
    assert refuse(table, ADA, Rematch("ask", 0, 2)) == "level"
    alone = Table(build_table(TableSetup(SMALL, ("person", "computer:1"), {0: "Ada"}, shuffle=False), ADA, START))
    apply(alone, ADA, Resign("end", 0, 0))
    apply(alone, ADA, Rematch("ask", 0, 2), rematch_id="next")


def test_table_that_never_started_has_no_rematch() -> None:
    table = Table(build_row(SMALL, ("person", "open")))
    close_table(table, START)
    assert refuse(table, ADA, ASK) == "not-over"


def test_no_rematch_with_a_player_whose_account_was_deleted() -> None:
    table = finish(ADA, BOB)
    table.replace_chair(table.chairs[1]._replace(player=None))
    assert refuse(table, ADA, ASK) == "no-other"


def test_rematch_that_could_not_be_rated_is_casual() -> None:
    kinds = ("person", "computer:1", "computer:2")
    setup = TableSetup(fc.game("squarin-off", players=3), kinds, {0: "Ada"}, TimeControl(600, 5), rated=True)
    table = Table(build_table(setup, ADA, START))
    assert Table(build_rematch(table, ADA, START)).is_rated
    # Two computers at one level have one rating.
    assert not Table(build_rematch(table, ADA, START, level=2)).is_rated
    people = seat_players(SMALL, ADA, BOB, settings={"rated": True, "clock": TimeControl(600, 5).to_stored()})
    assert Table(build_rematch(people, BOB, START)).is_rated
    # An earlier version let computers sit down at any rated table.
    old = Table(build_row(SMALL, ("person", "computer:1"), settings=people.row.settings))
    assert not Table(build_rematch(old, ADA, START)).is_rated
