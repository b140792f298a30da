"""The form's clock and company: what is read, what is stored, and how a wrong one comes back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fourcorners.core.errors import OptionError
from fourcorners.web.pages import forms
from tests.web.client import Browser

LINK = {"seat-1": "open"}
HOST = forms.Host("Guest", account=False, is_others={"Eve"}.__contains__)
USUAL = {"visibility": "link", "chat": "presets", "rated": False}


def settings_of(**form: str) -> dict[str, Any]:
    fields = {name.replace("_", "-"): text for name, text in form.items()}
    return forms.setup_of("sqez", fields, HOST).settings


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
def test_a_clock_is_for_every_game(form: dict[str, str], clock: dict[str, Any] | None) -> None:
    assert settings_of(**form) == {"confirm": False, "clock": clock}
    assert settings_of(**form, seat_1="open") == {"confirm": False, "clock": clock, **USUAL}


def test_company_counts_only_where_a_seat_is_open() -> None:
    company = {"visibility": "public", "chat": "free", "rated": "true"}
    assert settings_of(**company, seat_1="person").keys() == {"confirm", "clock"}
    settings = settings_of(**company, seat_1="open")
    assert settings == {"confirm": False, "clock": None, "visibility": "public", "chat": "free", "rated": True}


def test_an_open_seat_has_no_name_and_the_host_keeps_the_own() -> None:
    form = {**LINK, "name-0": "Ada", "name-1": "Eve", "who-begins": "order"}
    setup = forms.setup_of("sqez", form, HOST)
    assert (setup.names, setup.kinds) == (("Ada", ""), ("person", "open"))
    grace = HOST._replace(name="Grace")
    assert forms.setup_of("sqez", {**LINK, "who-begins": "order"}, grace).names == ("Grace", "")


@pytest.mark.parametrize(
    ("kinds", "typed", "account", "names"),
    [
        (("person", "open"), ("Ada",), False, ("Ada", "")),
        (("person", "open"), ("Ada",), True, ("Grace", "")),
        (("person", "open"), ("Eve",), True, ("Grace", "")),
        (("open", "person"), ("", "Ada"), True, ("", "Grace")),
        (("person", "person", "open"), ("Ada", "Bob"), True, ("Grace", "Bob", "")),
        (("person", "person", "open"), (), False, ("Player 1", "Player 2", "")),
        # Who plays at one screen sees who it is.
        (("person", "person"), ("Eve", "Ada"), True, ("Eve", "Ada")),
    ],
)
def test_a_host_bears_the_own_name(
    kinds: tuple[str, ...], typed: tuple[str, ...], account: bool, names: tuple[str, ...]
) -> None:
    form = {"who-begins": "order", "players": str(len(kinds))}
    form |= {f"seat-{seat}": kind for seat, kind in enumerate(kinds)}
    form |= {f"name-{seat}": name for seat, name in enumerate(typed)}
    assert forms.setup_of("sqez", form, HOST._replace(name="Grace", account=account)).names == names


@pytest.mark.parametrize(("account", "seat"), [(False, 0), (False, 1), (True, 1)])
def test_nobody_sets_up_a_table_under_the_name_of_anothers_account(account: bool, seat: int) -> None:
    form = {"players": "3", "seat-1": "person", "seat-2": "open", f"name-{seat}": " Eve "}
    with pytest.raises(OptionError, match="somebody’s account has this name; choose another one") as caught:
        forms.setup_of("sqez", form, HOST._replace(name="Grace", account=account))
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
def test_what_does_not_fit_names_its_field(form: dict[str, str], option: str) -> None:
    with pytest.raises(OptionError) as caught:
        settings_of(**form)
    assert caught.value.option == option
    assert len(caught.value.message) < 200


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("form", "option", "typed"),
    [
        ({"clock": "game", "clock-minutes": '"9999', "clock-increment": "1"}, "clock-minutes", "&#34;9999"),
        ({"clock": "game", "clock-minutes": "7", "clock-increment": "<b>"}, "clock-increment", "&lt;b&gt;"),
        ({"clock": "days", "clock-days": "99"}, "clock-days", "99"),
        ({"seat-1": "open", "visibility": "all"}, "visibility", ""),
    ],
)
def test_a_wrong_clock_comes_back_at_its_field(browser: Browser, form: dict[str, str], option: str, typed: str) -> None:
    answer = browser.http.post("/games/sqez", data={"name-0": "Ada", **form})
    assert answer.status_code == 422
    at_field = re.search(rf'<p class="wrong" id="r-{option}" data-reason ([^>]*)>([^<]*)', answer.text)
    assert at_field is not None
    assert "hidden" not in at_field[1]
    assert "is not allowed" in at_field[2]
    assert f'value="{typed}"' in answer.text
    assert 'value="Ada"' in answer.text
    # It is said once, and not at the top as well.
    assert answer.text.count("is not allowed") == 1
    assert browser.http.post("/games/sqez/check", data=form).json()["option"] == option


@pytest.mark.compiled
def test_what_was_chosen_comes_back_with_an_error_elsewhere(browser: Browser) -> None:
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
def test_a_link_may_ask_for_company(browser: Browser) -> None:
    plain = browser.http.get("/games/sqez").text
    assert not re.search(r'value="open" selected', plain)
    assert re.search(r'value="open" selected', browser.http.get("/games/sqez?with=friend").text)
    text = browser.http.get("/games/sqez?with=lobby").text
    assert re.search(r'value="public" checked', text)
    assert browser.http.get("/games/sqez?with=<b>").text == plain


@pytest.mark.compiled
def test_a_table_with_an_open_seat_waits(browser: Browser, other: Browser) -> None:
    table = browser.begin(
        "sqez", clock="180+2", rated="true", **{"seat-0": "person", "seat-1": "open", "name-0": "Ada"}
    )
    with browser.sit(table) as ada, other.sit(table) as bob:
        assert ada.state["settings"] == {
            "confirm": False,
            "clock": {"kind": "game", "seconds": 180, "increment": 2},
            "visibility": "link",
            "chat": "presets",
            "rated": True,
        }
        assert [chair["taken"] for chair in bob.state["chairs"]] == [True, False]
        assert not bob.state["started"]
        assert ada.state["clock_label"] == "3 min + 2 s"
