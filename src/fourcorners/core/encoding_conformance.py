"""The contract of a game's encoding as checks: run `check_encoding` on your game, with or without an `encode.py`."""

import random
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numba import config
from numpy.typing import NDArray

from fourcorners.core import compiled_api, compiled_encoding
from fourcorners.core.arrays import States
from fourcorners.core.bits import new_rng
from fourcorners.core.conformance import NotConformingError
from fourcorners.core.dispatch import view_record
from fourcorners.core.encoding import DenseEncoding, Encode, copy_records, find_small_dtype, name_planes
from fourcorners.core.game import Game
from fourcorners.core.jit import Kernel

P = ParamSpec("P")
R = TypeVar("R")

_SAMPLE = 24  # the number of legal actions, and of other indices, that are tried in a position
_NEAR = 40  # half of the other indices are at most this far from a legal one
_DESCRIBED = 200  # the number of indices whose texts are compared
_HOSTILE = (-1, 2**62, -(2**63))


class _Track:
    """A game that records of one dtype play, interpreted or compiled, and its mask, which is updated move by move."""

    def __init__(self, states: States, dtype: np.dtype[np.void], count: int, *, compiled: bool) -> None:
        """Copy `states`, (1,), into records of a dtype, and make the mask of `count` actions."""
        self.name = f"{'compiled' if compiled else 'interpreted'}, {dtype.itemsize} bytes"
        self._compiled = compiled
        self.states = self.convert(states, dtype)
        # True, so that entries which are not written are noticed.
        self.mask = np.ones(count, np.bool_)
        self.call(compiled_encoding.mask_actions)(self.states, 0, self.mask)

    def convert(self, states: States, dtype: np.dtype[np.void] | None = None) -> States:
        """Return a copy of records with another dtype, by default that of this track."""
        copied = np.zeros(len(states), self.states.dtype if dtype is None else dtype)
        copy_records(states, copied)
        return copied

    def call(self, kernel: Kernel[P, R]) -> Callable[P, R]:
        """Return the version of a kernel that this track runs."""
        return kernel if self._compiled else kernel.run_interpreted

    def play(self, action: int, seat: int) -> None:
        """Play a legal action of a seat, and update the mask unless the game is over then."""
        self.call(compiled_api.play)(self.states, 0, action)
        if _find_seat(self.states) >= 0:
            self.call(compiled_encoding.update_mask)(self.states, 0, action, seat, self.mask)


class _Report:
    """The position that is being checked, for messages."""

    def __init__(self, game: Game, states: States) -> None:
        self._game, self._states = game, states

    def require(self, condition: object, message: str) -> None:
        """Raise NotConformingError, naming the position, unless the condition holds."""
        if not condition:
            text = self._game.spec.notation.write(view_record(self._states))
            raise NotConformingError(f"{message} (in {self._game!r}, {text})")


def check_encoding(game: Game, seed: int) -> int:
    """Play one random game, which `seed` determines, and return its number of plies; raise NotConformingError.

    Check at each ply, and at the end, that actions and indices belong together, that all other indices are
    refused, that masks made anew and updated move by move say the same as the legal actions, and that planes are
    numbers from 0 to 1 and contain nothing that is hidden. Do so interpreted and compiled, unless compiling is
    disabled, and with records of both dtypes; all results must be equal. The game's errors pass through.
    """
    rng = random.Random(seed)
    encode = game.spec.part(DenseEncoding).encode
    count = 0 if encode is None else encode.count_actions(game.options)
    dtypes = dict.fromkeys((game.spec.rules.DTYPE, find_small_dtype(game.spec, game.options)))
    start = game.start(seed).states
    versions = (False,) if config.DISABLE_JIT else (False, True)
    tracks = [_Track(start, dtype, count, compiled=compiled) for dtype in dtypes for compiled in versions]
    if encode is not None:
        _check_names(game, encode, rng)
    states, plies = tracks[0].states, 0
    while (seat := _find_seat(states)) >= 0:
        _check_actions(game, tracks, encode, rng)
        _check_planes(game, tracks, encode, seed + plies)
        action = rng.choice(compiled_api.list_legal(states, 0).tolist())
        for track in tracks:
            track.play(action, seat)
        plies += 1
    _check_planes(game, tracks, encode, seed + plies)
    return plies


def _find_seat(states: States) -> int:
    """Return the seat to move, or -1 if the game is over."""
    return compiled_api.status(states, 0, np.zeros(16, np.int64))


def _check_names(game: Game, encode: Encode, rng: random.Random) -> None:
    """Raise NotConformingError for a wrong version, or names of planes or texts of indices that are not distinct."""
    report = _Report(game, game.start(0).states)
    report.require(encode.VERSION >= 1, f"the version {encode.VERSION} of the encoding is not 1 or more")
    names = name_planes(encode, game.options)
    report.require(len(set(names)) == len(names), f"the names of the planes are not distinct: {names}")
    count = encode.count_actions(game.options)
    indices = rng.sample(range(count), min(count, _DESCRIBED))
    texts: dict[str, int] = {}
    for index in indices:
        text = encode.describe_action(game.options, index)
        report.require(text.strip() == text and text.isprintable() and text, f"{text!r} does not describe {index}")
        report.require(text not in texts, f"{text!r} describes the indices {texts.get(text)} and {index}")
        texts[text] = index


def _check_actions(game: Game, tracks: list[_Track], encode: Encode | None, rng: random.Random) -> None:
    """Raise NotConformingError unless indices and masks agree with the legal actions of a running position."""
    report = _Report(game, tracks[0].states)
    legal = compiled_api.list_legal(tracks[0].states, 0).tolist()
    count = len(tracks[0].mask)
    indices: list[int] = []
    for track in tracks:
        found = [np.full(compiled_api.bound(tracks[0].states, 0), -1, np.int64) for _ in range(2)]
        n = track.call(compiled_encoding.list_actions)(track.states, 0, *found)
        report.require(found[0][:n].tolist() == legal, f"the legal actions differ ({track.name})")
        own = found[1][:n].tolist()
        report.require(not indices or own == indices, f"the indices differ ({track.name})")
        indices = own
        back = track.convert(track.states, tracks[0].states.dtype)
        for name in back.dtype.names or ():
            equal = (back[name] == tracks[0].states[name]).all()
            report.require(equal, f"the records differ in the field {name!r} ({track.name})")
    actions = {index: action for index, action in zip(indices, legal, strict=True) if index >= 0}
    report.require(len(actions) == sum(index >= 0 for index in indices), "two legal actions have the same index")
    if encode is None:
        report.require(indices == legal, "without an encoding an index is not the action")
    else:
        report.require(max(actions, default=0) < count, f"an index is not below {count}")
    expected = np.zeros(count, np.bool_)
    if encode is not None:
        expected[list(actions)] = True
    chosen = rng.sample(sorted(actions), min(len(actions), _SAMPLE))
    others = [index for index in _list_others(count, chosen, rng) if index not in actions]
    if encode is not None:
        record = view_record(tracks[0].states)
        for index in chosen:
            found_action = encode.find_action(record, index)
            same = found_action == actions[index]
            report.require(same, f"find_action gives {found_action} for index {index}, not {actions[index]}")
        for index in others:
            if 0 <= index < count:
                found_action = encode.find_action(record, index)
                report.require(found_action not in legal, f"find_action gives a legal action for index {index}")
                if found_action >= 0:
                    reason = game.spec.explain.explain_illegal_action(record, found_action)
                    report.require(reason.sentence, f"no reason is given against the index {index}")
    for track in tracks:
        action_at = track.call(compiled_encoding.action_at)
        for index in chosen:
            found_action = action_at(track.states, 0, index)
            same = found_action == actions[index]
            report.require(same, f"index {index} gives {found_action}, not {actions[index]} ({track.name})")
        for index in others:
            found_action = action_at(track.states, 0, index)
            report.require(found_action == -1, f"index {index} gives {found_action}, not -1 ({track.name})")
        all_indexed = track.call(compiled_encoding.can_index_all)(track.states, 0)
        report.require(all_indexed == (-1 not in indices), f"can_index_all is {all_indexed} ({track.name})")
        anew = np.ones(count, np.bool_)
        track.call(compiled_encoding.mask_actions)(track.states, 0, anew)
        for mask, how in ((anew, "made anew"), (track.mask, "that was updated")):
            wrong = np.flatnonzero(mask != expected)[:5].tolist()
            report.require(not wrong, f"the mask {how} is wrong at {wrong} ({track.name})")


def _list_others(count: int, chosen: list[int], rng: random.Random) -> Iterator[int]:
    """Yield indices that may or may not be legal: hostile ones, some near the chosen ones, and any."""
    yield from (*_HOSTILE, count, *range(count and count - 1, count))
    for _ in range(_SAMPLE):
        if chosen:
            yield rng.choice(chosen) + rng.randint(-_NEAR, _NEAR)
        if count:
            yield rng.randrange(count)


def _check_planes(game: Game, tracks: list[_Track], encode: Encode | None, seed: int) -> None:
    """Raise NotConformingError unless planes are valid, and the same in another world that their seat thinks possible.

    `seed` determines that world.
    """
    if encode is None:
        return
    report = _Report(game, tracks[0].states)
    for seat in range(game.seats):
        planes: NDArray[np.float32] | None = None
        for states, what in _list_worlds(game, tracks[0].states, seat, seed):
            for track in tracks:
                found = _draw(track, track.convert(states), seat, encode, game.options)
                if planes is None:
                    planes = found
                    in_range = np.isfinite(planes).all() and planes.min() >= 0.0 and planes.max() <= 1.0
                    report.require(in_range, f"the planes of seat {seat} are not within 0 to 1")
                names = [name_planes(encode, game.options)[i] for i in range(len(found)) if (found != planes)[i].any()]
                report.require(not names, f"seat {seat}: the planes {names} {what} differ ({track.name})")


def _list_worlds(game: Game, states: States, seat: int, seed: int) -> Iterator[tuple[States, str]]:
    """Yield a position with words for a message; if something is hidden, also what a seat knows, and another world."""
    yield states, "of the position"
    if game.spec.hidden:
        hidden = states.copy()
        compiled_api.hide(hidden, 0, seat)
        yield hidden, "of what it knows"
        compiled_api.deal(hidden, 0, new_rng(seed))
        yield hidden, "of another world"


def _draw(track: _Track, states: States, seat: int, encode: Encode, options: Any) -> NDArray[np.float32]:
    """Return the planes of a record for a seat."""
    rows, columns = encode.plane_shape(options)
    planes = np.full((len(name_planes(encode, options)), rows * columns), np.nan, np.float32)
    track.call(compiled_encoding.write_planes)(states, 0, seat, planes)
    return planes
