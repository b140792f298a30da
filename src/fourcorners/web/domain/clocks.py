"""Time at a table: time controls, running clocks, lag compensation, and the server's own time.

All times are server times in seconds since 1970. A clock is replayed from the events of a table: each event says when
its command arrived (`at`) and how much of the time since the clock's last event is not charged (`credit`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.plurals import pluralise

MIN_SECONDS, MAX_SECONDS = 10, 10_800
MAX_INCREMENT = 180
MAX_DAYS = 14
SECONDS_PER_TURN, DAYS_PER_TURN = "seconds per turn", "days per turn"
"""The units of an increment and of a clock of days."""
DAY = 86_400.0
GAME_CLOCK, DAYS_CLOCK = "game", "days"
"""The kinds of clocks as they are stored; a form sends them for a custom clock."""

_GAME_TEXT = re.compile(r"([0-9]{1,5})\+([0-9]{1,3})", re.ASCII)
_DAYS_TEXT = re.compile(r"([0-9]{1,3})d", re.ASCII)

Outage = tuple[float, float]
"""The server times at which a period without any running server began and ended."""


@dataclass(frozen=True)
class TimeControl:
    """A time control: none (all 0), seconds for the game and an increment for each turn, or days for each turn."""

    seconds: int = 0
    increment: int = 0
    days: int = 0

    @property
    def kind(self) -> str:
        """The stored kind: "game", "days", or empty without a clock."""
        return DAYS_CLOCK if self.days else GAME_CLOCK if self.seconds else ""

    @classmethod
    def from_stored(cls, stored: object) -> TimeControl:
        """Read what `to_stored` returns; raise OptionError if it is malformed or a number is out of range."""
        if stored is None:
            return UNTIMED
        if isinstance(stored, Mapping):
            if stored.keys() == {"kind", "seconds", "increment"} and stored["kind"] == GAME_CLOCK:
                seconds = check_range("clock", stored["seconds"], MIN_SECONDS, MAX_SECONDS, "seconds for the game")
                return cls(seconds, check_range("clock", stored["increment"], 0, MAX_INCREMENT, SECONDS_PER_TURN))
            if stored.keys() == {"kind", "days"} and stored["kind"] == DAYS_CLOCK:
                return cls(days=check_range("clock", stored["days"], 1, MAX_DAYS, DAYS_PER_TURN))
        wanted = "null, or have kind game with seconds and increment, or kind days with days"
        raise OptionError("clock", f"{quote(stored)} is not allowed; it must be {wanted}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Parse a time control such as 300+3 or 3d, or the empty text for none; raise OptionError for anything else."""
        if not text:
            return UNTIMED
        if found := _GAME_TEXT.fullmatch(text):
            return cls.from_stored({"kind": GAME_CLOCK, "seconds": int(found[1]), "increment": int(found[2])})
        if found := _DAYS_TEXT.fullmatch(text):
            return cls.from_stored({"kind": DAYS_CLOCK, "days": int(found[1])})
        wanted = "empty, seconds such as 300+3, or days such as 3d"
        raise OptionError("clock", f"{quote(text)} is not allowed; it must be {wanted}")

    def to_stored(self) -> dict[str, Any] | None:
        """Return the time control as a table's settings store it; None without a clock."""
        if self.days:
            return {"kind": DAYS_CLOCK, "days": self.days}
        return {"kind": GAME_CLOCK, "seconds": self.seconds, "increment": self.increment} if self.seconds else None

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"{self.days}d" if self.days else f"{self.seconds}+{self.increment}" if self.seconds else ""

    @property
    def label(self) -> str:
        """The name that a page shows.

        >>> TimeControl(300, 3).label, TimeControl(90).label, TimeControl(days=1).label
        ('5 min + 3 s', '1 min 30 s', '1 day per turn')
        """
        if self.days:
            return pluralise(self.days, "{} day per turn", "{} days per turn")
        if not self.seconds:
            return "No clock"
        minutes, seconds = divmod(self.seconds, 60)
        parts = [f"{minutes} min"] * bool(minutes) + [f"{seconds} s"] * bool(seconds)
        return " ".join(parts) + (f" + {self.increment} s" if self.increment else "")

    @property
    def initial_seconds(self) -> float:
        """The seconds that a seat has at the start, or for each turn; 0 without a clock."""
        return self.days * DAY if self.days else float(self.seconds)


UNTIMED = TimeControl()


class ClockChoice(NamedTuple):
    """An option of a clock menu: group, value (for `TimeControl.parse`, or the kind of a custom clock), and label."""

    group: str
    value: str
    label: str


_PRESETS = {
    "Bullet": ((60, 0), (60, 1), (120, 1)),
    "Blitz": ((180, 0), (180, 2), (300, 0), (300, 3)),
    "Rapid": ((600, 0), (600, 5), (900, 10)),
    "Classical": ((1_800, 0), (1_800, 20), (3_600, 30)),
}
_PRESET_DAYS = (1, 2, 3, 7, 14)


def list_clock_choices() -> list[ClockChoice]:
    """List a clock menu: no clock, presets from fast to slow, custom clocks; the options of a group are adjacent."""
    timed = [(group, TimeControl(*preset)) for group, presets in _PRESETS.items() for preset in presets]
    timed += [("Correspondence", TimeControl(days=days)) for days in _PRESET_DAYS]
    return [
        ClockChoice("", "", UNTIMED.label),
        *(ClockChoice(group, str(control), control.label) for group, control in timed),
        ClockChoice("Custom", GAME_CLOCK, "Minutes per player"),
        ClockChoice("Custom", DAYS_CLOCK, "Days per turn"),
    ]


def check_range(option: str, value: object, low: int, high: int, unit: str) -> int:
    """Return an integer from `low` to `high`; raise OptionError about `option`, with `unit`, for anything else."""
    if type(value) is int and low <= value <= high:
        return value
    raise OptionError(option, f"{quote(value)} is not allowed; it must be {low} to {high} {unit}")


@dataclass(frozen=True)
class ClockReading:
    """The clocks of a table: the seconds left by seat at server time `since`; that of seat `running` is still running,
    or starts at `since` if that lies ahead.

    `increment` is added after each turn, in seconds; `days` is the time for each turn of a correspondence game.
    """

    kind: str
    left: list[float]
    running: int | None
    since: float
    increment: int
    days: int


class Clock:
    """The clocks of all seats of a game that has begun, as they stood at `since`; replayed from events.

    The seat to move is charged for every event that changes the position, the turn or who plays. In a game by days a
    seat has its full time again after each turn. Without a time control no seat has a clock, nor do seats in `untimed`
    ever: a computer's move waits for the server and for someone to watch, which must not count against it. In a game
    that is not by days, a seat that has not moved yet is not charged for the first `grace` seconds of the game.
    """

    def __init__(
        self,
        control: TimeControl,
        seats: int,
        at: float,
        first: int = 0,
        untimed: Collection[int] = (),
        grace: float = 0.0,
    ) -> None:
        """Give `seats` seats the full time of `control`; start the clock of `first`, if any, at server time `at`."""
        self._charged_from = at if control.days else at + grace
        self._moved: set[int] = set()
        self.control = control
        self.since = at
        self._turn: int | None = first
        self._remaining = [control.initial_seconds] * seats
        self._stopped = set(untimed) if control.kind else set(range(seats))

    @property
    def running_seat(self) -> int | None:
        """The seat whose clock runs; None when the game is over or the seat to move has no clock."""
        return None if self._turn in self._stopped else self._turn

    @property
    def charged_since(self) -> float:
        """The server time from which on the seat to move is charged for its turn: perhaps later than now."""
        return self.since if self._turn in self._moved else max(self.since, self._charged_from)

    def record_move(self, next_seat: int | None, at: float, credit: float = 0.0) -> None:
        """Charge the seat to move for its move at `at` and start the clock of `next_seat` (None: the game is over).

        `credit` seconds of the time since `since` are not charged. The increment is given at the end of a turn, not for
        each move: a seat that moves several times in one turn, as when it captures boxes, would gain time.
        """
        mover = self.running_seat
        self._charge(at, credit)
        if self._turn is not None:
            self._moved.add(self._turn)
        if mover is not None and next_seat != mover:
            self._remaining[mover] += self.control.increment
        self._start_turn(next_seat)

    def change_turn(self, next_seat: int | None, at: float, credit: float = 0.0) -> None:
        """Pass the turn, for a takeback or the end (None): charge as `record_move` does, but give no increment."""
        self._charge(at, credit)
        self._start_turn(next_seat)

    def retire_seat(self, seat: int, next_seat: int | None, at: float, credit: float = 0.0) -> None:
        """Charge the seat to move as `record_move` does, pass the turn without increment, stop `seat` for good."""
        self._charge(at, credit)
        self._stopped.add(seat)
        self._start_turn(next_seat)

    def _charge(self, at: float, credit: float) -> None:
        """Charge the running clock, if any, from `charged_since` to `at` less the credit; set `since` to `at`.
        An `at` before `since` counts as `since`. A clock does not go below 0.
        """
        at = max(at, self.since)
        seat = self.running_seat
        if seat is not None:
            charged = max(0.0, at - self.charged_since - max(0.0, credit))
            self._remaining[seat] = max(0.0, self._remaining[seat] - charged)
        self.since = at

    def _start_turn(self, next_seat: int | None) -> None:
        """Start the clock of the next seat; by days, if it is another one or None, refill all but stopped clocks."""
        if next_seat != self._turn and self.control.days:
            full = self.control.initial_seconds
            self._remaining = [left if seat in self._stopped else full for seat, left in enumerate(self._remaining)]
        self._turn = next_seat

    def deadline(self, outages: Iterable[Outage] = ()) -> float | None:
        """Return the server time at which the running clock reaches zero, later by any outages; None if none runs."""
        seat = self.running_seat
        if seat is None:
            return None
        return add_running_time(self.charged_since, self._remaining[seat], outages)

    def is_in_time(self, at: float, credit: float = 0.0) -> bool:
        """Return whether a command received at `at`, `credit` seconds uncharged, is in time; True if no clock runs."""
        seat = self.running_seat
        return seat is None or max(0.0, at - self.charged_since) - max(0.0, credit) < self._remaining[seat]

    def read(self, now: float, outages: Iterable[Outage] = ()) -> ClockReading | None:
        """Return what pages show at server time `now`, with the seconds left rounded to milliseconds; None without a
        time control.

        Outages move `since` forward, so that a page need not know about them; it lies ahead if no time is charged yet.
        """
        if not self.control.kind:
            return None
        return ClockReading(
            kind=self.control.kind,
            left=[round(seconds, 3) for seconds in self._remaining],
            running=self.running_seat,
            since=self.charged_since + measure_overlap(outages, self.charged_since, now),
            increment=self.control.increment,
            days=self.control.days,
        )


def merge_outages(outages: Iterable[Outage]) -> list[Outage]:
    """Return a new list of the outages, sorted, without overlaps or empty ones; two processes may record the same."""
    merged: list[Outage] = []
    for began, ended in sorted(outages):
        if merged and began <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(ended, merged[-1][1]))
        elif ended > began:
            merged.append((began, ended))
    return merged


def add_running_time(since: float, seconds: float, outages: Iterable[Outage]) -> float:
    """Return the server time at which servers have run for this many seconds since `since`."""
    due = since + seconds
    for began, ended in merge_outages(outages):
        if ended > since and began < due:
            due += ended - max(began, since)
    return due


def measure_overlap(outages: Iterable[Outage], since: float, now: float) -> float:
    """Return the seconds between `since` and `now` during which no server ran."""
    return sum(max(0.0, min(ended, now) - max(began, since)) for began, ended in merge_outages(outages))


class LagQuota:
    """How many seconds of measured lag a seat may still get back; replayed from the credits of its moves.

    A credit may also contain an outage. An outage uses up at most `MAX_PER_MOVE` of the quota, which the next four
    moves restore; so the stored credits alone determine what is left.
    """

    MAX_PER_MOVE = 1.0
    MAX_TOTAL = 2.0
    REGAINED_PER_MOVE = 0.25

    def __init__(self) -> None:
        """Start with the full quota."""
        self.left = self.MAX_TOTAL

    def limit(self, lag: float) -> float:
        """Return how many seconds, 0 or more, of a lag are not charged; the quota stays. Infinity asks for the most."""
        return max(0.0, min(lag, self.MAX_PER_MOVE, self.left))

    def record_move(self, credit: float) -> None:
        """Take a move's stored credit, at most `limit` of it, and regain `REGAINED_PER_MOVE`, up to `MAX_TOTAL`."""
        self.left = min(self.MAX_TOTAL, self.left - self.limit(credit) + self.REGAINED_PER_MOVE)


class ServerTime:
    """The server's time: the wall clock's when the server started, plus the time that has really passed since.

    So it never goes back, and adjusting the wall clock of a running server has no effect. `last` is the latest stored
    time: if the wall clock was set back while no server ran, time continues from there.
    """

    def __init__(
        self, last: float = 0.0, wall: Callable[[], float] = time.time, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Start at the wall clock's time, but not before `last`; `wall` and `monotonic` return seconds."""
        self._monotonic = monotonic
        self._began = monotonic()
        self._base = max(last, wall())

    def now(self) -> float:
        """Return the server time in seconds since 1970."""
        return self._base + (self._monotonic() - self._began)
