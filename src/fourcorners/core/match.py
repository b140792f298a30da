"""A match between named seats, which logs all events, and the record of a match.

The position judges moves; the match handles resignation, draws, takebacks and time (ruling R3). The two classes are in
one module because a match writes its record and a record replays into a match.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from fourcorners.core import arguments, catalogue, commitment, record_format, shuffle
from fourcorners.core.base_position import Outcome
from fourcorners.core.errors import GameError, IllegalMoveError, OptionError, RecordError, quote
from fourcorners.core.game import Game, Position
from fourcorners.core.game_tree import GameTree, is_printable
from fourcorners.core.record_format import UNDO, RecordLine, StudyRow
from fourcorners.core.termination import Termination, describe
from fourcorners.core.tree_format import find_standing, read_tree, write_rows

MAX_NAME_LENGTH = 60
_ONE_LINE = "it must be printable text on one line, without blanks at its ends"


class Event(NamedTuple):
    """An event of a match: a move, or a text that begins with `!`; `public` is its form for the other seats."""

    seat: int
    text: str
    public: str


class Match:
    """A game between named seats.

    `positions` are the positions from the start to now, without moves that were taken back; `events` are all events.
    `out` has the seats that resigned or ran out of time, in that order; `draw_offer` is the seat with an unanswered
    offer, or None. `values` are the seats' values for the shuffle; None if the seats were not asked.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[str] | None = None,
        seed: int | None = None,
        deck: Sequence[str] | None = None,
        date: str | None = None,
        nonce: str | None = None,
        values: Sequence[str | None] | None = None,
        start: Position | None = None,
    ) -> None:
        """Start a match of a game.

        `seats` are the names by seat, None for "seat 0" and so on; `seed` or `deck` determine the deck as in
        `Game.deck`. `date` is an ISO date, None for today (UTC), or empty for an unknown date. `nonce` commits to a
        hidden deck (see `core.commitment`): None draws a new nonce, and an empty one makes no commitment. `values`, one
        or None for each seat, determine the deck together with the nonce (see `core.shuffle`); a given `deck` must
        agree. A match from another position, `start`, has no deck and no commitment.

        Raise OptionError if `game` is not a Game, or for invalid names, deck, seed, date, nonce, values or start.
        """
        if not isinstance(game, Game):
            raise OptionError("game", f"{quote(game)} is not allowed; it must be a Game, as fourcorners.game returns")
        self.game = game
        self.names = _check_names(game, seats)
        self.date = _check_date(date)
        self.values = None if values is None else shuffle.check_values(game, values)
        self.start = None if start is None else _check_start(game, start, seed, deck, nonce, values)
        self.deck: tuple[str, ...] = ()
        self.nonce = self.commitment = ""
        if self.start is None and self.values is None:
            self.deck = game.deck(seed, deck)
            self.nonce = commitment.resolve_nonce(game, nonce)
            opening = game.id, game.given_options(), self.deck, self.nonce
            self.commitment = commitment.commit(*opening) if self.nonce else ""
        elif self.values is not None:
            self.nonce = shuffle.check_nonce(shuffle.new_value() if nonce is None else nonce)
            self.deck = _deal(game, self.nonce, self.values, seed, deck)
            self.commitment = shuffle.commit_nonce(self.nonce)
        self.positions = [game.start(deck=self.deck or None) if self.start is None else self.start]
        self.events: list[Event] = []
        self.out: dict[int, Termination] = {}
        self.draw_offer: int | None = None
        self._agreed = False
        self._seat: int | None = None  # cached once there are events

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the match is over."""
        # A server asks many times for each event.
        return self._seat if self.events else self._find_seat()

    def _find_seat(self) -> int | None:
        """Return the seat to move now; None when the match is over."""
        is_decided = bool(self.out) and len(self._list_parties_left()) == 1
        return None if self._agreed or is_decided else self.position.seat

    @property
    def is_over(self) -> bool:
        """Whether the match is over, by the rules or otherwise."""
        return self.seat is None

    @property
    def outcome(self) -> Outcome | None:
        """The winners and how the match ended; None while it runs. Parties with all seats in `out` cannot win."""
        if self._agreed:
            everybody = tuple(range(self.game.seats))
            return Outcome(everybody, describe(Termination.AGREEMENT), Termination.AGREEMENT)
        if self.seat is not None:
            return None
        parties = self._list_parties_left()
        if self.out and len(parties) == 1:
            seat, termination = next(reversed(self.out.items()))
            return Outcome(parties[0], describe(termination, player=self.names[seat]), termination)
        ended = self.position.outcome
        if ended is None:
            return None
        left = sorted(seat for party in parties for seat in party)
        best = max(self.position.scores[seat] for seat in left)
        return replace(ended, winners=tuple(seat for seat in left if self.position.scores[seat] == best))

    def _list_parties_left(self) -> list[tuple[int, ...]]:
        """Return the parties with a seat that is not in `out`; all parties if there is none."""
        parties = self.game.options.parties
        return [party for party in parties if not all(seat in self.out for seat in party)] or list(parties)

    def play(self, move: str, seat: int | None = None) -> Position:
        """Play a move, log it, and return the new position; a given `seat` must be the seat to move.

        The mover's draw offer stands; the other seat's lapses. Raise NotationError, IllegalMoveError (including if the
        match is over, another seat is to move, or there are too many events), or OptionError if there is no such seat.
        After an error, the match is unchanged.
        """
        to_move = self.position.seat
        if self._check_running(move, to_move if seat is None else seat) != to_move:
            raise IllegalMoveError(_quote_move(move), f"it is seat {to_move}’s turn", "not-your-turn")
        self._check_room(move)
        position = self.position.play(move)
        played = position.last_move
        if len(self.positions) > 1:
            # A server keeps thousands of matches, and hardly ever looks at their old positions.
            self.positions[-2].release_record()
        self.positions.append(position)
        self._log(played.seat, played.move, played.public)
        if self.draw_offer != played.seat:
            self.draw_offer = None
        return position

    def resign(self, seat: int) -> None:
        """Resign for a seat; the match ends if then only one party has a seat that is not in `out`.

        Raise IllegalMoveError if the match is over or the seat is in `out`, OptionError if there is no such seat.
        """
        self._leave(seat, "!resign", Termination.RESIGNATION)

    def flag(self, seat: int) -> None:
        """Remove a seat that ran out of time; effects and errors are the same as for `resign`."""
        self._leave(seat, "!time", Termination.TIMEOUT)

    def _leave(self, seat: int, text: str, termination: Termination) -> None:
        """Add a seat to `out` with this termination and log `text`; raise errors as `resign` does."""
        seat = self._check_running(text, seat)
        if seat in self.out:
            clause = describe(self.out[seat], player=f"seat {seat}")
            raise IllegalMoveError(text, f"{clause} already", "seat-out")
        self.out[seat] = termination
        self._log(seat, text)

    def offer_draw(self, seat: int) -> None:
        """Offer a draw, which stands until the other seat answers or moves, or a move is taken back.

        Raise IllegalMoveError if the match is over, has not exactly two seats, or has an unanswered offer, and
        OptionError if there is no such seat.
        """
        seat = self._check_running("!offer-draw", seat)
        if self.game.seats != 2:
            raise IllegalMoveError("!offer-draw", "only two seats can agree on a draw", "not-two-seats")
        if self.draw_offer is not None:
            raise IllegalMoveError("!offer-draw", "a draw has already been offered", "draw-offered")
        self._check_room("!offer-draw")
        self.draw_offer = seat
        self._log(seat, "!offer-draw")

    def answer_draw(self, seat: int, *, accept: bool) -> None:
        """Accept (the match ends) or decline the draw that the other seat has offered.

        Raise IllegalMoveError if there is no such offer or the match is over, and OptionError if there is no such seat
        or `accept` is not a bool.
        """
        accept = arguments.check_flag("accept", accept)
        text = "!accept-draw" if accept else "!decline-draw"
        seat = self._check_running(text, seat)
        if self.draw_offer in {None, seat}:
            raise IllegalMoveError(text, "the other seat has not offered a draw", "no-draw-offered")
        if not accept:
            self._check_room(text)
        self.draw_offer = None
        self._agreed = accept
        self._log(seat, text)

    def take_back(self, seat: int, plies: int) -> None:
        """Return to the position after `plies` plies, in the name of `seat`, and withdraw any draw offer.

        Raise IllegalMoveError if `find_take_back_obstacle` finds one, or OptionError if there is no such seat.
        """
        seat = self.check_seat(seat)
        reason = self.find_take_back_obstacle(plies)
        if reason:
            raise IllegalMoveError(f"!undo {quote(plies)}", reason, "no-take-back")
        self._check_room(f"!undo {plies}")
        plies = operator.index(plies)
        del self.positions[plies + 1 :]
        self.draw_offer = None
        self._log(seat, f"!undo {plies}")

    def find_take_back_obstacle(self, plies: int) -> str:
        """Explain in a clause why the match cannot return to the position after `plies` plies; empty if it can."""
        played = len(self.positions) - 1
        if not played:
            return "no move has been played"
        kept = arguments.as_int(plies)
        if kept is None or not 0 <= kept < played:
            return f"with {played} {'ply' if played == 1 else 'plies'} played it must be from 0 to {played - 1}"
        if self._agreed or self.out:
            return "a seat has resigned or run out of time, or a draw was agreed"
        hidden_information = self.game.spec.hidden_information
        if hidden_information is not None:
            for before, after in pairwise(self.positions[kept:]):
                if hidden_information.has_drawn(before.record, after.record):
                    return "tiles have been drawn since, and they cannot be put back unseen"
        return ""

    def find_undo_obstacle(self, plies: int) -> str:
        """Return a clause that says why a player cannot undo moves without asking; empty if that is possible.

        Besides the obstacles of `find_take_back_obstacle`, there is one with hidden tiles: tiles that another seat has
        shown since cannot be hidden again. Players may still agree to take such moves back.
        """
        reason = self.find_take_back_obstacle(plies)
        if reason or not self.game.spec.hidden or len({position.seat for position in self.positions[plies:-1]}) == 1:
            return reason
        return "another player has moved since, and what that move showed cannot be hidden again"

    def record(self, seat: int | None = None) -> Record:
        """Return the record that a seat (None: a spectator) may know; raise OptionError for a wrong seat."""
        return Record.of(self, seat)

    def _log(self, seat: int, text: str, public: str = "") -> None:
        """Log an event that has been applied."""
        self._seat = self._find_seat()
        self.events.append(Event(seat, text, public or text))

    def _check_running(self, text: object, seat: int | None) -> int:
        """Return a seat; raise OptionError for a wrong one, or IllegalMoveError, quoting `text`, after the end."""
        if self.is_over:
            raise IllegalMoveError(_quote_move(text), "the game is over", "game-over")
        return self.check_seat(seat)

    def _check_room(self, text: object) -> None:
        """Raise IllegalMoveError, quoting `text`, if the match has no room for events other than its end."""
        if len(self.events) >= record_format.MAX_EVENTS:
            reason = f"a match has at most {record_format.MAX_EVENTS} events, so it can only be resigned or drawn now"
            raise IllegalMoveError(_quote_move(text), reason, "too-many-events")

    def check_seat(self, seat: int | None) -> int:
        """Return a seat as a plain number; raise OptionError unless the match has it."""
        last = self.game.seats - 1
        return arguments.check_int("seat", seat, 0, last, f"0 to {last}")

    @property
    def result(self) -> str:
        """The result in one line: the winners ("draw" if all seats won), the points, and the ending; or "running"."""
        return self.describe_result(self.names)

    def describe_result(self, names: Sequence[str]) -> str:
        """Return the result with `names`, by seat, for players who resigned or ran out of time."""
        outcome = self.outcome
        if outcome is None:
            return "running"
        reason = outcome.reason
        if outcome.termination in {Termination.RESIGNATION, Termination.TIMEOUT}:
            reason = describe(outcome.termination, player=names[next(reversed(self.out))])
        seats = " and ".join(map(str, outcome.winners))
        winners = f"seat {seats} wins" if len(outcome.winners) == 1 else f"seats {seats} win"
        if len(outcome.winners) == self.game.seats:
            winners = "draw"
        return f"{winners} {'-'.join(map(str, self.position.scores))}: {reason}"


def _deal(
    game: Game, nonce: str, values: shuffle.Values, seed: int | None, deck: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the deck that follows from a nonce and values; raise OptionError for a seed or a different deck."""
    if seed is not None:
        raise OptionError("seed", f"{quote(seed)} is not allowed; the deck follows from the nonce and the values")
    dealt = shuffle.deal(game, nonce, values)
    if deck is not None and (given := game.deck(deck=deck)) != dealt:
        tiles = quote(" ".join(given))
        raise OptionError("deck", f"{tiles} is not allowed; it does not follow from the nonce and the values")
    return dealt


def _check_start(game: Game, start: object, *others: object) -> Position:
    """Return the start position of a match, without its history.

    Raise OptionError if it is not a position of this game, or if another argument also determines the start.
    """
    if not isinstance(start, Position) or start.game != game:
        raise OptionError("start", f"{quote(start)} is not allowed; it must be a Position of the game")
    if any(other is not None for other in others):
        raise OptionError("start", "a match from a position has no deck, seed, nonce or values")
    return Position(game, start.states, ())


def _check_names(game: Game, seats: Sequence[str] | None) -> tuple[str, ...]:
    """Return one name for each seat, "seat 0" and so on for None; raise OptionError."""
    if seats is None:
        return tuple(f"seat {seat}" for seat in range(game.seats))
    # The number is compared first, because a sequence such as a range may be longer than the memory.
    is_list = isinstance(seats, Sequence) and not isinstance(seats, str) and len(seats) == game.seats
    given = list(seats) if is_list else []
    names = tuple(str.__str__(name) for name in given if isinstance(name, str))
    if not len(names) == len(given) == game.seats or not all(map(_is_name, names)):
        wrong = next((name for name in given if not isinstance(name, str) or not _is_name(name)), seats)
        wanted = f"a list of {game.seats} names of 1 to {MAX_NAME_LENGTH} characters on one line"
        raise OptionError("seats", f"{quote(wrong)} is not allowed; it must be {wanted}")
    return names


def _is_line(line: object) -> bool:
    """Return whether this is a line of a record, with values of the right types."""
    return isinstance(line, RecordLine) and arguments.as_int(line.seat) is not None and isinstance(line.text, str)


def _is_name(text: str) -> bool:
    """Return whether a text can be a name on one line of a record."""
    return 0 < len(text) <= MAX_NAME_LENGTH and is_printable(text)


def _check_date(date: str | None) -> str:
    """Return an ISO date or an empty text unchanged, today in UTC for None; raise OptionError for other values."""
    if date is None:
        return dt.datetime.now(dt.UTC).date().isoformat()
    text = str.__str__(date) if isinstance(date, str) else None
    with contextlib.suppress(ValueError):
        if text is not None and (not text or dt.date.fromisoformat(text).isoformat() == text):
            return text
    raise OptionError("date", f"{quote(date)} is not allowed; it must be a date such as 2026-11-21")


def _quote_move(move: object) -> str:
    """Return a move for an error message: a text unchanged, other objects quoted."""
    return str.__str__(move) if isinstance(move, str) else quote(move)


@dataclass(frozen=True)
class Record:
    """A match as text; `str(record)` writes it, `Record.parse` reads it.

    `seen_by` is empty if the record is complete. The record of a running game with hidden information is partial: it
    has only the information of one viewer, and `seen_by` names the viewer: "spectator" or a seat such as "seat 0". A
    partial record cannot be replayed, and has commitment and values but neither deck nor nonce.

    `values` are None if the seats were not asked for any. `tree` has the game's moves with comments and variations; it
    is None if there are none or the record is partial, but `open_tree` always returns a tree. `position` is the line of
    the position with which the record begins, empty for the start of the game; a record with a position has no deck.
    `row_numbers` are the numbers of the events' rows in the parsed text, empty if the record was not parsed.
    """

    game: Game
    lines: tuple[RecordLine, ...] = ()
    seats: tuple[str, ...] = ()
    date: str = ""
    result: str = ""
    deck: tuple[str, ...] = ()
    seen_by: str = ""
    commitment: str = ""
    nonce: str = ""
    values: shuffle.Values | None = None
    tree: GameTree | None = None
    row_numbers: tuple[int, ...] = field(default=(), compare=False, repr=False)
    position: str = ""

    def __post_init__(self) -> None:
        """Raise RecordError for a field of another type; replaying the record checks its content."""
        if not isinstance(self.game, Game):
            record_format.fail(0, f"game: {quote(self.game)} is not allowed; it must be a Game")
        if type(self.lines) is not tuple or not all(map(_is_line, self.lines)):
            record_format.fail(0, f"lines: {quote(self.lines)} is not allowed; it must be a tuple of RecordLines")
        if not all(type(line.seat) is int for line in self.lines):
            lines = tuple(RecordLine(operator.index(line.seat), line.text) for line in self.lines)
            object.__setattr__(self, "lines", lines)
        for name, texts in (("seats", self.seats), ("deck", self.deck)):
            if type(texts) is not tuple or not all(isinstance(text, str) for text in texts):
                record_format.fail(0, f"{name}: {quote(texts)} is not allowed; it must be a tuple of texts")
        for name in ("date", "result", "seen_by", "commitment", "nonce", "position"):
            if not isinstance(getattr(self, name), str):
                record_format.fail(0, f"{name}: {quote(getattr(self, name))} is not allowed; it must be text")
        if type(self.row_numbers) is not tuple or None in map(arguments.as_int, self.row_numbers):
            allowed = "it must be a tuple of whole numbers"
            record_format.fail(0, f"row_numbers: {quote(self.row_numbers)} is not allowed; {allowed}")
        self._check_texts()
        if self.tree is not None:
            self._check_tree(self.tree)

    def _check_texts(self) -> None:
        """Raise RecordError for invalid names or dates, and for a text that cannot be part of a row."""
        try:
            _check_names(self.game, self.seats or None)
            _check_date(self.date)
        except OptionError as error:
            raise RecordError(0, error.message) from None
        if len(self.lines) > record_format.MAX_EVENTS + record_format.LAST_EVENTS:
            record_format.fail(0, f"a record has at most {record_format.MAX_EVENTS} events, not {len(self.lines)}")
        texts = [("deck", text) for text in self.deck]
        texts += [(name, getattr(self, name)) for name in ("result", "seen_by", "commitment", "nonce", "position")]
        for name, text in texts:
            if not is_printable(text) or text != text.strip():
                record_format.fail(0, f"{name}: {quote(text)} is not allowed; {_ONE_LINE}")
        for number, line in enumerate(self.lines):
            # Not `is_printable`, which takes longer; moves are written in plain characters.
            if (
                not line.text.isprintable()
                or not line.text
                or line.text != line.text.strip()
                or not 0 <= line.seat < 100
            ):
                row = self.row_numbers[number] if number < len(self.row_numbers) else 0
                message = f"{quote(line.text)} of seat {quote(line.seat)} is not an event; {_ONE_LINE}"
                raise RecordError(row, message, line.text)

    def _check_tree(self, tree: object) -> None:
        """Raise RecordError unless this is a tree of the record's game."""
        if not isinstance(tree, GameTree):
            record_format.fail(0, f"tree: {quote(tree)} is not allowed; it must be a GameTree or None")
        if self.seen_by:
            record_format.fail(0, "a record of what one viewer knows cannot have comments or variations")
        moves = [self.lines[index] for index in find_standing(self.lines)]
        played = [RecordLine(node.seat, node.move) for node in tree.nodes[1 : tree.played + 1]]
        if tree.start.game != self.game or moves != played:
            record_format.fail(0, "the tree is not of this game: its main line must begin with the moves of the record")
        if tree.is_plain:
            # As in the record when it is written and read again.
            object.__setattr__(self, "tree", None)
            return
        text, limit = str(self), record_format.MAX_RECORD_LENGTH
        if len(text) > limit:
            record_format.fail(0, f"the record would have {len(text)} characters; at most {limit} are allowed")
        try:
            record_format.parse(text)
        except RecordError as error:
            record_format.fail(0, f"the record could not be read again: {error.reason}")

    @classmethod
    def of(cls, match: Match, seat: int | None = None) -> Record:
        """Record a match: completely if it is over or hides nothing, else as a seat or spectator (None) saw it.

        Raise OptionError unless this is a Match with that seat.
        """
        if not isinstance(match, Match):
            raise OptionError("match", f"{quote(match)} is not allowed; it must be a Match")
        seat = None if seat is None else match.check_seat(seat)
        partial = match.game.spec.hidden and not match.is_over
        lines = (
            RecordLine(event.seat, event.public if partial and event.seat != seat else event.text)
            for event in match.events
        )
        seen_by = "" if not partial else "spectator" if seat is None else f"seat {seat}"
        deck, nonce = ((), "") if partial else (match.deck, match.nonce)
        header = (match.names, match.date, match.result, deck, seen_by, match.commitment, nonce, match.values)
        position = "" if partial or match.start is None else match.start.text
        return cls(match.game, tuple(lines), *header, position=position)

    def __str__(self) -> str:
        """Return the record as text, in the format that `Record.parse` reads (see `core.record_format`)."""
        given = self.game.given_options()
        header = {
            "game": self.game.id,
            "options": json.dumps(given) if given else "",
            "position": self.position,
            "seats": json.dumps(list(self.seats), ensure_ascii=False) if self.seats else "",
            "date": self.date,
            "result": self.result,
            "commitment": self.commitment,
            "deck": " ".join(self.deck),
            "nonce": self.nonce,
            "values": "" if self.values is None else shuffle.write_values(self.values),
            "seen by": self.seen_by,
        }
        if self.tree is not None and not self.tree.is_plain:
            return record_format.write_study(header, write_rows(self.lines, self.tree))
        return record_format.write(header, self.lines)

    def open_tree(self) -> GameTree:
        """Return the record's tree, or a tree of its moves alone; raise RecordError if replaying fails."""
        return self.tree or read_tree(self.lines, (), self.match().positions)

    def with_tree(self, tree: GameTree) -> Record:
        """Return this record with another tree, which must begin with the same moves.

        Raise RecordError if it does not, if the record is partial, or if the result would be too long to be read again.
        """
        return replace(self, tree=tree)

    @classmethod
    def parse(cls, text: str, check: Callable[[], None] | None = None) -> Record:
        """Parse a record and replay it, unless it is partial; raise RecordError, with line, move and reason.

        A result in the text must have the winners and points of the replayed match; the result of a partial record is
        not checked. `check` is called before each event; its errors end the replay.
        """
        return cls.read(text, check)[0]

    @classmethod
    def replay(cls, text: str, check: Callable[[], None] | None = None) -> Match:
        """Parse and replay a record, which must not be partial, and return the match; raise RecordError as `parse`
        does.

        `parse(text).match()` returns an equal match, but replays twice. `check` is called before each event; its errors
        end the replay.
        """
        record, match = cls.read(text, check)
        return match or record.match(check)

    @classmethod
    def read_unplayed(cls, text: str) -> Record:
        """Parse a record that was replayed before it was written, without checking its moves; raise RecordError.

        Comments and variations are left out.
        """
        return cls._read_fields(text)[0]

    @classmethod
    def read(cls, text: str, check: Callable[[], None] | None = None) -> tuple[Record, Match | None]:
        """Parse and check a record as `parse` does; return it with the replayed match, None for a partial record."""
        record, study = cls._read_fields(text)
        if record.seen_by:
            return record, None
        match = record.match(check)
        result, actual = record.result, match.result
        # Only winners and points count: earlier versions worded endings differently.
        if result and result.partition(": ")[0] != actual.partition(": ")[0]:
            record_format.fail(0, f"the result is given as {quote(result)}, but it is {quote(actual)}")
        if study:
            record = replace(record, tree=read_tree(record.lines, study, match.positions, check))
        return record, match

    @classmethod
    def _read_fields(cls, text: str) -> tuple[Record, tuple[StudyRow, ...]]:
        """Parse a record without replaying it; return it with its study rows. Raise RecordError."""
        header, lines, row_numbers, study = record_format.parse(text)
        given = record_format.parse_json(header.get("options", "{}"), dict)
        try:
            game = catalogue.game(header["game"], **given)
        except GameError as error:
            raise RecordError(0, error.message) from None
        seats = tuple(record_format.parse_json(header["seats"], list)) if "seats" in header else ()
        date, result, seen_by = (header.get(name, "") for name in ("date", "result", "seen by"))
        deck = tuple(header.get("deck", "").split())
        committed, nonce = header.get("commitment", ""), header.get("nonce", "")
        values = shuffle.read_values(header["values"]) if "values" in header else None
        position = header.get("position", "")
        record = cls(
            game, lines, seats, date, result, deck, seen_by, committed, nonce, values, None, row_numbers, position
        )
        if seen_by:
            record._check_partial()
            if study:
                message = "a record of what one viewer knows cannot have comments or variations"
                record_format.fail(study[0].number, message)
        return record, study

    def _check_partial(self) -> None:
        """Check a partial record's header, except the result, and the form of its events; raise RecordError."""
        viewers = ["spectator", *(f"seat {seat}" for seat in range(self.game.seats))]
        if not self.game.spec.hidden or self.seen_by not in viewers:
            allowed = " or ".join(viewers) if self.game.spec.hidden else "left out, because this game hides nothing"
            record_format.fail(0, f"seen by: {quote(self.seen_by)} is not allowed; it must be {allowed}")
        if self.deck or self.nonce or self.position:
            found = "deck" if self.deck else "nonce" if self.nonce else "position"
            record_format.fail(0, f"a record of what one viewer knows must not have a {found}")
        if self.commitment and not commitment.is_commitment(self.commitment):
            given = quote(self.commitment)
            record_format.fail(0, f"the commitment is given as {given}; it must be 64 hexadecimal digits")
        if self.values is not None:
            try:
                shuffle.check_values(self.game, self.values)
            except OptionError as error:
                raise RecordError(0, error.message) from None
        start = self.game.start(seed=0).record
        for number, line in zip(self.row_numbers, self.lines, strict=True):
            if line.seat >= self.game.seats:
                record_format.fail(number, f"there is no seat {line.seat}: it must be from 0 to {self.game.seats - 1}")
            try:
                if not line.text.startswith("!"):
                    self.game.spec.notation.parse(start, line.text)
                elif line.text not in _EVENT_HANDLERS and not UNDO.fullmatch(line.text):
                    raise _unknown_event(line.text)
            except GameError as error:
                if error.code != "hidden":
                    raise RecordError(number, error.message, line.text, error.message) from None

    def match(self, check: Callable[[], None] | None = None) -> Match:
        """Replay the record into a new match, without comparing the result; raise RecordError.

        The record must not be partial or illegal. It must have the hidden deck, if any, which must match any commitment
        with its nonce. With values, the commitment is to the nonce alone, and the deck must follow from the nonce and
        the values. `check` is as for `replay`.
        """
        if self.seen_by:
            viewer = quote(self.seen_by).strip("'")
            record_format.fail(0, f"this record contains only what {viewer} may know, so it cannot be replayed")
        if self.position and (self.deck or self.nonce or self.commitment or self.values is not None):
            record_format.fail(0, "a record that starts from a given position has no deck, nonce, commitment or values")
        if self.game.spec.hidden and not self.deck and not self.position:
            record_format.fail(0, "the header has no deck")
        if self.commitment and not self.nonce:
            record_format.fail(0, "the header has a commitment but no nonce, so the deck cannot be verified")
        deck, nonce, values = self.deck or None, self.nonce, self.values
        try:
            start = self.game.position(self.position) if self.position else None
            nonce_given = None if start is not None else nonce
            match = Match(
                self.game, self.seats or None, deck=deck, date=self.date, nonce=nonce_given, values=values, start=start
            )
        except GameError as error:
            raise RecordError(0, error.message) from None
        if match.commitment != self.commitment:
            subject = "the deck and the nonce do" if values is None else "the nonce does"
            given = f"the commitment {quote(self.commitment)}" if self.commitment else "a missing commitment"
            record_format.fail(0, f"{subject} not match {given}")
        for offset, line in enumerate(self.lines):
            if check is not None:
                check()
            try:
                apply_event(match, line.seat, line.text)
            except GameError as error:
                number = self.row_numbers[offset] if offset < len(self.row_numbers) else 0
                raise RecordError(number, error.message, line.text, error.reason) from None
        return match


def apply_event(match: Match, seat: int, text: str) -> None:
    """Apply one event of a record, a move or a text that begins with `!`, to a match in place; raise GameError."""
    undo = UNDO.fullmatch(text)
    if not text.startswith("!"):
        match.play(text, seat)
    elif undo is not None:
        match.take_back(seat, int(undo[1]))
    elif text in _EVENT_HANDLERS:
        _EVENT_HANDLERS[text](match, seat)
    else:
        raise _unknown_event(text)


def _unknown_event(text: str) -> RecordError:
    """Return the error for a text that begins with `!` but is not an event."""
    allowed = f"it must be a move, {', '.join(_EVENT_HANDLERS)} or !undo with a number of plies"
    return RecordError(0, f"{quote(text)} is not an event: {allowed}", text)


_EVENT_HANDLERS: dict[str, Callable[[Match, int], None]] = {
    "!resign": Match.resign,
    "!time": Match.flag,
    "!offer-draw": Match.offer_draw,
    "!accept-draw": lambda match, seat: match.answer_draw(seat, accept=True),
    "!decline-draw": lambda match, seat: match.answer_draw(seat, accept=False),
}
