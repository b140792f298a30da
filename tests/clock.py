"""A clock that tests set."""


class Clock:
    """A clock that returns `time`, in seconds, which stands still until a test changes it."""

    def __init__(self, time: float = 0.0) -> None:
        self.time = time

    def __call__(self) -> float:
        return self.time
