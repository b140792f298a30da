"""What the indices of actions and the planes of a game mean."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments, catalogue, compiled_api, compiled_encoding, dispatch
from fourcorners.core.arrays import Actions, States
from fourcorners.core.encoding import DenseEncoding, find_small_dtype, name_planes
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.envs.bound import bind_kernels


class IllegalActionError(GameError):
    """An action that is not legal; `game` is the number of its game in a batch, 0 for a single one."""

    def __init__(self, message: str, game: int = 0) -> None:
        super().__init__(message, "illegal-action")
        self.game = game


class Encoding:
    """The indices of the actions of a game, and the planes that show its positions.

    Without an encoding of the game, indices are the codes of its rules, and there are neither masks nor planes.
    """

    def __init__(self, game: Game | str) -> None:
        """Take a game, or the id of one with its default options; raise OptionError."""
        self.game = find_game(game)
        self.dtype = find_small_dtype(self.game.spec, self.game.options)
        """The dtype of small records."""
        self.call = bind_kernels(self.dtype)
        """Calls of kernels with small records, (1,)."""
        self._encode = self.game.spec.part(DenseEncoding).encode

    @property
    def version(self) -> int:
        """The version, which changes when the meaning of an index or a plane does; 0 without an encoding."""
        return 0 if self._encode is None else self._encode.VERSION

    @cached_property
    def count(self) -> int | None:
        """The number of indices; None without an encoding."""
        return None if self._encode is None else self._encode.count_actions(self.game.options)

    @cached_property
    def plane_names(self) -> tuple[str, ...]:
        """The names of the planes, in order; empty without an encoding."""
        return () if self._encode is None else name_planes(self._encode, self.game.options)

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """The shape of an observation: planes, rows, columns; raise GameError without an encoding."""
        if self._encode is None:
            raise GameError(f"{self.game.title} has no planes; observe it with kind='flat'", "encoding")
        return (len(self.plane_names), *self._encode.plane_shape(self.game.options))

    @property
    def flat_shape(self) -> tuple[int]:
        """The shape of a flat observation: the numbers of all planes, or the bytes of a record without an encoding."""
        return (self.game.spec.rules.DTYPE.itemsize if self._encode is None else int(np.prod(self.shape)),)

    def describe(self, index: int) -> str:
        """Describe an index in a few words; raise OptionError for any other value."""
        if self._encode is None:
            return f"code {arguments.check_int('index', index, 0, 2**63 - 1)}"
        return self._encode.describe_action(
            self.game.options, arguments.check_int("index", index, 0, (self.count or 1) - 1)
        )

    def find_index(self, position: Position, move: str) -> int:
        """Return the index of a legal move, or -1 if it has none.

        Raise NotationError or IllegalMoveError as `Position.play` does, and OptionError for another game's position.
        """
        self._check_position(position)
        position.play(move)
        actions, indices = list_actions(position.states)
        # A strict game also plays what is not legal.
        found = indices[actions == self.game.spec.notation.parse(position.record, move)]
        return int(found[0]) if len(found) else -1

    def find_move(self, position: Position, index: int) -> str:
        """Return the move of an index; raise IllegalActionError unless it is legal, OptionError for another game."""
        self._check_position(position)
        if position.is_over:
            raise IllegalActionError("no action is legal: the game is over")
        return self.game.spec.notation.format(position.record, self.find_action(position.states, index))

    def find_action(self, states: States, index: object) -> int:
        """Return the rules' action of an index in the record, (1,), of a running game; raise IllegalActionError."""
        number = arguments.as_int(index)
        action = -1
        if number is not None and -(2**63) <= number < 2**63:
            action = int(compiled_encoding.action_at(states, 0, number))
        if action < 0:
            raise IllegalActionError(f"{quote(index)} is not legal: {self.explain(states, number)}")
        return action

    def explain(self, states: States, index: int | None) -> str:
        """Explain, as a clause, why an index is not legal in the record, (1,), of a running game."""
        if index is None:
            return "it must be a whole number"
        if self._encode is None or self.count is None:
            return "it must be the code of a legal action"
        if not 0 <= index < self.count:
            return f"the indices are 0 to {self.count - 1}"
        s = dispatch.view_record(states)
        action = self._encode.find_action(s, index)
        if action < 0:
            return f"{self.describe(index)} is not possible here"
        return self.game.spec.explain.explain_illegal_action(s, action).sentence

    def _check_position(self, position: object) -> None:
        """Raise OptionError unless this is a position of the game."""
        if not isinstance(position, Position) or position.game != self.game:
            raise OptionError("position", f"{quote(position)} is not allowed; it must be a Position of {self.game!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Encoding, (self.game,)

    def __repr__(self) -> str:
        """Say how many indices and planes there are."""
        if self._encode is None:
            return f"<Encoding of {self.game.id}: no dense indices and no planes, so codes of the rules and bytes>"
        return f"<Encoding of {self.game.id}: {self.count} indices, planes {self.shape}>"


def find_game(game: object) -> Game:
    """Return a game, or that of an id with its default options; raise OptionError."""
    if isinstance(game, str):
        return catalogue.game(game)
    if not isinstance(game, Game):
        raise OptionError(
            "game", f"{quote(game)} is not allowed; it must be a Game, as fourcorners.game returns, or the id of one"
        )
    return game


def list_actions(states: States) -> tuple[Actions, Actions]:
    """Return the legal actions of a record, (1,), of a running game, and their indices, -1 for none."""
    actions = np.zeros(compiled_api.bound(states, 0), np.int64)
    indices = np.zeros_like(actions)
    count = compiled_encoding.list_actions(states, 0, actions, indices)
    return actions[:count], indices[:count]


def check_word(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return a word that is one of those allowed; raise OptionError for anything else."""
    if not isinstance(value, str) or value not in allowed:
        raise OptionError(name, f"{quote(value)} is not allowed; it must be {' or '.join(allowed)}")
    return value


def describe_values(values: object, array: NDArray[Any]) -> str:
    """Describe values, of which `make_array` has made this array, for a message."""
    is_array = array.ndim > 0 and array.dtype != object
    return f"{array.dtype} of the shape {array.shape}" if is_array else quote(values)


def make_array(values: object) -> NDArray[Any]:
    """Return values as an array; lists of different lengths, which NumPy refuses, as one without dimensions."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.array(None)
