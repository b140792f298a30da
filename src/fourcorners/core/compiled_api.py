"""The compiled rules for Python: kernels over an array of records and an index into it.

A kernel works on `states[i]` and trusts its arguments: an index out of range or an illegal action may crash the
process. `Position` and `Match` validate before they call.
"""

import numpy as np

from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Points, Rng, States
from fourcorners.core.jit import deferrable, kernel, rare, read_only


@read_only
@deferrable
@kernel
def bound(states: States, i: int) -> int:
    """Return the length of the buffer that `legal` needs for `states[i]`."""
    return dispatch.bound(states[i])


@read_only
@deferrable
@kernel
def legal(states: States, i: int, out: Actions) -> int:
    """Write the legal actions of a running game into `out`, of length at least `bound`; return their number."""
    return dispatch.legal(states[i], out)


def list_legal(states: States, i: int) -> Actions:
    """Return the legal actions of one record, in the order of the rules, as a new array; the game must not be over."""
    out = np.zeros(bound(states, i), np.int64)
    return out[: legal(states, i, out)]


@deferrable
@kernel
def play(states: States, i: int, action: int) -> None:
    """Play a legal action in place."""
    dispatch.play(states[i], action)


@deferrable
@kernel
def pick(states: States, i: int, rng: Rng) -> int:
    """Return a legal action uniformly at random, and advance `rng`; the game must not be over."""
    return dispatch.pick(states[i], rng)


@read_only
@deferrable
@kernel
def status(states: States, i: int, points: Points) -> int:
    """Write the present points into `points`, (MAX_SEATS,); return the seat to move, or -1 if the game is over."""
    dispatch.points(states[i], points)
    if dispatch.is_over(states[i]):
        return -1
    return dispatch.to_move(states[i])


@deferrable
@kernel
def hide(states: States, i: int, seat: int) -> None:
    """Blank in place everything that a seat, or -1 for a spectator, may not know."""
    dispatch.hide(states[i], seat)


@deferrable
@rare
@kernel
def deal(states: States, i: int, rng: Rng) -> None:
    """Fill the blanks of a hidden record in place with a random possible world, and advance `rng`."""
    dispatch.deal(states[i], rng)


@read_only
@deferrable
@rare
@kernel
def accepts_illegal(states: States, i: int, action: int) -> bool:
    """Return whether the game accepts this illegal action with its consequence, without playing it."""
    return dispatch.accepts_illegal(states[i], action)


@kernel
def perft(states: States, buffer: Actions, depth: int) -> int:
    """Count the sequences of `depth` moves (0 or more) from `states[0]`; return -1 if `buffer` is too short.

    `states` has at least `depth` records; all but the first are scratch. `buffer` is scratch for the legal actions of
    all levels. The walk is depth first with an explicit stack: `buffer[first[level]:end[level]]` are the actions of a
    level that are still to be played. The last level is counted without being played.
    """
    if depth == 0:
        return 1
    first = [0] * (depth + 1)
    end = [0] * (depth + 1)
    level = count = 0
    is_new = True  # whether the actions of the level are still to be listed
    while level >= 0:
        if is_new:
            n = 0
            first[level] = end[level - 1] if level > 0 else 0
            if not dispatch.is_over(states[level]):
                if first[level] + dispatch.bound(states[level]) > len(buffer):
                    return -1
                n = dispatch.legal(states[level], buffer[first[level] :])
            if level == depth - 1:
                count += n
                level -= 1
                is_new = False
                continue
            end[level] = first[level] + n
        is_new = end[level] > first[level]
        if not is_new:
            level -= 1
            continue
        # Actions are taken from the end, so that the rest of the level stays in place.
        end[level] -= 1
        states[level + 1] = states[level]
        dispatch.play(states[level + 1], buffer[end[level]])
        level += 1
    return count
