"""Compiled playouts: random games, and the move of a player who does not look ahead."""

from fourcorners.core import dispatch
from fourcorners.core.bits import Rng
from fourcorners.core.dispatch import Points, States, Weights
from fourcorners.core.jit import deferrable, kernel_no_alloc, rare


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


@deferrable
@rare
@kernel_no_alloc
def choose_rollout_action(roots: States, work: States, weights: Weights, rng: Rng) -> int:
    """Return the action of the game's `rollout` in `roots[0]`; what the record hides is dealt at random first.

    The game must not be over. `work` is scratch, (1,) or longer, of the same dtype.
    """
    work[0] = roots[0]
    s = work[0]
    dispatch.deal(s, rng)
    return dispatch.rollout(s, weights, rng)
