"""One table in memory: loading, applying commands in order, and storing what they change."""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from starlette.concurrency import run_in_threadpool

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.updates import Update, Watcher, draw_update
from fourcorners.web.domain.actions import Change, ServerAction, apply_command, build_reused_id_error
from fourcorners.web.domain.commands import AT_ANY_BOARD, AnyCommand, CommandContext
from fourcorners.web.domain.rating_results import build_rated_result, list_rating_changes
from fourcorners.web.domain.ratings import rate_parties
from fourcorners.web.domain.rows import (
    NO_TABLE,
    Chair,
    ConflictError,
    NoRoomError,
    NoTableError,
    StoredTable,
    StoreError,
    Summary,
    UnsentWriteError,
)
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.server_events import ChatOrPremovesChanged, TableChanged
from fourcorners.web.protocol.server_messages import CommandAnswer, Done, Refused, Stale
from fourcorners.web.store import RatingChanges, rate_game

T = TypeVar("T")
_UNSTORED = "This could not be stored. The table shows the last stored state."
_QUICK_SECONDS = 0.004
"""The time of rules and pictures up to which they run on the event loop."""
_MEMORY = 0.9
"""The share of the time of earlier works that counts for the next one."""
_SETTLE_SECONDS, _SETTLE_EVERY = 5.0, 0.25
"""How long, and how often, a session asks whether a write in doubt is still under way; seconds."""
_logger = logging.getLogger(__name__)


def load_row(context: ServerContext, table_id: str) -> StoredTable:
    """Read the row of a table; blocks. Raise NoTableError if there is no such table or its game is not known, and
    StoreError.
    """
    row = context.store.load_table(table_id)
    if row is None or row.game not in catalogue.games():
        raise NoTableError
    return row


def load_table(context: ServerContext, table_id: str, check: Callable[[], None] | None = None) -> Table | None:
    """Read a table from the store, replay it, and add its rating changes; blocks. None if it does not exist. Raise
    ReplayError, and StoreError if the store fails. `check` is that of `Table`.
    """
    stored = _read_table(context, table_id)
    return None if stored is None else _replay(context, *stored, check)


async def load_table_in_threads(context: ServerContext, table_id: str) -> Table | None:
    """Do the same in threads: wait for the store in one, and replay in another, of which there are few."""
    stored = await run_in_threadpool(_read_table, context, table_id)
    return None if stored is None else await context.run_in_board_thread(_replay, context, *stored)


def _read_table(context: ServerContext, table_id: str) -> tuple[StoredTable, RatingChanges | None] | None:
    """Return a table as it is stored and, if it is rated and over, how it changed the ratings; raise StoreError."""
    row = context.store.load_table(table_id)
    return None if row is None else (row, context.store.read_rating_changes(table_id))


def _replay(
    context: ServerContext, row: StoredTable, changes: RatingChanges | None, check: Callable[[], None] | None = None
) -> Table:
    """Return the table that was stored; raise ReplayError, and the errors of `check`, as `Table` does."""
    table = Table(row, context.outages, check)
    if table.match.is_over and table.is_rated:
        table.rating_changes = list_rating_changes(table, changes)
    return table


class BoardWork:
    """Runs the rules and pictures of one table: on the event loop if they are quick there, otherwise in a thread.

    Handing work to a thread and back costs more than a move on most boards; but a large board, or rules that are not
    compiled yet, would make all other tables wait. The times of recent tasks decide about the next one; a short one,
    such as a refusal, hardly counts after a long one. Only processor time counts: on a busy server a task also waits
    for other threads, and more tasks in threads would only make it wait longer.
    """

    def __init__(self, context: ServerContext) -> None:
        """Start in a thread, because nothing is known about the table."""
        self._context = context
        self._seconds = math.inf

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """Call `work`; return its result or raise its error."""
        if self._seconds < _QUICK_SECONDS:
            return self._measure(work, *args)
        return await self._context.run_in_board_thread(self._measure, work, *args)

    def _measure(self, work: Callable[..., T], *args: Any) -> T:
        """Call `work` and keep the time that it takes."""
        began = time.thread_time()
        try:
            return work(*args)
        finally:
            elapsed = time.thread_time() - began
            is_first = self._seconds == math.inf
            self._seconds = elapsed if is_first else max(elapsed, _MEMORY * self._seconds)


class Applied(NamedTuple):
    """A change of the table, its summary then, and the update for its watchers (None if it could not be drawn)."""

    change: Change
    summary: Summary
    update: Update | None


class TableSession:
    """One table in memory. Its lock makes everything at the table happen one after the other.

    The store is the truth: whenever storing fails, the table in memory is dropped and read again. The update for the
    watchers is drawn together with applying a change, because a second visit to a thread would cost as much as half a
    picture. `board_work` runs what depends on the rules.
    """

    def __init__(self, table: Table, context: ServerContext) -> None:
        """Take over a table as it was loaded."""
        self.id = table.id
        self.context = context
        self.board_work = BoardWork(context)
        self._table: Table | None = table
        self._lock = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether something happens at the table right now."""
        return self._lock.locked()

    @property
    def cached_table(self) -> Table | None:
        """The table in memory as it is, without waiting; None if it must be read again."""
        return self._table

    @contextlib.asynccontextmanager
    async def hold(self) -> AsyncIterator[Table]:
        """Take the session's lock and yield the table as it is stored, as far as this server has heard. Raise
        NoTableError if the table was deleted, and StoreError or ReplayError if it must be read and cannot be.
        """
        async with self._lock:
            yield await self.read()

    @contextlib.asynccontextmanager
    async def hold_unread(self) -> AsyncIterator[None]:
        """Take the session's lock without reading the table, which may be dropped, deleted or unreadable."""
        async with self._lock:
            yield

    async def read(self) -> Table:
        """Return the table, from the store if it was dropped; raise as `hold` does. Needs the lock."""
        if self._table is None:
            self._table = await load_table_in_threads(self.context, self.id)
        if self._table is None:
            raise NoTableError(NO_TABLE)
        return self._table

    async def read_newest(self) -> Table:
        """Return the table, perhaps a new object, with all that is stored. Needs the lock. Raise as `hold` does; a
        table that cannot take up the new events is dropped.
        """
        table = await self.read()
        missed = await run_in_threadpool(self.context.store.read_events_since, self.id, table.version)
        if any(event.text.startswith("@") for event in missed):
            # The chairs may have changed too, and they are not part of the events.
            self.drop()
            return await self.read()
        try:
            for event in missed:
                await self.board_work.run(table.apply_event, event)
        except GameError:
            # A failover may have lost what is in memory, so only reading everything tells whether it replays.
            self.drop()
        except BaseException:
            self.drop()
            raise
        return await self.read()

    def drop(self) -> None:
        """Forget the table in memory, so that the next use reads it again."""
        self._table = None

    async def execute(
        self, player: str, command: AnyCommand, added: CommandContext, watchers: Sequence[Watcher]
    ) -> tuple[CommandAnswer, Update | None]:
        """Apply and store a player's command, for which `added` was prepared. Needs the lock.

        Return the answer (Stale if the board has changed since the version that the command was made for, unless it
        does not depend on it) and the watchers' update for what was applied here: None if nothing was, or it could not
        be drawn. The table may be newer even then, through another server or a lost confirmation: compare its version
        with what is shown. A command whose id was applied before is answered as done and not applied again if it is the
        same command, and otherwise refused. Refusals, even of a table that does not replay, and failures to store are
        answers too. Raise NoTableError if the table was deleted, and as `hold` does if it cannot be read after such a
        failure.
        """
        try:
            return await self._execute(player, command, added, watchers)
        except GameError as error:
            return _refuse(command.id, error), None
        except ConflictError:
            # Another server was faster, perhaps with this very command.
            answer = _find_answer(await self.read(), player, command.id, added.digest)
            return answer or Stale(id=command.id), None
        except StoreError as error:
            if not isinstance(error, UnsentWriteError | NoRoomError):
                # If only the confirmation was lost, the command is stored, or will be after the table is read.
                await self._settle()
        return await self.answer_unstored(player, command.id, added.digest), None

    async def answer_unstored(self, player: str, client_id: str, digest: str) -> CommandAnswer:
        """Return the answer to a command that could not be stored, perhaps because it is stored already. Needs the
        lock; raise as `hold` does.
        """
        answer = _find_answer(await self.read(), player, client_id, digest)
        return answer or Stale(id=client_id, sentence=_UNSTORED)

    async def _execute(
        self, player: str, command: AnyCommand, added: CommandContext, watchers: Sequence[Watcher]
    ) -> tuple[CommandAnswer, Update | None]:
        """Apply and store a command; raise GameError if refused, StoreError if not stored, NoTableError if deleted."""
        table = await self.read()
        if command.version > table.version:
            # Another server has stored events that this one has not heard of yet.
            table = await self.read_newest()
        answer = _find_answer(table, player, command.id, added.digest)
        if answer is not None:
            return answer, None
        if not isinstance(command, AT_ANY_BOARD) and not table.board_version <= command.version <= table.version:
            return Stale(id=command.id), None
        applied = await self._apply(table, lambda: apply_command(table, player, command, added), watchers)
        assert applied is not None
        await self._store(table, applied)
        return Done(id=command.id, version=applied.change.event.version), applied.update

    async def execute_action(self, table: Table, action: ServerAction, watchers: Sequence[Watcher]) -> Applied | None:
        """Apply and store what the server does by itself to a table just read; None if nothing is due. Needs the lock.
        Raise GameError if the rules reject it, or StoreError if it could not be stored: the next use reads the table.
        """
        applied = await self._apply(table, lambda: action(table, self.context.time.now()), watchers)
        if applied is not None:
            await self._store(table, applied)
        return applied

    async def _apply(
        self, table: Table, work: Callable[[], Change | None], watchers: Sequence[Watcher]
    ) -> Applied | None:
        """Run `work` and draw what it did, if anything; raise its error, after dropping a broken table."""
        before = table.version
        try:
            return await self.board_work.run(self._call_and_draw, table, work, watchers)
        except BaseException as error:
            if not isinstance(error, GameError) or table.version != before:
                # The table may be half changed.
                self.drop()
            raise

    def _call_and_draw(
        self, table: Table, work: Callable[[], Change | None], watchers: Sequence[Watcher]
    ) -> Applied | None:
        """Call `work` and draw its change, if any; an update that cannot be drawn is logged, and None."""
        change = work()
        if change is None:
            return None
        summary = table.summarise(change.event.at)
        try:
            return Applied(change, summary, draw_update(table, watchers, self.context.time.now()))
        except Exception:
            # The change is valid and will be stored, whether or not it can be drawn.
            _logger.exception("a table could not be drawn", extra={"table": self.id})
            return Applied(change, summary, None)

    async def _store(self, table: Table, applied: Applied) -> None:
        """Store and publish a change and rate an ended game, or drop the table and raise StoreError. Needs the lock."""
        change, summary = applied.change, applied.summary
        event = change.event
        result = build_rated_result(table, event.at) if summary.result else None
        rating = None if result is None else partial(rate_game, **result._asdict(), rate=rate_parties)
        began = time.monotonic()
        details = {"table": table.id, "seat": event.seat, "version": event.version}
        try:
            await self.context.store.append_event(table.id, event, summary, change.chairs, rating)
        except ConflictError:
            self.drop()
            _logger.info("another server was faster", extra=details)
            raise
        except Exception as error:
            # The table in memory is ahead of the store now.
            self.drop()
            self.context.metrics.count_failed_commit()
            # The text of another error may contain values, which do not belong in the log.
            is_expected = isinstance(error, StoreError)
            reason = error if is_expected else type(error).__name__
            _logger.exception("storing an event failed: %s", reason, exc_info=not is_expected, extra=details)
            if isinstance(error, UnsentWriteError | NoRoomError):
                raise
            raise StoreError(str(error)) from None
        self.context.metrics.count_event(event.text, time.monotonic() - began)
        _logger.info("an event is stored", extra=details)
        self.context.publish(TableChanged(table.id, table.version))

    async def _settle(self) -> None:
        """Wait until nothing that was written to the table is under way any more; raise StoreError if that cannot be
        known within `_SETTLE_SECONDS`. Needs the lock.
        """
        try:
            async with asyncio.timeout(_SETTLE_SECONDS):
                while True:
                    if await self.context.store.settle(self.id):
                        return
                    await asyncio.sleep(_SETTLE_EVERY)
        except TimeoutError:
            raise StoreError("it takes too long to know what is stored") from None

    async def store_premoves(self, table: Table, chair: Chair) -> None:
        """Store a chair's premoves, or raise StoreError; put the chair in place, tell other servers. Needs the lock."""
        await self.context.store.save_premoves(table.id, chair.seat, chair.plan)
        table.replace_chair(chair)
        self.context.publish(ChatOrPremovesChanged(table.id))

    async def read_rating_changes(self, table: Table) -> bool:
        """Set `rating_changes` of a finished table from the store; return False if the store fails. Needs the lock."""
        try:
            changes = await run_in_threadpool(self.context.store.read_rating_changes, self.id)
        except StoreError:
            _logger.warning("a result could not be read", extra={"table": self.id})
            return False
        table.rating_changes = list_rating_changes(table, changes)
        return True


def _find_answer(table: Table, player: str, client_id: str, digest: str) -> Done | Refused | None:
    """Return the answer to a command whose id was applied before: Done if it is that command; None for a new id."""
    earlier = table.find_command(player, client_id)
    if earlier is None:
        return None
    if earlier.digest in {"", digest}:
        return Done(id=client_id, version=earlier.version)
    return _refuse(client_id, build_reused_id_error(client_id))


def _refuse(client_id: str, error: GameError) -> Refused:
    return Refused(id=client_id, code=error.code, sentence=write_sentence(error.reason))
