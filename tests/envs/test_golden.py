"""The environments of version v0 keep their games: golden files hold actions and hashes of masks and planes.

A file has, for three seeds, the first plies of a random game: who moves, the index that is sampled, the number of legal
actions, and hashes of the mask and of the planes before it. A difference means that learned policies and published
results no longer fit. If that is intended, raise VERSION in the game's `encode.py` and the version in the names of the
environments, and write the files anew:

    PYTHONPATH=src:. python -m tests.envs.test_golden
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fourcorners as fc

FOLDER = Path(__file__).parent / "golden"
SEEDS = (0, 1, 2)
PLIES = 20


def hash_array(array: np.ndarray[Any, Any]) -> str:
    """Return a hash of the bytes of an array, the same on every machine."""
    return hashlib.sha256(array.astype(array.dtype.newbyteorder("<")).tobytes()).hexdigest()[:12]


def play(name: str, seed: int) -> list[list[Any]]:
    """Return the plies of a game: seat, index, number of legal actions, hash of the mask, hash of the planes."""
    batch, plies = fc.envs.Batch(name, 1, seed=seed, legal="mask"), []
    for _ in range(PLIES):
        index, mask = int(batch.sample()[0]), batch.legal_mask
        plies.append([int(batch.seat[0]), index, int(mask.sum()), hash_array(mask), hash_array(batch.observe())])
        batch.step([index])
    return plies


def record(name: str) -> dict[str, Any]:
    """Return what the golden file of a game has."""
    encoding = fc.envs.Encoding(name)
    about = {"version": encoding.version, "count": encoding.count, "planes": encoding.plane_names}
    return {**about, "games": {str(seed): play(name, seed) for seed in SEEDS}}


@pytest.mark.parametrize("mode", ["interpreted", pytest.param("compiled", marks=pytest.mark.compiled)])
@pytest.mark.parametrize("name", fc.games())
def test_games_are_those_of_the_golden_files(name: str, mode: str) -> None:
    golden = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(record(name))) == golden


def test_every_golden_file_belongs_to_a_game() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(fc.games())


def write() -> None:
    """Write all golden files, one line for each ply."""
    for name in fc.games():
        text = json.dumps(record(name), separators=(",", ":"))
        lines = (
            text.replace("[[", "[\n[").replace("],[", "],\n[").replace("]]", "]\n]").replace(',"games"', ',\n"games"')
        )
        (FOLDER / f"{name}.json").write_text(f"{lines}\n", encoding="utf-8")
        sys.stdout.write(f"{name}: {len(text)} characters\n")


if __name__ == "__main__":
    write()
