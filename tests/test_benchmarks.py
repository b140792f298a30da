"""The work of the benchmarks, checked by counts because seconds depend on the machine."""

import random

import pytest

import fourcorners as fc
from benchmarks import labels, pictures, presets, rates, time_control

pytestmark = pytest.mark.compiled
SIZES = [(5, 60), (10, 220)]  # boxes a side, and edges


@pytest.mark.parametrize(("size", "edges"), SIZES)
def test_random_game_of_dots_and_boxes_draws_every_edge(size: int, edges: int) -> None:
    position = fc.game("dots-and-boxes", cols=size, rows=size).start()
    assert rates.play_random_games(position, 100) == 100 * edges
    assert len(rates.list_random_actions(position)) == edges


@pytest.mark.parametrize("name", fc.games())
def test_search_keeps_less_than_two_nodes_per_simulation_and_the_same_number_when_repeated(name: str) -> None:
    search = rates.run_tree_search(fc.game(name).start(seed=1), 3000)
    assert search.simulations == 3000
    assert search.used_nodes < 2 * 3000
    assert search.used_nodes == rates.run_tree_search(fc.game(name).start(seed=1), 3000).used_nodes


def test_largest_picture_is_that_of_a_sample_of_positions_of_a_finished_game() -> None:
    positions = pictures.play_random_game(fc.game("sqez", cols=5, rows=5))
    assert positions[-1].is_over
    # The sample is about ten positions, evenly spaced, as seat 0 sees them.
    found = pictures.measure_pictures(fc.game("sqez", cols=5, rows=5), rounds=1)
    assert found["largest_picture_gzip_bytes"] == max(
        pictures.count_gzip_bytes(pictures.draw_svg(p.view(0))) for p in positions[:: max(1, len(positions) // 10)]
    )


def test_times_of_a_whole_game_and_how_many_exceed_the_limit() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=2)  # twelve edges
    assert len(list(time_control.time_moves(game, 0.01, seed=1))) == 12
    assert len(list(time_control.time_moves(game, 0.01, seed=1, moves=5))) == 5
    moves = [time_control.Move(0.5, 10)] * 98 + [time_control.Move(1.2, 10), time_control.Move(3.0, 20)]
    found = {"moves": 100, "within": 0.99, "median": 0.5, "longest": 3.0, "nodes": 10}
    assert time_control.summarize(moves) == found


def test_every_game_has_presets_and_every_board_of_the_form_is_among_them() -> None:
    found = list(presets.list_presets())
    assert {preset.game for preset in found} == set(fc.games())
    assert [preset.options for preset in found if preset.game == "sqez"] == [
        {"cols": 10, "rows": 10},
        {},
        {"cols": 10, "rows": 10},
        {"cols": 14, "rows": 14},
        {},
    ]


def test_length_and_first_wins_of_a_preset() -> None:
    game = fc.game("sqez", cols=4, rows=4)  # one rectangle and the game is over
    found = presets.measure(game, presets.choose_at_random(random.Random(1)), 3)
    assert found == {"moves": 1, "first_wins": 1.0}


def test_labels_of_the_benchmark_are_exact() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=2)
    assert {len(position.moves()) for position in labels.play_positions(game, 20, 6)} == {1, 2, 3, 4, 5, 6}
    found = labels.measure_labels(game, 20, 6)
    assert found["exact"] == 1.0
    assert min(found["values_per_s"], found["every_move_per_s"], found["solves_per_s"]) > 0
