"""A small soak of either database: a few hundred moves through a bad network, to a server that is killed twice."""

import asyncio
from pathlib import Path

import pytest

from tests.faults.soak import Effort, soak
from tests.servers import new_database

pytestmark = pytest.mark.compiled
EFFORT = Effort(moves=250, seconds=120, tables=4, kills=2, restarts=1, outages=3, silences=0)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_move_is_lost_doubled_or_moved(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    if kind == "sqlite":
        result = asyncio.run(soak(EFFORT, tmp_path))
    else:
        with new_database(request.getfixturevalue("postgresql")) as address:
            result = asyncio.run(soak(EFFORT, tmp_path, address))
    assert result["faults"] == {}
    assert result["not_back"] == []
    assert result["drifted"] == 0
    assert result["moves"] >= EFFORT.moves
    assert (result["kills"], result["restarts"], result["outages"]) == (2, 1, 3)
    assert result["reconnects"] >= 4
