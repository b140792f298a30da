"""Short calls of kernels."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from fourcorners.core.jit import Kernel


class BoundKernels:
    """Calls kernels, each always with arguments of the same types, which only its first call has to find."""

    def __init__(self) -> None:
        self._functions: dict[Kernel[..., Any], Callable[..., Any]] = {}

    def __call__(self, kernel: Kernel[..., Any], *args: Any) -> Any:
        """Call a kernel with positional arguments."""
        function = self._functions.get(kernel)
        if function is not None:
            return function(*args)
        result = kernel(*args)
        self._functions[kernel] = kernel.bind(*args)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundKernels, ()


@cache
def bind_kernels(dtype: np.dtype[np.void]) -> BoundKernels:
    """Return the one object that calls kernels with a record, (1,), of this dtype."""
    return BoundKernels()
