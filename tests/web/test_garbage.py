"""Garbage is collected in small steps; a complete collection waits until there is little to do."""

import gc
import sys
import time
import weakref
from collections.abc import Iterator

import pytest

from fourcorners.web import garbage
from fourcorners.web.garbage import EXCESS, GROWTH, OLD_STEPS, STEPS_PER_MINUTE, YOUNG, YOUNG_EVERY, GarbageCollector


class FakeHeap:
    """Stands for the module `gc`: it counts objects and notes what is done, with the number of objects looked at."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int]] = []
        self.generations = [0, 0, 300_000]
        self.frozen = 0
        self.disable = self.enable = lambda: None

    def get_count(self) -> tuple[int, int, int]:
        return self.generations[0], 0, 0

    def count_blocks(self) -> int:
        """Return the memory in use, of which each object takes one block."""
        return self.frozen + sum(self.generations)

    def collect(self, generation: int = 2) -> None:
        """Find no garbage: everything survives."""
        survivors = sum(self.generations[: generation + 1])
        self.done.append((f"collect {generation}", survivors))
        self.generations[: generation + 1] = [0] * (generation + 1)
        self.generations[min(2, generation + 1)] += survivors

    def freeze(self) -> None:
        self.frozen += sum(self.generations)
        self.generations = [0, 0, 0]

    def unfreeze(self) -> None:
        self.generations[2] += self.frozen
        self.frozen = 0


@pytest.fixture
def heap(monkeypatch: pytest.MonkeyPatch) -> FakeHeap:
    """A heap of objects of which none dies, and a collector's view of it."""
    fake = FakeHeap()
    monkeypatch.setattr(garbage, "gc", fake)
    monkeypatch.setattr(sys, "getallocatedblocks", fake.count_blocks)
    return fake


def set_processor_seconds(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Set the processor time of this process."""
    monkeypatch.setattr(time, "process_time", lambda: seconds)


def test_no_step_looks_at_more_objects_however_many_there_are(heap: FakeHeap) -> None:
    collector = GarbageCollector()
    heap.done.clear()
    for _ in range(200):
        heap.generations[0] += YOUNG
        collector.step()
    assert heap.frozen > 300_000 + 200 * YOUNG - OLD_STEPS * YOUNG
    assert max(count for _, count in heap.done) <= OLD_STEPS * YOUNG
    # Each object is looked at twice.
    assert sum(count for _, count in heap.done) <= 2 * 200 * YOUNG


def test_little_that_is_new_waits_for_a_second(heap: FakeHeap) -> None:
    collector = GarbageCollector()
    heap.done.clear()
    heap.generations[0] = YOUNG - 1
    for _ in range(YOUNG_EVERY - 1):
        collector.step()
    assert heap.done == []
    collector.step()
    assert heap.done == [("collect 0", YOUNG - 1)]


@pytest.mark.parametrize(
    ("growth", "seconds", "is_complete"),
    [(GROWTH, 0.0, True), (GROWTH - 1, 0.0, False), (GROWTH, 30.0, False), (EXCESS, 30.0, True)],
)
def test_everything_is_looked_at_when_much_was_frozen_and_there_is_little_to_do_or_very_much_was_frozen(
    heap: FakeHeap, monkeypatch: pytest.MonkeyPatch, growth: int, seconds: float, is_complete: bool
) -> None:
    set_processor_seconds(monkeypatch, 0.0)
    collector = GarbageCollector()
    heap.done.clear()
    heap.frozen += growth
    set_processor_seconds(monkeypatch, seconds)
    for _ in range(STEPS_PER_MINUTE):
        collector.step()
    complete = [("collect 2", 300_000 + growth)] * is_complete
    assert [each for each in heap.done if each[1]] == complete
    assert heap.frozen == 300_000 + growth
    if is_complete:
        # Once is enough, until as much is frozen again.
        for _ in range(STEPS_PER_MINUTE):
            collector.step()
        assert [each for each in heap.done if each[1]] == complete


@pytest.fixture
def _restored_collector() -> Iterator[None]:
    """Give Python's collector back at the end."""
    yield
    gc.unfreeze()
    gc.enable()


class Node:
    """An object that can refer to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("_restored_collector")
def test_garbage_that_refers_to_itself_is_freed_also_if_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    set_processor_seconds(monkeypatch, 0.0)
    collector = GarbageCollector()
    old = [Node() for _ in range(GROWTH)]
    for _ in range(OLD_STEPS):
        old += [Node() for _ in range(YOUNG)]
        collector.step()
    first = weakref.ref(old[0])
    del old
    assert first() is not None
    for _ in range(STEPS_PER_MINUTE):
        collector.step()
    assert first() is None


class Item:
    """An object that refers to nothing."""


@pytest.mark.usefixtures("_restored_collector")
def test_objects_that_take_the_places_of_others_are_looked_at_as_well() -> None:
    collector = GarbageCollector()
    items = [Item() for _ in range(10_000)]
    collector.step()
    cycle = weakref.ref(Node())
    sizes = []
    for step in range(10 * YOUNG_EVERY):
        for place in range(100 * step, 100 * step + 100):
            items[place % len(items)] = Item()
        # Python has counted hardly anything, because as many have been freed.
        assert gc.get_count()[0] < YOUNG
        sizes.append(len(gc.get_objects(generation=0)))
        collector.step()
    assert cycle() is None
    # A step looks at what has come since the one before.
    assert max(sizes[YOUNG_EVERY:]) <= 2 * 100 * YOUNG_EVERY
