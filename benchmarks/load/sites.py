"""One server and two behind Caddy, over PostgreSQL, which flushes to the disk, and Redis: the moves that they carry.

The servers are measured on one machine, so each may use only a share of a core, as a container with that limit:
otherwise the other programs, and the load generator, would be the limit of two servers.
"""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.load.comparison import Plan, compare_rates
from benchmarks.load.our_server import OurEntrance, OurServer
from benchmarks.load.workload import print_progress
from tests import servers
from tests.faults.server_process import ROOT

SHARE = 0.4
"""The share of a core that each server may use."""
PLAN = Plan(tables=40, rounds=2, rates=(80, 120, 160, 200, 240, 280, 320, 360, 400), halvings=1)
QUICK = Plan(tables=4, seconds=1.0, rounds=1, rates=(10,), halvings=0)
_PERIOD_US = 10_000
_GROUPS = Path("/sys/fs/cgroup")


@contextmanager
def limit_cores(share: float, number: int) -> Iterator[list[str]]:
    """Create a control group whose processes together may use a share of a core, and remove it after the block.

    Yield the words before a command that start it in the group. Raise OSError where groups cannot be created.
    """
    is_first_version = (_GROUPS / "cpu").is_dir()
    group = (_GROUPS / "cpu" if is_first_version else _GROUPS) / f"fourcorners-{number}"
    group.mkdir()
    try:
        quota = int(share * _PERIOD_US)
        if is_first_version:
            (group / "cpu.cfs_period_us").write_text(f"{_PERIOD_US}")
            (group / "cpu.cfs_quota_us").write_text(f"{quota}")
        else:
            (group / "cpu.max").write_text(f"{quota} {_PERIOD_US}")
        yield ["sh", "-c", 'echo $$ >"$0" && exec "$@"', f"{group}/cgroup.procs"]
    finally:
        group.rmdir()


class Site(OurEntrance):
    """Some servers over one PostgreSQL and one Redis, and Caddy in front of them."""

    def __init__(self, folder: Path, count: int, share: float | None) -> None:
        """Prepare `count` servers with data in a folder, each limited to a share of a core unless it is None."""
        super().__init__(servers.find_free_port())
        self.name = f"{count} server{'s' if count > 1 else ''} behind Caddy"
        self._folder, self._count, self._share = folder, count, share
        self._stack = ExitStack()
        self._servers: list[OurServer] = []

    @property
    def pid(self) -> int:
        """The process id of the first server."""
        return self._servers[0].pid

    async def start(self) -> None:
        """Start all programs; raise MissingServerError, OSError or RuntimeError, and AssertionError from Caddy."""
        await asyncio.to_thread(self._start_others)
        await asyncio.gather(*(server.start() for server in self._servers))

    def _start_others(self) -> None:
        database = self._stack.enter_context(servers.run_postgres(durable=True))
        events = self._stack.enter_context(servers.run_redis())
        for number in range(self._count):
            prefix = self._stack.enter_context(limit_cores(self._share, number)) if self._share else ()
            self._servers.append(OurServer(self._folder / f"{number}", database, prefix, events))
        addresses = [f"127.0.0.1:{server.port}" for server in self._servers]
        self._stack.enter_context(servers.run_caddy(ROOT / "Caddyfile", self.port, addresses))

    async def stop(self) -> None:
        """Stop all programs."""
        for server in self._servers:
            await server.stop()
        await asyncio.to_thread(self._stack.close)


async def measure_sites(folder: Path, plan: Plan, share: float | None) -> dict[str, Any]:
    """Return the share of a core of each server, None for no limit, as "share", and as "rates" what `compare_rates`
    does for one server and for two, each measured alone, by the number of servers.
    """
    rates: dict[str, Any] = {}
    for count in (1, 2):
        print_progress(f"{count} of our servers behind Caddy")
        rates |= await compare_rates({f"{count}": partial(Site, folder / f"{count}", count, share)}, plan)
    return {"share": share, "rates": rates}
