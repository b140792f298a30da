"""The positions of running games, with which the engine helps nobody.

A position belongs to a running game if it is one of its last positions, or can be reached from them within a few moves;
`running_game` has the definition. For people who do not play the game its first plies do not count, because they occur
in every game. For them a game does not count either if only one person takes part, or if it is no longer awake.

A question waits in a queue and has a budget of processor time. This process notes the games that change in it. Of all
others it reads only those on boards of the size that is asked about, and of a game that it knows only what is new. What
a question has read stays, so the next one goes on from there.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.outline import Outline
from fourcorners.core.position import Position, View
from fourcorners.web.application.running_game import Replay, RunningGame, describe, draw_outline
from fourcorners.web.domain.rows import GameListing
from fourcorners.web.domain.table import Table
from fourcorners.web.engine.work_queue import BudgetError, BusyError, Client, Limits, WorkQueue
from fourcorners.web.store import Store

OPENING_PLIES = 3
"""From this ply on a game counts for everybody, and not only for its players."""
AWAKE_SECONDS, GUESTS_AWAKE_SECONDS = 24 * 3600.0, 3600.0
"""How long after its last change a game is awake, so that it counts for people who do not play it. The first applies if
somebody in it has an account and no clock runs, the second to games between guests, who can leave many behind.
"""
LIMITS = Limits(threads=1, waiting=128, per_player=8, per_network=64, cpu_seconds=1.0)
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
"""Whether a board floats, and otherwise its sides, the shorter first. Only games on equal boards can be alike."""


class Walk(NamedTuple):
    """A position, and moves that lead on from it."""

    position: Position | View
    moves: tuple[str, ...] = ()


class _Question(NamedTuple):
    """The arguments of `RunningGames.measure`."""

    player: str
    walks: Sequence[Walk]
    now: float
    table_id: str
    opening: int
    only_rated: bool


class _CountedGame(NamedTuple):
    """A running game, and the ply from which on it counts for the player who asks."""

    game: RunningGame
    first: int


class _Shape:
    """The outline of a position, whose images are drawn when they are first needed."""

    def __init__(self, position: Position | View) -> None:
        """Draw the outline."""
        self.outline = draw_outline(position)
        self._near: dict[int, list[_CountedGame]] = {}

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.outline.points)

    @cached_property
    def images(self) -> list[Outline]:
        """The outline in all ways in which the board can be turned."""
        return list(self.outline.list_images())

    def list_near(self, games: Sequence[_CountedGame], moves: int) -> list[_CountedGame]:
        """List the games to which the position belongs, or may come within so many moves."""
        if moves not in self._near:
            self._near[moves] = [each for each in games if self.is_near(each, moves)]
        return self._near[moves]

    def is_near(self, counted: _CountedGame, moves: int = 0) -> bool:
        """Return whether the position belongs to a game, or may come to it within so many moves."""
        game, size = counted.game, self.size
        if not game.positions or not game.sizes.start - moves * self.outline.step <= size < game.sizes.stop:
            # This is quick, and enough for most positions.
            return False
        return game.owns(self.images, counted.first, moves)


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
        self._queue = WorkQueue("running", LIMITS, _LOADING)
        self._kinds: dict[str, _Kind] = {}
        # The only thread of the queue uses all of this, and `note` the games.
        self._replays: OrderedDict[str, Replay] = OrderedDict()
        self._games: OrderedDict[str, RunningGame] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, table: Table) -> None:
        """Take over a table of this process once its last event is stored, which costs no replay; any thread may."""
        self._keep(table.id, describe(table))

    async def measure(
        self,
        client: Client,
        walks: Sequence[Walk],
        now: float,
        table_id: str = "",
        *,
        opening: int = OPENING_PLIES,
        only_rated: bool = False,
    ) -> list[int | None]:
        """Return after how many moves each walk reaches a position of a running game, except the one at the table where
        the question is asked; None if it never does.

        All walks are of one game with the same options, and `now` is server time. For those who do not play a game, its
        first plies, as many as `opening` says, do not count, and with `only_rated` only a rated game counts. Raise
        BusyError if too many ask or there is much to read, and StoreError.
        """
        if not walks:
            return []
        question = _Question(client.player, walks, now, table_id, opening, only_rated)
        try:
            return await self._queue.run(client, lambda budget: self._measure(question, budget.check))
        except BudgetError:
            raise BusyError(_LOADING) from None

    def close(self) -> None:
        """Stop for good, blocking: questions raise BusyError."""
        self._queue.close()

    def _measure(self, question: _Question, check: Callable[[], None]) -> list[int | None]:
        """Do the work of `measure`, in the queue's thread; raise what `check` raises."""
        games = self._list_games(question, check)
        shapes: dict[int, _Shape] = {}
        found = []
        for walk in question.walks:
            shape = shapes.get(id(walk.position)) or _Shape(walk.position)
            shapes[id(walk.position)] = shape
            found.append(_measure_walk(walk, shape, shape.list_near(games, len(walk.moves)), check))
            check()
        return found

    def _list_games(self, question: _Question, check: Callable[[], None]) -> list[_CountedGame]:
        """List the running games on boards like that of the question that count for its player."""
        player, position, now = question.player, question.walks[0].position, question.now
        spec = position.game.spec.id
        names = (name for name in catalogue.games() if catalogue.game(name).spec.id == spec)
        kind = self._kinds.get(spec) or self._kinds.setdefault(spec, _Kind(names))
        self._refresh(kind, now)
        board = _describe_board(draw_outline(position))
        own = {listing.id: listing for listing in self._store.list_own_games(kind.names, player)}
        awake = {key: listing for key, listing in kind.listings.items() if _is_awake(listing, now)}
        listings = [listing for listing in {**awake, **own}.values() if listing.id != question.table_id]
        games = []
        # The short ones first: what a long game costs must not keep the others from being known.
        for listing in sorted(listings, key=self._count_missing):
            check()
            if _find_board(listing) not in {None, board}:
                continue
            game = self._find(listing, check)
            if player in game.players:
                games.append(_CountedGame(game, 0))
            elif game.has_two_sides and listing.id in awake and (game.is_rated or not question.only_rated):
                games.append(_CountedGame(game, question.opening))
        return games

    def _refresh(self, kind: _Kind, now: float) -> None:
        """Read what has changed since the last time; everything the first time, and again now and then, because tables
        may have been deleted.
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
        does not replay, or in which help is allowed, has nothing to protect. Raise what `check` raises.
        """
        game = self._games.get(listing.id)
        if game is None or game.version > listing.version:
            # A failover may have lost what is known.
            game = self._keep(listing.id, self._replay(listing, None, check))
        if game.version < listing.version:
            game = self._keep(listing.id, self._replay(listing, game, check))
        return game

    def _replay(self, listing: GameListing, known: RunningGame | None, check: Callable[[], None]) -> RunningGame:
        """Replay what is not known of a game, or go on where an earlier question stopped. Raise what `check` does."""
        replay = self._replays.get(listing.id)
        oldest = -1 if known is None else known.version
        try:
            if replay is None or not oldest < replay.version <= listing.version:
                replay = self._begin_replay(listing, known)
                if replay is None:
                    return RunningGame(listing.version)
                self._replays[listing.id] = replay
                while len(self._replays) > _MAX_REPLAYS:
                    self._replays.popitem(last=False)
            game = replay.go_on(check)
        except GameError:
            game = RunningGame(listing.version)
        self._replays.pop(listing.id, None)
        return game

    def _begin_replay(self, listing: GameListing, known: RunningGame | None) -> Replay | None:
        """Begin to replay what is not known of a game; return None if there is no such table. Raise GameError."""
        if known is not None:
            events = self._store.read_events_since(listing.id, known.version)
            replay = known.follow(events, self._store.read_chairs(listing.id))
            if replay is not None:
                return replay
        row = self._store.load_table(listing.id)
        return None if row is None else Replay.of(row)

    def _keep(self, table_id: str, game: RunningGame) -> RunningGame:
        """Keep a game, perhaps in place of that of another server long ago, and return it."""
        with self._lock:
            self._games[table_id] = game
            self._games.move_to_end(table_id)
            while len(self._games) > _MAX_GAMES:
                self._games.popitem(last=False)
        return game


def _measure_walk(walk: Walk, shape: _Shape, near: Sequence[_CountedGame], check: Callable[[], None]) -> int | None:
    """Return after how many moves a walk reaches one of the games near it; None if it never does. `shape` is that of
    its position. Raise what `check` raises.
    """
    if any(shape.is_near(each) for each in near):
        return 0
    if not near:
        return None
    fewest, most = min(each.game.sizes.start for each in near), max(each.game.sizes.stop for each in near)
    position, size, step = walk.position, shape.size, shape.outline.step
    for number, move in enumerate(walk.moves, 1):
        assert isinstance(position, Position)
        position = position.play(move)
        check()
        if size + number * step < fewest:
            continue
        shape = _Shape(position)
        if any(shape.is_near(each) for each in near):
            return number
        if shape.size - shape.outline.slack >= most:
            break
    return None


def build_refusal() -> IllegalMoveError:
    """Return, not raise, the error about a position of a running game."""
    return IllegalMoveError("analysis", _REASON, "running")


def _is_awake(listing: GameListing, now: float) -> bool:
    """Return whether a game counts for those who do not play it: a clock runs, or it has changed lately."""
    if not listing.has_account:
        return listing.changed > now - GUESTS_AWAKE_SECONDS
    return listing.is_timed or listing.changed > now - AWAKE_SECONDS


def _find_board(listing: GameListing) -> _Board | None:
    """Return the kind of a game's board; None if it is not known."""
    try:
        return _describe_game_board(listing.game, tuple(sorted(listing.options.items())))
    except (GameError, TypeError):
        # The options are not allowed any more, or one of them is a list.
        return None


@lru_cache(maxsize=1024)
def _describe_game_board(name: str, options: tuple[tuple[str, Any], ...]) -> _Board:
    return _describe_board(draw_outline(catalogue.game(name, **dict(options)).start()))


def _describe_board(outline: Outline) -> _Board:
    """Return the kind of an outline's board."""
    if outline.floats:
        return True, 0, 0
    return False, min(outline.width, outline.height), max(outline.width, outline.height)
