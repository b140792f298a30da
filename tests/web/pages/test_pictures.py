"""Pictures of the games' own records."""

import pytest

from fourcorners.core import catalogue
from fourcorners.core.match import Record
from fourcorners.web.application.markdown import create_parser
from fourcorners.web.pages import pictures


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
