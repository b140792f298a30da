"""Where tables are kept: their events in a database, and nothing that could not be replayed from them."""

from fourcorners.web.store.store import NewEvent, Saved, Store, StoreError, Summary

__all__ = ["NewEvent", "Saved", "Store", "StoreError", "Summary"]
