"""Many games of one kind, stepped together."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import zipfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments, catalogue, compiled_api, compiled_encoding
from fourcorners.core.bits import mix
from fourcorners.core.encoding import copy_records
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position, View
from fourcorners.core.jit import Kernel
from fourcorners.core.plurals import pluralise
from fourcorners.envs import kernels
from fourcorners.envs.bound import BoundKernels
from fourcorners.envs.encoding import Encoding, IllegalActionError, check_word, describe_values, find_game, make_array
from fourcorners.envs.kernels import Games, Rules, Shared
from fourcorners.envs.rewards import REWARDS, number_parties
from fourcorners.envs.threads import Helpers, count_processors, share

MOST_GAMES = 2**24
MOST_MASKED_ACTIONS = 4096
"""The most indices for which a batch has masks unless they are asked for."""
_STEPS_PER_THREAD = 8192  # a hand-over takes 50 microseconds, as long as some 1,500 of the quickest steps
_INT64 = np.dtype(np.int64)
_FORMAT = "fourcorners batch 1"
_logger = logging.getLogger(__name__)


class Step(NamedTuple):
    """What a step of a batch led to."""

    rewards: NDArray[np.float32]
    """(n, seats): 0 unless the game ended in this step."""
    done: NDArray[np.bool_]
    """(n,): whether the game that was stepped is over."""
    truncated: NDArray[np.bool_]
    """(n,): whether it ended early, because a legal action has no index."""


class Rollout(NamedTuple):
    """What random play led to."""

    rewards: NDArray[np.float64]
    """(n, seats): the rewards of all games that ended, added up."""
    ended: NDArray[np.int64]
    """(n,): the number of games that ended."""


class Batch:
    """Many games of one kind.

    Its arrays are contiguous and aligned. The next step writes to them, so copy what you need longer, and change a mask
    only in a copy. Game i of episode k has its own random numbers, determined by the seed, i and k alone. Let only one
    thread at a time use a batch. `game`, `encoding`, `reward` and `auto_reset` are what it was made with.
    """

    _observation: NDArray[Any] | None
    _lists: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    _scores: NDArray[np.int64] | None

    def __init__(
        self,
        game: Game | str,
        n: int,
        *,
        seed: int | Sequence[int] | NDArray[Any],
        reward: Literal["win", "margin", "points"] = "win",
        threads: int | None = None,
        auto_reset: bool = True,
        position: Position | None = None,
        legal: Literal["auto", "mask", "list"] = "auto",
    ) -> None:
        """Start n games, 1 to MOST_GAMES, of a game, or of an id with its default options.

        `seed` is any whole number, or a list of one for each game, which is then the game of a batch of one with this
        seed. `reward` says what a game pays when it ends: "win" shares what the losing parties pay among the winning
        ones; "margin" is the points less the mean of the other parties'; "points" are the points. `threads` is the most
        threads to use, None for as many as there are processors. With `auto_reset`, a game that ends starts again in
        the same step, as the next episode; `final` keeps its end. Games start from `position`, or with a new deal each.
        `legal` is "mask" for masks of the legal actions, "list" for lists alone, "auto" for masks of at most
        MOST_MASKED_ACTIONS indices.

        Raise OptionError for a wrong argument.
        """
        self.game = find_game(game)
        self.encoding = Encoding(self.game)
        n = arguments.check_int("n", n, 1, MOST_GAMES)
        first_seed, lanes = _number_lanes(seed, n)
        self.reward = check_word("reward", reward, tuple(REWARDS))
        self.auto_reset = arguments.check_flag("auto_reset", auto_reset)
        self._threads = count_processors() if threads is None else arguments.check_int("threads", threads, 1, 1024)
        self._call = BoundKernels()
        has_masks = self._check_legal(check_word("legal", legal, ("auto", "mask", "list")))
        spec, seats = self.game.spec, self.game.seats
        if spec.deck is not None and not spec.hidden:
            raise OptionError("game", f"{self.game.title} shuffles an open deck, which a batch cannot do")
        dtype = self.encoding.dtype
        count = (self.encoding.count or 0) if has_masks else 0
        start, is_dealt = self._make_start(position, dtype)
        start_mask = np.zeros(0 if is_dealt else count, np.bool_)
        if len(start_mask):
            compiled_encoding.mask_actions(start, 0, start_mask)
        settings = [len(self.game.options.parties), REWARDS[self.reward], self.auto_reset]
        self._rules = Rules(start, start_mask, number_parties(self.game), np.array(settings, np.int64), first_seed)
        games = Games(
            states=np.zeros(n, dtype),
            lanes=lanes,
            episodes=np.zeros(n, np.int64),
            rngs=np.zeros(n, np.uint64),
            seats=np.zeros(n, np.int8),
            masks=np.zeros((n, count), np.bool_),
            done=np.zeros(n, np.bool_),
            truncated=np.zeros(n, np.bool_),
            rewards=np.zeros((n, seats), np.float32),
            points=np.zeros((n, spec.rules.MAX_SEATS), np.int64),
            truncations=np.zeros(n, np.int64),
            finals=np.repeat(start, n if self.auto_reset else 0),
        )
        self._hold(games)
        self._share(kernels.start, self._rules, games)

    def _hold(self, games: Games) -> None:
        """Make these the games of the batch, with new scratch space."""
        self._games = games
        self._step = Step(games.rewards, games.done, games.truncated)
        n = len(games.states)
        samples, actions, codes = np.zeros((3, n), np.int64)
        self._shared = Shared(samples, actions, codes, board=np.full(kernels.BOARD_SIZE, n, np.int64))
        self._helpers = Helpers()
        self._has_one_thread = self._count_threads(1) == 1
        self._observation = None
        self._forget()

    def _check_legal(self, legal: str) -> bool:
        """Return whether the batch has masks; raise OptionError if it cannot."""
        count = self.encoding.count
        if count is None:
            if legal == "mask":
                raise OptionError("legal", f"{self.game.title} has no encoding, so a batch has no masks")
            _warn_of_codes(self.game.title)
            return False
        return legal == "mask" or (legal == "auto" and count <= MOST_MASKED_ACTIONS)

    def _make_start(self, position: object, dtype: np.dtype[np.void]) -> tuple[NDArray[np.void], bool]:
        """Return the record from which games start, (1,), and whether hidden information is dealt for each."""
        start = np.zeros(1, dtype)
        if position is not None:
            copy_records(self._check_position(position).states, start)
            return start, False
        copy_records(self.game.start(seed=0).states, start)
        if self.game.spec.hidden:
            compiled_api.hide(start, 0, -1)
        return start, self.game.spec.hidden

    def _check_position(self, position: object) -> Position:
        """Return a position of this game that is not over, and where every legal action has an index."""
        if not isinstance(position, Position) or position.game != self.game:
            raise OptionError("position", f"{quote(position)} is not allowed; it must be a Position of {self.game!r}")
        if position.is_over:
            raise OptionError("position", "the game is over there; games must be able to go on")
        if not compiled_encoding.can_index_all(position.states, 0):
            raise OptionError("position", "a legal action there has no index")
        return position

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._games.states)

    @property
    def seat(self) -> NDArray[np.int8]:
        """(n,): the seat to move, which may be the one that moved last; -1 where the game is over."""
        return self._games.seats

    @property
    def episode(self) -> NDArray[np.int64]:
        """(n,): the number of the present game, from 0."""
        return self._games.episodes

    @property
    def done(self) -> NDArray[np.bool_]:
        """(n,): whether the last step ended the game; without `auto_reset` it stays set until `reset`."""
        return self._games.done

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """(n,): whether it ended early, because a legal action has no index."""
        return self._games.truncated

    @property
    def truncations(self) -> int:
        """The number of games that were truncated so far."""
        return int(self._games.truncations.sum())

    @property
    def rewards(self) -> NDArray[np.float32]:
        """(n, seats): the rewards of the last step, 0 unless the game ended in it."""
        return self._games.rewards

    @property
    def legal_mask(self) -> NDArray[np.bool_]:
        """(n, count): whether each index is legal; raise GameError if the batch has no masks."""
        if self._games.masks.shape[1] == 0:
            count = self.encoding.count
            why = "no encoding" if count is None else f"{count:,} indices"
            advice = "use legal_actions" if count is None else 'use legal_actions, or ask for masks with legal="mask"'
            raise GameError(f"this batch has no masks, because {self.game.title} has {why}: {advice}", "encoding")
        return self._games.masks

    @property
    def legal_actions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The legal indices of all games, one list after the other: offsets, (n + 1,), and indices.

        Those of game i are `indices[offsets[i]:offsets[i + 1]]`, in the order of the rules.
        """
        if self._lists is None:
            buffer, offsets = self._make_buffer(), np.zeros(len(self) + 1, np.int64)
            kernels.count_legal(self._games, buffer, offsets)
            indices = np.zeros(offsets[-1], np.int64)
            kernels.list_legal(self._games, buffer, offsets, indices)
            self._lists = offsets, indices
        return self._lists

    def _make_buffer(self) -> NDArray[np.int64]:
        """Return scratch space for the legal actions of any game of the batch."""
        return np.zeros(kernels.find_longest(self._games), np.int64)

    @property
    def scores(self) -> NDArray[np.int64]:
        """(n, seats): the present points; of the new game where one has just started."""
        if self._scores is None:
            points = np.zeros_like(self._games.points)
            kernels.write_scores(self._games, points)
            self._scores = np.ascontiguousarray(points[:, : self.game.seats])
        return self._scores

    @property
    def winners(self) -> NDArray[np.bool_]:
        """(n, seats): the seats with the most points, where the last step ended a game by its rules."""
        points = self._games.points[:, : self.game.seats]
        ended = self.done & ~self.truncated
        result: NDArray[np.bool_] = ended[:, None] & (points == points.max(axis=1, keepdims=True))
        return result

    @property
    def final(self) -> Batch:
        """The games for which `done` is set, in the order of `done.nonzero()`, as they ended."""
        games = self._copy_games(np.flatnonzero(self.done))
        if self.auto_reset:
            games.states[:] = games.finals
            games.episodes[:] -= 1
            games.seats[:] = -1
            games.masks[:] = False
            games = games._replace(finals=games.finals[:0])
        return self._with(games, auto_reset=False)

    def reset(
        self,
        indices: Sequence[int] | NDArray[Any] | None = None,
        *,
        seed: int | Sequence[int] | NDArray[Any] | None = None,
    ) -> None:
        """Start the next episode of some games, given by numbers or by a flag for each, or of all (None).

        With a seed, as for a new batch, all games start with their first episode. Raise OptionError for a game that is
        not there, and for a wrong seed or one for some games.
        """
        games = self._games
        if seed is not None:
            if indices is not None:
                raise OptionError("seed", "it is not allowed with indices; all games get new seeds at once")
            self._rules.seed[:], games.lanes[:] = _number_lanes(seed, len(self))
            games.episodes[:] = -1
        chosen = np.arange(len(self)) if indices is None else self._check_games(indices)
        games.episodes[chosen] += 1
        games.done[chosen] = games.truncated[chosen] = False
        games.rewards[chosen] = 0
        for i in chosen if indices is not None else ():
            kernels.start(self._rules, games, i, i + 1)
        if indices is None:
            self._share(kernels.start, self._rules, games)
        self._forget()

    def step(self, actions: NDArray[np.integer[Any]] | Sequence[int], *, copy: bool = False) -> Step:
        """Play the actions with these indices, (n,), one in each game that is not over; the others are ignored.

        Return arrays that the next step writes to, unless `copy`. Raise IllegalActionError for the first index that is
        not legal, OptionError for anything but n whole numbers; then nothing changes.
        """
        samples = self._shared.samples
        given = samples if actions is samples and samples.ndim == 1 else self._check_numbers("actions", actions)
        if self._has_one_thread:
            bad = self._call(kernels.step, self._rules, self._games, given, self._shared.codes)
        elif given is samples:
            bad = self._lead(kernels.lead_step, kernels.CHECK_SAMPLES)
        else:
            self._shared.actions[:] = given
            bad = self._lead(kernels.lead_step, kernels.CHECK)
        if bad >= 0:
            number = int(np.asarray(actions)[bad])
            why = self.encoding.explain(self._copy_record(bad), number)
            raise IllegalActionError(f"actions[{bad}] is {number}, which is not legal: {why}", bad)
        return self._finish_step(copy=copy)

    def list_step(self, choices: NDArray[np.integer[Any]] | Sequence[int], *, copy: bool = False) -> Step:
        """Play the action with the number `choices[i]` in the list of game i, as `legal_actions` has it, in each game.

        As `step` otherwise; IllegalActionError is for a number that the list does not have.
        """
        given = self._check_numbers("choices", choices)
        bad, count = kernels.choose(self._games, self._make_buffer(), given, self._shared.codes)
        if bad >= 0:
            message = f"choices[{bad}] is {given[bad]}, but the list of that game has the numbers 0 to {count - 1}"
            raise IllegalActionError(message, int(bad))
        self._share(kernels.advance, self._rules, self._games, self._shared.codes)
        return self._finish_step(copy=copy)

    def _finish_step(self, *, copy: bool) -> Step:
        """Forget what was true before the step; return what it led to."""
        self._lists = self._scores = None
        step = self._step
        return Step(step.rewards.copy(), step.done.copy(), step.truncated.copy()) if copy else step

    @contextlib.contextmanager
    def only(self, chosen: NDArray[np.bool_]) -> Iterator[None]:
        """Let games pause in a `with` block, except those chosen, (n,): they are neither stepped nor sampled.

        Until its end their seat is -1. Raise OptionError for anything but n flags.
        """
        flags = make_array(chosen)
        if flags.shape != (len(self),) or flags.dtype != np.bool_:
            raise OptionError("chosen", f"it must be an array of {len(self)} flags, one for each game")
        games = self._games
        pausing = np.flatnonzero(~flags & (games.seats >= 0))
        seats = games.seats[pausing]
        games.seats[pausing] = -1
        games.done[pausing] = games.truncated[pausing] = False
        self._forget()
        try:
            yield
        finally:
            games.seats[pausing] = seats
            self._forget()

    def sample(self) -> NDArray[np.int64]:
        """Return the index of a random legal action of each game, (n,), or -1 where it is over.

        The random numbers are those of the games, and each call draws new ones. The next call writes to the array.
        """
        if self._has_one_thread:
            self._call(kernels.sample, self._games, self._shared.samples)
        else:
            self._lead(kernels.lead_sample)
        return self._shared.samples

    def rollout(self, steps: int) -> Rollout:
        """Play `steps` random legal actions in each game, or fewer if it ends for good; return what came of it.

        The games go on as after `steps` times `step(sample())`. Raise OptionError unless `steps` is 1 or more.
        """
        steps = arguments.check_int("steps", steps, 1, 2**40)
        result = Rollout(np.zeros((len(self), self.game.seats)), np.zeros(len(self), np.int64))
        self._share(kernels.rollout, self._rules, self._games, steps, *result, steps=steps)
        self._forget()
        return result

    def observe(
        self,
        seat: int | None = None,
        out: NDArray[Any] | None = None,
        kind: Literal["planes", "flat"] = "planes",
    ) -> NDArray[Any]:
        """Return the games as a seat knows them; None is the seat to move of each, or seat 0 where the game is over.

        Planes are (n, planes, rows, columns) of float32 from 0 to 1; `encoding` names them. Flat are the same numbers
        as (n, m), or, without an encoding, the bytes (uint8) of the record without what is hidden from the seat. `out`
        is a C-contiguous array for the result; without it, the next call writes to the result.

        Raise GameError for planes without an encoding, OptionError for a wrong argument.
        """
        check_word("kind", kind, ("planes", "flat"))
        viewer = -1 if seat is None else arguments.check_int("seat", seat, 0, self.game.seats - 1)
        has_planes = self.encoding.count is not None
        shape = self.encoding.shape if kind == "planes" else self.encoding.flat_shape
        target = self._check_out(out, (len(self), *shape), np.dtype(np.float32 if has_planes else np.uint8))
        if has_planes:
            count, rows, columns = self.encoding.shape
            planes = target.reshape(len(self), count, rows * columns)
            self._share(kernels.write_planes, self._games, viewer, planes)
        else:
            copies = np.empty_like(self._games.states)
            self._share(kernels.hide, self._games, viewer, copies)
            target[:] = copies.view(np.uint8).reshape(target.shape)
        return target

    def _check_out(self, out: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the array for an observation, one that is kept if `out` is None; raise OptionError for a wrong one."""
        if out is None:
            if self._observation is None:
                self._observation = np.empty(shape, dtype)
            return self._observation.reshape(shape)
        if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype or not out.flags.carray:
            found = f"{out.dtype} of the shape {out.shape}" if isinstance(out, np.ndarray) else quote(out)
            allowed = f"a writable, C-contiguous array of {dtype} with the shape {shape}"
            raise OptionError("out", f"{found} is not allowed; it must be {allowed}")
        return np.asarray(out)

    @property
    def records(self) -> NDArray[np.void]:
        """(n,): copies of the positions, with all that is hidden, as full records of the rules: for `fc.Solver`."""
        full = np.zeros(len(self), self.game.spec.rules.DTYPE)
        copy_records(self._games.states, full)
        return full

    def position(self, i: int) -> Position:
        """Return the position of a game, with all that is hidden, without history; raise OptionError."""
        return Position(self.game, self._copy_record(arguments.check_int("i", i, 0, len(self) - 1)), ())

    def view(self, i: int) -> View:
        """Return what the seat to move in a game knows; raise OptionError."""
        position = self.position(i)
        return position.view(position.seat)

    def _copy_record(self, i: int) -> NDArray[np.void]:
        """Return the record of a game in full, (1,)."""
        full = np.zeros(1, self.game.spec.rules.DTYPE)
        copy_records(self._games.states[i : i + 1], full)
        return full

    def set_position(self, i: int, position: Position) -> None:
        """Let a game go on from a position, in the same episode; raise OptionError unless it can."""
        i = arguments.check_int("i", i, 0, len(self) - 1)
        games = self._games
        copy_records(self._check_position(position).states, games.states[i : i + 1])
        games.done[i] = games.truncated[i] = False
        games.rewards[i] = 0
        kernels.refresh(games, i, i + 1)
        self._forget()

    def copy(self) -> Batch:
        """Return a batch that goes on independently, with the same random numbers."""
        return self._take(np.arange(len(self)))

    def __getitem__(self, chosen: slice | Sequence[int] | NDArray[Any]) -> Batch:
        """Return a copy of some games, which go on as they would here; raise OptionError for games that are not there.

        `chosen` is a slice, numbers of games, or a flag for each game.
        """
        if isinstance(chosen, slice):
            return self._take(np.arange(len(self))[chosen])
        return self._take(self._check_games(chosen))

    def _take(self, indices: NDArray[np.int64]) -> Batch:
        """Return a copy of the games with these numbers, which are there."""
        return self._with(self._copy_games(indices), auto_reset=self.auto_reset)

    def _copy_games(self, indices: NDArray[np.int64]) -> Games:
        """Return copies of the arrays, with these games alone."""
        games: Any = (array[indices] if len(array) else array.copy() for array in self._games)
        return Games(*games)

    def _with(self, games: Games, *, auto_reset: bool) -> Batch:
        """Return a batch of these games, with what belongs to this one copied."""
        rules: Any = (array.copy() for array in self._rules)
        kept = Rules(*rules)
        kept.settings[2] = auto_reset
        batch = Batch.__new__(Batch)
        vars(batch).update(self.__getstate__(), _rules=kept, auto_reset=auto_reset)
        Batch._hold(batch, games)
        return batch

    def __copy__(self) -> Batch:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_observation": None}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the batch to a file in NumPy's format .npz, for `load`; raise OSError."""
        about = {
            "format": _FORMAT,
            "game": self.game.id,
            "options": self.game.given_options(),
            "encoding": self.encoding.version,
            "reward": self.reward,
            "auto_reset": self.auto_reset,
            "legal": "mask" if self._games.masks.shape[1] else "list",
        }
        with Path(path).open("wb") as file:
            np.savez(file, allow_pickle=False, about=np.array(json.dumps(about)), **self._list_arrays())

    def _list_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that the batch consists of, by name."""
        return {**self._rules._asdict(), **self._games._asdict()}

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, threads: int | None = None) -> Batch:
        """Read a batch that `save` wrote; raise OSError, or GameError for any other file or one of another version.

        Only load files that you trust: their records are not checked.
        """
        try:
            with Path(path).open("rb") as file, np.load(file) as archive:
                about = json.loads(str(archive["about"]))
                arrays = {name: archive[name] for name in (*Rules._fields, *Games._fields)}
            game = catalogue.game(about["game"], **about["options"])
            keywords = {name: about[name] for name in ("reward", "auto_reset", "legal")}
            batch = cls(game, len(arrays["states"]), seed=0, threads=threads, **keywords)
            is_same = (about["format"], about["encoding"]) == (_FORMAT, batch.encoding.version)
        except (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
            raise GameError(f"{Path(path).name} is not a batch that this version wrote", "batch") from error
        for name, array in batch._list_arrays().items():
            is_same = is_same and arrays[name].dtype == array.dtype and arrays[name].shape[1:] == array.shape[1:]
        if not is_same:
            raise GameError(f"{Path(path).name} is not a batch that this version wrote", "batch")
        batch._rules = Rules(*(arrays[name] for name in Rules._fields))
        batch._hold(Games(*(arrays[name] for name in Games._fields)))
        return batch

    # Checks, caches and threads.
    def _forget(self) -> None:
        """Forget what was computed on demand."""
        self._lists = self._scores = None

    def _check_numbers(self, name: str, values: object) -> NDArray[np.int64]:
        """Return one whole number for each game; raise OptionError for anything else."""
        array = values if type(values) is np.ndarray else make_array(values)
        if array.dtype is _INT64 and array.flags.carray and array.shape == self._shared.codes.shape:
            return array
        if array.shape != (len(self),) or array.dtype.kind not in "iu":
            numbers = pluralise(len(self), "{} whole number", "{} whole numbers")
            found = describe_values(values, array)
            raise OptionError(name, f"{found} is not allowed; it must be {numbers}, one for each game")
        return np.require(array, np.int64, ["C", "A", "W"])

    def _check_games(self, values: object) -> NDArray[np.int64]:
        """Return numbers of games; raise OptionError for anything else."""
        array = make_array(values)
        if array.shape == (len(self),) and array.dtype == np.bool_:
            return np.flatnonzero(array)
        if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
            found, allowed = describe_values(values, array), "a list of numbers of games, or a flag for each game"
            raise OptionError("indices", f"{found} is not allowed; it must be {allowed}")
        if array.size and not 0 <= array.min() <= array.max() < len(self):
            raise OptionError("indices", f"there are the games 0 to {len(self) - 1}, not all of those that were named")
        return array.astype(np.int64)

    def _count_threads(self, steps: int) -> int:
        """Return how many threads share this number of steps of each game."""
        work = len(self._shared.codes) * steps
        return 1 if work < 2 * _STEPS_PER_THREAD else min(self._threads, work // _STEPS_PER_THREAD)

    def _share(self, kernel: Kernel[..., Any], *args: Any, steps: int = 1) -> list[Any]:
        """Call a kernel with these arguments and each part of the games, in threads if it pays; return the results."""
        n = len(self._shared.codes)
        count = self._count_threads(steps)
        if count == 1:
            return [self._call(kernel, *args, 0, n)]
        return share(lambda low, high: self._call(kernel, *args, low, high), n, count)

    def _lead(self, kernel: Kernel[..., Any], *args: Any) -> Any:
        """Return what a kernel returns that shares its work with other threads."""
        common = self._rules, self._games, self._shared
        return self._helpers.lead(
            lambda: self._call(kernel, *common, *args),
            lambda: self._call(kernels.help_out, *common),
            self._count_threads(1),
        )

    def __repr__(self) -> str:
        """Name the game and the number of games."""
        return f"<Batch of {len(self)} games: {self.game!r}>"


def _number_lanes(seed: object, n: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the seed of a batch, (1,), and the numbers of its games, (n,), for a seed or n of them.

    Raise OptionError for anything else.
    """
    number = arguments.as_int(seed)
    if number is not None:
        return np.array([number % 2**64], np.uint64), np.arange(n)
    many = [arguments.as_int(item) for item in seed] if isinstance(seed, Sequence | np.ndarray) else []
    numbers = np.array([item % 2**64 for item in many if item is not None], np.uint64)
    if len(many) != n or len(numbers) != n:
        many_allowed = pluralise(n, "{} whole number", "{} whole numbers")
        allowed = f"a whole number, or a list of {many_allowed}, one for each game"
        raise OptionError("seed", f"{quote(seed)} is not allowed; it must be {allowed}")
    # `kernels.seed_rng` combines the mixed seed and the number of the game by exclusive or.
    mixed = np.array([mix(item) for item in numbers], np.uint64)
    return numbers[:1], (mixed ^ mixed[0]).view(np.int64)


@cache
def _warn_of_codes(title: str) -> None:
    """Warn, once for each game, that it has no encoding."""
    _logger.warning(
        "%s has no encoding: its batches have lists of the codes of its rules, and flat observations.", title
    )
