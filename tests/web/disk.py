"""A disk without room."""

import contextlib
import resource
from collections.abc import Iterator


@contextlib.contextmanager
def fill_disk() -> Iterator[None]:
    """Let this process write to no file within a with statement; SQLite then fails as it does on a full disk.

    Pipes and sockets are not files.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
