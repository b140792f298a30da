"""Playing the units of a run: in threads of this process, or as tasks of a Ray cluster."""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from fourcorners.core.errors import GameError, OptionError
from fourcorners.selfplay.configuration import Configuration, describe_versions
from fourcorners.selfplay.unit import build_unit

_MAX_RETRIES = 10
"""How often a unit is played again because its process or machine is gone."""
_POLL_INTERVAL = 0.2  # seconds between two looks at `stop`

Files = dict[str, bytes]


def play_here(
    configuration: Configuration, units: Sequence[int], stop: threading.Event, jobs: int | None = None
) -> Iterator[tuple[int, Files]]:
    """Yield units with their files as they are finished, until `stop` is set, playing `jobs` of them at a time.

    None means one for each processor.
    """
    waiting = iter(units)
    futures: dict[Future[Files | None], int] = {}
    jobs = jobs or os.cpu_count() or 1
    with ThreadPoolExecutor(jobs) as pool:
        while True:
            while len(futures) < jobs and not stop.is_set() and (unit := next(waiting, None)) is not None:
                futures[pool.submit(build_unit, configuration, unit, stop)] = unit
            if not futures:
                return
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                unit, files = futures.pop(future), future.result()
                if files is not None:
                    yield unit, files


def play_on_cluster(
    configuration: Configuration, units: Sequence[int], stop: threading.Event, address: str
) -> Iterator[tuple[int, Files]]:
    """Yield units with their files as a Ray cluster finishes them, until `stop` is set; it plays one on each processor.

    A unit whose process or machine is lost is played again. Raise OptionError if the cluster cannot be joined or has
    other versions, and GameError if it fails.
    """
    # Its libraries are those of the extra "ray".
    from fourcorners.web.engine.cluster import join_cluster  # noqa: PLC0415
    from fourcorners.web.settings import SettingsError  # noqa: PLC0415

    try:
        ray = join_cluster(address)
    except SettingsError as error:
        raise OptionError("ray", str(error)) from None
    try:
        play = ray.remote(num_cpus=1, max_retries=_MAX_RETRIES)(build_unit_remotely)
        waiting, versions = iter(units), describe_versions()
        running: dict[Any, int] = {}
        while not stop.is_set():
            # A cluster may grow.
            jobs = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
            while len(running) < jobs and (unit := next(waiting, None)) is not None:
                running[play.remote(configuration, unit, versions)] = unit
            if not running:
                return
            for task in ray.wait(list(running), timeout=_POLL_INTERVAL)[0]:
                yield running.pop(task), ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise GameError(f"a unit failed on the cluster: {error.cause}", "ray") from None
    except ray.exceptions.RayError as error:
        kind = type(error).__name__
        raise GameError(f"the cluster failed ({kind}); the same command continues the run", "ray") from None
    finally:
        ray.shutdown()


def build_unit_remotely(configuration: Configuration, unit: int, versions: Mapping[str, str]) -> Files | None:
    """Play a unit as a task of a cluster; raise OptionError if this machine has other versions than those given."""
    mine = describe_versions()
    if mine != versions:
        raise OptionError("ray", f"a machine of the cluster has the versions {mine} instead of {dict(versions)}")
    return build_unit(configuration, unit)
