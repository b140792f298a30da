"""The `fourcorners` command for tests: it compiles nothing in advance, and takes the lease from FOURCORNERS_LEASE."""

import os

from fourcorners.cli import main
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.realtime import computer_turns

if __name__ == "__main__":
    Warmup.start = lambda self: self.done.set_result(None)  # type: ignore[method-assign]
    computer_turns._LEASE = float(os.environ.get("FOURCORNERS_LEASE", computer_turns._LEASE))
    main()
