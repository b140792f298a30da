"""Seats of computers: a level or seconds a move, as typed, as stored and as said."""

import re
from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.core.levels import Level
from fourcorners.web.application.setup import new_table
from fourcorners.web.domain import seats
from fourcorners.web.domain.seats import Strength, parse_seconds, parse_strength
from fourcorners.web.domain.table import Table
from fourcorners.web.pages import forms
from fourcorners.web.store import StoredTable
from tests.web.client import Browser
from tests.web.test_forms import HOST

SPEC = fc.game("sqez").spec


@pytest.mark.parametrize(
    ("form", "kinds"),
    [
        ({"level-1": "2"}, ("person", "computer:2")),
        ({"level-1": ""}, ("person", "computer:3")),
        ({"level-1": "time", "seconds-1": "2.50"}, ("person", "computer:2.5s")),
        ({"level-1": "time", "seconds-1": " 0,1 "}, ("person", "computer:0.1s")),
        ({"level-1": "time", "seconds-1": "60"}, ("person", "computer:60s")),
        ({"level-1": "4", "seconds-1": "x"}, ("person", "computer:4")),
        ({"seat-0": "computer", "level-1": "time", "seconds-1": "2"}, ("computer:2s", "computer:2s")),
    ],
)
def test_a_form_gives_each_computer_a_level_or_seconds(form: dict[str, str], kinds: tuple[str, ...]) -> None:
    setup = forms.setup_of("sqez", {"who-begins": "order", **form}, HOST)
    assert setup.kinds == kinds
    for kind in kinds[1:]:
        assert parse_strength(kind, SPEC).kind == kind


@pytest.mark.parametrize("typed", ["", "0", "0.09", "60.1", "-1", "1e1", "nan", "inf", "x", "٣", "1" * 1000, "2 3"])
def test_other_seconds_are_refused_in_one_sentence(typed: str) -> None:
    assert parse_seconds(typed) is None
    with pytest.raises(OptionError) as caught:
        forms.setup_of("sqez", {"level-1": "time", "seconds-1": typed}, HOST)
    assert caught.value.option == "seconds-1"
    assert "0.1 to 60 seconds a move" in caught.value.message
    assert len(caught.value.message) < 200


def with_kinds(saved: StoredTable, *kinds: str) -> StoredTable:
    return replace(saved, chairs=[chair._replace(kind=kind) for chair, kind in zip(saved.chairs, kinds, strict=True)])


def test_games_of_before_still_load() -> None:
    game = fc.game("sqez")
    saved = new_table(game, ["Ada", "Computer 3"], ["person", "computer:3"], "owner", {}, 0.0)
    table = Table(saved)
    assert table.strength() is None
    table.match.play(table.match.position.moves()[0])
    assert table.strength() == Strength(3)
    # A game may have fewer levels than it once had.
    assert Table(with_kinds(saved, "computer:99", "person")).strength() == Strength(len(SPEC.levels))
    assert Table(with_kinds(saved, "computer:2.5s", "person")).strength() == Strength(seconds=2.5)


def test_every_level_says_what_it_is_blind_to() -> None:
    spec = replace(SPEC, levels=(Level("first", "does not count chains", 1, 1.0), Level("last", "", 1, 1.0)))
    assert [seats.format_level(spec, level) for level in seats.level_numbers(spec)] == ["Level 1: first", "Level 2: last"]
    assert seats.describe_level(spec, 1) == "It does not count chains."
    assert seats.describe_level(spec, 2) == "It holds nothing back."


@pytest.mark.compiled
def test_the_form_shows_levels_seconds_and_what_is_wrong(browser: Browser) -> None:
    text = browser.http.get("/games/sqez").text
    for level in forms.levels_offered(SPEC):
        assert re.search(rf'value="{level["value"]}" data-help="{level["help"]}"', text)
    wrong = {"level-1": "time", "seconds-1": '"99'}
    answer = browser.http.post("/games/sqez", data=wrong)
    assert answer.status_code == 422
    assert "Seat 2: " in answer.text
    assert "seconds a move." in answer.text
    assert 'value="&#34;99"' in answer.text
    assert len(re.findall(r'aria-invalid="true"', answer.text)) == 1
    assert browser.http.post("/games/sqez/check", data=wrong).json()["option"] == "seconds-1"


@pytest.mark.compiled
def test_a_seat_with_seconds_plays(browser: Browser) -> None:
    table = browser.begin("sqez", cols="6", rows="6", seat_1="computer", level_1="time", **{"seconds-1": "0.1"})
    with browser.sit(table) as socket:
        assert socket.state["kinds"] == ["person", "computer:0.1s"]
        assert socket.state["names"][1] == "Computer (0.1 s)"
        socket.move(socket.state["moves"][0])
        socket.until_mine()
        assert [seat for seat, _ in socket.state["plies"]] == [0, 1]
