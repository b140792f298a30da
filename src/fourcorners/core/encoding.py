"""Actions as dense indices, and positions as planes: the contract of a game's `encode.py`, and stubs for its functions.

A game without `encode.py` has neither: the stubs then number actions by the codes of the rules, and there are no masks
or planes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.arrays import Mask, Planes, State
from fourcorners.core.dispatch import stub
from fourcorners.core.jit import jitable, jitable_no_alloc
from fourcorners.core.spec import Spec, SpecPart


class Encode(Protocol):
    """`encode.py`: the actions of a game as the indices 0 to `count_actions` - 1, and its positions as planes.

    The module also has the compiled functions `index_action`, `action_at`, `mask_actions` and `write_planes`, and may
    have `update_mask` and `can_index_all`; the stubs of `core.encoding` document them. They must work on records of
    `small_dtype` as well. `VERSION` changes when the meaning of an index or a plane does.
    """

    VERSION: int

    def count_actions(self, options: Any) -> int:
        """Return the number of indices."""

    def describe_action(self, options: Any, index: int) -> str:
        """Describe an index in a few words, such as "edge c4-d4"."""

    def find_action(self, s: State, index: int) -> int:
        """Return the action of an index, legal or not, so that it can be explained; -1 if the position has none."""

    def plane_names(self, options: Any) -> tuple[str, ...]:
        """Return the names of the planes that `write_planes` writes, in order; `name_planes` adds the last one."""

    def plane_shape(self, options: Any) -> tuple[int, int]:
        """Return the number of rows and columns of a plane."""

    def small_dtype(self, options: Any) -> np.dtype[np.void]:
        """Return a dtype for records of these options: fields of the rules' dtype, arrays perhaps shorter.

        What is left out must be 0 in every position of these options.
        """


class Past(NamedTuple):
    """An action that looks like another one to the other seats, with the hand that its seat holds before it."""

    action: int
    hand: tuple[int, ...]
    drawn: tuple[int, ...] = ()
    """The tiles that the seat draws afterwards."""


class Chance(Protocol):
    """`chance.py`: the tiles that a game with a deck draws, as numbers; `envs.stochastic` uses it. It runs interpreted.

    Tiles are drawn at the start, always for the same seats in turn, and by the seat that has just moved; each is drawn
    once.
    """

    PUBLIC_BITS: int
    """The number of bits that suffice for any action and any result of `mask_action`."""

    def list_tiles(self, options: Any) -> tuple[str, ...]:
        """List the tokens of a deck, by the numbers of their tiles."""

    def list_pile(self, s: State) -> list[int]:
        """List the tiles that are still to be drawn, ascending."""

    def list_hand(self, s: State, seat: int) -> list[int]:
        """List the tiles that a seat holds, ascending."""

    def place_draws(self, s: State, tiles: Sequence[int]) -> None:
        """Let these tiles of the pile be drawn next, in this order; nothing but the order of the pile changes."""

    def mask_action(self, s: State, action: int) -> int:
        """Return an action as the other seats see it: the same number exactly if they see the same move."""

    def list_pasts(self, s: State, public: int, hand: Sequence[int]) -> list[Past]:
        """List the actions that others see as `public`, and after which the seat to move holds `hand`.

        `s` is the position before it, of which only what all seats know may be read; hands must fit that.
        """


@dataclass(frozen=True)
class DenseEncoding(SpecPart):
    """The encoding of a game's actions and positions for learning programs."""

    encode: Encode | None = None
    """`encode.py`; None if the game has none."""
    chance: Chance | None = None
    """`chance.py`; None if the game has none."""

    def list_modules(self) -> tuple[Any, ...]:
        """List the module of compiled functions."""
        return (self.encode,)


def find_small_dtype(spec: Spec, options: Any) -> np.dtype[np.void]:
    """Return the dtype of small records for options, known to the stubs; without an encoding, that of the rules.

    Raise TypeError as `dispatch.register_variant` does.
    """
    encode = spec.part(DenseEncoding).encode
    full = spec.rules.DTYPE
    if encode is None:
        return full
    small = encode.small_dtype(options)
    if small != full:
        dispatch.register_variant(small, full)
    return small


def name_planes(encode: Encode, options: Any) -> tuple[str, ...]:
    """Return the names of all planes: those of the game, and last the one that every game has."""
    return (*encode.plane_names(options), "my turn")


def copy_records(source: NDArray[np.void], target: NDArray[np.void]) -> None:
    """Copy records into as many of another dtype, field by field; fields that only the target has become 0.

    Arrays of different lengths are copied as far as both go.
    """
    if source.dtype == target.dtype:
        target[...] = source
        return
    target[...] = np.zeros(1, target.dtype)
    for name in source.dtype.names or ():
        if name in (target.dtype.names or ()):
            old, new = source[name], target[name]
            shared: Any = (Ellipsis, *(slice(min(pair)) for pair in zip(old.shape[1:], new.shape[1:], strict=True)))
            new[shared] = old[shared]


@jitable_no_alloc
def clear_mask(out: Mask) -> None:
    """Clear a mask, without the counts of references that an assignment to a slice needs in compiled code."""
    for index in range(len(out)):
        out[index] = False


@jitable_no_alloc
def fill_plane(out: Planes, plane: int, value: float | np.float32) -> None:
    """Fill one of the planes with a number; unsigned indices let LLVM write several cells at once."""
    for cell in range(out.shape[1]):
        out[plane, np.uint64(cell)] = value


@jitable_no_alloc
def clear_planes(out: Planes) -> None:
    """Set all planes to 0."""
    for plane in range(len(out)):
        for cell in range(out.shape[1]):
            out[plane, cell] = 0.0


def _find(s: State, name: str, default: Callable[..., Any]) -> Any:
    """Return a function of the record's game for interpreted code, or the default."""
    return dispatch.find_function(s, name) or default


@jitable
def _keep_code(s: State, action: int) -> int:
    return action


@jitable
def _find_legal(s: State, index: int) -> int:
    """Return the index, the code of an action, if it is legal; else -1."""
    out = np.empty(dispatch.bound(s), np.int64)
    for k in range(dispatch.legal(s, out)):
        if out[k] == index:
            return index
    return -1


@jitable
def _mask_nothing(s: State, out: Mask) -> None:
    pass


@jitable
def _mask_anew(s: State, action: int, seat: int, out: Mask) -> None:
    mask_actions(s, out)


@jitable
def _index_all(s: State) -> bool:
    return True


@jitable
def _draw_nothing(s: State, seat: int, out: Planes) -> None:
    pass


@stub(default=_keep_code)
def index_action(s: State, action: int) -> int:
    """Return the index of a legal action, or -1 if it has none."""
    return int(_find(s, "index_action", _keep_code)(s, action))


@stub(default=_find_legal)
def action_at(s: State, index: int) -> int:
    """Return the legal action of an index, or -1 if there is none; the index may be any number.

    The game must not be over.
    """
    return int(_find(s, "action_at", _find_legal)(s, index))


@stub(default=_mask_nothing)
def mask_actions(s: State, out: Mask) -> None:
    """Set each entry of `out`, (count_actions,), to whether its index is legal. The game must not be over."""
    _find(s, "mask_actions", _mask_nothing)(s, out)


@stub(default=_mask_anew)
def update_mask(s: State, action: int, seat: int, out: Mask) -> None:
    """Change the mask of the position before `action`, which `seat` has just played, into that of `s`, in place.

    By default it is made anew. The game must not be over.
    """
    _find(s, "update_mask", _mask_anew)(s, action, seat, out)


@stub(default=_index_all)
def can_index_all(s: State) -> bool:
    """Return whether every legal action has an index, as is usual. The game must not be over."""
    return bool(_find(s, "can_index_all", _index_all)(s))


@stub(default=_draw_nothing)
def write_planes(s: State, seat: int, out: Planes) -> None:
    """Write the position as `seat` knows it into `out`, (planes, cells), row by row; numbers lie in 0 to 1.

    What `out` held before counts for nothing. The caller writes the last plane, which tells whether it is the seat's
    turn. Nothing that is hidden from the seat may be read. The game may be over.
    """
    _find(s, "write_planes", _draw_nothing)(s, seat, out)
