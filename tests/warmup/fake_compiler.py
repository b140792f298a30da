"""A program that answers like `fourcorners.warmup.worker`, but compiles nothing: `fake_compiler.py FOLDER`.

It appends each step to the file `log` in the folder, with its process id. A file `hold` there keeps it from answering,
a file `fail-GAME-STEP` makes it answer with an error, and one `crash-GAME-STEP` ends it, once.
"""

import os
import sys
import threading
import time
from pathlib import Path


def main(folder: Path) -> None:
    """Answer the lines of the input."""
    parent = os.getppid()
    lines = iter(sys.stdin.readline, "")
    for line in lines:
        game, name = line.split()
        with (folder / "log").open("a") as log:
            log.write(f"{game} {name} {os.getpid()}\n")
        crash = folder / f"crash-{game}-{name}"
        if crash.exists():
            crash.unlink()
            os._exit(9)
        while (folder / "hold").exists() and os.getppid() == parent:
            time.sleep(0.01)
        if os.getppid() != parent:
            return
        sys.stdout.write("out of memory\n" if (folder / f"fail-{game}-{name}").exists() else "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    # It must not outlive a test that fails.
    threading.Timer(60, lambda: os._exit(1)).start()
    main(Path(sys.argv[1]))
    os._exit(0)
