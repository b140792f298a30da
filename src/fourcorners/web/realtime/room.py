"""A room: a table's session with its audience. What happens there is stored before it is shown."""

import logging
import time
from collections import Counter
from collections.abc import Callable

from fourcorners.core.errors import GameError, quote
from fourcorners.web.application.commands import digest_command, discard_command, prepare_command
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.table_session import TableSession
from fourcorners.web.application.updates import Update, Watcher, draw_update
from fourcorners.web.domain.actions import ServerAction, apply_command, flag_clock
from fourcorners.web.domain.commands import AnyCommand, CommandContext
from fourcorners.web.domain.rematch import TOGETHER
from fourcorners.web.domain.rows import NoRoomError, StoreError
from fourcorners.web.domain.table import NOT_REPLAYED, OTHER_RULES, Table
from fourcorners.web.protocol.client_messages import Premoves
from fourcorners.web.protocol.close_codes import GONE
from fourcorners.web.protocol.codec import EncodedMessage, find_tag
from fourcorners.web.protocol.server_messages import CommandAnswer, Done, Refused, Stale, encode
from fourcorners.web.protocol.snapshots import Snapshot, UpdateCache
from fourcorners.web.realtime.audience import Audience
from fourcorners.web.realtime.chat import RoomChat
from fourcorners.web.realtime.computer_turns import ComputerTurns
from fourcorners.web.realtime.heartbeat import Heartbeat
from fourcorners.web.realtime.notifications import RoomNotifications
from fourcorners.web.realtime.premoves import RoomPremoves

DELETED = "This table was deleted."
_logger = logging.getLogger(__name__)


class Room:
    """A table in memory with the connections to it. `guests` counts connections by their networks, including those that
    have only just opened.

    Methods that take the session's lock raise NoTableError if the table was deleted, StoreError if the store fails, and
    ReplayError if the table must be read again but its events no longer replay.
    """

    def __init__(self, table: Table, context: ServerContext, heartbeat: Heartbeat, opener: str = "") -> None:
        """Open a room without watchers for a table as it was loaded. `opener` is the network for which that was done,
        as `Client.group` says; "" is the server itself. `left_at` is monotonic time.
        """
        self.id = table.id
        self.opener = opener
        self.game = table.match.game.spec.id
        self.context = context
        self._heartbeat = heartbeat
        self.guests: Counter[str] = Counter()
        self.left_at = time.monotonic()
        self.audience = Audience(table.version, context.time)
        self.session = TableSession(table, context)
        self.premoves = RoomPremoves(self.session, self.audience)
        self.chat = RoomChat(self.session, self.audience)
        self.notifications = RoomNotifications(table, self.session, self.audience)
        self.turns = ComputerTurns(self.session, self.audience)

    @property
    def is_idle(self) -> bool:
        """Whether no one is connected and nothing happens here."""
        return not self.guests and not self.turns.is_running and not self.session.is_busy

    def enter(self, network: str) -> None:
        """Count a network's connection, so that this room remains the only one of its table even before a hello."""
        self.guests[network] += 1

    def leave(self, watcher: Watcher, *, is_lost: bool = False) -> None:
        """Forget a connection that had entered and announce it; after the last watcher drop pictures and searches. If
        it was lost, its player may not have seen the last change.
        """
        self.guests -= Counter([watcher.wide_network])
        if self.audience.remove(watcher):
            if self.session.cached_table is not None:
                self.audience.announce_presence(self.session.cached_table)
                if is_lost:
                    self.notifications.note_loss(self.session.cached_table, watcher.player)
            if not self.audience.watchers:
                self.audience.clear_snapshots()
                self.turns.stop_for_empty_room()
        self.left_at = time.monotonic()

    async def greet(self, watcher: Watcher, version: int | None) -> None:
        """Bring a watcher that shows `version` (None: nothing) up to date, add it to the audience, and announce it. It
        also gets its premoves and the chat. Takes the session's lock, and raises as the class says.
        """
        async with self.session.hold() as table:
            if self.context.shared:
                # Another server may have stored events while this one could not hear about them.
                table = await self._read_newest()
            seat = watcher.wanted_seat
            await self._show(table, watcher, lambda new: new if new.is_shown_for(version, seat) else None)
            self.audience.add(watcher)
            self.notifications.note_opening(table, watcher)
            self.premoves.send_to_newcomer(table, watcher)
            self.audience.announce_presence(table, watcher)
            await self.chat.send_to_newcomer(table, watcher)
        self.turns.wake(self)

    async def change_viewer(self, watcher: Watcher) -> None:
        """Show a watcher the table as its new `wanted_seat` sees it; cancel its queries. Takes the session's lock."""
        async with self.session.hold() as table:
            # The answer to a question from the old seat must not appear at the new one.
            watcher.cancel_queries()
            old = watcher.snapshot
            await self._show(table, watcher, lambda _: old)

    async def change_visibility(self, watcher: Watcher, *, visible: bool) -> None:
        """Note whether a watcher's player can see the table. Takes the session's lock."""
        watcher.is_visible = visible
        async with self.session.hold() as table:
            self.notifications.note_opening(table, watcher)

    async def _show(self, table: Table, watcher: Watcher, find_old: Callable[[Snapshot], Snapshot | None]) -> None:
        """Send the table to one watcher. Needs the session's lock.
        `find_old`, which may run in a thread, returns the snapshot that the watcher shows; None: it needs the new one
        whole.
        """

        def draw() -> tuple[Snapshot, EncodedMessage]:
            snapshot = self.audience.draw_snapshot(table, watcher)
            return snapshot, UpdateCache().find_or_build(find_old(snapshot), snapshot)

        snapshot, text = await self.session.board_work.run(draw)
        watcher.send(text)
        watcher.snapshot = snapshot

    async def execute(
        self, player: str, command: AnyCommand, received: float, lag: float = 0.0, watcher: Watcher | None = None
    ) -> CommandAnswer:
        """Do what a player's command asks, show it to everyone once it is stored, and return the answer.

        `received` is the server time of its arrival, `lag` the measured round trip in seconds. The watcher, if any,
        gets the answer before everyone gets the change. Illegal and stale commands are answers too, and so are those
        for which there is no room; unless the answer is Done, the table made for a rematch is deleted (it stays after
        an error). Takes the session's lock; raise NoTableError if the table was deleted, StoreError if the store fails,
        ReplayError if the table must be read and does not replay.
        """
        session, added = self.session, None
        try:
            await self._heartbeat.catch_up()
            added = await prepare_command(session, player, command, received, lag)
        except NoRoomError as error:
            _logger.info("a command cannot be stored: %s", error, extra={"table": self.id})
        async with session.hold():
            if added is None:
                answer = await session.answer_unstored(player, command.id, digest_command(player, command))
                update = None
            else:
                answer, update = await session.execute(player, command, added, self.audience.watchers)
            is_retried = isinstance(answer, Refused) and answer.code == TOGETHER
            self.context.metrics.count_answer(find_tag(type(answer)))
            if watcher is not None and not is_retried:
                watcher.send(encode(answer))
            table = await session.read()
            if table.version != self.audience.shown_version:
                if isinstance(answer, Done):
                    self.notifications.note_change(table, player)
                await self._show_change(table, update)
            elif isinstance(answer, Stale) and watcher is not None:
                await self._show(table, watcher, lambda _: None)
        self.turns.wake(self)
        if added is not None and not isinstance(answer, Done):
            discard_command(self.context, added)
        if is_retried:
            # Others agreed to a rematch, or withdrew, after the command was prepared: now it needs a table, or none.
            return await self.execute(player, command, received, lag, watcher)
        return answer

    async def execute_action(self, table: Table, action: ServerAction) -> bool:
        """Apply, store and show something that the server does; return whether it happened. Needs the session's lock.

        Return False if nothing is due, or if it could not be stored; then show what is stored instead. Raise GameError
        if the rules reject it, and as `TableSession.hold` does if what is stored cannot be read.
        """
        try:
            applied = await self.session.execute_action(table, action, self.audience.watchers)
        except StoreError:
            stored = await self.session.read()
            if stored.version != self.audience.shown_version:
                await self._show_change(stored)
            return False
        if applied is None:
            return False
        self.notifications.note_change(table)
        await self._show_change(table, applied.update)
        return True

    async def apply_server_action(self, action: ServerAction) -> bool:
        """Let the server do something at the newest version of the table; return whether it happened. Takes the
        session's lock. Raise GameError if the rules reject it.
        """
        async with self.session.hold():
            done = await self.execute_action(await self._read_newest(), action)
        self.turns.wake(self)
        return done

    async def flag_clock(self) -> bool:
        """Let the clock fall if it is due, else store when it is; return whether it fell. Takes the session's lock."""
        async with self.session.hold():
            table = await self._read_newest()
            done = await self.execute_action(table, flag_clock)
            # A table that could not be stored is dropped, and its deadline is left for the next try.
            if not done and self.session.cached_table is table:
                # An outage has moved the time at which it falls.
                await self.context.store.set_deadline(self.id, table.flag_time, table.version)
        self.turns.wake(self)
        return done

    async def play_premove(self) -> bool:
        """Play the due premove, or cancel all if illegal; return whether one was stored. Takes the session's lock."""
        # A premove is charged to its player's clock. Computers have none.
        await self._heartbeat.catch_up()
        async with self.session.hold() as table:
            command = await self.premoves.find_due(table)
            seat = table.seat
            if command is None or seat is None:
                return False
            before, player = table.version, table.chairs[seat].player or ""
            try:
                return await self.execute_action(
                    table, lambda table, at: apply_command(table, player, command, CommandContext(at))
                )
            except GameError as error:
                if table.version != before:
                    # The premove itself was played, and something failed afterwards.
                    raise
                sentence = f"Your premove {quote(command.move)} was not played: {error.reason}."
                await self.premoves.cancel(table, seat, sentence)
                return False

    async def save_premoves(self, watcher: Watcher, message: Premoves) -> None:
        """Replace the premoves of a seat; raise IllegalMoveError if they are not allowed. Takes the session's lock."""
        # They may be for a version that another server has stored and this one has not heard of yet.
        await self.catch_up(message.version)
        async with self.session.hold() as table:
            await self.premoves.save(table, watcher, message)
        self.turns.wake(self)

    async def _show_change(self, table: Table, update: Update | None = None) -> None:
        """Show a new version to everyone, drawn now if `update` is None or old. Needs the session's lock.
        Stop thinking about the old one; after the end of the game also drop its computers and read the new ratings.
        """
        self.turns.interrupt()
        self.notifications.follow(table)
        if table.match.is_over:
            self.context.move_service.forget_table(self.id)
            if table.is_rated and await self.session.read_rating_changes(table):
                # It was drawn before the new ratings were known.
                update = None
        if update is None or update.snapshots.version != table.version:
            watchers, now = self.audience.watchers, self.context.time.now()
            update = await self.session.board_work.run(draw_update, table, watchers, now)
        self.audience.broadcast(update)
        self.premoves.send_to_seats(table)
        if self.audience.watchers:
            self.audience.announce_presence(table)

    async def _read_newest(self) -> Table:
        """Return the table with what other servers have stored, and show it. Needs the session's lock."""
        table = await self.session.read_newest()
        if table.version != self.audience.shown_version:
            await self._show_change(table)
        return table

    async def catch_up(self, version: int | None = None, *, wake: bool = True) -> None:
        """Show what other servers have stored, unless `version`, which one of them announced, is shown already. None
        stands for an unknown version. With `wake`, wake the turns afterwards. Takes the session's lock if it is not.
        """
        if not self._shows(version):
            async with self.session.hold_unread():
                if not self._shows(version):
                    await self._read_newest()
        if wake:
            self.turns.wake(self)

    def _shows(self, version: int | None) -> bool:
        """Return whether a version, None for an unknown one, or a later one is shown."""
        is_shown = version is not None and version <= self.audience.shown_version
        return is_shown and self.session.cached_table is not None

    async def catch_up_chat_and_premoves(self) -> None:
        """Show what was said and premoved through other servers. Takes the session's lock twice."""
        await self.chat.catch_up()
        async with self.session.hold() as table:
            await self.premoves.catch_up(table)
        self.turns.wake(self)

    async def reload(self) -> None:
        """Read and show the table again, because its chairs have other holders now. Takes the session's lock."""
        async with self.session.hold_unread():
            self.session.drop()
            self.audience.clear_snapshots()
            await self._show_change(await self.session.read())
        self.turns.wake(self)

    def delete(self) -> None:
        """Have all watchers' connections closed with code `GONE`, because the table was deleted; return at once."""
        self.turns.stop()
        self.session.drop()
        self._disconnect_all(DELETED)

    def refuse_watchers(self) -> None:
        """Have all watchers' connections closed with code `GONE`, because what is stored does not replay here, as when
        another server with other rules plays on; return at once.
        """
        _logger.warning(NOT_REPLAYED, extra={"table": self.id})
        self._disconnect_all(OTHER_RULES)

    def _disconnect_all(self, reason: str) -> None:
        for watcher in list(self.audience.watchers):
            watcher.disconnect(GONE, reason)

    async def close(self) -> None:
        """Stop the computers for good, and wait for the session's lock until what happens is stored."""
        await self.turns.close()
        async with self.session.hold_unread():
            pass
