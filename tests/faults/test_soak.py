"""Small soaks of either database: some hundred moves through a bad network, to a server that is killed and stopped."""

import asyncio
from pathlib import Path

import pytest

from tests.faults.soak import Effort, soak
from tests.servers import new_database

pytestmark = pytest.mark.compiled
EFFORT = Effort(moves=150, seconds=120, tables=4, kills=1, restarts=1, outages=3, silences=0)
LONGER = Effort(moves=250, seconds=120, tables=4, kills=2, restarts=1, outages=3, silences=0)


@pytest.mark.parametrize("effort", [EFFORT, pytest.param(LONGER, marks=pytest.mark.slow)], ids=["short", "longer"])
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_move_is_lost_doubled_or_moved(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, effort: Effort
) -> None:
    if kind == "sqlite":
        result = asyncio.run(soak(effort, tmp_path))
    else:
        with new_database(request.getfixturevalue("postgresql")) as address:
            result = asyncio.run(soak(effort, tmp_path, address))
    assert result["faults"] == {}
    assert result["not_back"] == []
    assert result["drifted"] == 0
    assert result["moves"] >= effort.moves
    faults = (result["kills"], result["restarts"], result["outages"])
    assert faults == (effort.kills, effort.restarts, effort.outages)
    assert result["reconnects"] >= 4
