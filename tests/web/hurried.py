"""`fourcorners` for tests: compiles nothing before it is asked for, and FOURCORNERS_LEASE says how long a lease is."""

import os

from fourcorners.cli import main
from fourcorners.web.live import turns
from fourcorners.web.thinking.kernels import Warmth

if __name__ == "__main__":
    Warmth.start = lambda self: self.done.set_result(None)  # type: ignore[method-assign]
    turns._LEASE = float(os.environ.get("FOURCORNERS_LEASE", turns._LEASE))
    main()
