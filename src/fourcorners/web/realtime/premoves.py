"""The premoves of a room: stored as the `plan` of a chair, sent to its seat alone, and found when they are due."""

from starlette.concurrency import run_in_threadpool

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application.table_session import TableSession
from fourcorners.web.application.updates import Watcher
from fourcorners.web.domain.commands import Move
from fourcorners.web.domain.premoves import can_premove, find_premove, prepare_premoves, preview_line
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.client_messages import Premoves, Preview
from fourcorners.web.protocol.server_messages import PreviewAnswer, build_error, encode
from fourcorners.web.protocol.snapshots import build_premoves, build_preview
from fourcorners.web.realtime.audience import Audience


class RoomPremoves:
    """The premoves of one table. Where `table` is given, it is the session's, for which the caller holds the lock."""

    def __init__(self, session: TableSession, audience: Audience) -> None:
        """Serve the premoves of a session to its audience."""
        self._session = session
        self._audience = audience

    def send_to_newcomer(self, table: Table, watcher: Watcher) -> None:
        """Send a new watcher the premoves of its player's seats that have some. Needs the session's lock."""
        for seat in table.active_seats(watcher.player):
            if table.chairs[seat].plan is not None:
                watcher.send(encode(build_premoves(table, seat)))

    def send_to_seats(self, table: Table) -> None:
        """Send each seat that has premoves what remains of them after an event. Needs the session's lock."""
        for chair in table.chairs:
            if chair.plan is not None:
                self._send(table, chair.seat)

    def _send(self, table: Table, seat: int) -> None:
        """Send what remains of a seat's premoves to the connections of the player who holds it."""
        self._audience.send_to_seat(table, seat, build_premoves(table, seat))

    async def save(self, table: Table, watcher: Watcher, message: Premoves) -> None:
        """Replace a seat's premoves in the table and the store, and send them to the seat. Needs the session's lock.
        Raise IllegalMoveError if not allowed, after sending the old ones to a watcher at the seat; raise StoreError.
        """
        seat = message.seat
        request = (watcher.player, seat, message.lines, message.ply, message.version)
        try:
            chair = await self._session.context.run_in_board_thread(prepare_premoves, table, *request)
        except IllegalMoveError:
            # The page shows the new premoves already and needs the old ones back.
            if seat in table.player_seats(watcher.player):
                watcher.send(encode(build_premoves(table, seat)))
            raise
        await self._session.store_premoves(table, chair)
        self._send(table, seat)

    async def preview(self, watcher: Watcher, message: Preview) -> None:
        """Send a watcher the board after a line and what can follow, or why it is illegal. Takes the session's lock."""
        run = self._session.context.run_in_board_thread
        async with self._session.hold() as table:
            try:
                preview = await run(preview_line, table, watcher.player, message.seat, message.line)
                answer = await run(build_preview, table, message, preview)
            except IllegalMoveError as error:
                answer = PreviewAnswer(
                    line=message.line, tokens=message.tokens, sentence=write_sentence(error.reason), next=[], move=False
                )
            watcher.send(encode(answer))

    async def catch_up(self, table: Table) -> None:
        """Read the premoves that were stored through other servers, and send each seat those that are new. Changes the
        chairs of `table`. Needs the session's lock; raise StoreError.
        """
        context = self._session.context
        premoves = await run_in_threadpool(context.store.read_premoves, table.id)
        for chair in table.chairs:
            if chair.plan != premoves.get(chair.seat):
                table.replace_chair(chair._replace(plan=premoves.get(chair.seat)))
                self._send(table, chair.seat)

    async def find_due(self, table: Table) -> Move | None:
        """Return the premove to play now for the seat to move; None if it has none. It may be illegal.
        Needs the session's lock. With other servers, reads the newest first; raise StoreError.
        """
        context, seat = self._session.context, table.seat
        if seat is None or not can_premove(table, seat):
            return None
        if context.shared:
            # Another server may have received newer premoves.
            premoves = await run_in_threadpool(context.store.read_premoves, table.id)
            table.replace_chair(table.chairs[seat]._replace(plan=premoves.get(seat)))
        return find_premove(table, seat)

    async def cancel(self, table: Table, seat: int, sentence: str) -> None:
        """Delete all premoves of a seat and send it the reason. Needs the session's lock; raise StoreError."""
        await self._session.store_premoves(table, table.chairs[seat]._replace(plan=None))
        self._send(table, seat)
        self._audience.send_to_seat(table, seat, build_error(sentence))
