"""The `fourcorners` command with processes that compile nothing, and that wait while a folder has a file `hold`.

The environment variable FAKE_COMPILERS names this folder. The server takes their steps as done, without loading
anything. With NUMBA_DISABLE_JIT it waits for them all the same, but then needs nothing of them.
"""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from fourcorners.cli import main
from fourcorners.warmup import compiler_pool
from fourcorners.web.engine import warmup
from tests.warmup import fake_compiler


def start_fake_compiler() -> subprocess.Popen[str]:
    """Start a process that answers like one that compiles."""
    return subprocess.Popen(
        [sys.executable, str(Path(fake_compiler.__file__)), os.environ["FAKE_COMPILERS"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


if __name__ == "__main__":
    compiler_pool._start_process = start_fake_compiler
    warmup.run_step = lambda step: None  # type: ignore[attr-defined]  # noqa: ARG005  # imported there
    warmup.config = SimpleNamespace(DISABLE_JIT=0)  # type: ignore[attr-defined]  # imported there
    main()
