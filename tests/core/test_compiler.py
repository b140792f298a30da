"""What Numba compiles, and how often: counts that the time of compilation depends on."""

from typing import Any

import numba
import numpy as np
import pytest
from numba.core import codegen, event
from numba.core.errors import NumbaError

from fourcorners.core import compiler, jit

pytestmark = pytest.mark.compiled


class CompiledFunctions(event.Listener):  # type: ignore[misc]  # numba is not typed
    """The names of the functions that Numba compiles while this listens, in order, with repetitions."""

    def __init__(self) -> None:
        """Begin with none."""
        self.names: list[str] = []

    def on_start(self, found: event.Event) -> None:
        """Note a function."""
        self.names.append(found.data["dispatcher"].py_func.__name__)

    def on_end(self, found: event.Event) -> None:
        """Do nothing."""


def count_up_to(limit: int) -> Any:
    return np.arange(limit).sum()


def call_by_name(limit: int) -> int:
    return int(count_up_to(limit))


def call_stub(limit: int) -> int:
    raise NotImplementedError


def add_both(limit: int) -> int:
    return call_by_name(limit) + call_stub(limit) + int(count_up_to(limit))


@pytest.fixture(scope="module")
def function_registry() -> None:
    """Register the functions above."""
    jit.jitable(count_up_to)
    jit.jitable_no_alloc(call_by_name)
    compiler.redirect(call_stub, lambda _: count_up_to)


@pytest.fixture
def machine_coded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the functions of which machine code is made during the test, in order."""
    names: list[str] = []
    finalise = codegen.JITCodeLibrary._finalize_final_module

    def note_and_finalise(library: Any) -> None:
        """Note the name, then make machine code."""
        names.append(library.name)
        finalise(library)

    monkeypatch.setattr(codegen.JITCodeLibrary, "_finalize_final_module", note_and_finalise)
    return names


def make_kernel() -> Any:
    return compiler.create_kernel(add_both, compiler.FLAGS)


@pytest.mark.usefixtures("function_registry")
def test_function_is_compiled_once_for_callers_with_other_flags_and_for_a_stub() -> None:
    listener = CompiledFunctions()
    with event.install_listener("numba:compile", listener):
        assert make_kernel()(4) == 18
        assert make_kernel()(5) == 30
    assert sorted(name for name in listener.names if name in {"count_up_to", "call_by_name", "add_both"}) == [
        "add_both",
        "add_both",
        "call_by_name",
        "count_up_to",
    ]


@pytest.mark.usefixtures("function_registry")
def test_machine_code_is_made_of_kernels_only(machine_coded: list[str]) -> None:
    assert make_kernel()(6) == 45
    assert machine_coded == ["add_both"]


def sort_descending(limit: int) -> Any:
    return -np.sort(-np.arange(limit))


@pytest.mark.parametrize("runs_rarely", [False, True])
def test_functions_of_other_packages_call_those_of_numba_that_kernels_have_compiled(*, runs_rarely: bool) -> None:
    ours = compiler.create_kernel(sort_descending, compiler.FLAGS, runs_rarely=runs_rarely)
    assert ours(3).tolist() == [2, 1, 0]
    theirs = numba.njit(sort_descending)
    assert theirs(4).tolist() == [3, 2, 1, 0]


def is_even(number: int) -> bool:
    return number == 0 or is_odd(number - 1)


def is_odd(number: int) -> bool:
    return number != 0 and is_even(number - 1)


def test_functions_that_call_each_other_are_not_compiled() -> None:
    jit.jitable(is_even)
    jit.jitable(is_odd)
    with pytest.raises((NumbaError, NotImplementedError)):
        compiler.create_kernel(is_even, compiler.FLAGS)(4)
