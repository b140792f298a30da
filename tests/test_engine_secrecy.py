"""Secrecy of the engine: positions that look the same to the seat to move get the same moves, hints and judgements."""

import secrets
import threading
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.base_position import PlayedMove
from fourcorners.core.bits import new_rng
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.pace import Pace
from fourcorners.study.review import build_move
from fourcorners.study.reviewer import Part, Reviewer
from fourcorners.web.engine import services
from tests.test_secrecy import HIDDEN_GAMES, play_whole_game

pytestmark = pytest.mark.compiled
GAMES, PAIRS = 12, 4
"""The games to look through, and the pairs of each kind to find there."""
NODES, REVIEW_NODES, SEED = 40, 10, 7


class Twins(NamedTuple):
    """Two positions that look the same to the seat to move, and what is different in them."""

    position: fc.Position
    twin: fc.Position
    differences: frozenset[str]


def find_twin(position: fc.Position, seed: int) -> Twins:
    """Return a position with another world that fits what the seat to move knows, and other hidden moves."""
    seat = position.seat
    assert seat is not None
    states = position.view(seat).states.copy()
    compiled_api.deal(states, 0, new_rng(seed))
    # Of the moves of others the twin has only what everyone saw of them.
    played = tuple(
        PlayedMove(each.seat, each.move if each.seat == seat else each.public, each.public) for each in position._played
    )
    twin = fc.Position(position.game, states, played)
    own, dealt = position.record, twin.record
    taken = [slot for slot in own.slot.tolist() if slot and not slot & int(own.unlaid)]
    held, dealt_held = (int(np.bitwise_or.reduce(record.hand)) for record in (own, dealt))
    is_different = {
        "hands": own.hand.tolist() != dealt.hand.tolist(),
        "pile": own.pile.tolist() != dealt.pile.tolist(),
        "takes": any(slot & held != slot & dealt_held for slot in taken),
        "moves": any(each.move != each.public for each in position._played if each.seat != seat),
    }
    return Twins(position, twin, frozenset(name for name, differs in is_different.items() if differs))


@cache
def list_twins() -> tuple[Twins, ...]:
    """List pairs, `PAIRS` for each kind of difference, from all stages of games with different options."""
    found: list[Twins] = []
    for name in HIDDEN_GAMES:
        wanted = dict.fromkeys(("hands", "pile", "takes", "moves"), PAIRS)
        for seed in range(GAMES):
            positions = play_whole_game(name, seed).positions
            for ply in range(seed % 3, len(positions) - 1, 4):
                twins = find_twin(positions[ply], seed)
                if any(wanted[kind] > 0 for kind in twins.differences):
                    found.append(twins)
                    for kind in twins.differences:
                        wanted[kind] -= 1
        assert all(count <= 0 for count in wanted.values()), f"too few pairs of {name}: {wanted}"
    return tuple(found)


def test_the_twins_look_the_same_to_the_seat_to_move_and_not_to_a_viewer_who_sees_all() -> None:
    for position, twin, _ in list_twins():
        views = position.view(position.seat), twin.view(twin.seat)
        assert views[0] == views[1] and views[0].plies == views[1].plies
        assert views[0].states.tobytes() == views[1].states.tobytes()
        assert position.states.tobytes() != twin.states.tobytes() or position.plies != twin.plies


@pytest.mark.parametrize("level", range(1, 11))
def test_every_level_chooses_the_same(level: int) -> None:
    for position, twin, _ in list_twins():
        if level <= len(position.game.spec.part(ComputerPlay).levels):
            # The strongest one of all levels also solves.
            choices = [fc.Computer(level, nodes=NODES, seed=SEED).choose(each) for each in (position, twin)]
            assert choices[0] == choices[1]
            moves = [fc.Computer(level, nodes=NODES, seed=SEED).choose_move(each) for each in (position, twin)]
            assert moves[0] == moves[1]


def test_hints_and_analyses_say_the_same() -> None:
    for position, twin, _ in list_twins():
        assert fc.hint(position, nodes=NODES, seed=SEED) == fc.hint(twin, nodes=NODES, seed=SEED)
        analyses = [fc.analyse(each, 3, nodes=NODES, seed=SEED) for each in (position, twin)]
        assert analyses[0].lines == analyses[1].lines and analyses[0].nodes == analyses[1].nodes


def test_the_evaluation_at_a_table_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda _: SEED)
    monkeypatch.setattr(services, "ESTIMATE_NODES", NODES)
    for position, twin, _ in islice(list_twins(), 2 * PAIRS):
        views = position.view(position.seat), twin.view(twin.seat)
        estimates = [services.estimate(view, threading.Event()) for view in views]
        assert estimates[0] == estimates[1]


def judge(position: fc.Position, move: str) -> object:
    """Return what a review says about a move and instead of which it was played."""
    pace = Pace(None, REVIEW_NODES, None)
    part = Part(position.ply_count, position.ply_count + 20, 60.0, (2.0, 0.1))
    names = [f"player {seat}" for seat in range(position.game.seats)]
    reviewer = Reviewer([position, position.play(move)], names, pace, SEED, part)
    reviewer.judge_first_ply(None, ())
    return build_move(reviewer, 0, position.ply_count, position.ply_count + 20)


def test_a_review_judges_and_explains_a_move_in_the_same_way() -> None:
    for position, twin, _ in islice(list_twins(), 0, None, len(list_twins()) // PAIRS):
        move = position.moves()[len(position.moves()) // 2]
        assert judge(position, move) == judge(twin, move)


def list_exchanged_decks(match: fc.Match) -> Iterator[list[str]]:
    """Yield decks in which two tiles of the pile, that no one has drawn, are exchanged."""
    drawn = len(match.deck) - int(match.position.record.pile_size)
    for first in range(drawn, len(match.deck) - 1):
        deck = list(match.deck)
        deck[first], deck[-1] = deck[-1], deck[first]
        yield deck


@pytest.mark.parametrize("name", HIDDEN_GAMES)
def test_undrawn_tiles_change_no_review(name: str) -> None:
    whole = play_whole_game(name, 2)
    begun = fc.Match(whole.game, deck=whole.deck, date=whole.date, nonce="")
    for event in whole.events[:5]:
        begun.play(event.text)
    reviews = []
    for deck in [list(begun.deck), *islice(list_exchanged_decks(begun), 2)]:
        match = fc.Match(whole.game, deck=deck, date=whole.date, nonce="")
        for event in begun.events:
            match.play(event.text)
        for seat in range(match.game.seats):
            if not match.is_over:
                match.resign(seat)
        reviews.append(fc.review(match, nodes=REVIEW_NODES, seed=SEED))
    told = [(each.moves, each.players, each.all_points) for each in reviews]
    assert told[0] == told[1] == told[2]


def test_these_tests_notice_an_engine_that_sees_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    twins = list_twins()
    monkeypatch.setattr(compiled_api, "hide", lambda *_: None)
    computer = fc.Computer(nodes=NODES, seed=SEED)
    assert any(computer.choose(position) != computer.choose(twin) for position, twin, _ in twins)
