"""The tree search as a whole: counts, proofs, memory, slices, and interpreted against compiled."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from numba import config

import fourcorners as fc
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.tree_search import MAX_NODES, ActionStats, SearchProgress, TreeSearch

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 2}),
    ("squarin-off", {"cols": 3, "rows": 3, "players": 4, "teams": True}),
    ("square-off", {"size": 4}),
    ("sqez", {"cols": 9, "rows": 8, "players": 3}),
    ("squendo", {"players": 2}),
    ("squendo", {"players": 4, "take": "any"}),
]
SIMULATIONS = {"squendo": 15}
"""How many simulations to interpret, by game, if not 40: one of Squendo takes a twentieth of a second."""


def create_search(
    name: str, options: dict[str, Any], seed: int = 1, weights: tuple[float, ...] = (), max_nodes: int = MAX_NODES
) -> TreeSearch:
    """Return a search of what the seat to move sees at the start of a game, always the same deal."""
    position = fc.game(name, **options).start(seed=5)
    return TreeSearch(position.view(position.seat), seed, weights, max_nodes)


def run_new_search(
    name: str, options: dict[str, Any], simulations: int, seed: int = 1, weights: tuple[float, ...] = ()
) -> tuple[list[ActionStats], int]:
    """Run `simulations` of a new search, fewer if it is solved; return what it found, best first, and `used_nodes`."""
    search = create_search(name, options, seed, weights)
    search.advance(simulations)
    return search.rank_actions(), search.used_nodes


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_every_interpreted_simulation_visits_one_child_of_the_root(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No action is listed twice, and no share of a win is below 0 or above 1."""
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    search = create_search(name, options)
    count = SIMULATIONS.get(name, 40)
    search.advance(count)
    findings = search.rank_actions()
    assert search.simulations == count
    assert sum(finding.visits for finding in findings) == count
    assert len({finding.action for finding in findings}) == len(findings) <= search.choices
    assert all(0 <= finding.win <= 1 for finding in findings)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_interpreted_and_compiled_searches_agree_with_and_without_knowledge(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = fc.game(name).spec.part(ComputerPlay).levels
    for weights in ((), levels[len(levels) // 2].weights, levels[-1].weights):
        count = SIMULATIONS.get(name, 40) // (4 if weights else 1)
        compiled = run_new_search(name, options, count, weights=weights)
        with monkeypatch.context() as patch:
            patch.setattr(config, "DISABLE_JIT", 1)
            assert run_new_search(name, options, count, weights=weights) == compiled


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_results_depend_on_the_seed_but_not_on_how_simulations_are_divided_into_calls(
    name: str, options: dict[str, Any]
) -> None:
    whole = run_new_search(name, options, 3000)
    sliced = create_search(name, options)
    for count in (1, 2, 997, 1500, 500):
        sliced.advance(count)
    timed = create_search(name, options)
    timed.run(nodes=3000, seconds=None)
    assert (sliced.rank_actions(), sliced.used_nodes) == (timed.rank_actions(), timed.used_nodes) == whole
    assert run_new_search(name, options, 3000, seed=2) != whole


@pytest.mark.compiled
def test_concurrent_searches_do_not_affect_each_other() -> None:
    alone = [run_new_search(name, options, 2000) for name, options in GAMES]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda game: run_new_search(game[0], game[1], 2000), GAMES))
    assert together == alone


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_full_tree_stops_growing_and_simulations_continue(name: str, options: dict[str, Any]) -> None:
    search = create_search(name, options, max_nodes=256)
    search.advance(3000)
    assert search.simulations == 3000 or search.is_solved
    assert 128 < search.used_nodes <= 256
    assert sum(finding.visits for finding in search.rank_actions()) == search.simulations


@pytest.mark.compiled
def test_search_enlarges_its_action_buffer_when_positions_have_more_moves() -> None:
    search = create_search("squendo", {})
    old_length = len(search._buffers.actions)
    search.advance(3000)
    assert len(search._buffers.actions) > old_length
    # No simulation is lost.
    assert search.simulations == 3000


@pytest.mark.compiled
def test_search_proves_that_the_second_seat_wins_the_smallest_game_of_dots_and_boxes() -> None:
    search = create_search("dots-and-boxes", {"cols": 1, "rows": 1})
    search.advance(1000)
    assert search.is_solved
    assert search.simulations < 1000
    assert search.rank_actions()[0].margin == -1


@pytest.mark.compiled
@pytest.mark.parametrize(("cols", "rows", "nimber"), [(3, 3, 1), (3, 6, 2), (4, 6, 2), (5, 5, 0), (5, 6, 0)])
def test_search_proves_the_winner_of_small_games_of_sqez(cols: int, rows: int, nimber: int) -> None:
    search = create_search("sqez", {"cols": cols, "rows": rows})
    search.advance(400_000)
    assert search.is_solved
    # The first seat wins unless the nimber is 0.
    assert search.rank_actions()[0].win == (1.0 if nimber else 0.0)


@pytest.mark.compiled
def test_search_reports_progress_and_ends_soon_after_stop_is_set() -> None:
    stop = threading.Event()
    reports: list[SearchProgress] = []

    def stop_early(state: SearchProgress) -> None:
        """Keep every report; stop after the first with more than 30 per cent of the budget."""
        reports.append(state)
        if state.share > 0.3:
            stop.set()

    search = create_search("square-off", {})
    search.run(nodes=200_000, seconds=None, stop=stop, progress=stop_early)
    assert 60_000 < search.simulations < 200_000
    assert reports[-1].nodes == search.simulations
    assert [state.nodes for state in reports] == sorted(state.nodes for state in reports)
    assert all(0 <= state.share <= 1 for state in reports)


@pytest.mark.compiled
def test_search_whose_stop_is_already_set_runs_one_simulation() -> None:
    stop = threading.Event()
    stop.set()
    stopped = create_search("square-off", {})
    stopped.run(nodes=200_000, seconds=None, stop=stop)
    assert stopped.simulations == 1


@pytest.mark.compiled
def test_hidden_tiles_of_other_seats_do_not_affect_the_search() -> None:
    game = fc.game("squendo")
    deck = list(game.deck(seed=5))
    # Seat 0 draws the first four, seat 1 the next: exchange two of its tiles for tiles of the pile.
    exchanged = [*deck[:4], deck[20], deck[21], *deck[6:20], deck[4], deck[5], *deck[22:]]
    positions = [game.start(deck=deck), game.start(deck=exchanged)]
    assert positions[0] != positions[1]
    # The view of seat 0 is the same.
    searches = [TreeSearch(position.view(0), 3) for position in positions]
    for search in searches:
        search.advance(500)
    assert searches[0].rank_actions() == searches[1].rank_actions()
