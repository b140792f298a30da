"""128-bit hashes of whole records, for tables of positions of any game."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from fourcorners.core.arrays import State
from fourcorners.core.bits import ZERO, mix
from fourcorners.core.dispatch import STUB
from fourcorners.core.jit import jitable_wraparound

_INDEX = np.uint64(0xD6E8FEB86659FD93)


@intrinsic
def _load(typing: Any, s: Any, i: Any) -> Any:
    """Load the eight bytes of a record from byte i on, as one word; for compiled code, which does not check i."""
    if not isinstance(s, types.Record):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Append the load to the code that Numba builds; return the loaded value."""
        record = builder.bitcast(arguments[0], ir.IntType(8).as_pointer())
        word = builder.bitcast(builder.gep(record, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(s, types.int64), generate


def _size(s: State) -> int:
    return int(s.dtype.itemsize)


@overload(_size, **STUB)
def _compiled_size(s: Any) -> Any:
    """Return the function that compiled code calls instead of `_size`."""
    size = s.size
    return lambda s: size  # noqa: ARG005  # the name of the stub's parameter


def _word(s: State, i: int) -> np.uint64:
    return np.uint64(np.frombuffer(s.tobytes()[i : i + 8], np.uint64)[0])


@overload(_word, **STUB)
def _compiled_word(s: Any, i: Any) -> Any:
    return lambda s, i: _load(s, i)  # noqa: PLW0108  # an overload is a plain function


@jitable_wraparound
def hash_record(s: State) -> tuple[np.uint64, np.uint64]:
    """Return a hash of two words over all bytes of a record, which must have eight bytes or more."""
    one = two = ZERO
    last = _size(s) - 8
    for i in range(0, last + 8, 8):
        # If the size is not a multiple of eight, the last word overlaps the one before.
        word = _word(s, min(i, last))
        # Most words of most records are zero.
        if word != ZERO:
            first = mix(word ^ (np.uint64(i + 1) * _INDEX))
            one = one + first
            two = two + mix(first)
    return one, two
