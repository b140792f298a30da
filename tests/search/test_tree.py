"""The memory of a tree: blocks of children that grow, are left and used again."""

from __future__ import annotations

import numpy as np

from fourcorners.search import tree
from fourcorners.search.tree import Tree


def attributes(nodes: tree.Nodes) -> tree.Nodes:
    return nodes.view(np.recarray)


def add(memory: Tree, heap: tree.Heap, parent: int, action: int) -> int:
    return tree.add_child(attributes(memory.nodes), memory.rates, memory.proofs, heap, parent, action, 0, 0.5)


def test_children_stay_in_order_while_their_block_grows() -> None:
    memory, heap = tree.new_tree(64, 2), tree.new_heap()
    for action in range(9):
        child = add(memory, heap, 0, action)
        memory.rates[child, :2] = action, -action
        memory.nodes[child]["solved"] = 1
        memory.proofs[child, :2] = action, 7
    assert tree.children(memory.nodes, 0)["action"].tolist() == list(range(9))
    first = int(memory.nodes[0]["first"])
    assert memory.rates[first : first + 9, 0].tolist() == list(range(9))
    assert memory.proofs[first : first + 9, 0].tolist() == list(range(9))


def test_blocks_that_are_left_are_used_again() -> None:
    memory, heap = tree.new_tree(64, 2), tree.new_heap()
    for action in range(8):
        add(memory, heap, 0, action)
    used = int(heap[tree.USED])
    child = int(memory.nodes[0]["first"])
    for action in range(4):
        add(memory, heap, child, action)
    # The root left blocks of 1, 2 and 4 nodes, which is what the child needs in turn.
    assert heap[tree.USED] == used == 1 + 1 + 2 + 4 + 8
    assert tree.children(memory.nodes, child)["action"].tolist() == [0, 1, 2, 3]


def test_a_full_array_takes_no_child_and_loses_none() -> None:
    memory, heap = tree.new_tree(8, 2), tree.new_heap()
    taken = [action for action in range(6) if add(memory, heap, 0, action) >= 0]
    assert taken == [0, 1, 2, 3]
    assert tree.children(memory.nodes, 0)["action"].tolist() == taken
    memory = memory.grown(32)
    assert add(memory, heap, 0, 4) > 0
    assert tree.children(memory.nodes, 0)["action"].tolist() == [0, 1, 2, 3, 4]


def test_what_is_solved_ranks_by_its_worth_and_the_rest_by_visits() -> None:
    memory, heap = tree.new_tree(16, 2), tree.new_heap()
    #        visits, mean, solved
    table = [(50, 0.5, 0), (80, 0.6, 0), (9, 0.7, 1), (90, 0.1, 1), (80, 0.6, 0)]
    for action in range(len(table)):
        add(memory, heap, 0, action)
    first = int(memory.nodes[0]["first"])
    for i, (visits, mean, solved) in enumerate(table):
        memory.nodes[first + i]["visits"] = visits
        memory.nodes[first + i]["solved"] = solved
        memory.rates[first + i, 0] = mean
    assert [child - first for child in tree.ranked(memory, 0)] == [2, 1, 4, 0, 3]
    memory.rates[first + 1, 2] = tree.GIVEN_UP
    assert [child - first for child in tree.ranked(memory, 0)] == [2, 4, 0, 3, 1]
    memory.nodes[0]["solved"] = 1
    assert [child - first for child in tree.ranked(memory, 0)] == [2, 3, 1, 4, 0]


def test_the_tree_below_a_node_is_all_that_hangs_from_it() -> None:
    memory, heap = tree.new_tree(64, 2), tree.new_heap()
    one = add(memory, heap, 0, 10)
    add(memory, heap, 0, 20)
    two = int(tree.children(memory.nodes, 0)["action"].tolist().index(20)) + int(memory.nodes[0]["first"])
    for action in (1, 2, 3):
        add(memory, heap, two, action)
    first = int(memory.nodes[two]["first"])
    add(memory, heap, first + 1, 7)
    assert one >= 0
    below = memory.below(two, heap)
    assert tree.children(below.nodes, 0)["action"].tolist() == [1, 2, 3]
    assert int(below.nodes[0]["action"]) == 20
    second = int(below.nodes[0]["first"]) + 1
    assert tree.children(below.nodes, second)["action"].tolist() == [7]
    assert int(heap[tree.USED]) == 1 + 4 + 1
    # The block for four has room for one more, and the order of trying stays that of the node.
    assert add(below, heap, 0, 4) == int(below.nodes[0]["first"]) + 3
    assert int(below.nodes[0]["salt"]) == int(memory.nodes[two]["salt"])
