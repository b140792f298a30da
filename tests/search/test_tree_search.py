"""The tree search as a whole: counts, proofs, memory, slices, and interpreted against compiled."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from numba import config

import fourcorners as fc
from fourcorners.search.tree_search import MAX_NODES, ActionStats, SearchProgress, TreeSearch

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 2}),
    ("squarin-off", {"cols": 3, "rows": 3, "players": 4, "teams": True}),
    ("square-off", {"size": 4}),
    ("sqez", {"cols": 9, "rows": 8, "players": 3}),
    ("squendo", {"players": 2}),
    ("squendo", {"players": 4, "take": "any"}),
]


def create_search(name: str, options: dict[str, Any], seed: int = 1, max_nodes: int = MAX_NODES) -> TreeSearch:
    position = fc.game(name, **options).start(seed=5)
    return TreeSearch(position.view(position.seat), seed, max_nodes=max_nodes)


def run_search(name: str, options: dict[str, Any], simulations: int, seed: int = 1) -> tuple[list[ActionStats], int]:
    one = create_search(name, options, seed)
    one.advance(simulations)
    return one.rank_actions(), one.used_nodes


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_every_interpreted_simulation_visits_one_child_of_the_root(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    one = create_search(name, options)
    one.advance(40)
    findings = one.rank_actions()
    assert one.simulations == 40
    assert sum(finding.visits for finding in findings) == 40
    assert len({finding.action for finding in findings}) == len(findings) <= one.choices
    assert all(0 <= finding.win <= 1 for finding in findings)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_interpreted_and_compiled_searches_agree(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = run_search(name, options, 80)
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert run_search(name, options, 80) == compiled


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_results_depend_on_the_seed_but_not_on_slices(name: str, options: dict[str, Any]) -> None:
    whole = run_search(name, options, 3000)
    sliced = create_search(name, options)
    for count in (1, 2, 997, 1500, 500):
        sliced.advance(count)
    timed = create_search(name, options)
    timed.run(nodes=3000, seconds=None)
    assert (sliced.rank_actions(), sliced.used_nodes) == (timed.rank_actions(), timed.used_nodes) == whole
    assert run_search(name, options, 3000, seed=2) != whole


@pytest.mark.compiled
def test_concurrent_searches_do_not_affect_each_other() -> None:
    alone = [run_search(name, options, 2000) for name, options in GAMES]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda game: run_search(game[0], game[1], 2000), GAMES))
    assert together == alone


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_full_tree_stops_growing_and_simulations_continue(name: str, options: dict[str, Any]) -> None:
    one = create_search(name, options, max_nodes=256)
    one.advance(3000)
    assert one.simulations == 3000 or one.is_solved
    assert 128 < one.used_nodes <= 256
    assert sum(finding.visits for finding in one.rank_actions()) == one.simulations


@pytest.mark.compiled
def test_action_buffer_grows_with_the_number_of_moves() -> None:
    one = create_search("squendo", {})
    before = one.buffer_length
    one.advance(3000)
    assert one.buffer_length > before
    assert one.simulations == 3000


@pytest.mark.compiled
def test_the_smallest_game_of_dots_and_boxes_is_solved() -> None:
    one = create_search("dots-and-boxes", {"cols": 1, "rows": 1})
    one.advance(1000)
    assert one.is_solved
    assert one.simulations < 1000
    assert one.rank_actions()[0].margin == -1


@pytest.mark.compiled
@pytest.mark.parametrize(("cols", "rows", "nimber"), [(3, 3, 1), (3, 6, 2), (4, 6, 2), (5, 5, 0), (5, 6, 0)])
def test_small_games_of_sqez_are_solved(cols: int, rows: int, nimber: int) -> None:
    one = create_search("sqez", {"cols": cols, "rows": rows})
    one.advance(400_000)
    assert one.is_solved
    assert one.rank_actions()[0].win == (1.0 if nimber else 0.0)


@pytest.mark.compiled
def test_search_stops_on_request_and_reports_progress() -> None:
    stop = threading.Event()
    seen: list[SearchProgress] = []

    def note(state: SearchProgress) -> None:
        seen.append(state)
        if state.share > 0.3:
            stop.set()

    one = create_search("square-off", {})
    one.run(nodes=200_000, seconds=None, stop=stop, progress=note)
    assert 60_000 < one.simulations < 200_000
    assert seen[-1].nodes == one.simulations
    assert [state.nodes for state in seen] == sorted(state.nodes for state in seen)
    assert all(0 <= state.share <= 1 for state in seen)
    again = create_search("square-off", {})
    again.run(nodes=200_000, seconds=None, stop=stop)
    assert again.simulations == 1


@pytest.mark.compiled
def test_hidden_tiles_of_other_seats_do_not_affect_the_search() -> None:
    game = fc.game("squendo")
    deck = list(game.deck(seed=5))
    # Seat 0 draws the first four, seat 1 the next: exchange two of hers for tiles of the pile.
    other = [*deck[:4], deck[20], deck[21], *deck[6:20], deck[4], deck[5], *deck[22:]]
    positions = [game.start(deck=deck), game.start(deck=other)]
    assert positions[0] != positions[1]
    one, two = (TreeSearch(position.view(0), 3) for position in positions)
    one.advance(500)
    two.advance(500)
    assert one.rank_actions() == two.rank_actions()
