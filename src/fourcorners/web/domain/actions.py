"""What players and the server may do at a table: every command becomes one event, or a GameError.

Here only `_record_event` changes a table. It changes nothing if the rules reject the event.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fourcorners.core.errors import IllegalMoveError, quote
from fourcorners.core.plurals import list_words
from fourcorners.core.shuffle import hash_text
from fourcorners.web.domain.commands import (
    AddComputer,
    AnswerDraw,
    AnswerTakeback,
    AnyCommand,
    Command,
    CommandContext,
    DeclineRematch,
    LeaveSeat,
    Move,
    OfferDraw,
    Rematch,
    Rename,
    RequestTakeback,
    Resign,
    Reveal,
    SeatCommand,
    Sit,
    Undo,
    Verb,
)
from fourcorners.web.domain.rated_rules import GUESTS_PLAY_CASUAL, ORDERED, explain_unrated_computer, list_computers
from fourcorners.web.domain.rematch import TOGETHER, explain_no_rematch, find_agreement, has_open_request
from fourcorners.web.domain.rows import Chair, TableEvent
from fourcorners.web.domain.seats import PERSON, describe_kinds, is_strength, parse_strength
from fourcorners.web.domain.shuffle import SeatChoice
from fourcorners.web.domain.table import GUEST, NOT_YOUR_TURN, NOT_YOURS, SHUFFLING, Table

MAX_EVENTS = 10_000


class Change(NamedTuple):
    """What a command changed: the event to store, and the chairs to store with it."""

    event: TableEvent
    chairs: tuple[Chair, ...] = ()


class _Effect(NamedTuple):
    """What a command does: an event of a seat with this text, and the chairs that change with it."""

    seat: int
    text: str
    chairs: tuple[Chair, ...] = ()


def apply_command(table: Table, player: str, command: AnyCommand, context: CommandContext) -> Change:
    """Apply the command of a player, given by id, to the table in place, and return what the caller has to store.

    Raise GameError and change nothing if the table is a record or closed (but for a rematch), if the player
    neither holds a seat nor set up the table (anyone may sit down), if it has `MAX_EVENTS` events, or if the
    conditions of the command or the rules of the game forbid it.
    """
    if table.study:
        raise IllegalMoveError(command.text, "this is a game record, not a game in progress", "read-only")
    if not isinstance(command, Sit) and not table.player_seats(player) and player != table.row.owner:
        raise IllegalMoveError(command.text, "only players seated at this table can do this", "not-yours")
    if table.closed and not isinstance(command, Rematch | DeclineRematch):
        raise IllegalMoveError(command.text, "the game was closed", "game-over")
    if table.version >= MAX_EVENTS:
        raise IllegalMoveError(command.text, f"a table takes at most {MAX_EVENTS} events", "too-long")
    effect = _find_effect(table, player, command, context)
    if not isinstance(command, Move):
        context = context._replace(lag=0.0)
    return _record_event(table, context, *effect, client_id=command.id)


def _find_effect(table: Table, player: str, command: AnyCommand, context: CommandContext) -> _Effect:
    """Return what a command does, and change nothing; raise GameError if its conditions are not met."""
    match command:
        case Move():
            return _move(table, player, command, context)
        case Resign():
            return _Effect(_own_seat(table, player, command), "!resign")
        case Undo():
            return _undo(table, player, command)
        case OfferDraw():
            return _offer_draw(table, player, command)
        case AnswerDraw():
            text = "!accept-draw" if command.accept else "!decline-draw"
            return _Effect(_own_seat(table, player, command), text)
        case RequestTakeback():
            return _request_takeback(table, player, command)
        case AnswerTakeback():
            return _answer_takeback(table, player, command)
        case Sit():
            return _sit(table, player, command, context)
        case LeaveSeat():
            return _leave_seat(table, player, command)
        case AddComputer():
            return _add_computer(table, player, command)
        case Rematch():
            return _rematch(table, player, command, context.rematch_id)
        case DeclineRematch():
            return _decline_rematch(table, player, command)
        case Rename():
            return _rename(table, player, command, context.name)
        case Reveal():
            return _reveal(table, player, command)


def _record_event(
    table: Table, context: CommandContext, seat: int, text: str, chairs: tuple[Chair, ...] = (), client_id: str = ""
) -> Change:
    """Put `chairs` in place and apply a seat's event `text`; return both, and at the end of the game all chairs without
    their premoves. Or restore all and raise GameError: if the rules reject the event, or if the seat's events include
    one with the command's id. Without an id it is the server's.
    """
    # Clients cannot send an id that begins with "=".
    client_id = client_id or f"={table.version + 1}"
    if table.has_command(seat, client_id):
        raise build_reused_id_error(client_id)
    old = table.seating
    table.seating = old.replace(chairs)
    at, credit = table.clock.stamp_command(context.at, context.lag)
    try:
        event = table.apply_event(TableEvent(table.version + 1, seat, text, client_id, at, credit, context.digest))
    except BaseException:
        table.seating = old
        raise
    if table.is_over:
        # Nothing that was planned will be played.
        chairs = (*chairs, *(chair._replace(plan=None) for chair in table.chairs if chair.plan is not None))
        table.seating = table.seating.replace(chairs)
    return Change(event, chairs)


def build_reused_id_error(client_id: str) -> IllegalMoveError:
    """Return, not raise, the error about a command with the id of another command."""
    reason = f"the id {quote(client_id)} belongs to another command at this table; give each command a new id"
    return IllegalMoveError(client_id, reason, "id-used")


def _own_seat(table: Table, player: str, command: SeatCommand) -> int:
    """Return a command's seat, by default the only one of the player that is still in the game. Raise IllegalMoveError
    if it is not the player's, if there are several to choose from, or (but for `Stand` and `Rename`) if no game runs.
    """
    if not isinstance(command, LeaveSeat | Rename):
        table.check_running(command.text)
    own = table.player_seats(player)
    if command.seat is None:
        seats = table.active_seats(player) or own
        return _choose_only(command, seats, "your seats are", ("you have no seat here", "not-yours"))
    if command.seat not in own:
        raise IllegalMoveError(command.text, NOT_YOURS.format(command.seat), "not-yours")
    return command.seat


def _choose_only(command: Command, seats: Sequence[int], several: str, none: tuple[str, str]) -> int:
    """Return the only one of some seats for a command that names no seat. Raise IllegalMoveError with the reason and
    code `none` if there is no seat, and with a sentence that begins with `several` if there are several.
    """
    if not seats:
        raise IllegalMoveError(command.text, *none)
    if len(seats) > 1:
        numbers = list_words([str(seat) for seat in seats])
        raise IllegalMoveError(command.text, f"{several} {numbers}: name one of them as the seat", "which-seat")
    return seats[0]


def _move(table: Table, player: str, command: Move, context: CommandContext) -> _Effect:
    """Play a move; raise GameError if the game is not running, it is not the player's turn, too late, or illegal."""
    if not table.player_seats(player):
        raise IllegalMoveError(command.move, "only players seated at this table can move", "not-yours")
    table.check_running(command.move)
    seat = table.seat
    if seat is None or not table.can_move(player):
        raise IllegalMoveError(command.move, NOT_YOUR_TURN.format(table.names_for(player)[seat or 0]), "not-your-turn")
    if command.move.startswith(("!", "@")):
        # Such words mark the events of other commands. As moves the notation rejects them with its own reason.
        table.match.position.play(command.move)
    if not table.clock.is_in_time(context.at, context.lag):
        raise IllegalMoveError(command.move, "your time is up", "time")
    return _Effect(seat, command.move)


def _offer_draw(table: Table, player: str, command: OfferDraw) -> _Effect:
    """Offer a draw; raise GameError if the seat is not the player's, no other person plays, or the rules forbid it."""
    seat = _own_seat(table, player, command)
    if not table.other_person_seats(player):
        raise IllegalMoveError(command.text, "a draw can only be offered to a person", "no-other")
    return _Effect(seat, "!offer-draw")


def find_undo_ply(table: Table) -> int | None:
    """Return how many plies `undo` keeps: those before the last move of a person; None if it is not allowed now.

    Undo without asking is for one player, alone or with others at the same screen, in a game that is neither rated nor
    closed, and not once hidden hands have been shown. A seat that resigned or ran out of time, an agreed draw and, with
    hidden tiles, a tile drawn or another seat's move since prevent it too. This does not check who asks: it must be a
    player with a seat.
    """
    if table.study or table.closed or table.is_rated or len(table.players) > 1:
        return None
    if table.hidden and table.match.is_over:  # the hands were shown
        return None
    ply = table.match.position.find_last_ply(table.person_seats)
    return None if ply is None or table.match.find_undo_obstacle(ply) else ply


def find_takeback_ply(table: Table, seat: int) -> int | None:
    """Return how many plies a seat's takeback keeps, those before its last move; None without one or if not allowed."""
    ply = table.match.position.find_last_ply((seat,))
    return None if ply is None or table.is_over or table.match.find_take_back_obstacle(ply) else ply


def _undo(table: Table, player: str, command: Undo) -> _Effect:
    """Take back the last move of a person and all moves since.
    Raise IllegalMoveError if the player has no seat, as the owner may have none, or if `find_undo_ply` is None.
    """
    if not table.player_seats(player):
        raise IllegalMoveError(command.text, "only players seated at this table can take back moves", "not-yours")
    if len(table.players) > 1:
        raise IllegalMoveError(command.text, "the other players must agree: request a takeback", "ask-undo")
    if table.is_rated:
        raise IllegalMoveError(command.text, "moves cannot be taken back in a rated game", "rated")
    ply = find_undo_ply(table)
    if ply is None:
        last = table.match.position.find_last_ply(table.person_seats)
        reason = "no move has been played yet" if last is None else table.match.find_undo_obstacle(last)
        raise IllegalMoveError(command.text, reason or "the game is over and the hands were shown", "no-undo")
    return _Effect(table.match.positions[ply].seat or 0, f"!undo {ply}")


def _request_takeback(table: Table, player: str, command: RequestTakeback) -> _Effect:
    """Request a takeback of the last move of a seat and of all moves since. Raise IllegalMoveError if the seat is not
    the player's, no game runs, a request is open, no one else plays, or the seat has no move that can be taken back.
    """
    seat = _own_seat(table, player, command)
    if table.takeback_request is not None:
        raise IllegalMoveError(command.text, "a takeback request is already open", "undo-asked")
    if not table.other_person_seats(player):
        raise IllegalMoveError(command.text, "you are playing alone: use undo", "no-other")
    ply = find_takeback_ply(table, seat)
    if ply is None:
        last = table.match.position.find_last_ply((seat,))
        reason = "you have not moved yet" if last is None else table.match.find_take_back_obstacle(last)
        raise IllegalMoveError(command.text, reason, "no-undo")
    return _Effect(seat, f"@ask-undo {ply}")


def _answer_takeback(table: Table, player: str, command: AnswerTakeback) -> _Effect:
    """Answer a takeback request for all seats of the player: one refusal ends it, the last acceptance takes back.

    Raise IllegalMoveError if the seat is not the player's, no game runs, or no request waits for the seat's answer:
    none is open, the player made it or has accepted it already, or the seat is out of the game.
    """
    seat = _own_seat(table, player, command)
    request = table.takeback_request
    if request is None or seat not in table.unanswered_takeback_seats:
        raise IllegalMoveError(command.text, "there is no takeback request for you to answer", "no-undo-asked")
    if not command.accept:
        return _Effect(seat, "@refuse-undo")
    if {table.chairs[unanswered].player for unanswered in table.unanswered_takeback_seats} == {player}:
        return _Effect(seat, f"!undo {request.ply}")
    return _Effect(seat, "@agree-undo")


def _sit(table: Table, player: str, command: Sit, context: CommandContext) -> _Effect:
    """Seat a player, under the name looked up or "Guest", followed by a number if someone here has that name.

    Without a number in the command, a seat reserved for the player comes first, then the first open one. Raise
    IllegalMoveError if the player has a seat already or needs an account, or if the seat is not open to the player, or
    the colour not free.
    """
    if context.is_guest and table.row.needs_account:
        raise IllegalMoveError(command.text, GUESTS_PLAY_CASUAL, "account")
    if table.player_seats(player):
        raise IllegalMoveError(command.text, "you are already seated at this table", "seated")
    open_seats = table.open_seats(player)
    reserved = [seat for seat in open_seats if table.chairs[seat].player == player]
    # -1 is never an open seat, so it is refused below.
    seat = next(iter([*reserved, *open_seats]), -1) if command.seat is None else command.seat
    if seat not in open_seats:
        exists = command.seat is not None and command.seat < len(table.chairs)
        raise IllegalMoveError(command.text, "this seat is taken" if exists else "all seats are taken", "taken")
    name = _find_free_name(table, seat, context.name)
    colour = command.colour if _chooses_colour(table, seat, command) else ""
    choice = SeatChoice(colour, command.hash if table.shuffle is not None else "")
    return _Effect(seat, choice.write(), (Chair(seat, PERSON, player, name, taken=True),))


def _chooses_colour(table: Table, seat: int, command: Sit) -> bool:
    """Return whether a command names another colour than the seat's; raise IllegalMoveError if that one is not free."""
    if not command.colour:
        return False
    colours, game = table.match.game.spec.seat_colours, table.match.game
    if colours is None:
        raise IllegalMoveError(command.text, f"players of {game.title} do not choose colours", "colour")
    value = colours.read(game)
    held = {value[chair.seat] for chair in table.chairs if chair.taken and chair.seat != seat}
    free = [letter for letter in colours.names if letter not in held]
    if command.colour not in free:
        reason = f"{quote(command.colour)} is not free; choose {' or '.join(free)}"
        raise IllegalMoveError(command.text, reason, "colour")
    return value[seat] != command.colour


def _find_free_name(table: Table, seat: int, wanted: str) -> str:
    """Return the wanted name or "Guest" for a seat, followed by a number if someone else here has that name."""
    # Two players with the same name could not be told apart. There is one more candidate than there are used names.
    used = {chair.name for chair in table.chairs if chair.taken and chair.seat != seat}
    wanted = wanted or GUEST
    return next(name for name in (wanted, *(f"{wanted} {n}" for n in range(2, len(used) + 2))) if name not in used)


def _rename(table: Table, player: str, command: Rename, wanted: str) -> _Effect:
    """Change the name at a seat of the player, as `_sit` chooses it; raise IllegalMoveError if the seat is not the
    player's, or once the game has started.
    """
    seat = _own_seat(table, player, command)
    if table.started is not None or table.closed:
        raise IllegalMoveError(command.text, "the game has started", "started")
    chair = table.chairs[seat]._replace(name=_find_free_name(table, seat, wanted))
    return _Effect(seat, "@rename", (chair,))


def _leave_seat(table: Table, player: str, command: LeaveSeat) -> _Effect:
    """Free a seat of the player; raise IllegalMoveError if it is not the player's, or once the game has started."""
    seat = _own_seat(table, player, command)
    if table.started is not None:
        raise IllegalMoveError(command.text, "the game has started; you can resign instead", "started")
    if table.unrevealed_seats:
        # Values that are known already must not meet a hash that is given later.
        raise IllegalMoveError(command.text, SHUFFLING, "started")
    return _Effect(seat, "@stand", (_open_chair(seat),))


def _reveal(table: Table, player: str, command: Reveal) -> _Effect:
    """Give the value behind the hash of the player's seats; the last one starts the game. Raise IllegalMoveError if no
    value of this player is awaited, or if it is not the one.
    """
    own = _list_awaited_seats(table, player)
    if not own or table.shuffle is None:
        raise IllegalMoveError(command.text, "no value is expected from you", "no-value")
    seat = next((seat for seat in own if table.shuffle.hashes[seat] == hash_text(command.value)), None)
    if seat is None:
        raise IllegalMoveError(
            command.text, f"{quote(command.value)} does not match the hash that you gave", "other-value"
        )
    return _Effect(seat, f"@value {command.value}")


def _list_awaited_seats(table: Table, player: str) -> list[int]:
    """Return the seats of a player whose values the start of the game waits for."""
    return [seat for seat in table.unrevealed_seats if seat in table.player_seats(player)]


def _open_chair(seat: int) -> Chair:
    return Chair(seat, PERSON, None, "", taken=False)


def _add_computer(table: Table, player: str, command: AddComputer) -> _Effect:
    """Give an untaken, perhaps reserved seat to a computer of valid strength, for the owner; else IllegalMoveError."""
    if player != table.row.owner:
        raise IllegalMoveError(command.text, "only the host of this table can add a computer", "not-yours")
    spec = table.match.game.spec
    if not is_strength(command.kind, spec):
        allowed = describe_kinds(spec)
        raise IllegalMoveError(command.text, f"{quote(command.kind)} is not allowed; it must be {allowed}", "level")
    seat = command.seat
    if seat is None:
        untaken = [chair.seat for chair in table.chairs if not chair.taken]
        seat = _choose_only(command, untaken, "the open seats are", ("no seat is open", "taken"))
    if seat >= len(table.chairs) or table.chairs[seat].taken:
        raise IllegalMoveError(command.text, "this seat is taken", "taken")
    if table.is_rated:
        drawn = not table.row.settings.get(ORDERED)
        reason = explain_unrated_computer(
            table.match.game, command.kind, list_computers(table.kinds), draws_seats=drawn
        )
        if reason:
            raise IllegalMoveError(command.text, reason, "rated")
    chair = Chair(seat, command.kind, None, parse_strength(command.kind, spec).name, taken=True)
    return _Effect(seat, "@computer", (chair,))


def _rematch(table: Table, player: str, command: Rematch, rematch_id: str | None) -> _Effect:
    """Ask for a rematch or agree to one; if all others have agreed, record its table. Raise as `find_agreement`, or an
    IllegalMoveError with the code `TOGETHER` if there is no table although all have agreed, or one although they have
    not, because others answered after the command was prepared.
    """
    agreement = find_agreement(table, player, command)
    own = table.player_seats(player)[0]
    if agreement.is_last != (rematch_id is not None):
        raise IllegalMoveError(command.text, "another player has answered at the same moment; try again", TOGETHER)
    return _Effect(own, f"@again {rematch_id}" if agreement.is_last else f"@ask-again {command.hash}".rstrip())


def _decline_rematch(table: Table, player: str, command: DeclineRematch) -> _Effect:
    """End the request for a rematch; raise IllegalMoveError if none is open or the player has no seat."""
    own = table.player_seats(player)
    if not own or not has_open_request(table):
        raise IllegalMoveError(command.text, "no one has asked for a rematch", "not-asked")
    request = table.rematch_request
    asked = [seat for seat in own if request is not None and seat in request.hashes]
    return _Effect([*asked, *own][0], "@refuse-again")


ServerAction = Callable[[Table, float], Change | None]
"""Something that the server does by itself at a given server time; None if nothing is due."""


def play_computer_move(table: Table, move: str, at: float) -> Change:
    """Play a computer's move, in place, for the seat to move, which must exist; raise GameError if it is illegal."""
    return _record_event(table, CommandContext(at), table.seat or 0, move)


def flag_clock(table: Table, at: float) -> Change | None:
    """Let the seat to move lose on time, in place; return None if no flag has fallen at server time `at`.

    Before the start, start the game without the values that are missing once they have been awaited long enough.
    """
    if table.deal_time is not None and table.deal_time <= at:
        return _record_event(table, CommandContext(at), table.unrevealed_seats[0], "@deal")
    if table.seat is None or table.flag_time is None or table.flag_time > at:
        return None
    return _record_event(table, CommandContext(at), table.seat, "!time")


def resign_or_leave(player: str, table: Table, at: float) -> Change | None:
    """Resign, or before the start free, a player's first active seat, in place; None without one or if all is over.

    While values for the shuffle are awaited, close the table: no one may take a seat who knows values of others.
    """
    seats = table.active_seats(player)
    if table.is_over or not seats:
        return None
    if table.unrevealed_seats:
        return close_table(table, at)
    if table.started is None:
        return _record_event(table, CommandContext(at), seats[0], "@stand", (_open_chair(seats[0]),))
    return _record_event(table, CommandContext(at), seats[0], "!resign")


def close_table(table: Table, at: float) -> Change | None:
    """Close an abandoned table, in place, at server time `at`; return None if its game is over or closed already."""
    return None if table.is_over else _record_event(table, CommandContext(at), 0, "@close")


def list_allowed_verbs(table: Table, player: str) -> list[Verb]:
    """List the commands that a player may send now, in the order of `Verb`; clock and `MAX_EVENTS` do not matter."""
    if table.study:
        return []
    own = table.player_seats(player)
    if table.seat is not None:
        allowed = _check_verbs_in_game(table, player, own)
    elif table.is_over:
        allowed = {
            Verb.UNDO: bool(own) and find_undo_ply(table) is not None,
            Verb.REMATCH: explain_no_rematch(table, player) is None,
            Verb.DECLINE_REMATCH: bool(own) and has_open_request(table),
        }
    else:
        allowed = {
            Verb.SIT: not own and bool(table.open_seats(player)),
            Verb.LEAVE_SEAT: bool(own) and not table.unrevealed_seats,
            Verb.ADD_COMPUTER: player == table.row.owner,
            Verb.RENAME: bool(own),
            Verb.REVEAL: bool(_list_awaited_seats(table, player)),
        }
    return [verb for verb, is_allowed in allowed.items() if is_allowed]


def _check_verbs_in_game(table: Table, player: str, own: Sequence[int]) -> dict[Verb, bool]:
    """Return the commands of players while someone is to move, and which of them a player with seats `own` may send.
    This runs for every watcher of every move.
    """
    match, request = table.match, table.takeback_request
    active = [seat for seat in own if seat not in match.out]
    may_ask = bool(active) and bool(table.other_person_seats(player))
    return {
        Verb.MOVE: table.seat in active,
        Verb.RESIGN: bool(active),
        Verb.UNDO: bool(own) and find_undo_ply(table) is not None,
        Verb.OFFER_DRAW: may_ask and match.game.seats == 2 and match.draw_offer is None,
        Verb.ANSWER_DRAW: match.draw_offer is not None and any(seat != match.draw_offer for seat in active),
        Verb.REQUEST_TAKEBACK: may_ask
        and request is None
        and any(find_takeback_ply(table, seat) is not None for seat in active),
        Verb.ANSWER_TAKEBACK: request is not None and any(seat in active for seat in table.unanswered_takeback_seats),
    }
