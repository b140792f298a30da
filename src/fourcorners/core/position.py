"""Positions, and views of what one seat may know of them. Everything that comes from outside is checked here."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np

from fourcorners.core import arguments, compiled_api, dispatch
from fourcorners.core.errors import IllegalMoveError, NotationError, OptionError, Reason, quote
from fourcorners.core.scene import Overlay, Scene, check_colours, render_svg
from fourcorners.core.spec import Spec
from fourcorners.core.termination import Termination, describe

if TYPE_CHECKING:
    from fourcorners.core.dispatch import Actions, State, States
    from fourcorners.core.game import Game
    from fourcorners.core.spec import HiddenNotation

MAX_MOVE_LENGTH = 100
_NOT_YOURS = Reason("not-your-turn", "it is not this seat’s turn, and only the seat to move knows its moves")
_OVER = Reason("game-over", "the game is over")


class Ply(NamedTuple):
    """One move by one seat, as the viewer saw it."""

    seat: int
    move: str


class PlayedMove(NamedTuple):
    """A move as its own seat knows it (`move`) and as the other seats see it (`public`)."""

    seat: int
    move: str
    public: str


@dataclass(frozen=True)
class Outcome:
    """The end of a game: the seats that share the win, and how it ended, as a clause and as an enum.

    The clause says all there is to say, so `termination` takes no part in comparisons.
    """

    winners: tuple[int, ...]
    reason: str
    termination: Termination | None = field(default=None, compare=False)


class BasePosition:
    """What positions and views have in common. Both are immutable.

    `states` is the record as a read-only array of length 1, for compiled code.
    """

    def __init__(self, game: Game, states: States, played: tuple[PlayedMove, ...]) -> None:
        """Take over `states`, an array of one record, which becomes read-only, and the moves played so far. Raise
        OptionError for arguments of another type; `game.start` and `game.position` make positions.
        """
        _check_parts(game, states, played)
        states.setflags(write=False)
        self.game = game
        self.states = states
        self._played = played

    @cached_property
    def record(self) -> State:
        """The record, of the game's dtype and read-only, with its fields as attributes."""
        return dispatch.view_record(self.states)

    def release_record(self) -> None:
        """Free the memory of `record` and of the kept view, which are made again when they are needed."""
        self.__dict__.pop("record", None)
        self.__dict__.pop("_open_view", None)

    @cached_property
    def _status(self) -> tuple[int, tuple[int, ...]]:
        """The seat to move, -1 if the game is over, and the points by seat."""
        points = np.zeros(self.game.spec.rules.MAX_SEATS, np.int64)
        seat = int(compiled_api.status(self.states, 0, points))
        return seat, tuple(int(value) for value in points[: self.game.seats])

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the game is over."""
        return None if self.is_over else self._status[0]

    @property
    def scores(self) -> tuple[int, ...]:
        """The current points, by seat."""
        return self._status[1]

    @property
    def seat_names(self) -> tuple[str, ...]:
        """The names of the seats' colours or signs in this position, by seat."""
        find = self.game.spec.find_seat_names
        return self.game.seat_names if find is None else find(self.record)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._status[0] < 0

    @property
    def outcome(self) -> Outcome | None:
        """The seats with the most points and how the game ended; None while it is running."""
        if not self.is_over:
            return None
        best = max(self.scores)
        winners = tuple(seat for seat, points in enumerate(self.scores) if points == best)
        termination = self.game.spec.explain.classify_ending(self.record)
        return Outcome(winners, describe(termination, self.game.spec.ending_clauses), termination)

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The moves since the start or since the position was set up, with their seats."""
        return self.list_plies()

    @property
    def ply_count(self) -> int:
        """The number of moves since the start or since the position was set up."""
        return len(self._played)

    def list_plies(self, start: int = 0) -> tuple[Ply, ...]:
        """Return the plies from number `start` on, counted from 0."""
        return tuple(Ply(played.seat, played.move) for played in self._played[start:])

    def count_common_plies(self, other: BasePosition) -> int:
        """Return how many plies, from the first one on, two positions or views have in common."""
        mine, others = self._played, other._played
        shorter = min(len(mine), len(others))
        if mine[:shorter] == others[:shorter]:
            return shorter
        return next(ply for ply in range(shorter) if mine[ply] != others[ply])

    def find_last_ply(self, seats: Sequence[int]) -> int | None:
        """Return the number, from 0, of the last ply that one of the seats played; None if there is none."""
        played = self._played
        return next((ply for ply in range(len(played) - 1, -1, -1) if played[ply].seat in seats), None)

    @property
    def history(self) -> tuple[str, ...]:
        """The moves since the start or since the position was set up, as text."""
        return tuple(played.move for played in self._played)

    @property
    def last_move_text(self) -> str:
        """The last move as text; "" if there is none since the start or since the position was set up."""
        return self._played[-1].move if self._played else ""

    def _can_list_moves(self) -> bool:
        """Return whether the viewer may know the legal moves."""
        return True

    @property
    def text(self) -> str:
        """This as one line: `game.position` parses the line of a position, `game.view` that of a view."""
        return self.game.spec.notation.write(self.record)

    def _legal_actions(self) -> Actions:
        """Return the legal actions in the order of the rules; none if the game is over or they are hidden."""
        if self.is_over or not self._can_list_moves():
            return np.zeros(0, np.int64)
        return compiled_api.list_legal(self.states, 0)

    def moves(self) -> list[str]:
        """List the legal moves, sorted; none when the game is over or the viewer may not know them."""
        return list(_format_legal_moves(self))

    def offered_moves(self) -> tuple[str, ...]:
        """Return the moves a page offers, sorted: as `moves`, unless finding the legal ones is the player's task."""
        if self.is_over or not self._can_list_moves():
            return ()
        offered = self.game.spec.list_offered_moves(self.record)
        return _format_legal_moves(self) if offered is None else tuple(offered)

    def complete(self, tokens: Sequence[str] = ()) -> list[str]:
        """List the tokens that may follow these in an offered move, sorted; all first tokens for no tokens.

        The list is empty if no longer offered move begins with the tokens, or if one of them is not text. Raise
        NotationError if `tokens` is a `str` or not a sequence.
        """
        if isinstance(tokens, str) or not isinstance(tokens, Sequence):
            raise NotationError(f"{quote(tokens)} is not allowed; tokens are a list of strings, such as ['c4']")
        # More tokens than characters cannot be a move, as each token of a move has at least one.
        if len(tokens) > MAX_MOVE_LENGTH or not all(isinstance(token, str) and " " not in token for token in tokens):
            return []
        beginning = "".join(f"{str.__str__(token)} " for token in tokens)
        offered = self.offered_moves()
        following = set()
        # Moves are sorted, so those with the same beginning are adjacent.
        for index in range(bisect_left(offered, beginning), len(offered)):
            if not offered[index].startswith(beginning):
                break
            following.add(offered[index][len(beginning) :].partition(" ")[0])
        return sorted(following)

    def why(self, move: str) -> Reason | None:
        """Return why `play` would refuse a move, the beginning of one or any other object; None if it may be played."""
        try:
            self._parse_playable(move)
        except IllegalMoveError as error:
            return Reason(error.code, error.reason)
        except NotationError as error:
            text = str.__str__(move) if isinstance(move, str) else ""
            tokens = tuple(text.split(" "))
            may_begin_move = 0 < len(text) <= MAX_MOVE_LENGTH and not self.is_over and self._can_list_moves()
            if may_begin_move and not self.complete(tokens):
                reason = self.game.spec.explain.explain_tokens(self.record, tokens)
                if reason is not None:
                    return reason
            return Reason(error.code, error.message)
        return None

    def _parse_playable(self, move: object) -> int:
        """Parse a move as an action that the game accepts here, legal or not.

        Raise NotationError if it is not text, too long or not a move, IllegalMoveError if the game is over, the viewer
        may not know the legal moves, or the game does not accept it.
        """
        if not isinstance(move, str):
            raise NotationError(f"a move is text, not {quote(move)}")
        text = str.__str__(move)
        if len(text) > MAX_MOVE_LENGTH:
            raise NotationError(f"{quote(text)} is not a move: it is longer than {MAX_MOVE_LENGTH} characters")
        action = self.game.spec.notation.parse(self.record, text)
        if self.is_over:
            reason = _OVER
        elif not self._can_list_moves():
            reason = _NOT_YOURS
        elif action in self._legal_actions().tolist() or compiled_api.accepts_illegal(self.states, 0, action):
            return action
        else:
            reason = self.game.spec.explain.explain_illegal_action(self.record, action)
        raise IllegalMoveError(text, reason.sentence, reason.code)

    def __eq__(self, other: object) -> bool:
        """Return whether both are positions, or both views, of the same game and record, whatever their history."""
        if type(other) is not type(self) or not isinstance(other, BasePosition):
            return NotImplemented
        return self.game == other.game and self.states.tobytes() == other.states.tobytes()

    def __hash__(self) -> int:
        return hash((self.game, self.states.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.states, self._played)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game.id}: {self.text}>"


# A small cache, not an attribute: the moves of a large field take megabytes, and a match keeps all its positions.
@lru_cache(maxsize=32)
def _format_legal_moves(position: BasePosition) -> tuple[str, ...]:
    """Format the legal actions as moves, sorted; empty where `_legal_actions` is."""
    format_action, s = position.game.spec.notation.format, position.record
    return tuple(sorted([format_action(s, action) for action in position._legal_actions().tolist()]))  # noqa: SLF001  # of this module


class View(BasePosition):
    """What one seat may know of a position; `viewer` is None for a spectator."""

    def __init__(self, game: Game, states: States, played: tuple[PlayedMove, ...], viewer: int | None) -> None:
        """Take over `states`, one record without what `viewer` may not know (None: a spectator); it becomes read-only.

        `played` are the moves so far, whole, or already masked as after unpickling; if the game hides anything, those
        that the viewer did not make are masked here. Raise OptionError for arguments of another type, or no such seat.
        """
        _check_parts(game, states, played)
        viewer = _check_viewer(game, viewer)
        if game.spec.hidden:
            # What a view does not contain cannot leak, wherever the view is sent.
            seen = ((seat, move if seat == viewer else public) for seat, move, public in played)
            played = tuple(PlayedMove(seat, move, move) for seat, move in seen)
        super().__init__(game, states, played)
        self.viewer = viewer

    @classmethod
    def from_text(cls, game: Game, text: object, viewer: int | None) -> View:
        """Parse the line of a view of a seat, or of a spectator (None), without history.

        Raise NotationError, or OptionError if the game has no such seat.
        """
        if not game.spec.hidden:
            return Position.from_text(game, text).view(viewer)
        viewer = _check_viewer(game, viewer)
        states = np.zeros(1, game.spec.rules.DTYPE)
        notation = cast("HiddenNotation", game.spec.notation)
        line, seat = _check_line(game, text), -1 if viewer is None else viewer
        notation.read_view(dispatch.view_record(states), game.options, line, seat)
        return cls(game, states, (), viewer)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.states, self._played, self.viewer)

    def _can_list_moves(self) -> bool:
        return not self.game.spec.hidden or self.viewer == self._status[0]

    def scene(self) -> Scene:
        """Draw the view as data."""
        return self.game.spec.drawing.draw_scene(self)

    def overlay(self) -> Overlay | None:
        """Draw over the board what helps to study the position; None if the game has nothing of the kind."""
        return self.game.spec.draw_overlay(self)

    def facts(self) -> tuple[tuple[int | None, str, str], ...]:
        """List what to show beside the board, in order: a seat (None: the table), a name and a value."""
        return self.game.spec.drawing.list_facts(self)

    def svg(self, theme: str = "light", *, palette: str = "", look: str = "") -> str:
        """Draw the view as one SVG document; themes are light, dark and print.

        `palette` and `look` are among the game's, or empty for none. Raise OptionError for an unknown name.
        """
        style = self.game.spec.drawing.STYLE
        check_colours(style, theme, palette, look)
        return render_svg(self.scene(), style, theme, palette, look)

    _repr_svg_ = svg

    def __str__(self) -> str:
        """Draw the board as lines of text."""
        return self.game.spec.drawing.draw_text(self)

    def __eq__(self, other: object) -> bool:
        """Return whether two views show the same to the same viewer."""
        same = super().__eq__(other)
        return same and isinstance(other, View) and self.viewer == other.viewer if same is True else same

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.viewer))


class Position(BasePosition):
    """A position of a game; playing a move returns a new one."""

    @classmethod
    def at_start(cls, game: Game, deck: tuple[str, ...]) -> Self:
        """Set up the start of a game; the deck, empty for none, is not checked and must fit (see `Game.deck`)."""
        states = np.zeros(1, game.spec.rules.DTYPE)
        game.spec.rules.start(dispatch.view_record(states), game.options, deck)
        return cls(game, states, ())

    @classmethod
    def from_text(cls, game: Game, text: object) -> Self:
        """Parse the line of a position; the result has no history. Raise NotationError."""
        states = np.zeros(1, game.spec.rules.DTYPE)
        game.spec.notation.read(dispatch.view_record(states), game.options, _check_line(game, text))
        return cls(game, states, ())

    def play(self, move: str) -> Position:
        """Return the position after a move of the seat to move; this position does not change.

        Raise NotationError if the move cannot be parsed, IllegalMoveError if the game does not accept it.
        """
        action = self._parse_playable(move)
        states = _copy_states(self.states)
        compiled_api.play(states, 0, action)
        text = str.__str__(move)
        played = PlayedMove(self._status[0], text, self.game.spec.mask_move(text))
        return type(self)(self.game, states, (*self._played, played))

    def play_line(self, moves: Iterable[str]) -> Position:
        """Return the position after several moves; raise errors as `play` does, and NotationError if `moves` is one
        text or cannot be iterated over.
        """
        if isinstance(moves, str) or not isinstance(moves, Iterable):
            raise NotationError(f"{quote(moves)} is not allowed; moves are a list of texts, such as ['c4d4']")
        position = self
        for move in moves:
            position = position.play(move)
        return position

    @property
    def last_move(self) -> PlayedMove:
        """The last move, as its own seat and as the others see it; IndexError if there is none."""
        return self._played[-1]

    def view(self, seat: int | None = None) -> View:
        """Return what a seat may know, or a spectator (None); raise OptionError if the game has no such seat."""
        seat = _check_viewer(self.game, seat)
        if not self.game.spec.hidden:
            return self._open_view if seat is None else self._show_everything(seat)
        states = _copy_states(self.states)
        compiled_api.hide(states, 0, -1 if seat is None else seat)
        return View(self.game, states, self._played, seat)

    @cached_property
    def _open_view(self) -> View:
        """What a spectator knows in a game without secrets; kept, because a server describes and draws it often."""
        return self._show_everything(None)

    def _show_everything(self, seat: int | None) -> View:
        """Return the view of a seat, or of a spectator (None), in a game without secrets: the same record."""
        view = View.__new__(View)
        # Nothing needs to be checked or computed again.
        view.__dict__.update(
            game=self.game,
            states=self.states,
            _played=self._played,
            viewer=seat,
            record=self.record,
            _status=self._status,
        )
        return view

    def svg(self, seat: int | None = None, theme: str = "light", *, palette: str = "", look: str = "") -> str:
        """Draw what a seat (None: a spectator) may see as one SVG document; see `View.svg`. Raise OptionError."""
        return self.view(seat).svg(theme, palette=palette, look=look)

    _repr_svg_ = svg

    def __str__(self) -> str:
        """Draw the board as text, as the seat to move sees it."""
        return str(self.view(self.seat))


def _copy_states(states: States) -> States:
    """Return a writable copy; `ndarray.copy` copies records field by field and takes ten times as long."""
    return np.ndarray(1, states.dtype, bytearray(states.tobytes()))


def _check_parts(game: Game, states: States, played: tuple[PlayedMove, ...]) -> None:
    """Raise OptionError unless these have the types of a game, its array of one record, and moves."""
    # `Game` itself imports this module.
    if not isinstance(getattr(game, "spec", None), Spec):
        raise OptionError("game", f"{quote(game)} is not allowed; it must be a Game, as fourcorners.game returns")
    dtype = game.spec.rules.DTYPE
    if not isinstance(states, np.ndarray) or states.shape != (1,) or states.dtype != dtype:
        raise OptionError("states", f"{quote(states)} is not allowed; it must be an array of one record of this game")
    # The last one stands for all: a match makes as many positions as it has moves.
    if not isinstance(played, tuple) or not all(isinstance(move, PlayedMove) for move in played[-1:]):
        raise OptionError("played", f"{quote(played)} is not allowed; it must be a tuple of PlayedMoves")


def _check_viewer(game: Game, seat: int | None) -> int | None:
    """Return a seat of the game as a plain number, or None; raise OptionError for anything else."""
    last = game.seats - 1
    return None if seat is None else arguments.check_int("seat", seat, 0, last, f"None or 0 to {last}")


def _check_line(game: Game, text: object) -> str:
    """Return a text as a plain `str`; raise NotationError if it is not text or longer than any position's line."""
    line = str.__str__(text) if isinstance(text, str) else None
    limit = game.longest_text
    if line is None or len(line) > limit:
        raise NotationError(f"{quote(text)} is not a position: it must be text of at most {limit} characters")
    return line
