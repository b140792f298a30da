"""Nodes of joints and paths are worth what the positions are worth, and so are their moves."""

import functools
import random
from itertools import pairwise

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact import joints, margin
from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.joint_graph import CHAIN, LOOP, add_component
from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND
from fourcorners.core.arrays import States
from fourcorners.core.dispatch import view_record
from fourcorners.core.jit import kernel, rare
from fourcorners.solvers import margin_protocol
from fourcorners.solvers.margin_protocol import GAIN, LINK_COLUMNS, OTHER, TURN, Work, create_work
from fourcorners.solvers.margins import MarginSolver, MarginTask
from fourcorners.solvers.null_window import compute_link_bounds
from tests.builtin.squarin_off.positions import set_up_chains
from tests.require import require

_GROUND_BOX = 1_000  # in lists of strings, in place of a box
# Margins for the seat that begins, by columns and rows, published or found by two methods.
KNOWN = {(1, 1): -1, (2, 1): 0, (4, 1): 0, (2, 2): 2, (3, 2): -2, (4, 2): 2, (3, 3): -3}


def create_task(solver: MarginSolver, position: fc.Position) -> MarginTask:
    """Return the task of finding a position's margin with joints."""
    return MarginTask(solver, *require(joints.convert_board(*margin.enter(None, position.record))))


def solve(task: MarginTask) -> int:
    """Return the margin that a task finds."""
    while not task.is_done:
        task.advance(10_000)
    return task.lower


def play_at_random(rng: random.Random, game: fc.Game, left: int) -> fc.Position:
    """Return a position with `left` legal moves, reached by random ones."""
    position = game.start()
    while len(position.moves()) > left:
        position = position.play(rng.choice(position.moves()))
    return position


def check_moves(position: fc.Position) -> set[int]:
    """Assert that each move of the root is worth what its action is; return the moves' codes."""
    values = fc.solve(position, threads=1, every_move=True).values
    solver = MarginSolver(position.game, 1 << 20)
    old = margin.enter(None, position.record)
    boards, nodes = require(joints.convert_board(*old))
    board, node = view_record(boards), view_record(nodes)
    codes = np.zeros(int(board.most_links), np.int64)
    count = joints.moves(board, node, codes)
    for code in map(int, codes[:count]):
        children, link = nodes.copy(), np.zeros(LINK_COLUMNS, np.int64)
        joints.follow(board, node, code, view_record(children), link)
        worth, _ = compute_link_bounds(link, *(2 * (solve(MarginTask(solver, boards, children)),)), 1)
        action = margin.find_action(position.record, *old, joints.convert_move(old[1], code))
        move = position.game.spec.notation.format(position.record, action)
        goes_on = position.play(move).seat == position.seat
        assert values[move] >= worth if goes_on else values[move] == worth
    return {int(code) for code in codes[:count]}


def compare_with_solver(rng: random.Random, sizes: list[tuple[int, int, int]], count: int) -> int:
    """Assert that `count` random positions of each size (columns, rows, most free edges) have the values that
    `fc.solve` finds; return how many were compared.
    """
    compared = 0
    for cols, rows, most in sizes:
        game = fc.game("dots-and-boxes", cols=cols, rows=rows)
        solver = MarginSolver(game, 1 << 20)
        for _ in range(count):
            position = play_at_random(rng, game, rng.randint(2, most))
            if not position.is_over:
                assert (
                    solve(create_task(solver, position)) == fc.solve(position, threads=1, moves=False).remaining_margin
                )
                compared += 1
    return compared


def test_interpreted_values_agree_with_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert compare_with_solver(random.Random(1), [(2, 2, 9), (3, 3, 12)], 12) >= 20


@pytest.mark.compiled
def test_values_agree_with_the_solver() -> None:
    sizes = [(5, 1, 16), (3, 2, 17), (3, 3, 24), (4, 4, 24), (5, 5, 26), (7, 7, 26)]
    assert compare_with_solver(random.Random(2), sizes, 40) >= 200


@pytest.mark.compiled
@pytest.mark.parametrize(("cols", "rows"), KNOWN)
def test_known_boards_have_their_margins(cols: int, rows: int) -> None:
    game = fc.game("dots-and-boxes", cols=cols, rows=rows)
    assert solve(create_task(MarginSolver(game, 1 << 22), game.start())) == KNOWN[cols, rows]


@pytest.mark.compiled
@pytest.mark.parametrize("games", [8, pytest.param(20, marks=pytest.mark.ci)])
def test_actions_of_moves_are_worth_what_the_moves_are(games: int) -> None:
    rng = random.Random(3)
    game = fc.game("dots-and-boxes", cols=4, rows=4)
    codes: set[int] = set()
    for _ in range(games):
        position = play_at_random(rng, game, rng.randint(6, 18))
        while not position.is_over:
            seat, found = position.seat or 0, check_moves(position)
            codes |= found
            if margin.TAKE not in found:
                break
            position = position.play(next(m for m in position.moves() if position.play(m).seat != 1 - seat))
    codes |= check_moves(set_up_chains(6, 5))
    assert {margin.TAKE, margin.HAND_OUT} <= codes
    assert any(code < margin.OPEN for code in codes) and any(margin.OPEN <= code < margin.PASS for code in codes)


@pytest.mark.compiled
@pytest.mark.parametrize(("positions", "least"), [(5, 60), pytest.param(40, 500, marks=pytest.mark.ci)])
def test_key_after_moves_is_that_of_the_position(positions: int, least: int) -> None:
    rng = random.Random(4)
    game = fc.game("dots-and-boxes", cols=5, rows=5)
    compared = 0
    for _ in range(positions):
        position = play_at_random(rng, game, rng.randint(40, 58))
        old = margin.enter(None, position.record)
        boards, nodes = require(joints.convert_board(*old))
        board, node = view_record(boards), view_record(nodes)
        codes = np.zeros(int(board.most_links), np.int64)
        for code in map(int, codes[: joints.moves(board, node, codes)]):
            children, link = nodes.copy(), np.zeros(LINK_COLUMNS, np.int64)
            joints.follow(board, node, code, view_record(children), link)
            if link[GAIN] != 0 or link[TURN] != OTHER:
                continue  # boxes were given away, and the position still has them
            action = margin.find_action(position.record, *old, joints.convert_move(old[1], code))
            after = position.play(game.spec.notation.format(position.record, action))
            again = require(joints.convert_board(*margin.enter(None, after.record)))
            assert joints.key(board, view_record(children)) == joints.key(*map(view_record, again))
            compared += 1
    assert compared > least


def test_long_lists_of_chains_and_loops_have_their_values() -> None:
    """A large board can list 64 of them."""

    @functools.cache
    def solve_list(chains: int, loops: int) -> int:
        """Return the value of chains of three and loops of four for the party to move."""
        values = [2 - 3 - abs(2 + solve_list(chains - 1, loops))] if chains else []
        values += [4 - 4 - abs(4 + solve_list(chains, loops - 1))] if loops else []
        return max(values, default=0)

    for chains, loops in ((32, 32), (24, 24), (64, 0), (1, 63)):
        boards, nodes = np.zeros(1, joints.BOARD), np.zeros(1, joints.NODE)
        board, node = view_record(boards), view_record(nodes)
        node.left, node.handout = 3 * chains + 4 * loops, NO_HANDOUT
        for kind, length, count in ((CHAIN, 3, chains), (LOOP, 4, loops)):
            for _ in range(count):
                add_component(node, kind, length)
        assert joints.limits(board, node) == (solve_list(chains, loops),) * 2


def list_free_strings(boards: States, nodes: States) -> list[list[int]]:
    """Return the boxes that the free strings of a node join, as pairs in order, or _GROUND_BOX."""
    board, free = view_record(boards), int(nodes["free"][0])
    boxes = [*map(int, board.box[:GROUND]), _GROUND_BOX]
    return sorted(sorted(boxes[end] for end in ends) for i, ends in enumerate(board.ends) if free >> i & 1)


@pytest.mark.compiled
def test_strings_after_moves_are_those_of_the_position() -> None:
    rng = random.Random(5)
    game = fc.game("dots-and-boxes", cols=5, rows=5)
    compared = 0
    for _ in range(6):
        position = play_at_random(rng, game, rng.randint(30, 50))
        while not position.is_over:
            old = margin.enter(None, position.record)
            boards, nodes = joints.convert_board(*old) or (None, None)
            assert boards is not None and nodes is not None
            assert list_free_strings(boards, nodes) == list_free_strings(*old)
            codes = np.zeros(int(boards["most_links"][0]), np.int64)
            count = joints.moves(view_record(boards), view_record(nodes), codes)
            code, link = int(rng.choice(codes[:count])), np.zeros(LINK_COLUMNS, np.int64)
            joints.follow(view_record(boards), view_record(nodes.copy()), code, view_record(nodes), link)
            action = margin.find_action(position.record, *old, joints.convert_move(old[1], code))
            position = position.play(game.spec.notation.format(position.record, action))
            if code not in (margin.TAKE, margin.HAND_OUT):
                after = margin.enter(None, position.record)
                assert list_free_strings(boards, nodes) == list_free_strings(*after)
                compared += 1
    assert compared > 50


@rare
@kernel
def _estimate(boards: States, nodes: States, work: Work) -> tuple[int, int]:
    return (
        margin_protocol.count_plies_to_estimates(boards[0], nodes[0], work),
        margin_protocol.estimate(boards[0], nodes[0], work),
    )


@pytest.mark.compiled
def test_estimates_are_those_of_strings() -> None:
    """They may differ where several paths are equally short, as these are opened in another order."""
    rng = random.Random(6)
    equal = 0
    for _ in range(100):
        size = rng.randint(3, 5)
        position = play_at_random(rng, fc.game("dots-and-boxes", cols=size, rows=size), rng.randint(6, 2 * size * size))
        old = margin.enter(None, position.record)
        new = require(joints.convert_board(*old))
        (old_plies, old_value), (plies, value) = (
            _estimate(*nodes, create_work(nodes[1].dtype, int(nodes[0]["most_plies"][0]), np.zeros(1 << 12, np.uint64)))
            for nodes in (old, new)
        )
        assert plies == old_plies
        equal += value == old_value
    assert equal > 90


def test_positions_with_blockers_or_values_are_not_simple() -> None:
    for options in ({"blockers": 1}, {"blockers": 0, "values": "2"}, {"blockers": 0, "values": ["12", "11"]}):
        position = fc.game("squarin-off", cols=2, rows=2, **options).start()
        assert joints.convert_board(*margin.enter(None, position.record)) is None
    plain = fc.game("squarin-off", cols=2, rows=2, blockers=0, values="1").start()
    assert joints.convert_board(*margin.enter(None, plain.record)) is not None


def test_a_chain_worth_more_than_a_node_can_hold_is_left_to_the_other_nodes() -> None:
    # The chain runs through twenty boxes and back, and is open at its first box and at its last.
    dots = "abcdefghijklmnopqrstu"
    up = ["u1u2", "u2u3"]
    across = [f"{one}{row}{two}{row}" for row in (1, 2, 3) for one, two in pairwise(dots)]
    moves = [*up, *(edge for edge in across if edge != "t2u2")]
    for inner, length in ((1, 40), (2, 40 + 36)):
        values = ["11" + str(inner) * 18] * 2
        position = fc.game("squarin-off", cols=20, rows=2, blockers=0, values=values).replay(moves)
        old = margin.enter(None, position.record)
        assert int(view_record(old[1]).chain_value[0]) == length
        assert (joints.convert_board(*old) is None) == (length == 40 + 36)
