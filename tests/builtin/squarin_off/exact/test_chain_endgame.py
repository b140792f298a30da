"""Positions of independent chains alone, compared with trying every order of opening them."""

import random

import numpy as np

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT, solve_chains

Chain = tuple[int, int]
"""The value T of a chain and its handout r."""


def solve_every_order(chains: tuple[Chain, ...], known: dict[tuple[Chain, ...], int]) -> int:
    """Return the margin of the side that must open one of the chains (T, r), by trying every order; 0 for none.

    `known` is a cache of results by chains, and is filled.
    """
    if not chains:
        return 0
    if chains not in known:
        margins = []
        for i, (total, handout) in enumerate(chains):
            rest = solve_every_order(chains[:i] + chains[i + 1 :], known)
            take_all = total + rest
            margins.append(-(take_all if handout == NO_HANDOUT else max(take_all, total - 2 * handout - rest)))
        known[chains] = max(margins)
    return known[chains]


def test_chains_of_up_to_three_kinds_are_solved_as_by_trying_every_order_and_more_kinds_are_not() -> None:
    rng = random.Random(8)
    unsolved = 0
    known: dict[tuple[Chain, ...], int] = {}
    for _ in range(400):
        kinds = rng.sample([0, 2, 4, 5, 9, NO_HANDOUT], rng.choice((1, 2, 3, 3, 3, 4)))
        handouts = rng.choices(kinds, k=rng.randint(1, 7))
        chains = [(rng.randint(0, 8) + (0 if handout == NO_HANDOUT else handout), handout) for handout in handouts]
        columns = np.array(chains, np.int16)
        is_solved, margin = solve_chains(columns[:, 0], columns[:, 1], len(chains))
        assert is_solved == (len({handout for _, handout in chains}) <= 3)
        unsolved += not is_solved
        assert not is_solved or margin == solve_every_order(tuple(sorted(chains)), known), chains
    # The sample must include chains of four kinds.
    assert unsolved > 5
