"""Find moves on a Ray cluster, a local one that is started for these tests."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator

import pytest

import fourcorners as fc
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine.cluster import ClusterMoveService, search_remotely
from fourcorners.web.engine.move_service import LocalMoveService, MoveRequest, Preparation
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.settings import SettingsError

pytestmark = [pytest.mark.compiled, pytest.mark.ci]
# Too large to be solved.
START = fc.game("sqez", cols=20, rows=20).start(seed=0)


@pytest.fixture(scope="module")
def cluster() -> Iterator[ClusterMoveService]:
    """A service with a cluster on this machine, started once for all tests of this module and closed after them.

    Ray gives up starting after 30 seconds, which a very busy machine may need, so it gets three attempts.
    """
    service = None
    for _ in range(2):
        with contextlib.suppress(SettingsError):
            service = service or ClusterMoveService("local", LocalMoveService(Warmup()))
    service = service or ClusterMoveService("local", LocalMoveService(Warmup()))
    yield service
    service.close()


def build_request(seconds: float) -> MoveRequest:
    """Return a request for a move at `START` by a computer that thinks for this time in seconds."""
    return MoveRequest("table", 0, Strength(seconds=seconds), START.view(0))


async def find_move(cluster: ClusterMoveService, seconds: float) -> str:
    """Return the service's move at `START` after this time in seconds; the search is not stopped before."""
    return await cluster.find_move(build_request(seconds), threading.Event(), lambda _: None)


async def test_cluster_finds_a_move_and_reports_progress(cluster: ClusterMoveService) -> None:
    progress: list[SearchProgress | Preparation] = []
    move = await cluster.find_move(build_request(0.8), threading.Event(), progress.append)
    assert START.why(move) is None
    # The numbers of simulations never fall.
    nodes = [report.nodes for report in progress if isinstance(report, SearchProgress)]
    assert nodes and nodes == sorted(nodes)
    # The cluster has not failed: the move was not found in this process.
    assert cluster._retry_at == 0.0


async def test_stopped_searches_return_no_move_and_free_the_cores_of_the_cluster(cluster: ClusterMoveService) -> None:
    """One search on each core is stopped when it reports progress."""
    # Each core of the cluster runs one search at a time.
    stops = [threading.Event() for _ in range(int(cluster._ray.cluster_resources()["CPU"]))]

    async def search(stop: threading.Event) -> str:
        return await cluster.find_move(build_request(60.0), stop, lambda _: stop.set())

    assert await asyncio.gather(*(search(stop) for stop in stops)) == [""] * len(stops)
    # These need all cores, which must be free long before the minute is over.
    async with asyncio.timeout(30):
        moves = await asyncio.gather(*(find_move(cluster, 0.2) for _ in stops))
    assert all(START.why(move) is None for move in moves)


async def test_moves_are_found_in_this_process_without_asking_the_cluster_again_soon_after_it_failed(
    cluster: ClusterMoveService, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = []

    class Failing:
        """A search on the cluster that notes each request and fails as if the cluster were gone."""

        def remote(self, *_: object) -> None:
            requests.append(1)
            raise cluster._ray.exceptions.RaySystemError("the cluster is gone")

    with monkeypatch.context() as patch:
        patch.setattr(cluster, "_search", Failing())
        patch.setattr(cluster, "_retry_at", 0.0)
        # The first request fails on the cluster; both are answered by this process.
        for _ in range(2):
            assert START.why(await find_move(cluster, 0.2)) is None
        assert len(requests) == 1


def test_closing_a_search_ends_its_thread() -> None:
    before = threading.active_count()
    # None: at no level but for 60 seconds.
    search = search_remotely(None, 60.0, START.view(0))
    assert isinstance(next(search), SearchProgress)
    search.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


def test_cluster_that_cannot_be_joined_raises_a_settings_error() -> None:
    with pytest.raises(SettingsError, match="cannot be joined"):
        ClusterMoveService("nonsense://x", LocalMoveService(Warmup()))
