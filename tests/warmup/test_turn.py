"""Only one at a time has the turn to compile."""

from pathlib import Path

import pytest

from fourcorners.warmup import turn as turns
from fourcorners.warmup.turn import Turn


@pytest.fixture(autouse=True)
def _own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the lock apart from that of servers which compile on this machine."""
    monkeypatch.setattr(turns, "find_turn_lock", lambda: tmp_path / "turn.lock")


def test_a_second_turn_begins_when_the_first_one_ends() -> None:
    first, second = Turn(), Turn()
    first.request()
    assert first.wait(30)
    second.request()
    assert not second.wait(0.05)
    first.end()
    assert second.wait(30)
    second.end()


def test_a_turn_that_is_no_longer_wanted_keeps_nobody_waiting() -> None:
    first, unwanted, third = Turn(), Turn(), Turn()
    first.request()
    assert first.wait(30)
    unwanted.request()
    unwanted.end()
    third.request()
    first.end()
    assert third.wait(30)
    third.end()


def test_without_a_cache_everybody_has_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise OSError("no cache")

    monkeypatch.setattr(turns, "find_turn_lock", fail)
    for _ in range(2):
        turn = Turn()
        turn.request()
        assert turn.wait(30)
