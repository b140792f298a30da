"""Skeletons: which names look alike."""

import unicodedata

import pytest

from fourcorners.core.skeletons import FILE, skeletonise
from tests.web.stored import to_full_width


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Anna", "ANNA"),
        ("Anna", to_full_width("Anna")),
        # Cyrillic letters.
        ("PayPal", "\u0440\u0430\u0443\u0440\u0430l"),
        ("Anna", "\u0410nn\u0430"),
        # A Greek one.
        ("Bob", "B\u03bfb"),
        ("Anna1", "AnnaI"),
        ("Anna1", "annal"),
        ("B0b", "bob"),
        ("Mia", "rnia"),
        ("Gro\u00df", "GROSS"),
        # A mark that changes nothing that can be seen.
        ("Anna", "An\ufe0fna"),
        ("\u00c4nne", "A\u0308nne"),
        ("it's", "it\u2019s"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, two: str) -> None:
    assert skeletonise(one) == skeletonise(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [("Anna", "Anne"), ("Anna", "\u00c4nna"), ("Ali", "All"), ("Bob", "Rob"), ("Cora", "Dora")],
)
def test_names_that_can_be_told_apart_have_different_skeletons(one: str, two: str) -> None:
    assert skeletonise(one) != skeletonise(two)


def test_skeleton_of_a_skeleton_is_itself_for_every_character() -> None:
    # Assigned letters beyond these planes are rare, and none is in the table.
    for number in range(0x20, 0x30000):
        if unicodedata.category(chr(number)) not in {"Cn", "Cs", "Co"}:
            skeleton = skeletonise(chr(number))
            assert skeletonise(skeleton) == skeleton, hex(number)


def test_table_names_its_source_and_each_character_once() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert "Unicode License" in text
    sources = "".join(line.partition("\t")[2] for line in text.splitlines() if not line.startswith("# "))
    assert len(sources) == len(set(sources)) > 2500
