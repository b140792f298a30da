"""Pictures of the games' own records."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core import catalogue
from fourcorners.core.match import Record
from fourcorners.web.application.markdown import create_parser
from fourcorners.web.pages import games, pictures
from tests.web.tables import build_row

STATIC = Path(games.__file__).parents[1] / "static"


@pytest.mark.parametrize("game_id", catalogue.games())
def test_cover_shows_the_position_and_the_last_move_that_a_checked_replay_gives(game_id: str) -> None:
    record = catalogue.game(game_id).cover
    position = Record.replay(record).position
    found = pictures._replay(record)
    assert found == position
    assert (found.game.id, found.plies) == (position.game.id, position.plies)
    assert found.view()._played == position.view()._played
    assert 'class="' in pictures.draw_cover(game_id, "light", "", "")


def test_drawing_covers_lists_no_legal_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("legal moves were listed, which takes half a second before the rules are compiled")

    pictures._replay.cache_clear()
    monkeypatch.setattr("fourcorners.core.compiled_api.legal", refuse)
    for game_id in catalogue.games():
        assert pictures._replay(catalogue.game(game_id).cover).plies


def test_rulebooks_have_typographic_quotes_and_code_is_not_changed() -> None:
    text = create_parser().render("White's `it's`")
    assert text == "<p>White’s <code>it's</code></p>\n"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("reserve.js", f"const NARROW = {pictures._NARROW};"),
        ("seats.js", f"const MOST_IN_STRIP = {games._MOST_IN_STRIP};"),
    ],
)
def test_space_that_the_page_reserves_is_what_its_scripts_reserve(script: str, line: str) -> None:
    assert line in (STATIC / script).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("seats", "settings", "expected"),
    [(3, {}, True), (5, {}, False), (5, {"clock": {"kind": "game", "seconds": 60, "increment": 0}}, True)],
)
def test_seats_stand_above_the_board_of_a_phone_unless_they_are_many_without_clocks(
    seats: int, settings: dict[str, Any], *, expected: bool
) -> None:
    row = build_row(fc.game("sqez", players=seats), ["person", *["open"] * (seats - 1)], settings=settings)
    assert games._has_strip(replace(row, started=1.0)) is expected
