"""The memory of a tree: blocks of children that grow, are freed and reused."""

import numpy as np

from fourcorners.search import tree
from fourcorners.search.tree import Tree


def add_child(memory: Tree, parent: int, action: int) -> int:
    """Add a child of seat 0 with the prior 0.5, in place; return its index, or -1 if the tree has no room.

    Compiled code reads fields as attributes; interpreted code needs a view of the nodes that allows this.
    """
    return tree.add_child(memory._replace(nodes=memory.nodes.view(np.recarray)), parent, action, 0, 0.5)


def test_children_keep_their_order_and_values_while_the_block_grows() -> None:
    memory = tree.create_tree(64, 2)
    for action in range(9):
        child = add_child(memory, 0, action)
        memory.stats[child, [tree.MEAN, tree.WIDTH]] = action, -action
        memory.nodes[child]["solved"] = 1
        memory.proofs[child, :2] = action, 7
    assert tree.get_children(memory, 0)["action"].tolist() == list(range(9))
    first = int(memory.nodes[0]["first_child"])
    stats = [[action, -action, 0.5] for action in range(9)]
    assert memory.stats[first : first + 9, [tree.MEAN, tree.WIDTH, tree.PRIOR]].tolist() == stats
    assert memory.nodes[first : first + 9]["solved"].tolist() == [1] * 9
    assert memory.proofs[first : first + 9, :2].tolist() == [[action, 7] for action in range(9)]


def test_freed_blocks_are_reused() -> None:
    memory = tree.create_tree(64, 2)
    for action in range(8):
        add_child(memory, 0, action)
    used = int(memory.allocator[tree.USED])
    child = int(memory.nodes[0]["first_child"])
    for action in range(4):
        add_child(memory, child, action)
    # The root freed blocks of 1, 2 and 4 nodes, which the child needs in turn.
    assert memory.allocator[tree.USED] == used == 1 + 1 + 2 + 4 + 8
    assert tree.get_children(memory, child)["action"].tolist() == [0, 1, 2, 3]


def test_full_tree_rejects_children_until_it_is_grown() -> None:
    # The root and the blocks of 1, 2 and 4 children fill 8 nodes; the next block would take 8 more.
    memory = tree.create_tree(8, 2)
    taken = [action for action in range(6) if add_child(memory, 0, action) >= 0]
    assert taken == [0, 1, 2, 3]
    assert tree.get_children(memory, 0)["action"].tolist() == taken
    memory = memory.grow(32)
    assert add_child(memory, 0, 4) > 0
    assert tree.get_children(memory, 0)["action"].tolist() == [0, 1, 2, 3, 4]


def test_solved_children_rank_by_mean_and_others_by_visits_and_pruned_ones_last() -> None:
    memory = tree.create_tree(16, 2)
    #        visits, mean, solved
    table = [(50, 0.5, 0), (80, 0.6, 0), (9, 0.7, 1), (90, 0.1, 1), (80, 0.6, 0)]
    for action in range(len(table)):
        add_child(memory, 0, action)
    first = int(memory.nodes[0]["first_child"])
    for i, (visits, mean, solved) in enumerate(table):
        memory.nodes[first + i]["visits"] = visits
        memory.nodes[first + i]["solved"] = solved
        memory.stats[first + i, tree.MEAN] = mean
    # The mean of 2 is above that of 1, the most visited one together with 4; the mean of 3 is below.
    assert [child - first for child in tree.rank_children(memory, 0)] == [2, 1, 4, 0, 3]
    memory.stats[first + 1, tree.PRIOR] = tree.PRUNED
    assert [child - first for child in tree.rank_children(memory, 0)] == [2, 4, 0, 3, 1]
    # In a solved node all unsolved children count as pruned.
    memory.nodes[0]["solved"] = 1
    assert [child - first for child in tree.rank_children(memory, 0)] == [2, 3, 1, 4, 0]


def test_extracted_subtree_contains_all_descendants_and_can_grow() -> None:
    memory = tree.create_tree(64, 2)
    add_child(memory, 0, 10)
    node = add_child(memory, 0, 20)
    for action in (1, 2, 3):
        add_child(memory, node, action)
    first = int(memory.nodes[node]["first_child"])
    add_child(memory, first + 1, 7)
    subtree = memory.extract_subtree(node)
    assert tree.get_children(subtree, 0)["action"].tolist() == [1, 2, 3]
    assert int(subtree.nodes[0]["action"]) == 20
    second = int(subtree.nodes[0]["first_child"]) + 1
    assert tree.get_children(subtree, second)["action"].tolist() == [7]
    assert int(subtree.allocator[tree.USED]) == 1 + 4 + 1
    # The block of four has room for one more child, and the node keeps its salt.
    assert add_child(subtree, 0, 4) == int(subtree.nodes[0]["first_child"]) + 3
    assert int(subtree.nodes[0]["salt"]) == int(memory.nodes[node]["salt"])
