"""Resumable depth-limited alpha-beta for two parties: principal variation search with a transposition table.

The first move of a node is searched with the full window, the others with a null window that asks whether they are
better (Marsland and Campbell 1982). A value is the lead that the party to move is expected to have at the end, in
hundredths of a point. A value that no estimate contributes to is proven, and valid at every depth.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Estimates, Priors, State, States, Weights
from fourcorners.core.hashing import hash_record
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.search.mcts import write_priors

POINT = 100  # the value of one point
INFINITY = 1 << 40
FRAME = np.dtype(
    [
        ("alpha", np.int64),
        ("beta", np.int64),
        ("first_alpha", np.int64),  # alpha when the node was entered
        ("best", np.int64),
        ("action", np.int64),  # the best action so far
        ("first", np.int64),  # where the node's actions begin in the buffer
        ("end", np.int64),
        ("cursor", np.int64),  # the action that is searched now
        ("depth", np.int64),  # plies left to the horizon
        ("party", np.int64),  # the party to move
        ("sign", np.int64),  # -1 if the other party moves at the child that is searched now
        ("null_window", np.int64),  # 1 if that child is searched with a null window
        ("proven", np.int64),  # 1 if no estimate contributed to `best`
        ("key", np.uint64),  # the two words of the record's hash
        ("check", np.uint64),
    ]
)
Frames = NDArray[np.void]
ENTRY = np.dtype(
    [("check", np.uint64), ("value", np.int64), ("action", np.int64), ("depth", np.int32), ("bound", np.int32)]
)
Entries = NDArray[np.void]
"""(E,) of ENTRY: the second word of the record's hash, its value (by `bound`: EXACT or a bound) and best action, and
how deep it was searched. An entry is found by the first word of the hash; an empty one is all 0."""
EXACT, LOWER_BOUND, UPPER_BOUND = 0, 1, 2
PROVEN_DEPTH = 1 << 20  # the depth of an entry whose value is proven

TOP, NODES, VALUE, PROVEN, NEEDED_LENGTH, CONTROL_WORDS = range(6)  # words of `Stack.control`, and how many there are
DONE, PAUSED, NO_ROOM = 0, 1, 2
_HISTORY_WEIGHT = 0.5  # how much earlier cut-offs count in move ordering, next to the game's `prior`
_FIRST = 1e6  # above all other scores in move ordering


class Stack(NamedTuple):
    """The line of play that is being searched, with room for D levels and A legal actions in all.

    - `states`: (D,) of the game's dtype; `states[0]` is the root.
    - `frames`: (D,) of `FRAME`.
    - `actions`, `priors`: (A,) int64 and float64, the ordered legal actions of all levels.
    - `control`: (5,) int64. TOP is the level to enter next, NODES counts nodes. Once DONE, VALUE is the root's value,
      and PROVEN 1 or 0. After NO_ROOM, NEEDED_LENGTH is the length that `actions` and `priors` must have.
    """

    states: States
    frames: Frames
    actions: Actions
    priors: Priors
    control: NDArray[np.int64]


class Memory(NamedTuple):
    """What the search remembers of other lines of play.

    - `entries`: (E,), the transposition table; E is a power of two.
    - `history`: (H,) float64, how often an action cut off lately, 0 to 1; H is a power of two.
    """

    entries: Entries
    history: Priors


class Evaluation(NamedTuple):
    """How moves are ordered and leaves evaluated: by the points as they stand.

    - `weights`: (k,) float64, the game's knowledge for `prior`. k is the game's number of weights, or 0: no priors. Not
      checked.
    - `estimates`: (MAX_SEATS,) float64, work space.
    - `parties`: (seats + 2,) int64, the party (0 or 1) of every seat, then a seat of party 0 and one of party 1.
    """

    weights: Weights
    estimates: Estimates
    parties: Actions


def start(stack: Stack, alpha: int, beta: int, depth: int) -> None:
    """Begin a search of `stack.states[0]`, `depth` plies deep, with a window in hundredths of a point; keep NODES."""
    stack.frames[0] = 0
    stack.frames[0]["alpha"], stack.frames[0]["beta"], stack.frames[0]["depth"] = alpha, beta, depth
    stack.control[TOP] = 0


@kernel_no_alloc
def advance(stack: Stack, memory: Memory, evaluation: Evaluation, nodes: int) -> int:
    """Continue a search for up to `nodes` nodes (0 or more); return DONE, PAUSED, or NO_ROOM if `actions` is too short.

    After PAUSED, or after NO_ROOM with longer arrays, call it again. When DONE, `frames[0].action` is the best action.
    A value of the window's alpha or less is an upper bound, and then no action is known to be best; one of its beta or
    more is a lower bound. `memory` and `evaluation.estimates` change.
    """
    frames, control = stack.frames, stack.control
    top, left, finished = np.int64(control[TOP]), nodes, False
    value, proven = np.int64(0), np.int64(0)
    while True:
        frame: Any = frames[top]
        returning = finished  # whether the child of this node has just been finished
        if returning:
            finished = _use_child_value(frame, stack.actions, memory.history, value, proven)
        else:
            if left == 0:
                control[TOP] = top
                return PAUSED
            outcome = _enter_node(stack, memory, evaluation, top)
            if outcome == NO_ROOM:
                control[TOP], control[NEEDED_LENGTH] = top, frame.first + dispatch.bound(stack.states[top])
                return NO_ROOM
            left -= 1
            control[NODES] += 1
            finished = outcome == DONE
        if not finished:
            _descend_to_child(stack, top, evaluation.parties)
            top += 1
            continue
        if returning:
            _store_result(memory.entries, frame)
        value, proven = np.int64(frame.best), np.int64(frame.proven)
        if top == 0:
            control[VALUE], control[PROVEN] = value, proven
            return DONE
        top -= 1


@jitable_no_alloc
def _get_lead(evaluation: Evaluation, party: int) -> int:
    """Return the lead of a party (0 or 1) by `evaluation.estimates`, in hundredths of a point."""
    estimates, parties = evaluation.estimates, evaluation.parties
    lead = estimates[parties[len(parties) - 2]] - estimates[parties[len(parties) - 1]]
    return np.int64(round(POINT * (lead if party == 0 else -lead)))


@jitable_no_alloc
def _enter_node(stack: Stack, memory: Memory, evaluation: Evaluation, top: int) -> int:
    """Begin the node at level `top`; return DONE if the frame has its value at once, without a search of children. Else
    return PAUSED, with its ordered actions listed, or NO_ROOM, to be entered again, if these might not fit.
    """
    s: State = stack.states[top]
    frame: Any = stack.frames[top]
    if dispatch.is_over(s):
        dispatch.points(s, evaluation.estimates)
        frame.best, frame.proven = _get_lead(evaluation, np.int64(frame.party)), 1
        return DONE
    frame.party = evaluation.parties[dispatch.to_move(s)]
    key, check = hash_record(s)
    frame.key, frame.check = key, check
    entries = memory.entries
    entry: Any = entries[np.int64(key & np.uint64(len(entries) - 1))]
    hash_move = np.int64(-1)
    if entry.check == check:
        hash_move = np.int64(entry.action)
        if top > 0 and _is_sufficient(entry, frame):
            frame.best, frame.proven = entry.value, np.int64(entry.depth == PROVEN_DEPTH)
            return DONE
    if frame.depth <= 0 or top == len(stack.frames) - 1:
        dispatch.points(s, evaluation.estimates)
        frame.best, frame.proven = _get_lead(evaluation, np.int64(frame.party)), 0
        return DONE
    actions = stack.actions
    first = np.int64(frame.first)
    if first + dispatch.bound(s) > len(actions):
        return NO_ROOM
    n = dispatch.legal(s, actions[first:])
    _order_actions(s, actions[first:], stack.priors[first:], n, evaluation.weights, memory.history, hash_move)
    frame.cursor, frame.end = first, first + n
    frame.first_alpha, frame.best = frame.alpha, -INFINITY
    frame.action, frame.proven = actions[first], 1
    return PAUSED


@jitable_no_alloc
def _is_sufficient(entry: Any, frame: Any) -> bool:
    """Return whether a table entry is deep enough and its bound decides the node within the frame's window."""
    if entry.depth < frame.depth:
        return False
    if entry.bound == EXACT:
        return True
    return bool(entry.value >= frame.beta) if entry.bound == LOWER_BOUND else bool(entry.value <= frame.alpha)


@jitable_no_alloc
def _order_actions(
    s: State, actions: Actions, priors: Priors, n: int, weights: Weights, history: Priors, hash_move: int
) -> None:
    """Sort the first n actions in place: `hash_move` (-1: none), then by prior plus history; `priors` become scores."""
    write_priors(s, actions, n, weights, priors)
    mask = len(history) - 1
    for i in range(n):
        action = actions[i]
        score = _FIRST if action == hash_move else priors[i] + _HISTORY_WEIGHT * history[action & mask]
        k = i
        while k > 0 and priors[k - 1] < score:
            priors[k] = priors[k - 1]
            actions[k] = actions[k - 1]
            k -= 1
        priors[k] = score
        actions[k] = action


@jitable_no_alloc
def _use_child_value(frame: Any, actions: Actions, history: Priors, value: int, proven: int) -> bool:
    """Update a frame, and the history, with the value of the child at its cursor; return whether the node is finished.

    `value` is for the party to move at the child; `proven` is 1 if no estimate contributed to it. If not finished, the
    cursor is at the child to search next, which may be the same one with the full window.
    """
    found = np.int64(frame.sign) * value
    if frame.null_window != 0 and frame.alpha < found < frame.beta:
        # The null window says only that the child is better: search it again with the full window.
        frame.null_window = 0
        return False
    frame.proven = np.int64(frame.proven) & proven
    if found > frame.best:
        frame.best, frame.action = found, actions[frame.cursor]
    frame.alpha = max(np.int64(frame.alpha), found)
    slot = np.int64(actions[frame.cursor]) & (len(history) - 1)
    if found >= frame.beta:
        frame.proven = proven
        # A moving average: recent cut-offs count most, and below every try without one costs 2 per cent.
        history[slot] += (1.0 - history[slot]) * 0.1
        return True
    history[slot] *= 0.98
    frame.cursor, frame.null_window = np.int64(frame.cursor) + 1, 1
    return bool(frame.cursor == frame.end)


@jitable_no_alloc
def _descend_to_child(stack: Stack, top: int, parties: Actions) -> None:
    """Play the action at the cursor of level `top`, not the last, and set up the child; `parties` is Evaluation's."""
    frame: Any = stack.frames[top]
    child: Any = stack.frames[top + 1]
    stack.states[top + 1] = stack.states[top]
    after = stack.states[top + 1]
    dispatch.play(after, stack.actions[frame.cursor])
    party = np.int64(frame.party) if dispatch.is_over(after) else parties[dispatch.to_move(after)]
    frame.sign = 1 if party == frame.party else -1
    low = np.int64(frame.alpha)
    high = low + 1 if frame.null_window != 0 else np.int64(frame.beta)
    child.alpha, child.beta = (low, high) if frame.sign == 1 else (-high, -low)
    # A forced move costs no depth.
    child.depth = np.int64(frame.depth) - np.int64(frame.end - frame.first > 1)
    child.first, child.party, child.null_window = frame.end, party, 0


@jitable_no_alloc
def _store_result(entries: Entries, frame: Any) -> None:
    """Store the result of a node, unless it is unproven and the slot holds a proven value of another position."""
    entry: Any = entries[np.int64(frame.key & np.uint64(len(entries) - 1))]
    depth = PROVEN_DEPTH if frame.proven != 0 else np.int64(frame.depth)
    if entry.depth == PROVEN_DEPTH and depth < PROVEN_DEPTH and entry.check != frame.check:
        return
    entry.check, entry.depth = frame.check, depth
    entry.value, entry.action = frame.best, frame.action
    if frame.best >= frame.beta:
        entry.bound = LOWER_BOUND
    elif frame.best <= frame.first_alpha:
        entry.bound = UPPER_BOUND
    else:
        entry.bound = EXACT
