"""The strongest level against exact values, on boards up to 3 by 4."""

import pytest

from benchmarks.faultless import count_moves_that_lose_value


@pytest.mark.compiled
def test_strongest_level_proves_every_move_and_loses_no_value_on_solved_boards() -> None:
    # With 100,000 simulations for each move, and no limit of time.
    faults, proven = count_moves_that_lose_value(25, None, 100_000)
    assert faults == 0
    assert proven == 25
