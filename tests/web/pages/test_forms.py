"""The form for a new game: what it reads and stores, and how errors come back."""

import re
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.application.table_setup import build_table
from fourcorners.web.domain.clocks import UNTIMED, TimeControl, list_clock_choices
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.seats import parse_seconds, parse_strength
from fourcorners.web.pages import forms
from tests.web.client import Browser

LINK = {"seat-1": "open"}
# A guest called Guest, who may not use the name Eve: it belongs to someone else's account.
ACCOUNT = forms.Host("Anna", account=True, is_taken={"Eve"}.__contains__)
HOST = forms.Host("Guest", account=False, is_taken={"Eve"}.__contains__)
SPEC = fc.game("sqez").spec
USUAL = {"visibility": "link", "chat": "presets", "rated": False}
"""The settings that a table with an open seat has if the form does not choose others."""


def build_row(form: dict[str, str], host: forms.Host = HOST) -> StoredTable:
    """Return the row of a table that a form of Sqez sets up for `host`, by default a guest; raise OptionError."""
    return build_table(forms.parse_setup("sqez", form, host), "owner", 0.0)


def read_settings(**form: str) -> dict[str, Any]:
    """Return the settings of a table of Sqez; underscores stand for hyphens in fields' names. Raise OptionError."""
    return build_row({name.replace("_", "-"): text for name, text in form.items()}).settings


def read_names(form: dict[str, str], host: forms.Host) -> tuple[str, ...]:
    """Return the names by seat, "" for an open one, at a table of Sqez that `host` sets up; raise OptionError."""
    return tuple(build_row(form, host).names)


@pytest.mark.parametrize(
    ("form", "clock"),
    [
        ({}, None),
        ({"clock": ""}, None),
        ({"clock": "300+3"}, {"kind": "game", "seconds": 300, "increment": 3}),
        ({"clock": "3d"}, {"kind": "days", "days": 3}),
        (
            {"clock": "game", "clock_minutes": "1,5", "clock_increment": "0"},
            {"kind": "game", "seconds": 90, "increment": 0},
        ),
        ({"clock": "days", "clock_days": "14", "clock_minutes": "x"}, {"kind": "days", "days": 14}),
    ],
)
def test_time_control_is_stored_with_and_without_open_seats(form: dict[str, str], clock: dict[str, Any] | None) -> None:
    assert read_settings(**form) == {"confirm": False, "clock": clock}
    assert read_settings(**form, seat_1="open") == {"confirm": False, "clock": clock, **USUAL}


def test_sharing_settings_are_stored_only_with_an_open_seat() -> None:
    sharing = {"visibility": "public", "chat": "free", "rated": "true", "clock": "3d"}
    assert read_settings(**sharing, seat_1="person").keys() == {"confirm", "clock"}
    settings = read_settings(**sharing, seat_1="open")
    clock = {"kind": "days", "days": 3}
    assert settings == {"confirm": False, "clock": clock, "visibility": "public", "chat": "free", "rated": True}


RATED = {"rated": "true", "clock": "600+5"}


def test_game_against_a_level_can_be_rated_and_names_its_account() -> None:
    row = build_table(forms.parse_setup("sqez", {**RATED, "cols": "10", "rows": "10"}, ACCOUNT), "owner", 0.0)
    assert row.settings["rated"] is True
    assert {chair.name for chair in row.chairs} == {"Anna", "Computer 3"}


@pytest.mark.parametrize(
    ("form", "field", "reason"),
    [
        ({"clock": ""}, "clock", "needs a clock"),
        ({"cols": "6", "rows": "6"}, "rated", "standard board"),
        ({"who-begins": "order"}, "rated", "random seats"),
        ({"level-1": "time", "seconds-1": "2"}, "rated", "no rating"),
        ({"players": "3", "level-2": "3"}, "rated", "different level"),
        ({"players": "3", "seat-1": "person"}, "rated", "one seat"),
        ({"seat-0": "computer", "level-0": "2"}, "rated", "between computers"),
    ],
)
def test_game_that_could_not_count_for_ratings_is_refused(form: dict[str, str], field: str, reason: str) -> None:
    whole = {**RATED, "cols": "10", "rows": "10", **form}
    setup = forms.parse_setup("sqez", whole, HOST)
    with pytest.raises(OptionError, match=reason) as caught:
        build_table(setup, "owner", 0.0)
    assert caught.value.option == field


@pytest.mark.parametrize(("game", "stored"), [("squarin-off", True), ("dots-and-boxes", True), ("sqez", None)])
def test_points_are_hidden_only_where_they_can_be_counted(game: str, stored: bool | None) -> None:
    row = build_table(forms.parse_setup(game, {"hide_points": "true"}, HOST), "owner", 0.0)
    assert row.settings.get("hide_points") is stored
    assert "hide_points" not in build_table(forms.parse_setup(game, {}, HOST), "owner", 0.0).settings


def test_open_seat_has_no_name_and_a_guest_has_the_typed_or_saved_one() -> None:
    # A name typed for the open seat is ignored, even one that belongs to an account.
    form = {**LINK, "name-0": "Ada", "name-1": "Eve", "who-begins": "order"}
    row = build_row(form)
    assert row.names == ["Ada", ""]
    assert [chair.taken for chair in row.chairs] == [True, False]
    grace = HOST._replace(name="Grace")
    assert read_names({**LINK, "who-begins": "order"}, grace) == ("Grace", "")


@pytest.mark.parametrize(
    ("kinds", "typed", "account", "names"),
    [
        (("person", "open"), ("Ada",), False, ("Ada", "")),
        (("person", "open"), ("Ada",), True, ("Grace", "")),
        (("person", "open"), ("Eve",), True, ("Grace", "")),
        (("open", "person"), ("", "Ada"), True, ("", "Grace")),
        (("person", "person", "open"), ("Ada", "Bob"), True, ("Grace", "Bob", "")),
        (("person", "person", "open"), (), False, ("Player 1", "Player 2", "")),
        # At one screen no one is misled by a name.
        (("person", "person"), ("Eve", "Ada"), True, ("Eve", "Ada")),
    ],
)
def test_host_with_an_account_has_its_name_at_the_first_own_seat_of_a_shared_table(
    kinds: tuple[str, ...], typed: tuple[str, ...], account: bool, names: tuple[str, ...]
) -> None:
    """A guest and a table at one screen keep the typed names. Without a name the people at one browser are numbered.

    `account` is whether the host, Grace, has an account.
    """
    form = {"who-begins": "order", "players": str(len(kinds))}
    form |= {f"seat-{seat}": kind for seat, kind in enumerate(kinds)}
    form |= {f"name-{seat}": name for seat, name in enumerate(typed)}
    assert read_names(form, HOST._replace(name="Grace", account=account)) == names


@pytest.mark.parametrize(("account", "seat"), [(False, 0), (False, 1), (True, 1)])
def test_name_of_another_account_is_refused_at_its_field(account: bool, seat: int) -> None:
    # With an account the name typed for seat 0 is not used, so that it cannot be wrong.
    form = {"players": "3", "seat-1": "person", "seat-2": "open", f"name-{seat}": " Eve "}
    with pytest.raises(OptionError, match="another player’s account; choose another one") as caught:
        forms.parse_setup("sqez", form, HOST._replace(name="Grace", account=account))
    assert caught.value.option == f"name-{seat}"


@pytest.mark.parametrize(
    ("form", "option"),
    [
        ({"clock": "x"}, "clock"),
        ({"clock": "game", "clock_minutes": "0", "clock_increment": "0"}, "clock-minutes"),
        ({"clock": "game", "clock_minutes": "181", "clock_increment": "0"}, "clock-minutes"),
        ({"clock": "game", "clock_minutes": "1", "clock_increment": "181"}, "clock-increment"),
        ({"clock": "game", "clock_minutes": "1"}, "clock-increment"),
        ({"clock": "days", "clock_days": "15"}, "clock-days"),
        ({"clock": "days"}, "clock-days"),
        ({"seat_1": "open", "visibility": "all"}, "visibility"),
        ({"seat_1": "open", "chat": "loud"}, "chat"),
        ({"seat_1": "dog"}, "seat-1"),
    ],
)
def test_form_error_names_the_wrong_field(form: dict[str, str], option: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_settings(**form)
    assert caught.value.option == option
    # A long message would not fit beside the field.
    assert len(caught.value.message) < 200


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("form", "option", "typed"),
    [
        ({"clock": "game", "clock-minutes": '"9999', "clock-increment": "1"}, "clock-minutes", "&#34;9999"),
        ({"clock": "game", "clock-minutes": "7", "clock-increment": "<b>"}, "clock-increment", "&lt;b&gt;"),
        ({"clock": "days", "clock-days": "99"}, "clock-days", "99"),
        ({"seat-1": "open", "visibility": "all"}, "visibility", ""),
        ({"cols": "99"}, "cols", "99"),
    ],
)
def test_error_is_shown_once_at_its_field_which_has_the_focus_and_the_form_keeps_what_was_typed(
    browser: Browser, form: dict[str, str], option: str, typed: str
) -> None:
    """The check of the form, which scripts use, names the same field. `typed` is the wrong text, escaped as HTML."""
    answer = browser.http.post("/games/sqez", data={"name-0": "Ada", **form})
    assert answer.status_code == 422
    at_field = re.search(rf'<p class="wrong" id="r-{option}" role="alert" data-reason([^>]*)>([^<]*)', answer.text)
    assert at_field is not None
    assert "hidden" not in at_field[1]
    [focused] = re.findall(r"<[^>]* autofocus[^>]*>", answer.text)
    assert f'name="{option}"' in focused
    assert "is not allowed" in at_field[2]
    # For "visibility", which is a choice and not a text field, this is the value of some other, empty field.
    assert f'value="{typed}"' in answer.text
    assert 'value="Ada"' in answer.text
    # The error is shown once, and not at the top as well.
    assert answer.text.count(at_field[2]) == 1
    assert browser.http.post("/games/sqez/check", data=form).json()["option"] == option


@pytest.mark.compiled
def test_form_keeps_the_choices_after_an_error(browser: Browser) -> None:
    form = {"cols": "99", "seat-1": "open", "clock": "900+10", "visibility": "public", "chat": "free", "rated": "true"}
    text = browser.http.post("/games/sqez", data=form).text
    assert re.search(r'<option value="900\+10" selected>15 min \+ 10 s', text)
    assert re.search(r'value="public" checked', text)
    assert re.search(r'name="chat" value="free" checked', text)
    assert re.search(r'name="rated" value="true" checked', text)
    assert re.search(
        r'<select name="seat-1"[^>]*>\s*<option value="person" >[^<]*</option>\s*<option value="open" selected', text
    )


@pytest.mark.compiled
def test_link_to_the_form_can_preset_an_open_seat_and_a_public_or_rated_table(browser: Browser) -> None:
    plain = browser.http.get("/games/sqez").text
    assert not re.search(r'value="open" selected', plain)
    assert re.search(r'value="open" selected', browser.http.get("/games/sqez?with=friend").text)
    text = browser.http.get("/games/sqez?with=lobby").text
    assert re.search(r'value="public" checked', text)
    assert not re.search(r'name="rated" value="true" checked', text)
    rated = browser.http.get("/games/sqez?with=rated").text
    assert re.search(r'value="public" checked', rated)
    assert re.search(r'name="rated" value="true" checked', rated)
    assert browser.http.get("/games/sqez?with=<b>").text == plain


@pytest.mark.compiled
def test_table_with_an_open_seat_has_the_chosen_settings_and_waits_for_a_player(
    browser: Browser, other: Browser
) -> None:
    table = browser.begin_table(
        "sqez", clock="180+2", rated="true", **{"seat-0": "person", "seat-1": "open", "name-0": "Ada"}
    )
    with browser.open_table(table) as ada, other.open_table(table) as bob:
        assert ada.state["settings"] == {
            "confirm": False,
            "clock": {"kind": "game", "seconds": 180, "increment": 2},
            "visibility": "link",
            "chat": "presets",
            "rated": True,
            "ordered": True,
        }
        assert [chair["taken"] for chair in bob.state["chairs"]] == [True, False]
        assert not bob.state["started"]
        assert ada.state["clock_label"] == "3 min + 2 s"


def test_every_clock_choice_has_its_own_label_and_can_be_submitted() -> None:
    """The first choice is "No clock", as is a form without the field."""
    assert list_clock_choices()[0] == ("", "", "No clock")
    for choice in list_clock_choices():
        # Only the choices "game" and "days" read these fields.
        custom = {"clock-minutes": "7,5", "clock-increment": "2", "clock-days": "4"}
        control = forms.parse_time_control({"clock": choice.value, **custom})
        expected = {"game": TimeControl(450, 2), "days": TimeControl(days=4)}.get(choice.value)
        assert control == expected if expected else control.label == choice.label
    assert len({choice.label for choice in list_clock_choices()}) == len(list_clock_choices())
    assert forms.parse_time_control({}) == UNTIMED


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"clock": "game", "clock-minutes": "0.1", "clock-increment": "0"}, "clock-minutes"),
        ({"clock": "game", "clock-minutes": "180.1", "clock-increment": "0"}, "clock-minutes"),
        ({"clock": "game", "clock-minutes": "nan", "clock-increment": "0"}, "clock-minutes"),
        ({"clock": "game", "clock-increment": "0"}, "clock-minutes"),
        ({"clock": "game", "clock-minutes": "5", "clock-increment": "1.5"}, "clock-increment"),
        ({"clock": "game", "clock-minutes": "5"}, "clock-increment"),
        ({"clock": "days", "clock-days": "0"}, "clock-days"),
        ({"clock": "days", "clock-days": "many"}, "clock-days"),
        ({"clock": "hours"}, "clock"),
    ],
)
def test_time_control_error_names_the_wrong_field(form: dict[str, str], field: str) -> None:
    with pytest.raises(OptionError) as caught:
        forms.parse_time_control(form)
    assert caught.value.option == field


def test_minutes_below_the_range_are_refused_with_the_range() -> None:
    with pytest.raises(OptionError, match=r"must be 10 seconds \(0\.17\) to 180 minutes for the game"):
        forms.parse_time_control({"clock": "game", "clock-minutes": "0.15", "clock-increment": "0"})


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
def test_form_sets_a_level_or_seconds_for_each_computer(form: dict[str, str], kinds: tuple[str, ...]) -> None:
    """A seat without a level has that of the first seat with one, or level 3. Stored kinds are parsed unchanged."""
    assert tuple(build_row({"who-begins": "order", **form}).kinds) == kinds
    # Seat 1 is a computer in all of these forms.
    for kind in kinds[1:]:
        assert parse_strength(kind, SPEC).kind == kind


@pytest.mark.parametrize("typed", ["", "0", "0.09", "60.1", "-1", "1e1", "nan", "inf", "x", "٣", "1" * 1000, "2 3"])
def test_seconds_that_are_no_number_or_out_of_range_are_refused_with_the_range(typed: str) -> None:
    assert parse_seconds(typed) is None
    with pytest.raises(OptionError) as caught:
        forms.parse_setup("sqez", {"level-1": "time", "seconds-1": typed}, HOST)
    assert caught.value.option == "seconds-1"
    assert "0.1 to 60 seconds per move" in caught.value.message
    # The message quotes only the beginning of a long text.
    assert len(caught.value.message) < 200


@pytest.mark.compiled
def test_form_offers_all_levels_with_their_descriptions(browser: Browser) -> None:
    text = browser.http.get("/games/sqez").text
    for level in (*forms.list_level_choices("sqez", SPEC), forms.BY_TIME):
        assert f'value="{level.value}" data-help="{level.help}"' in text


@pytest.mark.parametrize("count", [4, 6, 8, 28])
def test_levels_are_grouped_by_difficulty_in_order_and_about_equally(count: int) -> None:
    choices = forms.list_level_choices(
        "sqez", SPEC.replace_parts(ComputerPlay(SPEC.part(ComputerPlay).levels[:1] * count))
    )
    groups = forms.group_level_choices(choices)
    assert [group["name"] for group in groups] == ["Easy", "Medium", "Hard", "Very hard"]
    lengths = {len(group["choices"]) for group in groups}
    assert max(lengths) - min(lengths) <= 1
    assert [choice.value for group in groups for choice in group["choices"]] == [str(n + 1) for n in range(count)]


@pytest.mark.compiled
def test_wrong_seconds_are_reported_once_at_their_field(browser: Browser) -> None:
    wrong = {"level-1": "time", "seconds-1": '"99'}
    answer = browser.http.post("/games/sqez", data=wrong)
    assert answer.status_code == 422
    assert "Seat 2: " in answer.text
    assert "seconds per move." in answer.text
    assert 'value="&#34;99"' in answer.text
    assert len(re.findall(r'aria-invalid="true"', answer.text)) == 1
    assert browser.http.post("/games/sqez/check", data=wrong).json()["option"] == "seconds-1"


@pytest.mark.compiled
def test_computer_with_seconds_per_move_has_them_in_its_name_and_answers_a_move(browser: Browser) -> None:
    table = browser.begin_table("sqez", cols="6", rows="6", seat_1="computer", level_1="time", **{"seconds-1": "0.1"})
    with browser.open_table(table) as socket:
        assert socket.state["kinds"] == ["person", "computer:0.1s"]
        assert socket.state["names"][1] == "Computer (0.1 s)"
        socket.move(socket.state["moves"][0])
        socket.receive_until_mine()
        assert [seat for seat, _ in socket.state["plies"]] == [0, 1]
