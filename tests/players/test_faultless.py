"""On boards that are solved the strongest level loses nothing."""

from __future__ import annotations

import pytest

from benchmarks.faultless import faults


@pytest.mark.compiled
def test_no_move_loses_value_up_to_3_by_4() -> None:
    lost, known = faults(25, None, 100_000)
    assert lost == 0
    assert known == 25
