"""Time at a table: what a clock may be, how it runs, what is not charged, and the server's own time. It asks no clock.

All times are the server's, in seconds. A clock is replayed from the events of a table: each says when it was received
(`at`) and how much of the time since the turn began is not charged (`credit`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from fourcorners.core.errors import OptionError, quote

LEAST_SECONDS, MOST_SECONDS = 10, 10_800
MOST_INCREMENT = 180
MOST_DAYS = 14
DAY = 86_400.0
OWN_GAME, OWN_DAYS = "game", "days"
"""What stands in a form for a clock of one's own making."""

_NUMBER = re.compile(r"[0-9]{1,5}", re.ASCII)
_MINUTES = re.compile(r"[0-9]{1,3}([.,][0-9]{1,3})?", re.ASCII)
_GAME_TEXT = re.compile(r"([0-9]{1,5})\+([0-9]{1,3})", re.ASCII)
_DAYS_TEXT = re.compile(r"([0-9]{1,3})d", re.ASCII)

Outage = tuple[float, float]
"""When a time without any server began and ended."""


@dataclass(frozen=True)
class TimeControl:
    """The time that a table gives: none at all, seconds for the game with an increment, or days for each turn."""

    seconds: int = 0
    increment: int = 0
    days: int = 0

    @property
    def kind(self) -> str:
        """The word that is stored: "game", "days", or nothing."""
        return OWN_DAYS if self.days else OWN_GAME if self.seconds else ""

    @classmethod
    def of(cls, stored: object) -> TimeControl:
        """Read what a table's settings or a program say; raise OptionError."""
        if stored is None:
            return UNTIMED
        if isinstance(stored, Mapping):
            if stored.keys() == {"kind", "seconds", "increment"} and stored["kind"] == OWN_GAME:
                seconds = _within("clock", stored["seconds"], LEAST_SECONDS, MOST_SECONDS, "seconds for the game")
                return cls(seconds, _within("clock", stored["increment"], 0, MOST_INCREMENT, "seconds a turn"))
            if stored.keys() == {"kind", "days"} and stored["kind"] == OWN_DAYS:
                return cls(days=_within("clock", stored["days"], 1, MOST_DAYS, "days a turn"))
        wanted = "null, or have kind game with seconds and increment, or kind days with days"
        raise OptionError("clock", f"{quote(stored)} is not allowed; it may be {wanted}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read a clock written like 300+3, 3d or nothing at all; raise OptionError."""
        if not text:
            return UNTIMED
        if found := _GAME_TEXT.fullmatch(text):
            return cls.of({"kind": OWN_GAME, "seconds": int(found[1]), "increment": int(found[2])})
        if found := _DAYS_TEXT.fullmatch(text):
            return cls.of({"kind": OWN_DAYS, "days": int(found[1])})
        raise OptionError(
            "clock", f"{quote(text)} is not allowed; it may be empty, seconds such as 300+3 or days as 3d"
        )

    @classmethod
    def from_form(cls, form: Mapping[str, str]) -> TimeControl:
        """Read the fields of a form; raise OptionError naming the field that does not fit.

        They are `clock`, one of the choices, and `clock-minutes`, `clock-increment`, `clock-days` for one's own.
        """
        choice = form.get("clock", "")
        if choice == OWN_GAME:
            return cls(_seconds_typed(form), _typed(form, "clock-increment", 0, MOST_INCREMENT, "seconds a turn"))
        if choice == OWN_DAYS:
            return cls(days=_typed(form, "clock-days", 1, MOST_DAYS, "days a turn"))
        return cls.parse(choice)

    def as_json(self) -> dict[str, Any] | None:
        """Return what is stored in a table's settings."""
        if self.days:
            return {"kind": OWN_DAYS, "days": self.days}
        return {"kind": OWN_GAME, "seconds": self.seconds, "increment": self.increment} if self.seconds else None

    def __str__(self) -> str:
        """Write it as `parse` reads it."""
        return f"{self.days}d" if self.days else f"{self.seconds}+{self.increment}" if self.seconds else ""

    @property
    def label(self) -> str:
        """What it is called on a page.

        >>> Control(300, 3).label, Control(90).label, Control(days=1).label
        ('5 min + 3 s', '1 min 30 s', '1 day a move')
        """
        if self.days:
            return f"{self.days} {'day' if self.days == 1 else 'days'} a move"
        if not self.seconds:
            return "No clock"
        minutes, seconds = divmod(self.seconds, 60)
        parts = [f"{minutes} min"] * bool(minutes) + [f"{seconds} s"] * bool(seconds)
        return " ".join(parts) + (f" + {self.increment} s" if self.increment else "")

    @property
    def whole(self) -> float:
        """The seconds that a seat has at the start, or for each turn."""
        return self.days * DAY if self.days else float(self.seconds)


UNTIMED = TimeControl()


class Choice(NamedTuple):
    """A clock that a form offers, by the group in which it stands."""

    group: str
    value: str
    label: str


_PRESETS = {
    "Bullet": ((60, 0), (60, 1), (120, 1)),
    "Blitz": ((180, 0), (180, 2), (300, 0), (300, 3)),
    "Rapid": ((600, 0), (600, 5), (900, 10)),
    "Long": ((1_800, 0), (1_800, 20), (3_600, 30)),
}
_PRESET_DAYS = (1, 2, 3, 7, 14)


def list_clock_choices() -> list[Choice]:
    """List what a form offers, from no clock to one's own."""
    timed = [(group, TimeControl(*preset)) for group, presets in _PRESETS.items() for preset in presets]
    timed += [("Days", TimeControl(days=days)) for days in _PRESET_DAYS]
    return [
        Choice("", "", UNTIMED.label),
        *(Choice(group, str(control), control.label) for group, control in timed),
        Choice("Your own", OWN_GAME, "Minutes for the game"),
        Choice("Your own", OWN_DAYS, "Days a move"),
    ]


def _within(option: str, value: object, least: int, most: int, unit: str) -> int:
    if type(value) is int and least <= value <= most:
        return value
    raise OptionError(option, f"{quote(value)} is not allowed; it may be {least} to {most} {unit}")


def _typed(form: Mapping[str, str], field: str, least: int, most: int, unit: str) -> int:
    text = form.get(field, "").strip()
    return _within(field, int(text) if _NUMBER.fullmatch(text) else text, least, most, unit)


def _seconds_typed(form: Mapping[str, str]) -> int:
    text = form.get("clock-minutes", "").strip()
    seconds = round(60 * float(text.replace(",", "."))) if _MINUTES.fullmatch(text) else 0
    if LEAST_SECONDS <= seconds <= MOST_SECONDS:
        return seconds
    range_ = f"{LEAST_SECONDS} seconds (0.17) to {MOST_SECONDS // 60} minutes"
    raise OptionError("clock-minutes", f"{quote(text)} is not allowed; it may be {range_} for the game")


class Clock:
    """The clocks of all seats of a table that has begun, as they stood at `since`; it is replayed from events.

    The seat whose turn it was is charged with every event that changes the position, the turn or who plays. In a game
    by days its time is whole again when its turn is over. Some seats are untimed from the start: a computer's move
    waits for the server, and for somebody who watches, which is not to be held against it.
    """

    def __init__(self, control: TimeControl, seats: int, at: float, first: int = 0, untimed: Collection[int] = ()) -> None:
        self.control = control
        self.since = at
        self._turn: int | None = first
        self._kept = [control.whole] * seats
        self._stopped = set(untimed) if control.kind else set(range(seats))

    @property
    def running(self) -> int | None:
        """The seat whose time runs; None when the game is over, or the turn is that of a seat without a clock."""
        return None if self._turn in self._stopped else self._turn

    def moved(self, after: int | None, at: float, credit: float = 0.0) -> None:
        """Note a move by the seat to move, and whose turn it is then (None: the game is over).

        The increment is for a turn, given when it ends: a seat that moves again and again in one turn, as whoever
        takes boxes does, would else gain time by moving quickly.
        """
        mover = self.running
        self._charge(at, credit)
        if mover is not None and after != mover:
            self._kept[mover] += self.control.increment
        self._pass(after)

    def turned(self, after: int | None, at: float, credit: float = 0.0) -> None:
        """Note a turn that changed without a move: a take-back or the end (None); time that was used stays used."""
        self._charge(at, credit)
        self._pass(after)

    def leave(self, seat: int, after: int | None, at: float, credit: float = 0.0) -> None:
        """Note that a seat resigned or ran out of time: its clock stands still from now on, whoever plays for it."""
        self._charge(at, credit)
        self._stopped.add(seat)
        self._pass(after)

    def _charge(self, at: float, credit: float) -> None:
        at = max(at, self.since)
        seat = self.running
        if seat is not None:
            charged = max(0.0, at - self.since - max(0.0, credit))
            self._kept[seat] = max(0.0, self._kept[seat] - charged)
        self.since = at

    def _pass(self, after: int | None) -> None:
        if after != self._turn and self.control.days:
            whole = self.control.whole
            self._kept = [kept if seat in self._stopped else whole for seat, kept in enumerate(self._kept)]
        self._turn = after

    def left(self, now: float, outages: Iterable[Outage] = ()) -> list[float]:
        """Return the seconds that each seat has now."""
        seconds = list(self._kept)
        seat = self.running
        if seat is not None:
            used = max(0.0, now - self.since - overlap(outages, self.since, now))
            seconds[seat] = max(0.0, seconds[seat] - used)
        return seconds

    def deadline(self, outages: Iterable[Outage] = ()) -> float | None:
        """Return when the seat whose time runs will have none left; None if no time runs."""
        seat = self.running
        if seat is None:
            return None
        falls = self.since + self._kept[seat]
        for began, ended in merge_outages(outages):
            if ended > self.since and began < falls:
                falls += ended - max(began, self.since)
        return falls

    def in_time(self, at: float, credit: float = 0.0) -> bool:
        """Tell whether what was received then, with so much not charged, came before the time was over."""
        seat = self.running
        return seat is None or max(at, self.since) - self.since - max(0.0, credit) < self._kept[seat]

    def shown(self, now: float, outages: Iterable[Outage] = ()) -> dict[str, Any] | None:
        """Return what pages are told; None without a clock.

        `since` is moved on by what is not charged, so that a page need know of no outage.
        """
        if not self.control.kind:
            return None
        return {
            "kind": self.control.kind,
            "left": [round(seconds, 3) for seconds in self._kept],
            "running": self.running,
            "since": self.since + overlap(outages, self.since, now),
            "increment": self.control.increment,
            "days": self.control.days,
        }


def merge_outages(outages: Iterable[Outage]) -> list[Outage]:
    """Sort outages and join those that overlap, as two processes may both have noted the same one."""
    joined: list[Outage] = []
    for began, ended in sorted(outages):
        if joined and began <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(ended, joined[-1][1]))
        elif ended > began:
            joined.append((began, ended))
    return joined


def overlap(outages: Iterable[Outage], since: float, now: float) -> float:
    """Return for how many seconds from one time to another no server was alive."""
    return sum(max(0.0, min(ended, now) - max(began, since)) for began, ended in merge_outages(outages))


class LagQuota:
    """How much measured lag a seat may still be given back; it is replayed from the credits of the seat's moves.

    A credit also holds time in which no server was alive. That uses up some of the quota too, at most what one move
    can, which the next four moves bring back: so the stored credit alone tells how much is left.
    """

    MOST_A_MOVE = 1.0
    MOST = 2.0
    REGAINED = 0.25

    def __init__(self) -> None:
        self.left = self.MOST

    def allow(self, lag: float) -> float:
        """Return how much of a lag is not charged; infinity asks for the most there is."""
        return max(0.0, min(lag, self.MOST_A_MOVE, self.left))

    def moved(self, credit: float) -> None:
        """Note a move of the seat with the credit that was stored."""
        self.left = min(self.MOST, self.left - self.allow(credit) + self.REGAINED)


class ServerTime:
    """The server's time: the wall clock's when it started, and from there on what really passed.

    So it never goes back, and a wall clock that is set anew meanwhile changes nothing. `last` is the latest time that
    is stored: where the wall clock was set back while no server ran, time goes on from there.
    """

    def __init__(
        self,
        last: float = 0.0,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._monotonic = monotonic
        self._began = monotonic()
        self._base = max(last, wall())

    def now(self) -> float:
        """Return the time in seconds since 1970."""
        return self._base + (self._monotonic() - self._began)
