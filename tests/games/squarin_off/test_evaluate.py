"""What the computer knows at first sight: the order in which it looks at moves."""

from __future__ import annotations

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import kernel
from fourcorners.games.squarin_off.evaluate import CUTS, GIVES, SAFE, TAKES, WASTES


def priors(position: fc.Position) -> dict[str, float]:
    s, notation = position.record, position.game.spec.notation
    actions = np.zeros(kernel.bound(s), np.int64)
    n = kernel.legal(s, actions)
    out = np.zeros(n)
    kernel.prior(s, actions, n, np.ones(1), out)
    return {notation.format(s, int(action)): float(worth) for action, worth in zip(actions, out, strict=False)}


def test_boxes_are_taken_and_not_given_away() -> None:
    found = priors(fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1a2", "a1b1", "a2b2", "b1c1", "c1c2"]))
    assert found == {
        "b1b2": TAKES + GIVES,
        "b2c2": GIVES,
        "c1d1": SAFE,
        "c2d2": SAFE,
        "d1d2": SAFE,
    }


def test_a_box_worth_nothing_is_no_prey() -> None:
    game = fc.game("squarin-off", cols=1, rows=1, values="0", blockers=0)
    assert priors(game.replay(["a1b1", "a2b2", "a1a2"])) == {"b1b2": SAFE}


def test_blockers_are_kept_while_there_is_a_safe_edge() -> None:
    found = priors(fc.game("squarin-off", cols=2, rows=2, blockers=1).start())
    assert {worth for move, worth in found.items() if move.startswith("#")} == {WASTES}
    assert {worth for move, worth in found.items() if not move.startswith("#")} == {SAFE}


def test_then_they_cut_chains_before_any_box_is_given_away() -> None:
    found = priors(
        fc.game("squarin-off", cols=3, rows=1, blockers=1).replay(["a1b1", "a2b2", "b1c1", "b2c2", "d1d2", "c1d1"])
    )
    assert found["#b1 b1b2"] == CUTS
    assert found["b1b2"] == 2 * GIVES
    assert max(found, key=lambda move: found[move]).startswith("#")


@pytest.mark.compiled
def test_the_computer_keeps_its_blockers_in_the_opening() -> None:
    position = fc.game("squarin-off").start()
    for seed in range(6):
        choice = fc.Computer(nodes=300, seed=seed).choose(position)
        assert not choice.move.startswith("#")
        position = position.play(choice.move)
