"""A match: a game between named seats, with everything that happens to it as events, and its record.

Moves are judged by the position; resigning, draws, take-backs and time belong here (ruling R3).
"""

from __future__ import annotations

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fourcorners.core import catalogue, commitment, record_format
from fourcorners.core.errors import GameError, IllegalMoveError, OptionError, RecordError, quote
from fourcorners.core.game import Game
from fourcorners.core.position import Outcome, Position
from fourcorners.core.record_format import Line

LONGEST_NAME = 60
_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}
_UNDO = re.compile(r"!undo (0|[1-9][0-9]{0,5})", re.ASCII)


class Event(NamedTuple):
    """One thing that happened: a move, or a word beginning with `!`; `public` is how the other seats see it."""

    seat: int
    text: str
    public: str


class Match:
    """A game being played; `positions` is the line from the start to now, `events` all that ever happened."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[str] | None = None,
        seed: int | None = None,
        deck: Sequence[str] | None = None,
        date: str | None = None,
        nonce: str | None = None,
    ) -> None:
        """Start a match; raise OptionError for wrong names, deck, seed, date or nonce.

        A date of None is today, an empty one unknown. Where a deck is hidden it is committed to with the nonce (see
        core/commitment.py): None draws a new one, an empty one makes no commitment.
        """
        if not isinstance(game, Game):
            raise OptionError("game", f"{quote(game)} is not allowed; it may be a Game, such as fourcorners.game gives")
        self.game = game
        self.names = _checked_names(game, seats)
        self.date = _checked_date(date)
        self.deck = game.deck(seed, deck)
        self.nonce = commitment.settled_nonce(game, nonce)
        self.commitment = commitment.commit(game.id, game.given(), self.deck, self.nonce) if self.nonce else ""
        self.positions = [game.start(deck=self.deck or None)]
        self.events: list[Event] = []
        self.out: dict[int, str] = {}
        self.draw_offer: int | None = None
        self._agreed = False

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the match is over."""
        return None if self.is_over else self.position.seat

    @property
    def is_over(self) -> bool:
        """Whether the match is over, by the rules or otherwise."""
        return self._agreed or self.position.is_over or bool(self.out and len(self._sides_left()) == 1)

    @property
    def outcome(self) -> Outcome | None:
        """Who won and why; seats that resigned or ran out of time rank below all others."""
        if self._agreed:
            return Outcome(tuple(range(self.game.seats)), "the players agreed on a draw")
        sides = self._sides_left()
        if self.out and len(sides) == 1:
            seat, word = next(reversed(self.out.items()))
            return Outcome(sides[0], f"{self.names[seat]} {word}")
        if not self.position.is_over:
            return None
        left = [seat for side in sides for seat in side]
        best = max(self.position.scores[seat] for seat in left)
        ended = self.position.outcome
        reason = ended.reason if ended else ""
        return Outcome(tuple(seat for seat in sorted(left) if self.position.scores[seat] == best), reason)

    def _sides_left(self) -> list[tuple[int, ...]]:
        """Return the teams, or single seats, of which somebody still plays (a team plays on with one of its seats)."""
        sides = self.game.options.parties
        return [side for side in sides if not all(seat in self.out for seat in side)] or list(sides)

    def play(self, move: str, seat: int | None = None) -> Position:
        """Play a move for the seat to move; a seat that is given must be that one."""
        self._check_running(move)
        to_move = self.position.seat
        if seat is not None:
            self._check_seat(seat)
            if seat != to_move:
                raise IllegalMoveError(_as_text(move), f"it is the turn of seat {to_move}", "not-your-turn")
        after = self.position.play(move)
        played = after.last_played
        self.positions.append(after)
        self._note(played.seat, played.move, played.public)
        if self.draw_offer is not None and self.draw_offer != played.seat:
            self.draw_offer = None
        return after

    def resign(self, seat: int) -> None:
        """Give up for a seat; with more than two sides the others play on."""
        self._leave(seat, "!resign", "resigned")

    def flag(self, seat: int) -> None:
        """Note that a seat ran out of time."""
        self._leave(seat, "!time", "ran out of time")

    def _leave(self, seat: int, text: str, word: str) -> None:
        self._check_running(text)
        self._check_seat(seat)
        if seat in self.out:
            raise IllegalMoveError(text, f"seat {seat} already {self.out[seat]}", "seat-out")
        self.out[seat] = word
        self._note(seat, text)

    def offer_draw(self, seat: int) -> None:
        """Offer a draw; it stands until the other seat answers or moves."""
        self._check_running("!offer-draw")
        self._check_seat(seat)
        if self.game.seats != 2:
            raise IllegalMoveError("!offer-draw", "a draw can be agreed only between two seats", "not-two-seats")
        if self.draw_offer is not None:
            raise IllegalMoveError("!offer-draw", "a draw is offered already", "draw-offered")
        self.draw_offer = seat
        self._note(seat, "!offer-draw")

    def answer_draw(self, seat: int, *, accept: bool) -> None:
        """Accept or decline the other seat's offer."""
        text = "!accept-draw" if accept else "!decline-draw"
        self._check_running(text)
        self._check_seat(seat)
        if self.draw_offer is None or self.draw_offer == seat:
            raise IllegalMoveError(text, "the other seat has not offered a draw", "no-draw-offered")
        self.draw_offer = None
        self._agreed = accept
        self._note(seat, text)

    def take_back(self, seat: int, plies: int) -> None:
        """Go back to the position after so many plies; never past a draw of hidden tiles."""
        self._check_seat(seat)
        reason = self.why_not_back(plies)
        if reason:
            raise IllegalMoveError(f"!undo {quote(plies)}", reason, "no-take-back")
        del self.positions[plies + 1 :]
        self.draw_offer = None
        self._note(seat, f"!undo {plies}")

    def why_not_back(self, plies: int) -> str:
        """Say why the match cannot go back to the position after so many plies; empty if it can."""
        played = len(self.positions) - 1
        if not played:
            return "no move has been played"
        if type(plies) is not int or not 0 <= plies < played:
            return f"with {played} {'ply' if played == 1 else 'plies'} played it may be 0 to {played - 1}"
        if self._agreed or self.out:
            return "the match was given up or agreed"
        if self.game.spec.hidden:
            drew = getattr(self.game.spec.notation, "drew", None)
            for before, after in zip(self.positions[plies:], self.positions[plies + 1 :], strict=False):
                if drew is None or drew(before.record, after.record):
                    return "tiles were drawn since, and what was seen cannot be unseen"
        return ""

    def record(self, seat: int | None = None) -> Record:
        """Record the match: all of it once it is over or if nothing is hidden, else what the seat may know."""
        if seat is not None:
            self._check_seat(seat)
        return Record.of(self, seat)

    def _note(self, seat: int, text: str, public: str = "") -> None:
        self.events.append(Event(seat, text, public or text))

    def _check_running(self, text: object) -> None:
        if self.is_over:
            raise IllegalMoveError(_as_text(text), "the game is over", "game-over")

    def _check_seat(self, seat: int) -> None:
        if type(seat) is not int or not 0 <= seat < self.game.seats:
            raise OptionError("seat", f"{quote(seat)} is not allowed; it may be 0 to {self.game.seats - 1}")

    @property
    def result(self) -> str:
        """The result in one line."""
        outcome = self.outcome
        if outcome is None:
            return "running"
        points = "-".join(str(value) for value in self.position.scores)
        seats = " and ".join(str(seat) for seat in outcome.winners)
        if len(outcome.winners) == 1:
            return f"seat {seats} wins {points}: {outcome.reason}"
        if len(outcome.winners) == self.game.seats:
            return f"draw {points}: {outcome.reason}"
        return f"seats {seats} win {points}: {outcome.reason}"


def _checked_names(game: Game, seats: Sequence[str] | None) -> tuple[str, ...]:
    if seats is None:
        return tuple(f"seat {seat}" for seat in range(game.seats))
    given = list(seats) if isinstance(seats, Sequence) and not isinstance(seats, str) else []
    names = tuple(str.__str__(name) for name in given if isinstance(name, str))
    if not len(names) == len(given) == game.seats or not all(map(_is_name, names)):
        wanted = f"a list of {game.seats} names of 1 to {LONGEST_NAME} characters on one line"
        raise OptionError("seats", f"{quote(seats)} is not allowed; it may be {wanted}")
    return names


def _is_name(text: str) -> bool:
    """Tell whether a text can stand as a name on one line of a record."""
    return 0 < len(text) <= LONGEST_NAME and not any(unicodedata.category(sign) in _UNPRINTABLE for sign in text)


def _checked_date(date: str | None) -> str:
    if date is None:
        return dt.datetime.now(dt.UTC).date().isoformat()
    text = str.__str__(date) if isinstance(date, str) else None
    try:
        if text is not None and (not text or dt.date.fromisoformat(text).isoformat() == text):
            return text
    except ValueError:
        pass
    raise OptionError("date", f"{quote(date)} is not allowed; it may be a date such as 2026-11-21")


def _as_text(move: object) -> str:
    return str.__str__(move) if isinstance(move, str) else quote(move)


@dataclass(frozen=True)
class Record:
    """A match as text; `str(record)` writes it, `Record.parse` reads it.

    `seen_by` is empty when the record holds everything; otherwise it names the seat, or "spectator", that may know
    what is in it: the record of a running game with hidden information. Such a record cannot be replayed. It has the
    commitment, but neither the deck nor the nonce.
    """

    game: Game
    lines: tuple[Line, ...] = ()
    seats: tuple[str, ...] = ()
    date: str = ""
    result: str = ""
    deck: tuple[str, ...] = ()
    seen_by: str = ""
    commitment: str = ""
    nonce: str = ""
    first_line: int = field(default=0, compare=False)

    @classmethod
    def of(cls, match: Match, seat: int | None = None) -> Record:
        """Record a match: all of it once it is over or if nothing is hidden, else what the seat may know."""
        partial = match.game.spec.hidden and not match.is_over
        lines = (
            Line(event.seat, event.public if partial and event.seat != seat else event.text) for event in match.events
        )
        seen_by = "" if not partial else "spectator" if seat is None else f"seat {seat}"
        deck, nonce = ((), "") if partial else (match.deck, match.nonce)
        told = (match.names, match.date, match.result, deck, seen_by, match.commitment, nonce)
        return cls(match.game, tuple(lines), *told)

    def __str__(self) -> str:
        """Write the record."""
        given = self.game.given()
        header = {
            "game": self.game.id,
            "options": json.dumps(given) if given else "",
            "seats": json.dumps(list(self.seats), ensure_ascii=False) if self.seats else "",
            "date": self.date,
            "result": self.result,
            "commitment": self.commitment,
            "deck": " ".join(self.deck),
            "nonce": self.nonce,
            "seen by": self.seen_by,
        }
        return record_format.write(header, self.lines)

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read a record and replay it; raise RecordError naming line, move and reason."""
        header, lines, first_line = record_format.read(text)
        given = record_format.from_json(header.get("options", "{}"), dict)
        try:
            game = catalogue.game(header["game"], **given)
        except GameError as error:
            raise RecordError(0, error.message) from None
        seats = tuple(record_format.from_json(header["seats"], list)) if "seats" in header else ()
        date, result, seen_by = (header.get(name, "") for name in ("date", "result", "seen by"))
        deck = tuple(header.get("deck", "").split())
        committed, nonce = header.get("commitment", ""), header.get("nonce", "")
        record = cls(game, lines, seats, date, result, deck, seen_by, committed, nonce, first_line)
        if seen_by:
            record._check_partial()
        else:
            reached = record.match().result
            if result and result != reached:
                record_format.fail(0, f"the result is given as {quote(result)}, but it is {quote(reached)}")
        return record

    def _check_partial(self) -> None:
        """Check of a record with hidden moves what can be checked without playing them."""
        viewers = ["spectator", *(f"seat {seat}" for seat in range(self.game.seats))]
        if not self.game.spec.hidden or self.seen_by not in viewers:
            allowed = " or ".join(viewers) if self.game.spec.hidden else "left out, as nothing is hidden in this game"
            record_format.fail(0, f"seen by: {quote(self.seen_by)} is not allowed; it may be {allowed}")
        if self.deck or self.nonce:
            record_format.fail(0, f"a record of what one viewer knows has no {'deck' if self.deck else 'nonce'}")
        if self.commitment and not commitment.is_commitment(self.commitment):
            record_format.fail(
                0, f"the commitment is given as {quote(self.commitment)}; it is 64 digits 0 to 9 and a to f"
            )
        try:
            _checked_names(self.game, self.seats or None)
            _checked_date(self.date)
        except OptionError as error:
            raise RecordError(0, error.message) from None
        start = self.game.start(seed=0).record
        for number, line in enumerate(self.lines, self.first_line):
            if line.seat >= self.game.seats:
                record_format.fail(number, f"there is no seat {line.seat}: it may be 0 to {self.game.seats - 1}")
            try:
                if not line.text.startswith("!"):
                    self.game.spec.notation.parse(start, line.text)
                elif line.text not in _WORDS and not _UNDO.fullmatch(line.text):
                    raise _no_event(line.text)
            except GameError as error:
                if error.code != "hidden":
                    raise RecordError(number, error.message, line.text, error.message) from None

    def match(self) -> Match:
        """Replay the record into a match; raise RecordError."""
        if self.seen_by:
            record_format.fail(0, f"this record holds only what {self.seen_by} may know, so it cannot be replayed")
        if self.game.spec.hidden and not self.deck:
            record_format.fail(0, "the header has no deck")
        if self.commitment and not self.nonce:
            record_format.fail(0, "the header has a commitment and no nonce, so it cannot be checked")
        try:
            match = Match(self.game, self.seats or None, deck=self.deck or None, date=self.date, nonce=self.nonce)
        except GameError as error:
            raise RecordError(0, error.message) from None
        if match.commitment != self.commitment:
            found = f"do not fit the commitment {quote(self.commitment)}" if self.commitment else "have no commitment"
            record_format.fail(0, f"the deck and the nonce {found}")
        for offset, line in enumerate(self.lines):
            try:
                replay_line(match, line.seat, line.text)
            except GameError as error:
                reason = getattr(error, "reason", error.message)
                number = self.first_line + offset if self.first_line else 0
                raise RecordError(number, error.message, line.text, reason) from None
        return match


def replay_line(match: Match, seat: int, text: str) -> None:
    """Apply one event of a record to a match; raise GameError."""
    undo = _UNDO.fullmatch(text)
    if not text.startswith("!"):
        match.play(text, seat)
    elif undo is not None:
        match.take_back(seat, int(undo[1]))
    elif text in _WORDS:
        _WORDS[text](match, seat)
    else:
        raise _no_event(text)


def _no_event(text: str) -> RecordError:
    message = f"{quote(text)} is no event: it may be a move, {', '.join(_WORDS)} or !undo with a number of plies"
    return RecordError(0, message, text)


_WORDS: dict[str, Callable[[Match, int], None]] = {
    "!resign": Match.resign,
    "!time": Match.flag,
    "!offer-draw": Match.offer_draw,
    "!accept-draw": lambda match, seat: match.answer_draw(seat, accept=True),
    "!decline-draw": lambda match, seat: match.answer_draw(seat, accept=False),
}
