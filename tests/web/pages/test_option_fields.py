"""The number of players and the size of the board as main choices of the form for a new game."""

import re
from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.core.game import Game
from fourcorners.web.pages import forms
from fourcorners.web.pages.option_fields import OWN_SIZE, arrange_fields, find_size_choice, list_sizes
from tests.web.client import Browser


@pytest.mark.parametrize(
    ("game", "dimensions"),
    [
        ("sqez", ["8 × 8", "10 × 10", "14 × 14"]),
        ("square-off", ["6 × 6", "8 × 8", "12 × 12"]),
        ("squarin-off", ["5 × 5", "10 × 10", "15 × 15"]),
        ("dots-and-boxes", ["4 × 4", "5 × 5", "8 × 8"]),
        ("squendo", []),
    ],
)
def test_sizes_on_offer_are_shares_of_the_usual_one_that_the_game_allows(game: str, dimensions: list[str]) -> None:
    sizes = list_sizes(fc.game(game))
    assert [size.dimensions for size in sizes] == dimensions
    for size in sizes:
        chosen = forms.parse_game(game, {"board": size.name}).options
        assert chosen == forms.parse_game(game, {**size.options, **size.others}).options


@pytest.mark.parametrize("game", [name for name in fc.games() if fc.game(name).starter])
def test_board_of_the_first_game_is_on_offer(game: str) -> None:
    first = fc.game(game, **fc.game(game).starter)
    name = "standard" if fc.game(game).spec.sizes else "small"
    assert forms.parse_game(game, {"board": name}).options == first.options


def test_small_board_says_what_else_differs_and_yields_to_what_is_typed() -> None:
    small = list_sizes(fc.game("squarin-off"))[0]
    assert (small.dimensions, small.note) == ("5 × 5", "2 blockers")
    typed = forms.parse_game("squarin-off", {"board": "small", "blockers": "1"})
    starter = fc.game("squarin-off").starter
    assert typed.options == fc.game("squarin-off", **{**starter, "blockers": 1}).options
    form = {"cols": "5", "rows": "5"}
    assert find_size_choice(fc.game("squarin-off"), form) == OWN_SIZE
    assert find_size_choice(fc.game("squarin-off"), {**form, **small.others}) == "small"


@pytest.mark.parametrize("starter", [{"cols": 8, "rows": 8}, {"cols": 8, "rows": 8, "players": 3}])
def test_standard_size_stays_on_offer_where_the_first_game_has_it_too(starter: dict[str, int]) -> None:
    game = Game(replace(fc.game("sqez").spec, starter=starter, sizes={}), {})
    assert [(size.name, size.dimensions) for size in list_sizes(game)] == [("standard", "8 × 8"), ("large", "12 × 12")]
    assert find_size_choice(game, {}) == "standard"


def test_size_chosen_by_name_replaces_the_typed_one() -> None:
    assert forms.parse_game("sqez", {"board": "small", "cols": "7"}).given_options() == {}
    assert forms.parse_game("sqez", {"board": "standard", "cols": "7"}).given_options() == {"cols": 10, "rows": 10}
    assert forms.parse_game("sqez", {"board": OWN_SIZE, "cols": "7"}).given_options() == {"cols": 7}
    assert forms.parse_game("sqez", {"cols": "7"}).given_options() == {"cols": 7}


def test_unknown_size_is_refused_at_its_field() -> None:
    with pytest.raises(
        OptionError, match="'huge' is not allowed; it must be small or standard or large or own"
    ) as caught:
        forms.parse_game("sqez", {"board": "huge"})
    assert caught.value.option == "board"


@pytest.mark.parametrize(
    ("form", "choice"),
    [
        ({}, "standard"),
        ({"cols": "8", "rows": "8"}, "small"),
        ({"cols": "", "rows": " "}, "small"),  # blank fields are the library's default
        ({"cols": "10", "rows": "10"}, "standard"),
        ({"cols": "5"}, OWN_SIZE),
        ({"board": "large", "cols": "5"}, "large"),
        ({"board": "huge"}, "standard"),
    ],
)
def test_form_shows_the_size_that_was_chosen_or_typed(form: dict[str, str], choice: str) -> None:
    assert find_size_choice(fc.game("sqez"), form) == choice


def test_players_and_size_are_not_among_the_other_options() -> None:
    options = arrange_fields(fc.game("squarin-off"), {})
    assert options.counts == ["2", "3", "4"]
    assert [field["name"] for field in options.size] == ["cols", "rows"]
    assert not {"players", "cols", "rows"} & {field["name"] for field in options.others}
    # A preset that fixes the number of players leaves no choice.
    assert arrange_fields(fc.game("dots-and-boxes"), {}).players is None


@pytest.mark.compiled
def test_error_at_a_seat_is_shown_in_the_row_of_the_seat(browser: Browser) -> None:
    form = {"seat-1": "computer", "level-1": "time", "seconds-1": "99"}
    text = browser.http.post("/games/sqez", data=form).text
    row = text[text.index('data-seat="1"') : text.index('data-seat="2"')]
    assert re.search(r'id="r-seat-1" role="alert" data-reason>Seat 2: .*0.1 to 60 seconds per move', row)
    [focused] = re.findall(r"<[^>]* autofocus[^>]*>", text)
    assert 'name="seconds-1"' in focused
