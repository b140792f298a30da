"""What may be done at a table, by whom and when: every deed ends in one event."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fourcorners.core.errors import IllegalMoveError, quote
from fourcorners.web.domain.seats import COMPUTER, PERSON, is_strength, parse_strength
from fourcorners.web.domain.table import Table
from fourcorners.web.store import Chair, TableEvent

MOST_EVENTS = 10_000


class Command(NamedTuple):
    """What somebody wants to do; which of the fields count depends on the verb. `at` is when it was received."""

    verb: str
    client_id: str
    at: float
    move: str = ""
    seat: int = -1
    name: str = ""
    kind: str = ""
    accept: bool = False
    lag: float = 0.0


class Deed(NamedTuple):
    """What has happened: the event to store, and the chairs that it changed."""

    event: TableEvent
    chairs: tuple[Chair, ...] = ()


def do(table: Table, player: str, command: Command) -> Deed:
    """Do what a player wants, if that may be; return what to store, or raise GameError and change nothing."""
    text = command.move if command.verb == "move" else f"!{command.verb}"
    if table.study:
        raise IllegalMoveError(text, "this is a record to look at, not a game to play", "read-only")
    if command.verb != "sit" and not table.held(player) and player != table.saved.owner:
        raise IllegalMoveError(text, "only those who sit at this table play here", "not-yours")
    if table.closed and command.verb != "again":
        raise IllegalMoveError(text, "the game was closed", "game-over")
    if table.version >= MOST_EVENTS:
        raise IllegalMoveError(text, f"more than {MOST_EVENTS} things happened at this table", "too-long")
    return _DEEDS[command.verb](table, player, command)


def _noted(table: Table, command: Command, seat: int, text: str, chairs: tuple[Chair, ...] = ()) -> Deed:
    old = list(table.chairs)
    for chair in chairs:
        table.chairs[chair.seat] = chair
    # Lag is given back to who moves; what else happens is no move of theirs.
    at, credit = table.stamp(command.at, command.lag if command.verb == "move" else 0.0)
    try:
        event = table.take_in(TableEvent(table.version + 1, seat, text, command.client_id, at, credit))
    except BaseException:
        table.chairs = old
        raise
    return Deed(event, chairs)


def _move(table: Table, player: str, command: Command) -> Deed:
    if not table.held(player):
        raise IllegalMoveError(command.move, "only those who sit at this table play here", "not-yours")
    table.check_running(command.move)
    seat = table.seat
    if seat is None or not table.may_move(player):
        whose = table.match.names[seat or 0]
        raise IllegalMoveError(command.move, f"it is the turn of {whose}", "not-your-turn")
    if command.move.startswith(("!", "@")):
        # Those are words of the log, which only the other deeds write.
        table.match.position.play(command.move)
    if table.clock is not None and not table.clock.in_time(*table.stamp(command.at, command.lag)):
        raise IllegalMoveError(command.move, "the time is up", "time")
    return _noted(table, command, seat, command.move)


def _own(table: Table, player: str, command: Command, text: str) -> int:
    if command.seat not in table.held(player):
        raise IllegalMoveError(text, f"seat {command.seat} is not yours", "not-yours")
    return command.seat


def _resign(table: Table, player: str, command: Command) -> Deed:
    table.check_running("!resign")
    return _noted(table, command, _own(table, player, command, "!resign"), "!resign")


def _offer_draw(table: Table, player: str, command: Command) -> Deed:
    table.check_running("!offer-draw")
    seat = _own(table, player, command, "!offer-draw")
    if not table.others(player):
        raise IllegalMoveError("!offer-draw", "a draw is offered to another person", "no-other")
    return _noted(table, command, seat, "!offer-draw")


def _answer_draw(table: Table, player: str, command: Command) -> Deed:
    text = "!accept-draw" if command.accept else "!decline-draw"
    table.check_running(text)
    return _noted(table, command, _own(table, player, command, text), text)


def undo_to(table: Table) -> int | None:
    """Return the number of plies to go back to, before the last move of a person; None where that is refused.

    That is for those who play alone or all at one screen; among others one asks.
    """
    if table.study or table.closed or table.rated or len(table.players) > 1 or (table.hidden and table.match.is_over):
        return None
    plies = table.match.position.plies
    for ply in range(len(plies) - 1, -1, -1):
        if plies[ply].seat in table.persons:
            return None if table.match.find_take_back_obstacle(ply) else ply
    return None


def _undo(table: Table, player: str, command: Command) -> Deed:
    if len(table.players) > 1:
        raise IllegalMoveError("!undo", "the others are asked first", "ask-undo")
    if table.rated:
        raise IllegalMoveError("!undo", "nothing is taken back from the computer in a rated game", "rated")
    ply = undo_to(table)
    plies = table.match.position.plies
    if ply is None:
        last = max((i for i, played in enumerate(plies) if played.seat in table.persons), default=None)
        reason = "nobody has moved yet" if last is None else table.match.find_take_back_obstacle(last)
        raise IllegalMoveError("!undo", reason or "the game is over, and what was hidden has been shown", "no-undo")
    return _noted(table, command, plies[ply].seat, f"!undo {ply}")


def ask_undo_to(table: Table, seat: int) -> int | None:
    """Return the number of plies before a seat's own last move; None where it has none or may not go back."""
    plies = table.match.position.plies
    last = max((i for i, played in enumerate(plies) if played.seat == seat), default=None)
    return None if last is None or table.is_over or table.match.find_take_back_obstacle(last) else last


def _ask_undo(table: Table, player: str, command: Command) -> Deed:
    table.check_running("!ask-undo")
    seat = _own(table, player, command, "!ask-undo")
    if table.undo_asked is not None:
        raise IllegalMoveError("!ask-undo", "somebody has asked already", "undo-asked")
    if not table.others(player):
        raise IllegalMoveError("!ask-undo", "there is nobody to ask: undo is enough", "no-other")
    ply = ask_undo_to(table, seat)
    if ply is None:
        plies = table.match.position.plies
        last = max((i for i, played in enumerate(plies) if played.seat == seat), default=None)
        reason = "you have not moved yet" if last is None else table.match.find_take_back_obstacle(last)
        raise IllegalMoveError("!ask-undo", reason, "no-undo")
    return _noted(table, command, seat, f"@ask-undo {ply}")


def _answer_undo(table: Table, player: str, command: Command) -> Deed:
    table.check_running("!answer-undo")
    seat = _own(table, player, command, "!answer-undo")
    asked = table.undo_asked
    if asked is None or seat not in table.undo_missing:
        raise IllegalMoveError("!answer-undo", "nothing is asked of you", "no-undo-asked")
    if not command.accept:
        return _noted(table, command, seat, "@refuse-undo")
    if {table.chairs[other].player for other in table.undo_missing} == {player}:
        return _noted(table, command, seat, f"!undo {asked.ply}")
    return _noted(table, command, seat, "@agree-undo")


def _sit(table: Table, player: str, command: Command) -> Deed:
    if table.held(player):
        raise IllegalMoveError("!sit", "you sit at this table already", "seated")
    free = table.free(player)
    kept = [seat for seat in free if table.chairs[seat].player == player]
    seat = command.seat if command.seat >= 0 else next(iter([*kept, *free]), -1)
    if seat not in free:
        reason = "this seat is taken" if 0 <= command.seat < len(table.chairs) else "all seats are taken"
        raise IllegalMoveError("!sit", reason, "taken")
    others = {chair.name for chair in table.chairs if chair.taken}
    wished = command.name or "Guest"
    # Two of one name at a table could not be told apart.
    name = next(text for text in (wished, *(f"{wished} {number}" for number in range(2, 99))) if text not in others)
    return _noted(table, command, seat, "@sit", (Chair(seat, PERSON, player, name, taken=True, plan=None),))


def _stand(table: Table, player: str, command: Command) -> Deed:
    seat = _own(table, player, command, "!stand")
    if table.started is not None:
        raise IllegalMoveError("!stand", "the game has begun: it can be resigned", "started")
    return _noted(table, command, seat, "@stand", (Chair(seat, PERSON, None, "", taken=False, plan=None),))


def _computer(table: Table, player: str, command: Command) -> Deed:
    if player != table.saved.owner:
        raise IllegalMoveError("!computer", "only who made this table gives seats to the computer", "not-yours")
    spec = table.match.game.spec
    if not is_strength(command.kind, spec):
        allowed = f"{COMPUTER}1 to {COMPUTER}{len(spec.levels)}, or seconds a move such as {COMPUTER}3s"
        raise IllegalMoveError("!computer", f"{quote(command.kind)} is not allowed; it may be {allowed}", "level")
    if not 0 <= command.seat < len(table.chairs) or table.chairs[command.seat].taken:
        raise IllegalMoveError("!computer", "this seat is taken", "taken")
    name = parse_strength(command.kind, spec).name
    chair = Chair(command.seat, command.kind, None, name, taken=True, plan=None)
    return _noted(table, command, command.seat, "@computer", (chair,))


def check_again(table: Table, player: str) -> None:
    """Raise IllegalMoveError unless a player may set the game up once more."""
    if not table.held(player) or not table.is_over:
        raise IllegalMoveError("!again", "a game is played again by those who played it, once it is over", "not-over")
    if table.again is not None:
        raise IllegalMoveError("!again", "somebody has set it up again already", "again")


def _again(table: Table, player: str, command: Command) -> Deed:
    check_again(table, player)
    if not command.name:
        # It ended while this was asked: there is no table yet.
        raise IllegalMoveError("!again", "the game has only just ended; ask again", "not-over")
    return _noted(table, command, table.held(player)[0], f"@again {command.name}")


_DEEDS: dict[str, Callable[[Table, str, Command], Deed]] = {
    "move": _move,
    "resign": _resign,
    "undo": _undo,
    "offer-draw": _offer_draw,
    "answer-draw": _answer_draw,
    "ask-undo": _ask_undo,
    "answer-undo": _answer_undo,
    "sit": _sit,
    "stand": _stand,
    "computer": _computer,
    "again": _again,
}


ServerAction = Callable[[Table, float], Deed | None]
"""Something that the server does of itself at a time, if it is due."""


def answer(table: Table, move: str, at: float) -> Deed:
    """Play the computer's move; raise GameError if it may not be played."""
    return _by_server(table, table.seat or 0, move, at)


def flag_clock(table: Table, at: float) -> Deed | None:
    """Note that the running clock has fallen; None if it has not."""
    if table.seat is None or table.flag_at is None or table.flag_at > at:
        return None
    return _by_server(table, table.seat, "!time", at)


def resign_or_leave(player: str, table: Table, at: float) -> Deed | None:
    """Resign one seat of somebody who goes for good, or leave it; None if there is none."""
    seats = table.playing(player)
    if table.is_over or not seats:
        return None
    if table.started is None:
        free = (Chair(seats[0], PERSON, None, "", taken=False, plan=None),)
        return _noted(table, _server_command(table, at), seats[0], "@stand", free)
    return _by_server(table, seats[0], "!resign", at)


def close_table(table: Table, at: float) -> Deed | None:
    """Close a table that nobody plays at any more; None if it is over."""
    return None if table.is_over else _by_server(table, 0, "@close", at)


def _by_server(table: Table, seat: int, text: str, at: float) -> Deed:
    return _noted(table, _server_command(table, at), seat, text)


def _server_command(table: Table, at: float) -> Command:
    # No browser may send an id with this sign.
    return Command("", f"={table.version + 1}", at)


def may(table: Table, player: str) -> list[str]:
    """List what a player may do now, for buttons."""
    if table.study:
        return []
    held, playing, free = table.held(player), table.playing(player), table.free(player)
    asks = bool(table.others(player))
    running = table.seat is not None
    draw = table.match.draw_offer
    listed = {
        "move": table.may_move(player),
        "resign": running and bool(playing),
        "undo": bool(held) and undo_to(table) is not None,
        "offer-draw": running and asks and bool(playing) and table.match.game.seats == 2 and draw is None,
        "answer-draw": running and draw is not None and any(seat != draw for seat in playing),
        "ask-undo": running
        and asks
        and table.undo_asked is None
        and any(ask_undo_to(table, seat) is not None for seat in playing),
        "answer-undo": running and any(seat in playing for seat in table.undo_missing),
        "sit": not held and bool(free),
        "stand": table.started is None and bool(held) and not table.closed,
        "computer": table.started is None and player == table.saved.owner and not table.closed,
        "again": table.is_over and bool(held) and table.again is None,
    }
    return [verb for verb, fine in listed.items() if fine]
