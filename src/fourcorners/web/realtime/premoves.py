"""The premoves of a room: stored, shown to their seat alone, and found when they are due.

All methods need the session's lock.
"""

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application.table_session import TableSession
from fourcorners.web.application.updates import Watcher
from fourcorners.web.domain.actions import Move
from fourcorners.web.domain.premoves import can_premove, find_premove, plan_moves, preview_line
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.client_messages import Plan, Preview
from fourcorners.web.protocol.server_messages import PreviewAnswer, build_error, encode
from fourcorners.web.protocol.snapshots import build_plan, build_preview
from fourcorners.web.realtime.audience import Audience


class RoomPremoves:
    """The premoves of one table."""

    def __init__(self, session: TableSession, audience: Audience) -> None:
        """Serve the premoves of a session to its audience."""
        self._session = session
        self._audience = audience

    def greet(self, table: Table, watcher: Watcher) -> None:
        """Send a new watcher the plans of its seats."""
        for seat in table.active_seats(watcher.player):
            if table.chairs[seat].plan is not None:
                watcher.send(encode(build_plan(table, seat)))

    def announce(self, table: Table) -> None:
        """Send each seat what remains of its plan after an event."""
        for chair in table.chairs:
            if chair.plan is not None:
                self._send_plan(table, chair.seat)

    def _send_plan(self, table: Table, seat: int) -> None:
        self._audience.send_to_seat(table, seat, build_plan(table, seat))

    async def save(self, table: Table, watcher: Watcher, message: Plan) -> None:
        """Store the plan of a seat and send it back; raise IllegalMoveError if it is not allowed."""
        seat = message.seat
        request = (watcher.player, seat, message.lines, message.ply, message.version)
        try:
            chair = await self._session.context.run_in_thread(plan_moves, table, *request)
        except IllegalMoveError:
            # The page shows the new plan already and needs the old one back.
            if seat in table.player_seats(watcher.player):
                watcher.send(encode(build_plan(table, seat)))
            raise
        await self._session.store_plan(table, chair)
        self._send_plan(table, seat)

    async def preview(self, table: Table, watcher: Watcher, message: Preview) -> None:
        """Send the board after the moves of a line, and what can follow."""
        run = self._session.context.run_in_thread
        try:
            preview = await run(preview_line, table, watcher.player, message.seat, message.line)
            answer = await run(build_preview, table, message, preview)
        except IllegalMoveError as error:
            answer = PreviewAnswer(line=message.line, tokens=message.tokens, sentence=error.reason, next=[], move=False)
        watcher.send(encode(answer))

    async def catch_up(self, table: Table) -> None:
        """Read the plans that were stored through other servers, and send them to their seats."""
        context = self._session.context
        plans = await context.run_in_thread(context.store.read_plans, table.id)
        for chair in list(table.chairs):
            if chair.plan != plans.get(chair.seat):
                table.chairs[chair.seat] = chair._replace(plan=plans.get(chair.seat))
                self._send_plan(table, chair.seat)

    async def find_due(self, table: Table) -> Move | None:
        """Return the planned move of the seat to move; None if it has none."""
        context, seat = self._session.context, table.seat
        if seat is None or not can_premove(table, seat):
            return None
        if context.shared:
            # The plan may have been sent to another server.
            plans = await context.run_in_thread(context.store.read_plans, table.id)
            table.chairs[seat] = table.chairs[seat]._replace(plan=plans.get(seat))
        return find_premove(table, seat, context.time.now())

    async def cancel(self, table: Table, seat: int, sentence: str) -> None:
        """Delete the plan of a seat and tell the seat why."""
        await self._session.store_plan(table, table.chairs[seat]._replace(plan=None))
        self._send_plan(table, seat)
        self._audience.send_to_seat(table, seat, build_error(sentence))
