"""The time at one table: its clocks from the start of the game, what lag is not charged, and when a flag falls."""

import math
from collections.abc import Collection, Sequence

from fourcorners.web.domain.clocks import (
    Clock,
    ClockReading,
    LagQuota,
    Outage,
    TimeControl,
    add_running_time,
    measure_overlap,
)
from fourcorners.web.domain.rows import TableEvent

GRACE = 30.0
"""A clock starts with its player's first move, or this many seconds after the game: players may just be arriving."""
_FREE = {"!offer-draw", "!decline-draw"}
"""The events of a match that take no time from any clock."""


class TableClock:
    """The clocks of a table, replayed from its events; all times are server times in seconds.

    `control` is the time control. Before `start`, no clock runs. Whatever happens at the table is passed on, so that no
    later command counts as earlier than that.
    """

    def __init__(self, control: TimeControl, seats: int, created: float, outages: Sequence[Outage] = ()) -> None:
        """Begin for `seats` seats at the time `created`. `outages` is kept, not copied: an outage appended later is not
        charged to any clock either.
        """
        self.control = control
        self._clock: Clock | None = None
        self._quotas = [LagQuota() for _ in range(seats)]
        self._outages = outages
        self._last_at = created

    def start(self, at: float, first: int, untimed: Collection[int]) -> None:
        """Start the clock of the seat `first`; seats in `untimed` have none."""
        self._clock = Clock(self.control, len(self._quotas), at, first, untimed, GRACE)

    def stop(self, event: TableEvent) -> None:
        """Stop all clocks, if any, because an event has closed the table."""
        if self._clock is not None:
            self._clock.change_turn(None, event.at, event.credit)

    def advance(self, at: float) -> None:
        """Note that something has happened at a time."""
        self._last_at = max(self._last_at, at)

    def record_event(self, event: TableEvent, next_seat: int | None) -> None:
        """Charge clock and, for a move, lag quota for an applied event of the match, after which `next_seat` is to move
        (None: the game is over); offering or declining a draw is free.
        """
        clock = self._clock
        word = event.text.partition(" ")[0]
        if clock is None or word in _FREE:
            return
        if word in {"!resign", "!time"}:
            clock.retire_seat(event.seat, next_seat, event.at, event.credit)
        elif word.startswith("!"):
            clock.change_turn(next_seat, event.at, event.credit)
        else:
            self._quotas[event.seat].record_move(event.credit)
            clock.record_move(next_seat, event.at, event.credit)

    def stamp_command(self, at: float, lag: float = 0.0) -> tuple[float, float]:
        """Return the time that counts for a command received at `at`, and the credit for the seat to move.

        All values are in seconds. The time never precedes that of the last event. The credit consists of the measured
        lag, as far as the seat's quota allows, and of the time in which the seat is charged but no server ran.
        """
        at = max(at, self._last_at)
        clock = self._clock
        if clock is None or clock.running_seat is None:
            return at, 0.0
        return at, self._quotas[clock.running_seat].limit(lag) + measure_overlap(self._outages, clock.charged_since, at)

    def is_in_time(self, at: float, lag: float) -> bool:
        """Return whether a move received at `at`, with a measured lag, is in time; True if no clock runs."""
        return self._clock is None or self._clock.is_in_time(*self.stamp_command(at, lag))

    @property
    def deadline(self) -> float | None:
        """The time at which the running clock reaches zero; None if no clock runs."""
        return None if self._clock is None else self._clock.deadline(self._outages)

    @property
    def flag_time(self) -> float | None:
        """The time at which the running clock is flagged, when no move made in time can still be under way; None if no
        clock runs.
        """
        deadline = self.deadline
        if deadline is None or self._clock is None or self._clock.running_seat is None:
            return None
        return deadline + self._quotas[self._clock.running_seat].limit(math.inf)

    def add_running_time(self, since: float, seconds: float) -> float:
        """Return the time at which servers have run for this many seconds since `since`."""
        return add_running_time(since, seconds, self._outages)

    def read(self, now: float) -> ClockReading | None:
        """Return the clocks at a time, full before the start; None for a game without a clock."""
        if self._clock is not None:
            return self._clock.read(now, self._outages)
        control = self.control
        if not control.initial_seconds:
            return None
        left = [control.initial_seconds] * len(self._quotas)
        return ClockReading(control.kind, left, None, now, control.increment, control.days)
