"""Every game's encoding fulfils the contract, and what breaks it is reported."""

from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.sqez import encode as sqez
from fourcorners.builtin.squendo import encode as squendo
from fourcorners.core.arrays import Mask, Planes, State
from fourcorners.core.conformance import NotConformingError
from fourcorners.core.encoding_conformance import check_encoding

# fmt: off
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 3}),
    ("squarin-off", {"cols": 2, "rows": 3, "players": 3, "edition": "classic", "blockers": 3}),
    ("squarin-off", {"cols": 4, "rows": 3, "players": 2, "blockers": [1, 3]}),
    ("squarin-off", {"cols": 3, "rows": 4, "players": 3, "blockers": [2, 0, 1]}),
    ("squarin-off", {"cols": 3, "rows": 3, "players": 4, "teams": True, "blockers": 1}),
    ("square-off", {"size": 4}),
    ("square-off", {"size": 6, "symmetry": "once"}),
    ("square-off", {"size": 4, "symmetry": "each", "marks": "current", "swap": False}),
    ("square-off", {"size": 10, "symmetry": "none"}),
    ("sqez", {"cols": 5, "rows": 6}),
    ("sqez", {"cols": 6, "rows": 4, "sides": "shared", "players": 3}),
    ("sqez", {"cols": 7, "rows": 3, "enclose": "any", "players": 8}),
    ("sqez", {"cols": 5, "rows": 5, "sides": "shared", "enclose": "any", "strict": True, "players": 5}),
    ("sqez", {"cols": 20, "rows": 9}),
    ("squendo", {}),
    ("squendo", {"players": 3, "take": "any", "lines": True, "colours": "YGB"}),
    ("squendo", {"players": 4, "rectangles": "maximal"}),
]
COMPILED: list[tuple[str, dict[str, Any]]] = [
    ("squarin-off", {"cols": 3, "rows": 3, "blockers": 1}),
    ("square-off", {"size": 4}),
    ("sqez", {"cols": 6, "rows": 6}),
    ("squendo", {"players": 3, "take": "any"}),
]
# fmt: on


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_encoding_of_a_game_conforms_at_every_ply(name: str, options: dict[str, Any]) -> None:
    for seed in range(1 if name == "squendo" else 3):
        assert check_encoding(fc.game(name, **options), seed) > 0


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), COMPILED)
def test_encoding_conforms_when_it_is_compiled(name: str, options: dict[str, Any]) -> None:
    assert check_encoding(fc.game(name, **options), seed=1) > 0


def write_next_tile(s: State, seat: int, out: Planes) -> None:
    """Write planes that tell which tile is drawn next."""
    out[:] = 0.0
    out[0] = s.pile[int(s.pile_size) - 1] / np.float32(48)


def write_hand_to_move(s: State, seat: int, out: Planes) -> None:
    """Write planes that tell all seats whether the seat to move has tiles."""
    out[:] = 0.0
    out[0] = int(s.hand[int(s.seat)]) != 0


def leave_mask(s: State, action: int, seat: int, out: Mask) -> None:
    """Leave a mask as it is."""


@pytest.mark.parametrize(
    ("module", "function", "broken", "message"),
    [
        (squendo, "write_planes", write_next_tile, r"seat 0: the planes \['my tiles'\] of what it knows differ"),
        (squendo, "write_planes", write_hand_to_move, r"seat 1: the planes \['my tiles'\] of what it knows differ"),
        (squendo, "can_index_all", lambda *_: False, "can_index_all is False"),
        (sqez, "update_mask", leave_mask, "the mask that was updated is wrong at"),
        (sqez, "mask_actions", lambda *_: None, "the mask made anew is wrong at"),
        (sqez, "index_action", lambda *_: 0, "two legal actions have the same index"),
        (sqez, "index_action", lambda *given: given[1], "an index is not below 36"),
        (sqez, "action_at", lambda s, index: int(sqez.find_action(s, index % 36)), r"index -1 gives \d+, not -1"),
        (sqez, "find_action", lambda *_: 0, r"find_action gives 0 for index \d+, not"),
        (sqez, "write_planes", lambda *given: given[2].fill(1.5), "the planes of seat 0 are not within 0 to 1"),
        (sqez, "write_planes", lambda *_: None, "the planes of seat 0 are not within 0 to 1"),
        (sqez, "plane_names", lambda *_: ("edges", "edges"), "the names of the planes are not distinct"),
        (sqez, "describe_action", lambda *_: "a move", r"'a move' describes the indices \d+ and \d+"),
        (sqez, "VERSION", 0, "the version 0 of the encoding is not 1 or more"),
    ],
)
def test_broken_encoding_is_reported(
    module: Any, function: str, broken: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, function, broken, raising=False)
    game = fc.game("squendo") if module is squendo else fc.game("sqez", cols=5, rows=5)
    with pytest.raises(NotConformingError, match=message):
        check_encoding(game, seed=1)
