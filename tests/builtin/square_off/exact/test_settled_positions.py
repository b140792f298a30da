"""Settled positions of Square Off: all positions of the 4 x 4 board, valued by retrograde analysis.

A position is a number in base 3 with a digit for each cell: 0 for a free cell, 1 for a white man, 2 for a black man.
"""

import random
from math import comb
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.square_off.exact.settled_positions import Words
from fourcorners.builtin.square_off.exact.unsettled_positions import simplify_node
from fourcorners.core.arrays import Actions, States
from fourcorners.core.bits import ZERO, popcount
from fourcorners.core.jit import jitable, kernel
from tests.builtin.square_off.exact.alpha_beta import HUGE, Search

CELLS = 16
POSITIONS = sum(comb(CELLS, men) * comb(men, men // 2) for men in range(CELLS + 1))


@jitable
def unpack_position(code: int, men: Words) -> None:
    """Write the free cells, the white and the black men of position number `code` into the three words of `men`.

    A cell's bit is 8 times its row plus its column, as in a node of the 4 x 4 board. The digits of `code` in base 3 are
    the cells, row by row: 0 is free, 1 white, 2 black.
    """
    men[:] = 0
    for cell in range(CELLS):
        men[code % 3] |= np.uint64(1 << (cell // 4 * 8 + cell % 4))
        code //= 3


@jitable
def is_reachable(men: Words) -> bool:
    """Return whether White has as many men as Black, or one more; `men` are three words as from `unpack_position`."""
    return popcount(men[1]) - popcount(men[2]) in {0, 1}


@jitable
def find_marked(boards: States, men: np.uint64) -> np.uint64:
    """Return those of `men`, a word with the men of one colour, that stand on complete squares."""
    found = ZERO
    for i in range(boards[0].count):
        square = boards[0].squares[i]
        if square & ~men == ZERO:
            found |= square
    return found


@kernel
def fill_table(boards: States, powers: Actions, table: Any, men: Words) -> int:
    """Write the values of all reachable positions into `table`, by number; return how many there are.

    `powers` are those of 3, and `men` is memory for three words. A further man makes the number of a position greater,
    so going down through the numbers visits children first.
    """
    count = 0
    for code in range(len(table) - 1, -1, -1):
        unpack_position(code, men)
        if not is_reachable(men):
            continue
        count += 1
        mover = 1 if popcount(men[1]) == popcount(men[2]) else 2
        before = popcount(find_marked(boards, men[mover]))
        best = 0 if men[0] == ZERO else -HUGE
        for cell in range(CELLS):
            here = np.uint64(1 << (cell // 4 * 8 + cell % 4))
            if men[0] & here != ZERO:
                gain = popcount(find_marked(boards, men[mover] | here)) - before
                best = max(best, gain - table[code + mover * powers[cell]])
        table[code] = best
    return count


@jitable
def write_settled_node(boards: States, nodes: States, men: Words) -> None:
    """Write the node of a position, three words as from `unpack_position`, into `nodes[0]`, and simplify it.
    `nodes[0]` must be a node of a game without swap and symmetry right: its fields for these are kept.
    """
    mover = 1 if popcount(men[1]) == popcount(men[2]) else 2
    nodes[0].own, nodes[0].other, nodes[0].free = men[mover], men[3 - mover], men[0]
    nodes[0].marks = find_marked(boards, men[1]) | find_marked(boards, men[2])
    simplify_node(boards[0], nodes[0])


@kernel
def count_wrong_bounds(boards: States, nodes: States, table: Any, men: Words) -> int:
    """Return how many reachable positions have a value in `table` outside the bounds of their node.
    `table` has the values by number, as `fill_table` writes them. `nodes[0]`, a node of the game without swap and
    symmetry right, and the three words of `men` are overwritten.
    """
    wrong = 0
    for code in range(len(table)):
        unpack_position(code, men)
        if is_reachable(men):
            write_settled_node(boards, nodes, men)
            wrong += not nodes[0].low <= table[code] <= nodes[0].high
    return wrong


@kernel
def enter_code(boards: States, nodes: States, code: int, men: Words) -> bool:
    """Write the simplified node of position number `code` into `nodes[0]`, if it is reachable; return whether it is.
    `nodes[0]` is a node of the game without swap and symmetry right. The three words of `men` are always overwritten.
    """
    unpack_position(code, men)
    if is_reachable(men):
        write_settled_node(boards, nodes, men)
        return True
    return False


@pytest.mark.compiled
@pytest.mark.slow
def test_bounds_are_right_in_every_position_of_the_4_x_4_board_and_values_in_a_million() -> None:
    """There are about 10 million positions; the values of a million of them, drawn at random, are searched."""
    search = Search(fc.game("square-off", size=4, swap=False, symmetry="none").start())
    table, men = np.zeros(3**CELLS, np.int8), np.zeros(3, np.uint64)
    powers = np.array([3**cell for cell in range(CELLS)], np.int64)
    assert fill_table(search.boards, powers, table, men) == POSITIONS
    # Number 0 is the empty board, which is a draw.
    assert table[0] == 0
    assert count_wrong_bounds(search.boards, search.root, table, men) == 0
    rng = random.Random(9)
    searched = 0
    while searched < 1_000_000:
        code = rng.randrange(3**CELLS)
        if enter_code(search.boards, search.root, code, men):
            searched += 1
            # `search.root` was overwritten; the search's table serves all positions, as it goes by their keys.
            assert search.solve() == table[code]
