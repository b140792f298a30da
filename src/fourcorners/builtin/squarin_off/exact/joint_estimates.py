"""The expected value of a node of joints, at the horizon of a depth-limited search (see `expectation.py`)."""

import numpy as np

from fourcorners.builtin.squarin_off.exact.expectation import MOST_SAFE, weigh_count, weigh_long_chain
from fourcorners.builtin.squarin_off.exact.joint_graph import CHAIN, SIZE, add_component, cut_path, solve_components
from fourcorners.core.arrays import State, States
from fourcorners.core.bits import ONE, ZERO, lowest_bit
from fourcorners.core.jit import jitable
from fourcorners.solvers.margin_protocol import Work


@jitable
def estimate(board: State, node: State, work: Work) -> int:
    """Return the expected value of a node, in UNIT to a point."""
    safe, counted = count_out(board, node, work.nodes, MOST_SAFE)
    # Chains of one or two coins leave no handout.
    single_moves = np.int64(node.counts[CHAIN, 1]) + np.int64(node.counts[CHAIN, 2])
    return weigh_count(board, node, np.uint64(single_moves), safe, counted, _weigh_long_chains(node), work)


@jitable
def _weigh_long_chains(node: State) -> int:
    """Return the sum of `weigh_long_chain` over the chains and paths of a node."""
    weight, paths, lengths = 0, node.open, node.lengths[CHAIN]
    while paths != ZERO:
        weight += weigh_long_chain(np.int64(node.length[lowest_bit(paths)]))
        paths = paths & (paths - ONE)
    while lengths != ZERO:
        length = lowest_bit(lengths)
        lengths = lengths & (lengths - ONE)
        weight += np.int64(node.counts[CHAIN, length]) * weigh_long_chain(length)
    return weight


@jitable
def count_plies_to_estimates(board: State, node: State, work: Work) -> int:
    """Return the number of safe strings to cut until Nimstring can be searched; 0 if there are captures to decide
    about.
    """
    if node.capturable > 0:
        return 0
    safe, _ = count_out(board, node, work.nodes, SIZE)
    return max(0, safe - MOST_SAFE)


@jitable
def count_out(board: State, node: State, scratch: States, most: int) -> tuple[int, int]:
    """Return the number of safe strings that the parties cut in some order, and the mover's margin if chains then
    decide.

    With more than `most` safe strings, return most + 1 and 0. The first of the records of `scratch` is overwritten. The
    node's captures are ignored.
    """
    scratch[0] = node
    rest, safe = scratch[0], 0
    while rest.safe != ZERO:
        safe += 1
        if safe > most:
            return safe, 0
        cut_path(board, rest, lowest_bit(rest.safe))
    while rest.open != ZERO:
        # Open the shortest path as if it were an independent chain.
        shortest, least, paths = -1, SIZE, rest.open
        while paths != ZERO:
            path = lowest_bit(paths)
            paths = paths & (paths - ONE)
            if np.int64(rest.length[path]) < least:
                shortest, least = path, np.int64(rest.length[path])
        add_component(rest, CHAIN, cut_path(board, rest, shortest))
    value = solve_components(board, rest)
    return safe, -value if safe & 1 else value
