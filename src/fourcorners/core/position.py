"""Positions, and views of them: what can be read and played, checked at the door."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.errors import IllegalMoveError, NotationError, OptionError, Reason, quote
from fourcorners.core.scene import Overlay, Scene, svg

if TYPE_CHECKING:
    from fourcorners.core.dispatch import Actions, State, States
    from fourcorners.core.game import Game
    from fourcorners.core.spec import HidingNotation

LONGEST_MOVE = 100
_NOT_YOURS = Reason("not-your-turn", "it is not this seat's turn, and only the seat to move knows its moves")
_OVER = Reason("game-over", "the game is over")


class Ply(NamedTuple):
    """One move by one seat, as a certain viewer saw it."""

    seat: int
    move: str


class Played(NamedTuple):
    """A move as its seat knows it and as the others see it."""

    seat: int
    move: str
    public: str


class Outcome(NamedTuple):
    """How a game ended: the seats that share the win, and why it was over."""

    winners: tuple[int, ...]
    reason: str


class Reading:
    """What a position and a view of it can both tell; it never changes."""

    def __init__(self, game: Game, states: States, played: tuple[Played, ...]) -> None:
        states.setflags(write=False)
        self.game = game
        self._states = states
        self._played = played

    @cached_property
    def record(self) -> State:
        """The record of the game's dtype, read-only, with its fields as attributes."""
        return dispatch.view_record(self._states)

    @property
    def states(self) -> States:
        """The record as a read-only array of length 1, for compiled code."""
        return self._states

    @cached_property
    def _status(self) -> tuple[int, tuple[int, ...]]:
        points = np.zeros(self.game.spec.rules.MAX_SEATS, np.int64)
        seat = int(compiled_api.status(self._states, 0, points))
        return seat, tuple(int(value) for value in points[: self.game.seats])

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the game is over."""
        return None if self.is_over else self._status[0]

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of every seat as they stand."""
        return self._status[1]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._status[0] < 0

    @property
    def outcome(self) -> Outcome | None:
        """The seats with the most points and why the game ended; None while it runs."""
        if not self.is_over:
            return None
        best = max(self.scores)
        winners = tuple(seat for seat, points in enumerate(self.scores) if points == best)
        return Outcome(winners, self.game.spec.explain.ending(self.record))

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The moves since the start, with their seats."""
        return tuple(Ply(played.seat, played.move) for played in self._played)

    @property
    def history(self) -> tuple[str, ...]:
        """The moves since the start, as text."""
        return tuple(played.move for played in self._played)

    def _may_list(self) -> bool:
        return True

    @property
    def text(self) -> str:
        """What this holds as one line; `game.position` reads that of a position back, `game.view` that of a view."""
        return self.game.spec.notation.write(self.record)

    def _codes(self) -> Actions:
        if self.is_over or not self._may_list():
            return np.zeros(0, np.int64)
        out = np.zeros(compiled_api.bound(self._states, 0), np.int64)
        return out[: compiled_api.legal(self._states, 0, out)]

    def moves(self) -> list[str]:
        """List the legal moves, sorted; none when the game is over."""
        return list(_spelt(self))

    def offered(self) -> tuple[str, ...]:
        """Return the moves that a page offers: the legal ones, except where finding them is the player's task."""
        if self.is_over or not self._may_list():
            return ()
        own = getattr(self.game.spec.notation, "offered", None)
        chosen: Sequence[str] | None = own(self.record) if own else None
        return _spelt(self) if chosen is None else tuple(chosen)

    def complete(self, tokens: Sequence[str] = ()) -> list[str]:
        """List the tokens that may follow these, sorted; none if they are a whole move or the beginning of none."""
        if isinstance(tokens, str) or not isinstance(tokens, Sequence):
            message = f"tokens are a list of texts, such as ['c4'], not {quote(tokens)}"
            raise NotationError(message)
        if len(tokens) > LONGEST_MOVE or not all(isinstance(token, str) and " " not in token for token in tokens):
            return []
        beginning = "".join(f"{str.__str__(token)} " for token in tokens)
        offered = self.offered()
        following = set()
        # Sorted moves with the same beginning stand together.
        for at in range(bisect_left(offered, beginning), len(offered)):
            if not offered[at].startswith(beginning):
                break
            following.add(offered[at][len(beginning) :].partition(" ")[0])
        return sorted(following)

    def why(self, move: str) -> Reason | None:
        """Say why a move, or the beginning of one, is refused; None if it may be played."""
        try:
            self._read(move)
        except IllegalMoveError as error:
            return Reason(error.code, error.reason)
        except NotationError as error:
            text = str.__str__(move) if isinstance(move, str) else ""
            tokens = tuple(text.split(" "))
            asked = 0 < len(text) <= LONGEST_MOVE and not self.is_over and self._may_list()
            if asked and not self.complete(tokens):
                pointed = self.game.spec.explain.point(self.record, tokens)
                if pointed is not None:
                    return pointed
            return Reason(error.code, error.message)
        return None

    def _read(self, move: object) -> int:
        """Return the action of a move that may be played here; raise NotationError or IllegalMoveError."""
        if not isinstance(move, str):
            message = f"a move is text, not {quote(move)}"
            raise NotationError(message)
        text = str.__str__(move)
        if len(text) > LONGEST_MOVE:
            message = f"{quote(text)} is no move: it is longer than {LONGEST_MOVE} characters"
            raise NotationError(message)
        action = self.game.spec.notation.parse(self.record, text)
        if self.is_over:
            raise IllegalMoveError(text, _OVER.sentence, _OVER.code)
        if not self._may_list():
            raise IllegalMoveError(text, _NOT_YOURS.sentence, _NOT_YOURS.code)
        if action not in self._codes() and not compiled_api.accepts_illegal(self._states, 0, action):
            reason = self.game.spec.explain.refuse(self.record, action)
            raise IllegalMoveError(text, reason.sentence, reason.code)
        return action

    def __eq__(self, other: object) -> bool:
        """Tell whether two readings of the same kind have the same game and the same record."""
        if type(other) is not type(self) or not isinstance(other, Reading):
            return NotImplemented
        return self.game == other.game and self._states.tobytes() == other._states.tobytes()

    def __hash__(self) -> int:
        return hash((self.game, self._states.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self._states, self._played)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game.id}: {self.text}>"


# Few are kept: the moves of a large field take megabytes, and a match keeps all its positions.
@lru_cache(maxsize=32)
def _spelt(reading: Reading) -> tuple[str, ...]:
    spell, s = reading.game.spec.notation.format, reading.record
    return tuple(sorted(spell(s, int(code)) for code in reading._codes()))  # noqa: SLF001  # a part of its class


class View(Reading):
    """What one seat may know of a position (`viewer` None: a spectator)."""

    def __init__(self, game: Game, states: States, played: tuple[Played, ...], viewer: int | None) -> None:
        """Keep what the viewer may know; `states` hide the rest already."""
        if game.spec.hidden:
            # What a view does not hold cannot leak, wherever it is sent.
            seen = ((seat, move if seat == viewer else public) for seat, move, public in played)
            played = tuple(Played(seat, move, move) for seat, move in seen)
        super().__init__(game, states, played)
        self.viewer = viewer

    @classmethod
    def from_text(cls, game: Game, text: object, viewer: int | None) -> View:
        """Read what a viewer may know from its line; raise NotationError, or OptionError for no seat of the game."""
        if not game.spec.hidden:
            return Position.from_text(game, text).view(viewer)
        _check_viewer(game, viewer)
        states = np.zeros(1, game.spec.rules.DTYPE)
        notation = cast("HidingNotation", game.spec.notation)
        line, seat = _checked_line(game, text), -1 if viewer is None else viewer
        notation.read_view(dispatch.view_record(states), game.options, line, seat)
        return cls(game, states, (), viewer)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self._states, self._played, self.viewer)

    def _may_list(self) -> bool:
        return not self.game.spec.hidden or self.viewer == self._status[0]

    def scene(self) -> Scene:
        """Draw it as data."""
        return self.game.spec.drawing.scene(self)

    def overlay(self) -> Overlay | None:
        """Draw what those who study the game may want to see over the board; None if the game has nothing such."""
        own = getattr(self.game.spec.drawing, "overlay", None)
        return None if own is None else own(self)

    def facts(self) -> tuple[tuple[int | None, str, str], ...]:
        """List what to show beside the board: a seat or None for the table, a name, a value."""
        return self.game.spec.drawing.facts(self)

    def svg(self, theme: str = "light", *, palette: str = "") -> str:
        """Draw it as one SVG document; themes are light, dark and print."""
        style = self.game.spec.drawing.STYLE
        if not isinstance(theme, str) or theme not in style.themes:
            raise OptionError("theme", f"{quote(theme)} is not allowed; it may be {' or '.join(style.themes)}")
        if not isinstance(palette, str) or (palette and palette not in style.palettes):
            raise OptionError("palette", f"{quote(palette)} is not allowed; it may be {' or '.join(style.palettes)}")
        return svg(self.scene(), style, theme, palette)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.game.spec.drawing.text(self)

    def __eq__(self, other: object) -> bool:
        """Tell whether two views show the same to the same viewer."""
        same = super().__eq__(other)
        return same and isinstance(other, View) and self.viewer == other.viewer if same is True else same

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.viewer))


class Position(Reading):
    """A position of a game; playing makes a new one."""

    @classmethod
    def at_start(cls, game: Game, deck: tuple[str, ...]) -> Self:
        """Set up the start."""
        states = np.zeros(1, game.spec.rules.DTYPE)
        game.spec.rules.start(dispatch.view_record(states), game.options, deck)
        return cls(game, states, ())

    @classmethod
    def from_text(cls, game: Game, text: object) -> Self:
        """Read a position from its line; raise NotationError."""
        states = np.zeros(1, game.spec.rules.DTYPE)
        game.spec.notation.read(dispatch.view_record(states), game.options, _checked_line(game, text))
        return cls(game, states, ())

    def play(self, move: str) -> Position:
        """Play a move; raise NotationError if it cannot be read, IllegalMoveError if it may not be played."""
        action = self._read(move)
        states = self._states.copy()
        compiled_api.play(states, 0, action)
        text = str.__str__(move)
        public: Any = getattr(self.game.spec.notation, "public", None)
        played = Played(self._status[0], text, public(text) if public else text)
        return type(self)(self.game, states, (*self._played, played))

    @property
    def last_played(self) -> Played:
        """The last move in both its forms."""
        return self._played[-1]

    def view(self, seat: int | None = None) -> View:
        """Return what a seat may know; None is a spectator."""
        _check_viewer(self.game, seat)
        states = self._states
        if self.game.spec.hidden:
            states = states.copy()
            compiled_api.hide(states, 0, -1 if seat is None else seat)
        return View(self.game, states, self._played, seat)

    def svg(self, seat: int | None = None, theme: str = "light", *, palette: str = "") -> str:
        """Draw what a seat may see as one SVG document."""
        return self.view(seat).svg(theme, palette=palette)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        """Draw the board as text, as the seat to move sees it."""
        return str(self.view(self.seat))


def _check_viewer(game: Game, seat: int | None) -> None:
    if seat is not None and (type(seat) is not int or not 0 <= seat < game.seats):
        raise OptionError("seat", f"{quote(seat)} is not allowed; it may be None or 0 to {game.seats - 1}")


def _checked_line(game: Game, text: object) -> str:
    line = str.__str__(text) if isinstance(text, str) else None
    if line is None or len(line) > game.longest_text:
        message = f"{quote(text)} is no position: it must be text of at most {game.longest_text} characters"
        raise NotationError(message)
    return line
