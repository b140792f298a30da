"""Short runs across machines, and a set-up that loses moves, so that the check can fail."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from fourcorners.web.store import Store, StoreError
from tests.faults import games, soak
from tests.faults.machines import MachineSettings, run_machine_soak, run_machines
from tests.waiting import wait_until
from tests.web.stored import append_event, build_event, build_table

# No one closes a connection that a proxy or a reader is opening when the run ends.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SHORT = MachineSettings(moves=150, seconds=1200, tables=6, repeats=1, longest=1.0)
LONG = MachineSettings(moves=2000, seconds=600, tables=8, repeats=2, longest=15.0)


@pytest.fixture(autouse=True)
def _collect_open_connections() -> Iterator[None]:
    """Collect them at the end of this test, not in a later one."""
    yield
    gc.collect()


@pytest.mark.compiled
@pytest.mark.parametrize(
    "settings",
    [pytest.param(SHORT, marks=pytest.mark.ci), pytest.param(LONG, marks=pytest.mark.slow)],
    ids=["short", "long"],
)
def test_no_move_is_lost_doubled_or_reordered_and_no_read_is_stale_whatever_fails(settings: MachineSettings) -> None:
    result = asyncio.run(run_machine_soak(settings))
    assert result["faults"] == {}
    assert result["early_faults"] == []
    assert result["not_recovered"] == []
    assert result["diverged"] == 0
    assert result["injected"] == dict.fromkeys(settings.kinds, settings.repeats)
    assert result["moves"] >= settings.moves
    assert result["readers"]["reads by hello"]
    assert result["readers"]["reads by program"]


@pytest.mark.ci
@pytest.mark.compiled
def test_failover_to_a_replica_that_is_not_synchronous_loses_moves_and_the_check_finds_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Clients wait in vain for boards that are lost.
    monkeypatch.setattr(games, "RECOVERY_TIMEOUT", 1.0)
    monkeypatch.setattr(games, "FINISH_TIMEOUT", 1.0)
    settings = MachineSettings(
        moves=200, seconds=60, tables=6, kinds=("failover-behind",), repeats=1, synchronous=False
    )
    result = asyncio.run(run_machine_soak(settings))
    assert result["lost"]
    assert result["faults"]["lost"]


def test_store_with_the_addresses_of_both_databases_finds_the_promoted_one_and_keeps_all_that_was_confirmed() -> None:
    """No proxy leads it there: it tries both and takes the one that accepts writes."""

    async def fail_over() -> None:
        async with run_machines(servers=0) as machines:
            hosts = "&".join(f"host=127.0.0.1:{node.port}" for node in (machines.primary, machines.replica))
            options = "target_session_attrs=read-write&connect_timeout=2"
            store = await asyncio.to_thread(Store, f"postgresql://postgres@/postgres?{hosts}&{options}")
            try:
                await store.add_table(build_table())
                await append_event(store, "t", 1)
                await machines.primary.kill()
                with pytest.raises(StoreError):
                    await append_event(store, "t", 2)
                await machines.promote_replica()
                await machines.rebuild_replica()
                await asyncio.to_thread(wait_until, lambda: append_event(store, "t", 2).exception(30) is None)
                assert await asyncio.to_thread(store.read_events_since, "t", 0) == [build_event(1), build_event(2)]
            finally:
                await asyncio.to_thread(store.close)

    asyncio.run(fail_over())


def test_unknown_kind_of_fault_is_refused_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        soak.main(["--faults", "failover,flood"])
    assert stopped.value.code == 2
    message = capsys.readouterr().err
    assert "no fault called flood" in message
    assert "failover-silent" in message
