"""What a player of Square Off knows at first sight, by the weights that say how much of it counts."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ZERO, Rng, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.dispatch import Actions, Points, Priors, State, Weights
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.games.square_off.rules import RIGHT, SWAP, left, points, swap_open
from fourcorners.games.square_off.strategy.square_counts import Census, at, census
from fourcorners.games.square_off.strategy.square_potential import (
    completing,
    fresh,
    glance,
    holds,
    squares_through,
    words_of,
)

# What each weight is for; one that is 0 means not to see it.
TAKES = 0  # a man newly marked by completing squares
BLOCKS = 1  # a man whom the opponent would mark there
PAIRS, THEIR_PAIRS = 2, 3  # a square with two men of one colour only
SINGLES, THEIR_SINGLES = 4, 5  # with one
EMPTY = 6  # a square without men
FORKS = 7  # playouts, and who does not look ahead: two threats at once
USEFUL = 8  # likewise: cells on squares that can still be completed, before others
WEIGHS = 9  # who does not look ahead weighs all cells by the weights above
SETTLES = 10  # a playout ends when no square can be completed any more
RIGHTS = 11  # the symmetry right, before what its cells are worth
SWAPS = 12  # from which part of the squares through a good cell on the first man is taken over
NOISE = 13  # who weighs adds so much luck at most
NUMBER = 14

_EARLY = 0.4  # the part of the board without which there is always a square to complete
_ONE = np.uint64(1)
_STEPS = 1 << 20


@jitable_no_alloc
def worth(
    s: State, colour: int, cell: int, found: Census, takes: np.uint64, blocks: np.uint64, weights: Weights
) -> float:
    """Return what a cell is worth to a colour."""
    place = np.uint64(cell & 63)
    done = 0.0
    if holds(takes, cell):
        done += weights[TAKES] * fresh(s, colour, cell)
    if holds(blocks, cell):
        done += weights[BLOCKS] * fresh(s, 1 - colour, cell)
    return (
        done
        + weights[EMPTY] * at(found[0], place)
        + weights[SINGLES] * at(found[1], place)
        + weights[PAIRS] * at(found[2], place)
        + weights[THEIR_SINGLES] * at(found[3], place)
        + weights[THEIR_PAIRS] * at(found[4], place)
    )


def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Weigh what a man takes, blocks and keeps open, in units of the weights."""
    colour = np.int64(s.placed) & 1
    cells = left(s)
    i = 0
    for word in range(words_of(s)):
        takes, blocks = completing(s, colour, word)
        found = census(s, colour, word)
        while i < cells and actions[i] >> 6 == word:
            cell = actions[i]
            out[i] = worth(s, colour, cell, found, takes, blocks, weights)
            i += 1
    if weights[SWAPS] > 0.0 and s.placed == 0 and s.may_swap != 0:
        for i in range(cells):
            through = squares_through(s, actions[i])
            out[i] = 0.0 if through >= weights[SWAPS] * _good(s) else np.float64(through)
    best = 0.0
    for i in range(cells):
        best = max(best, out[i])
    for i in range(cells, n):
        if actions[i] != SWAP:
            out[i] = weights[RIGHTS] - out[i - cells]
        elif weights[SWAPS] > 0.0 and _is_worth_taking(s, weights):
            out[i] = best + 1.0
        else:
            out[i] = 0.0


def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Take what is worth most, block what is, else play where something can still come of it."""
    if swap_open(s) and _swaps(s, weights, rng):
        return SWAP
    if s.last >= 0 and weights[RIGHTS] > 0.0:
        return RIGHT + (np.int64(s.last) << 8) + _poorest(s)
    if weights[SWAPS] > 0.0 and s.placed == 0 and s.may_swap != 0:
        return _fair(s, weights, rng)
    if weights[WEIGHS] > 0.0:
        return _weighed(s, weights, rng)
    colour = np.int64(s.placed) & 1
    best_rank, chosen, where, total = -1, ZERO, 0, 0
    for word in range(words_of(s)):
        if s.free[word] == ZERO:
            continue
        rank, plane = _ranked(s, colour, word, weights)
        size = popcount(plane)
        total = total + size if rank == best_rank else size
        if rank > best_rank or (rank == best_rank and random_below(rng, total) < size):
            best_rank, chosen, where = rank, plane, word
    return 64 * where + nth_bit(chosen, random_below(rng, popcount(chosen)))


@jitable_no_alloc
def _swaps(s: State, weights: Weights, rng: Rng) -> bool:
    """Tell whether to take over White's first man: whoever does not judge him tosses a coin."""
    if weights[SWAPS] == 0.0:
        return random_below(rng, 2) == 0
    return _is_worth_taking(s, weights)


@jitable_no_alloc
def _is_worth_taking(s: State, weights: Weights) -> bool:
    """Tell whether White's first man stands on so many squares that White is better off."""
    for word in range(words_of(s)):
        if s.men[0, word] != ZERO:
            return squares_through(s, 64 * word + lowest_bit(s.men[0, word])) >= weights[SWAPS] * _good(s)
    return False


@jitable_no_alloc
def _good(s: State) -> int:
    """Return how many squares pass through one of the best cells, the middle of a quarter."""
    middle = ((np.int64(s.side) >> 1) - 1) >> 1
    return squares_through(s, (middle << np.int64(s.shift)) + middle)


@jitable_no_alloc
def _fair(s: State, weights: Weights, rng: Rng) -> int:
    """Return one of the best cells that are not worth taking over."""
    limit = weights[SWAPS] * _good(s)
    most, chosen, equal = -1, 0, 0
    for word in range(words_of(s)):
        rest = s.free[word]
        while rest != ZERO:
            cell = 64 * word + lowest_bit(rest)
            rest = rest & (rest - _ONE)
            through = squares_through(s, cell)
            if through < most or through >= limit:
                continue
            equal = equal + 1 if through == most else 1
            if equal == 1 or random_below(rng, equal) == 0:
                most, chosen = through, cell
    return chosen


@jitable_no_alloc
def _poorest(s: State) -> int:
    """Return the free cell on the fewest squares that can still be completed."""
    fewest, chosen = 99, 0
    for word in range(words_of(s)):
        found = census(s, 0, word)
        rest = s.free[word]
        while rest != ZERO:
            cell = 64 * word + lowest_bit(rest)
            rest = rest & (rest - _ONE)
            through = 0
            for kind in range(len(found)):
                through += at(found[kind], np.uint64(cell & 63))
            if through < fewest:
                fewest, chosen = through, cell
    return chosen


@jitable_no_alloc
def _weighed(s: State, weights: Weights, rng: Rng) -> int:
    """Return one of the cells that are worth most."""
    colour = np.int64(s.placed) & 1
    best, chosen, equal = -np.inf, 0, 0
    for word in range(words_of(s)):
        takes, blocks = completing(s, colour, word)
        found = census(s, colour, word)
        rest = s.free[word]
        while rest != ZERO:
            cell = 64 * word + lowest_bit(rest)
            rest = rest & (rest - _ONE)
            value = worth(s, colour, cell, found, takes, blocks, weights)
            if weights[NOISE] > 0.0:
                value += weights[NOISE] * (random_below(rng, _STEPS) / _STEPS)
            if value < best:
                continue
            equal = equal + 1 if value == best else 1
            if equal == 1 or random_below(rng, equal) == 0:
                best, chosen = value, cell
    return chosen


_FREE, _USEFUL, _FORK, _SWING = 0, 1, 2, 3


@jitable_no_alloc
def _ranked(s: State, colour: int, word: int, weights: Weights) -> tuple[int, np.uint64]:
    """Return the best cells of a word, and how good they are."""
    takes, blocks, forks, their_forks, useful = glance(s, colour, word)
    if weights[TAKES] == 0.0:
        takes = ZERO
    if weights[BLOCKS] == 0.0:
        blocks = ZERO
    urgent = takes | blocks
    if urgent != ZERO:
        if urgent & (urgent - _ONE) == ZERO:
            # It matters only on boards of several words how much.
            return _SWING + 1, urgent
        return _most_swing(s, colour, word, urgent, takes, blocks)
    if weights[FORKS] != 0.0 and forks | their_forks != ZERO:
        return _FORK, forks if forks != ZERO else their_forks
    if weights[USEFUL] != 0.0 and useful != ZERO:
        return _USEFUL, useful
    return _FREE, s.free[word]


@jitable_no_alloc
def _most_swing(
    s: State, colour: int, word: int, urgent: np.uint64, takes: np.uint64, blocks: np.uint64
) -> tuple[int, np.uint64]:
    """Return the cells that mark, and keep the opponent from marking, the most men together."""
    best, chosen = 0, ZERO
    while urgent != ZERO:
        here = urgent & (~urgent + _ONE)
        urgent ^= here
        cell = 64 * word + lowest_bit(here)
        swing = 0
        if takes & here != ZERO:
            swing += fresh(s, colour, cell)
        if blocks & here != ZERO:
            swing += fresh(s, 1 - colour, cell)
        if swing > best:
            best, chosen = swing, ZERO
        if swing == best:
            chosen |= here
    return _SWING + best, chosen


def foresee(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    """Tell that nothing is left to complete: the points stand then."""
    if weights[SETTLES] == 0.0 or np.int64(s.placed) < _EARLY * (np.int64(s.placed) + left(s)):
        return False
    for word in range(words_of(s)):
        if glance(s, 0, word)[4] != ZERO:
            return False
    points(s, out)
    return True
