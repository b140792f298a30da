"""The slow references, checked by known perft counts; `test_differential.py` compares whole games with them."""

from copy import deepcopy
from itertools import product
from typing import Any

import pytest

from tests.reference import REFERENCES, Game


def list_ordered_deck(colours: str) -> list[str]:
    """Return the tiles of the deck of the known perft counts, in drawing order; `colours` are letters such as "RBG"."""
    patterns = ("0", "1", "2a", "2o", "3", "4")
    return [colour + pattern + symbol for pattern, symbol, colour in product(patterns, "ox", colours)]


def perft(game: Game, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves, at least 1, from here; the game stays as it is."""
    if depth == 1:
        return len(game.moves())
    total = 0
    for move in game.moves():
        later = deepcopy(game)
        later.play(move)
        total += perft(later, depth - 1)
    return total


@pytest.mark.parametrize(
    ("game", "deck", "options", "counts"),
    [
        ("squarin-off", None, {"cols": 2, "rows": 2, "blockers": 0}, (12, 132, 1320)),
        ("squarin-off", None, {"cols": 3, "rows": 3, "blockers": 1}, (60, 2720)),
        ("squarin-off", None, {}, (620,)),
        ("square-off", None, {}, (64, 4096)),
        ("square-off", None, {"size": 4}, (16, 256, 4272)),
        ("sqez", None, {"cols": 4, "rows": 4}, (9, 0)),
        ("sqez", None, {"cols": 5, "rows": 5}, (36, 64)),
        ("sqez", None, {"cols": 6, "rows": 6}, (100, 1532)),
        ("sqez", None, {}, (441,)),
        ("sqez", None, {"cols": 4, "rows": 4, "sides": "shared"}, (9, 40, 88)),
        ("sqez", None, {"cols": 5, "rows": 5, "enclose": "any"}, (36, 148)),
        ("squendo", list_ordered_deck("RBG"), {}, (4, 154, 6476)),
        ("squendo", list_ordered_deck("RBG"), {"take": "any"}, (4, 154, 7152)),
        ("squendo", list_ordered_deck("RBGY"), {"players": 4}, (4, 64, 5376)),
    ],
)
def test_perft_counts_are_as_known(
    game: str, deck: list[str] | None, options: dict[str, Any], counts: tuple[int, ...]
) -> None:
    for depth, count in enumerate(counts, start=1):
        assert perft(REFERENCES[game].Reference(deck, **options), depth) == count
