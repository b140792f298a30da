"""Compiled random games."""

from fourcorners.core import dispatch
from fourcorners.core.arrays import Points, Rng, States
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
