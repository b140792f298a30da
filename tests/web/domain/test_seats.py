"""Seats of computers: levels and seconds per move, as stored and as shown."""

from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.levels import Level
from fourcorners.web.domain import seats
from fourcorners.web.domain.seats import Strength, is_strength
from fourcorners.web.domain.table import Table
from fourcorners.web.store import StoredTable
from tests.web.tables import build_row

SPEC = fc.game("sqez").spec


def replace_kinds(row: StoredTable, *kinds: str) -> StoredTable:
    """Return a copy of the row with these kinds of players, one for each seat."""
    return replace(row, chairs=[chair._replace(kind=kind) for chair, kind in zip(row.chairs, kinds, strict=True)])


@pytest.mark.parametrize("name", ["sqez", "squarin-off", "dots-and-boxes"])
def test_stored_kind_determines_the_strength_of_the_computer_to_move(name: str) -> None:
    game = fc.game(name)
    saved = build_row(game, ["person", "computer:3"])
    table = Table(saved)
    assert table.computer_strength() is None
    table.match.play(table.match.position.moves()[0])
    assert table.computer_strength() == Strength(3)
    # The game may have had more levels when the table was stored.
    assert Table(replace_kinds(saved, "computer:99", "person")).computer_strength() == Strength(
        len(game.spec.part(ComputerPlay).levels)
    )
    assert Table(replace_kinds(saved, "computer:2.5s", "person")).computer_strength() == Strength(seconds=2.5)


def test_strengths_that_a_table_allows_are_those_of_its_own_game() -> None:
    highest = len(fc.game("dots-and-boxes").spec.part(ComputerPlay).levels)
    allowed = {
        name: is_strength(f"computer:{highest}", fc.game(name).spec) for name in ("dots-and-boxes", "squarin-off")
    }
    assert allowed == {"dots-and-boxes": True, "squarin-off": False}


@pytest.mark.parametrize(
    ("name", "options", "level"),
    [("squarin-off", {"players": 3}, 14), ("squendo", {"players": 3}, 5), ("sqez", {"players": 3}, 4)],
)
def test_a_level_in_the_middle_that_moves_at_once_replaces_who_resigned(
    name: str, options: dict[str, int], level: int
) -> None:
    game = fc.game(name, **options)
    table = Table(build_row(game, ["person"] * 3))
    assert table.computer_strength() is None
    table.match.resign(table.seat or 0)
    assert table.computer_strength() == Strength(level)
    # A search of a hundred simulations takes milliseconds.
    assert game.spec.part(ComputerPlay).levels[level - 1].nodes <= 100
    table.match.play(table.match.position.moves()[0])
    assert table.computer_strength() is None


def test_levels_have_an_explanation() -> None:
    spec = SPEC.replace_parts(
        ComputerPlay((Level("first", "does not count chains", 1, 1.0), Level("last", "", 1, 1.0)))
    )
    assert seats.describe_level(spec, 1) == "It does not count chains."
    assert seats.describe_level(spec, 2) == "It holds nothing back."
