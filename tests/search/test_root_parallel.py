"""Root parallelisation: several trees that are read as one."""

from __future__ import annotations

import threading

import pytest

import fourcorners as fc
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import SearchProgress, TreeSearch

pytestmark = pytest.mark.compiled


def create_search(threads: int, name: str = "square-off") -> RootParallelSearch:
    return RootParallelSearch(fc.game(name).start(seed=1).view(0), 7, threads=threads)


def test_one_thread_searches_like_a_single_tree() -> None:
    one, search = create_search(1), TreeSearch(fc.game("square-off").start().view(0), 7)
    one.run(500, None)
    search.run(500, None)
    assert one.rank_actions() == search.rank_actions()
    assert one.principal_variation(5) == search.principal_variation(5)


@pytest.mark.parametrize("name", ["squarin-off", "square-off", "squendo", "sqez"])
def test_two_trees_share_a_node_budget_and_repeat_their_results(name: str) -> None:
    one, two = create_search(2, name), create_search(2, name)
    for each in (one, two):
        each.run(600, None)
        assert each.simulations == 600
        assert sum(finding.visits for finding in each.rank_actions()) == 600
    assert one.rank_actions() == two.rank_actions()
    assert one.principal_variation(3)[0] == one.rank_actions()[0].action


def test_stopping_ends_all_trees_and_progress_counts_them_all() -> None:
    stop, told = threading.Event(), list[SearchProgress]()

    def watch(state: SearchProgress) -> None:
        told.append(state)
        if state.nodes > 100:
            stop.set()

    many = create_search(3)
    many.run(None, 3600.0, stop, watch)
    assert told[-1].nodes > 100
    assert many.simulations >= told[-1].nodes


def test_proof_of_one_tree_is_a_proof_of_the_search() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2"])
    both = RootParallelSearch(position.view(position.seat), 1, threads=2)
    both.run(1000, None)
    assert both.is_solved
    assert both.rank_actions()[0].solved
    assert both.rank_actions()[0].margin == 1


def test_all_trees_continue_from_a_later_position() -> None:
    position = fc.game("dots-and-boxes", cols=4, rows=4).start()
    both = RootParallelSearch(position.view(0), 1, threads=2)
    both.run(4000, None)
    after = position.play(position.game.spec.notation.format(position.record, both.rank_actions()[0].action))
    assert both.follow([both.rank_actions()[0].action], after.view(after.seat))
    assert both.simulations == 0
    before = sum(finding.visits for finding in both.rank_actions())
    both.run(10, None)
    assert sum(finding.visits for finding in both.rank_actions()) == before + 10
