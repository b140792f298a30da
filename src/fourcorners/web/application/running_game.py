"""One game that is being played without help: its last positions, and which other positions belong to it.

A position belongs to the game if it has everything that was on the board two plies ago, and not much more than there is
now. It also belongs to it if it lacks one of those moves: its best move and its value would tell about the game's own
position. Positions are compared without what is hidden, however the board is turned.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from fourcorners.core.outline import Outline
from fourcorners.core.position import Position, View
from fourcorners.web.domain.rows import Chair, StoredTable, TableEvent
from fourcorners.web.domain.table import BESIDE_THE_BOARD, Table

BACK, AHEAD = 2, 6
"""How many plies back and how many moves ahead of the game positions belong to it."""
_MISSING_SHARE = 5
"""Of so many points one may be missing: on an almost empty board all positions differ by only a move or two."""
_UNDO = "!undo "


class History(NamedTuple):
    """The first position of a game, and the moves since that were not taken back."""

    start: Position
    moves: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunningGame:
    """A game that is being played without help, up to a version. `positions` are its last ones, the oldest first, or
    none if it needs no protection. `moved` are the seats that have moved, and `plies` counts the moves. `history` is
    None unless the game was replayed here.
    """

    version: int
    positions: tuple[Position, ...] = ()
    chairs: tuple[Chair, ...] = ()
    moved: frozenset[int] = frozenset()
    plies: int = 0
    is_rated: bool = False
    history: History | None = None

    @cached_property
    def players(self) -> frozenset[str]:
        """The people at its chairs."""
        return frozenset(chair.player for chair in self.chairs if chair.taken and chair.player is not None)

    @cached_property
    def outlines(self) -> tuple[Outline, ...]:
        """The outlines of the last positions, the oldest first."""
        return tuple(draw_outline(position) for position in self.positions)

    @property
    def has_two_sides(self) -> bool:
        """Whether two people have moved, or one in a rated game: a guest alone keeps nobody from the engine."""
        people = {self.chairs[seat].player for seat in self.moved if self.chairs[seat].player is not None}
        return len(people) >= (1 if self.is_rated else 2)

    def owns(self, images: Sequence[Outline], first: int, moves: int = 0) -> bool:
        """Return whether a position, given by its images, belongs to this game or may do so within `moves` more moves.
        The plies of the game count from `first` on.
        """
        if not self.positions or self.plies < first:
            return False
        # The oldest outline that counts is enough: it is contained in the later ones.
        now, oldest = self.outlines[-1], self.outlines[-1 - min(len(self.outlines) - 1, self.plies - first)]
        since, more = len(now.points) - len(oldest.points), moves * now.step
        missing = min(now.step, len(oldest.points) // _MISSING_SHARE)
        return oldest.leads_to(images, since + AHEAD * now.step, more) or (
            missing > 0 and oldest.leads_to(images, since + now.step, missing + more)
        )

    @cached_property
    def sizes(self) -> range:
        """How many points a position may have that belongs to this game."""
        now, oldest = self.outlines[-1], self.outlines[0]
        return range(len(oldest.points) - now.slack - 2 * now.step, len(now.points) + AHEAD * now.step + 1)

    def follow(self, events: Sequence[TableEvent], chairs: Sequence[Chair]) -> "Replay | None":
        """Return what replays the game up to later events, with these chairs; None if that needs the whole table."""
        texts = [event.text for event in events]
        if {text.partition(" ")[0] for text in texts if text.startswith("@")} - BESIDE_THE_BOARD - {"@rename"}:
            return None
        game = replace(self, version=events[-1].version if events else self.version, chairs=tuple(chairs))
        if self.history is None:
            # A game that was over needs protection again once a move is taken back.
            if any(text.startswith(_UNDO) for text in texts):
                return None
            moves: list[str] = []
            _apply(moves, texts)
            return Replay(game, moves if self.positions else ())
        moves = list(self.history.moves)
        if _apply(moves, texts) < len(self.history.moves):
            return Replay.begin(game, self.history.start, moves)
        return Replay(game, moves[len(self.history.moves) :])


class Replay:
    """A replay of the moves of a game that still stand, so that takebacks cost nothing. It can stop and go on later."""

    def __init__(self, game: RunningGame, moves: Sequence[str]) -> None:
        """Begin with a game as far as it is known, but with the version that it has after `moves`."""
        self.version = game.version
        self._game = game
        self._moves, self._left = moves, iter(moves)
        self._positions, self._moved = game.positions, set(game.moved)

    @classmethod
    def begin(cls, game: RunningGame, start: Position, moves: Sequence[str]) -> "Replay":
        """Begin with the first position of a game."""
        return cls(replace(game, positions=(start,), moved=frozenset(), plies=0, history=History(start)), moves)

    @classmethod
    def of(cls, row: StoredTable) -> "Replay":
        """Begin with a stored table. Raise GameError."""
        # What comes before the first move belongs to setting up the table.
        first = next((n for n, event in enumerate(row.events) if not event.text.startswith("@")), len(row.events))
        table = Table(StoredTable(**{**vars(row), "events": row.events[:first]}))
        if not _needs_protection(table):
            return cls(RunningGame(row.version), ())
        moves: list[str] = []
        _apply(moves, (event.text for event in row.events[first:]))
        game = RunningGame(row.version, chairs=table.chairs, is_rated=table.is_rated)
        return cls.begin(game, table.match.positions[0], moves)

    def go_on(self, check: Callable[[], None]) -> RunningGame:
        """Replay what is left; `check` is called before each move, and its errors pass through. Raise GameError."""
        check()
        for move in self._left:
            last = self._positions[-1]
            self._positions = (*self._positions[-BACK:], last.play(move))
            if last.seat is not None:
                self._moved.add(last.seat)
            check()
        game = self._game
        history = None if game.history is None else History(game.history.start, (*game.history.moves, *self._moves))
        plies = game.plies + len(self._moves)
        return replace(game, positions=self._positions, moved=frozenset(self._moved), plies=plies, history=history)


def describe(table: Table) -> RunningGame:
    """Return the game of a table, without its history."""
    if not _needs_protection(table):
        return RunningGame(table.version)
    positions, chairs = table.match.positions, table.chairs
    # In a long game it is enough to know who moved at the beginning.
    first = islice(positions, min(len(positions) - 1, 4 * len(chairs)))
    moved = frozenset(position.seat for position in first if position.seat is not None)
    latest = tuple(positions[-1 - BACK :])
    return RunningGame(table.version, latest, chairs, moved, len(positions) - 1, is_rated=table.is_rated)


def _needs_protection(table: Table) -> bool:
    return not (table.study or table.is_over or table.allows_advice or table.started is None)


def _apply(moves: list[str], texts: Iterable[str]) -> int:
    """Apply the texts of events to the moves of a game; return how many of the first ones were never taken back."""
    kept = len(moves)
    for text in texts:
        if text.startswith(_UNDO):
            del moves[int(text.removeprefix(_UNDO)) :]
            kept = min(kept, len(moves))
        elif text[:1] not in {"!", "@"}:
            # Thousands of games have the same moves.
            moves.append(sys.intern(text))
    return kept


def draw_outline(position: Position | View) -> Outline:
    """Return the outline of a position, or a point that stands for all that a spectator sees."""
    draw = position.game.spec.outline
    if draw is not None:
        return draw(position.record)
    seen = position.view(None) if isinstance(position, Position) else position
    return Outline(frozenset({(0, 0, seen.text)}), 0, 0, step=0)
