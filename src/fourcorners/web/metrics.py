"""What a server counts for its operator: a registry of its own, in the words of Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """What happened in this process since it began, and what is going on now."""

    def __init__(self, process: str) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        Info("fourcorners_process", "The server process", registry=registry).info({"process": process})
        self._events = Counter(
            "fourcorners_events", "What happened at tables and is stored, by its kind", ["kind"], registry=registry
        )
        self._commit = Histogram(
            "fourcorners_commit_seconds",
            "From when an event was ready until it was stored",
            buckets=_SECONDS,
            registry=registry,
        )
        self._answers = Counter(
            "fourcorners_answers", "Commands that were done, refused or stale", ["answer"], registry=registry
        )
        self._failed = Counter("fourcorners_failed_commits", "Events that could not be stored", registry=registry)
        self._back = Counter("fourcorners_reconnects", "Browsers that came back to their table", registry=registry)
        self._fallen = Counter("fourcorners_clocks_fallen", "Clocks that ran out", registry=registry)
        for answer in ("done", "refused", "stale"):
            self._answers.labels(answer)
        self._events.labels("move")

    def show(self, name: str, help_: str, read: Callable[[], float]) -> None:
        """Show a number that is read whenever somebody looks."""
        Gauge(f"fourcorners_{name}", help_, registry=self._registry).set_function(read)

    def stored(self, text: str, seconds: float) -> None:
        """Count an event that was stored so long after it was ready."""
        word = text.partition(" ")[0]
        self._events.labels(word[1:] if word.startswith(("!", "@")) else "move").inc()
        self._commit.observe(seconds)

    def failed(self) -> None:
        """Count an event that could not be stored."""
        self._failed.inc()

    def answered(self, answer: str) -> None:
        """Count a command by its answer."""
        self._answers.labels(answer).inc()

    def came_back(self) -> None:
        """Count a browser that knew its table already."""
        self._back.inc()

    def fell(self) -> None:
        """Count a clock that ran out."""
        self._fallen.inc()

    def text(self) -> bytes:
        """Write all of it."""
        return generate_latest(self._registry)
