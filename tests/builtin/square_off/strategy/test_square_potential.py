"""Key cells and counts of squares in Square Off, compared with a list of all squares and with playing on."""

import numpy as np
import pytest

from fourcorners.builtin.square_off.board import has_cell
from fourcorners.builtin.square_off.notation import parse
from fourcorners.builtin.square_off.options import list_cells, list_squares
from fourcorners.builtin.square_off.strategy.square_counts import count_squares, get_count
from fourcorners.builtin.square_off.strategy.square_potential import (
    count_new_marks,
    count_squares_through,
    find_completing_cells,
    find_key_cells,
    has_bit,
)
from fourcorners.core.arrays import State
from tests.builtin.square_off.positions import play_random_positions


def is_open_to(s: State, colour: int, square: frozenset[int]) -> bool:
    """Return whether no man of the other colour stands on a square."""
    return not any(has_cell(s.men[1 - colour], corner) for corner in square)


@pytest.mark.parametrize("number", range(12))
def test_key_cells_and_counts_agree_with_a_list_of_all_squares(number: int) -> None:
    position = play_random_positions(number + 1)[number]
    s, size = position.record, int(position.record.side)
    squares = [frozenset(square) for square in list_squares(size)]
    colour = number & 1
    men = [{cell for cell in list_cells(size) if has_cell(s.men[c], cell)} for c in (0, 1)]
    for here in list_cells(size):
        if not has_cell(s.free, here):
            continue
        through = [square for square in squares if here in square]
        # By colour, the numbers of men on the squares through the cell that are open to it.
        counts = [[len(square & men[c]) for square in through if is_open_to(s, c, square)] for c in (0, 1)]
        own, other = counts[colour], counts[1 - colour]
        key_cells = [has_bit(word, here) for word in find_key_cells(s, colour, here >> 6)]
        # A man there makes a threat of each square with two men: two such squares make a fork.
        forks = [sum(count >= 2 for count in each) > 1 for each in (own, other)]
        assert key_cells == [3 in own, 3 in other, *forks, bool(own or other)]
        assert key_cells[:2] == [has_bit(word, here) for word in find_completing_cells(s, colour, here >> 6)]
        found = [int(get_count(count, np.uint64(here & 63))) for count in count_squares(s, colour, here >> 6)]
        expected = [own.count(0), own.count(1), sum(n >= 2 for n in own), other.count(1), sum(n >= 2 for n in other)]
        # Counts above 15 saturate in their highest bit.
        assert found == [n if n < 16 else 8 + n % 8 for n in expected]
        assert count_squares_through(s, here) == len(through)


@pytest.mark.parametrize("number", range(8))
def test_new_marks_of_a_plain_move_are_the_points_that_it_gains(number: int) -> None:
    position = play_random_positions(number + 1)[number]
    seat = position.seat
    assert seat is not None
    colour = int(position.record.placed) & 1
    for move in position.moves():
        # The swap and the symmetry right do more than place one man.
        if move != "swap" and " " not in move:
            gain = position.play(move).scores[seat] - position.scores[seat]
            assert count_new_marks(position.record, colour, parse(position.record, move)) == gain
