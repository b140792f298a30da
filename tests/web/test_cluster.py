"""Thinking on a Ray cluster: a local one, begun for these tests."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

import fourcorners as fc
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine.cluster import ClusterMoveService, search_remotely
from fourcorners.web.engine.move_service import LocalMoveService, MoveRequest
from fourcorners.web.settings import SettingsError

pytestmark = pytest.mark.compiled
# Too large to be solved.
START = fc.game("sqez", cols=20, rows=20).start(seed=0)


@pytest.fixture(scope="module")
def cluster() -> Iterator[ClusterMoveService]:
    joined = ClusterMoveService("local", LocalMoveService())
    yield joined
    joined.close()


def question(seconds: float) -> MoveRequest:
    return MoveRequest("table", 0, Strength(seconds=seconds), START.view(0))


async def found(cluster: ClusterMoveService, seconds: float) -> str:
    return await cluster.find_move(question(seconds), threading.Event(), lambda _: None)


def cores(cluster: ClusterMoveService) -> int:
    return int(cluster._ray.cluster_resources()["CPU"])


def test_a_move_comes_from_the_cluster_and_tells_how_far_it_is(cluster: ClusterMoveService) -> None:
    told: list[SearchProgress] = []
    move = asyncio.run(cluster.find_move(question(0.8), threading.Event(), told.append))
    assert START.why(move) is None
    assert told and [state.nodes for state in told] == sorted(state.nodes for state in told)
    assert cluster._spared_until == 0.0


def test_a_search_that_nobody_wants_ends_there_too(cluster: ClusterMoveService) -> None:
    async def stop_all() -> list[str]:
        stops = [threading.Event() for _ in range(cores(cluster))]
        minutes = [
            asyncio.create_task(cluster.find_move(question(60.0), stop, lambda _, stop=stop: stop.set()))  # type: ignore[misc]
            for stop in stops
        ]
        assert await asyncio.gather(*minutes) == [""] * len(minutes)
        # Every core has to be free again for these, long before a minute is over.
        async with asyncio.timeout(30):
            return await asyncio.gather(*(found(cluster, 0.2) for _ in range(cores(cluster))))

    assert all(START.why(move) is None for move in asyncio.run(stop_all()))


def test_a_cluster_that_fails_is_done_without(cluster: ClusterMoveService, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Failing:
        def remote(self, *_: object) -> None:
            asked.append(1)
            raise cluster._ray.exceptions.RaySystemError("the cluster is gone")

    with monkeypatch.context() as patch:
        patch.setattr(cluster, "_think", Failing())
        patch.setattr(cluster, "_spared_until", 0.0)
        for _ in range(2):
            assert START.why(asyncio.run(found(cluster, 0.2))) is None
        # For a while it is not asked again.
        assert len(asked) == 1


def test_what_is_thought_is_left_when_it_is_interrupted() -> None:
    before = threading.active_count()
    search = search_remotely(None, 60.0, START.view(0))
    assert isinstance(next(search), SearchProgress)
    search.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


def test_a_cluster_that_cannot_be_joined_is_said_so() -> None:
    with pytest.raises(SettingsError, match="cannot be joined"):
        ClusterMoveService("nonsense://x", LocalMoveService())
