"""The encodings of games for Python: kernels over an array of records and an index into it; see `core.encoding`."""

import numpy as np

from fourcorners.core import dispatch, encoding
from fourcorners.core.arrays import Actions, Mask, Planes, States
from fourcorners.core.jit import deferrable, kernel, rare, read_only


@read_only
@deferrable
@kernel
def list_actions(states: States, i: int, actions: Actions, indices: Actions) -> int:
    """Write the legal actions of a running game and their indices, -1 for none; return their number.

    `actions` and `indices` have `dispatch.bound` entries or more.
    """
    s = states[i]
    n = dispatch.legal(s, actions)
    for k in range(n):
        indices[k] = encoding.index_action(s, actions[k])
    return n


@read_only
@deferrable
@kernel
def action_at(states: States, i: int, index: int) -> int:
    """Return the legal action of an index in a running game, or -1 for any other index."""
    return encoding.action_at(states[i], index)


@read_only
@deferrable
@rare
@kernel
def can_index_all(states: States, i: int) -> bool:
    """Return whether every legal action of a running game has an index."""
    return encoding.can_index_all(states[i])


@read_only
@deferrable
@kernel
def mask_actions(states: States, i: int, out: Mask) -> None:
    """Set each entry of `out`, (count_actions,), to whether its index is legal in a running game."""
    encoding.mask_actions(states[i], out)


@read_only
@deferrable
@rare
@kernel
def update_mask(states: States, i: int, action: int, seat: int, out: Mask) -> None:
    """Change the mask from before an action that a seat has just played into that of a running game."""
    encoding.update_mask(states[i], action, seat, out)


@read_only
@deferrable
@kernel
def write_planes(states: States, i: int, seat: int, out: Planes) -> None:
    """Write the position as a seat knows it into `out`, (planes, cells)."""
    s = states[i]
    encoding.write_planes(s, seat, out)
    is_turn = not dispatch.is_over(s) and dispatch.to_move(s) == seat
    encoding.fill_plane(out, len(out) - 1, np.float32(is_turn))
