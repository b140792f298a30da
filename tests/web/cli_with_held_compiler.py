"""The `fourcorners` command with a process that compiles nothing, and that seems to be at it while there is a file.

The environment variable HELD_BY names this file. Then the server takes everything as compiled, without loading
anything. With NUMBA_DISABLE_JIT it waits for that all the same, but then needs nothing of it.
"""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fourcorners.cli import main
from fourcorners.web.engine import warmup


def start_process(game: str) -> subprocess.Popen[bytes]:
    """Start a process that seems to compile a game, whose id is then in the file `compiling` beside HELD_BY."""
    Path(os.environ["HELD_BY"]).with_name("compiling").write_text(game)
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


if __name__ == "__main__":
    hold = Path(os.environ["HELD_BY"])
    stand_in: Any = warmup
    stand_in._start_process = start_process
    stand_in.is_done = lambda _: not hold.exists()
    stand_in.run_step = lambda _: None
    stand_in.config = SimpleNamespace(DISABLE_JIT=0)
    main()
