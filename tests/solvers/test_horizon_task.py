"""The search to limited depths: what it proves is true, and slices and repetitions change nothing."""

import random

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from benchmarks.calibration.positions import read_positions
from fourcorners.builtin.squarin_off.exact import joints
from fourcorners.core.dispatch import view_record
from fourcorners.solvers import margin_protocol, margins
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.horizon_search import WIDE
from fourcorners.solvers.horizon_task import HorizonTask
from fourcorners.solvers.margin_protocol import NEVER, UNIT
from fourcorners.solvers.margins import MarginSolver, MarginTask
from tests.builtin.squarin_off.positions import is_known, play_random_game
from tests.require import require

MEMORY = 1 << 22


def create_task(position: fc.Position, enough: int = WIDE) -> HorizonTask:
    """Return the task of searching a position with empty memories."""
    boards, root = position.game.spec.part(ExactPlay).exact.enter(position.game.options, position.record)
    return HorizonTask(MarginSolver(position.game, MEMORY), boards, root, np.zeros(1 << 12, np.uint64), enough)


def find_move(position: fc.Position, code: int | None) -> str:
    """Return the move with this code, which must not be None."""
    assert code is not None
    boards, root = position.game.spec.part(ExactPlay).exact.enter(position.game.options, position.record)
    action = position.game.spec.part(ExactPlay).exact.find_action(position.record, boards, root, code)
    return position.game.spec.notation.format(position.record, action)


def list_codes(position: fc.Position) -> list[int]:
    """Return the codes of the moves that are searched."""
    boards, root = position.game.spec.part(ExactPlay).exact.enter(position.game.options, position.record)
    codes = np.zeros(len(position.moves()) + 2, np.int64)
    count = margin_protocol.moves(view_record(boards), view_record(root), codes)
    return [int(code) for code in codes[:count]]


def draw_position(rng: random.Random, least: int, most: int) -> fc.Position:
    """Return a position without blockers that has from `least` to `most` moves and is not known without search."""
    while True:
        position = play_random_game(rng, blockers=False)
        if least <= len(position.moves()) <= most and not is_known(position):
            return position


def check_proofs(rng: random.Random, least: int, most: int) -> None:
    """Assert that a search of a random position with `least` to `most` moves has valid bounds after each depth and at
    its end, and that its best move is then one.
    """
    position = draw_position(rng, least, most)
    solution = fc.solve(position, threads=1, every_move=True)
    task = create_task(position)
    while not task.advance(7):
        assert task.lower <= solution.remaining_margin <= task.upper
    assert task.lower == task.upper == solution.remaining_margin
    assert solution.values[find_move(position, task.proven_move)] == solution.remaining_margin


def test_interpreted_search_ends_with_the_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    rng = random.Random(1)
    for _ in range(12):
        check_proofs(rng, 2, 9)


@pytest.mark.compiled
@pytest.mark.parametrize("positions", [40, pytest.param(150, marks=pytest.mark.ci)])
def test_compiled_search_ends_with_the_exact_value(positions: int) -> None:
    rng = random.Random(2)
    for _ in range(positions):
        check_proofs(rng, 2, 22)


@pytest.mark.compiled
@pytest.mark.parametrize("first_table", [1 << 12, 1 << 24])
def test_slices_change_neither_nodes_nor_value_nor_move(first_table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margins, "_FIRST_TABLE", first_table)
    rng = random.Random(3)
    for _ in range(10):
        position = draw_position(rng, 20, 32)
        results = set()
        for nodes in (1, 13, 2_000):
            task = create_task(position)
            while task.nodes < 2_000 and not task.advance(min(nodes, 2_000 - task.nodes)):
                pass
            results.add((task.depth, task.nodes, task.value, task.move, task.proven_move, task.lower, task.upper))
        assert len(results) == 1


@pytest.mark.compiled
@pytest.mark.parametrize(("positions", "least"), [(20, 1), pytest.param(60, 5, marks=pytest.mark.ci)])
def test_search_is_done_once_enough_is_proven_by_its_move(positions: int, least: int) -> None:
    rng = random.Random(4)
    stopped_early = 0
    for _ in range(positions):
        position = draw_position(rng, 8, 22)
        solution = fc.solve(position, threads=1, every_move=True)
        task = create_task(position, enough=1)
        while not task.advance(50):
            pass
        assert (task.lower >= 1) == (solution.remaining_margin >= 1)
        if task.lower >= 1:
            assert solution.values[find_move(position, task.proven_move)] >= 1
            stopped_early += task.lower < task.upper
    assert stopped_early > least


@pytest.mark.compiled
def test_excluded_moves_are_searched_only_if_no_other_is_better() -> None:
    rng = random.Random(7)
    others_decide = all_are_searched = 0
    for _ in range(30):
        position = draw_position(rng, 8, 20)
        solution = fc.solve(position, threads=1, every_move=True)
        worth = {code: solution.values[find_move(position, code)] for code in list_codes(position)}
        most = rng.choice(list(worth.values()))
        excluded = [code for code, value in worth.items() if value <= most and rng.random() < 0.7]
        task = create_task(position)
        task.exclude(excluded, most)
        while not task.advance(1_000):
            assert task.lower <= solution.remaining_margin <= task.upper
        assert task.lower == task.upper == solution.remaining_margin
        assert task.proven_move is not None
        assert worth[task.proven_move] == solution.remaining_margin
        others_decide += most < solution.remaining_margin
        all_are_searched += all(code in excluded for code, value in worth.items() if value == solution.remaining_margin)
    assert min(others_decide, all_are_searched) >= 4


@pytest.mark.compiled
def test_proof_tells_which_moves_it_has_refuted_before_it_ends() -> None:
    rng, game = random.Random(6), fc.game("dots-and-boxes", cols=4, rows=4)
    refuted_moves = 0
    for _ in range(16):
        position = game.start()
        while len(position.moves()) > 22:
            following = position.play(rng.choice(position.moves()))
            if game.spec.part(ExactPlay).exact.enter(game.options, following.record)[1]["capturable"][0] == 0:
                position = following  # a capture would win nearly at once
        boards, root = game.spec.part(ExactPlay).exact.enter(game.options, position.record)
        proof = MarginTask(MarginSolver(game, MEMORY), *require(joints.convert_board(boards, root)), finds_move=True)
        proof.aim(0)
        refuted: set[int] = set()
        while not proof.advance(25):
            refuted |= {joints.convert_move(root, code) for code in proof.list_refuted_moves(0)}
        values = fc.solve(position, threads=1, every_move=True).values
        assert all(values[find_move(position, code)] < 0 for code in refuted)
        refuted_moves += len(refuted)
    assert refuted_moves > 10


@pytest.mark.compiled
def test_estimates_of_the_first_depth_are_in_the_limits_of_what_is_left() -> None:
    rng = random.Random(5)
    for _ in range(50):
        position = draw_position(rng, 8, 40)
        task = create_task(position)
        while task.depth < 1 and not task.advance(1):
            pass
        left = sum(int(value) for value in position.record.value) * UNIT
        assert -left <= task.value <= left


@pytest.mark.compiled
def test_refuted_share_grows_until_the_next_depth_answers_its_first_question() -> None:
    shares = []
    for valued in read_positions("dots-and-boxes", slice(0, 40, 2)):
        task, before = create_task(valued.position, enough=1), (0, 0.0)
        while not task.advance(1) and task.nodes < 1_000:
            share = task.measure_refuted_share()
            if share:
                assert task.latest_value == task.value > 0
                assert share < 1 and (task.depth != before[0] or share >= before[1])
                shares.append(share)
            before = task.depth, share
    assert len(set(shares)) > 10


@pytest.mark.compiled
def test_position_with_more_points_than_the_table_can_store_is_not_searched() -> None:
    # Five corridors of 20 boxes, worth 500 points, below two rows that are completed.
    game = fc.game("squarin-off", cols=20, rows=7, blockers=0, values=["5" * 20] * 7)
    border, completed, corridor = "-" * 20, "|" + "0|" * 20, "." + "_." * 20
    rows = [border, *(line for i in range(7) for line in (completed if i < 2 else corridor, border))]
    task = create_task(game.position("0 0,0 " + "/".join(rows)))
    assert task.count_plies_to_estimates() == NEVER
