"""How Numba compiles the project's functions: each once, and machine code only for the kernels that Python calls.

Left alone, Numba optimises each function in full and makes machine code of it, links it into each caller and does the
same there; and it compiles a function again for callers with other flags, and for each name that it is called by. The
figures are in docs/decisions/compile-time.md. This module overrides methods of Numba that are not public;
`tests/core/test_compiler.py` fails if a version of Numba no longer calls them.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import AbstractTemplate, infer_global

_UNRESOLVED = RuntimeLinker.PREFIX
FLAGS = {"nogil": True, "error_model": "numpy", "_nrt": True}
NO_ALLOC = FLAGS | {"_nrt": False}
"""For functions that create no arrays: without its runtime Numba does not count references to their arguments.

Each count is an atomic instruction. In small functions these take a quarter of the time, and they slow other threads.
"""
_flags: dict[Callable[..., Any], dict[str, Any]] = {}
_dispatchers: dict[Any, Any] = {}


def register(function: Callable[..., Any], flags: dict[str, Any]) -> None:
    """Let compiled code call a function, which Numba then compiles with these flags."""
    _flags[function] = flags
    redirect(function, lambda *_: function)


def redirect(name: Callable[..., Any], find: Callable[..., Callable[..., Any] | None]) -> None:
    """Let compiled code that calls `name` call the function that `find` returns for the types of the arguments.

    If it returns None, the call cannot be compiled. A function that is not registered is compiled with FLAGS. However a
    function is called, it is compiled once for each combination of types.
    """

    class Template(AbstractTemplate):  # type: ignore[misc]  # numba is not typed
        """What Numba asks for the types of a call and for the code to call."""

        key = name

        def generic(self, args: Any, kws: Any) -> Any:
            """Return the signature of a call and compile the function, or return None if there is no function."""
            function = find(*args)
            if function is None:
                return None
            self.found = types.Dispatcher(_find_dispatcher(function, (args, tuple(kws.items()))))
            return self.found.get_call_type(self.context, args, kws)

        def get_impl_key(self, sig: Any) -> Any:
            """Return what Numba finds the compiled code by."""
            return self.found.get_overload(sig)

    infer_global(name, types.Function(Template))


def _find_dispatcher(function: Callable[..., Any], arguments: Any) -> Any:
    """Return the one dispatcher of a function for the types of its arguments; needs Numba's lock of the compiler.

    A dispatcher for several types would also try what it has compiled for others, such as a record with fewer fields.
    """
    if (function, arguments) not in _dispatchers:
        flags = _flags.get(function, FLAGS)
        dispatcher = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)(function)
        _dispatchers[function, arguments] = dispatcher
    return _dispatchers[function, arguments]


def create_kernel(function: Callable[..., Any], flags: dict[str, Any]) -> Any:
    """Return a new dispatcher of a function that Python calls, to be compiled with these flags."""
    return numba.njit(pipeline_class=_KernelCompiler, no_cfunc_wrapper=True, **flags)(function)


class _Part(JITCodeLibrary):  # type: ignore[misc]  # numba is not typed
    """The code of a function that only compiled code calls: optimised, and linked into its callers.

    Optimising it only in its callers saves a tenth of the time, but makes random games up to 6% and batches up to 40%
    slower: LLVM inlines by the size of a function.
    """

    @property
    def codegen(self) -> Any:
        """The object whose `set_env` Numba calls; a part has no place for an environment, a kernel has those of all."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: the kernel sets it."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, Numba's word for a function that Python cannot call, once the part is complete."""
        self._ensure_finalized()
        return 0

    def _finalize_final_module(self) -> None:
        """Complete the part without machine code. Raise NotImplementedError for functions that call each other."""
        if any(value.name.startswith(_UNRESOLVED) for value in self._final_module.global_variables):
            raise NotImplementedError(f"{self.name} and another function call each other")
        self._finalize_dynamic_globals()
        self._finalized = True


class _KernelCompiler(Compiler):  # type: ignore[misc]  # numba is not typed
    """Numba's compiler for a function that Python calls, with all that it calls as parts."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile a kernel and return Numba's result; needs Numba's lock of the compiler."""
        codegen = self.state.targetctx.codegen()
        self.state.library = JITCodeLibrary(codegen, func.__qualname__)
        self.state.library.enable_object_caching()
        before = codegen._library_class  # noqa: SLF001
        codegen._library_class = _Part  # noqa: SLF001
        try:
            result = super().compile_extra(func)
        finally:
            codegen._library_class = before  # noqa: SLF001
        for environment in result._find_referenced_environments():  # noqa: SLF001
            codegen.set_env(environment.env_name, environment)
        return result

    def define_pipelines(self) -> Any:
        """Return Numba's own passes; first let Numba's own functions be compiled as for callers that are parts."""
        flags = ConfigStack().top()
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return super().define_pipelines()
