"""Certificates of strings and coins: equal ones mean isomorphic graphs and, on these boards, the other way round."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact.isomorphism import compute_certificate
from fourcorners.builtin.squarin_off.exact.margin import enter
from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND
from fourcorners.core.arrays import States
from fourcorners.core.dispatch import view_record

Graph = tuple[tuple[int, ...], ...]


def build_empty_board(cols: int, rows: int, values: dict[int, int]) -> tuple[States, States]:
    """Return arrays of one board and one node for the start without blockers; coins not in `values` are worth 1."""
    game = fc.game("dots-and-boxes", cols=cols, rows=rows)
    options: Any = game.options
    boards, nodes = enter(options, game.start().record)
    for coin, value in values.items():
        boards[0]["value"][coin] = value
    return boards, nodes


def find_canonical_form(boards: States, free: int) -> Graph:
    """Return the least matrix among all orders of the coins that hold any of the strings `free` (a mask).

    A row holds the strings of a coin to each other coin and to the ground, and its value.
    """
    b = view_record(boards)
    n = int(b.coin_count)
    between = np.zeros((n, n + 2), int)
    for i in range(64):
        if free >> i & 1:
            one, two = (int(end) for end in b.ends[i])
            for end, other in ((one, two), (two, one)):
                if end != GROUND:
                    between[end, n if other == GROUND else other] += 1
    held = [i for i in range(n) if between[i].any()]
    between[held, n + 1] = b.value[held]
    return min(
        tuple(tuple(between[i, [*order, n, n + 1]].tolist()) for i in order) for order in itertools.permutations(held)
    )


def certify(boards: States, nodes: States, free: int, blocked: int = 0) -> tuple[int, int]:
    """Return the certificate for a set of free strings and one of blocked coins, both masks.
    The node's `free` and `blocked` are overwritten, and so is the scratch space of the board.
    """
    n = view_record(nodes)
    n.free, n.blocked = np.uint64(free), np.uint64(blocked)
    one, two = compute_certificate(view_record(boards), n)
    return int(one), int(two)


@pytest.mark.parametrize(
    ("cols", "rows", "values", "count"),
    [
        pytest.param(2, 2, {}, 4096, marks=pytest.mark.ci),
        (2, 2, {0: 2, 3: 2}, 1000),
        (3, 2, {}, 60),
        (5, 1, {}, 300),
    ],
)
def test_certificates_are_equal_exactly_for_isomorphic_graphs(
    cols: int, rows: int, values: dict[int, int], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Interpreted: compiling would take longer.
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    rng = random.Random(1)
    boards, nodes = build_empty_board(cols, rows, values)
    edges = int(nodes[0]["free"]).bit_length()
    chosen = range(count) if count == 1 << edges else [rng.getrandbits(edges) for _ in range(count)]
    graphs: dict[tuple[int, int], Graph] = {}
    certificates: dict[Graph, tuple[int, int]] = {}
    for free in chosen:
        certificate, graph = certify(boards, nodes, free), find_canonical_form(boards, free)
        assert graphs.setdefault(certificate, graph) == graph
        assert certificates.setdefault(graph, certificate) == certificate
    # Some graphs differ, and some are isomorphic.
    assert 1 < len(certificates) < count


def find_strings(boards: States, pairs: set[tuple[int, int]]) -> int:
    """Return the set of strings, a mask, that join these pairs of coins, each with the lower coin first."""
    b = view_record(boards)
    return sum(1 << i for i in range(64) if tuple(sorted(int(end) for end in b.ends[i])) in pairs)


def test_equal_loops_have_equal_certificates_and_two_small_ones_another_than_a_large_one() -> None:
    # Colour refinement alone cannot tell them apart: all coins have two equal neighbours.
    cols = 5
    boards, nodes = build_empty_board(cols, 3, {})
    # Coins are numbered row by row: two loops of four coins each, and two places for one loop of eight.
    two = {(0, 1), (0, 5), (1, 6), (5, 6), (3, 4), (3, 8), (4, 9), (8, 9)}
    long = {(0, 1), (1, 2), (0, 5), (5, 10), (10, 11), (11, 12), (2, 7), (7, 12)}
    other = {(2, 3), (3, 4), (2, 7), (7, 12), (12, 13), (13, 14), (4, 9), (9, 14)}
    assert all(b in {a + 1, a + cols} for ring in (two, long, other) for a, b in ring)
    first, second = (certify(boards, nodes, find_strings(boards, ring)) for ring in (long, other))
    assert first == second != certify(boards, nodes, find_strings(boards, two))


def test_a_blocked_coin_counts_as_ground_in_certificates() -> None:
    boards, nodes = build_empty_board(3, 1, {})
    whole = int(nodes[0]["free"])
    # With the box at one end blocked, the other two are like a board of two boxes.
    small_boards, small_nodes = build_empty_board(2, 1, {})
    b = view_record(boards)
    blocked_only = int(b.coin_strings[2]) & ~int(b.coin_strings[1])
    small = certify(small_boards, small_nodes, int(small_nodes[0]["free"]))
    assert certify(boards, nodes, whole & ~blocked_only, blocked=0b100) == small
    # Not blocked, the third coin can still be won by the string that is left.
    assert certify(boards, nodes, whole & ~blocked_only) != small
