"""One game as an immutable value, for tree searches."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments, compiled_api, compiled_encoding
from fourcorners.core.arrays import States
from fourcorners.core.errors import GameError, OptionError
from fourcorners.core.game import Game, Position, copy_states
from fourcorners.envs.encoding import Encoding, IllegalActionError, check_word, list_actions
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
            vars(self).update(_read_record(Encoding(start.game), start.states))
        else:
            encoding = Encoding(start)
            vars(self).update(_read_record(encoding, encoding.game.start(seed).states))

    encoding: Encoding
    scores: tuple[int, ...]
    """The present points, by seat."""
    seat: int | None
    """The seat to move; None when the game is over."""
    is_over: bool
    is_truncated: bool
    _states: States

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self.encoding.game

    @cached_property
    def _actions(self) -> NDArray[np.int64]:
        """The result of `actions`."""
        indices = np.zeros(0, np.int64) if self.is_over else list_actions(self._states)[1]
        indices.setflags(write=False)
        return indices

    def actions(self) -> NDArray[np.int64]:
        """Return the indices of the legal actions, (m,), read-only and in the order of the rules; none when over."""
        return self._actions

    def mask(self) -> NDArray[np.bool_]:
        """Return whether each index is legal, (count,); raise GameError without an encoding."""
        if self.encoding.count is None:
            raise GameError(f"{self.game.title} has no encoding, so its states have no masks", "encoding")
        out = np.zeros(self.encoding.count, np.bool_)
        out[self._actions] = True
        return out

    def after(self, index: int) -> State:
        """Return the state after the action with this index; raise IllegalActionError unless it is legal."""
        if self.is_over:
            raise IllegalActionError("no action is legal: the game is over")
        action = self.encoding.find_action(self._states, index)
        states = copy_states(self._states)
        compiled_api.play(states, 0, action)
        state = State.__new__(State)
        vars(state).update(_read_record(self.encoding, states))
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
            planes = np.zeros(self.encoding.shape, np.float32)
            compiled_encoding.write_planes(self._states, 0, viewer, planes)
            return planes if kind == "planes" else planes.reshape(-1)
        states = copy_states(self._states)
        compiled_api.hide(states, 0, viewer)
        return states.view(np.uint8)

    @cached_property
    def position(self) -> Position:
        """The position, without history."""
        return Position(self.game, copy_states(self._states), ())

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


def _read_record(encoding: Encoding, states: States) -> dict[str, Any]:
    """Return the attributes of the state with this record, (1,), which nothing changes from now on."""
    points = np.zeros(encoding.game.spec.rules.MAX_SEATS, np.int64)
    seat = int(compiled_api.status(states, 0, points))
    is_truncated = seat >= 0 and not compiled_encoding.can_index_all(states, 0)
    return {
        "encoding": encoding,
        "scores": tuple(points[: encoding.game.seats].tolist()),
        "seat": None if seat < 0 or is_truncated else seat,
        "is_over": seat < 0 or is_truncated,
        "is_truncated": is_truncated,
        "_states": states,
    }
