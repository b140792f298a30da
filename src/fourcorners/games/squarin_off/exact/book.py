"""What openings of 3 x 4 are worth: the keys and values of all nodes with at most three lines drawn.

To solve those takes a second on an idle machine, and a player may have no more. Written by `python -m benchmarks.book`;
keys that have changed since match nothing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.games.squarin_off.options import SquarinOffOptions

FILE = Path(__file__).with_name("book.txt")
_BOXES = 12


def known(options: SquarinOffOptions) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return keys, two words each, and their values, that may help in a game with these options; there may be none."""
    fits = options.cols * options.rows == _BOXES and not any(options.blockers)
    return _read() if fits else (np.zeros((0, 2), np.uint64), np.zeros(0, np.int64))


@cache
def _read() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    rows = [line.split() for line in FILE.read_text(encoding="ascii").splitlines()]
    keys = np.array([[int(first, 16), int(second, 16)] for first, second, _ in rows], np.uint64)
    return keys, np.array([int(value) for *_, value in rows], np.int64)
