"""Fair shuffles: nonce and values together determine the deck, and the record of a finished match proves it."""

import random
import re
from collections import Counter
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.commitment import commit
from fourcorners.core.shuffle import commit_nonce, deal, hash_text, new_value, order_tiles

GAME = fc.game("squendo")
NONCE, OTHER_NONCE = "0" * 63 + "1", "0" * 63 + "2"
ADA, BEN = "a" * 64, "b" * 64


def play_and_resign(*values: str | None, nonce: str = NONCE, **options: Any) -> fc.Match:
    """Return a match of Squendo with these values that seat 0 resigns after five moves; equal calls give equal ones."""
    rng = random.Random(3)
    match = fc.Match(fc.game("squendo", **options), date="2026-11-21", nonce=nonce, values=values)
    for _ in range(5):
        match.play(rng.choice(match.position.moves()))
    for seat in range(match.game.seats - 1):
        match.resign(seat)
    return match


def test_nonce_and_every_value_affect_the_deck_so_that_none_of_them_alone_determines_it() -> None:
    given = [
        (nonce, (first, second))
        for nonce in (NONCE, OTHER_NONCE)
        for first in (None, ADA, BEN)
        for second in (None, ADA, BEN)
    ]
    decks = {deal(GAME, nonce, values) for nonce, values in given}
    assert len(decks) == len(given)
    assert {tuple(sorted(deck)) for deck in decks} == {tuple(sorted(GAME.deck(seed=1)))}
    # The commitment says nothing about the values: it can be published before they are known.
    assert fc.Match(GAME, nonce=NONCE, values=[ADA, BEN]).commitment == commit_nonce(NONCE)
    assert fc.Match(GAME, nonce=NONCE, values=[None, None]).commitment == commit_nonce(NONCE)


def test_deck_of_a_known_nonce_and_values_is_still_the_same() -> None:
    # Computed with sha256sum and sort, as docs/shuffle.md describes.
    known = "G2ax G0x G3o G1o G4o R2oo R4o R0o"
    assert " ".join(deal(GAME, NONCE, (ADA, None))[:8]) == known


def test_every_tile_comes_first_equally_often() -> None:
    tiles = list("abcdef")
    first = Counter(order_tiles(tiles, hash_text(str(number)), [ADA])[0] for number in range(6000))
    # 1000 each are expected; the standard deviation is 29.
    assert all(850 < first[tile] < 1150 for tile in tiles)


def test_order_in_which_tiles_are_given_does_not_matter_and_equal_tiles_are_kept() -> None:
    tiles = ["B", "A", "B", "C"]
    assert order_tiles(tiles, NONCE, [ADA]) == order_tiles(sorted(tiles), NONCE, [ADA])
    assert sorted(order_tiles(tiles, NONCE, [ADA])) == sorted(tiles)


@pytest.mark.parametrize("options", [{}, {"players": 4, "lines": True}, {"colours": "GYR"}], ids=str)
def test_record_with_values_survives_parsing_and_replaying(options: dict[str, Any]) -> None:
    match = play_and_resign(ADA, *[None] * (fc.game("squendo", **options).seats - 1), **options)
    text = str(match.record())
    assert f"\nnonce: {NONCE}\nvalues: {ADA} -" in text
    record = fc.Record.parse(text)
    assert (record.values, str(record)) == (match.values, text)
    replayed = record.match()
    assert (replayed.deck, replayed.nonce, replayed.commitment) == (match.deck, NONCE, match.commitment)


def test_record_of_a_running_match_has_commitment_and_values_but_neither_deck_nor_nonce() -> None:
    match = fc.Match(GAME, values=[ADA, BEN])
    for seat in (None, 0, 1):
        text = str(match.record(seat))
        assert f"\ncommitment: {match.commitment}\nvalues: {ADA} {BEN}\nseen by: " in text
        assert match.nonce not in text and "deck" not in text
        assert fc.Record.parse(text) == match.record(seat)
    with pytest.raises(fc.RecordError, match="values: 'x' is not allowed"):
        fc.Record.parse(str(match.record()).replace(f"{ADA} {BEN}", "x"))


def test_record_with_another_value_nonce_deck_or_commitment_is_rejected() -> None:
    match = play_and_resign(ADA, BEN)
    text = str(match.record())
    tiles = " ".join(match.deck)
    swapped = " ".join([match.deck[1], match.deck[0], *match.deck[2:]])
    follows = "does not follow from the nonce and the values"
    for changed, reason in (
        (text.replace(ADA, "c" * 64), follows),
        (text.replace(f"{ADA} {BEN}", f"{BEN} {ADA}"), follows),
        (text.replace(BEN, "-"), follows),
        (text.replace(tiles, swapped), follows),
        (text.replace(NONCE, OTHER_NONCE), follows),
        (text.replace(match.commitment, "0" * 64), "the nonce does not match the commitment"),
        (text.replace(f"commitment: {match.commitment}\n", ""), "the nonce does not match a missing commitment"),
        (text.replace(f"nonce: {NONCE}\n", ""), "a commitment but no nonce"),
        (text.replace(NONCE, NONCE[1:]), "nonce: .* must be 64 hexadecimal digits"),
        (text.replace(f"{ADA} {BEN}", ADA), "values: .* must be for each of the 2 seats"),
        (text.replace(ADA, ADA.upper()), "values: .* must be for each of the 2 seats"),
        (re.sub("values: .*\n", "", text), "nonce: .* must be 32 hexadecimal digits"),
        (f"fourcorners record 1\ngame: sqez\nvalues: {ADA} -\n", "hides no deck"),
    ):
        assert changed != text
        with pytest.raises(fc.RecordError, match=reason):
            fc.Record.parse(changed)


def test_match_refuses_values_that_do_not_fit_a_seed_or_a_different_deck() -> None:
    wrong: list[Any] = [ADA, [], [ADA], [ADA, BEN, None], [ADA, 7], [ADA, BEN[1:]], 7, [object(), object()]]
    for values in wrong:
        with pytest.raises(fc.OptionError, match=r"^values: "):
            fc.Match(GAME, values=values)
    with pytest.raises(fc.OptionError, match=r"^values: .* hides no deck"):
        fc.Match(fc.game("sqez"), values=[None, None])
    with pytest.raises(fc.OptionError, match=r"^seed: 1 is not allowed"):
        fc.Match(GAME, seed=1, values=[ADA, BEN])
    with pytest.raises(fc.OptionError, match=r"^nonce: .* 64 hexadecimal digits"):
        fc.Match(GAME, nonce="0" * 32, values=[ADA, BEN])
    with pytest.raises(fc.OptionError, match=r"^deck: .* does not follow"):
        fc.Match(GAME, deck=GAME.deck(seed=1), values=[ADA, BEN])


def test_nonce_is_drawn_anew_unless_one_is_given() -> None:
    assert fc.Match(GAME, values=[ADA, BEN]).deck != fc.Match(GAME, values=[ADA, BEN]).deck
    assert len({new_value() for _ in range(100)}) == 100


def test_seeds_and_records_without_values_are_as_before() -> None:
    """The first tiles of a seed and the form of a record must not change: stored games and notebooks rely on them."""
    assert GAME.deck(seed=1)[:4] == ("G4o", "B4o", "R1o", "G2oo")
    old = fc.Match(GAME, seed=1, nonce="0" * 32)
    old.resign(0)
    assert old.values is None and "values" not in str(old.record())
    assert old.commitment == commit("squendo", {}, old.deck, "0" * 32)
    assert fc.Record.parse(str(old.record())).match().deck == old.deck
