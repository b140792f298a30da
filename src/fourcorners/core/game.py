"""A game with its options, its positions, and views of these with the information of one seat."""

from __future__ import annotations

import copy
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from fourcorners.core import arguments, compiled_api, dispatch
from fourcorners.core.arrays import States
from fourcorners.core.base_position import BasePosition, PlayedMove, check_parts
from fourcorners.core.contract import HiddenNotation
from fourcorners.core.errors import NotationError, OptionError, quote
from fourcorners.core.scene import Overlay, Scene, check_colours, render_svg
from fourcorners.core.spec import Preset, Showcase, Spec


class Game:
    """A game or preset with its options."""

    def __init__(self, spec: Spec, given: Mapping[str, Any], preset: str = "") -> None:
        """Check and complete the options, given by name, of the game or a preset (its id).

        Use `fourcorners.game` to make a game from its id; `spec` is the declaration of the game, for a preset with the
        preset's parts. Raise OptionError for invalid options, including arguments of another type.
        """
        if not isinstance(spec, Spec):
            raise OptionError(
                "spec", f"{quote(spec)} is not allowed; it must be a Spec; fourcorners.game makes a game from its id"
            )
        if not isinstance(given, Mapping):
            raise OptionError("options", f"{quote(given)} is not allowed; it must be a mapping from names to values")
        if not isinstance(preset, str) or preset not in {"", *spec.presets}:
            allowed = " or ".join(["empty", *spec.presets])
            raise OptionError("preset", f"{quote(preset)} is not allowed; it must be {allowed}")
        self.spec = spec.preset_specs[preset] if preset else spec
        self.id = preset or spec.id
        self.preset: Preset | None = spec.presets[preset] if preset else None
        self.options = spec.options.make(self._complete_options(given))
        self.seats = self.options.seats
        self._hash = hash((self.spec.id, self.options))

    def _complete_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Add the preset's fixed and default options; raise OptionError if a given option contradicts them."""
        if self.preset is None:
            return dict(given)
        for name, value in self.preset.options.items():
            # The types must agree as well, because 1 equals True.
            found = arguments.simplify(given.get(name, value))
            if type(found) is not type(value) or found != value:
                raise OptionError(name, f"{quote(found)} is not allowed; {self.id} has {quote(value)}")
        return {**self.preset.defaults, **given, **self.preset.options}

    @property
    def title(self) -> str:
        """The title of the game or preset."""
        return self.preset.title if self.preset else self.spec.title

    @property
    def starter(self) -> Mapping[str, Any]:
        """The options of a first game that takes a few minutes."""
        return self.preset.starter if self.preset else self.spec.starter

    @property
    def showcase(self) -> Showcase | None:
        """The small board of this game on the home page; None if it has none."""
        return self.preset.showcase if self.preset else self.spec.showcase

    @property
    def rulebook(self) -> str:
        """The rulebook as Markdown."""
        return self.spec.read(self.preset.rulebook) if self.preset else self.spec.rulebook

    @property
    def cover(self) -> str:
        """The record whose final position is the cover picture of the game."""
        return self.spec.read(self.preset.cover) if self.preset else self.spec.cover

    def given_options(self) -> dict[str, Any]:
        """Return the options needed to make this game again, as JSON values, without those that its preset fixes."""
        return copy.deepcopy(self._given)

    def change_options(self, changes: Mapping[str, Any]) -> Self:
        """Return this game or preset with other values of some options; raise OptionError."""
        return type(self)(self.spec, {**self.given_options(), **changes}, self.id if self.preset else "")

    @cached_property
    def _given(self) -> dict[str, Any]:
        """The result of `given_options`, cached because it takes many validations."""
        fixed = self.preset.options if self.preset else {}
        given = self.options.given_options()
        # A preset's defaults apply to missing values, so a value is given exactly if it differs from them.
        for name, value in (self.preset.defaults if self.preset else {}).items():
            given.setdefault(name, self.options.model_dump(mode="json")[name])
            if given[name] == value:
                del given[name]
        return {name: value for name, value in given.items() if name not in fixed}

    @property
    def seat_names(self) -> tuple[str, ...]:
        """The names of the seats' colours or signs at the start, by seat; "seat 0" and so on if the game has none.

        `Position.seat_names` has the names in a position, as seats may exchange their colours.
        """
        if self.spec.seat_names is None:
            return tuple(f"seat {seat}" for seat in range(self.seats))
        return self.spec.seat_names(self.options)

    @property
    def longest_text(self) -> int:
        """The maximum length of a position's line in characters: eight for each byte, which is more than enough."""
        return 8 * self.spec.rules.DTYPE.itemsize

    def deck(self, seed: int | None = None, deck: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the given deck as a tuple or, for None, a deck shuffled by the seed or the system's random source.

        The deck has the tiles in drawing order, and is empty if the game has none. A given deck makes the seed
        irrelevant. Raise OptionError if the given deck does not fit the game or its options, or if the seed is not an
        integer.
        """
        declared = self.spec.deck
        if deck is not None:
            if isinstance(deck, str) or not isinstance(deck, Sequence) or not all(isinstance(t, str) for t in deck):
                raise OptionError("deck", f"{quote(deck)} is not allowed; it must be a list of tile names")
            chosen = tuple(deck)
            if declared is not None:
                declared.check(self.options, chosen)
            elif chosen:
                raise OptionError("deck", "this game has none")
            return chosen
        seed = arguments.check_seed(seed)
        if declared is None:
            return ()
        # Not from a random seed: a player who sees enough of the deck might find the seed by trying.
        return declared.shuffle(self.options, secrets.SystemRandom() if seed is None else random.Random(seed))

    def start(self, seed: int | None = None, deck: Sequence[str] | None = None) -> Position:
        """Return the start position; `seed` and `deck` determine the deck as in `Game.deck`. Raise OptionError."""
        return Position.at_start(self, self.deck(seed, deck))

    def position(self, text: str) -> Position:
        """Parse the line of a position; raise NotationError."""
        return Position.from_text(self, text)

    def view(self, text: str, seat: int | None = None) -> View:
        """Parse the line of the view of a seat (None: a spectator); raise NotationError or OptionError.

        The result equals the view that wrote the line and behaves alike, but has no history: its pictures and facts
        show neither the last move nor the players of earlier moves.
        """
        return View.from_text(self, text, seat)

    def replay(self, moves: Iterable[str], seed: int | None = None, deck: Sequence[str] | None = None) -> Position:
        """Return the position after moves from the start; `seed` and `deck` determine the deck as in `Game.deck`.

        Raise NotationError (including if `moves` is a single text or not iterable), IllegalMoveError or OptionError.
        """
        return self.start(seed, deck).play_line(moves)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rules and options; a preset equals its game with the same options."""
        if self is other:
            return True
        return isinstance(other, Game) and (self.spec.id, self.options) == (other.spec.id, other.options)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.given_options().items())
        return f"fourcorners.game({self.id!r}{given})"


class View(BasePosition):
    """A view of a position with the information of one seat; `viewer` is None for a spectator."""

    game: Game

    def __init__(self, game: Game, states: States, played: tuple[PlayedMove, ...], viewer: int | None) -> None:
        """Take over `states`, one record without information hidden from `viewer` (None: a spectator), as read-only.

        `played` are the moves so far, complete or already masked (as after unpickling). In a game with hidden
        information, the moves of other seats are masked here. Raise OptionError for arguments of another type, or if
        there is no such seat.
        """
        check_parts(game, states, played)
        viewer = _check_viewer(game, viewer)
        if game.spec.hidden:
            # Information that a view does not contain cannot leak, wherever the view is sent.
            seen = ((seat, move if seat == viewer else public) for seat, move, public in played)
            played = tuple(PlayedMove(seat, move, move) for seat, move in seen)
        super().__init__(game, states, played)
        self.viewer = viewer

    @classmethod
    def from_text(cls, game: Game, text: object, viewer: int | None) -> View:
        """Parse the line of the view of a seat, or of a spectator (None), without history.

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
        """Draw the overlay for studying the position; None if the game has none."""
        return self.game.spec.presentation.draw_overlay(self)

    def facts(self) -> tuple[tuple[int | None, str, str], ...]:
        """List the facts to show beside the board, in order: a seat (None: the table), a name and a value."""
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
        """Return whether two views show the same information to the same viewer."""
        same = super().__eq__(other)
        return same and isinstance(other, View) and self.viewer == other.viewer if same is True else same

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.viewer))


class Position(BasePosition):
    """A position of a game; playing a move returns a new one."""

    game: Game

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
        states = copy_states(self.states)
        compiled_api.play(states, 0, action)
        text = str.__str__(move)
        played = PlayedMove(self._status[0], text, self.game.spec.mask_move(text))
        return type(self)(self.game, states, (*self._played, played))

    def play_line(self, moves: Iterable[str]) -> Position:
        """Return the position after several moves; raise as `play` does, and NotationError unless `moves` is iterable.

        A single text counts as not iterable.
        """
        if isinstance(moves, str) or not isinstance(moves, Iterable):
            raise NotationError(f"{quote(moves)} is not allowed; moves are a list of texts, such as ['c4d4']")
        position = self
        for move in moves:
            position = position.play(move)
        return position

    @property
    def last_move(self) -> PlayedMove:
        """The last move, in the forms for its own seat and for the others; raise IndexError if there is none."""
        return self._played[-1]

    def view(self, seat: int | None = None) -> View:
        """Return the view of a seat, or of a spectator (None); raise OptionError if the game has no such seat."""
        seat = _check_viewer(self.game, seat)
        if not self.game.spec.hidden:
            return self._open_view if seat is None else self._show_everything(seat)
        states = copy_states(self.states)
        compiled_api.hide(states, 0, -1 if seat is None else seat)
        return View(self.game, states, self._played, seat)

    @cached_property
    def _open_view(self) -> View:
        """A spectator's view in a game without hidden information, cached because servers need it often."""
        return self._show_everything(None)

    def _show_everything(self, seat: int | None) -> View:
        """Return the view of a seat, or of a spectator (None), without hiding anything: it has the same record."""
        view = View.__new__(View)
        # No check or computation needs to be repeated.
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
        """Draw the view of a seat (None: a spectator) as one SVG document; see `View.svg`. Raise OptionError."""
        return self.view(seat).svg(theme, palette=palette, look=look)

    _repr_svg_ = svg

    def __str__(self) -> str:
        """Draw the board as text, as the seat to move sees it."""
        return str(self.view(self.seat))


def copy_states(states: States) -> States:
    """Return a writable copy; `ndarray.copy` copies records field by field and takes ten times as long."""
    return np.ndarray(1, states.dtype, bytearray(states.tobytes()))


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
