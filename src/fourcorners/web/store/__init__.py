"""Where tables are kept: their events in a database, and nothing that could not be replayed from them."""

from fourcorners.web.store.care import Outage
from fourcorners.web.store.ladder import Moved, Rated, Rung, settle
from fourcorners.web.store.people import Credentials, Profile, Session
from fourcorners.web.store.saved import Chair, ConflictError, NewEvent, Saved, StoreError, Summary
from fourcorners.web.store.store import Store
from fourcorners.web.store.talk import Line, Report

__all__ = [
    "Chair",
    "ConflictError",
    "Credentials",
    "Line",
    "Moved",
    "NewEvent",
    "Outage",
    "Profile",
    "Rated",
    "Report",
    "Rung",
    "Saved",
    "Session",
    "Store",
    "StoreError",
    "Summary",
    "settle",
]
