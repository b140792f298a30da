"""Static knowledge of Square Off, within the limits of the weights of a player's level."""

import numpy as np

from fourcorners.builtin.square_off.rules import RIGHT, SWAP, can_swap, count_free, points
from fourcorners.builtin.square_off.strategy import value_network
from fourcorners.builtin.square_off.strategy.quick_choice import is_settled, pick_cell_quickly
from fourcorners.builtin.square_off.strategy.square_counts import SquareCounts, count_squares, get_count
from fourcorners.builtin.square_off.strategy.square_potential import (
    count_new_marks,
    count_squares_through,
    count_words,
    find_completing_cells,
    find_key_cells,
    has_bit,
)
from fourcorners.core.arrays import Actions, Estimates, Priors, Rng, State, Weights
from fourcorners.core.bits import ONE, ZERO, lowest_bit, nth_bit, popcount, random_below, toss_coin
from fourcorners.core.dispatch import EXPLORATION
from fourcorners.core.jit import jitable_no_alloc

# The indices of the weights. A weight of 0 means that the player is blind to the feature. The first seven are values of
# a cell: for each man, or for each square through the cell. In rollouts without WEIGHS, TAKES, BLOCKS and FORKS are the
# share of moves, from 0 to 1, at which the player sees such cells.
TAKES = 0  # for each man that the move newly marks
BLOCKS = 1  # for each man that the opponent would newly mark there
PAIRS, THEIR_PAIRS = 2, 3  # for each square with two or more men of one colour, and none of the other
SINGLES, THEIR_SINGLES = 4, 5  # for each square with one man
EMPTY = 6  # for each square without men
FORKS = 7  # rollouts that do not use WEIGHS: prefer to threaten two squares at once
USEFUL = 8  # likewise: prefer cells on squares that can still be completed
WEIGHS = 9  # rollouts: choose the cell with the highest value
SETTLES = 10  # playouts: stop when no square can be completed any more
RIGHTS = 11  # use the symmetry right, which is worth this less the value of the black man's new cell
SWAPS = 12  # swap if this share of the squares through the best cell go through the first man's cell
NOISE = 13  # rollouts with WEIGHS: add a random number up to this to each value
QUICK = 14  # rollouts with WEIGHS and playouts: use `quick_choice` where the board fits into one word
NETWORK = 15  # playouts with QUICK: end in the first quiet position, with what `value_network` predicts there
WEIGHT_COUNT = 16

_EARLY = 0.4  # while less than this share of the board is taken, some square can always be completed
_EXPLORATION = 0.1  # with the weight NETWORK
_NOISE_STEPS = 1 << 20
_COUNTS_STOP = 16 * len(SquareCounts._fields)  # above the sum of all counts of a cell, each of which is at most 15


@jitable_no_alloc
def evaluate_cell(
    s: State, colour: int, cell: int, counts: SquareCounts, takes: np.uint64, blocks: np.uint64, weights: Weights
) -> float:
    """Return the value of a free cell for a colour, in units of the weights.
    `counts` are the squares through the cells of the cell's word, as this colour sees them. `takes` and `blocks` are
    the cells of that word, as bits, where this colour and where the other one completes a square (neither is checked).
    """
    place = np.uint64(cell & 63)
    value = 0.0
    if has_bit(takes, cell):
        value += weights[TAKES] * count_new_marks(s, colour, cell)
    if has_bit(blocks, cell):
        value += weights[BLOCKS] * count_new_marks(s, 1 - colour, cell)
    return (
        value
        + weights[EMPTY] * get_count(counts.empty, place)
        + weights[SINGLES] * get_count(counts.own_single, place)
        + weights[PAIRS] * get_count(counts.own_pair, place)
        + weights[THEIR_SINGLES] * get_count(counts.their_single, place)
        + weights[THEIR_PAIRS] * get_count(counts.their_pair, place)
    )


def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Write the values of n legal actions, in the order of `legal`, into the first n entries of `out`.

    A cell has the value of `evaluate_cell`. But with SWAPS the value of the first man of a game with the swap is the
    number of squares through its cell, or 0 if that number would make the opponent take the man over. A swap that is
    worthwhile is worth 1 more than the best cell, any other 0. For the symmetry right see RIGHTS.
    """
    colour = np.int64(s.placed) & 1
    free = count_free(s)
    i = 0
    for word in range(count_words(s)):
        takes, blocks = find_completing_cells(s, colour, word)
        counts = count_squares(s, colour, word)
        while i < free and actions[i] >> 6 == word:
            out[i] = evaluate_cell(s, colour, actions[i], counts, takes, blocks, weights)
            i += 1
    if weights[SWAPS] > 0.0 and s.placed == 0 and s.may_swap != 0:
        for i in range(free):
            through = count_squares_through(s, actions[i])
            out[i] = 0.0 if through >= weights[SWAPS] * _count_best_squares(s) else np.float64(through)
    best = 0.0
    for i in range(free):
        best = max(best, out[i])
    for i in range(free, n):
        if actions[i] != SWAP:
            out[i] = weights[RIGHTS] - out[i - free]
        elif weights[SWAPS] > 0.0 and _is_swap_worthwhile(s, weights):
            out[i] = best + 1.0
        else:
            out[i] = 0.0


def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return the action of a player that does not look ahead; the board must not be full.

    The swap and the symmetry right come first; a player without SWAPS tosses a coin for the swap, one with it places
    the first man where that is not worth taking over. With WEIGHS the player then chooses a cell with the highest
    value, without it one of the highest rank: it takes or blocks marks (see `_rank_cells`), else makes or blocks a
    fork, else plays a useful cell. It draws at random among such cells; but the black man that it sends away with the
    right goes to the first of the poorest cells.
    """
    if can_swap(s) and (random_below(rng, 2) == 0 if weights[SWAPS] == 0.0 else _is_swap_worthwhile(s, weights)):
        return SWAP
    if s.last >= 0 and weights[RIGHTS] > 0.0:
        return RIGHT + (np.int64(s.last) << 8) + _find_poorest_cell(s)
    if weights[SWAPS] > 0.0 and s.placed == 0 and s.may_swap != 0:
        return _pick_fair_cell(s, weights, rng)
    if weights[QUICK] > 0.0 and count_words(s) == 1:
        return pick_cell_quickly(s, rng)
    if weights[WEIGHS] > 0.0:
        return _pick_best_cell(s, weights, rng)
    colour = np.int64(s.placed) & 1
    sees = toss_coin(rng, weights[TAKES]), toss_coin(rng, weights[BLOCKS]), toss_coin(rng, weights[FORKS])
    best_rank, chosen, chosen_word, total = -1, ZERO, 0, 0
    for word in range(count_words(s)):
        if s.free[word] == ZERO:
            continue
        rank, cells = _rank_cells(s, colour, word, sees, weights)
        size = popcount(cells)
        total = total + size if rank == best_rank else size
        # Reservoir sampling: of equally good words each is chosen in proportion to its cells.
        if rank > best_rank or (rank == best_rank and random_below(rng, total) < size):
            best_rank, chosen, chosen_word = rank, cells, word
    return 64 * chosen_word + nth_bit(chosen, random_below(rng, popcount(chosen)))


@jitable_no_alloc
def _is_swap_worthwhile(s: State, weights: Weights) -> bool:
    """Return whether the first man, the only white one, is on as many squares as SWAPS demands; False if there is none.
    SWAPS must not be 0.
    """
    for word in range(count_words(s)):
        if s.men[0, word] != ZERO:
            cell = 64 * word + lowest_bit(s.men[0, word])
            return count_squares_through(s, cell) >= weights[SWAPS] * _count_best_squares(s)
    return False


@jitable_no_alloc
def _count_best_squares(s: State) -> int:
    """Return the number of squares through the middle cell of a quarter, which is the maximum."""
    middle = ((np.int64(s.side) >> 1) - 1) >> 1
    return count_squares_through(s, (middle << np.int64(s.shift)) + middle)


@jitable_no_alloc
def _pick_fair_cell(s: State, weights: Weights, rng: Rng) -> int:
    """Draw one of the free cells on the most squares, among those with too few for the swap; 0 (cell a1) if none is."""
    limit = weights[SWAPS] * _count_best_squares(s)
    highest, chosen, ties = -1, 0, 0
    for word in range(count_words(s)):
        rest = s.free[word]
        while rest != ZERO:
            cell = 64 * word + lowest_bit(rest)
            rest = rest & (rest - ONE)
            through = count_squares_through(s, cell)
            if through < highest or through >= limit:
                continue
            ties = ties + 1 if through == highest else 1
            if ties == 1 or random_below(rng, ties) == 0:
                highest, chosen = through, cell
    return chosen


@jitable_no_alloc
def _find_poorest_cell(s: State) -> int:
    """Return the first of the free cells on the fewest squares that can still be completed; there must be one.
    On boards above 12 x 12 a count of 16 to 21 squares reads as 8 to 13 (see `square_counts.py`), so a rich cell may
    look poor.
    """
    fewest, chosen = _COUNTS_STOP, 0
    for word in range(count_words(s)):
        counts = count_squares(s, 0, word)
        rest = s.free[word]
        while rest != ZERO:
            cell = 64 * word + lowest_bit(rest)
            rest = rest & (rest - ONE)
            through = 0
            for kind in range(len(counts)):
                through += get_count(counts[kind], np.uint64(cell & 63))
            if through < fewest:
                fewest, chosen = through, cell
    return chosen


@jitable_no_alloc
def _pick_best_cell(s: State, weights: Weights, rng: Rng) -> int:
    """Draw one of the free cells with the highest value for the colour to move, after noise, uniformly at random."""
    colour = np.int64(s.placed) & 1
    best, chosen, ties = -np.inf, 0, 0
    for word in range(count_words(s)):
        takes, blocks = find_completing_cells(s, colour, word)
        counts = count_squares(s, colour, word)
        rest = s.free[word]
        while rest != ZERO:
            cell = 64 * word + lowest_bit(rest)
            rest = rest & (rest - ONE)
            value = evaluate_cell(s, colour, cell, counts, takes, blocks, weights)
            if weights[NOISE] > 0.0:
                value += weights[NOISE] * (random_below(rng, _NOISE_STEPS) / _NOISE_STEPS)
            if value < best:
                continue
            ties = ties + 1 if value == best else 1
            if ties == 1 or random_below(rng, ties) == 0:
                best, chosen = value, cell
    return chosen


# Ranks of cells; above _SWING, by the number of marks that are taken or blocked.
_FREE, _USEFUL, _FORK, _SWING = 0, 1, 2, 3


@jitable_no_alloc
def _rank_cells(
    s: State, colour: int, word: int, sees: tuple[bool, bool, bool], weights: Weights
) -> tuple[int, np.uint64]:
    """Return the highest rank, from _FREE on, of the free cells of a word, and the bits of the cells that have it.
    The word must have a free cell; `sees` says whether the player sees TAKES, BLOCKS and FORKS now. A single cell that
    takes or blocks marks counts as one mark, however many there are.
    """
    key_cells = find_key_cells(s, colour, word)
    takes = key_cells.takes if sees[0] else ZERO
    blocks = key_cells.blocks if sees[1] else ZERO
    urgent = takes | blocks
    if urgent != ZERO:
        if urgent & (urgent - ONE) == ZERO:
            # The true number would matter only between the words of a large board, and takes time to count.
            return _SWING + 1, urgent
        return _find_biggest_swings(s, colour, word, urgent, takes, blocks)
    forks = key_cells.forks
    if sees[2] and forks | key_cells.their_forks != ZERO:
        return _FORK, forks if forks != ZERO else key_cells.their_forks
    if weights[USEFUL] != 0.0 and key_cells.still_open != ZERO:
        return _USEFUL, key_cells.still_open
    return _FREE, s.free[word]


@jitable_no_alloc
def _find_biggest_swings(
    s: State, colour: int, word: int, urgent: np.uint64, takes: np.uint64, blocks: np.uint64
) -> tuple[int, np.uint64]:
    """Return the rank and the bits of those of the `urgent` cells that take and block the most marks together.
    All are words of bits; `urgent` has the cells that `takes` or `blocks` have, two or more.
    """
    best, chosen = 0, ZERO
    while urgent != ZERO:
        here = urgent & (~urgent + ONE)
        urgent ^= here
        cell = 64 * word + lowest_bit(here)
        swing = 0
        if takes & here != ZERO:
            swing += count_new_marks(s, colour, cell)
        if blocks & here != ZERO:
            swing += count_new_marks(s, 1 - colour, cell)
        if swing > best:
            best, chosen = swing, ZERO
        if swing == best:
            chosen |= here
    return _SWING + best, chosen


def foresee(s: State, weights: Weights, rng: Rng, out: Estimates) -> float:
    """Write the points of both seats into `out` and return 0 if the outcome is settled: if every square is complete, or
    blocked for both colours. With NETWORK, write what is expected in a quiet position, and return its spread.

    Settled points are final unless White can still use the symmetry right. Otherwise, and whenever SETTLES is 0, return
    -1.
    """
    if weights[SETTLES] == 0.0:
        return -1.0
    # Early in the game, some square can always be completed.
    is_late = np.int64(s.placed) >= _EARLY * (np.int64(s.placed) + count_free(s))
    if weights[QUICK] > 0.0 and count_words(s) == 1:
        if is_late and is_settled(s):
            points(s, out)
            return 0.0
        return value_network.predict(s, out) if weights[NETWORK] > 0.0 and is_quiet(s) else -1.0
    if not is_late:
        return -1.0
    for word in range(count_words(s)):
        if find_key_cells(s, 0, word).still_open != ZERO:
            return -1.0
    points(s, out)
    return 0.0


@jitable_no_alloc
def is_quiet(s: State) -> bool:
    """Return whether neither colour can complete a square at once, and the mover can only place a man. The board must
    have one word.
    """
    if s.last >= 0 or can_swap(s):
        return False
    takes, blocks = find_completing_cells(s, 0, 0)
    return takes | blocks == ZERO


def explore(s: State, weights: Weights) -> float:
    """Return the exploration of a search: less with NETWORK, because then the rewards vary less."""
    has_network = len(weights) > 0 and weights[NETWORK] > 0.0 and count_words(s) == 1
    return _EXPLORATION if has_network else EXPLORATION
