"""The chat of a room: saying, reporting, and passing on what was said through other servers."""

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool

from fourcorners.web.application.table_session import TableSession
from fourcorners.web.application.updates import Watcher
from fourcorners.web.domain.chat_rules import LONGEST_CHAT, compose_chat_text
from fourcorners.web.domain.names import clean_line
from fourcorners.web.domain.rows import ChatLine
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.client_messages import Report, Say
from fourcorners.web.protocol.server_events import ChatOrPremovesChanged
from fourcorners.web.protocol.server_messages import ReportAnswer, encode
from fourcorners.web.protocol.snapshots import build_chat
from fourcorners.web.realtime.audience import Audience


class RoomChat:
    """The chat of one table; `_last` is the number of the last line that was sent to the audience, 0 if none was."""

    def __init__(self, session: TableSession, audience: Audience) -> None:
        """Serve the chat of a session's table to its audience, as if nothing had been said."""
        self._session = session
        self._audience = audience
        self._last = 0

    async def send_to_newcomer(self, table: Table, watcher: Watcher) -> None:
        """Send a new watcher the last 100 lines, and all other watchers those that they have not seen yet. Send nothing
        while fewer than two people hold seats. Needs the session's lock; raise StoreError.
        """
        if len(table.players) > 1:
            lines = await self._read_lines()
            watcher.send(encode(build_chat(table, watcher.player, lines)))
            self._send_new(table, lines, skip=watcher)

    async def _read_lines(self, after: int = 0) -> list[ChatLine]:
        """Return the last 100 (`LINES_READ`) lines with a number above `after`, oldest first; raise StoreError."""
        context = self._session.context
        return await run_in_threadpool(context.store.list_chat_lines, self._session.id, after)

    async def say(self, player: str, message: Say, at: float) -> None:
        """Store a player's line, said at server time `at`, and send it to all watchers. Takes the session's lock. Raise
        IllegalMoveError if the player holds no seat or the table does not allow it, NoTableError, and StoreError.
        """
        context = self._session.context
        async with self._session.hold() as table:
            text = compose_chat_text(table, player, message.phrase, message.text)
            name = table.match.names[table.player_seats(player)[0]]
            await context.store.add_chat_line(table.id, player, name, text, at)
            context.publish(ChatOrPremovesChanged(table.id))
            self._send_new(table, await self._read_lines(self._last))

    async def catch_up(self, newest: int | None = None) -> None:
        """Send watchers what was said through other servers. Takes the session's lock; raise NoTableError, StoreError.
        `newest` is the number of the last stored line; None if it is not known. Nothing happens if it was sent already.
        """
        if newest is None or newest > self._last:
            async with self._session.hold() as table:
                self._send_new(table, await self._read_lines(self._last))

    def _send_new(self, table: Table, lines: Sequence[ChatLine], skip: Watcher | None = None) -> None:
        """Send all watchers but `skip` those of the lines that were not sent yet. Needs the session's lock."""
        new = [line for line in lines if line.number > self._last]
        if not new:
            return
        self._last = new[-1].number
        for watcher in list(self._audience.watchers):
            if watcher is not skip:
                watcher.send(encode(build_chat(table, watcher.player, new)))

    async def report(self, watcher: Watcher, message: Report, at: float) -> None:
        """Store a report for the operator with the text of the reported line, and answer the watcher alone.

        It quotes the line, or "" if it is about the whole table or the line is not among the last 100. `at` is the
        server time. The answer's `taken` is False if the table has 100 reports already, or 5 by this player. Anyone
        may report. Takes no lock; raise StoreError.
        """
        text, store = clean_line(message.text, LONGEST_CHAT), self._session.context.store
        about = next((line.text for line in await self._read_lines() if line.number == message.number), "")
        stored = store.add_report(self._session.id, message.number, watcher.player, about, text, at)
        watcher.send(encode(ReportAnswer(taken=await stored)))
