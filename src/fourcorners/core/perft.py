"""Perft: counting move sequences, the classic test of a rules implementation."""

import numpy as np

from fourcorners.core import arguments, compiled_api
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Position

_MAX_DEPTH = 64


def perft(position: Position, depth: int) -> int:
    """Count the sequences of exactly `depth` legal moves, 0 to 64; raise OptionError."""
    if not isinstance(position, Position):
        raise OptionError("position", f"{quote(position)} is not allowed; it must be a Position, not a View")
    depth = arguments.check_int("depth", depth, 0, _MAX_DEPTH)
    states = np.zeros(depth + 1, position.states.dtype)
    states[0] = position.states[0]
    size = 1024  # of the buffer of actions; grows until it suffices
    while True:
        count = int(compiled_api.perft(states, np.zeros(size, np.int64), depth))
        if count >= 0:
            return count
        size *= 4
