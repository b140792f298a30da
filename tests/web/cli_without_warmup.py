"""The `fourcorners` command without warm-up: it compiles nothing in advance, and is ready at once.

FOURCORNERS_LEASE sets how many seconds a process keeps the right to compute a table's computer moves.
"""

import os

from fourcorners.cli import main
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.realtime import computer_turns

if __name__ == "__main__":
    Warmup.start = lambda self: self.done.set_result(None)  # type: ignore[method-assign]
    computer_turns._LEASE = float(os.environ.get("FOURCORNERS_LEASE", computer_turns._LEASE))
    main()
