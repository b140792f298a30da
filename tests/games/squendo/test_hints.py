"""What is said for moves of Squendo, and that every number in it is proven."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.hint_claims import find_unproven
from fourcorners.games.squendo import hints
from fourcorners.games.squendo.levels import LEVELS
from fourcorners.search import playouts


def said(moves: str, first: str, move: str, **options: object) -> str:
    """Say what speaks for a move after others, with a deck that begins with some tiles."""
    game = fc.game("squendo", **options)
    tiles = [*first.split(), *(tile for tile in game.deck(seed=1) if tile not in first.split())]
    position = game.replay([each for each in moves.split(", ") if each], deck=tiles)
    view = position.view(position.seat)
    hint = hints.hint(view, int(game.spec.notation.parse(view.record, move)))
    assert find_unproven(hint, np.array(view.states)) == []
    return hint.text


@pytest.mark.parametrize(
    ("moves", "first", "move", "text"),
    [
        ("", "R0o", "R0o 0,0 r0", "brings you 1 point, and nobody else gains by it"),
        ("", "G0o", "G0o 0,0 r0", "spends a neutral tile, which scores for nobody"),
        ("", "B0o", "B0o 0,0 r0", "spends a tile of blue for no more than 1 point"),
        (
            "R0o 0,0 r0",
            "R0o R1o R1x R0x B0o",
            "B0o 0,0 r0",
            "makes a double stack of yours for 2 points and takes a tile of red out of the count (-1 point)",
        ),
    ],
)
def test_moves_are_explained(moves: str, first: str, move: str, text: str) -> None:
    assert said(moves, first, move) == text


def test_rectangles_are_spoken_of() -> None:
    # Red begins and lays a square of four white tiles with blue's help.
    first = "R0o R0x R1o R1x B4o B4x G0o G0x"
    moves = "R0o 0,0 r0, G0o 0,-1 r0, R0x 1,0 r0, G0x 1,-1 r0"
    assert "one tile short of a rectangle" in said(moves, first, "R1o 0,1 r0")


@pytest.mark.parametrize("players", [2, 4])
def test_every_number_is_proven_and_many_things_are_said(players: int) -> None:
    rng = random.Random(players)
    chance = new_rng(players)
    heard: set[str] = set()
    for seed in range(2):
        position = fc.game("squendo", players=players).start(seed=seed)
        notation = position.game.spec.notation
        while not position.is_over:
            view = position.view(position.seat)
            level = rng.choice(LEVELS)
            roots = np.array(view.states)
            action = int(playouts.choose_rollout_action(roots, roots.copy(), np.array(level.weights), chance))
            move = notation.format(view.record, action)
            for each in (move, rng.choice(position.moves())):
                hint = hints.hint(view, int(notation.parse(view.record, each)))
                assert find_unproven(hint, np.array(view.states)) == [], (position.text, each, hint)
                assert hint.text
                assert not hint.text.endswith(".")
                heard.update(word for word in ("double", "short", "breaks", "spends", "out of") if word in hint.text)
            position = position.play(move)
    assert {"double", "short", "spends", "out of"} <= heard


def test_a_hint_tells_nothing_that_is_hidden() -> None:
    game = fc.game("squendo")
    deck = list(game.deck(seed=4))
    other = [*deck[:8], *reversed(deck[8:])]
    one, two = (game.start(deck=each).view(0) for each in (deck, other))
    assert dispatch.view_record(np.array(one.states)).seen_by == 1
    for move in one.moves():
        action = int(game.spec.notation.parse(one.record, move))
        assert hints.hint(one, action) == hints.hint(two, action)
