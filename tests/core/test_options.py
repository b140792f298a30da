"""Options that are refused leave nothing behind in memory."""

import gc
import weakref

import pytest

import fourcorners as fc

REFUSED = [
    ("squarin-off", {"teams": True}),
    ("squarin-off", {"values": "12 3"}),
    ("squarin-off", {"cols": 99}),
    ("squendo", {"colours": "XYZ"}),
]
"""Refused by validators of the games, and by the limits of a field."""


def refuse(name: str, options: dict[str, object]) -> tuple[weakref.ref[object], weakref.ref[object]]:
    """Have options refused, and return references to the error and to what a variable of the caller holds."""
    held = fc.game("sqez").start()
    try:
        fc.game(name, **options)
    except fc.OptionError as error:
        kept = error  # a cycle, by the traceback of the error
        return weakref.ref(kept), weakref.ref(held)
    raise AssertionError(f"{options} should be refused")


@pytest.mark.parametrize(("name", "options"), REFUSED)
def test_refused_options_are_freed_with_all_that_their_callers_held(name: str, options: dict[str, object]) -> None:
    references = refuse(name, options)
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_refusal_has_no_context_and_names_the_option() -> None:
    with pytest.raises(fc.OptionError, match=r"^teams: ") as caught:
        fc.game("squarin-off", teams=True)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
