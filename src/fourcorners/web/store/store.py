"""The store: read by anybody, written by one thread; each part looks after some of the relations."""

from __future__ import annotations

from fourcorners.web.store.chat import ChatStore
from fourcorners.web.store.ladder import LadderStore
from fourcorners.web.store.players import PlayerStore
from fourcorners.web.store.server_heartbeat import HeartbeatStore
from fourcorners.web.store.tables import TableStore


class Store(TableStore, ChatStore, PlayerStore, LadderStore, HeartbeatStore):
    """A database in a folder, or at an address."""
