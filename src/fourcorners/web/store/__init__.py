"""The database: tables with their events, chat and reviews, shared analyses, players, ratings and server heartbeats."""

from fourcorners.web.domain.rows import ConflictError, StoredTable, StoreError
from fourcorners.web.store.analyses import AnalysisStore
from fourcorners.web.store.chat import ChatStore
from fourcorners.web.store.ladder import LadderEntry, LadderStore, RatedGame, RatingChanges, rate_game
from fourcorners.web.store.lessons import LessonStore
from fourcorners.web.store.notifications import NotificationStore
from fourcorners.web.store.passkeys import PasskeyStore
from fourcorners.web.store.players import PlayerStore, Profile, Session
from fourcorners.web.store.probe import ProbeStore
from fourcorners.web.store.puzzle_sets import PuzzleSetStore, StoredSet
from fourcorners.web.store.puzzles import PuzzleStore
from fourcorners.web.store.reviews import ReviewStore, StoredReview
from fourcorners.web.store.server_heartbeat import HeartbeatStore
from fourcorners.web.store.sign_ins import SignInStore
from fourcorners.web.store.tables import TableStore

__all__ = [
    "ConflictError",
    "LadderEntry",
    "Profile",
    "RatedGame",
    "RatingChanges",
    "Session",
    "Store",
    "StoreError",
    "StoredReview",
    "StoredSet",
    "StoredTable",
    "rate_game",
]


class Store(
    TableStore,
    ChatStore,
    ReviewStore,
    AnalysisStore,
    PlayerStore,
    LadderStore,
    HeartbeatStore,
    ProbeStore,
    SignInStore,
    PasskeyStore,
    NotificationStore,
    PuzzleStore,
    PuzzleSetStore,
    LessonStore,
):
    """One `Database` with the queries for each part of the schema; see `Database` for threads and errors."""
