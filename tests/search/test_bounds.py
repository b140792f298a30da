"""Margin bounds in the tree: they hold, they meet, and only moves that cannot be better are pruned."""

import random
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.search import backpropagation, tree
from fourcorners.search.tree_search import TreeSearch

# A board, and how many plies before the end of a game its positions are taken.
BOARDS = [
    ("dots-and-boxes", {"cols": 2, "rows": 2}, 7),
    pytest.param(
        "squarin-off", {"cols": 2, "rows": 1, "players": 4, "teams": True, "blockers": 1}, 6, marks=pytest.mark.ci
    ),
    pytest.param("square-off", {"size": 4}, 7, marks=pytest.mark.ci),
    ("sqez", {"cols": 5, "rows": 5}, 3),
]


def view_fields_as_attributes(memory: tree.Tree) -> tree.Tree:
    """Return a tree that shares the arrays of `memory`; fields of its nodes are attributes, as in compiled code."""
    return memory._replace(nodes=memory.nodes.view(np.recarray))


def build_tree(replies: dict[int, list[int]], seats: int = 2) -> tuple[tree.Tree, dict[int, int]]:
    """Return a tree of two plies, and the index of the node that each action leads to.

    `replies` maps each legal action of seat 0, at the root, to the legal actions of seat 1 after it. All action codes
    must differ, and all nodes with their free places must fit into 64. No node is visited or solved yet. `seats` may be
    larger than 2: the others then never move.
    """
    memory = tree.create_tree(64, seats)
    nodes = view_fields_as_attributes(memory)
    index_of: dict[int, int] = {}
    for action in replies:
        tree.add_child(nodes, 0, action, 0, 0.0)
    # Adding a child may move its siblings: only now are the indices of a node's children final.
    for i, action in enumerate(replies):
        index_of[action] = int(memory.nodes[0]["first_child"]) + i
        for reply in replies[action]:
            tree.add_child(nodes, index_of[action], reply, 1, 0.0)
        for k, reply in enumerate(replies[action]):
            index_of[reply] = int(memory.nodes[index_of[action]]["first_child"]) + k
    for index in (0, *index_of.values()):
        memory.nodes[index]["legal_count"] = memory.nodes[index]["child_count"]
    return memory, index_of


def prove_end(memory: tree.Tree, path: list[int], points: list[int], best_reward: float = 1.0) -> None:
    """Mark the last node of `path` as solved with these final points of the seats, and propagate that to the root.

    `path` lists node indices from the root, 0, down. Every seat is a party. `best_reward` is the largest reward seen so
    far: with 1.0 no result counts as the best possible, with 0.0 every win does. `memory` changes in place.
    """
    rewards = np.zeros((backpropagation.REWARD_ROWS, len(points)))
    rewards[backpropagation.BEST] = best_reward
    nodes = view_fields_as_attributes(memory)
    payoffs = backpropagation.Payoffs(np.array(points, float), rewards, np.arange(len(points)))
    backpropagation.mark_solved(nodes, path[-1], payoffs)
    backpropagation.propagate_proof(nodes, np.array(path, np.int64), len(path) - 1, payoffs)


def get_bounds(memory: tree.Tree, index: int) -> tuple[int, int]:
    """Return the lower and the upper bound of the margin of seat 0 in a node."""
    return int(memory.proofs[index, -2]), int(memory.proofs[index, -1])


def test_one_reply_can_refute_a_move_and_so_solve_the_root() -> None:
    memory, at = build_tree({10: [1, 2], 20: [3, 4]})
    prove_end(memory, [0, at[10], at[1]], [5, 3])
    prove_end(memory, [0, at[10], at[2]], [6, 3])
    # The best reply to 10 leaves seat 0 a lead of 2, the one to 20 a lead of 1 at most.
    assert get_bounds(memory, at[10]) == (2, 2)
    assert memory.nodes[at[10]]["solved"]
    assert get_bounds(memory, 0) == (2, tree.UNBOUNDED)
    assert not memory.nodes[0]["solved"]
    prove_end(memory, [0, at[20], at[3]], [4, 3])
    assert get_bounds(memory, at[20]) == (-tree.UNBOUNDED, 1)
    assert not memory.nodes[at[20]]["solved"]
    assert memory.nodes[0]["solved"]
    # The points of both seats, and the two bounds.
    assert memory.proofs[0].tolist() == [5, 3, 2, 2]


def test_only_a_move_that_cannot_be_better_is_pruned() -> None:
    memory, at = build_tree({10: [1], 20: [2, 3], 30: [4, 5]})
    # Seat 0 leads by 2 after 10; by 1 at most after 20, and by 6 at most after 30.
    prove_end(memory, [0, at[20], at[2]], [4, 3])
    prove_end(memory, [0, at[30], at[4]], [9, 3])
    prove_end(memory, [0, at[10], at[1]], [5, 3])
    pruned = [action for action in (10, 20, 30) if memory.stats[at[action], tree.PRIOR] == tree.PRUNED]
    assert pruned == [20]
    # The move 30 is still open, and with it the root.
    assert get_bounds(memory, 0) == (2, 6)
    assert not memory.nodes[0]["solved"]


def test_move_with_the_best_possible_result_solves_the_root_although_another_is_open() -> None:
    memory, at = build_tree({10: [1], 20: [2]})
    prove_end(memory, [0, at[10], at[1]], [9, 0], best_reward=0.0)
    assert memory.nodes[0]["solved"]


def test_node_whose_mover_cannot_win_alone_is_solved_only_if_its_best_moves_have_the_same_winners() -> None:
    memory, at = build_tree({10: [1, 2], 20: [3, 4], 30: [5, 6], 40: [7, 8]}, seats=3)
    # Seat 1 loses or shares the win whatever it replies. After 10 and 30 two replies are equally good for it, but with
    # other winners; after 40 the reply 7, by which it shares the win, is better than 8.
    ends = {
        1: [5, 2, 0],
        2: [0, 2, 5],
        3: [5, 1, 0],
        4: [6, 2, 0],
        5: [2, 2, 1],
        6: [1, 2, 2],
        7: [2, 2, 2],
        8: [9, 0, 0],
    }
    for action, points in ends.items():
        prove_end(memory, [0, at[10 * ((action + 1) // 2)], at[action]], points)
    assert [int(memory.nodes[at[action]]["solved"]) for action in (10, 20, 30, 40)] == [0, 1, 0, 1]
    assert memory.proofs[at[40], :3].tolist() == [2, 2, 2]
    assert not memory.nodes[0]["solved"]


def test_best_possible_result_for_the_first_of_three_seats_solves_the_root() -> None:
    memory, at = build_tree({10: [1, 2], 20: [3, 4]}, seats=3)
    # Whatever seat 1 replies to 20, seat 0 wins alone; nothing is known of 10.
    prove_end(memory, [0, at[20], at[3]], [5, 1, 0], best_reward=0.0)
    assert not memory.nodes[0]["solved"]
    prove_end(memory, [0, at[20], at[4]], [6, 2, 0], best_reward=0.0)
    assert memory.nodes[0]["solved"]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "left"), BOARDS)
def test_exact_margin_lies_within_the_bounds_of_every_unsolved_move(
    name: str, options: dict[str, Any], left: int
) -> None:
    """A solved move has the exact margin, or at least its sign.

    Once the search is solved, the move it ranks first is solved and not pruned; its margin, if not above 0, is exact.
    """
    # Partners are seats of the same parity, so seats 0 and 1 are of different parties.
    for seed in range(8):
        rng = random.Random(seed)
        line = [fc.game(name, **options).start()]
        while not line[-1].is_over:
            line.append(line[-1].play(rng.choice(line[-1].moves())))
        position = line[max(0, len(line) - 1 - left)]
        seat = position.seat
        assert seat is not None
        search = TreeSearch(position.view(seat), seed)
        search.advance(4000)
        solution = fc.solve(position, every_move=True, memory=1 << 20)
        lead = position.scores[seat] - position.scores[1 - seat % 2]
        sign = 1 if seat % 2 == 0 else -1
        memory, first = search._tree, int(search._tree.nodes[0]["first_child"])
        for i, child in enumerate(tree.get_children(memory, 0)):
            move = position.game.spec.notation.format(position.record, int(child["action"]))
            margin = sign * (solution.values[move] + lead)
            low, high = (int(bound) for bound in memory.proofs[first + i, -2:])
            if not child["solved"]:
                assert low <= margin <= high
            elif margin != low:
                # A move that is solved as a win of either side is not searched further for its margin.
                assert margin * low > 0
        best = search.rank_actions()[0]
        if search.is_solved:
            assert best.solved
            assert not best.pruned
        if search.is_solved and best.margin <= 0:
            assert best.margin == solution.remaining_margin + lead


@pytest.mark.compiled
def test_solved_search_chooses_a_best_move_with_its_exact_margin() -> None:
    # Here a pruned move may have the most visits.
    position = fc.game("dots-and-boxes", cols=2, rows=2).position("1 0,0 .-/|_|_./../|_._./.-")
    best = fc.solve(position, memory=1 << 20)
    solved = 0  # how many of the searches: the assertions must have been reached
    for seed in range(240, 250):
        search = TreeSearch(position.view(position.seat), seed)
        search.run(20_000, None)
        found = search.rank_actions()[0]
        if search.is_solved:
            solved += 1
            assert found.solved
            assert found.margin == best.remaining_margin
            assert position.game.spec.notation.format(position.record, found.action) in best.moves
    assert solved > 0


@pytest.mark.compiled
def test_proven_winner_among_three_parties_agrees_with_the_solver() -> None:
    game = fc.game("squarin-off", players=3, cols=2, rows=1, edition="classic")
    # Here the search once wrongly proved a win by b1c1, as it took a loser's first move for the only one.
    positions = [game.position("0 4,4,4 -./._._|/-.")]
    rng = random.Random(4)
    for _ in range(12):
        position = game.start()
        for _ in range(3):
            position = position.play(rng.choice(position.moves()))
        positions.append(position)
    solved = 0
    for position in positions:
        seat = position.seat or 0
        search = TreeSearch(position.view(seat), 1)
        search.run(40_000, None)
        if not search.is_solved:
            continue
        solved += 1
        found, solution = search.rank_actions()[0], fc.solve(position, every_move=True, memory=1 << 22)
        lead = position.scores[seat] - max(score for i, score in enumerate(position.scores) if i != seat)
        move = position.game.spec.notation.format(position.record, found.action)
        assert (
            np.sign(found.margin) == np.sign(lead + solution.values[move]) == np.sign(lead + solution.remaining_margin)
        )
    assert solved > 0
