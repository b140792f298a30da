"""Which computer suits a player, by the results that are stored."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fourcorners.web.domain.results import find_suitable_level, name_leaver, parse_winners
from fourcorners.web.domain.rows import StoredTable
from tests.web.tables import ADA, SMALL, START, build_row

WON, LOST, DRAWN = "seat 0 wins 5-3: all is full", "seat 1 wins 5-3: all is full", "draw 4-4: all is full"
HIGHEST = 6


def build_history(games: Sequence[tuple[str, str]]) -> list[StoredTable]:
    """Return tables of Ada at seat 0 for these pairs of the opponent's kind and the result, the last one first."""
    rows = [
        replace(build_row(SMALL, ("person", kind)), result=result, changed=START + number)
        for number, (kind, result) in enumerate(games)
    ]
    return rows[::-1]


@pytest.mark.parametrize(
    ("games", "level"),
    [
        ([], 1),
        ([("computer:1", WON)], 2),
        ([("computer:1", WON), ("computer:2", WON)], 3),
        ([("computer:2", LOST)], 2),
        ([("computer:2", LOST), ("computer:2", LOST)], 1),
        ([("computer:3", LOST), ("computer:2", LOST)], 2),
        ([("computer:3", LOST), ("computer:3", DRAWN), ("computer:3", LOST)], 3),
        ([("computer:1", LOST), ("computer:1", LOST), ("computer:1", LOST)], 1),
        ([("computer:6", WON)], HIGHEST),
        ([("computer:4", "")], 1),
        ([("computer:4", "abandoned")], 1),
        ([("person", WON)], 1),
        ([("computer:2s", WON)], 1),
        ([("computer:2", LOST), ("computer:2", LOST), ("computer:1", LOST)], 1),
    ],
)
def test_level_rises_after_a_win_and_falls_after_two_losses_at_it(games: list[tuple[str, str]], level: int) -> None:
    assert find_suitable_level(build_history(games), ADA, SMALL.id, HIGHEST) == level


def test_games_of_another_kind_do_not_change_the_level() -> None:
    assert find_suitable_level(build_history([("computer:5", WON)]), ADA, "sqez", HIGHEST) == 1


def test_winners_of_a_stored_result_are_its_seats() -> None:
    assert parse_winners("seats 0 and 2 win 5-3: all is full") == {0, 2}
    assert parse_winners(DRAWN) == parse_winners("") == parse_winners("abandoned") == frozenset()


@pytest.mark.parametrize(
    ("result", "named"),
    [
        ("seat 1 wins 0-0: seat 0 resigned", "seat 1 wins 0-0: Ada resigned"),
        ("seat 0 wins 0-0: seat 1 ran out of time", "seat 0 wins 0-0: Ben ran out of time"),
        (WON, WON),
        (DRAWN, DRAWN),
        ("abandoned", "abandoned"),
        ("", ""),
    ],
)
def test_name_of_a_player_who_resigned_or_ran_out_of_time_comes_from_the_seat(result: str, named: str) -> None:
    assert name_leaver(result, ("Ada", "Ben")) == named
