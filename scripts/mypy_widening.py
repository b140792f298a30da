"""A plugin for mypy: `np.int64(...)` is an int, as it is to all compiled code and to every caller of it.

The rules widen narrow fields with np.int64 so that interpreted and compiled arithmetic agree; numpy's own type for it
is no int, and each such line would need an exemption.
"""

from collections.abc import Callable

from mypy.plugin import FunctionContext, Plugin
from mypy.types import Type


def _as_int(context: FunctionContext) -> Type:
    return context.api.named_generic_type("builtins.int", [])


class Widening(Plugin):
    """Give the constructor another type of result."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Answer for the one class that the alias np.int64 stands for."""
        return _as_int if fullname in {"numpy.int64", "numpy.signedinteger"} else None


def plugin(version: str) -> type[Plugin]:
    """Hand the plugin to mypy of any version."""
    del version
    return Widening
