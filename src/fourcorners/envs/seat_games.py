"""Games in which one seat is played from outside, and opponents play the others."""

import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments
from fourcorners.core.errors import GameError, OptionError
from fourcorners.core.game import Game
from fourcorners.envs.adapter import Adapter
from fourcorners.envs.batch import Batch
from fourcorners.envs.encoding import IllegalActionError
from fourcorners.envs.state import State
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay

_MOST_STARTS = 1000
Seat = int | Literal["alternate"]
Choose = Callable[[Batch], NDArray[np.integer[Any]] | Sequence[int]]
"""A function that returns an index for each game of a batch, of which those are used whose seat is not -1."""


class SeatGames:
    """Games in which one seat is played from outside, and the others by opponents; each goes on until its end."""

    def __init__(self, adapter: Adapter, seat: Seat, choose: Choose) -> None:
        """Take the games, the seat, and how opponents choose; raise OptionError for a wrong seat."""
        self.adapter, self._choose = adapter, choose
        if seat != "alternate":
            most = adapter.game.seats - 1
            seat = arguments.check_int("seat", seat, 0, most, f"'alternate' or a whole number from 0 to {most}")
        self._seat = seat
        n = len(adapter.batch)
        self.seats = np.zeros(n, np.int64)
        self.rewards = np.zeros(n, np.float64)
        """(n,): the rewards of the seat in the last step."""
        self.is_over = np.ones(n, np.bool_)
        self.is_truncated = np.zeros(n, np.bool_)
        self.reasons: dict[int, str] = {}
        """The reasons why actions of the last step were illegal, by game."""

    def reset(self, seed: Sequence[int] | None = None) -> None:
        """Start the first episode of all games with these seeds, or the next one; raise OptionError."""
        self.adapter.batch.reset(seed=seed)
        self._begin(np.arange(len(self.is_over)))

    def restart(self, chosen: NDArray[np.int64]) -> None:
        """Start the next episode of some games."""
        if len(chosen):
            self.adapter.batch.reset(chosen)
            self._begin(chosen)

    def _begin(self, chosen: NDArray[np.int64]) -> None:
        """Let the seat come to move in games that have just started; one that ends before starts again."""
        batch, seats = self.adapter.batch, self.adapter.game.seats
        for _ in range(_MOST_STARTS):
            self.seats[chosen] = batch.episode[chosen] % seats if self._seat == "alternate" else self._seat
            self.is_over[chosen] = self.is_truncated[chosen] = False
            rewards = self.rewards.copy()
            self._let_opponents_play()
            self.rewards = rewards
            chosen = chosen[self.is_over[chosen]]
            if len(chosen) == 0:
                return
            batch.reset(chosen)
        raise GameError("the seat does not come to move in this game", "environment")

    def play(self, actions: Sequence[Any] | NDArray[Any], chosen: NDArray[np.bool_]) -> None:
        """Play the actions, (n,), of the running games that are chosen, (n,), and what opponents answer.

        Raise OptionError for anything but n actions, IllegalActionError where illegal ones raise, and GameError after
        an opponent has failed; then nothing changes.
        """
        if (chosen & (self.adapter.batch.seat != self.seats)).any():
            raise GameError("an opponent has failed to move; call reset first", "environment")
        indices, self.reasons = self.adapter.find_indices(actions, chosen)
        if self.reasons and not self.adapter.can_lose:
            i, reason = next(iter(self.reasons.items()))
            raise IllegalActionError(reason if len(chosen) == 1 else f"in game {i}, {reason}", i)
        self.rewards[:] = 0
        for i in self.reasons:
            self.is_over[i] = True
            self.rewards[i] = self.adapter.compute_loss(int(self.seats[i]))[self.seats[i]]
        self._advance(indices, chosen & ~self.is_over)
        self._let_opponents_play()

    def _let_opponents_play(self) -> None:
        """Play until no game waits for an opponent; raise IllegalActionError if one chooses what is not legal."""
        batch = self.adapter.batch
        while True:
            waiting = ~self.is_over & (batch.seat != self.seats)
            if not waiting.any():
                return
            try:
                with batch.only(waiting):
                    indices: Any = self._choose(batch)
                self._advance(indices, waiting)
            except IllegalActionError as error:
                raise IllegalActionError(f"the opponent chooses wrongly: {error.message}", error.game) from error
            except OptionError as error:
                raise OptionError("opponent", f"it returns what is not allowed: {error.message}") from error

    def _advance(self, indices: NDArray[np.int64], chosen: NDArray[np.bool_]) -> None:
        """Play one action in each game that is chosen, (n,), and note what ends."""
        with self.adapter.batch.only(chosen):
            step = self.adapter.batch.step(indices)
            too_long = chosen & ~step.done & self.adapter.find_overlong()
            self.rewards += step.rewards[np.arange(len(chosen)), self.seats]
            self.is_over |= (chosen & step.done) | too_long
            self.is_truncated |= (chosen & step.truncated) | too_long

    def mask(self) -> NDArray[np.int8]:
        """Return whether each action is legal, (n, count), as a new array; none is when a game is over."""
        mask = self.adapter.mask()
        mask[self.is_over] = 0
        return mask

    def observe(self) -> NDArray[Any]:
        """Return the games as their seats know them, (n, *shape), as a new array."""
        seats = np.unique(self.seats).tolist()
        observed = self.adapter.observe(seats[0])
        for seat in seats[1:]:
            rows = self.seats == seat
            observed[rows] = self.adapter.observe(seat)[rows]
        return observed

    def draw(self, i: int, mode: str) -> Any:
        """Draw game i as its seat knows it; see `Adapter.render`."""
        return self.adapter.render(i, int(self.seats[i]), mode)


def choose_with_function(opponent: Callable[[State], int]) -> Choose:
    """Return how a function for one state chooses in a batch of one game."""
    return partial(_choose_with, opponent)


def _choose_with(opponent: Callable[[State], int], batch: Batch) -> list[int]:
    """Return the choice of a function in the one game of a batch."""
    return [opponent(State(batch.position(0)))]


def make_chooser(opponent: object, game: Game) -> Choose:
    """Return how opponents choose at random or at a level of the computer; raise OptionError for anything else."""
    if isinstance(opponent, str) and opponent == "random":
        return Batch.sample
    most = len(game.spec.part(ComputerPlay).levels)
    allowed = f"'random', a function, or a level from 1 to {most}"
    level = arguments.check_int("opponent", opponent, 1, most, allowed)
    return partial(_choose_at_level, level)


def _choose_at_level(level: int, batch: Batch) -> NDArray[np.int64]:
    """Return the computer's choice in each game whose seat is not -1, the same for the same game."""
    indices = batch.sample().copy()
    for i in np.flatnonzero(batch.seat >= 0).tolist():
        position = batch.position(i)
        # The sample has come from the random numbers of the game.
        seed = zlib.crc32(f"{batch.episode[i]} {indices[i]} {position.text}".encode())
        move = Computer(level, seed=seed).choose(position).move
        indices[i] = batch.encoding.find_index(position, move)
    return indices
