"""Who sends little goes first, addresses take turns, and a turn of the event loop is short."""

import asyncio

import pytest

from fourcorners.web.wire import fair_queue
from fourcorners.web.wire.allowance import Allowance, Rate, SharedAllowances
from fourcorners.web.wire.fair_queue import FairQueue, Rotation


class Worker:
    """A member that has some pieces of work, each of which takes a millisecond of the fake time."""

    def __init__(self, name: str, pieces: int, log: list[str], *, light: bool = False) -> None:
        self.address = name[0]
        self.is_queued = False
        self.is_light = light
        self._name, self._pieces, self._log = name, pieces, log

    def advance(self) -> bool:
        self._log.append(self._name)
        FakeTime.now += 0.001
        self._pieces -= 1
        return self._pieces > 0


class FakeTime:
    now = 1.0


@pytest.fixture(autouse=True)
def _fake_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourcorners.web.wire.fair_queue.time.perf_counter", lambda: FakeTime.now)


async def work_off(queue: FairQueue, log: list[str], *members: Worker) -> list[str]:
    """Queue members, and let the event loop turn until nothing is left; add "|" to the log for each turn."""
    for member in members:
        queue.add(member)
    while any(member.is_queued for member in members):
        await asyncio.sleep(0)
        log.append("|")
    return log


def test_light_members_go_before_heavy_ones_and_every_turn_is_short() -> None:
    log: list[str] = []
    members = [Worker("a1", 4, log), Worker("a2", 4, log), Worker("b1", 3, log, light=True)]
    asyncio.run(work_off(FairQueue(), log, *members))
    turns = " ".join(log).split(" | ")
    assert turns[0].startswith("b1 b1 b1 a1")
    assert all(turn.count("a") <= 2 for turn in turns)
    assert " ".join(log).count("a") == 8


def test_addresses_take_turns_however_many_members_they_have() -> None:
    log: list[str] = []
    members = [*(Worker(f"a{number}", 3, log) for number in range(5)), Worker("b0", 3, log)]
    asyncio.run(work_off(FairQueue(), log, *members))
    order = [name for name in log if name != "|"]
    assert order[:6] == ["a0", "b0", "a1", "b0", "a2", "b0"]


def test_turn_ends_with_a_piece_that_starts_something_longer() -> None:
    log: list[str] = []
    queue = FairQueue()

    class Starter(Worker):
        def advance(self) -> bool:
            queue.end_turn()
            return super().advance()

    asyncio.run(work_off(queue, log, Starter("a1", 2, log), Starter("b1", 1, log)))
    assert log == ["a1", "|", "b1", "|", "a1", "|"]


def test_member_is_queued_only_once() -> None:
    log: list[str] = []
    member = Worker("a1", 1, log)
    asyncio.run(work_off(FairQueue(), log, member, member))
    assert log.count("a1") == 1


def test_work_at_once_is_limited_and_allowed_again_after_a_while() -> None:
    queue = FairQueue()
    done = 0
    while began := queue.enter():
        FakeTime.now += 0.001
        queue.leave(began)
        done += 1
    assert done == pytest.approx(fair_queue._CREDIT / 0.001 / (1 - fair_queue._SHARE), abs=2)
    FakeTime.now += 0.01
    assert queue.enter()


def test_rotation_is_empty_after_everybody_has_been_taken() -> None:
    rotation = Rotation()
    log: list[str] = []
    for name in ("a1", "a2", "b1"):
        rotation.add(Worker(name, 1, log))
    assert [rotation.pop().address for _ in range(3)] == ["a", "b", "a"]
    assert not rotation


def test_allowance_refills_with_time_up_to_what_may_be_sent_at_once() -> None:
    allowance = Allowance(Rate(10, 2, 100, 50))
    now = allowance.used_at
    assert allowance.spend(10, 10, now) and not allowance.is_light
    assert not allowance.spend(1, 0, now)
    assert allowance.spend(1, 0, now + 2.0)
    assert allowance.spend(10, 0, now + 1000.0)
    assert not allowance.spend(0, 101, now + 1000.0)


def test_shared_allowances_of_those_who_have_left_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("fourcorners.web.wire.allowance.time.perf_counter", lambda: now)
    shared = SharedAllowances(Rate(1, 1, 1, 1))
    kept = shared.find("kept")
    for number in range(998):
        shared.find(f"{number}")
    now += 61.0
    kept.spend(0, 0, now)
    shared.find("new")
    assert list(shared._allowances) == ["kept", "new"]
    assert shared.find("kept") is kept
