"""Names of accounts: which are allowed, and which count as the same."""

import pytest

from fourcorners.web.domain.names import BadNameError, check_account_name, fold_name
from tests.web.stored import to_full_width


@pytest.mark.parametrize(
    "name", ["Anna", "Ü-b_e.r9", "Берта", "李小龙", "ひらカナ漢", "अनीता", "٣٤٥", "x" * 30, "Anna "]
)
def test_name_of_letters_of_one_alphabet_and_digits_is_allowed_and_trimmed(name: str) -> None:
    assert check_account_name(name) == name.strip()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "ab",
        "x" * 31,
        "a b c",
        "a/bc",
        "../..",
        "_ab",
        "ab.",
        # Its first letter is Cyrillic.
        f"{chr(0x410)}nna",
        # Three combining marks on one letter.
        "ab́́́a",
        "a\x00bc",
        "<b>a</b>",
        # A mark that reverses the direction of writing.
        "ann\u202ea",
        "Guest",
        # It looks like a reserved name.
        "adrnin",
        to_full_width("ADMIN"),
        "a☃b",
        # Each of these ligatures becomes three letters.
        "ﬃ" * 30,
        "�abc",
        # A zero-width joiner.
        "an\u200dna",
    ],
)
def test_forbidden_name_is_rejected_with_a_sentence(name: str) -> None:
    with pytest.raises(BadNameError, match=r"^[A-Z].*\.$"):
        check_account_name(name)


def test_folding_a_character_twice_gives_the_same_as_folding_it_once() -> None:
    # Unicode assigns no letters beyond these planes that change when folded.
    for number in range(0x20, 0x30000):
        character = chr(number)
        assert fold_name(fold_name(character)) == fold_name(character)
