"""The quick choice of a cell in playouts, compared with a list of all squares."""

import random
from functools import cache

import pytest

import fourcorners as fc
from fourcorners.builtin.square_off.board import has_cell
from fourcorners.builtin.square_off.options import list_cells, list_squares
from fourcorners.builtin.square_off.strategy.quick_choice import is_settled, pick_cell_quickly
from fourcorners.builtin.square_off.strategy.square_potential import count_new_marks, find_key_cells
from fourcorners.core.bits import new_rng
from tests.builtin.square_off.positions import play_random_positions

NOISE = 7


@cache
def list_small_positions(count: int) -> list[fc.Position]:
    """Return the first `count` random positions whose board fits into one word."""
    return [position for position in play_random_positions(2 * count) if position.record.side <= 8][:count]


def rate_cells(position: fc.Position) -> tuple[dict[int, int], dict[int, int]]:
    """Return by free cell the marks that a man takes and blocks there, and its value without noise."""
    s, size = position.record, int(position.record.side)
    squares = list_squares(size)
    men = [{cell for cell in list_cells(size) if has_cell(s.men[c], cell)} for c in (0, 1)]
    swings, values = {}, {}
    for cell in list_cells(size):
        if has_cell(s.free, cell):
            swings[cell] = sum(int(count_new_marks(s, c, cell)) for c in (0, 1))
            through = [[len(men[c] & set(square)) for c in (0, 1)] for square in squares if cell in square]
            values[cell] = sum(5 if max(counts) >= 2 else 2 for counts in through if min(counts) == 0)
    return swings, values


@pytest.mark.parametrize("number", range(12))
def test_chosen_cell_takes_and_blocks_most_or_is_within_the_noise_of_the_most_valuable(number: int) -> None:
    position = list_small_positions(12)[number]
    swings, values = rate_cells(position)
    rng = new_rng(number)
    for _ in range(10):
        cell = pick_cell_quickly(position.record, rng)
        assert cell in values
        if max(swings.values()) > 0:
            assert swings[cell] == max(swings.values())
        else:
            assert values[cell] + NOISE >= max(values.values())


def test_equally_valuable_cells_are_all_chosen_and_poor_ones_never() -> None:
    position = fc.game("square-off").start()
    _, values = rate_cells(position)
    rng = new_rng(3)
    chosen = {int(pick_cell_quickly(position.record, rng)) for _ in range(600)}
    assert chosen >= {cell for cell, value in values.items() if value == max(values.values())}
    assert chosen == {cell for cell in chosen if values[cell] + NOISE >= max(values.values())}


def test_position_is_settled_exactly_if_no_square_can_be_completed() -> None:
    found = []
    for seed, size in enumerate([4, 4, 6, 8]):
        rng = random.Random(size + seed)
        position = fc.game("square-off", size=size).start()
        while not position.is_over:
            found.append(bool(is_settled(position.record)))
            assert found[-1] == (find_key_cells(position.record, 0, 0).still_open == 0)
            position = position.play(rng.choice(position.moves()))
    assert set(found) == {False, True}
