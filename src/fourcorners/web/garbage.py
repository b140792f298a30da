"""Garbage collection in small steps, so that nobody's move waits for it."""

import gc
import sys
import threading
import time

YOUNG = 1_500
"""New objects after which a step looks at them, in one to three milliseconds."""
YOUNG_EVERY = 10
"""Steps, ten a second, after which new objects are looked at however few there seem to be: Python counts an object less
for each that is freed, old ones included, so while others take their places the count stays low.
"""
OLD_STEPS = 3
"""After so many steps, those that have survived are looked at once more, in less than ten milliseconds. Then they are
frozen, which means never looked at again, so that this takes as long with thousands of tables as with ten.
"""
GROWTH, EXCESS = 200_000, 2_000_000
"""Blocks of memory added since the last complete collection, after which there is another one: when the process has
little to do, or at any time. Only garbage that refers to itself, and was used for seconds before, waits for that.
An object takes one to three blocks. To count them is quick; to count the frozen objects, Python walks through them all.
"""
QUIET_SHARE = 0.02
"""The share of a core that a process uses at most when it has little to do."""
_STEP_EVERY = 0.1
STEPS_PER_MINUTE = 600


class GarbageCollector:
    """Replaces Python's own collections, which interrupt a server with thousands of sockets for hundreds of
    milliseconds. Only `step` collects; most memory is freed without it, because nothing refers to it any more.
    """

    def __init__(self) -> None:
        """Switch Python's collections off, and freeze everything that exists: it is needed until the end."""
        gc.disable()
        gc.collect()
        gc.freeze()
        self._blocks = sys.getallocatedblocks()  # after the last complete collection
        self._young_steps = 0
        self._last_young_step = 0
        self._steps = 0
        self._processor_seconds = time.process_time()

    def start(self) -> None:
        """Step until the process ends, in a thread."""
        threading.Thread(target=self._run, name="collector", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(_STEP_EVERY)
            self.step()

    def step(self) -> None:
        """Collect a little if enough is new, or after a second. Once a minute, consider a complete collection."""
        self._steps += 1
        if gc.get_count()[0] >= YOUNG or self._steps - self._last_young_step >= YOUNG_EVERY:
            self._last_young_step = self._steps
            self._young_steps += 1
            if self._young_steps % OLD_STEPS:
                gc.collect(0)
            else:
                gc.collect(1)
                gc.freeze()
        if self._steps % STEPS_PER_MINUTE == 0:
            before, self._processor_seconds = self._processor_seconds, time.process_time()
            share = (self._processor_seconds - before) / 60.0
            growth = sys.getallocatedblocks() - self._blocks
            if growth >= (GROWTH if share <= QUIET_SHARE else EXCESS):
                self._collect_all()

    def _collect_all(self) -> None:
        """Look at everything, and freeze what is alive."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._blocks = sys.getallocatedblocks()
