"""Claims of hints: which lines of play can prove a number."""

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.players.hint_claims import Claim, Hint, find_unproven


@pytest.mark.parametrize("seat", [None, 0])
def test_claim_whose_line_goes_on_after_the_end_of_the_game_is_false(seat: int | None) -> None:
    position = fc.game("squendo").start(seed=0)
    while not position.play(position.moves()[0]).is_over:
        position = position.play(position.moves()[0])
    last = int(position.game.spec.notation.parse(position.record, position.moves()[0]))
    after = np.array(position.play(position.moves()[0]).states)
    # The rules of Squendo list an action even now: only whether the game is over shows that it is illegal.
    action = int(compiled_api.list_legal(after, 0)[0])
    states = np.array(position.states)
    assert find_unproven(Hint("leaves 0 moves", (Claim(0, (last,)),)), states) == []
    for number in range(3):
        claim = Claim(number, (last, action), seat)
        assert find_unproven(Hint(f"leaves {number}", (claim,)), states) == [f"{claim} is false"]


def test_points_that_a_seat_loses_are_proven_without_their_sign() -> None:
    position = fc.game("squendo").start(seed=0).play("B3x 0,0 r0")
    action = int(position.game.spec.notation.parse(position.record, "G3x 0,0 r0"))
    lost, kept, states = Claim(-1, (action,), 1), Claim(0, (action,), 0), np.array(position.states)
    assert find_unproven(Hint("costs blue 1 point", (lost,)), states) == []
    assert find_unproven(Hint("costs blue 2 points", (lost,)), states) == ["no claim has the number 2"]
    assert find_unproven(Hint("costs red 1 point", (kept,)), states) == ["no claim has the number 1"]
