"""The puzzles that the program brings: the list of games counts those that are offered."""

import re

import pytest

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.study.puzzles.sheets import choose_puzzles
from tests.web.client import Browser, Server


@pytest.mark.parametrize("game", fc.games())
def test_totals_are_what_the_teachers_list_and_printed_sheets_offer(cold_server: Server, game: str) -> None:
    with Browser(cold_server) as browser:
        section = re.split(r'<section [^>]*id="', browser.http.get("/puzzles").text.split(f'id="{game}"')[1])[0]
        total = int(re.findall(r"(\d+) puzzles ·", section)[0])
        by_theme = re.findall(rf'/puzzles/{game}/next\?theme=([\w-]+)".*?of (\d+) solved', section)
        for theme, number in [("", total), *((theme, int(number)) for theme, number in by_theme)]:
            listed = browser.http.get("/sets", params={"game": game, "theme": theme}).text
            assert re.findall(r"(\d+) puzzles?, the easiest first", listed) == [str(number)]
            with pytest.raises(OptionError, match=f"there are {number}$"):
                choose_puzzles(game, 10_000, theme=theme)
