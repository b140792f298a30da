"""Compiled work over many records at once: random games, random moves, and steps with the legal actions after them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.bits import Rng
from fourcorners.core.dispatch import Actions, Points, States, Weights
from fourcorners.core.jit import kernel_no_alloc

Flags = NDArray[np.uint8]


@kernel_no_alloc
def run_playouts(roots: States, work: States, points: Points, count: int, rng: Rng) -> int:
    """Play `count` random games from `roots[0]`; return the number of plies. `points` are those of the last game."""
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
def choose_rollout_action(roots: States, work: States, weights: Weights, rng: Rng) -> int:
    """Return what who knows so much plays in `roots[0]` without looking ahead, in a world that fits what it knows."""
    work[0] = roots[0]
    s = work[0]
    dispatch.deal(s, rng)
    return dispatch.rollout(s, weights, rng)


@kernel_no_alloc
def pick_batch(states: States, actions: Actions, rng: Rng) -> None:
    """Draw a random legal action for every record; none of their games may be over."""
    for i in range(len(states)):
        actions[i] = dispatch.pick(states[i], rng)


@kernel_no_alloc
def step_batch(states: States, starts: States, actions: Actions, over: Flags, points: NDArray[np.int64]) -> int:
    """Play an action in every record and note its points; a game that is over starts anew from `starts[0]`.

    Return how many were over; `over` tells which, and `points` has a row for every record.
    """
    finished = 0
    for i in range(len(states)):
        s = states[i]
        dispatch.play(s, actions[i])
        dispatch.points(s, points[i])
        over[i] = 0
        if dispatch.is_over(s):
            over[i] = 1
            finished += 1
            states[i] = starts[0]
    return finished


@kernel_no_alloc
def legal_batch(states: States, legal: NDArray[np.int64], counts: Actions) -> int:
    """List the legal actions of every record in its row of `legal`; return the longest row a record needs.

    A record whose actions might not fit into its row has the count -1.
    """
    longest = 0
    for i in range(len(states)):
        wanted = dispatch.bound(states[i])
        longest = max(longest, wanted)
        counts[i] = -1
        if wanted <= legal.shape[1]:
            counts[i] = dispatch.legal(states[i], legal[i])
    return longest


@kernel_no_alloc
def mask_batch(states: States, masks: NDArray[np.uint8], actions: Actions) -> int:
    """Mark the legal actions of every record in its row of `masks`; return how many were too great a code for a row."""
    beyond = 0
    for i in range(len(states)):
        masks[i, :] = 0
        for k in range(dispatch.legal(states[i], actions)):
            if actions[k] < masks.shape[1]:
                masks[i, actions[k]] = 1
            else:
                beyond += 1
    return beyond
