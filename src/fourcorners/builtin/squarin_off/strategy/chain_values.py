"""The value of the endgame when only chains and loops are left, computed from the last one back to the first.

The functions read the list of chains that `open_all_chains` has written to the record: in the order in which they are
opened, `chain_value` T, `chain_handout` r and `chain_spots`. Margins are points of one party less those of the other.
"""

import numpy as np

from fourcorners.builtin.squarin_off.strategy.endgame_playout import MAX_MARGIN, NO_HANDOUT
from fourcorners.core.arrays import State
from fourcorners.core.jit import jitable_no_alloc


@jitable_no_alloc
def compute_margin(s: State, n: int) -> int:
    """Return the margin of the party that must open the first of `n` chains on the record, without blockers.

    If W is the margin of the party that opens the rest, the other party makes T + W by taking all, or T - 2r - W by
    handing out r and staying in control. The better of the two is T - r + |r + W| (Berlekamp, The Dots and Boxes Game,
    2000). The result is 0 if n is 0.
    """
    margin = 0
    for i in range(n - 1, -1, -1):
        total, handout = np.int64(s.chain_value[i]), np.int64(s.chain_handout[i])
        margin = -(total + margin) if handout == NO_HANDOUT else -(total - handout + abs(handout + margin))
    return margin


@jitable_no_alloc
def compute_margin_with_blockers(s: State, n: int, own: int, others: int) -> int:
    """Return the margin as `compute_margin` does, where a party may lay a blocker instead of opening a chain.
    `own` is the number of blockers, 0 to 6, of the party that must open, `others` that of the other party. A blocker
    needs a spot in the chains that are left. `s.margins` is overwritten.
    """
    width, spots = max(own, others) + 1, 0
    for state in range(width * width):
        s.margins[state] = 0
    for i in range(n - 1, -1, -1):
        total, handout = np.int64(s.chain_value[i]), np.int64(s.chain_handout[i])
        spots += np.int64(s.chain_spots[i])
        # `margins[a * width + b]` is the margin of a party with a blockers that must open the chains after this one,
        # against a party with b.
        for a in range(width):
            for b in range(a, width):
                one, two = np.int64(s.margins[a * width + b]), np.int64(s.margins[b * width + a])
                # The opponent takes all and must open the rest, or stays in control for the chain's controlled value.
                controlled = -MAX_MARGIN if handout == NO_HANDOUT else total - 2 * handout
                s.margins[a * width + b] = -max(total + two, controlled - one)
                s.margins[b * width + a] = -max(total + one, controlled - two)
        if spots == 0:
            continue
        # Laying a blocker leads to a state with one blocker less, so states with fewer blockers come first.
        for together in range(1, 2 * width - 1):
            # The blockers laid before this state, as many as the left side says, may fill all spots of these chains.
            if own + others - together >= spots:
                continue
            for a in range(max(0, together - width + 1), min(width, together + 1)):
                b = together - a
                if a > 0:
                    after_blocker = -np.int64(s.margins[b * width + a - 1])
                    s.margins[a * width + b] = max(np.int64(s.margins[a * width + b]), after_blocker)
    return np.int64(s.margins[own * width + others])


@jitable_no_alloc
def compute_opener_margin(s: State, n: int, opener: int, block_weight: float) -> int:
    """Return the margin of party `opener` (0 or 1), which must open the first of the `n` chains on the record.
    Blockers count unless `block_weight` is 0 or none can be laid; then `s.margins` is overwritten. Only for two
    parties.
    """
    if block_weight == 0.0 or np.int64(s.blocker_moves) == 0:
        return compute_margin(s, n)
    own = 0
    for seat in range(opener, np.int64(s.players), 2):
        own += np.int64(s.blockers[seat])
    return compute_margin_with_blockers(s, n, own, np.int64(s.blockers_left) - own)
