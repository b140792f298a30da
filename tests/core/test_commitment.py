"""Commitments to hidden decks: anyone can verify one at the end, and it reveals nothing before."""

import hashlib
import random
import re
import secrets
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.builtin.squendo.options import TILES
from fourcorners.core.commitment import commit, new_nonce, verify, write_opening

NONCE = "000102030405060708090a0b0c0d0e0f"
OTHER_NONCE = "f" * 32
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"players": 4, "lines": True}, {"take": "any", "rectangles": "maximal"})


def play_and_resign(nonce: str = NONCE, **options: Any) -> fc.Match:
    """Return a match of Squendo that all but seat 0 resign after five random moves; equal calls give equal matches.

    `options` are those of the game; a nonce of "" makes no commitment.
    """
    rng = random.Random(3)
    match = fc.Match(fc.game("squendo", **options), seed=3, date="2026-11-21", nonce=nonce)
    for _ in range(5):
        match.play(rng.choice(match.position.moves()))
    for seat in range(1, match.game.seats):
        match.resign(seat)
    return match


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_commitment_is_the_hash_of_the_game_options_deck_and_nonce_lines_of_the_record(options: dict[str, Any]) -> None:
    match = play_and_resign(**options)
    text = str(match.record())
    lines = re.findall(r"^(?:game|options|deck|nonce): .*\n", text, re.MULTILINE)
    assert len(lines) == 3 + bool(options)  # there is no line of options if all are defaults
    assert hashlib.sha256("".join(lines).encode()).hexdigest() == match.commitment
    assert f"\ncommitment: {match.commitment}\n" in text
    # The functions of the module say the same as the record.
    assert write_opening("squendo", options, match.deck, NONCE) == "".join(lines)
    assert verify(match.commitment, "squendo", options, match.deck, NONCE)


def test_commitment_of_a_known_opening_is_still_the_same() -> None:
    # Computed with sha256sum from a file of four lines.
    known = "153d2f26aefb238dfb3681a13fc77da6aded097ea4aa663167d8a082e3fffdbe"
    assert commit("squendo", {"lines": True}, TILES[:36], NONCE) == known


def test_options_deck_and_nonce_all_affect_the_commitment() -> None:
    deck = fc.game("squendo").deck(seed=1)
    swapped = (deck[1], deck[0], *deck[2:])
    commitments = [
        commit("squendo", options, tiles, nonce)
        for options in ({}, {"lines": True}, {"take": "any"})
        for tiles in (deck, swapped)
        for nonce in (NONCE, OTHER_NONCE)
    ]
    assert len(set(commitments)) == len(commitments)
    # The first commitment is to the deck before the swap.
    assert not verify(commitments[0], "squendo", {}, swapped, NONCE)


def test_order_of_options_and_given_defaults_do_not_affect_the_commitment() -> None:
    options = {"players": 3, "take": "any", "lines": True}
    deck = fc.game("squendo", **options).deck(seed=1)
    reordered = {**dict(reversed(options.items())), "rectangles": "every"}  # the default
    assert commit("squendo", reordered, deck, NONCE) == commit("squendo", options, deck, NONCE)


def test_commit_rejects_invalid_game_options_deck_or_nonce() -> None:
    deck = fc.game("squendo").deck(seed=1)
    for name, options, tiles, nonce, wrong_option in (
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
        with pytest.raises(fc.OptionError, match=f"^{wrong_option}: "):
            commit(name, options, tiles, nonce)


def test_only_games_with_hidden_decks_have_a_commitment_and_others_refuse_a_nonce() -> None:
    for name in fc.games():
        match = fc.Match(fc.game(name))
        assert bool(match.nonce) == bool(match.commitment) == fc.game(name).spec.hidden
    with pytest.raises(fc.OptionError, match=r"^nonce: .* hides no deck"):
        fc.Match(fc.game("sqez"), nonce=NONCE)
    # An empty nonce asks for no commitment, which any game allows.
    assert fc.Match(fc.game("sqez"), nonce="").nonce == ""


def test_nonce_comes_from_the_secrets_module_and_from_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    # Neither the global generator nor the seed of the deck determines it.
    random.seed(1)
    first = fc.Match(fc.game("squendo"), seed=1)
    random.seed(1)
    assert fc.Match(fc.game("squendo"), seed=1).nonce != first.nonce
    assert len({new_nonce() for _ in range(100)}) == 100
    monkeypatch.setattr(secrets, "token_hex", lambda size: "ab" * size)
    assert fc.Match(fc.game("squendo"), seed=1).nonce == "ab" * 16


def test_deck_without_seed_is_shuffled_with_the_secrets_module(monkeypatch: pytest.MonkeyPatch) -> None:
    game = fc.game("squendo")
    # The global generator does not determine it.
    random.seed(1)
    first = game.deck()
    random.seed(1)
    assert game.deck() != first
    monkeypatch.setattr(secrets, "SystemRandom", lambda: random.Random(5))
    for deck in (game.deck(), fc.Match(game).deck):
        assert deck == game.deck(seed=5)


def test_commitment_is_in_every_record_but_deck_and_nonce_only_in_those_of_a_finished_match() -> None:
    match = fc.Match(fc.game("squendo"), seed=1)
    commitment = match.commitment
    partial = [match.record(seat) for seat in (None, 0, 1)]
    match.play(match.position.moves()[0])
    partial += [match.record(seat) for seat in (None, 0, 1)]
    for record in partial:
        assert (record.commitment, record.nonce, record.deck) == (commitment, "", ())
        assert fc.Record.parse(str(record)) == record
    match.resign(0)
    for record in (match.record(), match.record(0), match.record(1)):
        assert (record.commitment, record.nonce, record.deck) == (commitment, match.nonce, match.deck)


def test_record_with_commitment_survives_parsing_and_replaying() -> None:
    match = play_and_resign()
    text = str(match.record())
    record = fc.Record.parse(text)
    assert str(record) == text
    replayed = record.match()
    assert (replayed.nonce, replayed.commitment) == (NONCE, match.commitment)
    assert str(replayed.record()) == text


def test_record_without_commitment_survives_parsing_and_replays_without_one() -> None:
    match = play_and_resign(nonce="")
    text = str(match.record())
    assert "commitment" not in text and "nonce" not in text
    assert str(fc.Record.parse(text)) == text
    assert fc.Record.parse(text).match().commitment == ""


def test_record_with_another_deck_or_another_missing_or_needless_nonce_or_commitment_is_rejected() -> None:
    match = play_and_resign()
    text = str(match.record())
    last_tiles = " ".join(match.deck[-2:])
    swapped = " ".join(match.deck[:-3:-1])
    commitment_line = f"commitment: {match.commitment}\n"
    nonce_line = f"nonce: {NONCE}\n"
    for changed, message in (
        # These tiles were never drawn, so the rest of the record remains consistent.
        (text.replace(last_tiles, swapped), "the deck and the nonce do not match the commitment"),
        (text.replace(NONCE, OTHER_NONCE), "the deck and the nonce do not match the commitment"),
        (text.replace(match.commitment, "0" * 64), "the deck and the nonce do not match the commitment"),
        (text.replace(match.commitment, "x"), "the deck and the nonce do not match the commitment"),
        (text.replace(commitment_line, ""), "the deck and the nonce do not match a missing commitment"),
        (text.replace(nonce_line, ""), "a commitment but no nonce"),
        (text.replace(NONCE, "7"), "nonce: '7' is not allowed; it must be 32 hexadecimal digits"),
        ("fourcorners record 1\ngame: sqez\n" + commitment_line + nonce_line, "hides no deck"),
    ):
        assert changed != text
        with pytest.raises(fc.RecordError, match=message) as caught:
            fc.Record.parse(changed)
        assert len(str(caught.value)) < 200


def test_record_may_have_neither_nonce_nor_commitment() -> None:
    text = str(play_and_resign().record())
    stripped = re.sub(r"(?m)^(?:commitment|nonce): .*\n", "", text)
    assert stripped.count("\n") == text.count("\n") - 2
    assert fc.Record.parse(stripped).commitment == ""
