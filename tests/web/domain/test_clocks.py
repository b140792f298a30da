"""Clocks: how they run and are replayed, what they do not charge, and the server's own time."""

from collections.abc import Iterable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.web.domain.clocks import (
    DAY,
    UNTIMED,
    Clock,
    ClockReading,
    LagQuota,
    Outage,
    ServerTime,
    TimeControl,
    measure_overlap,
    merge_outages,
)

FIVE = TimeControl(300, 3)
NOW = 1_800_000_000.0


def read_seconds(clock: Clock, now: float, outages: Iterable[Outage] = ()) -> list[float]:
    """Return the seconds that each seat has left at server time `now`, as a page counts them down; [] untimed."""
    reading = clock.read(now, outages)
    if reading is None:
        return []
    used = {reading.running: max(0.0, now - reading.since)}
    return [max(0.0, left - used.get(seat, 0.0)) for seat, left in enumerate(reading.left)]


def test_mover_is_charged_less_its_credit_and_gets_the_increment() -> None:
    clock = Clock(FIVE, 2, NOW)
    assert (clock.running_seat, clock.deadline()) == (0, NOW + 300)
    clock.record_move(1, NOW + 10)
    assert (clock.running_seat, clock.since, read_seconds(clock, NOW + 10)) == (1, NOW + 10, [293, 300])
    assert read_seconds(clock, NOW + 30) == [293, 280]
    clock.record_move(0, NOW + 30, credit=0.5)
    assert read_seconds(clock, NOW + 30) == [293, 283.5]


def test_clock_starts_with_the_first_move_of_its_player_or_after_the_grace() -> None:
    clock = Clock(FIVE, 2, NOW, grace=30)
    assert (clock.running_seat, clock.charged_since, clock.deadline()) == (0, NOW + 30, NOW + 330)
    assert read_seconds(clock, NOW + 20) == [300, 300]
    # The page counts down from a time that lies ahead.
    assert clock.read(NOW + 20) == ClockReading("game", [300, 300], 0, NOW + 30, 3, 0)
    clock.record_move(1, NOW + 20)
    assert read_seconds(clock, NOW + 29) == [303, 300]
    assert read_seconds(clock, NOW + 35) == [303, 295]
    assert clock.is_in_time(NOW + 329) and not clock.is_in_time(NOW + 330)
    clock.record_move(0, NOW + 25)
    # Seat 0 has moved, so its clock runs at once.
    assert read_seconds(clock, NOW + 27) == [301, 303]
    clock.change_turn(1, NOW + 27)
    assert read_seconds(clock, NOW + 28) == [301, 302]


def test_game_by_days_has_no_grace() -> None:
    assert Clock(TimeControl(days=3), 2, NOW, grace=30).charged_since == NOW


def test_turn_of_several_moves_has_one_increment() -> None:
    clock = Clock(FIVE, 2, NOW)
    for second in range(1, 11):
        clock.record_move(0, NOW + second)
    assert read_seconds(clock, NOW + 10) == [290, 300]
    clock.record_move(1, NOW + 11)
    assert read_seconds(clock, NOW + 11) == [292, 300]


def test_clock_stops_with_the_last_move() -> None:
    clock = Clock(FIVE, 2, NOW)
    clock.record_move(None, NOW + 10)
    assert (clock.running_seat, clock.deadline(), read_seconds(clock, NOW + 999)) == (None, None, [293, 300])


def test_seat_gets_its_full_days_for_each_turn_not_for_each_move() -> None:
    clock = Clock(TimeControl(days=3), 2, NOW)
    clock.record_move(0, NOW + DAY)
    assert read_seconds(clock, NOW + DAY) == [2 * DAY, 3 * DAY]
    clock.record_move(1, NOW + 2 * DAY)
    assert read_seconds(clock, NOW + 2 * DAY) == [3 * DAY, 3 * DAY]
    assert clock.deadline() == NOW + 5 * DAY


def test_take_back_does_not_restore_used_time() -> None:
    clock = Clock(FIVE, 2, NOW)
    clock.record_move(1, NOW + 10)
    clock.change_turn(0, NOW + 20)
    assert (clock.running_seat, read_seconds(clock, NOW + 20)) == (0, [293, 290])
    clock.record_move(None, NOW + 30)
    # The game was over until the takeback, so no one is charged for that time.
    clock.change_turn(0, NOW + 90)
    assert (clock.running_seat, read_seconds(clock, NOW + 91)) == (0, [285, 290])


def test_seat_that_resigned_or_ran_out_of_time_has_no_clock() -> None:
    clock = Clock(FIVE, 3, NOW)
    # Seat 1 resigns during the turn of seat 0, which is charged.
    clock.retire_seat(1, 0, NOW + 10)
    assert (clock.running_seat, read_seconds(clock, NOW + 10)) == (0, [290, 300, 300])
    clock.record_move(1, NOW + 20)
    assert (clock.running_seat, clock.deadline()) == (None, None)
    clock.record_move(2, NOW + 50)
    assert (clock.running_seat, read_seconds(clock, NOW + 50)) == (2, [283, 300, 300])
    # Seat 2 has used its 300 seconds; a computer moves for it.
    clock.retire_seat(2, 2, NOW + 350)
    assert (clock.running_seat, read_seconds(clock, NOW + 900)) == (None, [283, 300, 0])


def test_seat_that_ran_out_of_days_has_no_time_left() -> None:
    clock = Clock(TimeControl(days=1), 2, NOW)
    clock.retire_seat(0, None, NOW + DAY)
    assert read_seconds(clock, NOW + 9 * DAY) == [0, DAY]


def test_computers_have_no_clock() -> None:
    clock = Clock(FIVE, 2, NOW, first=1, untimed=[1])
    assert (clock.running_seat, clock.deadline(), clock.is_in_time(NOW + 1e6)) == (None, None, True)
    clock.record_move(0, NOW + 1_000)
    assert (clock.running_seat, read_seconds(clock, NOW + 1_001)) == (0, [299, 300])


def test_untimed_game_runs_no_clock() -> None:
    clock = Clock(UNTIMED, 2, NOW)
    clock.record_move(1, NOW + 1_000)
    assert (clock.running_seat, clock.deadline(), clock.read(NOW + 2_000)) == (None, None, None)
    assert clock.since == NOW + 1_000


def test_credit_decides_whether_a_move_is_in_time() -> None:
    clock = Clock(TimeControl(60), 2, NOW)
    assert clock.is_in_time(NOW + 59.9)
    assert not clock.is_in_time(NOW + 60)
    assert clock.is_in_time(NOW + 60.5, credit=0.6)
    assert not clock.is_in_time(NOW + 60.5, credit=0.5)


def test_time_that_goes_backwards_and_negative_credit_are_not_charged() -> None:
    clock = Clock(FIVE, 2, NOW)
    clock.record_move(1, NOW - 100)
    assert (clock.since, read_seconds(clock, NOW)) == (NOW, [303, 300])
    assert read_seconds(clock, NOW - 50) == [303, 300]
    clock.record_move(0, NOW + 5, credit=-7)
    assert read_seconds(clock, NOW + 5) == [303, 298]


def test_outage_during_a_turn_is_not_charged() -> None:
    outages = [(NOW + 20, NOW + 50)]
    clock = Clock(FIVE, 2, NOW)
    assert read_seconds(clock, NOW + 30, outages) == [280, 300]
    assert read_seconds(clock, NOW + 60, outages) == [270, 300]
    assert clock.deadline(outages) == NOW + 330
    assert clock.read(NOW + 60, outages) == ClockReading("game", [300, 300], 0, NOW + 30, 3, 0)
    clock.record_move(1, NOW + 60, credit=measure_overlap(outages, clock.since, NOW + 60))
    assert read_seconds(clock, NOW + 60, outages) == [273, 300]
    assert clock.deadline(outages) == NOW + 360


def test_outage_across_two_turns_is_credited_to_each_in_part() -> None:
    outages = [(NOW - 50, NOW + 5), (NOW + 8, NOW + 30)]
    clock = Clock(FIVE, 2, NOW)
    clock.record_move(1, NOW + 10, credit=measure_overlap(outages, NOW, NOW + 10))
    assert read_seconds(clock, NOW + 10, outages) == [300, 300]
    assert read_seconds(clock, NOW + 31, outages) == [300, 299]


def test_outage_postpones_the_deadline_only_if_it_begins_before_it() -> None:
    clock = Clock(TimeControl(60), 2, NOW)
    assert clock.deadline([(NOW + 60, NOW + 90)]) == NOW + 60
    assert clock.deadline([(NOW + 59, NOW + 89)]) == NOW + 90


def test_overlapping_outages_are_merged_and_counted_once() -> None:
    assert merge_outages([(30, 40), (10, 20), (15, 25), (11, 12), (25, 26), (50, 50)]) == [(10, 26), (30, 40)]
    assert measure_overlap([(10, 20), (15, 25)], 0, 100) == 15
    assert measure_overlap([(10, 20), (10, 20)], 18, 19) == 1


class Step(NamedTuple):
    """An event at a table: after `wait` seconds, with `lag` seconds of lag; then seat `next_seat` is to move.

    `kind` is "move", "turn" (a change of turn without a move) or "leave", after which `seat` has no clock.
    """

    kind: str
    wait: float
    lag: float
    seat: int
    next_seat: int | None


SEATS = 3
quarters = st.integers(0, 400).map(lambda number: number / 4)
step_lists = st.lists(
    st.builds(
        Step,
        st.sampled_from(["move", "move", "move", "turn", "leave"]),
        st.integers(-40, 400).map(lambda number: number / 4),
        st.integers(-4, 12).map(lambda number: number / 4),
        st.integers(0, SEATS - 1),
        st.one_of(st.none(), st.integers(0, SEATS - 1), st.integers(0, SEATS - 1)),
    ),
    max_size=25,
)
controls = st.one_of(
    st.builds(TimeControl, st.integers(10, 600), st.integers(0, 20)), st.builds(TimeControl, days=st.integers(1, 3))
)
outage_lists = st.lists(st.tuples(quarters, quarters).map(lambda pair: (NOW + pair[0], NOW + pair[0] + pair[1])))


class StoredStep(NamedTuple):
    """A step with what is stored of it: the server time of its arrival, and the seconds that are not charged."""

    step: Step
    at: float
    credit: float


def apply_step(clock: Clock, quotas: list[LagQuota], stored: StoredStep) -> None:
    """Apply a stored step to a clock and to the quotas, one for each seat, in place."""
    step, running = stored.step, clock.running_seat
    if step.kind == "move":
        clock.record_move(step.next_seat, stored.at, stored.credit)
        if running is not None:
            quotas[running].record_move(stored.credit)
    elif step.kind == "turn":
        clock.change_turn(step.next_seat, stored.at, stored.credit)
    else:
        clock.retire_seat(step.seat, step.next_seat, stored.at, stored.credit)


def run_steps(clock: Clock, quotas: list[LagQuota], steps: list[Step], outages: list[Outage]) -> list[StoredStep]:
    """Apply steps to a clock and the quotas of its seats, in place, as a live table does; return them as stored.

    Time starts at `NOW` or, if it is later, at the clock's last event. Waits may be negative, but time never goes back
    behind that event.
    """
    stored, now = [], NOW
    for step in steps:
        now = max(now + step.wait, clock.since)
        seat = clock.running_seat
        lag = quotas[seat].limit(step.lag) if step.kind == "move" and seat is not None else 0.0
        stored.append(StoredStep(step, now, lag + measure_overlap(outages, clock.since, now)))
        apply_step(clock, quotas, stored[-1])
    return stored


@given(controls, step_lists, outage_lists)
def test_replayed_clock_equals_the_live_clock(control: TimeControl, steps: list[Step], outages: list[Outage]) -> None:
    live, live_quotas = Clock(control, SEATS, NOW), [LagQuota() for _ in range(SEATS)]
    stored = run_steps(live, live_quotas, steps, outages)
    replayed, quotas = Clock(control, SEATS, NOW), [LagQuota() for _ in range(SEATS)]
    for step in stored:
        apply_step(replayed, quotas, step)
    # Any moment after the last event will do.
    later = live.since + 7
    assert read_seconds(live, later, outages) == read_seconds(replayed, later, outages)
    assert (live.running_seat, live.since) == (replayed.running_seat, replayed.since)
    assert live.deadline(outages) == replayed.deadline(outages)
    assert [quota.left for quota in live_quotas] == [quota.left for quota in quotas]


@given(controls, step_lists, outage_lists)
def test_event_that_keeps_the_turn_does_not_change_the_remaining_time(
    control: TimeControl, steps: list[Step], outages: list[Outage]
) -> None:
    clock, quotas = Clock(control, SEATS, NOW), [LagQuota() for _ in range(SEATS)]
    run_steps(clock, quotas, steps, outages)
    at, running = clock.since + 33, clock.running_seat
    before = read_seconds(clock, at, outages)
    clock.change_turn(running, at, measure_overlap(outages, clock.since, at))
    assert read_seconds(clock, at, outages) == pytest.approx(before, abs=0.001)


@given(st.builds(TimeControl, st.integers(10, 600), st.integers(0, 20)), step_lists, outage_lists)
def test_event_gives_its_seat_at_most_one_increment_and_others_nothing(
    control: TimeControl, steps: list[Step], outages: list[Outage]
) -> None:
    clock, quotas = Clock(control, SEATS, NOW), [LagQuota() for _ in range(SEATS)]
    ended = [0] * SEATS
    for step in steps:
        seat, before = clock.running_seat, read_seconds(clock, clock.since)
        run_steps(clock, quotas, [step], outages)
        if step.kind == "move" and seat is not None and step.next_seat != seat:
            ended[seat] += 1
        for other, (old, new) in enumerate(zip(before, read_seconds(clock, clock.since), strict=True)):
            assert 0 <= new <= old + control.increment
            assert other == seat or new == old
    assert all(kept <= control.seconds + control.increment * n for kept, n in zip(clock._remaining, ended, strict=True))


@given(controls, quarters, outage_lists)
def test_time_is_up_exactly_at_the_deadline(control: TimeControl, used: float, outages: list[Outage]) -> None:
    clock = Clock(control, 2, NOW)
    # At least a quarter of a second is left; multiples of a quarter are exact in binary.
    clock.record_move(0, NOW + used % control.initial_seconds)
    falls = clock.deadline(outages)
    assert falls is not None
    assert read_seconds(clock, falls, outages)[0] == 0
    assert read_seconds(clock, falls - 0.125, outages)[0] > 0
    assert clock.is_in_time(falls - 0.125, measure_overlap(outages, clock.since, falls - 0.125))
    assert not clock.is_in_time(falls, measure_overlap(outages, clock.since, falls))


@given(outage_lists, quarters, quarters)
def test_overlap_is_the_length_of_the_union(outages: list[Outage], since: float, length: float) -> None:
    since, now = NOW + since, NOW + since + length
    quarters_out = sum(
        any(began <= since + n / 4 < ended for began, ended in outages) for n in range(round(4 * (now - since)))
    )
    assert measure_overlap(outages, since, now) == quarters_out / 4


def test_lag_is_compensated_from_a_quota_that_every_move_restores_in_part() -> None:
    quota, given_back = LagQuota(), []
    for _ in range(6):
        given_back.append(quota.limit(5.0))
        quota.record_move(given_back[-1])
    # At most a second for each move; of the two in total, every move restores a quarter.
    assert given_back == [1.0, 1.0, 0.5, 0.25, 0.25, 0.25]
    for _ in range(20):
        quota.record_move(0.0)
    assert (quota.left, quota.limit(0.3), quota.limit(-3)) == (2.0, 0.3, 0.0)


@given(st.lists(st.floats(-1, 50), max_size=60))
def test_compensated_lag_never_exceeds_the_quota(lags: list[float]) -> None:
    quota, total = LagQuota(), 0.0
    for n, lag in enumerate(lags):
        credit = quota.limit(lag)
        assert 0 <= credit <= 1
        total += credit
        assert total <= 2 + 0.25 * n + 1e-9
        quota.record_move(credit)
        assert 0 <= quota.left <= 2


def test_outage_uses_up_the_quota_of_one_move() -> None:
    quota = LagQuota()
    quota.record_move(86_400.0)
    # A second less, as for the longest lag, and a quarter restored.
    assert quota.left == 1.25


class FakeClocks:
    """A wall clock and a monotonic clock, in seconds, that a test sets."""

    def __init__(self, wall: float, monotonic: float) -> None:
        self.wall, self.monotonic = wall, monotonic

    def create_server_time(self, last: float = 0.0) -> ServerTime:
        """Return the time of a server that starts now and whose latest stored time is `last`."""
        return ServerTime(last, lambda: self.wall, lambda: self.monotonic)


def test_server_time_ignores_changes_of_the_wall_clock() -> None:
    clocks = FakeClocks(NOW, 50.0)
    server = clocks.create_server_time()
    assert server.now() == NOW
    clocks.wall -= 3_600
    clocks.monotonic += 10
    assert server.now() == NOW + 10
    clocks.wall += 86_400
    assert server.now() == NOW + 10


def test_server_time_continues_from_the_last_stored_time_if_that_is_later() -> None:
    clocks = FakeClocks(NOW, 50.0)
    assert clocks.create_server_time(last=NOW + 500).now() == NOW + 500
    assert clocks.create_server_time(last=NOW - 500).now() == NOW
    later = clocks.create_server_time(last=NOW + 500)
    clocks.monotonic += 1
    assert later.now() == NOW + 501
