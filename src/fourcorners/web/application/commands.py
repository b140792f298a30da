"""Commands of clients as commands of the domain: names are looked up, and a rematch gets its table."""

from dataclasses import replace

from msgspec import structs

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.table_session import TableSession
from fourcorners.web.application.table_setup import build_rematch
from fourcorners.web.domain import actions
from fourcorners.web.domain.command_digest import digest_command
from fourcorners.web.domain.names import clean_name
from fourcorners.web.protocol import client_messages as messages
from fourcorners.web.protocol.codec import encode_json
from fourcorners.web.store import Store


async def prepare_command(
    session: TableSession, player: str, message: messages.Command, received: float, lag: float = 0.0
) -> actions.Command:
    """Return the domain's command for a player's message that arrived at server time `received`.

    `lag` is the measured round trip in seconds. This looks up the name for a seat and stores the table of a rematch
    (see `discard_command`), for which it takes the session's lock, so the caller must not hold it. Raise LookupError if
    the table was deleted, StoreError if the store fails, and GameError if the table must be replayed and cannot be.
    """
    command = await _read_command(session, player, message, received, lag)
    return replace(command, digest=digest_message(player, message))


def digest_message(player: str, message: messages.Command) -> str:
    """Return the digest of a player's command."""
    return digest_command(player, message.id, encode_json(structs.replace(message, id="", version=0)))


async def _read_command(
    session: TableSession, player: str, message: messages.Command, at: float, lag: float
) -> actions.Command:
    """Return the command of `prepare_command`, without its digest; raise as `prepare_command`."""
    id_ = message.id
    match message:
        case messages.Move(move=move):
            return actions.Move(id_, at, move, lag)
        case messages.Resign(seat=seat):
            return actions.Resign(id_, at, seat)
        case messages.Undo():
            return actions.Undo(id_, at)
        case messages.OfferDraw(seat=seat):
            return actions.OfferDraw(id_, at, seat)
        case messages.AnswerDraw(seat=seat, accept=accept):
            return actions.AnswerDraw(id_, at, seat, accept)
        case messages.AskUndo(seat=seat):
            return actions.AskUndo(id_, at, seat)
        case messages.AnswerUndo(seat=seat, accept=accept):
            return actions.AnswerUndo(id_, at, seat, accept)
        case messages.Sit(seat=seat, name=name, colour=colour, hash=hash_):
            return actions.Sit(id_, at, seat, await look_up_name(session.context, player, name), colour, hash_)
        case messages.Stand(seat=seat):
            return actions.Stand(id_, at, seat)
        case messages.SeatComputer(seat=seat, kind=kind):
            return actions.SeatComputer(id_, at, seat, kind)
        case messages.Rename(seat=seat, name=name):
            return actions.Rename(id_, at, seat, await look_up_name(session.context, player, name))
        case messages.Rematch(level=level, hash=hash_):
            return actions.Rematch(id_, at, await _set_up_rematch(session, player, level, hash_))
        case messages.Reveal(value=value):
            return actions.Reveal(id_, at, value)


def discard_command(context: ServerContext, command: actions.Command) -> None:
    """Undo the preparation of a command that was not done: delete the table of a rematch, without waiting for it."""
    if isinstance(command, actions.Rematch) and command.table_id is not None:
        context.store.delete_table(command.table_id)


async def _set_up_rematch(session: TableSession, player: str, level: int | None, hash_: str) -> str | None:
    """Store a table for a rematch, with the computers at `level` unless it is None, and return its id; None if
    `check_rematch` forbids it. `hash_` is that of the player's value for the shuffle. Raise as `prepare_command`.
    """
    context = session.context
    async with session.hold() as table:
        try:
            actions.check_rematch(table, player)
        except IllegalMoveError:
            return None
        row = build_rematch(table, player, context.time.now(), level, hash_)
    await context.store.add_table(row)
    return row.id


async def look_up_name(context: ServerContext, player: str, wanted: str) -> str:
    """Return the name of a player at a table: the account's, or else the wanted one, cleaned, or else the guest's last.
    A guest never gets the name of an account, or one that looks like it, so the name may be empty. Raise StoreError if
    the store fails.
    """
    return await context.run_in_thread(_look_up_name, context.store, player, clean_name(wanted))


def _look_up_name(store: Store, player: str, wanted: str) -> str:
    """Do the work of `look_up_name` in a thread, for a `wanted` name that is clean."""
    profile = store.read_profile(player)
    if profile.account is not None:
        return profile.name
    # The account may be younger than the guest's last use of the name.
    return next((name for name in (wanted, profile.name) if name and store.find_name_holder(name) is None), "")
