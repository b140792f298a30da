"""What a row of the lobby shows of an open game: the host's rating, and the seats."""

import re

import pytest

from fourcorners.web.domain.ratings import Standing, rating_points
from tests.web.pages.test_lobby import build_listed_row, build_lists


def test_open_game_shows_the_hosts_rating_for_this_game_and_number_of_seats() -> None:
    lists = build_lists(build_listed_row(), build_listed_row(kinds=("person", "open", "open"), players=3))
    assert {row.free: row.host_rating for row in lists.open} == {1: rating_points(Standing(30.0, 4.0)), 2: 0}


@pytest.mark.parametrize("name", ["sqez", "square-off", "squarin-off", "squendo"])
def test_open_game_shows_the_colours_of_its_seats_and_which_are_taken(name: str) -> None:
    [row] = build_lists(build_listed_row(name)).open
    assert [place.taken for place in row.places] == [True, False]
    assert all(re.fullmatch("#[0-9a-f]{3,8}", colour) for place in row.places for colour in place[:2])
    assert len({place.light for place in row.places}) == 2
