"""The compilation of the project's functions by Numba: each once, with machine code only for kernels.

By default, Numba links all callees into each function, optimises both and makes machine code, again at every level; and
it compiles a function again for callers with other flags, and for each name by which it is called. The figures are in
docs/decisions/compile-time.md. This module overrides non-public methods of Numba; `tests/core/test_compiler.py` fails
if a version of Numba no longer calls them.
"""

import gc
from collections.abc import Callable, Iterable
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
"""Flags for functions that create no arrays: without its runtime, Numba does not count references to their arguments.

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

    If it returns None, the call cannot be compiled. An unregistered function is compiled with FLAGS. Every function is
    compiled once for each combination of types, regardless of the kind of call.
    """

    class Template(AbstractTemplate):  # type: ignore[misc]  # numba is not typed
        """The template by which Numba finds the types and the code of a call."""

        key = name

        def generic(self, args: Any, kws: Any) -> Any:
            """Return the signature of a call and compile the function, or return None if there is no function."""
            function = find(*args)
            if function is None:
                return None
            self.found = types.Dispatcher(_find_dispatcher(function, (args, tuple(kws.items()))))
            return self.found.get_call_type(self.context, args, kws)

        def get_impl_key(self, sig: Any) -> Any:
            """Return the key of the compiled code in Numba."""
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


def create_kernel(function: Callable[..., Any], flags: dict[str, Any], *, runs_rarely: bool = False) -> Any:
    """Return a new dispatcher of a function that Python calls, to be compiled with these flags.

    One that runs rarely is optimised less, which saves up to a second.
    """
    compiler = _RareKernelCompiler if runs_rarely else _KernelCompiler
    return numba.njit(pipeline_class=compiler, no_cfunc_wrapper=True, **flags)(function)


class _Part(JITCodeLibrary):  # type: ignore[misc]  # numba is not typed
    """The code of a function that only compiled code calls, optimised without the functions that it calls."""

    def __init__(self, codegen: Any, name: str) -> None:
        """Create a library without dependencies; Numba passes its code generator and the function's name."""
        super().__init__(codegen, name)
        self._complete_module: Any = None
        self.needed: dict[Any, None] = {}
        """The libraries of all functions called from here, directly or not: complete when this one is complete."""

    def add_linking_library(self, library: Any) -> None:
        """Note that this part needs a library, which must be complete, and that library's dependencies."""
        library._ensure_finalized()  # noqa: SLF001
        self._reload_init.update(library._reload_init)  # noqa: SLF001
        self.needed.update(getattr(library, "needed", {}))
        self.needed[library] = None

    def _optimize_functions(self, module: Any) -> None:
        """Skip Numba's first optimisation: the part is optimised as a whole when it is complete."""
        module.data_layout = self._codegen._data_layout  # noqa: SLF001

    def _optimize_final_module(self) -> None:
        """Optimise the part."""
        passes, builder = self._codegen._module_pass_manager()  # noqa: SLF001
        passes.run(self._final_module, builder)

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

    def _get_module_for_linking(self) -> Any:
        """Return the part with all it needs, for functions of other packages that call the same function of Numba's."""
        self._ensure_finalized()
        if self._complete_module is None:
            module = self._final_module.clone()
            _link(module, self.needed)
            for function in module.functions:
                if not function.is_declaration:
                    function.linkage = "linkonce_odr"
            self._complete_module = module
        return self._complete_module


class _KernelLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba is not typed
    """The code of a kernel, into which all parts that it needs are linked once, and which is then optimised."""

    def add_linking_library(self, library: Any) -> None:
        """Note a library, which must be complete, to be linked into the kernel with its dependencies."""
        for each in (*getattr(library, "needed", ()), library):
            super().add_linking_library(each)

    def finalize(self) -> None:
        """Complete the kernel, and make machine code."""
        libraries: list[Any] = self._linking_libraries
        parts = dict.fromkeys(library for library in libraries if isinstance(library, _Part))
        self._linking_libraries: list[Any] = [library for library in libraries if library not in parts]
        own = {function.name for function in self._final_module.functions if not function.is_declaration}
        _link(self._final_module, parts)
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in own:
                # LLVM inlines internal functions more freely, and deletes unused ones at once.
                function.linkage = "internal"
        super().finalize()


class _RareKernelLibrary(_KernelLibrary):
    """The code of a kernel that runs rarely."""

    def _optimize_final_module(self) -> None:
        """Optimise as little as possible, since each part is optimised already."""
        passes, builder = self._codegen._module_pass_manager(opt=0)  # noqa: SLF001
        passes.run(self._final_module, builder)


def _link(module: Any, libraries: Iterable[Any]) -> None:
    """Link the modules of libraries (of parts, without dependencies) into a module; keep the libraries unchanged."""
    for library in libraries:
        own = library._final_module if isinstance(library, _Part) else library._get_module_for_linking()  # noqa: SLF001
        module.link_in(own, preserve=True)


class _KernelCompiler(Compiler):  # type: ignore[misc]  # numba is not typed
    """Numba's compiler for a function that Python calls, with its callees as parts."""

    library = _KernelLibrary

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile a kernel and return Numba's result; needs Numba's lock of the compiler."""
        codegen = self.state.targetctx.codegen()
        self.state.library = self.library(codegen, func.__qualname__)
        self.state.library.enable_object_caching()
        before = codegen._library_class  # noqa: SLF001
        codegen._library_class = _Part  # noqa: SLF001
        collects_garbage = gc.isenabled()
        gc.disable()  # it takes a tenth of the time and finds little: Numba keeps what it makes
        try:
            result = super().compile_extra(func)
        finally:
            codegen._library_class = before  # noqa: SLF001
            if collects_garbage:
                gc.enable()
        for environment in result._find_referenced_environments():  # noqa: SLF001
            codegen.set_env(environment.env_name, environment)
        return result

    def define_pipelines(self) -> Any:
        """Return Numba's own passes; first let Numba's own functions be compiled as for callers that are parts."""
        flags = ConfigStack().top()
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return super().define_pipelines()


class _RareKernelCompiler(_KernelCompiler):
    """Numba's compiler for a kernel that runs rarely."""

    library = _RareKernelLibrary
