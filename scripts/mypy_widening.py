"""A mypy plugin that gives `np.int64(...)` the type int, which it is in compiled code.

The rules widen narrow fields with np.int64, so that interpreted and compiled arithmetic agree. NumPy's stubs do not
derive np.int64 from int, so without the plugin each of these lines would need an exemption.
"""

from collections.abc import Callable

from mypy.plugin import FunctionContext, Plugin
from mypy.types import Type


def _return_int(context: FunctionContext) -> Type:
    """Return the type int, whatever the call."""
    return context.api.named_generic_type("builtins.int", [])


class Widening(Plugin):
    """Changes the result type of the constructor of np.int64."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Return the hook for np.int64, which is an alias of numpy.signedinteger, and None for all other functions."""
        return _return_int if fullname in {"numpy.int64", "numpy.signedinteger"} else None


def plugin(version: str) -> type[Plugin]:
    """Return the plugin; mypy calls this with its version."""
    del version
    return Widening
