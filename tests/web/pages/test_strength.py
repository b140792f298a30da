"""The page on the strength of the levels, and the reports on the games."""

import pytest

import fourcorners as fc
from fourcorners.players.computer_play import ComputerPlay
from tests.web.accounts import Visit

pytestmark = pytest.mark.compiled


def test_every_level_of_every_game_is_listed_with_its_points(visit: Visit) -> None:
    text = visit().get("/strength").text
    for name, game in ((name, fc.game(name)) for name in fc.games()):
        section = text.partition(f'<h2 id="{name}">')[2].partition("</section>")[0]
        assert section.count("<tr>") == len(game.spec.part(ComputerPlay).levels) + 1
        assert f'href="/reports/{name}"' in section


@pytest.mark.parametrize("name", fc.games())
def test_report_of_a_game_is_a_page_without_scripts_or_styles_that_the_policy_forbids(visit: Visit, name: str) -> None:
    answer = visit().get(f"/reports/{name}")
    assert answer.status_code == 200
    report = answer.text.partition('class="game-report"')[2].partition("</article>")[0]
    assert f"Report on {fc.game(name).title}" in report
    assert not any(forbidden in report for forbidden in ("<script", "<style", "style=", " onclick"))
    assert report.count("<h1") == 1


def test_unknown_report_is_not_found(visit: Visit) -> None:
    assert visit().get("/reports/chess").status_code == 404


def test_menus_of_levels_and_the_page_about_the_site_lead_there(visit: Visit) -> None:
    http = visit()
    assert 'href="/strength#sqez"' in http.get("/games/sqez").text
    about = http.get("/about").text
    assert 'href="/strength"' in about and 'href="/reports/sqez"' in about
