"""The actions that make the moves of nodes are worth what exact play says that the moves are worth."""

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact import margin
from fourcorners.core.arrays import State
from fourcorners.core.dispatch import view_record
from fourcorners.solvers.margin_protocol import LINK_COLUMNS
from fourcorners.solvers.margins import MarginSolver, MarginTask
from fourcorners.solvers.null_window import compute_link_bounds
from tests.builtin.squarin_off.positions import play_random_game, set_up_chains


def check_moves(position: fc.Position) -> set[int]:
    """Assert that the action of every move of a position's node is worth what the move is; return the moves' codes."""
    values = fc.solve(position, threads=1, every_move=True).values
    solver = MarginSolver(position.game, 1 << 20)
    boards, nodes = margin.enter(None, position.record)
    board, node = view_record(boards), view_record(nodes)
    codes = np.zeros(int(board.most_links), np.int64)
    count = margin.moves(board, node, codes)
    for code in codes[:count]:
        children, link = nodes.copy(), np.zeros(LINK_COLUMNS, np.int64)
        margin.follow(board, node, int(code), view_record(children), link)
        task = MarginTask(solver, boards, children)
        while not task.advance(1_000):
            pass
        worth, _ = compute_link_bounds(link, task.lower, task.upper, 1)
        action = margin.find_action(position.record, boards, nodes, int(code))
        move = position.game.spec.notation.format(position.record, action)
        # After a capture the mover can still choose another move than this one.
        goes_on = position.play(move).seat == position.seat
        assert values[move] >= worth if goes_on else values[move] == worth
    return {int(code) for code in codes[:count]}


@pytest.mark.compiled
@pytest.mark.parametrize("games", [50, pytest.param(150, marks=pytest.mark.ci)])
def test_actions_of_moves_are_worth_what_the_moves_are(games: int) -> None:
    rng = random.Random(1)
    codes: set[int] = set()
    for _ in range(games):
        position = play_random_game(rng, blockers=False)
        if 0 < len(position.moves()) <= 18:
            codes |= check_moves(position)
    assert {margin.TAKE, margin.HAND_OUT} <= codes
    assert any(margin.OPEN <= code < margin.PASS for code in codes) and any(code < margin.OPEN for code in codes)


@pytest.mark.compiled
def test_chains_that_are_half_captured_are_handed_out_or_taken() -> None:
    position = set_up_chains(6, 5)
    position = position.play(position.moves()[0])
    codes = set()
    while not position.is_over:
        codes |= check_moves(position)
        position = position.play(position.moves()[0])
    assert {margin.TAKE, margin.HAND_OUT} <= codes


def test_chain_to_open_is_found_without_entering_the_position_after_every_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entering a position takes milliseconds, and time limits do not interrupt it."""
    position = set_up_chains(6, 5)
    boards, nodes = margin.enter(None, position.record)
    chains = int(view_record(nodes).chains)
    entered: list[int] = []
    find_captures = margin._find_captures

    def count_captures(s: State, edge: int) -> tuple[int, int]:
        entered.append(edge)
        return find_captures(s, edge)

    monkeypatch.setattr(margin, "_find_captures", count_captures)
    opened = [margin.find_action(position.record, boards, nodes, margin.OPEN + chain) for chain in range(chains)]
    assert entered == opened
    assert len(opened) == 2
