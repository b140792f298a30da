"""What the moves of others tell about their hands."""

import math

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import evaluate, rules
from fourcorners.builtin.squendo.beliefs import weigh_worlds
from fourcorners.builtin.squendo.hands import SLOTS
from fourcorners.builtin.squendo.levels import LEVELS
from fourcorners.builtin.squendo.options import HAND_SIZE
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng
from tests.require import require

TILES = 48
WEIGHTS = np.array(LEVELS[-1].weights)


def play_positions(seed: int, players: int = 2, plies: int = 40) -> list[fc.Position]:
    """Return the positions of the beginning of a game of players that do not look ahead."""
    position = fc.game("squendo", players=players).start(seed=seed)
    found: list[fc.Position] = []
    while not position.is_over and len(found) < plies:
        found.append(position)
        move = fc.Computer.from_level(LEVELS[3], seed=seed).choose_move(position)
        position = position.play(move)
    return found


@pytest.mark.ci
def test_tiles_that_are_held_are_believed_in_more_than_unseen_ones_on_average() -> None:
    held, unseen = [], []
    for seed in range(4):
        for position in play_positions(seed):
            seat = require(position.seat)
            view, s = position.view(seat), position.record
            beliefs = weigh_worlds(view, WEIGHTS)
            tiles = [tile for tile in range(TILES) if int(s.unlaid) & ~int(s.hand[seat]) & 1 << tile]
            if len(beliefs) == 0 or not tiles:
                continue
            other = 1 - seat
            row = beliefs[HAND_SIZE * other]
            unseen.append(math.log(np.mean([row[tile] for tile in tiles])))
            held.append(
                np.mean([math.log(row[tile]) for tile in tiles if int(s.hand[other]) & 1 << tile] or [unseen[-1]])
            )
    assert len(held) > 100
    assert np.mean(held) > np.mean(unseen) + 0.02


@pytest.mark.parametrize("players", [2, 4])
def test_beliefs_are_about_the_others_and_leave_the_tile_drawn_last_alone(players: int) -> None:
    position = play_positions(3, players, 12)[-1]
    seat = require(position.seat)
    beliefs = weigh_worlds(position.view(seat), WEIGHTS)
    assert beliefs.shape == (SLOTS, TILES)
    assert (beliefs > 0).all()
    assert (beliefs <= 1).all()
    for other in range(players):
        rows = beliefs[HAND_SIZE * other : HAND_SIZE * (other + 1)]
        assert (rows[-1] == 1).all()
        assert (rows[:-1] == 1).all() == (other == seat)


def test_there_are_no_beliefs_without_the_weight_without_moves_or_in_a_position_that_was_set_up() -> None:
    position = play_positions(1, plies=12)[-1]
    view = position.view(position.seat)
    blind = WEIGHTS.copy()
    blind[evaluate.BELIEF] = 0.0
    assert len(weigh_worlds(view, WEIGHTS)) == SLOTS
    assert len(weigh_worlds(view, blind)) == 0
    restored = position.game.position(position.text)
    assert len(weigh_worlds(restored.view(restored.seat), WEIGHTS)) == 0
    following = restored.play(restored.moves()[0])
    assert len(weigh_worlds(following.view(following.seat), WEIGHTS)) == 0


def test_likely_worlds_fit_what_is_known_and_follow_the_beliefs() -> None:
    position = play_positions(2, plies=6)[-1]
    seat = require(position.seat)
    view = position.view(seat)
    unseen = [tile for tile in range(TILES) if int(view.record.unlaid) & ~int(view.record.hand[seat]) & 1 << tile]
    favoured, other = unseen[0], 1 - seat
    beliefs = np.ones((SLOTS, TILES))
    beliefs[HAND_SIZE * other : HAND_SIZE * (other + 1), favoured] = 20.0
    counts = []
    for known in (beliefs, np.zeros((0, 0))):
        rng, count = new_rng(5), 0
        for _ in range(150):
            states = np.array(view.states)
            s = dispatch.view_record(states)
            rules.deal_likely(s, known, rng)
            assert s.seen_by == 0
            assert position.game.position(fc.Position(position.game, states, ()).text).view(seat).text == view.text
            count += int(s.hand[other]) >> favoured & 1
        counts.append(count)
    assert counts[0] > 1.5 * counts[1]
