"""Sends the notifications that are due to the browsers of their players, from any of several servers, and once."""

import asyncio
import logging
from collections.abc import Iterable

from starlette.concurrency import run_in_threadpool

from fourcorners.core import catalogue
from fourcorners.web.application.table_session import load_table_in_threads
from fourcorners.web.application.web_push import Delivery
from fourcorners.web.domain.notifications import describe_notification
from fourcorners.web.domain.rematch import list_missing_seats
from fourcorners.web.domain.rows import StoreError
from fourcorners.web.domain.table import ReplayError
from fourcorners.web.realtime.rooms import Rooms
from fourcorners.web.store.notifications import Notification, Subscription

NOTIFY_AFTER = 6.0
"""Seconds in which a player may see the change: meanwhile every server looks whether the table is open there."""
_BATCH = 200
_logger = logging.getLogger(__name__)


class NotificationSender:
    """Sends due notifications in batches. Waiting ones are in the store, so that none is lost when a server stops."""

    def __init__(self, rooms: Rooms) -> None:
        """Send what is noted of the tables in these rooms, and of those at other servers."""
        self._rooms = rooms
        self._context = rooms.context

    async def send_due(self) -> None:
        """Forget what players have seen here, and send what has waited for `NOTIFY_AFTER` seconds; raise StoreError."""
        store, now = self._context.store, self._context.time.now()
        due = []
        for notification in await run_in_threadpool(store.list_unsent_notifications, _BATCH):
            room = self._rooms.opened.get(notification.table_id)
            if room is not None and room.audience.is_seen_by(notification.player):
                store.forget_notification(notification.player, notification.table_id)
            elif notification.at <= now - NOTIFY_AFTER:
                due.append(notification)
        await asyncio.gather(*map(self._send, due))

    async def _send(self, notification: Notification) -> None:
        """Send a notification to all browsers of its player, unless another server does; log a failure of the store.
        If none gets it, forget it, so that there can be another.
        """
        store, (player, table_id, *_) = self._context.store, notification
        try:
            if not await run_in_threadpool(store.claim_notification, player, table_id):
                return
            text = await self._describe(notification)
            browsers = [] if text is None else await run_in_threadpool(store.list_subscriptions, player)
            message = {"title": text, "path": f"/play/{table_id}"}
            if not await self._deliver(browsers, message, table_id):
                store.forget_notification(player, table_id)
        except StoreError as error:
            _logger.warning("a notification could not be sent: %s", error, extra={"table": table_id})

    async def _describe(self, notification: Notification) -> str | None:
        """Return the text of a notification; None if it no longer applies. Raise StoreError."""
        row = await run_in_threadpool(self._context.store.read_row, notification.table_id)
        if row is None or row.game not in catalogue.games():
            return None
        if notification.kind == "rematch" and not await self._is_asked(notification):
            return None
        return describe_notification(row, catalogue.game(row.game).title, notification.player, notification.kind)

    async def _is_asked(self, notification: Notification) -> bool:
        """Return whether a rematch that was offered to a player still waits for the answer. Raise StoreError."""
        try:
            table = await load_table_in_threads(self._context, notification.table_id)
        except ReplayError:
            return False
        return table is not None and notification.player in {
            table.chairs[seat].player for seat in list_missing_seats(table)
        }

    async def _deliver(self, browsers: Iterable[Subscription], message: dict[str, str | None], topic: str) -> bool:
        """Send a message to browsers and forget those that are gone; return whether any push service has taken it."""
        push, now, loop = self._context.push, self._context.time.now(), asyncio.get_running_loop()
        accepted = False
        for browser in browsers:
            delivery = await loop.run_in_executor(push.threads, push.send, browser, message, topic, now)
            accepted |= delivery is Delivery.ACCEPTED
            if delivery is Delivery.GONE:
                await run_in_threadpool(self._context.store.delete_subscription, browser.player, browser.id)
        return accepted
