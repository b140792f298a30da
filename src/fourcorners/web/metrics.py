"""Metrics of this process for its operator, in its own Prometheus registry."""

from collections.abc import Callable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, PlatformCollector, ProcessCollector
from prometheus_client.exposition import generate_latest

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counters since the start of the process, and gauges of its current state."""

    def __init__(self, process: str) -> None:
        """Register all metrics but the gauges; `process` is the id of this process among those of one database."""
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        Info("fourcorners_process", "The server process", registry=registry).info({"process": process})
        counter = partial(Counter, registry=registry)
        self._events = counter("fourcorners_events", "Stored events of tables, by kind", ["kind"])
        help_text = "Time from when an event is ready until it is stored"
        self._commit_seconds = Histogram("fourcorners_commit_seconds", help_text, buckets=_SECONDS, registry=registry)
        self._answers = counter("fourcorners_answers", "Commands, by answer", ["answer"])
        # Each of these is a function without parameters that counts one.
        self.count_failed_commit = counter("fourcorners_failed_commits", "Events that could not be stored").inc
        self.count_reconnect = counter("fourcorners_reconnects", "Browsers that reconnected to their table").inc
        self.count_flag_fall = counter("fourcorners_clocks_fallen", "Clocks of players and shuffles that ran out").inc
        # A counter with labels appears only once each label has been used.
        for answer in ("done", "refused", "stale"):
            self._answers.labels(answer)
        self._events.labels("move")

    def add_gauge(self, name: str, description: str, read: Callable[[], float]) -> None:
        """Add a gauge `fourcorners_{name}` whose value is read at each request; raise ValueError if it exists."""
        Gauge(f"fourcorners_{name}", description, registry=self._registry).set_function(read)

    def count_event(self, text: str, seconds: float) -> None:
        """Count a stored event, by the first word of its text without ! or @ (else "move"), and the time it took."""
        word = text.partition(" ")[0]
        self._events.labels(word[1:] if word.startswith(("!", "@")) else "move").inc()
        self._commit_seconds.observe(seconds)

    def count_answer(self, answer: str) -> None:
        """Count a command by its answer: done, refused or stale."""
        self._answers.labels(answer).inc()

    def render(self) -> bytes:
        """Return all metrics in Prometheus text format."""
        return generate_latest(self._registry)
