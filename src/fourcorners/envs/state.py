"""One game as an immutable value, for tree searches."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments, compiled_api, compiled_encoding
from fourcorners.core.arrays import States
from fourcorners.core.encoding import copy_records
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position, copy_states
from fourcorners.envs import kernels
from fourcorners.envs.encoding import Encoding, IllegalActionError, check_word
from fourcorners.envs.rewards import REWARDS, number_parties, write_rewards


class State:
    """A position whose actions are indices: immutable, hashable and quick to copy.

    States are equal if game and record are. A running position with a legal action that has no index counts as over,
    and as truncated, with rewards of 0.
    """

    def __init__(self, start: Game | str | Position, *, seed: int | None = None) -> None:
        """Take a position, or the start of a game or of an id with its default options; raise OptionError.

        `seed` is that of `Game.start`.
        """
        if isinstance(start, Position):
            if seed is not None:
                raise OptionError("seed", "a position has no seed; it is for games that start")
            position = start
            encoding = Encoding(position.game)
        else:
            encoding = Encoding(start)
            position = encoding.game.start(seed)
        states = np.zeros(1, encoding.dtype)
        copy_records(position.states, states)
        facts = np.zeros(2 + encoding.game.spec.rules.MAX_SEATS, np.int64)
        encoding.call(kernels.read_state, states, facts)
        vars(self).update(encoding=encoding, _states=states, _facts=facts)

    encoding: Encoding
    _states: States
    _facts: NDArray[np.int64]
    """What `kernels.read_state` writes."""

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self.encoding.game

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the game is over."""
        seat: int = self._facts.item(0)
        return None if seat < 0 else seat

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._facts.item(0) < 0

    @property
    def is_truncated(self) -> bool:
        """Whether a legal action has no index."""
        return self._facts.item(0) == kernels.TRUNCATED

    @property
    def scores(self) -> tuple[int, ...]:
        """The present points, by seat."""
        return tuple(self._facts[2 : 2 + self.game.seats].tolist())

    def actions(self) -> NDArray[np.int64]:
        """Return the indices of the legal actions, (m,), read-only and in the order of the rules; none when over."""
        # `cached_property` takes a lock in Python 3.11, which takes as long as all the rest.
        found: NDArray[np.int64] | None = vars(self).get("_actions")
        if found is None:
            found = vars(self)["_actions"] = self._list_actions()
        return found

    def _list_actions(self) -> NDArray[np.int64]:
        """Return the result of `actions`."""
        longest = self._facts.item(1)  # 0 if the game is over
        indices, codes = np.empty(longest, np.int64), np.empty(longest, np.int64)
        if longest:
            count = self.encoding.call(compiled_encoding.list_actions, self._states, 0, codes, indices)
            indices = indices[:count]
        indices.setflags(write=False)
        return indices

    def mask(self) -> NDArray[np.bool_]:
        """Return whether each index is legal, (count,); raise GameError without an encoding."""
        if self.encoding.count is None:
            raise GameError(f"{self.game.title} has no encoding, so its states have no masks", "encoding")
        out = np.zeros(self.encoding.count, np.bool_)
        out[self.actions()] = True
        return out

    def after(self, index: int) -> State:
        """Return the state after the action with this index; raise IllegalActionError unless it is legal."""
        number = arguments.as_int(index)
        states, facts = copy_states(self._states), self._facts.copy()
        is_word = number is not None and -(2**63) <= number < 2**63
        if not (is_word and self.encoding.call(kernels.play_index, states, number, facts)):
            if self.is_over:
                raise IllegalActionError("no action is legal: the game is over")
            raise IllegalActionError(
                f"{quote(index)} is not legal: {self.encoding.explain(self.position.states, number)}"
            )
        state = State.__new__(State)
        attributes = vars(state)
        attributes["encoding"], attributes["_states"], attributes["_facts"] = self.encoding, states, facts
        return state

    @property
    def rewards(self) -> tuple[float, ...]:
        """The rewards by seat, which add up to 0: the losing parties pay the winning ones; all 0 until the end."""
        return self.compute_rewards("win")

    def compute_rewards(self, reward: Literal["win", "margin", "points"]) -> tuple[float, ...]:
        """Return the rewards by seat as `Batch` defines them, all 0 unless the game has ended; raise OptionError."""
        kind = REWARDS[check_word("reward", reward, tuple(REWARDS))]
        out = np.zeros(self.game.seats, np.float32)
        if self.is_over and not self.is_truncated:
            parties = number_parties(self.game)
            write_rewards(np.array(self.scores), parties, int(parties.max()) + 1, kind, out)
        return tuple(out.tolist())

    def observe(self, seat: int | None = None, kind: Literal["planes", "flat"] = "planes") -> NDArray[Any]:
        """Return what a seat, None for the one to move, or 0 when over, knows, as `Batch.observe` does for many games.

        Raise GameError for planes without an encoding, OptionError for a wrong argument.
        """
        check_word("kind", kind, ("planes", "flat"))
        viewer = (self.seat or 0) if seat is None else arguments.check_int("seat", seat, 0, self.game.seats - 1)
        if kind == "planes" or self.encoding.count is not None:
            planes = np.empty(self.encoding.shape, np.float32)
            self.encoding.call(compiled_encoding.write_planes, self._states, 0, viewer, planes.reshape(len(planes), -1))
            return planes if kind == "planes" else planes.reshape(-1)
        states = copy_states(self._states)
        compiled_api.hide(states, 0, viewer)
        return states.view(np.uint8)

    @cached_property
    def position(self) -> Position:
        """The position, without history."""
        states = np.zeros(1, self.game.spec.rules.DTYPE)
        copy_records(self._states, states)
        return Position(self.game, states, ())

    @property
    def text(self) -> str:
        """The position as one line, which `game.position` parses."""
        return self.position.text

    def __eq__(self, other: object) -> bool:
        """Return whether both are states of the same game with the same record."""
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self._states.tobytes() == other._states.tobytes()

    def __hash__(self) -> int:
        return hash((self.game, self._states.tobytes()))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a State is immutable, so {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self.position,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<State of {self.game.id}: {self.text}>"
