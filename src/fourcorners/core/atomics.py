"""Words that several threads read and write at once, without Python's lock.

They are numbered as in a flat, contiguous array of int64, and the numbers are not checked.
"""

import threading
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from fourcorners.core.compiler import NO_ALLOC

Words = NDArray[np.int64]
_lock = threading.Lock()  # in Python, `fetch_add` is several steps


def load(words: Words, index: int) -> int:
    """Return a word; see `store`."""
    return int(words[index])


def store(words: Words, index: int, number: int) -> None:
    """Write a word; a thread that reads the number with `load` or `fetch_add` sees all that this one wrote before."""
    with _lock:
        words[index] = number


def fetch_add(words: Words, index: int, number: int) -> int:
    """Add to a word, as one step, and return what it was; see `store`."""
    with _lock:
        found = int(words[index])
        words[index] += number
    return found


def _find_place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of the word that the first two arguments name."""
    return builder.gep(context.make_array(signature.args[0])(context, builder, arguments[0]).data, [arguments[1]])


@intrinsic  # type: ignore[untyped-decorator]  # numba is not typed
def _load(_context: Any, words: Any, index: Any) -> Any:
    """Emit LLVM's atomic load; for compiled code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Append the instruction to the code that Numba builds; return its result."""
        return builder.load_atomic(_find_place(context, builder, signature, arguments), "seq_cst", 8)

    return types.int64(words, index), generate


@intrinsic  # type: ignore[untyped-decorator]  # numba is not typed
def _store(_context: Any, words: Any, index: Any, number: Any) -> Any:
    """Emit LLVM's atomic store; for compiled code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Append the instruction to the code that Numba builds; return the value of a call without a result."""
        builder.store_atomic(arguments[2], _find_place(context, builder, signature, arguments), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(words, index, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]  # numba is not typed
def _fetch_add(_context: Any, words: Any, index: Any, number: Any) -> Any:
    """Emit LLVM's atomic addition; for compiled code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Append the instruction to the code that Numba builds; return its result."""
        place = _find_place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

    return types.int64(words, index, types.int64), generate


@overload(load, strict=False, jit_options=NO_ALLOC)  # type: ignore[untyped-decorator]  # numba is not typed
def _load_compiled(words: Any, index: Any) -> Any:
    """Return the function that compiled code calls instead of `load`."""
    return lambda words, index: _load(words, index)  # noqa: PLW0108  # an overload is a plain function


@overload(store, strict=False, jit_options=NO_ALLOC)  # type: ignore[untyped-decorator]  # numba is not typed
def _store_compiled(words: Any, index: Any, number: Any) -> Any:
    """Return the function that compiled code calls instead of `store`."""
    return lambda words, index, number: _store(words, index, number)  # noqa: PLW0108  # an overload is a plain function


@overload(fetch_add, strict=False, jit_options=NO_ALLOC)  # type: ignore[untyped-decorator]  # numba is not typed
def _fetch_add_compiled(words: Any, index: Any, number: Any) -> Any:
    """Return the function that compiled code calls instead of `fetch_add`."""
    return lambda words, index, number: _fetch_add(words, index, number)  # noqa: PLW0108  # an overload is a plain function
