"""A table: a match, who holds its chairs, its clock, and what a browser may see there. It knows no network.

What may be done at a table is in `deeds.py`; all of it ends in `Table.take_in`, which a replay uses as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from fourcorners.core import catalogue
from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.match import Match, Record, apply_event
from fourcorners.core.position import Position, View
from fourcorners.web.domain.clocks import Clock, LagQuota, Outage, TimeControl, overlap
from fourcorners.web.domain.seats import COMPUTER, PERSON, Strength, parse_strength
from fourcorners.web.store import Chair, StoredTable, Summary, TableEvent

LIVE, STUDY = "live", "study"
STRENGTH_OF_THE_OUT = Strength(3)
"""What sits in for who gave up."""
_BESIDE_THE_BOARD = {"!offer-draw", "!decline-draw", "@ask-undo", "@agree-undo", "@refuse-undo", "@again"}


class Sight(NamedTuple):
    """Whose sight of the board a browser is shown, and whether a curtain hides it until the next person sits down."""

    viewer: int | None
    curtain: bool


class UndoAsked(NamedTuple):
    """Who asks to go back to the position after so many plies, and who has agreed."""

    seat: int
    ply: int
    agreed: frozenset[int]


class Table:
    """A table as replayed from the store; its version is the number of its events.

    `board_version` is the version of the last event that changed the position, the turn or who plays: what was made
    for it, or for any version since, was made for the board as it stands. `taken_back` is that of the last take-back.
    """

    def __init__(self, saved: StoredTable, outages: Sequence[Outage] = ()) -> None:
        """Replay a stored table; raise GameError if the rules no longer take its events."""
        self.saved = saved
        self.chairs = list(saved.chairs)
        game = catalogue.game(saved.game, **saved.options)
        self.match = Match(game, seat_labels(self.chairs), deck=saved.deck or None, date=saved.date, nonce=saved.nonce)
        self.study = saved.kind == STUDY
        self.started = saved.started
        self.version = self.board_version = self.taken_back = 0
        self.undo_asked: UndoAsked | None = None
        self.again: str | None = None
        self.closed = False
        self.moved: list[tuple[int, int] | None] | None = None
        self.control = TimeControl.of(saved.settings.get("clock"))
        self.clock: Clock | None = None
        # Not copied: one that is noted later counts as well.
        self._outages = outages
        self._quotas = [LagQuota() for _ in self.chairs]
        self._last_at = saved.created
        self._known: dict[tuple[int, str], int] = {}
        self._begin_clock()
        for event in saved.events:
            self.take_in(event)

    @property
    def id(self) -> str:
        """The table's name in addresses."""
        return self.saved.id

    @property
    def kinds(self) -> tuple[str, ...]:
        """Who plays each seat: a person, or a computer with its strength."""
        return tuple(chair.kind for chair in self.chairs)

    @property
    def persons(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(chair.seat for chair in self.chairs if chair.kind == PERSON)

    @property
    def players(self) -> frozenset[str]:
        """The people who hold chairs."""
        return frozenset(chair.player for chair in self.chairs if chair.player is not None and chair.taken)

    @property
    def hidden(self) -> bool:
        """Whether seats know different things."""
        return self.match.game.spec.hidden

    @property
    def is_over(self) -> bool:
        """Whether nothing can be played here any more."""
        return self.match.is_over or self.closed

    @property
    def seat(self) -> int | None:
        """The seat to move; None before the start and at the end."""
        return None if self.started is None or self.closed else self.match.seat

    @property
    def revealed(self) -> bool:
        """Whether all may be told of it, such as exact values: never of a running game, nor what is hidden still."""
        return self.match.is_over or (self.study and not self.hidden)

    def held(self, player: str) -> tuple[int, ...]:
        """Return the seats that a player plays."""
        if self.study:
            return ()
        return tuple(chair.seat for chair in self.chairs if chair.player == player and chair.taken)

    def concerns(self, player: str) -> bool:
        """Tell whether a player has something to do with this table, and not only looks on."""
        return player == self.saved.owner or any(chair.player == player for chair in self.chairs)

    def others(self, player: str) -> tuple[int, ...]:
        """Return the seats that other people play and have not given up."""
        return tuple(
            chair.seat
            for chair in self.chairs
            if chair.kind == PERSON and chair.taken and chair.player != player and chair.seat not in self.match.out
        )

    @property
    def goes_on_alone(self) -> bool:
        """Whether the computer's move matters to somebody even while nobody watches."""
        return len(self.players) > 1 or (bool(self.players) and self.control.whole > 0)

    def playing(self, player: str) -> tuple[int, ...]:
        """Return the seats that a player plays and has not given up."""
        return tuple(seat for seat in self.held(player) if seat not in self.match.out)

    def free(self, player: str) -> tuple[int, ...]:
        """Return the seats that a player may take."""
        if self.study or self.closed:
            return ()
        open_ = [chair for chair in self.chairs if chair.kind == PERSON and not chair.taken]
        return tuple(chair.seat for chair in open_ if chair.player in {None, player})

    def sight(self, player: str, wish: int | None) -> Sight:
        """Decide whose sight a browser is shown that asks for a seat's."""
        if self.study:
            fine = player == self.saved.owner and wish is not None and wish < self.match.game.seats
            return Sight(wish if fine else None, curtain=False)
        if self.hidden and self.started is None:
            # Who sits down, looks, stands up and sits elsewhere would know two hands.
            return Sight(None, curtain=False)
        held = self.held(player)
        if len(held) == 1:
            return Sight(held[0], curtain=False)
        wish = wish if wish in held else None
        if held and not self.hidden:
            return Sight(held[0] if wish is None else wish, curtain=False)
        playing = self.playing(player)
        to_move = self.seat
        if self.hidden and to_move in playing and wish != to_move:
            return Sight(None, curtain=True) if len(playing) > 1 else Sight(to_move, curtain=False)
        return Sight(wish, curtain=False)

    def may_move(self, player: str) -> bool:
        """Tell whether it is the turn of a seat that a player plays."""
        return self.seat is not None and self.seat in self.playing(player)

    def strength(self) -> Strength | None:
        """Return the strength of the computer that is to move; None if a person is, or nobody."""
        seat = self.seat
        if seat is None or self.study:
            return None
        if self.kinds[seat].startswith(COMPUTER):
            return parse_strength(self.kinds[seat], self.match.game.spec)
        # With more than two sides the others play on, and the computer sits in for who gave up.
        return STRENGTH_OF_THE_OUT if seat in self.match.out else None

    def own_turn(self, player: str, wish: int | None) -> View:
        """Return what the seat to move knows, for a hint to who plays it; raise IllegalMoveError for anybody else."""
        seat = self.seat
        if seat is None:
            raise self._no_turn("hint")
        if not self.may_move(player):
            raise IllegalMoveError("hint", "hints are given to those at the table, in their turn", "not-your-turn")
        if not self.advised:
            reason = "hints are given neither between people nor in rated games"
            raise IllegalMoveError("hint", reason, "no-hints")
        if self.hidden and self.sight(player, wish).viewer != seat:
            raise IllegalMoveError("hint", "hints are given when the hand is shown", "not-your-turn")
        return self.match.position.view(seat)

    def to_evaluate(self, player: str, wish: int | None, ply: int) -> View:
        """Return what may be evaluated for a browser of an earlier position, or of the one now.

        Where something is hidden that is what the seat to move knew, if the browser is shown what that seat sees; raise
        IllegalMoveError if it is not.
        """
        if ply >= len(self.match.positions):
            reason = f"there are {len(self.match.positions) - 1} plies, not {ply}"
            raise IllegalMoveError("evaluate", reason, "no-ply")
        position = self.match.positions[ply]
        if not self.advised and not self.revealed:
            reason = "between people, and in rated games, this is shown once the game is over"
            raise IllegalMoveError("evaluate", reason, "no-hints")
        if not self.hidden or self.revealed or position.is_over:
            return position.view(position.seat)
        if self.sight(player, wish).viewer != position.seat:
            raise IllegalMoveError("evaluate", "this is shown to the seat to move alone", "not-your-turn")
        return position.view(position.seat)

    def revealed_at(self, ply: int) -> Position:
        """Return a position of which all may be told; raise IllegalMoveError for any other."""
        if not self.revealed:
            reason = "exact values are told of finished games and of records only"
            if self.study:
                reason = "exact values are told once the game is over: until then something in it is hidden"
            raise IllegalMoveError("solve", reason, "running")
        if ply >= len(self.match.positions):
            reason = f"there are {len(self.match.positions) - 1} plies, not {ply}"
            raise IllegalMoveError("solve", reason, "no-ply")
        return self.match.positions[ply]

    def _no_turn(self, text: str) -> IllegalMoveError:
        if self.is_over:
            return IllegalMoveError(text, "the game is over", "game-over")
        return IllegalMoveError(text, "the game begins when every seat is taken", "not-started")

    def check_running(self, text: str) -> None:
        """Raise IllegalMoveError unless a move could be played by somebody."""
        if self.seat is None:
            raise self._no_turn(text)

    def known(self, player: str, client_id: str) -> int | None:
        """Return the version that a player's command with this id made; None if there was none."""
        versions = (self._known.get((seat, client_id)) for seat in range(len(self.chairs)) if self._was(player, seat))
        return next((version for version in versions if version is not None), None)

    def _was(self, player: str, seat: int) -> bool:
        # Who stood up, or gave a seat to the computer, holds it no more.
        return self.chairs[seat].player in {player, None}

    def take_in(self, event: TableEvent) -> TableEvent:
        """Let an event happen; return it as the match wrote it, or raise GameError and change nothing."""
        if event.text.startswith("@"):
            self._note(event)
        else:
            apply_event(self.match, event.seat, event.text)
            event = event._replace(text=self.match.events[-1].text)
            self._clocked(event)
        self.version = event.version
        self._last_at = max(self._last_at, event.at)
        if event.text.startswith("!undo "):
            self.taken_back = event.version
        if event.text.partition(" ")[0] not in _BESIDE_THE_BOARD:
            self.board_version = event.version
            self.undo_asked = None
        self._known[event.seat, event.client_id] = event.version
        return event

    def _note(self, event: TableEvent) -> None:
        word, _, rest = event.text.partition(" ")
        match word:
            case "@ask-undo":
                self.undo_asked = UndoAsked(event.seat, int(rest), frozenset())
            case "@agree-undo" if self.undo_asked is not None:
                self.undo_asked = self.undo_asked._replace(agreed=self.undo_asked.agreed | {event.seat})
            case "@refuse-undo":
                self.undo_asked = None
            case "@again":
                self.again = rest
            case "@close":
                self.closed = True
                if self.clock is not None:
                    self.clock.turned(None, event.at, event.credit)
            case _:
                # What was changed about the chairs is stored with them.
                self._seated(event.at)

    def _seated(self, at: float) -> None:
        self.match.names = seat_labels(self.chairs)
        if self.started is None and all(chair.taken for chair in self.chairs):
            self.started = at
            self._begin_clock()

    def _begin_clock(self) -> None:
        if self.started is not None:
            untimed = [seat for seat in range(len(self.chairs)) if seat not in self.persons]
            seats, first = self.match.game.seats, self.match.positions[0].seat or 0
            self.clock = Clock(self.control, seats, self.started, first, untimed)

    def _clocked(self, event: TableEvent) -> None:
        clock, after = self.clock, self.match.seat
        word = event.text.partition(" ")[0]
        if clock is None or word in _BESIDE_THE_BOARD:
            return
        if word in {"!resign", "!time"}:
            clock.leave(event.seat, after, event.at, event.credit)
        elif word.startswith("!"):
            clock.turned(after, event.at, event.credit)
        else:
            self._quotas[event.seat].moved(event.credit)
            clock.moved(after, event.at, event.credit)

    def stamp(self, at: float, lag: float = 0.0) -> tuple[float, float]:
        """Return when something received at a time counts as received, and what is not charged to the seat to move."""
        at = max(at, self._last_at)
        clock = self.clock
        if clock is None or clock.running is None:
            return at, 0.0
        return at, self._quotas[clock.running].allow(lag) + overlap(self._outages, clock.since, at)

    @property
    def deadline(self) -> float | None:
        """When the running clock falls."""
        return None if self.clock is None else self.clock.deadline(self._outages)

    @property
    def flag_at(self) -> float | None:
        """When the server lets the running clock fall: once no move can be under way that was made in time."""
        deadline = None if self.is_over else self.deadline
        if deadline is None or self.clock is None or self.clock.running is None:
            return None
        return deadline + self._quotas[self.clock.running].allow(math.inf)

    @property
    def rated(self) -> bool:
        """Whether the game counts for ratings."""
        return bool(self.saved.settings.get("rated"))

    @property
    def advised(self) -> bool:
        """Whether hints and estimates may be given while the game runs: never between people, nor for ratings."""
        return len(self.players) < 2 and not self.rated

    def clocks(self, now: float) -> dict[str, Any] | None:
        """Return what pages are told of the clocks."""
        if self.clock is None:
            whole = self.control.whole
            none = {"kind": self.control.kind, "left": [whole] * len(self.chairs), "running": None, "since": now}
            return {**none, "increment": self.control.increment, "days": self.control.days} if whole else None
        return self.clock.shown(now, self._outages)

    @property
    def undo_missing(self) -> tuple[int, ...]:
        """The seats that have not agreed yet to what is asked."""
        asked = self.undo_asked
        if asked is None:
            return ()
        asker = self.chairs[asked.seat].player
        agreed = {asker, *(self.chairs[seat].player for seat in asked.agreed)}
        return tuple(s for s in self.persons if s not in self.match.out and self.chairs[s].player not in agreed)

    def summary(self, at: float) -> Summary:
        """Sum up what lists of tables show, and what the servers wait for."""
        result = self.match.result if self.match.is_over else "abandoned" if self.closed else ""
        thinks = self.strength() is not None and self.goes_on_alone
        return Summary(at, self.version, self.seat, self.flag_at, result, self.started, thinks)

    def record(self, player: str) -> Record:
        """Record what a browser may know."""
        held = self.held(player) if self.started is not None else ()
        return Record.of(self.match, held[0] if len(held) == 1 else None)


def seat_labels(chairs: Sequence[Chair]) -> tuple[str, ...]:
    """Name the seats as a match does; a free one by its number."""
    return tuple(chair.name or f"Seat {chair.seat + 1}" for chair in chairs)
