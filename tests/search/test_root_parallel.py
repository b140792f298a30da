"""Root parallelisation: several trees that are read as one."""

import threading

import pytest

import fourcorners as fc
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import SearchProgress, TreeSearch

pytestmark = pytest.mark.compiled


def create_search(threads: int, name: str = "square-off") -> RootParallelSearch:
    """Return a search, with the seed 7, of what seat 0 sees at the start of a game, always the same deal."""
    return RootParallelSearch(fc.game(name).start(seed=1).view(0), 7, threads=threads)


def test_one_thread_searches_like_a_single_tree() -> None:
    parallel, single = create_search(1), TreeSearch(fc.game("square-off").start().view(0), 7)
    parallel.run(500, None)
    single.run(500, None)
    assert parallel.rank_actions() == single.rank_actions()
    assert parallel.principal_variation(5) == single.principal_variation(5)


@pytest.mark.parametrize("name", ["squarin-off", "square-off", "squendo", "sqez"])
def test_two_trees_share_a_node_budget_and_repeat_their_results(name: str) -> None:
    first, repeated = create_search(2, name), create_search(2, name)
    for search in (first, repeated):
        search.run(600, None)
        assert search.simulations == 600
        assert sum(finding.visits for finding in search.rank_actions()) == 600
    assert first.rank_actions() == repeated.rank_actions()


def test_trees_never_exceed_a_budget_that_they_cannot_share_equally() -> None:
    for nodes in (1, 2, 3, 7):
        search = create_search(3)
        search.run(nodes, None)
        assert search.simulations == nodes
        assert search.principal_variation(3)[0] == search.rank_actions()[0].action
        search.run(nodes, None)
        assert search.simulations == nodes


def test_principal_variation_of_two_trees_begins_with_the_best_action() -> None:
    search = create_search(2)
    search.run(600, None)
    line = search.principal_variation(3)
    assert 1 <= len(line) <= 3
    assert line[0] == search.rank_actions()[0].action


def test_setting_stop_in_a_progress_report_ends_a_search_with_three_trees() -> None:
    stop, reports = threading.Event(), list[SearchProgress]()

    def stop_early(state: SearchProgress) -> None:
        """Keep every report; stop after the first with more than 100 simulations."""
        reports.append(state)
        if state.nodes > 100:
            stop.set()

    search = create_search(3)
    search.run(None, 3600.0, stop, stop_early)
    assert reports[-1].nodes > 100
    assert search.simulations >= reports[-1].nodes


def test_two_trees_prove_the_margin_of_a_game_with_one_move_left() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2"])
    search = RootParallelSearch(position.view(position.seat), 1, threads=2)
    search.run(1000, None)
    assert search.is_solved
    assert search.rank_actions()[0].solved
    # The last line makes the only box.
    assert search.rank_actions()[0].margin == 1


def test_all_trees_keep_their_visits_when_the_search_follows_a_move() -> None:
    position = fc.game("dots-and-boxes", cols=4, rows=4).start()
    search = RootParallelSearch(position.view(0), 1, threads=2)
    search.run(4000, None)
    best = search.rank_actions()[0]
    after = position.play(position.game.spec.notation.format(position.record, best.action))
    assert search.follow([best.action], after.view(after.seat))
    assert search.simulations == 0
    old_visits = sum(finding.visits for finding in search.rank_actions())
    assert old_visits == best.visits - 2  # in each tree the first visit of a node goes to none of its children
    search.run(10, None)
    assert sum(finding.visits for finding in search.rank_actions()) == old_visits + 10
