"""Single moves of reviewed games: judged once, within a budget, and not before the game is compiled."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from fourcorners.web.engine import alternative_service
from fourcorners.web.engine.alternative_service import AlternativeService
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import Client, CpuBudget

ADA = Client("ada", "10.0.0.0/24")


def run(scenario: Callable[[AlternativeService], Awaitable[None]], warmup: Warmup | None = None) -> None:
    """Run a scenario with a new service, and close that."""

    async def run_scenario() -> None:
        service = AlternativeService(warmup or Warmup())
        try:
            await asyncio.wait_for(scenario(service), 30)
        finally:
            service.close()

    asyncio.run(run_scenario())


def test_the_same_question_is_answered_once() -> None:
    asked: list[int] = []

    def work(_: CpuBudget) -> int:
        asked.append(1)
        return len(asked)

    async def scenario(service: AlternativeService) -> None:
        answers = [await service.judge(ADA, key, "a-game", work) for key in ("a", "b", "a")]
        assert answers == [1, 2, 1]

    run(scenario)


def test_what_takes_too_much_processor_time_is_refused_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(service: AlternativeService) -> None:
        monkeypatch.setattr(alternative_service, "CPU_LIMIT", 0.0)
        with pytest.raises(BusyError, match="takes too long"):
            await service.judge(ADA, "a", "a-game", lambda _: 1)
        monkeypatch.setattr(alternative_service, "CPU_LIMIT", 5.0)
        assert await service.judge(ADA, "a", "a-game", lambda _: 2) == 2

    run(scenario)


def test_few_results_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternative_service, "_CAPACITY", 2)

    async def scenario(service: AlternativeService) -> None:
        for key in "abc":
            await service.judge(ADA, key, "a-game", lambda _: 1)
        assert await service.judge(ADA, "c", "a-game", lambda _: 2) == 1
        assert await service.judge(ADA, "a", "a-game", lambda _: 2) == 2

    run(scenario)


def test_move_is_judged_once_the_game_is_compiled() -> None:
    done: list[str] = []

    class ColdWarmup(Warmup):
        """Nothing is compiled yet; waiting compiles it."""

        async def wait_for(self, game: str, feature: Feature | None, *_: object) -> None:
            done.append(f"{game} {feature and feature.value}")

    async def scenario(service: AlternativeService) -> None:
        for _ in range(2):
            assert await service.judge(ADA, "a", "a-game", lambda _: len(done)) == 1

    run(scenario, ColdWarmup())
    assert done == ["a-game review"]
