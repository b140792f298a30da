"""Known perft counts, kept as plain text that any engine could read.

A line is `OPTIONS ; START ; n1 n2 …`: options as JSON, `start`, `deck …` or `position …`, and the numbers of sequences
of 1, 2, … moves.
"""

import json
from pathlib import Path

import pytest

import fourcorners as fc

pytestmark = pytest.mark.compiled
DATA = Path(__file__).parent / "data" / "perft"
QUICK = 3_000_000  # sequences; larger counts are left to the slow test


def read_rows() -> list[tuple[str, str, str, tuple[int, ...]]]:
    """Return the game, options (JSON), start and counts (from depth 1 on) of every line of data, sorted by game."""
    found = []
    for path in sorted(DATA.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                options, start, counts = line.split(" ; ")
                found.append((path.stem, options, start, tuple(int(n) for n in counts.split())))
    return found


def create_position(name: str, options: str, start: str) -> fc.Position:
    """Return the position of a line of data: its game, its options as JSON, and its `start` (see the module)."""
    game = fc.game(name, **json.loads(options))
    kind, _, rest = start.partition(" ")
    if kind == "position":
        return game.position(rest)
    return game.start(deck=rest.split()) if kind == "deck" else game.start()


@pytest.mark.parametrize(("name", "options", "start", "counts"), read_rows())
def test_perft_counts_up_to_three_million_match_the_data(
    name: str, options: str, start: str, counts: tuple[int, ...]
) -> None:
    position = create_position(name, options, start)
    for depth, count in enumerate(counts, 1):
        if count <= QUICK:
            assert fc.perft(position, depth) == count


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "start", "counts"), read_rows())
def test_all_perft_counts_match_the_data(name: str, options: str, start: str, counts: tuple[int, ...]) -> None:
    assert (
        tuple(fc.perft(create_position(name, options, start), depth) for depth in range(1, len(counts) + 1)) == counts
    )


def test_every_game_has_perft_data() -> None:
    missing = {fc.game(name).spec.id for name in fc.games()} - {name for name, *_ in read_rows()}
    assert not missing
