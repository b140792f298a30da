"""Short soak tests on both databases: a few hundred moves over a bad network, with kills."""

import asyncio
from pathlib import Path

import pytest

from tests.faults.soak import SoakSettings, run_soak
from tests.servers import create_database

pytestmark = pytest.mark.compiled
# Silences are left out: clients take 10 seconds to notice each.
SETTINGS = SoakSettings(moves=150, seconds=600, tables=4, kills=1, restarts=1, outages=3, silences=0)


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_move_is_lost_duplicated_or_reordered_and_all_clients_recover_from_all_faults(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    if kind == "sqlite":
        result = asyncio.run(run_soak(SETTINGS, tmp_path))
    else:
        with create_database(request.getfixturevalue("postgresql")) as address:
            result = asyncio.run(run_soak(SETTINGS, tmp_path, address))
    assert result["faults"] == {}
    assert result["not_recovered"] == []
    assert result["diverged"] == 0
    assert result["moves"] >= SETTINGS.moves
    faults = (result["kills"], result["restarts"], result["outages"])
    assert faults == (SETTINGS.kills, SETTINGS.restarts, SETTINGS.outages)
    # The kill and the restart each disconnect the two clients of every table at which a game is going on.
    assert result["reconnects"] >= 4
