"""A small soak: a few hundred moves through a bad network, to a server that is killed twice."""

import asyncio
from pathlib import Path

import pytest

from tests.faults.soak import Effort, soak

pytestmark = pytest.mark.compiled


def test_no_move_is_lost_doubled_or_moved(tmp_path: Path) -> None:
    effort = Effort(moves=300, seconds=120, tables=4, kills=2, restarts=1, outages=3, silences=0)
    result = asyncio.run(soak(effort, tmp_path))
    assert result["faults"] == {}
    assert result["not_back"] == []
    assert result["drifted"] == 0
    assert result["moves"] >= effort.moves
    assert (result["kills"], result["restarts"], result["outages"]) == (2, 1, 3)
    assert result["reconnects"] >= 4
