"""The store: all that the web server keeps in its database."""

from __future__ import annotations

from fourcorners.web.store.chat import ChatStore
from fourcorners.web.store.ladder import LadderStore
from fourcorners.web.store.players import PlayerStore
from fourcorners.web.store.server_heartbeat import HeartbeatStore
from fourcorners.web.store.tables import TableStore


class Store(TableStore, ChatStore, PlayerStore, LadderStore, HeartbeatStore):
    """One `Database` with the queries for each part of the schema; see `Database` for threads and errors."""
