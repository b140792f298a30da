"""Which positions belong to games that are being played: for these nobody gets the help of an engine.

A position belongs to a running game if it is one of its last positions, or could be reached from them within a few
moves: if it has all that was on the board two plies ago, and little more than there is now. Positions are compared
without what is hidden, and in all ways in which a board can be turned. For those who do not play this game its first
plies do not count, because they occur in every game, nor does a game in which nobody else takes part or that sleeps.

A question takes a turn in a queue and has a budget of processor time. This process notes the games that change in it;
of the others it reads only the boards of the size that is asked about, and of a game it knows only what is new. What
a question has read stays, so the next one goes on from there.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.outline import Outline
from fourcorners.core.position import Position, View
from fourcorners.web.domain.rows import Chair, GameListing, StoredTable, TableEvent
from fourcorners.web.domain.table import BESIDE_THE_BOARD, Table
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.work_queue import BudgetError, Client, CpuBudget, QueueLimits, WorkQueue
from fourcorners.web.store import Store

BACK, AHEAD = 2, 6
"""How many plies back the positions count, and how many moves ahead."""
OPENING_PLIES = 3
"""From so many plies on a position belongs to a game for everybody, and not only for its players."""
AWAKE_SECONDS = 24 * 3600.0
"""For so long after its last move a game without a running clock counts for those who do not play it."""
LIMITS = QueueLimits(waiting=128, per_player=8, per_network=64, cpu_seconds=1.0)
_OVERLAP = 120.0
"""An event is stored some time after it arrived: changes of so many seconds are read again."""
_FORGOTTEN_AFTER = 600.0
_MAX_GAMES, _MAX_REPLAYS = 5_000, 4
"""How many games are kept, of three positions each, and how many long ones that are being replayed."""
_REASON = (
    "this position is one of a game that is being played on this server, or may soon be: "
    "the engine is off for it until that game is over"
)
_LOADING = "The server is still looking which games are being played. Try again in a moment."

_Board = tuple[bool, int, int]
"""What boards have in common that can show the same: whether they float, and otherwise their sides, the shorter first.
"""


class RunningGame:
    """A game that is being played without help, up to a version, with its last positions, the oldest first; none if it
    needs no protection. `players` are the people at its chairs, by seat, `moved` the seats that have moved, and `plies`
    counts the moves.
    """

    def __init__(
        self,
        version: int,
        positions: tuple[Position, ...] = (),
        chairs: Sequence[Chair] = (),
        moved: frozenset[int] = frozenset(),
        plies: int = -1,
        *,
        is_rated: bool = False,
    ) -> None:
        """Keep what was replayed; outlines are drawn once somebody asks."""
        self.version = version
        self.positions = positions
        self.chairs = tuple(chairs)
        self.moved = moved
        self.plies = plies
        self.is_rated = is_rated
        self.players = frozenset(chair.player for chair in chairs if chair.taken and chair.player is not None)

    @cached_property
    def outlines(self) -> tuple[Outline, ...]:
        """The outlines of the last positions, the oldest first."""
        return tuple(_draw_outline(position) for position in self.positions)

    @property
    def has_two_sides(self) -> bool:
        """Whether two people have moved, or one in a rated game: a guest alone keeps nobody from the engine."""
        people = {self.chairs[seat].player for seat in self.moved if self.chairs[seat].player is not None}
        return len(people) >= (1 if self.is_rated else 2)

    def follow(self, events: Sequence[TableEvent], chairs: Sequence[Chair]) -> "RunningGame | None":
        """Return the game after more events and with these chairs; None if only a replay tells what they do."""
        positions, moved, plies = self.positions, set(self.moved), self.plies
        for event in events:
            word = event.text.partition(" ")[0]
            if word in BESIDE_THE_BOARD or word == "@rename":
                continue
            if word[:1] in {"@", "!"}:
                return None
            if not positions:
                continue
            try:
                positions = (*positions[-BACK:], positions[-1].play(event.text))
            except GameError:
                return None
            moved.add(event.seat)
            plies += 1
        version = events[-1].version if events else self.version
        return RunningGame(version, positions, chairs, frozenset(moved), plies, is_rated=self.is_rated)


class _Replay:
    """The replay of one game, which goes on where it has stopped."""

    def __init__(self, row: StoredTable) -> None:
        """Begin with what comes before the first move, which belongs to setting up the table."""
        moves = (number for number, event in enumerate(row.events) if not event.text.startswith("@"))
        first = next(moves, len(row.events))
        self._events = iter(row.events[first:])
        self._table = Table(_keep_events(row, row.events[:first]))
        self.version = row.version

    def go_on(self, check: Callable[[], None]) -> RunningGame:
        """Replay what is left; `check` is called before each event, and its errors pass through. Raise GameError."""
        check()
        if self._table.study or self._table.allows_advice:
            return RunningGame(self.version)
        for event in self._events:
            self._table.apply_event(event)
            check()
        return describe(self._table)


class _Kind:
    """What is known of the games of a kind: the listings of those that run, and how new they are."""

    def __init__(self, names: Iterable[str]) -> None:
        """Know nothing yet; `names` are the ids of the kind's presets."""
        self.names = list(names)
        self.listings: dict[str, GameListing] = {}
        self.read_until = self.read_all_at = float("-inf")


class RunningGames:
    """The games that are being played without help, as the database has them."""

    def __init__(self, store: Store) -> None:
        """Know no game yet: those of a kind are read when somebody asks about it first."""
        self._store = store
        self._queue = WorkQueue("running", 1, _LOADING)
        self._kinds: dict[str, _Kind] = {}
        # The only thread of the queue uses all of this, and `note` the games.
        self._replays: OrderedDict[str, _Replay] = OrderedDict()
        self._games: OrderedDict[str, RunningGame] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, table: Table) -> None:
        """Take over a table of this process once its last event is stored, which costs no replay; any thread may."""
        self._keep(table.id, describe(table))

    async def check(self, client: Client, position: Position | View, now: float, table_id: str = "") -> None:
        """Raise IllegalMoveError if a position belongs to a running game, other than the one at the table where it is
        asked about; `now` is server time. Raise BusyError if too many ask or there is much to read, and StoreError.
        """
        stop = threading.Event()
        try:
            await self._queue.run(
                client, lambda budget: self._check(client.player, position, now, table_id, budget), stop, LIMITS
            )
        except BudgetError:
            raise BusyError(_LOADING) from None
        finally:
            stop.set()

    def close(self) -> None:
        """Stop for good, blocking: questions raise BusyError."""
        self._queue.close()

    def _check(self, player: str, position: Position | View, now: float, table_id: str, budget: CpuBudget) -> None:
        """Do the work of `check`, in the queue's thread; raise BudgetError as the budget does."""
        spec = position.game.spec.id
        names = (name for name in catalogue.games() if catalogue.game(name).spec.id == spec)
        kind = self._kinds.get(spec) or self._kinds.setdefault(spec, _Kind(names))
        self._refresh(kind, now)
        outline = _draw_outline(position)
        images, board = list(outline.list_images()), _measure(outline)
        own = {listing.id: listing for listing in self._store.list_own_games(kind.names, player)}
        awake = {key: listing for key, listing in kind.listings.items() if _is_awake(listing, now)}
        listings = [listing for listing in {**awake, **own}.values() if listing.id != table_id]
        # The short ones first: what a long game costs must not keep the others from being known.
        for listing in sorted(listings, key=self._count_missing):
            budget.check()
            if _find_board(listing) not in {None, board}:
                continue
            game = self._find(listing, budget.check)
            is_player = player in game.players
            if not is_player and not (game.has_two_sides and listing.id in awake):
                continue
            if _belongs_to(images, game, 0 if is_player else OPENING_PLIES):
                raise IllegalMoveError("analysis", _REASON, "running")

    def _refresh(self, kind: _Kind, now: float) -> None:
        """List what has changed since the last time; all of it the first time, and then and when, as tables may be
        deleted.
        """
        if now - kind.read_all_at >= _FORGOTTEN_AFTER:
            found = self._store.list_awake_games(kind.names, now - AWAKE_SECONDS)
            kind.listings, kind.read_all_at = {}, now
        else:
            found = self._store.list_changed_games(kind.names, kind.read_until - _OVERLAP)
        for listing in found:
            if listing.is_over:
                kind.listings.pop(listing.id, None)
            else:
                kind.listings[listing.id] = listing
        kind.read_until = now

    def _count_missing(self, listing: GameListing) -> int:
        """Return how many events of a game are not known."""
        game = self._games.get(listing.id)
        return listing.version if game is None else abs(listing.version - game.version)

    def _find(self, listing: GameListing, check: Callable[[], None]) -> RunningGame:
        """Return a game at least as new as it is listed, read from the database as far as it is not known; one that
        does not replay, or in which help is allowed, has nothing to protect.
        """
        game = self._games.get(listing.id)
        if game is None or game.version > listing.version:
            # A failover may have lost what is known.
            game = self._keep(listing.id, self._replay(listing, check))
        if game.version < listing.version:
            events = self._store.read_events_since(listing.id, game.version)
            followed = game.follow(events, self._store.read_chairs(listing.id))
            game = self._keep(listing.id, followed or self._replay(listing, check))
        return game

    def _replay(self, listing: GameListing, check: Callable[[], None]) -> RunningGame:
        """Replay a game, or go on with it where an earlier question has stopped; raise the errors of `check`."""
        replay = self._replays.get(listing.id)
        try:
            if replay is None or replay.version > listing.version:
                row = self._store.load_table(listing.id)
                if row is None:
                    return RunningGame(listing.version)
                replay = self._replays[listing.id] = _Replay(row)
                while len(self._replays) > _MAX_REPLAYS:
                    self._replays.popitem(last=False)
            game = replay.go_on(check)
        except GameError:
            game = RunningGame(listing.version)
        self._replays.pop(listing.id, None)
        return game

    def _keep(self, table_id: str, game: RunningGame) -> RunningGame:
        """Keep a game, perhaps in place of that of another server long ago, and return it."""
        with self._lock:
            self._games[table_id] = game
            self._games.move_to_end(table_id)
            while len(self._games) > _MAX_GAMES:
                self._games.popitem(last=False)
        return game


def describe(table: Table) -> RunningGame:
    """Return what is protected of a game."""
    if table.study or table.is_over or table.allows_advice or table.started is None:
        return RunningGame(table.version)
    positions = table.match.positions
    return RunningGame(
        table.version,
        tuple(positions[-1 - BACK :]),
        table.chairs,
        _find_movers(table),
        len(positions) - 1,
        is_rated=table.is_rated,
    )


def _find_movers(table: Table) -> frozenset[int]:
    """Return the seats that have moved; in a long game those that have within the first moves, which are enough."""
    positions = table.match.positions
    first = islice(positions, min(len(positions) - 1, 4 * len(table.chairs)))
    return frozenset(position.seat for position in first if position.seat is not None)


def _keep_events(row: StoredTable, events: list[TableEvent]) -> StoredTable:
    """Return a stored table with only some of its events."""
    return StoredTable(**{**vars(row), "events": events})


def _is_awake(listing: GameListing, now: float) -> bool:
    """Return whether a game counts for those who do not play it: a clock runs, or it has changed lately."""
    return listing.is_timed or listing.changed > now - AWAKE_SECONDS


def _find_board(listing: GameListing) -> _Board | None:
    """Return what a game's board is like; None if nobody knows."""
    try:
        return _measure_game(listing.game, tuple(sorted(listing.options.items())))
    except (GameError, TypeError):
        # The options are not allowed any more, or one of them is a list.
        return None


@lru_cache(maxsize=1024)
def _measure_game(name: str, options: tuple[tuple[str, Any], ...]) -> _Board:
    return _measure(_draw_outline(catalogue.game(name, **dict(options)).start()))


def _measure(outline: Outline) -> _Board:
    """Return what two outlines have in common if one can continue the other."""
    if outline.floats:
        return True, 0, 0
    return False, min(outline.width, outline.height), max(outline.width, outline.height)


def _draw_outline(position: Position | View) -> Outline:
    """Return the outline of a position, or a point that stands for all that a spectator sees."""
    draw = position.game.spec.outline
    if draw is not None:
        return draw(position.record)
    seen = position.view(None) if isinstance(position, Position) else position
    return Outline(frozenset({(0, 0, seen.text)}), 0, 0, step=0)


def _belongs_to(images: Sequence[Outline], game: RunningGame, first: int) -> bool:
    """Return whether a position, with all its images, belongs to a game whose plies count from `first` on."""
    if game.plies < first:
        return False
    # The oldest outline that counts: what follows from it follows from the others, or has less on the board.
    now, oldest = game.outlines[-1], game.outlines[-1 - min(len(game.outlines) - 1, game.plies - first)]
    most = len(now.points) - len(oldest.points) + AHEAD * now.step
    return oldest.leads_to(images, most)
