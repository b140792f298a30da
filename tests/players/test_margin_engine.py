"""The engine for two parties: proven choices are right, limits hold, and seeds repeat choices."""

import random
import threading

import pytest

import fourcorners as fc
from benchmarks.calibration.positions import read_positions
from fourcorners.core.game import Position
from fourcorners.core.slices import Budget
from fourcorners.players.margin_engine import Finding, MarginEngine, can_play
from fourcorners.search.tree_search import SearchProgress
from fourcorners.solvers.horizon_task import HorizonTask
from fourcorners.solvers.margins import MarginSolver
from tests.builtin.squarin_off.positions import play_random_game


def create_engine(game: fc.Game) -> MarginEngine:
    return MarginEngine(game, MarginSolver(game, 1 << 24))


def choose(position: Position, max_nodes: int) -> Finding | None:
    """Return what a new engine finds with a number of nodes."""
    view = position.view(position.seat)
    return create_engine(position.game).choose(view, Budget(), max_nodes)


def draw_position(rng: random.Random, cols: int, rows: int, left: int) -> Position:
    """Return a position of Dots and Boxes with `left` free edges after random moves, few of which complete a box."""
    position = fc.game("dots-and-boxes", cols=cols, rows=rows).start()
    while len(position.moves()) > left:
        after = [position.play(move) for move in rng.sample(position.moves(), 3)]
        position = next((each for each in after if each.scores == position.scores), after[0])
    return position


def test_engine_plays_games_of_two_seats_whose_nodes_have_estimates() -> None:
    assert can_play(fc.game("dots-and-boxes", cols=3, rows=3))
    assert can_play(fc.game("squarin-off", blockers=0))
    assert not can_play(fc.game("squarin-off", players=3))
    assert not can_play(fc.game("squarin-off", players=4, teams=True))
    assert not can_play(fc.game("sqez"))
    assert not can_play(fc.game("squendo"))


@pytest.mark.compiled
def test_proven_choices_are_best_for_winning_and_proven_margins_true() -> None:
    rng = random.Random(1)
    proven = 0
    for _ in range(120):
        position = play_random_game(rng, blockers=False)
        if len(position.moves()) < 2 or len(position.moves()) > 24:
            continue
        finding = choose(position, rng.choice([1_000, 3_000, 50_000]))
        if finding is None or not finding.is_proven:
            continue
        seat, action = position.seat or 0, finding.action
        move = position.game.spec.notation.format(position.record, action)
        solution = fc.solve(position, threads=1, every_move=True)
        present = position.scores[seat] - position.scores[1 - seat]
        best, own = present + solution.remaining_margin, present + solution.values[move]
        assert finding.win == (best > 0) + 0.5 * (best == 0)
        assert (own > 0) + 0.5 * (own == 0) == finding.win
        # A proven win may be larger than is proven, and so may a loss that is not yet counted out be smaller.
        assert finding.margin <= own if finding.win == 1 else finding.win == 0 or own == finding.margin == 0
        proven += 1
    assert proven > 60


@pytest.mark.compiled
def test_unproven_chance_is_never_certain() -> None:
    rng = random.Random(2)
    unproven = 0
    for _ in range(25):
        finding = choose(draw_position(rng, 5, 5, rng.randint(36, 41)), 1_000)
        if finding is not None and not finding.is_proven:
            assert 0.0 < finding.win < 1.0
            assert (finding.win > 0.5) == (finding.margin > 0)
            unproven += 1
    assert unproven > 5


@pytest.mark.compiled
def test_moves_that_the_next_depth_has_refuted_lower_chance_and_margin_but_change_no_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lower, positions = 0, [valued.position for valued in read_positions("dots-and-boxes", slice(0, 40, 2))]
    findings = [choose(position, 2_000) for position in positions]
    monkeypatch.setattr(HorizonTask, "measure_refuted_share", lambda _: 0.0)
    for position, finding in zip(positions, findings, strict=True):
        other = choose(position, 2_000)
        if finding is None or other is None:
            assert finding == other
            continue
        assert (finding.action, finding.nodes) == (other.action, other.nodes)
        assert finding.win <= other.win and finding.margin <= other.margin
        lower += finding.win < other.win
    assert lower > 3


@pytest.mark.compiled
def test_nodes_are_a_limit_and_repeat_a_choice() -> None:
    rng = random.Random(3)
    found = 0
    for _ in range(12):
        position = draw_position(rng, 5, 5, rng.randint(30, 40))
        for nodes in (800, 2_000, 5_000):
            first, second = choose(position, nodes), choose(position, nodes)
            assert first == second
            if first is not None:
                assert first.nodes <= nodes
                found += 1
    assert found > 20


@pytest.mark.compiled
def test_too_few_nodes_and_positions_far_from_the_end_are_left_to_others() -> None:
    rng = random.Random(4)
    assert choose(draw_position(rng, 5, 5, 36), 700) is None
    assert choose(fc.game("dots-and-boxes", cols=5, rows=5).start(), 1_000) is None
    assert choose(fc.game("dots-and-boxes", cols=12, rows=12).start(), 1_000) is None


@pytest.mark.compiled
def test_a_position_far_from_the_end_is_left_to_others_when_no_time_is_left() -> None:
    position = draw_position(random.Random(4), 5, 5, 54)
    view = position.view(position.seat)
    assert create_engine(position.game).choose(view, Budget(seconds=0.0), None) is None


@pytest.mark.compiled
def test_more_nodes_are_worth_a_search_farther_from_the_end() -> None:
    stop = threading.Event()
    stop.set()  # whether it would search is enough
    views = [each.view(each.seat) for each in (draw_position(random.Random(seed), 5, 5, 47) for seed in range(10))]
    engine = create_engine(views[0].game)
    few, many = (
        [engine.choose(view, Budget(None, None, stop), nodes) for view in views] for nodes in (20_000, 200_000)
    )
    assert sum(finding is not None for finding in few) < sum(finding is not None for finding in many)


@pytest.mark.compiled
def test_stop_ends_the_engine_with_a_legal_move() -> None:
    position = draw_position(random.Random(5), 5, 5, 38)
    stop = threading.Event()
    reports: list[SearchProgress] = []

    def stop_early(state: SearchProgress) -> None:
        reports.append(state)
        stop.set()

    choice = fc.Computer(seconds=3600.0).choose(position, stop, stop_early)
    assert choice.move in position.moves()
    assert len(reports) >= 1 and reports[0].nodes > 0 and 0 <= reports[0].share < 0.1


@pytest.mark.compiled
def test_strongest_level_keeps_to_its_nodes_and_repeats_its_choice() -> None:
    position = draw_position(random.Random(6), 5, 5, 37)
    choices = {fc.Computer(nodes=500, seed=7).choose(position) for _ in range(2)}
    assert len(choices) == 1
    choice = choices.pop()
    assert choice.nodes <= 500 and choice.line == (choice.move,) and choice.move in position.moves()


@pytest.mark.compiled
def test_what_was_proven_for_one_move_is_known_for_the_next() -> None:
    position = draw_position(random.Random(8), 4, 4, 24)
    engine = create_engine(position.game)
    first = engine.choose(position.view(position.seat), Budget(), 1_000_000)
    assert first is not None and first.is_proven
    after = position.play(position.game.spec.notation.format(position.record, first.action))
    kept = engine.choose(after.view(after.seat), Budget(), 1_000_000)
    fresh = choose(after, 1_000_000)
    assert kept is not None and fresh is not None
    assert (kept.win, kept.is_proven) == (fresh.win, True)
    assert kept.nodes < fresh.nodes
