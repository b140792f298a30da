"""A table: a match, who sits where, and what a browser may do and see there. It knows no network."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from fourcorners.core import catalogue
from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.game import Game
from fourcorners.core.match import Match, Record, replay_line
from fourcorners.core.reading import View
from fourcorners.web.seats import COMPUTER, PERSON, Strength, strength_of
from fourcorners.web.store import NewEvent, Saved, Summary

MOST_EVENTS = 10_000
LIVE, STUDY = "live", "study"
_STRENGTH_OF_THE_OUT = Strength(3)


class Command(NamedTuple):
    """What somebody wants to do: "move" with a text, "resign" for a seat, or "undo"."""

    verb: str
    client_id: str
    move: str = ""
    seat: int = -1


class Sight(NamedTuple):
    """Whose sight of the board a browser is shown, and whether a curtain hides it until the next person sits down."""

    viewer: int | None
    curtain: bool


class Table:
    """A table as replayed from the store; its version is the number of its events."""

    def __init__(self, saved: Saved) -> None:
        """Replay a stored table; raise GameError if the rules no longer take its events."""
        self.saved = saved
        game = catalogue.game(saved.game, **saved.options)
        self.match = Match(game, saved.names, deck=saved.deck or None, date=saved.date, nonce="")
        self.kinds = tuple(saved.kinds)
        self.persons = tuple(seat for seat, kind in enumerate(self.kinds) if kind == PERSON)
        self.study = saved.kind == STUDY
        self._known: dict[tuple[int, str], int] = {}
        for event in saved.events:
            replay_line(self.match, event.seat, event.text)
            self._known[event.seat, event.client_id] = event.version

    @property
    def id(self) -> str:
        """The table's name in addresses."""
        return self.saved.id

    @property
    def version(self) -> int:
        """How many events there were."""
        return len(self.match.events)

    @property
    def hidden(self) -> bool:
        """Whether seats know different things."""
        return self.match.game.spec.hidden

    @property
    def revealed(self) -> bool:
        """Whether all may be told of it, such as exact values: never of a running game, nor what is hidden still."""
        return self.match.is_over or (self.study and not self.hidden)

    def held(self, owner: str) -> tuple[int, ...]:
        """Return the seats that a browser plays."""
        return self.persons if owner == self.saved.owner and not self.study else ()

    def sight(self, owner: str, wish: int | None) -> Sight:
        """Decide whose sight a browser is shown that asks for a seat's."""
        if self.study:
            fine = owner == self.saved.owner and wish is not None and wish < self.match.game.seats
            return Sight(wish if fine else None, curtain=False)
        held = self.held(owner)
        if len(held) == 1:
            return Sight(held[0], curtain=False)
        wish = wish if wish in held else None
        if held and not self.hidden:
            return Sight(held[0] if wish is None else wish, curtain=False)
        playing = [seat for seat in held if seat not in self.match.out]
        to_move = self.match.seat
        if self.hidden and to_move in playing and wish != to_move:
            return Sight(None, curtain=True) if len(playing) > 1 else Sight(to_move, curtain=False)
        return Sight(wish, curtain=False)

    def may_move(self, owner: str) -> bool:
        """Tell whether it is the turn of a seat that a browser plays."""
        seat = self.match.seat
        return seat is not None and seat in self.held(owner) and seat not in self.match.out

    def strength(self) -> Strength | None:
        """Return the strength of the computer that is to move; None if a person is, or nobody."""
        seat = self.match.seat
        if seat is None or self.study:
            return None
        if self.kinds[seat].startswith(COMPUTER):
            return strength_of(self.kinds[seat], self.match.game.spec)
        # With more than two sides the others play on, and the computer sits in for who gave up.
        return _STRENGTH_OF_THE_OUT if seat in self.match.out else None

    def own_turn(self, owner: str, wish: int | None) -> View:
        """Return what the seat to move knows, for a hint to who plays it; raise IllegalMoveError for anybody else."""
        seat = self.match.seat
        if seat is None:
            raise IllegalMoveError("hint", "the game is over", "game-over")
        if not self.may_move(owner):
            raise IllegalMoveError("hint", "hints are given to those at the table, in their turn", "not-your-turn")
        if self.hidden and self.sight(owner, wish).viewer != seat:
            raise IllegalMoveError("hint", "hints are given when the hand is shown", "not-your-turn")
        return self.match.position.view(seat)

    def to_evaluate(self, owner: str, wish: int | None, ply: int) -> View:
        """Return what may be evaluated for a browser of an earlier position, or of the one now.

        Where something is hidden that is what the seat to move knew, if the browser is shown what that seat sees; raise
        IllegalMoveError if it is not.
        """
        if ply >= len(self.match.positions):
            reason = f"there are {len(self.match.positions) - 1} plies, not {ply}"
            raise IllegalMoveError("evaluate", reason, "no-ply")
        position = self.match.positions[ply]
        if not self.hidden or self.revealed or position.is_over:
            return position.view(position.seat)
        if self.sight(owner, wish).viewer != position.seat:
            raise IllegalMoveError("evaluate", "this is shown to the seat to move alone", "not-your-turn")
        return position.view(position.seat)

    def undo_to(self) -> int | None:
        """Return the number of plies to go back to, before the last move of a person; None where that is refused."""
        if self.study or (self.hidden and self.match.is_over):
            return None
        plies = self.match.position.plies
        for ply in range(len(plies) - 1, -1, -1):
            if plies[ply].seat in self.persons:
                return None if self.match.why_not_back(ply) else ply
        return None

    def known(self, owner: str, client_id: str) -> int | None:
        """Return the version that a browser's command with this id made; None if there was none."""
        versions = (self._known.get((seat, client_id)) for seat in self.held(owner))
        return next((version for version in versions if version is not None), None)

    def apply(self, owner: str, command: Command) -> NewEvent:
        """Do what a browser wants, if it may; return the event to store, or raise GameError."""
        held = self.held(owner)
        text = command.move if command.verb == "move" else f"!{command.verb}"
        if self.study:
            raise IllegalMoveError(text, "this is a record to look at, not a game to play", "read-only")
        if not held:
            raise IllegalMoveError(text, "only those who sit at this table play here", "not-yours")
        if self.version >= MOST_EVENTS:
            raise IllegalMoveError(text, f"more than {MOST_EVENTS} things happened at this table", "too-long")
        if command.verb == "resign":
            if command.seat not in held:
                raise IllegalMoveError(text, f"seat {command.seat} is not yours", "not-yours")
            self.match.resign(command.seat)
        elif command.verb == "undo":
            self._undo(text)
        else:
            seat = self.match.seat
            if seat is not None and (seat not in held or seat in self.match.out):
                raise IllegalMoveError(text, f"it is the turn of {self.match.names[seat]}", "not-your-turn")
            self.match.play(command.move)
        return self._noted(command.client_id)

    def _undo(self, text: str) -> None:
        ply = self.undo_to()
        if ply is None:
            plies = self.match.position.plies
            last = max((i for i, played in enumerate(plies) if played.seat in self.persons), default=None)
            reason = "nobody has moved yet" if last is None else self.match.why_not_back(last)
            raise IllegalMoveError(text, reason or "the game is over, and what was hidden has been shown", "no-undo")
        self.match.take_back(self.match.position.plies[ply].seat, ply)

    def answer(self, move: str) -> NewEvent:
        """Play the computer's move; return the event to store, or raise GameError."""
        self.match.play(move)
        # No browser may send an id with this sign.
        return self._noted(f"={self.version}")

    def _noted(self, client_id: str) -> NewEvent:
        event = self.match.events[-1]
        self._known[event.seat, client_id] = self.version
        return NewEvent(self.version, event.seat, event.text, client_id, time.time())

    def summary(self) -> Summary:
        """Sum up what lists of tables show."""
        return summary_of(self.match)

    def record(self, owner: str) -> Record:
        """Record what a browser may know."""
        held = self.held(owner)
        return Record.of(self.match, held[0] if len(held) == 1 else None)


def summary_of(match: Match) -> Summary:
    """Sum up a match for lists."""
    return Summary(time.time(), match.seat, match.result if match.is_over else "")


def new_table(game: Game, names: Sequence[str], kinds: Sequence[str], owner: str, settings: dict[str, Any]) -> Saved:
    """Set up a table for a new game; raise OptionError for wrong names."""
    match = Match(game, names)
    return _saved(match, LIVE, kinds, owner, settings)


def study_table(record: Record, owner: str) -> Saved:
    """Set up a table at which a record can be looked at; raise RecordError if it does not replay."""
    match = record.match()
    return _saved(match, STUDY, [PERSON] * match.game.seats, owner, {})


def _saved(match: Match, kind: str, kinds: Sequence[str], owner: str, settings: dict[str, Any]) -> Saved:
    now, game = time.time(), match.game
    told = [NewEvent(i, event.seat, event.text, f"={i}", now) for i, event in enumerate(match.events, 1)]
    return Saved(
        id=secrets.token_urlsafe(9),
        kind=kind,
        game=game.id,
        options=game.given(),
        deck=list(match.deck),
        names=list(match.names),
        kinds=list(kinds),
        owner=owner,
        settings=settings,
        date=match.date,
        created=now,
        changed=now,
        turn=match.seat,
        result=match.result if match.is_over else "",
        events=told,
    )
