"""The opening book for 3 x 4 boxes: keys and values of all nodes with at most three edges drawn.

Solving such a node takes about a second on an idle machine, longer than a player may have for a move.
`python -m benchmarks.book` writes the book. After a change of the keys its entries match nothing; write it again then.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squarin_off.options import SquarinOffOptions

BOOK_FILE = Path(__file__).with_name("book.npy")
"""One array of `ENTRY`, sorted."""
ENTRY = np.dtype([("key", "<u8", 2), ("value", "<i8")])
_BOXES = 12


def list_known_values(options: SquarinOffOptions) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the whole book's keys, (n, 2), and n values for a board of 12 boxes of any shape without blockers.
    For other options n is 0. The arrays may be shared: callers must not change them.
    """
    has_book = options.cols * options.rows == _BOXES and not any(options.blockers)
    return _load_book() if has_book else (np.zeros((0, 2), np.uint64), np.zeros(0, np.int64))


@cache
def _load_book() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Read keys and values into contiguous arrays, as compiled code needs; raise OSError or ValueError if it fails."""
    entries = np.load(BOOK_FILE, allow_pickle=False)
    return entries["key"].astype(np.uint64), entries["value"].astype(np.int64)
