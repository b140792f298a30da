"""Conflict graphs of Sqez: every kind of reduction, and a canonical encoding."""

import random

import numpy as np
import pytest

from fourcorners.builtin.sqez.exact import conflict_graph
from fourcorners.builtin.sqez.exact.conflict_graph import Graph, encode_components, reduce_graph
from fourcorners.core.bits import ONE
from fourcorners.solvers.nimber_protocol import LONGEST, SINGLE


def build_graph(removes: list[int]) -> Graph:
    """Return a graph without dots, in which rectangle i removes those of the bit set `removes[i]`, and they remove it:
    the sets must be symmetric, and each must have its own rectangle.
    """
    graph = np.zeros((conflict_graph.ROWS, conflict_graph.ROOM), np.uint64)
    graph[conflict_graph.REMOVES, : len(removes)] = removes
    graph[conflict_graph.REMOVED_BY, : len(removes)] = removes
    return graph


def test_a_need_that_one_rectangle_can_frustrate_becomes_a_removal() -> None:
    # Rectangles 0 and 1 share an edge; 0 covers dot 0, the only one that 2 needs and which nothing else covers.
    graph = build_graph([0b011, 0b011, 0b100])
    graph[conflict_graph.COVERS, 0] = graph[conflict_graph.NEEDS, 2] = graph[conflict_graph.COVERED_BY, 0] = ONE
    assert int(reduce_graph(graph, np.uint64(0b111), 1)) == 0b111  # all three still matter
    # Now 0 removes 2 as well. 2 does not remove 0: it only needs the dot.
    assert graph[conflict_graph.REMOVES, :3].tolist() == [0b111, 0b011, 0b100]
    assert graph[conflict_graph.NEEDS, 2] == 0


def test_only_rectangles_that_another_can_replace_are_dropped() -> None:
    # In a path of three rectangles none can; of three that all remove each other, the first replaces both others.
    assert int(reduce_graph(build_graph([0b011, 0b111, 0b110]), np.uint64(0b111), 0)) == 0b111
    assert int(reduce_graph(build_graph([0b111, 0b111, 0b111]), np.uint64(0b111), 0)) == 0b001


def test_each_rectangle_without_conflicts_is_encoded_as_a_single_move() -> None:
    graph, out = build_graph([0b001, 0b010]), np.zeros(2 * LONGEST, np.uint64)
    remaining = reduce_graph(graph, np.uint64(0b11), 0)
    assert encode_components(graph, remaining, out, 0) == 2  # words written
    assert out[:2].tolist() == [int(SINGLE)] * 2


@pytest.mark.parametrize("seed", range(5))
def test_the_encoding_of_a_path_does_not_depend_on_the_order_of_its_rectangles(seed: int) -> None:
    rng = random.Random(seed)
    # A path of six rectangles: each removes itself and its neighbours, in both directions.
    edges = [(i, i + 1) for i in range(5)] + [(i, i) for i in range(6)]
    encodings = set()
    for _ in range(4):  # random orders
        names = rng.sample(range(6), 6)
        removes = [0] * 6
        for i, j in edges:
            removes[names[i]] |= 1 << names[j]
            removes[names[j]] |= 1 << names[i]
        graph, out = build_graph(removes), np.zeros(6 * LONGEST, np.uint64)
        end = encode_components(graph, reduce_graph(graph, np.uint64(0b111111), 0), out, 0)
        encodings.add(tuple(out[:end].tolist()))
    assert len(encodings) == 1
