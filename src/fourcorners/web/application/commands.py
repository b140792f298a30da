"""What the server adds to commands of clients: names are looked up, and a rematch gets its table."""

from msgspec import structs
from starlette.concurrency import run_in_threadpool

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.table_session import TableSession
from fourcorners.web.application.table_setup import build_rematch
from fourcorners.web.domain.command_digest import digest_content
from fourcorners.web.domain.commands import AnyCommand, CommandContext, Rematch, Rename, Sit
from fourcorners.web.domain.names import clean_name
from fourcorners.web.domain.rematch import find_agreement
from fourcorners.web.protocol.codec import encode_json
from fourcorners.web.store import Store


async def prepare_command(
    session: TableSession, player: str, command: AnyCommand, received: float, lag: float = 0.0
) -> CommandContext:
    """Return what the server adds to a player's command that arrived at server time `received`.

    `lag` is the measured round trip in seconds. This looks up the name for a seat and stores the table of a rematch
    (see `discard_command`), for which it takes the session's lock, so the caller must not hold it. Raise NoTableError
    if the table was deleted, StoreError if the store fails, and GameError if the table must be replayed and cannot be.
    """
    added = CommandContext(received, lag, digest_command(player, command))
    match command:
        case Sit(name=name):
            profile = await run_in_threadpool(session.context.store.read_profile, player)
            name = await look_up_name(session.context, player, name)
            return added._replace(name=name, is_guest=profile.account is None)
        case Rename(name=name):
            return added._replace(name=await look_up_name(session.context, player, name))
        case Rematch():
            return added._replace(rematch_id=await _set_up_rematch(session, player, command))
        case _:
            return added


def digest_command(player: str, command: AnyCommand) -> str:
    """Return the digest of a player's command."""
    return digest_content(player, command.id, encode_json(structs.replace(command, id="", version=0)))


def discard_command(context: ServerContext, added: CommandContext) -> None:
    """Undo the preparation of a command that was not done: delete the table of a rematch, without waiting for it."""
    if added.rematch_id is not None:
        context.store.delete_table(added.rematch_id)


async def _set_up_rematch(session: TableSession, player: str, command: Rematch) -> str | None:
    """Store a table for a rematch and return its id; None if it is not allowed, or others must agree to it first. Raise
    as `prepare_command`.
    """
    context = session.context
    async with session.hold() as table:
        try:
            agreement = find_agreement(table, player, command)
        except IllegalMoveError:
            return None
        if not agreement.is_last:
            return None
        hashes = {**agreement.hashes, player: command.hash}
        row = build_rematch(table, player, context.time.now(), command.level, hashes)
    await context.store.add_table(row)
    return row.id


async def look_up_name(context: ServerContext, player: str, wanted: str) -> str:
    """Return the name of a player at a table: the account's, or else the wanted one, cleaned, or else the guest's last.
    A guest never gets the name of an account, or one that looks like it, so the name may be empty. Raise StoreError if
    the store fails.
    """
    return await run_in_threadpool(_look_up_name, context.store, player, clean_name(wanted))


def _look_up_name(store: Store, player: str, wanted: str) -> str:
    """Look up the name as `look_up_name` does, in a thread, for a `wanted` name that is clean."""
    profile = store.read_profile(player)
    if profile.account is not None:
        return profile.name
    # The account may be younger than the guest's last use of the name.
    return next((name for name in (wanted, profile.name) if name and store.find_name_holder(name) is None), "")
