"""The move of a player that does not look ahead."""

from fourcorners.core import dispatch
from fourcorners.core.arrays import Rng, States, Weights
from fourcorners.core.jit import deferrable, kernel_no_alloc, rare


@deferrable
@rare
@kernel_no_alloc
def choose_rollout_action(roots: States, work: States, weights: Weights, rng: Rng) -> int:
    """Return the action of the game's `rollout` in `roots[0]`, after dealing hidden information at random.

    The game must not be over. `work` is scratch, (1,) or longer, of the same dtype.
    """
    work[0] = roots[0]
    s = work[0]
    dispatch.deal(s, rng)
    return dispatch.rollout(s, weights, rng)
