"""Secrecy: games that differ only in what is hidden from a viewer are indistinguishable to it."""

import pickle
import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

import fourcorners as fc
from fourcorners.core.narration import narrate
from fourcorners.core.scene import diff_scenes
from fourcorners.study.drawn_record import draw_match
from tests.reference import REFERENCES, draw_setup

pytestmark = pytest.mark.compiled
HIDDEN_GAMES = [name for name in fc.games() if fc.game(name).spec.hidden]
GAMES = 12  # the games played by a test, and the smallest number of comparisons that it needs


def list_observations(position: fc.Position, viewer: int | None) -> tuple[object, ...]:
    """Return everything that a viewer (None: a spectator) can find out about a position through the public API."""
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


def find_twins(match: fc.Match, viewer: int | None, rng: random.Random) -> Iterator[fc.Match]:
    """Yield matches with a reordered deck and the same moves, in which the viewer (None: a spectator) saw the same.

    Each of 60 random tries exchanges two tiles, possibly equal ones, and yields at most one match, so there may be
    none. All events of `match` must be moves.
    """
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


@cache
def play_whole_game(name: str, seed: int) -> fc.Match:
    """Return a match with random options, played to its end with a preference for rare kinds of moves.

    The seed determines options, deck and moves, but not the nonce. Tests share the match, so none may change it.
    """
    rng = random.Random(seed)
    deck, options = draw_setup(name, rng)
    reference = REFERENCES[name].Reference(deck=deck, **options)
    match = fc.Match(fc.game(name, **options), deck=deck, date="2026-11-21")
    while not match.is_over:
        move = REFERENCES[name].choose_rare_move(reference, rng)
        reference.play(move)
        match.play(move)
    return match


def replay_start(match: fc.Match, plies: int) -> fc.Match:
    """Return a new match with the same deck and nonce, and only the first plies; its events must all be moves."""
    part = fc.Match(match.game, deck=match.deck, date=match.date, nonce=match.nonce)
    for event in match.events[:plies]:
        part.play(event.text)
    return part


def write_masked_record(match: fc.Match, viewer: int | None) -> tuple[str, bytes]:
    """Return the record of a running match, as `viewer` sees it, as text and pickle, with its commitment masked.

    Assert that neither has the nonce. The commitment differs by design: it is a hash of the deck and a nonce, and
    reveals nothing without the nonce.
    """
    record = fc.Record.of(match, viewer)
    text, packed = str(record), pickle.dumps(record)
    assert match.nonce not in text
    assert match.nonce.encode() not in packed
    mask = "x" * 64
    masked, count = re.subn(r"(?m)^commitment: [0-9a-f]{64}$", f"commitment: {mask}", text)
    assert (count, packed.count(match.commitment.encode())) == (1, 1)
    return masked, packed.replace(match.commitment.encode(), mask.encode())


def compare_with_twins(name: str, games: int) -> int:
    """Assert that no viewer can distinguish games that differ only in hidden information; return how many pairs.

    Play `games` whole games, and compare each, for each viewer, with the first twin that differs at all, if one is
    found: everything that the viewer can observe in each position, the words for each ply, the patches between
    pictures, the drawn record, and at every seventh ply the record of the running game, whose commitment alone must
    differ.
    """
    pairs = 0
    for seed in range(games):
        rng = random.Random(seed)
        match = play_whole_game(name, seed)
        for viewer in (None, *range(match.game.seats)):
            for twin in find_twins(match, viewer, rng):
                if match.positions == twin.positions:
                    continue  # two equal tiles were exchanged, so there is nothing to distinguish
                pairs += 1
                for twins in zip(pairwise(match.positions), pairwise(twin.positions), strict=True):
                    words, twin_words = (narrate(*plies, viewer) for plies in twins)
                    assert words == twin_words
                previous = None
                for position, twin_position in zip(match.positions, twin.positions, strict=True):
                    observation = list_observations(position, viewer)
                    assert observation == list_observations(twin_position, viewer)
                    assert match.nonce not in repr(observation)
                    scenes = position.view(viewer).scene(), twin_position.view(viewer).scene()
                    if previous is not None:
                        assert diff_scenes(previous[0], scenes[0]) == diff_scenes(previous[1], scenes[1])
                    previous = scenes
                drawn, twin_drawn = (draw_match(each, each.names, seat=viewer) for each in (match, twin))
                assert drawn == twin_drawn
                for plies in range(0, len(match.events), 7):
                    parts = [replay_start(game, plies) for game in (match, twin)]
                    assert parts[0].commitment != parts[1].commitment
                    records = [write_masked_record(part, viewer) for part in parts]
                    assert records[0] == records[1]
                break  # one twin for each viewer is enough
    return pairs


@pytest.mark.parametrize("games", [3, pytest.param(6, marks=pytest.mark.ci)])
@pytest.mark.parametrize("name", HIDDEN_GAMES)
def test_viewer_cannot_distinguish_games_that_differ_only_in_hidden_information(name: str, games: int) -> None:
    assert compare_with_twins(name, games) >= games, "too few pairs of games that differ only in hidden information"


@pytest.mark.slow
@pytest.mark.parametrize("name", HIDDEN_GAMES)
def test_viewer_cannot_distinguish_many_games_that_differ_only_in_hidden_information(name: str) -> None:
    assert compare_with_twins(name, 60) >= 60  # pairs: for each game, one on average


@pytest.mark.parametrize("name", HIDDEN_GAMES)
def test_record_of_a_running_game_has_a_commitment_but_neither_deck_nor_nonce_and_cannot_be_replayed(name: str) -> None:
    """The record of the same game when it is over has both."""
    match = play_whole_game(name, 3)
    part = replay_start(match, len(match.events) // 2)
    for viewer in (None, *range(match.game.seats)):
        text = str(fc.Record.of(part, viewer))
        assert "deck" not in text
        assert "nonce" not in text
        assert f"commitment: {match.commitment}" in text
        assert f"seen by: {'spectator' if viewer is None else f'seat {viewer}'}" in text
        record = fc.Record.parse(text)
        assert str(record) == text
        with pytest.raises(fc.RecordError, match="contains only what"):
            record.match()
    assert f"deck: {' '.join(match.deck)}\nnonce: {match.nonce}\n" in str(fc.Record.of(match))


@pytest.mark.parametrize("name", HIDDEN_GAMES)
def test_computer_and_hint_use_only_what_the_seat_to_move_may_know(name: str) -> None:
    compared = 0
    for seed in range(GAMES):
        match = play_whole_game(name, seed)
        rng = random.Random(seed)
        for ply in range(4, len(match.events), 9):
            position = match.positions[ply]
            viewer = position.seat
            for twin in find_twins(match, viewer, rng):
                twin_position = twin.positions[ply]
                if twin_position != position:
                    compared += 1
                    choices = [fc.Computer(nodes=60, seed=seed).choose(each) for each in (position, twin_position)]
                    assert choices[0] == choices[1]
                    assert fc.hint(position, nodes=60, seed=seed) == fc.hint(twin_position, nodes=60, seed=seed)
                break  # one twin for each position is enough
        if compared >= GAMES:
            return
    pytest.fail(f"only {compared} positions were compared")


def test_only_the_moving_seat_sees_its_hidden_choice() -> None:
    """A hidden choice is a part of a move that the others see masked; a spectator sees all moves masked."""
    for name in HIDDEN_GAMES:
        hidden_choices = 0
        for seed in range(GAMES):
            match = play_whole_game(name, seed)
            hidden_choices += sum(event.text != event.public for event in match.events)
            for viewer in range(match.game.seats):
                for ply, event in zip(match.position.view(viewer).plies, match.events, strict=True):
                    assert ply == (event.seat, event.text if event.seat == viewer else event.public)
                # The view does not even keep them internally, so it cannot leak them when it is pickled.
                assert all(played.move == played.public for played in match.position.view(viewer)._played)
            assert match.position.view(None).history == tuple(event.public for event in match.events)
        assert hidden_choices > GAMES  # more than one for each game, on average
