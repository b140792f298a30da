"""A game with its options, from which positions are made."""

import copy
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from fourcorners.core import arguments
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.position import Position, View
from fourcorners.core.spec import Preset, Showcase, Spec


class Game:
    """A game or preset with its options."""

    def __init__(self, spec: Spec, given: Mapping[str, Any], preset: str = "") -> None:
        """Check and complete options, given by name, of a preset (its id) or of the game; raise OptionError, even for
        arguments of another type. `fourcorners.game` finds the `spec` of an id; that of a preset has its own parts.
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
        """Add the options that the preset fixes or has as defaults; raise OptionError if a given one contradicts."""
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
        """The name for people."""
        return self.preset.title if self.preset else self.spec.title

    @property
    def starter(self) -> Mapping[str, Any]:
        """The options of a first game that takes a few minutes."""
        return self.preset.starter if self.preset else self.spec.starter

    @property
    def showcase(self) -> Showcase | None:
        """What visitors play of this game on the home page; None if it is not meant for that."""
        return self.preset.showcase if self.preset else self.spec.showcase

    @property
    def rulebook(self) -> str:
        """The rulebook as Markdown."""
        return self.spec.read(self.preset.rulebook) if self.preset else self.spec.rulebook

    @property
    def cover(self) -> str:
        """The record whose final position pictures of the game show."""
        return self.spec.read(self.preset.cover) if self.preset else self.spec.cover

    def given_options(self) -> dict[str, Any]:
        """Return, as JSON values, the options needed to make this game again, without those that its preset fixes."""
        return copy.deepcopy(self._given)

    @cached_property
    def _given(self) -> dict[str, Any]:
        """What `given_options` returns, kept because it takes many validations."""
        fixed = self.preset.options if self.preset else {}
        given = self.options.given_options()
        # A preset's defaults apply to what is not given: a value is given exactly if it differs from them.
        for name, value in (self.preset.defaults if self.preset else {}).items():
            given.setdefault(name, self.options.model_dump(mode="json")[name])
            if given[name] == value:
                del given[name]
        return {name: value for name, value in given.items() if name not in fixed}

    @property
    def seat_names(self) -> tuple[str, ...]:
        """The names of the seats' colours or signs at the start, by seat; "seat 0" and so on if the game has none.
        `Position.seat_names` has those of a position: seats may exchange their colours.
        """
        if self.spec.seat_names is None:
            return tuple(f"seat {seat}" for seat in range(self.seats))
        return self.spec.seat_names(self.options)

    @property
    def longest_text(self) -> int:
        """The maximum number of characters in the line of a position: eight, more than are needed, for each byte."""
        return 8 * self.spec.rules.DTYPE.itemsize

    def deck(self, seed: int | None = None, deck: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the given deck as a tuple or, for None, one shuffled from the seed or the system's random source.

        It has the tiles in drawing order, and is empty if the game has none. Raise OptionError if the given deck does
        not fit the game or its options, or if the seed, which a given deck makes unused, is not an integer.
        """
        if deck is not None:
            if isinstance(deck, str) or not isinstance(deck, Sequence) or not all(isinstance(t, str) for t in deck):
                raise OptionError("deck", f"{quote(deck)} is not allowed; it must be a list of tile names")
            chosen = tuple(deck)
            self.spec.check_deck(self.options, chosen)
            return chosen
        if seed is None:
            # Not from a random seed: a player who sees enough of the deck might find the seed by trying.
            return self.spec.shuffle(self.options, secrets.SystemRandom())
        return self.spec.shuffle(self.options, random.Random(arguments.check_seed(seed)))

    def start(self, seed: int | None = None, deck: Sequence[str] | None = None) -> Position:
        """Return the position at the start; the arguments choose the deck as in `deck`, which raises OptionError."""
        return Position.at_start(self, self.deck(seed, deck))

    def position(self, text: str) -> Position:
        """Parse the line of a position; raise NotationError."""
        return Position.from_text(self, text)

    def view(self, text: str, seat: int | None = None) -> View:
        """Parse the line of a view of a seat (None: of a spectator); raise NotationError, OptionError for a wrong seat.

        The result equals the view that wrote the line and behaves alike, but has no history: its pictures and facts
        show neither which move was the last nor who drew what is on the board.
        """
        return View.from_text(self, text, seat)

    def replay(self, moves: Iterable[str], seed: int | None = None, deck: Sequence[str] | None = None) -> Position:
        """Return the position after moves from `start`; raise NotationError (also if `moves` is one text or cannot be
        iterated over), IllegalMoveError or OptionError.
        """
        return self.start(seed, deck).play_line(moves)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rules and options: a preset equals the game itself with its options."""
        if self is other:
            return True
        return isinstance(other, Game) and (self.spec.id, self.options) == (other.spec.id, other.options)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.given_options().items())
        return f"fourcorners.game({self.id!r}{given})"
