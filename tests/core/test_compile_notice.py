"""The sentence for people who wait: when it is said, and that it names no game."""

import logging
from types import SimpleNamespace

import pytest

from fourcorners.core import compile_notice
from fourcorners.core.compile_notice import CompileNotice


def compile_at(notice: CompileNotice, clock: list[float], *, begin: float, end: float) -> None:
    """Have the notice hear that a function of the package is compiled from `begin` to `end`, in seconds."""
    function = SimpleNamespace(py_func=SimpleNamespace(__module__="fourcorners.solvers.anything"))
    clock[0] = begin
    notice.on_start(SimpleNamespace(data={"dispatcher": function}))
    clock[0] = end
    notice.on_end(SimpleNamespace(data={}))


def test_every_wait_is_announced_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    clock = [0.0]
    monkeypatch.setattr(compile_notice, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    notice = CompileNotice()
    with caplog.at_level(logging.WARNING, compile_notice.__name__):
        compile_at(notice, clock, begin=1.0, end=40.0)
        # The same call needs another function, for which nothing new is said.
        compile_at(notice, clock, begin=45.0, end=50.0)
        assert len(caplog.records) == 1
        # Someone has read the answer and asks for more, such as to solve a larger position.
        compile_at(notice, clock, begin=61.0, end=62.0)
        compile_at(notice, clock, begin=100.0, end=101.0)
    # Games share code, so no game is named: it could be one that no one chose.
    sentence = "Compiling for this computer, once for each game and kind of search; it may take a minute"
    assert [record.getMessage().partition(" (")[0] for record in caplog.records] == [sentence] * 3
