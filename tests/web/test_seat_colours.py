"""Colours that players choose in the form for a new game, and keep when seats are drawn and in a rematch."""

import re

import pytest

import fourcorners as fc
from fourcorners.web.application.table_setup import TableSetup, build_rematch, build_table
from fourcorners.web.domain.table import Table
from tests.web.client import Browser

NAMES = {0: "Ada", 1: "Ben", 2: "Cid"}
CHOSEN = {"Ada": "yellow", "Ben": "blue", "Cid": "red"}


def read_colours(table: Table) -> dict[str, str]:
    """Return the colour of each player by name."""
    return dict(zip(table.match.names, table.match.game.seat_names, strict=True))


def test_players_keep_their_chosen_colours_with_any_first_player_and_in_a_rematch() -> None:
    game = fc.game("squendo", players=3, colours="YBR")
    first_seats: dict[str, Table] = {}
    while len(first_seats) < 3:
        table = Table(build_table(TableSetup(game, ["person"] * 3, NAMES), "owner", 0.0))
        assert read_colours(table) == CHOSEN
        first_seats[table.match.names[0]] = table
    again = Table(build_rematch(first_seats["Ada"], "owner", 1.0))
    assert read_colours(again) == CHOSEN
    assert again.match.names == ("Ben", "Cid", "Ada")


def test_the_neutral_colour_stays_neutral() -> None:
    game = fc.game("squendo", colours="GYR")
    assert game.spec.seat_colours is not None
    assert game.spec.seat_colours.rotate(game, 1).given_options() == {"colours": "YGR"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_default_colours_stay_with_their_seats(players: int) -> None:
    game = fc.game("squendo", players=players)
    assert game.spec.seat_colours is not None
    assert game.spec.seat_colours.rotate(game, 1) is game


def test_the_form_offers_every_colour_to_every_seat_and_a_neutral_one(browser: Browser) -> None:
    text = browser.http.get("/games/squendo").text
    assert {"0", "1", "2", "3", "spare"} <= set(re.findall(r'data-place="(\w+)"', text))
    assert re.findall(r'name="colour-0" value="(\w)"', text) == ["R", "B", "G", "Y"]
    assert 'data-letters="RBGY"' in text
    assert re.search(r'href="/games/squendo/style.css[^"]*"', text)
    assert 'data-place="0"' not in browser.http.get("/games/sqez").text


def test_the_check_of_the_form_names_the_chosen_colours_and_refuses_the_same_twice(browser: Browser) -> None:
    check = "/games/squendo/check"
    assert browser.http.post(check, data={"colours": "YGB"}).json()["seat_names"] == ["yellow", "green"]
    assert browser.http.post(check, data={"colours": "RBG"}).json()["seat_names"] == ["red", "blue"]
    wrong = browser.http.post(check, data={"colours": "YYB"}).json()
    assert (wrong["ok"], wrong["option"]) == (False, "colours")
