"""The store: read by anybody, written by one thread; each part looks after some of the relations."""

from __future__ import annotations

from fourcorners.web.store.chat import Talk
from fourcorners.web.store.ladder import Ladder
from fourcorners.web.store.players import People
from fourcorners.web.store.server_heartbeat import Care
from fourcorners.web.store.tables import Tables


class Store(Tables, Talk, People, Ladder, Care):
    """A database in a folder, or at an address."""
