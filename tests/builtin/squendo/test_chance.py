"""The tiles of Squendo as chance draws them, and the hands that a seat may have had before a move."""

import random

import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import chance
from fourcorners.builtin.squendo.rules import PASS
from fourcorners.core.dispatch import view_record
from fourcorners.core.encoding import Past
from fourcorners.core.game import Position, copy_states


def test_tiles_placed_on_top_are_drawn_next_and_the_others_stay_in_their_order() -> None:
    position = fc.game("squendo").start(seed=1)
    pile = position.record.pile.tolist()
    states = copy_states(position.states)
    drawn = [tile - 1 for tile in (pile[0], pile[27], pile[5])]
    chance.place_draws(view_record(states), drawn)
    rest = [tile for tile in pile[:28] if tile - 1 not in drawn]
    assert view_record(states).pile.tolist()[:28] == [*rest, *(tile + 1 for tile in reversed(drawn))]
    assert chance.list_pile(view_record(states)) == chance.list_pile(position.record)
    after = Position(position.game, states, ())
    after = after.play(after.moves()[0])
    assert drawn[0] in chance.list_hand(after.record, 0)
    assert set(drawn[1:]) <= set(chance.list_pile(after.record))


@pytest.mark.parametrize("seed", range(6))
def test_what_was_is_among_the_pasts_that_fit_a_move(seed: int) -> None:
    game, rng = fc.game("squendo", players=2 + seed % 3, take=("own", "any")[seed % 2]), random.Random(seed)
    position, kinds = game.start(seed=seed), set()
    while position.seat is not None:
        record, seat = position.record, position.seat
        move = rng.choice(sorted(position.moves(), key=lambda move: "take" not in move)[:4])
        action = game.spec.notation.parse(record, move)
        position = position.play(move)
        hand, before = (chance.list_hand(s, seat) for s in (position.record, record))
        gone = set(chance.list_pile(record)) - set(chance.list_pile(position.record))
        pasts = chance.list_pasts(record, chance.mask_action(record, action), hand)
        assert Past(action, tuple(before), tuple(gone)) in pasts
        assert len(set(pasts)) == len(pasts)
        assert all(len(past.hand) == len(before) and len(past.drawn) == len(gone) for past in pasts)
        kinds.add("pass" if action == PASS else "take" if "take" in move else "draw" if gone else "lay")
    assert {"take", "draw", "lay"} <= kinds


def test_pasts_hold_only_tiles_that_the_public_slots_allow() -> None:
    position = fc.game("squendo").start(seed=1)
    move = position.moves()[0]
    action, before = position.game.spec.notation.parse(position.record, move), chance.list_hand(position.record, 0)
    hand = chance.list_hand(position.play(move).record, 0)
    assert len(chance.list_pasts(position.record, action, hand)) == 4
    states = copy_states(position.states)
    slots = view_record(states).slot
    slots[:4] = sorted(1 << tile for tile in before)
    (past,) = chance.list_pasts(view_record(states), action, hand)
    assert past.hand == tuple(before)
    slots[3] = slots[2]
    assert chance.list_pasts(view_record(states), action, hand) == []
