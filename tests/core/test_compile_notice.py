"""The sentence for people who wait: when it is said, and what it names."""

import logging
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compile_notice
from fourcorners.core.compile_notice import CompileNotice


class Pair(NamedTuple):
    """Arrays that a kernel takes as one argument."""

    states: Any
    counts: Any


def compile_at(
    notice: CompileNotice, clock: list[float], *, begin: float, end: float, arguments: tuple[Any, ...]
) -> None:
    """Have the notice hear that a function of the package is compiled from `begin` to `end`, in seconds."""
    function = SimpleNamespace(py_func=SimpleNamespace(__module__="fourcorners.solvers.anything"))
    clock[0] = begin
    notice.on_start(SimpleNamespace(data={"dispatcher": function, "args": arguments}))
    clock[0] = end
    notice.on_end(SimpleNamespace(data={}))


def test_every_wait_is_announced_once_with_the_game_that_is_compiled(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = [0.0]
    monkeypatch.setattr(compile_notice, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    states, notice = fc.game("square-off").start().states, CompileNotice()
    counts = np.zeros(1, np.int64)
    with caplog.at_level(logging.WARNING, compile_notice.__name__):
        compile_at(notice, clock, begin=1.0, end=40.0, arguments=(numba.typeof(states),))
        # The same call needs another function, for which nothing new is said.
        compile_at(notice, clock, begin=45.0, end=50.0, arguments=(numba.typeof(counts),))
        assert [record.args for record in caplog.records] == [("Square Off",)]
        # Someone has read the answer and asks for more, such as to solve a larger position.
        compile_at(notice, clock, begin=61.0, end=62.0, arguments=(numba.typeof(Pair(states, counts)),))
        compile_at(notice, clock, begin=100.0, end=101.0, arguments=(numba.typeof(counts),))
    assert [record.args for record in caplog.records] == [("Square Off",), ("Square Off",), ("a search",)]
