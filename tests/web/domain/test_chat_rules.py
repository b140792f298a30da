"""Chat rules: who may say what, and what others see of the author."""

import pytest

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.domain.chat_rules import LONGEST_CHAT, PHRASES, compose_chat_text, derive_mute_key
from fourcorners.web.domain.rows import ChatLine
from fourcorners.web.protocol.server_messages import encode
from fourcorners.web.protocol.snapshots import build_chat
from tests.web.tables import ADA, BOB, CLEO, SMALL, seat_players

FREE = {"chat": "free"}


def test_seated_player_may_use_phrases_but_not_free_text_and_a_spectator_neither() -> None:
    table = seat_players(SMALL, ADA, BOB)
    for number, phrase in enumerate(PHRASES):
        assert compose_chat_text(table, BOB, number, "") == phrase
    for player, chosen, text, code in (
        (CLEO, 0, "", "not-yours"),
        (CLEO, None, "hello", "not-yours"),
        (ADA, None, "hello", "no-free-chat"),
    ):
        with pytest.raises(IllegalMoveError) as caught:
            compose_chat_text(table, player, chosen, text)
        assert caught.value.code == code


def test_number_beyond_the_last_phrase_is_refused() -> None:
    with pytest.raises(IllegalMoveError) as caught:
        compose_chat_text(seat_players(SMALL, ADA, BOB), ADA, len(PHRASES), "")
    assert caught.value.code == "phrase"


@pytest.mark.parametrize(
    ("typed", "cleaned"),
    [
        ("hello", "hello"),
        ("  a \n\t b\u202e\x00 c  ", "a b c"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("x" * LONGEST_CHAT, "x" * LONGEST_CHAT),
        ("x" * (LONGEST_CHAT + 1), "x" * LONGEST_CHAT),
    ],
)
def test_free_text_becomes_one_line_of_limited_length(typed: str, cleaned: str) -> None:
    assert compose_chat_text(seat_players(SMALL, ADA, BOB, settings=FREE), ADA, None, typed) == cleaned


@pytest.mark.parametrize("typed", ["", " \n ", "\u202e\x00"])
def test_free_text_without_printable_characters_is_refused_as_empty(typed: str) -> None:
    with pytest.raises(IllegalMoveError, match="empty"):
        compose_chat_text(seat_players(SMALL, ADA, BOB, settings=FREE), ADA, None, typed)


def test_chat_message_names_seats_of_seated_authors_but_no_player_ids() -> None:
    table = seat_players(SMALL, ADA, BOB)
    lines = [ChatLine(1, ADA, "Ada", "hello", 1.0), ChatLine(2, CLEO, "Cleo", "I was here", 2.0)]
    text = encode(build_chat(table, BOB, lines)).decode()
    assert '"seat":0' in text
    assert '"seat":null' in text
    assert not [player for player in (ADA, BOB, CLEO) if player in text]


def test_players_have_different_mute_keys() -> None:
    assert derive_mute_key(ADA) != derive_mute_key(BOB)
