"""Hints: a good move and what speaks for it, proven number by number."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.hint_claims import Claim, Hint, find_unproven

GAMES = ["squarin-off", "square-off", "squendo", "sqez"]
SPARED = {"squarin-off": 6}
"""Of a game whose hints take long, one of so many positions is looked at; the long run looks at all."""


def test_numbers_without_a_claim_and_claims_that_fail_are_found() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2"])
    action = int(position.game.spec.notation.parse(position.record, "a2b2"))
    took = Claim(1, (action,), 0)
    states = np.array(position.states)
    seat = position.seat
    assert seat is not None
    for hint, wrong in [
        (Hint("takes a box"), 0),
        (Hint("takes 1 box, on c4 or e10", (took._replace(seat=seat),)), 0),
        (Hint("takes 2 boxes", (took._replace(seat=seat),)), 1),
        (Hint("takes 2 boxes", (Claim(2, (action,), seat),)), 1),
        (Hint("costs another (-1 points)", ()), 1),
        (Hint("leaves 0 moves", (Claim(0, (action,)),)), 0),
        (Hint("leaves 1 move", (Claim(1, (action, action)),)), 1),
    ]:
        assert len(find_unproven(hint, states)) == wrong, hint


def prove_hints(name: str, spared: int) -> int:
    """Prove the hint at a random move in every such position of two games; return how many."""
    rng = random.Random(name)
    proven = 0
    for seed in range(2):
        position, ply = fc.game(name).start(seed=seed), 0
        while not position.is_over:
            move = rng.choice(position.moves())
            if ply % spared == seed % spared:
                view = position.view(position.seat)
                hints = view.game.spec.hints
                assert hints is not None
                action = int(view.game.spec.notation.parse(view.record, move))
                said = hints.hint(view, action)
                assert said.text
                assert not said.text.endswith(".")
                assert find_unproven(said, np.array(view.states)) == [], (position.text, move, said)
                proven += 1
            position, ply = position.play(move), ply + 1
    return proven


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_every_number_of_a_hint_is_proven_by_playing(name: str) -> None:
    assert prove_hints(name, SPARED.get(name, 1)) > 5


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", SPARED)
def test_every_number_of_every_hint_is_proven_by_playing(name: str) -> None:
    assert prove_hints(name, 1) > 400


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_a_hint_is_a_legal_move_and_a_reason(name: str) -> None:
    position = fc.game(name).start(seed=1)
    advice = fc.hint(position, nodes=50, seed=1)
    assert advice.move in position.moves()
    assert advice.text.startswith(f"{advice.move}: ")
    assert advice == fc.hint(position.view(position.seat), nodes=50, seed=1)


@pytest.mark.compiled
def test_there_is_no_hint_when_the_game_is_over() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2", "a2b2"])
    assert int(compiled_api.status(position.states, 0, np.zeros(8, np.int64))) == -1
    with pytest.raises(fc.GameError, match="the game is over"):
        fc.hint(position)
