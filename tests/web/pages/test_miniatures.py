"""Small boards of several games on one page."""

import re

import pytest

import fourcorners as fc
from fourcorners.core import catalogue
from fourcorners.core.scene import Style
from fourcorners.web.pages.miniatures import _build_style, _scope_style, describe_miniatures, draw_miniature
from tests.web.client import Browser, Server


@pytest.mark.parametrize("game_id", fc.games())
def test_small_board_has_nothing_that_may_stand_on_a_page_only_once_and_no_button(game_id: str) -> None:
    game = fc.game(game_id)
    drawn = draw_miniature(game, game.start().view())
    assert f"game-{game_id}" in drawn
    assert drawn.count('class="fc-board"') == 1
    assert not re.search(r" id=| data-token=| role=| tabindex=", drawn)


def test_rules_of_a_game_hold_for_its_own_boards_even_in_what_a_use_copies() -> None:
    style = Style(
        ".a,.b .c:is(.d,.e){x:1}.p{y:2}@keyframes k{from{z:0}to{z:1}}@media print{.q{w:3}}",
        '<g id="i"><path class="p r"/></g>',
        {"light": {"v": "1"}, "dark": {"v": "2"}},
    )
    assert _scope_style(style, ".own", ":is(.other)").splitlines() == [
        '[data-theme="light"] .own{--v:1;}',
        '[data-theme="dark"] .own{--v:2;}',
        "@keyframes k{from{z:0}to{z:1}}",
        ".own .a,.own .b .c:is(.d,.e){x:1}.p:not(:is(.other) *){y:2}@media print{.own .q{w:3}}",
    ]


def test_definitions_of_a_game_and_its_presets_are_on_a_page_once_under_different_ids() -> None:
    defs = describe_miniatures(set(fc.games()))["boards_defs"]
    assert isinstance(defs, dict)
    assert len(defs) == len(catalogue.specs())
    ids = re.findall(r'id="([^"]+)"', "".join(defs.values()))
    assert len(ids) == len(set(ids))
    names = re.findall(r"@keyframes ([\w-]+)", _build_style())
    assert len(names) == len(set(names))


def test_style_of_the_boards_is_kept_because_its_address_has_its_version(cold_server: Server) -> None:
    with Browser(cold_server) as browser:
        address = describe_miniatures(set())["boards_style"]
        assert f'href="{address}"' in browser.http.get("/").text
        answer = browser.http.get(str(address))
        assert answer.headers["content-type"].startswith("text/css")
        assert "immutable" in answer.headers["cache-control"]
