"""The database: tables with their events, chat, players, ratings and server heartbeats."""

from fourcorners.web.domain.rows import Chair, ChatLine, ConflictError, StoredTable, StoreError, Summary, TableEvent
from fourcorners.web.store.chat import Report
from fourcorners.web.store.ladder import LadderEntry, RatedGame, RatingChanges, rate_game
from fourcorners.web.store.players import Credentials, Profile, Session
from fourcorners.web.store.server_heartbeat import Outage
from fourcorners.web.store.store import Store

__all__ = [
    "Chair",
    "ChatLine",
    "ConflictError",
    "Credentials",
    "LadderEntry",
    "Outage",
    "Profile",
    "RatedGame",
    "RatingChanges",
    "Report",
    "Session",
    "Store",
    "StoreError",
    "StoredTable",
    "Summary",
    "TableEvent",
    "rate_game",
]
