"""Nimstring, compared with an exhaustive search over sets of edges; and what estimates make of it."""

import functools
import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact import margin, nimstring
from fourcorners.builtin.squarin_off.exact.graph import list_open_boxes
from fourcorners.builtin.squarin_off.rules import count_edges, find_boxes_beside, is_free
from fourcorners.core.arrays import States
from fourcorners.core.jit import kernel, rare
from fourcorners.solvers import margin_protocol
from fourcorners.solvers.margin_protocol import NEVER, UNIT, Work, create_work
from tests.builtin.squarin_off.positions import play_random_game, set_up_chains

LIMIT = 1_000


@rare
@kernel
def _find_winner(boards: States, nodes: States, work: Work, limit: int) -> int:
    return nimstring.find_winner(boards[0], nodes[0].free, nimstring.count_single_moves(nodes[0]), work, limit)[0]


@rare
@kernel
def _estimate(boards: States, nodes: States, work: Work) -> int:
    return margin_protocol.estimate(boards[0], nodes[0], work)


@rare
@kernel
def _count_plies_to_estimates(boards: States, nodes: States, work: Work) -> int:
    return margin_protocol.count_plies_to_estimates(boards[0], nodes[0], work)


def create_memory(boards: States) -> Work:
    """Return room for the nodes of a board, which remembers nothing yet."""
    return create_work(margin.NODE, int(boards["most_plies"][0]), np.zeros(1 << 12, np.uint64))


def wins_nimstring(position: fc.Position) -> bool:
    """Return whether the seat to move can make the last move, if a player who completes a box has to move again.

    It must then still move, so the last move loses if it completes a box. There must be no blockers.
    """
    s = position.record
    boxes = set(list_open_boxes(s))
    edges = [edge for edge in range(int(count_edges(s))) if is_free(s, edge)]
    beside = {edge: boxes.intersection(map(int, find_boxes_beside(s, edge))) for edge in edges}
    sides = {box: frozenset(edge for edge in edges if box in beside[edge]) for box in boxes}

    @functools.cache
    def can_win(free: frozenset[int]) -> bool:
        """Return whether the player to move, who loses without a move, wins with these edges free."""
        for edge in free:
            rest = free - {edge}
            completes = any(not sides[box] & rest for box in beside[edge])
            if can_win(rest) == completes:
                return True
        return False

    return can_win(frozenset(edges))


def compare_with_exhaustive_search(seed: int, games: int, most: int) -> tuple[int, int]:
    """Assert that Nimstring is right in random positions with nothing to capture and up to `most` edges; return how
    many were lost and how many won.
    """
    rng = random.Random(seed)
    found = [0, 0]
    for _ in range(games):
        position = play_random_game(rng, blockers=False)
        boards, nodes = margin.enter(None, position.record)
        if 0 < len(position.moves()) <= most and nodes["capturable"][0] == 0 and nodes["handout"][0] > 1_000:
            expected = wins_nimstring(position)
            winner = _find_winner(boards, nodes, create_memory(boards), LIMIT)
            assert winner == (nimstring.WIN if expected else nimstring.LOSS), position.text
            found[expected] += 1
    return found[0], found[1]


def test_interpreted_nimstring_agrees_with_exhaustive_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    assert min(compare_with_exhaustive_search(1, 60, 9)) > 1


@pytest.mark.compiled
def test_compiled_nimstring_agrees_with_exhaustive_search() -> None:
    assert min(compare_with_exhaustive_search(2, 400, 12)) > 20


@pytest.mark.compiled
def test_results_that_are_remembered_stay_the_same() -> None:
    rng = random.Random(3)
    for _ in range(40):
        position = play_random_game(rng, blockers=False)
        boards, nodes = margin.enter(None, position.record)
        work = create_memory(boards)
        winners = {_find_winner(boards, nodes, work, LIMIT) for _ in range(2)}
        assert len(winners) == 1


@pytest.mark.compiled
def test_too_small_a_limit_gives_no_result() -> None:
    position = fc.game("dots-and-boxes", cols=4, rows=4).start()
    boards, nodes = margin.enter(None, position.record)
    assert _find_winner(boards, nodes, create_memory(boards), 10) == nimstring.UNDECIDED


@pytest.mark.compiled
def test_control_of_long_chains_is_expected_to_win() -> None:
    """Two chains and one safe edge, which are no longer worth a search: the drawer of that edge gets the last chain."""
    position = fc.game("dots-and-boxes", cols=3, rows=3).replay(["a1b1", "a1a2", "a2a3", "b2b3", "c2c3"])
    boards, nodes = margin.enter(None, position.record)
    work = create_memory(boards)
    assert _count_plies_to_estimates(boards, nodes, work) == 0
    winner, value = _find_winner(boards, nodes, work, 100_000), _estimate(boards, nodes, work)
    solution = fc.solve(position)
    assert (winner == nimstring.WIN) == (value > 0) == (solution.remaining_margin > 0)
    assert abs(value) < 9 * UNIT


@pytest.mark.compiled
def test_estimates_are_far_from_an_empty_board_and_mean_nothing_with_blockers() -> None:
    def count_plies(position: fc.Position) -> int:
        boards, nodes = margin.enter(None, position.record)
        return _count_plies_to_estimates(boards, nodes, create_memory(boards))

    start = fc.game("dots-and-boxes", cols=5, rows=5).start()
    assert count_plies(start) > 12
    assert count_plies(fc.game("squarin-off", cols=2, rows=2).start()) == NEVER
    assert count_plies(set_up_chains(4, 3)) == 0
