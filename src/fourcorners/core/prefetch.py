"""Prefetching: loading memory into the cache before it is needed."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from fourcorners.core.compiler import NO_ALLOC


def prefetch(words: NDArray[Any], index: int) -> None:
    """Prefetch the cache line of a word of a contiguous array by its flat index, unchecked; in Python do nothing."""


@intrinsic  # type: ignore[untyped-decorator]  # numba is not typed
def _prefetch(_context: Any, words: Any, index: Any) -> Any:
    """Emit LLVM's prefetch instruction for `words[index]`, by the flat index; for compiled code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Append the instruction to the code that Numba builds; return the value of a call without a result."""
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        for_reading, into_all_caches, of_data = number(0), number(3), number(1)
        builder.call(call, [place, for_reading, into_all_caches, of_data])
        return context.get_dummy_value()

    return types.void(words, index), generate


@overload(prefetch, strict=False, jit_options=NO_ALLOC)  # type: ignore[untyped-decorator]  # numba is not typed
def _prefetch_compiled(words: Any, index: Any) -> Any:
    """Return the function that compiled code calls instead of `prefetch`."""
    return lambda words, index: _prefetch(words, index)  # noqa: PLW0108  # an overload is a plain function
