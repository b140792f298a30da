"""What a viewer may not know never reaches it: whole games that differ in hidden things alone look the same."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Iterator

import pytest

import fourcorners as fc
from fourcorners.core.scene import diff_scenes
from tests.reference import REFERENCES, setup

pytestmark = pytest.mark.compiled
HIDING = [name for name in fc.games() if fc.game(name).spec.hidden]
GAMES = 12


def shown(position: fc.Position, viewer: int | None) -> tuple[object, ...]:
    """Return everything that the package tells a viewer about a position."""
    view = position.view(viewer)
    return (
        view.states.tobytes(),
        view.text,
        repr(view),
        str(view),
        view.svg(),
        view.scene(),
        view.facts(),
        view.moves(),
        view.complete([]),
        view.plies,
        view.history,
        (view.seat, view.scores, view.is_over, view.outcome),
        pickle.dumps(view),
    )


def twins(match: fc.Match, viewer: int | None, rng: random.Random) -> Iterator[fc.Match]:
    """Yield matches with the same moves from other decks, in all of which the viewer saw and drew the same."""
    deck = list(match.deck)
    places = list(range(len(deck)))
    for _ in range(60):
        a, b = sorted(rng.sample(places, 2))
        deck[a], deck[b] = deck[b], deck[a]
        try:
            twin = fc.Match(match.game, deck=deck, date=match.date)
            for event in match.events:
                twin.play(event.text)
        except fc.GameError:
            deck[a], deck[b] = deck[b], deck[a]
            continue
        own = [position.view(viewer).states.tobytes() for position in match.positions]
        if [position.view(viewer).states.tobytes() for position in twin.positions] == own:
            yield twin
        deck[a], deck[b] = deck[b], deck[a]


def whole_game(name: str, seed: int) -> fc.Match:
    rng = random.Random(seed)
    deck, options = setup(name, rng)
    reference = REFERENCES[name].Reference(deck=deck, **options)
    match = fc.Match(fc.game(name, **options), deck=deck, date="2026-11-21")
    while not match.is_over:
        move = REFERENCES[name].choose_rare_move(reference, rng)
        reference.play(move)
        match.play(move)
    return match


def replayed(match: fc.Match, plies: int) -> fc.Match:
    part = fc.Match(match.game, deck=match.deck, date=match.date, nonce=match.nonce)
    for event in match.events[:plies]:
        part.play(event.text)
    return part


def without_commitment(match: fc.Match, viewer: int | None) -> tuple[str, bytes]:
    """Return a running match's record as text and as bytes, with the one thing masked that differs by design.

    The commitment is a hash of the deck with a nonce, and without the nonce it tells nothing.
    """
    record = fc.Record.of(match, viewer)
    text, packed = str(record), pickle.dumps(record)
    assert match.nonce not in text
    assert match.nonce.encode() not in packed
    mask = "x" * 64
    masked, count = re.subn(r"(?m)^commitment: [0-9a-f]{64}$", f"commitment: {mask}", text)
    assert (count, packed.count(match.commitment.encode())) == (1, 1)
    return masked, packed.replace(match.commitment.encode(), mask.encode())


def look_the_same(name: str, games: int) -> int:
    """Compare all that viewers are told of games that differ in hidden things alone; return how many pairs."""
    pairs = 0
    for seed in range(games):
        rng = random.Random(seed)
        match = whole_game(name, seed)
        for viewer in (None, *range(match.game.seats)):
            for twin in twins(match, viewer, rng):
                hidden_differ = [one != two for one, two in zip(match.positions, twin.positions, strict=True)]
                if not any(hidden_differ):
                    continue
                pairs += 1
                last = None
                for one, two in zip(match.positions, twin.positions, strict=True):
                    told = shown(one, viewer)
                    assert told == shown(two, viewer)
                    assert match.nonce not in repr(told)
                    scenes = one.view(viewer).scene(), two.view(viewer).scene()
                    if last is not None:
                        assert diff_scenes(last[0], scenes[0]) == diff_scenes(last[1], scenes[1])
                    last = scenes
                for plies in range(0, len(match.events), 7):
                    parts = [replayed(game, plies) for game in (match, twin)]
                    assert parts[0].commitment != parts[1].commitment
                    records = [without_commitment(part, viewer) for part in parts]
                    assert records[0] == records[1]
                break
    return pairs


@pytest.mark.parametrize("name", HIDING)
def test_games_that_differ_in_hidden_things_alone_look_the_same(name: str) -> None:
    assert look_the_same(name, 5) >= 5, "too few pairs of games that differ in hidden things alone"


@pytest.mark.slow
@pytest.mark.parametrize("name", HIDING)
def test_more_games_that_differ_in_hidden_things_alone_look_the_same(name: str) -> None:
    assert look_the_same(name, 60) >= 60


@pytest.mark.parametrize("name", HIDING)
def test_a_running_game_is_told_without_its_deck(name: str) -> None:
    match = whole_game(name, 3)
    part = replayed(match, len(match.events) // 2)
    for viewer in (None, *range(match.game.seats)):
        text = str(fc.Record.of(part, viewer))
        assert "deck" not in text
        assert "nonce" not in text
        assert f"commitment: {match.commitment}" in text
        assert f"seen by: {'spectator' if viewer is None else f'seat {viewer}'}" in text
        record = fc.Record.parse(text)
        assert str(record) == text
        with pytest.raises(fc.RecordError, match="holds only what"):
            record.match()
    assert f"deck: {' '.join(match.deck)}\nnonce: {match.nonce}\n" in str(fc.Record.of(match))


@pytest.mark.parametrize("name", HIDING)
def test_a_computer_uses_nothing_that_its_seat_may_not_know(name: str) -> None:
    compared = 0
    for seed in range(GAMES):
        match = whole_game(name, seed)
        rng = random.Random(seed)
        for ply in range(4, len(match.events), 9):
            position = match.positions[ply]
            viewer = position.seat
            for twin in twins(match, viewer, rng):
                other = twin.positions[ply]
                if other != position:
                    compared += 1
                    choices = [fc.Computer(nodes=60, seed=seed).choose(each) for each in (position, other)]
                    assert choices[0] == choices[1]
                    assert fc.hint(position, nodes=60, seed=seed) == fc.hint(other, nodes=60, seed=seed)
                break
        if compared >= GAMES:
            return
    pytest.fail(f"only {compared} positions were compared")


def test_only_the_seat_that_chose_sees_what_it_took() -> None:
    for name in HIDING:
        taken = 0
        for seed in range(GAMES):
            match = whole_game(name, seed)
            for event in match.events:
                if event.text == event.public:
                    continue
                taken += 1
            for viewer in range(match.game.seats):
                for ply, event in zip(match.position.view(viewer).plies, match.events, strict=True):
                    assert ply == (event.seat, event.text if event.seat == viewer else event.public)
                # What it may not know is not even in its memory.
                assert all(played.move == played.public for played in match.position.view(viewer)._played)
            assert match.position.view(None).history == tuple(event.public for event in match.events)
        assert taken > GAMES
