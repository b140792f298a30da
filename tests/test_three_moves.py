"""The count of who wins after the first moves of a small board, against plain minimax over all positions."""

from collections import Counter
from functools import cache
from itertools import combinations

import pytest

import fourcorners as fc
from benchmarks import three_moves


@cache
def find_margin(position: fc.Position) -> int:
    """Return the first player's margin at the end of the game, with best play by both."""
    if position.is_over:
        return position.scores[0] - position.scores[1]
    values = [find_margin(position.play(move)) for move in position.moves()]
    return max(values) if position.seat == 0 else min(values)


@pytest.mark.parametrize(("cols", "rows"), [(2, 1), (1, 1)])
@pytest.mark.parametrize("moves", [1, 2, 3])
def test_results_after_some_moves_are_those_of_plain_minimax(cols: int, rows: int, moves: int) -> None:
    start = fc.game("dots-and-boxes", cols=cols, rows=rows).start()
    expected: Counter[str] = Counter()
    for chosen in combinations(start.moves(), moves):
        position = start
        for move in chosen:
            position = position.play(move)
        margin = find_margin(position)
        expected[three_moves.RESULTS[(margin > 0) - (margin < 0)]] += 1
    assert three_moves.count_results(cols, rows, moves) == expected


@pytest.mark.parametrize(("cols", "rows", "images"), [(2, 1, 4), (3, 3, 8)])
def test_images_are_sets_of_edges_of_the_same_board_and_the_first_is_the_set_itself(
    cols: int, rows: int, images: int
) -> None:
    start = fc.game("dots-and-boxes", cols=cols, rows=rows).start()
    edges = three_moves.list_edges(cols, rows)
    assert sorted(map(three_moves.format_edge, edges)) == start.moves()
    found = three_moves.list_images(edges[:2], cols, rows)
    assert len(found) == images
    assert found[0] == tuple(edges[:2])
    assert all(set(image) <= set(edges) for image in found)


def test_a_square_board_of_25_boxes_has_nine_first_moves_up_to_symmetry() -> None:
    classes = {min(three_moves.list_images([edge], 5, 5)) for edge in three_moves.list_edges(5, 5)}
    assert len(classes) == 9
