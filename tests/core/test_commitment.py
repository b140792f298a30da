"""A deck that is hidden is promised at the start: the promise can be checked by anybody, and tells nothing before."""

from __future__ import annotations

import hashlib
import random
import re
import secrets
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.commitment import check, commit, new_nonce, opening
from fourcorners.games.squendo.options import TILES

NONCE = "000102030405060708090a0b0c0d0e0f"
OTHER = "f" * 32
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"players": 4, "lines": True}, {"take": "any", "rectangles": "maximal"})


def finished(nonce: str | None = NONCE, **options: Any) -> fc.Match:
    """Return a match in which a few tiles were laid before somebody resigned."""
    rng = random.Random(3)
    match = fc.Match(fc.game("squendo", **options), seed=3, date="2026-11-21", nonce=nonce)
    for _ in range(5):
        match.play(rng.choice(match.position.moves()))
    for seat in range(1, match.game.seats):
        match.resign(seat)
    return match


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_recipe_for_everybody_gives_the_commitment(options: dict[str, Any]) -> None:
    match = finished(**options)
    text = str(match.record())
    lines = re.findall(r"^(?:game|options|deck|nonce): .*\n", text, re.MULTILINE)
    assert len(lines) == 3 + bool(options)
    assert hashlib.sha256("".join(lines).encode()).hexdigest() == match.commitment
    assert f"\ncommitment: {match.commitment}\n" in text
    assert opening("squendo", options, match.deck, NONCE) == "".join(lines)
    assert check(match.commitment, "squendo", options, match.deck, NONCE)


def test_a_known_commitment_stays_the_same() -> None:
    """The hash was made by sha256sum from a file of four lines."""
    known = "153d2f26aefb238dfb3681a13fc77da6aded097ea4aa663167d8a082e3fffdbe"
    assert commit("squendo", {"lines": True}, TILES[:36], NONCE) == known


def test_all_that_is_promised_counts() -> None:
    deck = fc.game("squendo").deck(seed=1)
    other = (deck[1], deck[0], *deck[2:])
    made = [
        commit("squendo", options, each, nonce)
        for options in ({}, {"lines": True}, {"take": "any"})
        for each in (deck, other)
        for nonce in (NONCE, OTHER)
    ]
    assert len(set(made)) == len(made)
    assert not check(made[0], "squendo", {}, other, NONCE)


def test_options_count_as_the_game_lists_them() -> None:
    options = {"players": 3, "take": "any", "lines": True}
    deck = fc.game("squendo", **options).deck(seed=1)
    turned = {**dict(reversed(options.items())), "rectangles": "every"}
    assert commit("squendo", turned, deck, NONCE) == commit("squendo", options, deck, NONCE)


def test_what_cannot_be_promised_is_refused() -> None:
    deck = fc.game("squendo").deck(seed=1)
    for name, options, tiles, nonce, wrong in (
        ("chess", {}, deck, NONCE, "game"),
        ("sqez", {}, (), NONCE, "nonce"),
        ("squendo", {"size": 4}, deck, NONCE, "size"),
        ("squendo", {"players": 4}, deck, NONCE, "deck"),
        ("squendo", {}, deck[1:], NONCE, "deck"),
        ("squendo", {}, deck, "", "nonce"),
        ("squendo", {}, deck, NONCE.upper(), "nonce"),
        ("squendo", {}, deck, f"{NONCE}\n", "nonce"),
        ("squendo", {}, deck, NONCE[1:], "nonce"),
    ):
        with pytest.raises(fc.OptionError, match=f"^{wrong}: "):
            commit(name, options, tiles, nonce)


def test_only_a_hidden_deck_is_committed_to() -> None:
    for name in fc.games():
        match = fc.Match(fc.game(name))
        assert bool(match.nonce) == bool(match.commitment) == fc.game(name).spec.hidden
    with pytest.raises(fc.OptionError, match=r"^nonce: .* hides no deck"):
        fc.Match(fc.game("sqez"), nonce=NONCE)
    assert fc.Match(fc.game("sqez"), nonce="").nonce == ""


def test_a_nonce_is_drawn_from_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    random.seed(1)
    first = fc.Match(fc.game("squendo"), seed=1)
    random.seed(1)
    assert fc.Match(fc.game("squendo"), seed=1).nonce != first.nonce
    assert len({new_nonce() for _ in range(100)}) == 100
    monkeypatch.setattr(secrets, "token_hex", lambda size: "ab" * size)
    assert fc.Match(fc.game("squendo"), seed=1).nonce == "ab" * 16


def test_a_deck_without_a_seed_is_shuffled_by_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    game = fc.game("squendo")
    random.seed(1)
    first = game.deck()
    random.seed(1)
    assert game.deck() != first
    monkeypatch.setattr(secrets, "SystemRandom", lambda: random.Random(5))
    for deck in (game.deck(), fc.Match(game).deck):
        assert deck == game.deck(seed=5)


def test_the_promise_is_made_from_the_start_and_kept() -> None:
    match = fc.Match(fc.game("squendo"), seed=1)
    promised = match.commitment
    running = [match.record(seat) for seat in (None, 0, 1)]
    match.play(match.position.moves()[0])
    running += [match.record(seat) for seat in (None, 0, 1)]
    for record in running:
        assert (record.commitment, record.nonce, record.deck) == (promised, "", ())
        assert fc.Record.parse(str(record)) == record
    match.resign(0)
    for record in (match.record(), match.record(0), match.record(1)):
        assert (record.commitment, record.nonce, record.deck) == (promised, match.nonce, match.deck)


def test_a_record_with_a_commitment_comes_back() -> None:
    match = finished()
    text = str(match.record())
    record = fc.Record.parse(text)
    assert str(record) == text
    again = record.match()
    assert (again.nonce, again.commitment) == (NONCE, match.commitment)
    assert str(again.record()) == text


def test_a_record_of_before_has_none_and_comes_back() -> None:
    match = finished(nonce="")
    text = str(match.record())
    assert "commitment" not in text and "nonce" not in text
    assert str(fc.Record.parse(text)) == text
    assert fc.Record.parse(text).match().commitment == ""


def test_a_deck_that_was_not_promised_is_refused() -> None:
    match = finished()
    text = str(match.record())
    last = " ".join(match.deck[-2:])
    turned = " ".join(match.deck[:-3:-1])
    one = f"commitment: {match.commitment}\n"
    other = f"nonce: {NONCE}\n"
    for changed, said in (
        # These tiles were never drawn, so all else in the record still fits.
        (text.replace(last, turned), "the deck and the nonce do not fit the commitment"),
        (text.replace(NONCE, OTHER), "the deck and the nonce do not fit the commitment"),
        (text.replace(match.commitment, "0" * 64), "the deck and the nonce do not fit the commitment"),
        (text.replace(match.commitment, "x"), "the deck and the nonce do not fit the commitment"),
        (text.replace(one, ""), "the deck and the nonce have no commitment"),
        (text.replace(other, ""), "a commitment and no nonce"),
        (text.replace(NONCE, "7"), "nonce: '7' is not allowed; it may be 32 digits"),
        ("fourcorners record 1\ngame: sqez\n" + one + other, "hides no deck"),
    ):
        assert changed != text
        with pytest.raises(fc.RecordError, match=said) as caught:
            fc.Record.parse(changed)
        assert len(str(caught.value)) < 200
    assert fc.Record.parse(text.replace(one, "").replace(other, "")).commitment == ""
