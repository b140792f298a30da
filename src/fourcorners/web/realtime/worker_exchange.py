"""What the workers of a server tell each other besides events: how many sockets are open, and their metrics."""

import asyncio
import itertools
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from fourcorners.web.interprocess.hub_client import JOINED, LOST, HubClient
from fourcorners.web.metrics import Metrics
from fourcorners.web.realtime.connection_pool import ConnectionPool

_SOCKETS, _ASKED, _ANSWERED = "sockets", "metrics?", "metrics"
_COUNT_EVERY = 0.5
_ANSWER_TIMEOUT = 1.0
"""Seconds for which the metrics of a worker are waited for; without it the answer has those of the others."""


class WorkerExchange:
    """This worker's part, for one event loop."""

    def __init__(self, hub: HubClient, sockets: ConnectionPool, metrics: Metrics) -> None:
        """Listen at a hub, which the caller connects afterwards."""
        self._hub = hub
        self._sockets = sockets
        self._metrics = metrics
        self._elsewhere: dict[int, int] = {}
        self._numbers = itertools.count()
        self._answers: dict[str, dict[int, str]] = {}
        self._complete: dict[str, asyncio.Event] = {}
        hub.subscribe(_SOCKETS, lambda worker, text: self._count(worker, int(text)))
        hub.subscribe(JOINED, lambda worker, _: hub.publish(_SOCKETS, str(len(sockets)), worker))
        hub.subscribe(LOST, lambda worker, _: self._count(worker, 0))
        hub.subscribe(_ASKED, self._answer)
        hub.subscribe(_ANSWERED, self._receive)

    async def announce_sockets(self) -> None:
        """Tell the others how many sockets are open here, whenever that has changed, until cancelled."""
        announced = 0
        while True:
            if len(self._sockets) != announced:
                announced = len(self._sockets)
                self._hub.publish(_SOCKETS, str(announced))
            await asyncio.sleep(_COUNT_EVERY)

    async def render_metrics(self) -> bytes:
        """Return the metrics of all workers in Prometheus text format, each with a label for its worker."""
        key = f"{self._hub.worker}/{next(self._numbers)}"
        answers = self._answers[key] = {self._hub.worker: self._metrics.render().decode()}
        complete = self._complete[key] = asyncio.Event()
        try:
            self._hub.publish(_ASKED, key)
            if self._hub.workers:
                async with asyncio.timeout(_ANSWER_TIMEOUT):
                    await complete.wait()
        except TimeoutError:
            pass
        finally:
            del self._answers[key], self._complete[key]
        return generate_latest(_Merged(answers))

    def _count(self, worker: int, sockets: int) -> None:
        self._elsewhere[worker] = sockets
        self._sockets.elsewhere = sum(self._elsewhere.values())

    def _answer(self, _: int, key: str) -> None:
        self._hub.publish(_ANSWERED, f"{key}\n{self._metrics.render().decode()}")

    def _receive(self, worker: int, text: str) -> None:
        key, _, metrics = text.partition("\n")
        if (answers := self._answers.get(key)) is not None:
            answers[worker] = metrics
            if self._hub.workers <= answers.keys():
                self._complete[key].set()


class _Merged(Collector):
    """The metrics of several workers, by their number."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._texts = texts

    def collect(self) -> Iterable[Metric]:
        """Yield each family once, with the samples of all workers."""
        families: dict[str, Metric] = {}
        for worker, family in self._list_families():
            merged = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            for sample in family.samples:
                labels = {**sample.labels, "worker": str(worker)}
                merged.add_sample(sample.name, labels, sample.value)
        return families.values()

    def _list_families(self) -> Iterator[tuple[int, Metric]]:
        for worker, text in sorted(self._texts.items()):
            for family in text_string_to_metric_families(text):
                yield worker, family
