"""Compiled random games, and steps over many records at once: random actions, moves, lists or masks of legal ones."""

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Points, Rng, States
from fourcorners.core.jit import kernel_no_alloc


@kernel_no_alloc
def run_playouts(roots: States, work: States, points: Points, count: int, rng: Rng) -> int:
    """Play `count` random games from `roots[0]`; return the plies of all together, and write the points of the last.

    `points` is (MAX_SEATS,). `work` is scratch, (1,) or longer, of the dtype of `roots`, where nothing may be hidden.
    """
    s = work[0]
    plies = 0
    for _ in range(count):
        work[0] = roots[0]
        while not dispatch.is_over(s):
            dispatch.play(s, dispatch.pick(s, rng))
            plies += 1
        dispatch.points(s, points)
    return plies


@kernel_no_alloc
def pick_actions(states: States, actions: Actions, rng: Rng) -> None:
    """Write a random legal action of each of n records into `actions`, (n,). None of the games may be over."""
    for i in range(len(states)):
        actions[i] = dispatch.pick(states[i], rng)


@kernel_no_alloc
def play_actions(
    states: States, starts: States, actions: Actions, over: NDArray[np.uint8], points: NDArray[np.int64]
) -> int:
    """Play a legal action in each of n records, in place; return how many games ended.

    `actions` is (n,). `over`, (n,), is set to 1 where a game ended, and its record to `starts[0]`, else to 0. `points`,
    (n, MAX_SEATS), receives the points after the action.
    """
    finished = 0
    for i in range(len(states)):
        s = states[i]
        dispatch.play(s, actions[i])
        dispatch.points(s, points[i])
        over[i] = dispatch.is_over(s)
        if over[i]:
            finished += 1
            states[i] = starts[0]
    return finished


@kernel_no_alloc
def list_legal(states: States, legal: NDArray[np.int64], counts: Actions) -> int:
    """Write the legal actions of each of n records into its row of `legal`, (n, width); return the width needed.

    `counts`, (n,), receives the number of actions in each row, or -1 where they might not fit. No game may be over.
    """
    longest = 0
    for i in range(len(states)):
        needed = dispatch.bound(states[i])
        longest = max(longest, needed)
        counts[i] = -1
        if needed <= legal.shape[1]:
            counts[i] = dispatch.legal(states[i], legal[i])
    return longest


@kernel_no_alloc
def mask_legal(states: States, masks: NDArray[np.uint8], actions: Actions) -> int:
    """Set `masks[i, action]` to 1 for the legal actions of record i, else 0; return how many codes are beyond a row.

    `masks` is (n, width); `actions` is scratch, at least as long as the largest `bound`. No game may be over.
    """
    beyond = 0
    for i in range(len(states)):
        masks[i, :] = 0
        for k in range(dispatch.legal(states[i], actions)):
            if actions[k] < masks.shape[1]:
                masks[i, actions[k]] = 1
            else:
                beyond += 1
    return beyond
