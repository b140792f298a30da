"""Boards and nodes that compiled code makes of records."""

import random

import numpy as np

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact import margin
from fourcorners.builtin.squarin_off.exact.graph import enter
from fourcorners.builtin.squarin_off.exact.strings_and_coins import BOARD, NODE
from fourcorners.core.dispatch import view_record


def test_nodes_on_boards_of_earlier_records_are_those_of_enter_up_to_numbers() -> None:
    rng = random.Random(1)
    boards, nodes = np.zeros(1, BOARD), np.zeros(1, NODE)
    board, node = view_record(boards), view_record(nodes)
    games = [fc.game("squarin-off", cols=3, rows=3, blockers=blockers) for blockers in (0, 1)]
    compared = 0
    for number in range(8):
        position, has_board = games[number % 2].start(), False
        while not position.is_over:
            # Some boards are of this record, others of one before it.
            if not has_board or rng.random() < 0.3:
                has_board = margin.fill_board(position.record, board)
            can_block = int(position.record.blockers_left) > 0 and int(position.record.blocker_moves) > 0
            assert has_board != can_block
            if has_board:
                margin.fill_node(position.record, board, node)
                expected = [view_record(array) for array in enter(None, position.record)]
                assert margin.key(board, node) == margin.key(*expected)
                assert margin.limits(board, node) == margin.limits(*expected)
                compared += 1
            position = position.play(rng.choice(position.moves()))
    assert compared > 100


def test_boards_that_are_too_large_are_left_to_enter() -> None:
    boards = np.zeros(1, BOARD)
    assert not margin.fill_board(fc.game("dots-and-boxes", cols=10, rows=10).start().record, view_record(boards))
    assert not margin.fill_board(fc.game("dots-and-boxes", cols=6, rows=5).start().record, view_record(boards))
    assert margin.fill_board(fc.game("dots-and-boxes").start().record, view_record(boards))
