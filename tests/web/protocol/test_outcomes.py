"""How a game ended, as each reader is told: the winner, the loser and a spectator."""

from dataclasses import replace
from random import Random

import fourcorners as fc
from fourcorners.web.application.pictures import find_headline
from fourcorners.web.domain.commands import Resign
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.snapshots import SnapshotCache
from tests.web.tables import ADA, BOB, CLEO, SMALL, START, apply, build_row, play_moves, seat_players


def list_verdicts(table: Table, *players: str) -> list[str]:
    """Return what each of some players reads; "" is a spectator."""
    cache = SnapshotCache(table.version)
    boards = [cache.find_or_build(table, player, None, START).board for player in players]
    return [board.outcome.verdict for board in boards if board.outcome]


def play_to_end(table: Table) -> None:
    random = Random(1)
    while not table.is_over:
        play_moves(table, random.choice(table.match.position.moves()))


def test_points_that_decided_a_game_begin_with_the_readers() -> None:
    table = seat_players(fc.game("dots-and-boxes", cols=3, rows=3), ADA, BOB)
    play_to_end(table)
    first, second = table.match.position.scores
    assert first != second
    ada, bob = f"{first} : {second}", f"{second} : {first}"
    if first > second:
        wanted = [f"You win {ada}", f"You lost {bob}", f"Ada wins {ada}"]
    else:
        wanted = [f"You lost {ada}", f"You win {bob}", f"Player 2 wins {bob}"]
    assert list_verdicts(table, ADA, BOB, "") == wanted


def test_points_that_decided_nothing_are_not_told() -> None:
    left = seat_players(SMALL, ADA, BOB)
    apply(left, BOB, Resign("r", 0, 1))
    assert list_verdicts(left, ADA, BOB, "") == ["You win", "You lost", "Ada wins"]
    last_move = seat_players(fc.game("sqez", players=3), ADA, BOB, CLEO)
    play_to_end(last_move)
    assert sorted(list_verdicts(last_move, ADA, BOB, CLEO)) == ["You lost", "You lost", "You win"]


def test_a_computer_without_a_name_is_told_by_its_level() -> None:
    row = build_row(SMALL, ("person", "computer:1"))
    table = Table(row)
    apply(table, ADA, Resign("r", 0, 0))
    assert list_verdicts(table, ADA, BOB) == ["You lost", "Computer (level 1) wins"]
    finished = replace(row, result=table.summarise(START).result)
    assert find_headline(finished) == "Computer (level 1) beats Ada, who resigned"


def test_names_without_a_position_have_no_colours_which_seats_may_have_exchanged() -> None:
    row = build_row(SMALL, ("person", "person"))
    row.chairs[:] = [chair._replace(name="Ada") for chair in row.chairs]
    assert find_headline(replace(row, result="seat 1 wins 0-1: the board is full")) == "Ada beats Ada 1 : 0"
