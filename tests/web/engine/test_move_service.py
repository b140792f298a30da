"""The service for computers' moves: the cache of computers, and the measure of their progress."""

import fourcorners as fc
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine.move_service import ComputerCache, ProgressMeter

SPEC = fc.game("square-off").spec
LIGHT, HEAVY = Strength(1), Strength(seconds=2.0)


def test_computer_given_back_is_kept_for_the_next_move_of_its_seat_at_the_same_strength() -> None:
    kept = ComputerCache(32)
    first = kept.borrow("table", 0, LIGHT)
    # A borrowed computer is not in the cache.
    assert len(kept) == 0
    kept.give_back("table", 0, LIGHT, first, SPEC)
    other = kept.borrow("table", 1, LIGHT)
    assert other is not first
    kept.give_back("table", 1, LIGHT, other, SPEC)
    assert kept.borrow("table", 0, LIGHT) is first
    assert kept.borrow("table", 1, Strength(2)) is not other
    # It was borrowed two lines above and has not been given back.
    assert kept.borrow("table", 0, LIGHT) is not first


def test_cache_drops_the_computers_unused_for_longest_by_weight() -> None:
    kept = ComputerCache(32)
    for seat in range(100):
        kept.give_back("light", seat, LIGHT, kept.borrow("light", seat, LIGHT), SPEC)
    assert len(kept) == 32
    for seat in range(3):
        kept.give_back("heavy", seat, HEAVY, kept.borrow("heavy", seat, HEAVY), SPEC)
    # Each heavy one weighs as much as eight light ones: 3 x 8 + 8 = 32. What was used last stays.
    assert len(kept) == 3 + 8
    last = kept.borrow("light", 99, LIGHT)
    kept.give_back("light", 99, LIGHT, last, SPEC)
    assert kept.borrow("light", 99, LIGHT) is last


def test_forgotten_table_loses_only_its_own_computers() -> None:
    kept = ComputerCache(32)
    for seat in range(8):
        kept.give_back("light", seat, LIGHT, kept.borrow("light", seat, LIGHT), SPEC)
    for seat in range(3):
        kept.give_back("heavy", seat, HEAVY, kept.borrow("heavy", seat, HEAVY), SPEC)
    kept.forget_table("light")
    assert len(kept) == 3
    kept.forget_table("heavy")
    assert len(kept) == 0


def test_progress_share_is_that_of_the_time_where_time_is_the_limit_and_else_that_of_the_search() -> None:
    # A nanosecond, so that the time is up when the share is read.
    counted, timed = ProgressMeter(LIGHT, SPEC), ProgressMeter(Strength(seconds=1e-9), SPEC)
    for meter in (counted, timed):
        assert meter.read() == (0, 0.0)
        meter.update(SearchProgress(12, 0.1, 0.25))
    assert counted.read() == (12, 0.25)
    assert timed.read() == (12, 1.0)
