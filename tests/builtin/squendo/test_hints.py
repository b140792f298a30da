"""Hints for moves of Squendo: their sentences, and the proof of every number."""

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import hints
from fourcorners.builtin.squendo.levels import LEVELS
from fourcorners.builtin.squendo.tile_names import read_names
from fourcorners.core.bits import new_rng
from fourcorners.players.hint_claims import find_unproven
from fourcorners.search import playouts


def get_hint_text(moves: str, first: str, move: str, **options: object) -> str:
    """Return the text of the hint for a move after `moves` (separated by ", "), after asserting that its claims hold.

    `first` are the first tiles of the deck, separated by spaces; the others follow in a fixed order.
    """
    game = fc.game("squendo", **options)
    tiles = [*first.split(), *(tile for tile in game.deck(seed=1) if tile not in first.split())]
    position = game.replay([candidate for candidate in moves.split(", ") if candidate], deck=tiles)
    view = position.view(position.seat)
    hint = hints.hint(view, int(game.spec.notation.parse(view.record, move)))
    assert find_unproven(hint, np.array(view.states)) == []
    return hint.text


@pytest.mark.parametrize(
    ("moves", "first", "move", "text"),
    [
        ("", "R0o", "R0o 0,0 r0", "gains you 1 point, and no one else gains anything"),
        ("", "G0o", "G0o 0,0 r0", "uses up a neutral tile, which scores for no one"),
        ("", "B0o", "B0o 0,0 r0", "uses up a blue tile for only 1 point"),
        (
            "R0o 0,0 r0",
            "R0o R1o R1x R0x B0o",
            "B0o 0,0 r0",
            "makes a double stack of yours for 2 points and costs red 1 point",
        ),
    ],
)
def test_a_hint_explains_the_move(moves: str, first: str, move: str, text: str) -> None:
    assert get_hint_text(moves, first, move) == text


def test_a_hint_says_that_one_tile_is_missing_for_a_rectangle() -> None:
    # Red, seat 0, has laid three of the four tiles of a square.
    first = "R0o R0x R1o R1x B4o B4x G0o G0x"
    moves = "R0o 0,0 r0, G0o 0,-1 r0, R0x 1,0 r0, G0x 1,-1 r0"
    assert "one tile short of a rectangle" in get_hint_text(moves, first, "R1o 0,1 r0")


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_hints_in_whole_games_are_clauses_with_proven_numbers_and_vary(players: int) -> None:
    rng = random.Random(players)
    rng_state = new_rng(players)
    phrases: set[str] = set()
    for seed in range(2):
        position = fc.game("squendo", players=players).start(seed=seed)
        notation = position.game.spec.notation
        while not position.is_over:
            view = position.view(position.seat)
            level = rng.choice(LEVELS)
            roots = np.array(view.states)
            action = int(playouts.choose_rollout_action(roots, roots.copy(), np.array(level.weights), rng_state))
            move = notation.format(view.record, action)
            for candidate in (move, rng.choice(position.moves())):
                hint = hints.hint(view, int(notation.parse(view.record, candidate)))
                assert find_unproven(hint, np.array(view.states)) == [], (position.text, candidate, hint)
                assert hint.text
                assert not hint.text.endswith(".")
                # Players see no names of tiles, such as R2ax.
                assert not set(read_names(view.record).tiles) & set(hint.text.replace(",", "").split())
                phrases.update(
                    word for word in ("double", "short", "breaks", "uses up", "from the game") if word in hint.text
                )
            position = position.play(move)
    assert {"double", "short", "uses up", "from the game"} <= phrases


def test_a_hint_does_not_depend_on_the_order_of_the_pile() -> None:
    # The two decks differ in the order of the pile only, which no seat knows.
    game = fc.game("squendo")
    deck = list(game.deck(seed=4))
    other = [*deck[:8], *reversed(deck[8:])]
    view, twin = (game.start(deck=candidate).view(0) for candidate in (deck, other))
    assert view.record.seen_by == 1  # a view of seat 0 (seat + 1), not a whole record
    for move in view.moves():
        action = int(game.spec.notation.parse(view.record, move))
        assert hints.hint(view, action) == hints.hint(twin, action)
