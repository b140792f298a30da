"""What players are called at a table, and what they are told when a game does not count."""

from collections.abc import Callable

import pytest

import fourcorners as fc
from fourcorners.core.match import Match
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.application.table_setup import build_rematch, build_study, export_record
from fourcorners.web.domain.commands import Rename, Resign
from fourcorners.web.domain.rating_results import explain_uncounted
from fourcorners.web.domain.results import name_leaver
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.snapshots import SnapshotCache
from tests.web.tables import ADA, BOB, CLEO, SMALL, START, apply, build_row, play_moves, seat_players


def test_host_can_change_the_name_until_the_game_starts() -> None:
    table = Table(build_row(SMALL, ("person", "open")))
    apply(table, ADA, Rename("x", 0, 0, "Countess"))
    assert table.match.names == ("Countess", "Seat 2")
    assert table.started is None


def test_name_of_another_player_at_the_table_gets_a_number() -> None:
    table = seat_players(fc.game("sqez", players=3), ADA, BOB, CLEO)
    waiting = Table(build_row(fc.game("sqez", players=3), ("person", "person", "open")))
    apply(waiting, ADA, Rename("x", 0, 1, "Ada"))
    assert waiting.match.names[:2] == ("Ada", "Ada 2")
    assert table.started is not None


def test_rated_game_that_ended_before_both_moved_says_why_it_does_not_count() -> None:
    table = seat_players(SMALL, ADA, BOB, settings={"rated": True})
    assert explain_uncounted(table) is None
    play_moves(table, "a1")
    apply(table, BOB, Resign("r", 0, 1))
    assert explain_uncounted(table) == "fewer than 2 moves were played"
    snapshot = SnapshotCache(table.version).find_or_build(table, ADA, None, START)
    assert snapshot.board.unrated == "fewer than 2 moves were played"


def test_casual_game_does_not_say_that_it_does_not_count() -> None:
    table = seat_players(SMALL, ADA, BOB)
    apply(table, BOB, Resign("r", 0, 1))
    assert explain_uncounted(table) is None


def test_player_called_you_is_a_guest_to_everybody_else() -> None:
    row = build_row(SMALL, ("person", "computer:1"))
    row.chairs[0] = row.chairs[0]._replace(name="You")
    table = Table(row)
    apply(table, ADA, Resign("r", 0, 0))
    cache = SnapshotCache(table.version)
    own, foreign = (cache.find_or_build(table, player, None, START).board for player in (ADA, BOB))
    assert (own.names[0], foreign.names[0]) == ("You", "Guest")
    assert own.outcome is not None
    assert foreign.outcome is not None
    assert own.outcome.reason.startswith("You ")
    assert foreign.outcome.reason.startswith("Guest ")


def test_refusals_call_the_player_called_you_a_guest() -> None:
    row = build_row(SMALL, ("person", "computer:1"))
    row.chairs[0] = row.chairs[0]._replace(name="You")
    table = Table(row)
    snapshot = SnapshotCache(table.version).find_or_build(table, BOB, None, START)
    assert snapshot.explain_refusal("a1").sentence == "It is Guest’s turn."


def test_rematch_at_another_level_changes_all_computers_and_no_person() -> None:
    table = Table(build_row(fc.game("sqez", players=3), ("person", "computer:3", "computer:2.5s")))
    row = build_rematch(table, ADA, START, 2)
    assert sorted(chair.kind for chair in row.chairs) == ["computer:2", "computer:2", "person"]
    assert [chair.name for chair in row.chairs if chair.kind != "person"] == ["Computer 2"] * 2


@pytest.mark.parametrize("name", fc.games())
def test_rematch_at_a_level_that_the_game_does_not_have_is_at_the_highest(name: str) -> None:
    game = fc.game(name)
    table = Table(build_row(game, ("person", *["computer:3"] * (game.seats - 1))))
    highest = len(game.spec.part(ComputerPlay).levels)
    assert f"computer:{highest}" in [chair.kind for chair in build_rematch(table, ADA, START, highest + 1).chairs]


def test_rematch_without_a_level_keeps_the_levels() -> None:
    table = Table(build_row(SMALL, ("person", "computer:3")))
    assert [chair.kind for chair in build_rematch(table, ADA, START).chairs] == ["computer:3", "person"]


def test_record_names_its_player_and_never_says_you() -> None:
    row = build_row(SMALL, ("person", "computer:1"))
    row.chairs[0] = row.chairs[0]._replace(name="You")
    table = Table(row)
    apply(table, ADA, Resign("r", 0, 0))
    own, foreign = table.build_record(ADA, "Ada"), table.build_record(BOB, "Bob")
    assert (own.seats[0], own.result) == ("Ada", "seat 1 wins 0-0: Ada resigned")
    assert (foreign.seats[0], foreign.result) == ("Guest", "seat 1 wins 0-0: Guest resigned")
    for record in (own, foreign):
        assert fc.Record.parse(str(record)).match().result == record.result
    assert '["Ada", ' in export_record(row, ADA, "Ada")[1]


@pytest.mark.parametrize(("leave", "clause"), [(Match.resign, "resigned"), (Match.flag, "ran out of time")])
def test_stored_result_names_the_seat_that_left_and_never_the_player(
    leave: Callable[[Match, int], None], clause: str
) -> None:
    table = Table(build_row(SMALL, ("person", "computer:1")))
    leave(table.match, 0)
    assert table.match.result.startswith("seat 1 wins 0-0: ")
    assert table.summarise(START).result == f"seat 1 wins 0-0: seat 0 {clause}"
    assert name_leaver(table.summarise(START).result, table.match.names) == table.match.result


def test_the_player_called_you_in_an_older_record_is_a_guest_where_it_is_opened() -> None:
    match = fc.Match(SMALL, ["You", "Computer 1"])
    study = Table(build_study(fc.Record.of(match).match(), BOB, START))
    assert study.match.names == ("Guest", "Computer 1")
