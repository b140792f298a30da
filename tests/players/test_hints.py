"""Hints: a good move, and reasons in which every number is proven."""

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.hint_claims import Claim, Hint, find_unproven
from fourcorners.study.teaching import Teaching
from tests.reference import draw_setup
from tests.require import require

GAMES = ["squarin-off", "square-off", "squendo", "sqez"]
SLOW, SAMPLING = "squarin-off", 12
"""In the game with slow hints one of this many positions is tested in CI, half as many otherwise; slow tests take all.
"""


def test_find_unproven_reports_missing_and_false_claims_and_ignores_coordinates() -> None:
    # One edge of a single box is left; the player who draws it gains 1 point and ends the game.
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2"])
    action = int(position.game.spec.notation.parse(position.record, "a2b2"))
    capture = Claim(1, (action,), 0)
    states = np.array(position.states)
    seat = require(position.seat)
    for hint, wrong in [
        (Hint("takes a box"), 0),
        (Hint("takes 1 box, on c4 or e10", (capture._replace(seat=seat),)), 0),
        (Hint("takes 2 boxes", (capture._replace(seat=seat),)), 1),
        (Hint("takes 2 boxes", (Claim(2, (action,), seat),)), 1),
        (Hint("costs another (-1 points)", ()), 1),
        (Hint("leaves 0 moves", (Claim(0, (action,)),)), 0),
        (Hint("leaves 1 move", (Claim(1, (action, action)),)), 1),
    ]:
        assert len(find_unproven(hint, states)) == wrong, hint


def check_hints_of_random_games(name: str, interval: int) -> int:
    """Assert of hints that each has a text without a full stop whose numbers are claims that hold.

    They are for a random move and for one that a computer chooses, in every `interval`th position of four random games,
    always the same and three of them with random options; return how many there are.
    """
    rng = random.Random(name)
    quantities = require(fc.game(name).spec.part(Teaching).facts_of_moves).QUANTITIES
    texts: list[str] = []
    for seed in range(4):
        game = fc.game(name, **draw_setup(name, rng)[1] if seed else {})
        computer = fc.Computer(nodes=40, seed=seed)
        position, ply = game.start(seed=seed), 0
        while not position.is_over:
            move = rng.choice(position.moves())
            if ply % interval == seed % interval:
                view = position.view(position.seat)
                for each in (move, computer.choose(position).move):
                    hint = require(game.spec.part(ComputerPlay).hints).hint(
                        view, int(game.spec.notation.parse(view.record, each))
                    )
                    assert hint.text
                    assert not hint.text.endswith(".")
                    assert find_unproven(hint, np.array(view.states), quantities) == [], (position.text, each, hint)
                    texts.append(hint.text)
            position, ply = position.play(move), ply + 1
    assert len(set(texts)) > 5
    return len(texts)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "step"),
    [
        *((name, 1) for name in GAMES if name != SLOW),
        (SLOW, 2 * SAMPLING),
        pytest.param(SLOW, SAMPLING, marks=pytest.mark.ci),
    ],
)
def test_hints_in_random_games_are_clauses_whose_numbers_are_proven_by_play(name: str, step: int) -> None:
    check_hints_of_random_games(name, step)


@pytest.mark.slow
@pytest.mark.compiled
def test_hints_in_every_position_are_clauses_whose_numbers_are_proven_by_play() -> None:
    assert check_hints_of_random_games(SLOW, 1) > 400


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_hint_has_a_legal_move_and_a_reason_and_is_the_same_for_the_view(name: str) -> None:
    position = fc.game(name).start(seed=1)
    advice = fc.hint(position, nodes=50, seed=1)
    assert advice.move in position.moves()
    assert advice.text.startswith(f"{advice.move}: ")
    assert advice == fc.hint(position.view(position.seat), nodes=50, seed=1)


@pytest.mark.compiled
def test_hint_rejects_a_finished_game() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2", "a2b2"])
    with pytest.raises(fc.GameError, match="the game is over"):
        fc.hint(position)
