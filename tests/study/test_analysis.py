"""The analysis of positions: exact where that can be proven, honest bounds elsewhere, and nothing that is hidden."""

import random
import threading
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.study.analysis import Analyser
from fourcorners.study.analysis_run import AnalysisProgress

pytestmark = pytest.mark.compiled
SMALL: list[tuple[str, dict[str, Any], int]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 2}, 2),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 3, "blockers": 1}, 8),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 4, "teams": True, "blockers": 0}, 4),
    ("square-off", {"size": 4}, 8),
    ("sqez", {"cols": 6, "rows": 5}, 1),
]
LARGE: list[tuple[str, dict[str, Any], int]] = [
    ("dots-and-boxes", {}, 20),
    ("squarin-off", {}, 3),
    ("squarin-off", {"players": 3}, 3),
    ("square-off", {}, 4),
    ("squendo", {"players": 2}, 3),
    ("squendo", {"players": 3}, 3),
    ("sqez", {}, 2),
]


def play_randomly(name: str, options: dict[str, Any], plies: int, seed: int = 1) -> fc.Position:
    """Return a position after random moves; `seed` chooses them and shuffles the deck."""
    rng = random.Random(seed)
    position = fc.game(name, **options).start(seed=seed)
    for _ in range(plies):
        position = position.play(rng.choice(position.moves()))
    return position


def solve_moves(position: fc.Position) -> dict[str, int]:
    """Return the final margin that each move is worth to the seat to move, by the solver alone."""
    solution = fc.solve(position, every_move=True)
    return {move: value + solution.final_margin - solution.remaining_margin for move, value in solution.values.items()}


@pytest.mark.parametrize(("name", "options", "plies"), SMALL)
def test_small_position_is_analysed_exactly(name: str, options: dict[str, Any], plies: int) -> None:
    for seed in range(3):
        position = play_randomly(name, options, plies, seed)
        true = solve_moves(position)
        analysis = fc.analyse(position, lines=3, nodes=200_000, seed=1)
        assert len(analysis) == min(3, len(true))
        assert analysis.exact and analysis.lower == max(true.values())
        assert [line.final_margin for line in analysis] == sorted(true.values(), reverse=True)[:3]
        for line in analysis:
            assert line.exact and line.lower == line.upper == line.final_margin == true[line.move]
            end = position.play_line(line.line)
            assert line.line[0] == line.move
            assert line.win in {0.0, 1.0} or line.final_margin == 0
            if end.outcome is not None and len(position.game.options.parties) == 2:
                # The expected play leads to what it says.
                rivals = [seat for seat in range(position.game.seats) if (seat - analysis.seat) % 2]
                assert end.scores[analysis.seat] - end.scores[rivals[0]] == line.final_margin


@pytest.mark.parametrize(("name", "options", "plies"), SMALL)
def test_bounds_contain_the_true_value_with_any_limit(name: str, options: dict[str, Any], plies: int) -> None:
    position = play_randomly(name, options, plies)
    true = solve_moves(position)
    for nodes in (1, 20, 300):
        analysis = fc.analyse(position, lines=100, nodes=nodes, seed=1)
        assert len(analysis) == len(true)
        assert analysis.lower <= max(true.values()) <= analysis.upper
        # The bounds of the position are those of all moves, not only of the reported ones.
        fewer = fc.analyse(position, lines=1, nodes=nodes, seed=1)
        assert fewer.lower <= max(true.values()) <= fewer.upper
        for line in analysis:
            assert line.lower <= true[line.move] <= line.upper
            assert line.lower <= line.final_margin <= line.upper
            assert 0 < line.win < 1 or line.lower > 0 or line.upper < 0


@pytest.mark.parametrize(("name", "options", "plies"), LARGE)
def test_large_position_gets_estimates_within_bounds_and_the_node_limit(
    name: str, options: dict[str, Any], plies: int
) -> None:
    position = play_randomly(name, options, plies)
    analysis = fc.analyse(position, lines=4, nodes=300, seed=3)
    assert analysis == fc.analyse(position.view(position.seat), lines=4, nodes=300, seed=3)
    assert analysis.nodes <= 300 + 32  # an engine's last estimate may exceed the limit
    assert analysis.seat == position.seat
    assert analysis.upper - analysis.lower < 3000
    assert len({line.move for line in analysis}) == 4
    for line in analysis:
        assert line.move in position.moves()
        assert line.lower <= line.final_margin <= line.upper
        assert line.upper - line.lower < 3000
        assert position.play_line(line.line[:1]).game == position.game
        assert fc.Evaluation.parse(str(line.evaluate(analysis.seat))).seat == position.seat


def test_analysis_uses_nothing_that_the_seat_to_move_cannot_know() -> None:
    position = play_randomly("squendo", {"players": 2}, 4)
    view = position.view(position.seat)
    assert fc.analyse(position, nodes=200, seed=5) == fc.analyse(view, nodes=200, seed=5)
    assert all(line.line == (line.move,) for line in fc.analyse(view, nodes=200, seed=5))


def test_first_line_is_the_best_move_of_a_chain_ending() -> None:
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a2b2", "a1a2"])
    best = fc.analyse(position, lines=1)[0]
    assert (best.move, best.exact, best.win) == ("b1b2", True, 1.0)


def test_progress_has_lines_and_an_analysis_can_be_stopped() -> None:
    stop, seen = threading.Event(), []

    def watch(progress: AnalysisProgress) -> None:
        seen.append(progress)
        if len(seen) == 5:
            stop.set()

    position = play_randomly("square-off", {}, 3)
    analysis = fc.analyse(position, lines=2, seconds=3600, stop=stop, progress=watch)
    assert len(analysis) == 2
    assert 5 <= len(seen) < 20
    assert all(len(progress.lines) == 2 for progress in seen)
    assert [progress.nodes for progress in seen] == sorted(progress.nodes for progress in seen)
    assert 0 <= seen[0].share <= seen[-1].share <= 1


def test_progress_has_the_estimates_of_the_running_search_and_changes_no_result() -> None:
    seen: list[AnalysisProgress] = []
    position = play_randomly("square-off", {}, 3)
    fc.analyse(position, lines=2, seconds=1.0, seed=1, progress=seen.append)
    visits = [sum(line.nodes for line in progress.lines) for progress in seen]
    assert visits == sorted(visits)
    # More than the simulations that order the moves for the solvers.
    assert len(set(visits)) > 2 and visits[-1] > 1000
    watched = fc.analyse(position, lines=2, nodes=30_000, seed=1, progress=seen.append)
    assert watched == fc.analyse(position, lines=2, nodes=30_000, seed=1)


def test_event_that_is_set_before_ends_an_analysis_at_once_with_a_move() -> None:
    stop = threading.Event()
    stop.set()
    position = play_randomly("sqez", {}, 1)
    assert fc.analyse(position, lines=2, stop=stop)[0].move in position.moves()


def test_analyser_keeps_proofs_for_the_next_position() -> None:
    position = play_randomly("dots-and-boxes", {"cols": 3, "rows": 3}, 8)
    analyser = Analyser()
    first = analyser.analyse(position, lines=1, nodes=300_000)
    second = analyser.analyse(position, lines=1, nodes=300_000)
    assert first[0].exact and second[0].exact
    assert first[0].final_margin == second[0].final_margin
    assert second.nodes < first.nodes


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"lines": 0}, "lines: 0 is not allowed; it must be a whole number from 1 to 100"),
        ({"seconds": 0}, "seconds: 0 is not allowed; it must be a number above 0, at most 86400"),
        ({"seconds": float("nan")}, "seconds: nan is not allowed"),
        ({"nodes": True}, "nodes: True is not allowed; it must be a whole number from 1 to 1000000000"),
        ({"seed": "x"}, "seed: 'x' is not allowed"),
        ({"stop": 3}, "stop: 3 is not allowed"),
        ({"progress": 3}, "progress: 3 is not allowed"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(fc.OptionError) as caught:
        fc.analyse(fc.game("sqez").start(), **arguments)
    assert sentence in str(caught.value)


def test_only_the_view_of_the_seat_to_move_of_a_running_game_is_analysed() -> None:
    position = play_randomly("squendo", {}, 1)
    with pytest.raises(fc.GameError, match="that seat's view is needed"):
        fc.analyse(position.view(None))
    with pytest.raises(fc.GameError, match="3 cannot be analysed"):
        fc.analyse(3)  # type: ignore[arg-type]
    with pytest.raises(fc.GameError, match="the game is over"):
        fc.analyse(play_randomly("dots-and-boxes", {"cols": 1, "rows": 1}, 4))
