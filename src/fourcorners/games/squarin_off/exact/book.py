"""The opening book for 3 x 4 boxes: keys and values of all nodes with at most three edges drawn.

To solve such a node takes about a second on an idle machine, longer than a player may have for a move.
`python -m benchmarks.book` writes the book. After a change of the keys its entries match nothing; write it again then.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.games.squarin_off.options import SquarinOffOptions

BOOK_FILE = Path(__file__).with_name("book.txt")
"""Lines of two hexadecimal words, a node's key, and its value."""
_BOXES = 12


def list_known_values(options: SquarinOffOptions) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return keys, of shape (n, 2), and their n values for a game with these options; n is 0 where there is no book."""
    fits = options.cols * options.rows == _BOXES and not any(options.blockers)
    return _load() if fits else (np.zeros((0, 2), np.uint64), np.zeros(0, np.int64))


@cache
def _load() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Read the book file."""
    rows = [line.split() for line in BOOK_FILE.read_text(encoding="ascii").splitlines()]
    keys = np.array([[int(first, 16), int(second, 16)] for first, second, _ in rows], np.uint64)
    return keys, np.array([int(value) for *_, value in rows], np.int64)
