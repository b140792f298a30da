"""Alpha-beta for two parties, in steps over arrays: principal variation search with a table of positions.

Only the first move of a node is searched with the whole window, the others with one that asks whether they are better
(Marsland and Campbell, 1982). Values are what the party to move is expected to lead by at the end, in hundredths of a
point. A value in which no estimate takes part is proven, and so is kept for every depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.dispatch import Actions, Estimates, Priors, State, States, Weights
from fourcorners.core.hashing import hash_record
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc

UNIT = 100
"""One point, as values count."""
WIDEST = 1 << 40
FRAME = np.dtype(
    [
        ("alpha", np.int64),
        ("beta", np.int64),
        ("below", np.int64),  # alpha as it was in the beginning
        ("best", np.int64),
        ("action", np.int64),  # the best one so far
        ("first", np.int64),  # its actions in the buffer
        ("end", np.int64),
        ("cursor", np.int64),
        ("depth", np.int64),  # plies that are left to the horizon
        ("party", np.int64),  # to move
        ("sign", np.int64),  # -1 if the child searched now belongs to the other party
        ("narrow", np.int64),  # whether that child is searched with the narrow window
        ("proven", np.int64),  # whether no estimate takes part in what was found
        ("one", np.uint64),  # the two words of its key
        ("two", np.uint64),
    ]
)
Frames = NDArray[np.void]
ENTRY = np.dtype(
    [("key", np.uint64), ("value", np.int64), ("action", np.int64), ("depth", np.int32), ("bound", np.int32)]
)
Entries = NDArray[np.void]
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
ALWAYS = 1 << 20
"""The depth of an entry that is proven."""

Heads = NDArray[np.int64]
TOP, NODES, VALUE, PROVEN, WANTED = range(5)
"""Words of the book-keeping: the frame on top, which is yet to be entered; nodes so far; when done, the value and
whether it is proven; what length the buffer of actions must have."""
HEADS = 5
DONE, PAUSED, SHORT = 0, 1, 2
_HISTORY = 0.5
"""How much having cut off elsewhere counts when moves are ordered, beside the game's `prior`."""
_ORDERED = 1e6


def ask(frames: Frames, heads: Heads, alpha: int, beta: int, depth: int) -> None:
    """Put a question on the empty stack: the value of `states[0]` within a window, so many plies deep."""
    frames[0] = 0
    frames[0]["alpha"], frames[0]["beta"], frames[0]["depth"] = alpha, beta, depth
    heads[TOP] = 0


@kernel_no_alloc
def think(
    states: States,
    frames: Frames,
    entries: Entries,
    actions: Actions,
    worths: Priors,
    history: Priors,
    weights: Weights,
    estimates: Estimates,
    parties: Actions,
    heads: Heads,
    budget: int,
) -> int:
    """Go on with the question on the stack for so many nodes; tell whether it is answered (`heads` say the answer).

    `states` and `frames` are as many, `entries` and `history` powers of two; `worths` is as long as `actions`;
    `estimates` has room for every seat; `parties` names the party of every seat, 0 or 1, and then a seat of either.
    """
    top = np.int64(heads[TOP])
    returning = False
    value, proven = np.int64(0), np.int64(0)
    left = budget
    while True:
        frame: Any = frames[top]
        s = states[top]
        if returning:
            finished = _take(frame, actions, history, value, proven)
        else:
            if left == 0:
                heads[TOP] = top
                return PAUSED
            left -= 1
            heads[NODES] += 1
            outcome = _enter(s, frame, top, frames, entries, actions, worths, history, weights, estimates, parties)
            if outcome == SHORT:
                heads[NODES] -= 1
                heads[WANTED] = frame.first + dispatch.bound(s)
                heads[TOP] = top
                return SHORT
            finished = outcome == DONE
        if finished:
            if returning:
                _keep(entries, frame)
            value, proven = np.int64(frame.best), np.int64(frame.proven)
            if top == 0:
                heads[VALUE], heads[PROVEN] = value, proven
                return DONE
            top -= 1
            returning = True
        else:
            _descend(states, frames, top, actions, parties)
            top += 1
            returning = False


@jitable_no_alloc
def _lead(estimates: Estimates, parties: Actions, party: int) -> int:
    """Return by how much a party is expected to lead."""
    n = len(parties)
    lead = estimates[parties[n - 2]] - estimates[parties[n - 1]]
    return np.int64(round(UNIT * (lead if party == 0 else -lead)))


@jitable_no_alloc
def _enter(
    s: State,
    frame: Any,
    top: int,
    frames: Frames,
    entries: Entries,
    actions: Actions,
    worths: Priors,
    history: Priors,
    weights: Weights,
    estimates: Estimates,
    parties: Actions,
) -> int:
    """Begin a node: DONE if its value is known at once, SHORT without room for its moves, else PAUSED."""
    if dispatch.is_over(s):
        dispatch.points(s, estimates)
        frame.best = _lead(estimates, parties, np.int64(frame.party))
        frame.proven = 1
        return DONE
    frame.party = parties[dispatch.to_move(s)]
    one, two = hash_record(s)
    frame.one, frame.two = one, two
    entry: Any = entries[np.int64(one & np.uint64(len(entries) - 1))]
    hint = np.int64(-1)
    if entry.key == two:
        hint = np.int64(entry.action)
        if top > 0 and _answers(entry, frame):
            frame.best = entry.value
            frame.proven = np.int64(entry.depth == ALWAYS)
            return DONE
    if frame.depth <= 0 or top == len(frames) - 1:
        dispatch.evaluate(s, weights, estimates)
        frame.best = _lead(estimates, parties, np.int64(frame.party))
        frame.proven = 0
        return DONE
    first = np.int64(frame.first)
    if first + dispatch.bound(s) > len(actions):
        return SHORT
    n = dispatch.legal(s, actions[first:])
    _order(s, actions[first:], worths[first:], n, weights, history, hint)
    frame.end = first + n
    frame.cursor = first
    frame.below = frame.alpha
    frame.best = -WIDEST
    frame.action = actions[first]
    frame.proven = 1
    return PAUSED


@jitable_no_alloc
def _answers(entry: Any, frame: Any) -> bool:
    """Tell whether what is kept of a position is enough for the window."""
    if entry.depth < frame.depth:
        return False
    if entry.bound == EXACT:
        return True
    return bool(entry.value >= frame.beta) if entry.bound == AT_LEAST else bool(entry.value <= frame.alpha)


@jitable_no_alloc
def _order(s: State, actions: Actions, worths: Priors, n: int, weights: Weights, history: Priors, hint: int) -> None:
    """Put the promising actions first: the one that was best before, then by the game's prior and what cut off."""
    if len(weights) > 0:
        dispatch.prior(s, actions, n, weights, worths)
    else:
        for i in range(n):
            worths[i] = 0.0
    mask = len(history) - 1
    for i in range(n):
        action = actions[i]
        worth = worths[i] + _HISTORY * history[action & mask]
        if action == hint:
            worth = _ORDERED
        k = i
        while k > 0 and worths[k - 1] < worth:
            worths[k] = worths[k - 1]
            actions[k] = actions[k - 1]
            k -= 1
        worths[k] = worth
        actions[k] = action


@jitable_no_alloc
def _take(frame: Any, actions: Actions, history: Priors, value: int, proven: int) -> bool:
    """Take what a child came to; tell whether the node is finished."""
    found = np.int64(frame.sign) * value
    if frame.narrow != 0 and frame.alpha < found < frame.beta:
        frame.narrow = 0
        return False
    frame.proven = np.int64(frame.proven) & proven
    if found > frame.best:
        frame.best = found
        frame.action = actions[frame.cursor]
    frame.alpha = max(np.int64(frame.alpha), found)
    if found >= frame.beta:
        frame.proven = proven
        place = np.int64(actions[frame.cursor]) & (len(history) - 1)
        # Cut-offs of late are the ones that count.
        history[place] += (1.0 - history[place]) * 0.1
        return True
    place = np.int64(actions[frame.cursor]) & (len(history) - 1)
    history[place] *= 0.98
    frame.cursor = np.int64(frame.cursor) + 1
    frame.narrow = 1
    return bool(frame.cursor == frame.end)


@jitable_no_alloc
def _descend(states: States, frames: Frames, top: int, actions: Actions, parties: Actions) -> None:
    """Make the frame of the child at the cursor."""
    frame: Any = frames[top]
    child: Any = frames[top + 1]
    states[top + 1] = states[top]
    after = states[top + 1]
    dispatch.play(after, actions[frame.cursor])
    party = np.int64(frame.party)
    if not dispatch.is_over(after):
        party = parties[dispatch.to_move(after)]
    frame.sign = 1 if party == frame.party else -1
    low, high = np.int64(frame.alpha), np.int64(frame.beta)
    if frame.narrow != 0:
        high = low + 1
    child.alpha, child.beta = (low, high) if frame.sign == 1 else (-high, -low)
    # A forced move costs no depth.
    child.depth = np.int64(frame.depth) - np.int64(frame.end - frame.first > 1)
    child.first = frame.end
    child.party = party
    child.narrow = 0


@jitable_no_alloc
def _keep(entries: Entries, frame: Any) -> None:
    """Put down what is known of a node now, unless more is known of another."""
    entry: Any = entries[np.int64(frame.one & np.uint64(len(entries) - 1))]
    depth = ALWAYS if frame.proven != 0 else np.int64(frame.depth)
    if entry.depth == ALWAYS and depth < ALWAYS and entry.key != frame.two:
        return
    entry.key = frame.two
    entry.value = frame.best
    entry.action = frame.action
    entry.depth = depth
    if frame.best >= frame.beta:
        entry.bound = AT_LEAST
    elif frame.best <= frame.below:
        entry.bound = AT_MOST
    else:
        entry.bound = EXACT


@kernel_no_alloc
def remembered(states: States, entries: Entries) -> int:
    """Return the best action that the table has for `states[0]`, -1 if it has none."""
    one, two = hash_record(states[0])
    entry: Any = entries[np.int64(one & np.uint64(len(entries) - 1))]
    return np.int64(entry.action) if entry.key == two and entry.bound != AT_MOST else -1
