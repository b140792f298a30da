"""Choosing a free colour when taking an open seat."""

import dataclasses

import pytest

import fourcorners as fc
from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application.table_setup import TableSetup, build_table
from fourcorners.web.domain.commands import Sit
from fourcorners.web.domain.table import Table
from tests.web.tables import apply

ADA, BEN, CID = "ada", "ben", "cid"


def make_table(players: int = 3, game: str = "squendo") -> Table:
    """Return a table at which Ada sits, and all other seats are open."""
    kinds = ["person", *["open"] * (players - 1)]
    return Table(build_table(TableSetup(fc.game(game, players=players), kinds, {0: "Ada"}, shuffle=False), ADA, 0.0))


def test_who_sits_down_gets_the_chosen_colour_and_an_open_seat_the_old_one() -> None:
    table = make_table()
    apply(table, BEN, Sit("b", 0, 1, "Ben", "G"), 1.0)
    assert table.match.game.seat_names == ("red", "green", "blue")
    apply(table, CID, Sit("c", 0, 2, "Cid", "Y"), 2.0)
    assert table.match.game.seat_names == ("red", "green", "yellow")
    assert table.started is not None


def test_a_table_of_an_earlier_version_keeps_its_deck_whatever_the_colours_and_a_replay_gives_the_same_table() -> None:
    # It was stored with its deck, to which its commitment is.
    new = make_table(2)
    table = Table(dataclasses.replace(new.row, deck=list(new.match.game.deck(seed=1)), nonce="0" * 32))
    before = table.match
    change = apply(table, BEN, Sit("b", 0, 1, "Ben", "G"), 1.0)
    names = str.maketrans("RBG", "RGB")
    assert table.match.deck == tuple(tile.translate(names) for tile in before.deck)
    assert table.match.commitment != before.commitment
    again = Table(dataclasses.replace(table.row, chairs=list(table.chairs), events=[change.event]))
    assert change.event.text == "@sit G"
    assert (again.match.deck, again.match.commitment) == (table.match.deck, table.match.commitment)
    assert again.match.position == table.match.position


def test_a_seats_own_colour_changes_nothing() -> None:
    table = make_table()
    assert apply(table, BEN, Sit("b", 0, 1, "Ben", "B"), 1.0).event.text == "@sit"
    assert "colours" not in table.match.game.given_options()


@pytest.mark.parametrize("colour", ["R", "X", "r", "?"])
def test_a_colour_that_is_not_free_is_refused_and_the_seat_stays_open(colour: str) -> None:
    table = make_table()
    with pytest.raises(IllegalMoveError, match="is not free; choose B or G or Y"):
        apply(table, BEN, Sit("b", 0, 1, "Ben", colour), 1.0)
    assert not table.chairs[1].taken
    assert table.match.game.seat_names == ("red", "blue", "green")


def test_colours_are_refused_in_games_without_a_choice() -> None:
    table = make_table(2, "sqez")
    with pytest.raises(IllegalMoveError, match="players of Sqez do not choose colours"):
        apply(table, BEN, Sit("b", 0, 1, "Ben", "G"), 1.0)
