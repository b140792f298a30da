"""Every game's encoding fulfils the contract, and what breaks it is reported."""

from typing import Any

import pytest

import fourcorners as fc
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
