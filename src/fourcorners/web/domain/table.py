"""A table: a match, who holds its chairs, its clock, and what each player may see there.

`domain.actions` decides what players may do; every change ends in `Table.apply_event`, which a replay uses as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.game import Game, Position, View
from fourcorners.core.match import Match, Record, apply_event
from fourcorners.core.narration import Narration, narrate
from fourcorners.web.domain.clocks import Outage, TimeControl
from fourcorners.web.domain.command_digest import is_by
from fourcorners.web.domain.position_hashes import list_hashes
from fourcorners.web.domain.rows import Chair, StoredTable, Summary, TableEvent
from fourcorners.web.domain.seating import Seating
from fourcorners.web.domain.seats import COMPUTER, Strength, get_middle_strength, parse_strength
from fourcorners.web.domain.shuffle import REVEAL_SECONDS, SeatChoice, ShuffleValues
from fourcorners.web.domain.table_clock import TableClock

LIVE, STUDY = "live", "study"
GUARDED_FROM = 3
"""The ply from which on engines give no help with the position of a running game: openings occur in every game."""
OTHER_RULES = "This game was stored by another version of the rules and cannot be shown."
OVER = ("the game is over", "game-over")
NOT_STARTED = ("the game starts when every seat is taken", "not-started")
"""Why no one can move, and the code for that."""
NOT_YOUR_TURN = "it is {}’s turn"
NOT_YOURS = "seat {} is not yours"
SHUFFLING = "the tiles are being shuffled; the game starts in a moment"
NOT_REPLAYED = "the stored events of a table do not replay"
"""What the log says of a table that other rules have stored."""
ABANDONED = "abandoned"
"""The result of a table that was closed before its game was over."""
YOU, GUEST = "You", "Guest"
"""The names of a player without a name: of one who plays alone at a screen, and of all others."""
BESIDE_THE_BOARD = {
    *("!offer-draw", "!decline-draw", "@ask-undo", "@agree-undo", "@refuse-undo"),
    *("@ask-again", "@refuse-again", "@again", "@value"),
}
"""The events that change neither the position, nor the turn, nor who plays."""


class Perspective(NamedTuple):
    """The seat whose knowledge a browser sees (None: a spectator's), and whether a curtain covers the hands.

    The curtain stays until the next person at the same screen takes over.
    """

    viewer: int | None
    curtain: bool


class TakebackRequest(NamedTuple):
    """The request of a seat to go back to the position after `ply` plies, and the seats that have agreed so far."""

    seat: int
    ply: int
    agreed: frozenset[int]


class RematchRequest(NamedTuple):
    """The seats whose players want a rematch, the one who asked first, each with the hash of its value for the shuffle,
    which may be empty; if there are none, the seat `declined` has refused.
    """

    hashes: Mapping[int, str]
    declined: int | None = None


class EarlierCommand(NamedTuple):
    """A command that was applied: the version that it produced, and its digest, see `domain.command_digest`."""

    version: int
    digest: str


class ReplayError(GameError):
    """What is stored of a table does not replay under the rules of this program; `reason` says so to people."""

    def __init__(self, error: GameError) -> None:
        """Keep the message of the error that the rules have raised."""
        super().__init__(error.message, "other-rules")
        self.reason = OTHER_RULES


@lru_cache(maxsize=256)
def _share_game(id_: str, game: Game) -> Game:
    """Return the same object for all tables with the game or preset `id_` and equal options, which are compared at each
    move: comparing different objects takes longer.
    """
    return game


class Table:
    """A table as replayed from its stored events; its version is the number of these events.

    `board_version` is the version of the last event that changed the position, the turn or who plays. A command made
    for that version or any later one was made for the current board. `last_undo_version` is the version of the last
    takeback. `rematch_id` is the table of the rematch, once all have agreed, `rating_changes` the rating points before
    and after by seat. `shuffle` has what the seats give for a fair shuffle; it is None without a hidden deck, or if
    that was chosen when the table was set up, as in records and by earlier versions. Until the game starts, the match
    has some other deck.
    """

    def __init__(
        self, row: StoredTable, outages: Sequence[Outage] = (), check: Callable[[], None] | None = None
    ) -> None:
        """Replay a stored table; raise ReplayError if the current rules reject its options, deck or events. `outages`
        is kept, not copied: an outage appended later is not charged to any clock either. `check` is called before each
        event; its errors end the replay.
        """
        try:
            self.row = row
            self.seating = Seating(row.chairs)
            self.shuffle = ShuffleValues(len(self.chairs)) if row.nonce and not row.deck else None
            self._is_dealt = False
            game = _share_game(row.game, catalogue.game(row.game, **row.options))
            self.match = self._build_match(game, seat_labels(self.chairs), row.deck)
            self.study = row.kind == STUDY
            self.started = row.started
            self.version = self.board_version = self.last_undo_version = 0
            self.takeback_request: TakebackRequest | None = None
            self.rematch_request: RematchRequest | None = None
            self.rematch_id: str | None = None
            self.closed = False
            self.rating_changes: list[tuple[int, int] | None] | None = None
            control = TimeControl.from_stored(row.settings.get("clock"))
            self.clock = TableClock(control, len(self.chairs), row.created, outages)
            self._seated_at = row.created
            self._narrations: dict[int | None, list[Narration]] = {}
            self._commands: dict[tuple[int, str], EarlierCommand] = {}
            self._start_clock()
            for event in row.events:
                if check is not None:
                    check()
                self.apply_event(event)
            if self.started is not None:
                self._deal()
        except GameError as error:
            raise ReplayError(error) from error

    def _build_match(self, game: Game, names: Sequence[str], deck: Sequence[str]) -> Match:
        """Return a new match; its deck is `deck`, if not empty, or follows from the values, none before the deal."""
        unknown = [None] * game.seats
        values = None if self.shuffle is None else self.shuffle.values if self._is_dealt else unknown
        return Match(game, names, deck=deck or None, date=self.row.date, nonce=self.row.nonce, values=values)

    def _deal(self) -> None:
        """Give the match the deck that follows from all values, once, when the game starts or its first move comes."""
        if self.shuffle is not None and not self._is_dealt:
            self._is_dealt = True
            self.match = self._build_match(self.match.game, self.match.names, ())
            self._narrations.clear()

    @property
    def id(self) -> str:
        """The table's id in URLs."""
        return self.row.id

    @property
    def chairs(self) -> tuple[Chair, ...]:
        """The chairs by seat."""
        return self.seating.chairs

    def replace_chair(self, chair: Chair) -> None:
        """Put a chair in place of the one of the same seat."""
        self.seating = self.seating.replace([chair])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of player at each seat: a person, or a computer with its strength."""
        return self.seating.kinds

    @property
    def person_seats(self) -> tuple[int, ...]:
        """The seats of people, open ones included."""
        return self.seating.person_seats

    @property
    def players(self) -> frozenset[str]:
        """The ids of the people who hold chairs."""
        return self.seating.players

    @property
    def hidden(self) -> bool:
        """Whether seats know different things."""
        return self.match.game.spec.hidden

    @property
    def is_rated(self) -> bool:
        """Whether the table was set up to count for ratings."""
        return bool(self.row.settings.get("rated"))

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be played here."""
        return self.match.is_over or self.closed

    @property
    def seat(self) -> int | None:
        """The seat to move; None before the start and at the end."""
        return None if self.started is None or self.closed else self.match.seat

    @property
    def is_revealed(self) -> bool:
        """Whether everything may be shown, such as exact values: after the end, and in records without hidden hands."""
        return self.match.is_over or (self.study and not self.hidden)

    @property
    def hides_points(self) -> bool:
        """Whether no one may learn points from the server, as players want to count them on the board at the end."""
        return not self.is_over and self.counts_points

    @property
    def counts_points(self) -> bool:
        """Whether points are hidden until the end, and are counted on the board if the game is played to its end."""
        can_hide = self.match.game.spec.presentation.points_clause is not None
        return can_hide and bool(self.row.settings.get("hide_points"))

    @property
    def allows_advice(self) -> bool:
        """Whether hints and evaluations are allowed during the game: neither between people nor in rated games, nor
        where points are hidden, which both would tell.
        """
        return len(self.players) < 2 and not self.is_rated and not self.hides_points

    @property
    def continues_unwatched(self) -> bool:
        """Whether the computer moves even while no one is connected, because someone waits or a clock runs."""
        return len(self.players) > 1 or (bool(self.players) and self.clock.control.initial_seconds > 0)

    def player_seats(self, player: str) -> tuple[int, ...]:
        """Return the seats that a player holds, in order, including those that resigned; none in a record."""
        return () if self.study else self.seating.find_seats(player)

    def names_for(self, player: str) -> tuple[str, ...]:
        """Return the name at each seat as a player reads them: who is "You" at a screen is a guest to all others."""
        if YOU not in self.match.names:
            return tuple(self.match.names)
        own = self.player_seats(player)
        return tuple(
            GUEST if name == YOU and chair.player not in {None, player} and chair.seat not in own else name
            for name, chair in zip(self.match.names, self.chairs, strict=True)
        )

    def active_seats(self, player: str) -> tuple[int, ...]:
        """Return the seats that a player holds and that have neither resigned nor run out of time."""
        own, out = self.player_seats(player), self.match.out
        return tuple(seat for seat in own if seat not in out) if out else own

    def other_person_seats(self, player: str) -> tuple[int, ...]:
        """Return the seats that other people hold and that have neither resigned nor run out of time."""
        return tuple(seat for seat in self.seating.find_others_seats(player) if seat not in self.match.out)

    def open_seats(self, player: str) -> tuple[int, ...]:
        """Return the seats that are open to a player, some perhaps reserved; none in a record or at a closed table."""
        if self.study or self.closed:
            return ()
        untaken = [self.chairs[seat] for seat in self.seating.person_seats if not self.chairs[seat].taken]
        return tuple(chair.seat for chair in untaken if chair.player in {None, player})

    def is_participant(self, player: str) -> bool:
        """Return whether a player set up the table or has a chair, taken or reserved; all others are spectators."""
        return player == self.row.owner or player in self.seating.participants

    def can_move(self, player: str) -> bool:
        """Return whether a player holds the seat to move and has not resigned it nor run out of time."""
        seat = self.seat
        return seat is not None and seat in self.active_seats(player)

    def choose_perspective(self, player: str, wanted_seat: int | None) -> Perspective:
        """Decide what a player's browser shows when it asks to see the table as `wanted_seat` (None: no preference).

        A player with one seat sees the table as that seat. One with several chooses among them, by default the first;
        with hidden hands there is no default, and a curtain comes before the hand of another own seat whose turn it is,
        unless only that one is still in the game. In a record its owner chooses any seat. All others are spectators,
        and so is everyone before a game with hidden hands starts. A choice that is not allowed counts as none.
        """
        if self.study:
            allowed = player == self.row.owner and wanted_seat is not None and wanted_seat < self.match.game.seats
            return Perspective(wanted_seat if allowed else None, curtain=False)
        if self.hidden and self.started is None:
            # A player could sit down, look, stand up and sit elsewhere, and would know two hands.
            return Perspective(None, curtain=False)
        own = self.player_seats(player)
        if len(own) == 1:
            return Perspective(own[0], curtain=False)
        wanted_seat = wanted_seat if wanted_seat in own else None
        if own and not self.hidden:
            return Perspective(own[0] if wanted_seat is None else wanted_seat, curtain=False)
        active, to_move = self.active_seats(player), self.seat
        if self.hidden and to_move in active and wanted_seat != to_move:
            # Several people share this screen: the next one must confirm before a hand is shown.
            return Perspective(None, curtain=True) if len(active) > 1 else Perspective(to_move, curtain=False)
        return Perspective(wanted_seat, curtain=False)

    def computer_strength(self) -> Strength | None:
        """Return the strength of the computer to move, which may replace a person who resigned in a game of three or
        more; None if a person is to move, or no one.
        """
        seat, spec = self.seat, self.match.game.spec
        if seat is None or self.study:
            return None
        if self.kinds[seat].startswith(COMPUTER):
            return parse_strength(self.kinds[seat], spec)
        return get_middle_strength(spec) if seat in self.match.out else None

    def narrate_plies(self, viewer: int | None) -> list[Narration]:
        """Return all plies in words as a seat saw them, or a spectator (None); each is described once and kept."""
        viewer = viewer if self.hidden else None
        known = self._narrations.setdefault(viewer, [])
        positions = self.match.positions[len(known) :]
        for before, after in pairwise(positions):
            known.append(narrate(before, after, viewer))
        for position in positions[:-2]:
            position.release_record()  # a table that was just loaded has many
        return known

    def hint_view(self, player: str, wanted_seat: int | None) -> View:
        """Return what the seat to move knows, to find a hint for the player who holds it and asks for `wanted_seat`.

        Raise IllegalMoveError if no one is to move, if it is not the player's turn, if advice is not allowed here, or
        if the hand of that seat is not on the player's screen.
        """
        seat = self.seat
        if seat is None:
            raise self._not_running("hint")
        if not self.can_move(player):
            raise IllegalMoveError("hint", "you can ask for a hint only on your own turn", "not-your-turn")
        if not self.allows_advice:
            reason = "hints are not available in games between people, in rated games, or while points are hidden"
            raise IllegalMoveError("hint", reason, "no-hints")
        if self.hidden and self.choose_perspective(player, wanted_seat).viewer != seat:
            reason = "hints are available only while the hand of the seat to move is shown"
            raise IllegalMoveError("hint", reason, "not-your-turn")
        return self.match.position.view(seat)

    def evaluation_view(self, player: str, wanted_seat: int | None, ply: int) -> View:
        """Return what may be evaluated of the position after `ply` plies: what the seat to move knew then.

        A final position is seen as by a spectator; `ply` must be 0 or more. Raise IllegalMoveError if there is no such
        ply, if advice is not allowed during this game, or if the player, who asks to see the table as `wanted_seat`,
        does not see the hand of the seat to move then.
        """
        position = self.position_at("evaluate", ply)
        if not self.allows_advice and not self.is_revealed:
            reason = (
                "evaluations are available only after the game in rated games, between people and with hidden points"
            )
            raise IllegalMoveError("evaluate", reason, "no-hints")
        visible = not self.hidden or self.is_revealed or position.is_over
        if not visible and self.choose_perspective(player, wanted_seat).viewer != position.seat:
            raise IllegalMoveError("evaluate", "only the seat to move can see this evaluation", "not-your-turn")
        return position.view(position.seat)

    def solvable_position(self, ply: int) -> Position:
        """Return the position after `ply` plies, 0 or more, to solve it exactly.

        Raise IllegalMoveError if there is no such ply, or unless the game has been played to its end or the table is a
        record without hidden hands (see `is_revealed`).
        """
        if not self.is_revealed:
            reason = "exact values are available only for finished games and records"
            if self.study:
                reason = "exact values are available once the game is over: until then part of it is hidden"
            raise IllegalMoveError("solve", reason, "running")
        return self.position_at("solve", ply)

    def position_at(self, text: str, ply: int) -> Position:
        """Return the position after `ply` plies, 0 or more; raise IllegalMoveError about the query `text` if none."""
        if ply >= len(self.match.positions):
            raise IllegalMoveError(text, f"the game has {len(self.match.positions) - 1} plies, not {ply}", "no-ply")
        return self.match.positions[ply]

    def _not_running(self, text: str) -> IllegalMoveError:
        """Return, not raise, the error about the command `text` that says why no seat is to move."""
        if self.is_over:
            return IllegalMoveError(text, *OVER)
        if self.unrevealed_seats:
            return IllegalMoveError(text, SHUFFLING, "not-started")
        return IllegalMoveError(text, *NOT_STARTED)

    def check_running(self, text: str) -> None:
        """Raise IllegalMoveError about the command `text` unless some seat is to move."""
        if self.seat is None:
            raise self._not_running(text)

    def has_command(self, seat: int, client_id: str) -> bool:
        """Return whether a seat has an event of a command with this id, from any player."""
        return (seat, client_id) in self._commands

    def find_command(self, player: str, client_id: str) -> EarlierCommand | None:
        """Return a player's command with this id that was applied; None if there is none."""
        for chair in self.chairs:
            found = self._commands.get((chair.seat, client_id))
            # Nothing tells who sent the commands of earlier versions. The holder of such a chair may have stood up or
            # given it to the computer since.
            if found and (is_by(found.digest, player) if found.digest else chair.player in {player, None}):
                return found
        return None

    def apply_event(self, event: TableEvent) -> TableEvent:
        """Apply an event in place, set the version to the event's, and return it with its text as the match writes it.

        An event that changes holders (`@sit`, `@stand`, `@computer`, `@rename`) needs them in `chairs` already. Raise
        GameError and change nothing if the rules reject the event.
        """
        had_started = self.started is not None
        if event.text.startswith("@"):
            self._apply_table_event(event)
        else:
            self._deal()
            apply_event(self.match, event.seat, event.text)
            event = event._replace(text=self.match.events[-1].text)
            self.clock.record_event(event, self.match.seat)
        self.version = event.version
        self.clock.advance(event.at)
        if event.text.startswith("!undo "):
            self.last_undo_version = event.version
            # The plies before keep their words: otherwise each takeback would cost as much as the whole game.
            for known in self._narrations.values():
                del known[len(self.match.positions) - 1 :]
        if event.text.partition(" ")[0] not in BESIDE_THE_BOARD or (self.started is not None) != had_started:
            self.board_version = event.version
            self.takeback_request = None
        self._commands[event.seat, event.client_id] = EarlierCommand(event.version, event.command)
        return event

    def _apply_table_event(self, event: TableEvent) -> None:
        """Apply an event of the table, whose text begins with @; the game starts once the last seat is taken."""
        word, _, rest = event.text.partition(" ")
        match word:
            case "@ask-undo":
                self.takeback_request = TakebackRequest(event.seat, int(rest), frozenset())
            case "@agree-undo" if self.takeback_request is not None:
                self.takeback_request = self.takeback_request._replace(
                    agreed=self.takeback_request.agreed | {event.seat}
                )
            case "@refuse-undo":
                self.takeback_request = None
            case "@ask-again":
                wanted = {} if self.rematch_request is None else self.rematch_request.hashes
                self.rematch_request = RematchRequest({**wanted, event.seat: rest})
            case "@refuse-again":
                wanted = {} if self.rematch_request is None else self.rematch_request.hashes
                # The player who asked first withdraws, which refuses no one.
                is_withdrawn = event.seat == next(iter(wanted), None)
                self.rematch_request = None if is_withdrawn else RematchRequest({}, event.seat)
            case "@again":
                self.rematch_id = rest
            case "@close":
                self.closed = True
                self.clock.stop(event)
            case _:
                if word == "@value" and self.shuffle is not None:
                    self.shuffle.reveal(event.seat, rest)
                elif word in {"@sit", "@stand", "@computer", "@hash"}:
                    self._change_holder(event, rest if word == "@hash" else SeatChoice.parse(event.text).hash)
                # The new holders are stored with the chairs; the event only says that they changed.
                self.match.names = seat_labels(self.chairs)
                is_full = self.started is None and self.seating.is_full
                if is_full and (word == "@deal" or not self.unrevealed_seats):
                    self.started = event.at
                    self._deal()
                    self._start_clock()

    def _change_holder(self, event: TableEvent, hash_: str) -> None:
        """Give a seat the colour, if any, that its new holder has chosen, and the hash of that one's value."""
        colour = SeatChoice.parse(event.text).colour if event.text.startswith("@sit") else ""
        if colour:
            self._choose_colour(event.seat, colour)
        if self.shuffle is not None:
            self.shuffle.take_part(event.seat, hash_)
        self._seated_at = event.at

    @property
    def unrevealed_seats(self) -> tuple[int, ...]:
        """The seats whose values the start waits for; none before every seat is taken, or if the game has started."""
        if self.shuffle is None or self.started is not None or not self.seating.is_full:
            return ()
        return self.shuffle.seats_without_value

    @property
    def deal_time(self) -> float | None:
        """The server time at which the game starts without the values that are missing; None if it waits for none."""
        if self.closed or not self.unrevealed_seats:
            return None
        return self.clock.add_running_time(self._seated_at, REVEAL_SECONDS)

    def _choose_colour(self, seat: int, letter: str) -> None:
        """Give a seat another colour before the game starts: its tiles get other names, and nothing else changes."""
        old, colours = self.match, self.match.game.spec.seat_colours
        if colours is not None:
            game = colours.choose(old.game, seat, letter)
            deck = colours.rename_deck(old.game, game, old.deck) if self.shuffle is None else ()
            self.match = self._build_match(game, old.names, deck)
            self._narrations.clear()

    def _start_clock(self) -> None:
        """Start the clock at `started`, unless the game has not started; computers' seats are untimed."""
        if self.started is not None:
            untimed = [seat for seat in range(len(self.chairs)) if seat not in self.person_seats]
            self.clock.start(self.started, self.match.positions[0].seat or 0, untimed)

    @property
    def flag_time(self) -> float | None:
        """The server time at which the server acts by itself: before the start, `deal_time`; later that at which the
        running clock is flagged, when no move made in time can still be under way.
        """
        if self.started is None:
            return self.deal_time
        return None if self.is_over else self.clock.flag_time

    @property
    def unanswered_takeback_seats(self) -> tuple[int, ...]:
        """The seats in the game whose players have not agreed to the takeback request; empty if there is none."""
        request = self.takeback_request
        if request is None:
            return ()
        agreed = {self.chairs[seat].player for seat in (request.seat, *request.agreed)}
        active = [seat for seat in self.person_seats if seat not in self.match.out]
        return tuple(seat for seat in active if self.chairs[seat].player not in agreed)

    def summarise(self, at: float) -> Summary:
        """Return the columns of the table's row after its last event, at server time `at`; no result while it runs."""
        result = self._describe_result() if self.match.is_over else ABANDONED if self.closed else ""
        computer = self.computer_strength() is not None and self.continues_unwatched
        is_guarded = not (self.study or self.allows_advice) and self.seat is not None
        position = self.match.position if is_guarded and len(self.match.positions) > GUARDED_FROM else None
        hash_ = None if position is None else next(list_hashes(position))
        return Summary(at, self.version, self.seat, self.flag_time, result, self.started, computer, hash_)

    def _describe_result(self) -> str:
        """Return the result to store of a match that is over: `Match.result` with a seat in place of a name, because
        names are stored with the chairs alone, where they are erased.
        """
        return self.match.describe_result([f"seat {seat}" for seat in range(self.match.game.seats)])

    def build_record(self, player: str, name: str = GUEST) -> Record:
        """Return the record of the game as a player may know it: as the one seat held, otherwise as a spectator.

        Anyone who is "You" on the page is called `name` in the player's own record, and a guest in that of others.
        """
        own = self.player_seats(player) if self.started is not None else ()
        record = Record.of(self.match, own[0] if len(own) == 1 else None)
        if YOU not in record.seats:
            return record
        chair = self.chairs[record.seats.index(YOU)]
        name = name if chair.player == player else GUEST
        seats = tuple(name if seat == YOU else seat for seat in record.seats)
        return replace(record, seats=seats, result=record.result.replace(f": {YOU} ", f": {name} "))


def seat_labels(chairs: Sequence[Chair]) -> tuple[str, ...]:
    """Return the name at each seat; an open seat is called by its number, counted from 1."""
    return tuple(chair.name or f"Seat {chair.seat + 1}" for chair in chairs)
