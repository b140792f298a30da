"""The computer's knowledge of Squarin' Off without search: move priors, playout moves, and the likely result."""

import numpy as np

from fourcorners.builtin.squarin_off.rules import MAX_SEATS, has_two_parties
from fourcorners.builtin.squarin_off.strategy import greedy_moves
from fourcorners.builtin.squarin_off.strategy.chain_values import compute_opener_margin
from fourcorners.builtin.squarin_off.strategy.endgame_playout import (
    NO_HANDOUT,
    capture_boxes,
    draw_safe_edges,
    open_all_chains,
    pick_edge,
)
from fourcorners.builtin.squarin_off.strategy.priors import rate_actions
from fourcorners.builtin.squarin_off.strategy.scratch_board import GROUND, clear_bits, mark_ground
from fourcorners.core.arrays import Actions, Estimates, Priors, Rng, State, Weights
from fourcorners.core.bits import toss_coin
from fourcorners.core.jit import jitable_no_alloc

# The indices of `weights`, most of them a piece of knowledge. A player with weight 0 does not have it. Between 0 and 1
# the weights SAFE_EDGES, CHEAPEST_CHAIN, HANDOUTS and BLOCKERS are the share of its moves at which `rollout` has it.
SAFE_EDGES = 0
"""It draws edges that give nothing away while there are any."""
CHEAPEST_CHAIN = 1
"""It opens the cheapest chain or loop first."""
HANDOUTS = 2
"""It hands out the last two boxes of a chain, four of a loop, where keeping control is worth more."""
COUNTING = 3
"""It works out how the game ends once no edge is safe, by counting chains and loops."""
BLOCKERS = 4
"""It lays blockers when no edge is safe, and counts them when it works out the end."""
OVERSIGHTS = 5
"""The share of its moves, from 0 to 1, at which it overlooks all captures."""
WEIGHT_COUNT = 6


@jitable_no_alloc
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Write the priors of n actions, as `legal` lists them, to `out`; only BLOCKERS counts. The record is restored."""
    mark_ground(s)
    rate_actions(s, actions, n, weights[BLOCKERS], out)
    clear_bits(s, GROUND)


@jitable_no_alloc
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return the action for a capture or handout, else for a safe edge, a blocker, the cheapest opening, or any edge.
    Each kind but captures and the last is skipped if its entry of `weights`, (WEIGHT_COUNT,), is 0, and captures at the
    share of moves that OVERSIGHTS says. The game must not be over. The record is the same after the call.
    """
    mark_ground(s)
    action = -1
    if not toss_coin(rng, weights[OVERSIGHTS]):
        action = greedy_moves.find_capture(s, toss_coin(rng, weights[HANDOUTS]), weights[BLOCKERS])
    if action < 0 and toss_coin(rng, weights[SAFE_EDGES]):
        action = pick_edge(s, rng, True)
    if action < 0 and toss_coin(rng, weights[BLOCKERS]):
        action = greedy_moves.pick_safe_blocker(s, rng)
    if action < 0 and toss_coin(rng, weights[CHEAPEST_CHAIN]):
        action = greedy_moves.pick_cheapest_opening(s, rng)
    clear_bits(s, GROUND)
    return pick_edge(s, rng, False) if action < 0 else action


@jitable_no_alloc
def foresee(s: State, weights: Weights, rng: Rng, out: Estimates) -> float:
    """Write the points expected at the end into `out` and return 0 if the player can count (weight COUNTING), or else
    return -1.

    Captures are made, safe edges are drawn at random until none is left, and chains and loops are counted out. This
    uses the record up, so the caller must pass a copy; if the result is -1, it and `out` stay as they are. `out` has
    room for MAX_SEATS values.
    """
    if weights[COUNTING] == 0.0:
        return -1.0
    mark_ground(s)
    for seat in range(MAX_SEATS):
        out[seat] = 0
    captured, handout = capture_boxes(s)
    safe = draw_safe_edges(s, rng)
    # Hardly any blocker is left over in a game, because giving a box away with one costs little. If only blockers that
    # give nothing away counted, the lack of room would decide nearly every playout, always for the same seat.
    chains = open_all_chains(s, True)
    if has_two_parties(s):
        _foresee_two_parties(s, weights, captured, handout if safe == 0 else NO_HANDOUT, safe, chains, out)
    else:
        _foresee_more_parties(s, captured, safe, chains, out)
    # From points by party to points by seat; downwards, because the entries of the parties are the first ones.
    party_mask = np.int64(s.party_mask)
    for seat in range(MAX_SEATS - 1, -1, -1):
        out[seat] = out[seat & party_mask] + s.points[seat & party_mask]
    return 0.0


@jitable_no_alloc
def _foresee_two_parties(
    s: State, weights: Weights, captured: int, handout: int, safe: int, chains: int, out: Estimates
) -> None:
    """Write the gains of two parties until the end to `out[0]` and `out[1]`.

    The mover has captured `captured` points, of which it could have handed out `handout` (or NO_HANDOUT); then `safe`
    safe edges were drawn, and `chains` chains are on the record. Without the weight HANDOUTS their handouts are
    overwritten.
    """
    mover = np.int64(s.turn) & 1
    opener = (mover + safe) & 1
    if weights[HANDOUTS] == 0.0:
        handout = NO_HANDOUT
        for i in range(chains):
            s.chain_handout[i] = NO_HANDOUT
    margin = compute_opener_margin(s, chains, opener, weights[BLOCKERS])
    if opener != mover:
        margin = -margin
    # T - r + |r + W|: see `compute_margin`.
    margin = captured + margin if handout == NO_HANDOUT else captured - handout + abs(handout + margin)
    total = captured
    for i in range(chains):
        total += np.int64(s.chain_value[i])
    out[mover] = (total + margin) // 2
    out[1 - mover] = total - out[mover]


@jitable_no_alloc
def _foresee_more_parties(s: State, captured: int, safe: int, chains: int, out: Estimates) -> None:
    """Add to `out`, zero before, each seat's gain if it captures the chain that the seat before it must open.

    The mover has captured `captured` points, then `safe` safe edges were drawn, and `chains` chains are on the record.
    """
    seat = np.int64(s.turn)
    out[seat] = captured
    seat += safe
    for i in range(chains):
        seat += 1
        out[seat % np.int64(s.players)] += np.int64(s.chain_value[i])
