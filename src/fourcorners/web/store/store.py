"""The store: read by anybody, written by one thread; each part looks after some of the relations."""

from __future__ import annotations

from fourcorners.web.store.care import Care
from fourcorners.web.store.tables import Tables
from fourcorners.web.store.talk import Talk


class Store(Tables, Talk, Care):
    """A database in a folder, or at an address."""

    # Until people.py is merged.
    def profile(self, player):  # type: ignore
        from types import SimpleNamespace

        return SimpleNamespace(account=None, name="Guest")

    def result(self, table_id):  # type: ignore
        return None
