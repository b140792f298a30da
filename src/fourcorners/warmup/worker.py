"""The program of a process that compiles steps: `python -m fourcorners.warmup.worker`.

It reads one step on each line of its input, a game's id and the step's name, and answers each with a line: empty, or
what went wrong. It ends when its input does, even while it compiles: so it never outlives the process that started it.
"""

import gc
import logging
import os
import queue
import signal
import sys
import threading

from fourcorners.core import kernel_cache
from fourcorners.warmup.steps import Step, find_lock, is_done, mark_done, run_step

_NICENESS = 5
_GC_THRESHOLDS = (100_000, 20, 100)
"""With Python's defaults, a twentieth of the time goes into looking for garbage among what the compiler keeps."""


def main() -> None:
    """Run the steps that the input names, at a low priority, until the input ends; Ctrl-C is for the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*_GC_THRESHOLDS)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    logging.getLogger("fourcorners").setLevel(logging.ERROR)  # nobody need be told that this process compiles
    # What code prints must not be taken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    steps: queue.SimpleQueue[Step] = queue.SimpleQueue()
    threading.Thread(target=_read_steps, args=(steps,), daemon=True).start()
    while True:
        print(_run(steps.get()), file=answers, flush=True)


def _read_steps(steps: queue.SimpleQueue[Step]) -> None:
    """Put the steps on the lines of the input into a queue, and end the process with the input; runs in a thread."""
    for line in sys.stdin:
        steps.put(Step(*line.split()))
    os._exit(0)


def _run(step: Step) -> str:
    """Run a step unless another process has done so; return what went wrong on one line, or ""."""
    try:
        # Servers that share a cache wait here for each other, instead of compiling the same.
        with kernel_cache.hold_lock(find_lock(step)):
            if not is_done(step):
                run_step(step)
                mark_done(step)
    except Exception as error:  # noqa: BLE001  # it is reported to the parent process
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


if __name__ == "__main__":
    main()
