"""Time controls as they are stored and as they are written."""

import pytest

from fourcorners.core.errors import OptionError
from fourcorners.web.domain.clocks import UNTIMED, TimeControl

FIVE = TimeControl(300, 3)


@pytest.mark.parametrize(
    "control", [UNTIMED, FIVE, TimeControl(10), TimeControl(10_800, 180), TimeControl(days=1), TimeControl(days=14)]
)
def test_time_control_survives_storing_and_parsing(control: TimeControl) -> None:
    assert TimeControl.from_stored(control.to_stored()) == control == TimeControl.parse(str(control))


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        (
            {"kind": "game", "seconds": 9, "increment": 0},
            "9 is not allowed; it must be 10 to 10800 seconds for the game",
        ),
        ({"kind": "game", "seconds": 10_801, "increment": 0}, "10801 is not allowed"),
        ({"kind": "game", "seconds": 60.0, "increment": 0}, "60.0 is not allowed"),
        ({"kind": "game", "seconds": True, "increment": 0}, "True is not allowed"),
        ({"kind": "game", "seconds": 60, "increment": 181}, "181 is not allowed; it must be 0 to 180 seconds per turn"),
        ({"kind": "game", "seconds": 60, "increment": -1}, "-1 is not allowed"),
        ({"kind": "days", "days": 0}, "0 is not allowed; it must be 1 to 14 days per turn"),
        ({"kind": "days", "days": 15}, "15 is not allowed"),
        ({"kind": "days", "days": 1, "seconds": 60}, "it must be null, or have kind game"),
        ({"kind": "game", "seconds": 60}, "it must be null, or have kind game"),
        ({"kind": ["game"], "days": 1}, "it must be null, or have kind game"),
        ({}, "it must be null, or have kind game"),
        ("300+3", "'300+3' is not allowed; it must be null"),
    ],
)
def test_malformed_stored_time_control_is_refused_with_the_allowed_values(stored: object, said: str) -> None:
    with pytest.raises(OptionError) as caught:
        TimeControl.from_stored(stored)
    assert caught.value.option == "clock"
    assert said in caught.value.message


@pytest.mark.parametrize("text", ["0+0", "300", "300+", "300+3 ", "15d", "0d", "d", "³00+3", "99999+0", "x" * 1_000])
def test_text_that_is_no_time_control_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"^clock: "):
        TimeControl.parse(text)
