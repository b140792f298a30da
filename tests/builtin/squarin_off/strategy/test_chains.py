"""Chains and loops: on drawn boards, and on random ones compared with a search written separately."""

import random
from itertools import pairwise
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.notation import format_box
from fourcorners.builtin.squarin_off.strategy import chains
from tests.builtin.squarin_off.positions import play_random_game, set_up_board


def list_chains(position: fc.Position) -> list[tuple[tuple[str, ...], int, bool, int]]:
    """Return (names of boxes, points, is a loop, ends at a junction) of each chain that `find_chains` finds."""
    s = position.record
    return [(tuple(format_box(s, box) for box in chain.boxes), *chain[1:]) for chain in chains.find_chains(s)]


def find_chains_in_text(position: fc.Position) -> set[tuple[frozenset[str], int, bool, int]]:
    """Find the chains in the board as text, by joining neighbours; return those of `list_chains`, boxes as a set."""
    options: Any = position.game.options
    rows, cols = options.rows, options.cols
    lines = [line[3:].ljust(4 * cols + 1) for line in str(position).splitlines()[: 2 * rows + 1]]

    def list_neighbours(x: int, y: int) -> list[tuple[int, int]]:
        """Return the (x, y) of the places beyond the free edges of a box; some are outside the board."""
        middle = 2 * (rows - y) - 1
        sides = {
            (x, y + 1): lines[middle - 1][4 * x + 1],
            (x, y - 1): lines[middle + 1][4 * x + 1],
            (x - 1, y): lines[middle][4 * x],
            (x + 1, y): lines[middle][4 * x + 4],
        }
        return [place for place, sign in sides.items() if sign == " "]

    def is_blocked(x: int, y: int) -> bool:
        return bool(lines[2 * (rows - y) - 1][4 * x + 1] == "#")

    neighbours = {(x, y): list_neighbours(x, y) for x in range(cols) for y in range(rows) if not is_blocked(x, y)}
    links = {place for place, beyond in neighbours.items() if len(beyond) in {1, 2}}
    result = set()
    left = set(links)
    while left:
        group = {left.pop()}
        while more := {near for place in group for near in neighbours[place] if near in links} - group:
            group |= more
        left -= group
        edges = sum(near in group for place in group for near in neighbours[place])
        junctions = sum(near in neighbours and near not in links for place in group for near in neighbours[place])
        points = sum(int(options.values[rows - 1 - y][x]) for x, y in group)
        names = frozenset(f"{'abcdefghijklmnopqrstu'[x]}{y + 1}" for x, y in group)
        result.add((names, points, edges == 2 * len(group), junctions))
    return result


def are_neighbours(one: str, two: str) -> bool:
    """Return whether two boxes, by name, have a side in common."""
    return abs(ord(one[0]) - ord(two[0])) + abs(int(one[1:]) - int(two[1:])) == 1


def test_a_chain_from_border_to_border_has_no_end_at_a_junction() -> None:
    position = set_up_board("--- ._._._. ---")
    assert list_chains(position) == [(("c1", "b1", "a1"), 3, False, 0)]


def test_a_chain_may_end_in_a_box_whose_other_sides_are_drawn() -> None:
    assert list_chains(set_up_board("--- |_._._. ---")) == [(("c1", "b1", "a1"), 3, False, 0)]
    assert list_chains(set_up_board("--- |_._._| ---")) == [(("c1", "b1", "a1"), 3, False, 0)]
    assert list_chains(set_up_board("- |_. -")) == [(("a1",), 1, False, 0)]


def test_a_ring_of_boxes_is_a_loop_worth_the_sum_of_their_values() -> None:
    found = list_chains(set_up_board("-- |_._| .. |_._| --", values=["12", "34"]))
    assert [(set(boxes), rest) for boxes, *rest in found] == [({"a1", "a2", "b1", "b2"}, [10, True, 0])]


def test_chains_meet_at_a_junction() -> None:
    # The middle box has three free sides: left, right and below.
    found = list_chains(set_up_board("--- ._._._. -.- |_|_|_| ..."))
    assert {(frozenset(boxes), junction_ends) for boxes, _, _, junction_ends in found} == {
        (frozenset({"a2"}), 1),
        (frozenset({"c2"}), 1),
        (frozenset({"b1"}), 1),
        (frozenset({"a1"}), 0),
        (frozenset({"c1"}), 0),
    }


def test_a_chain_ends_at_a_blocked_box() -> None:
    game = fc.game("squarin-off", cols=3, rows=1, blockers=2)
    position = game.replay(["a1b1", "b1c1", "a2b2", "b2c2", "#c1 c1d1"])
    assert list_chains(position) == [(("b1", "a1"), 2, False, 0)]


@pytest.mark.parametrize("blockers", [True, False])
def test_chains_of_random_boards_agree_with_a_search_in_their_text(blockers: bool) -> None:
    rng = random.Random(4)
    junctions = set()
    for _ in range(60):
        position = play_random_game(rng, blockers=blockers)
        found = list_chains(position)
        assert {(frozenset(boxes), *rest) for boxes, *rest in found} == find_chains_in_text(position), str(position)
        for boxes, _, _, junction_ends in found:
            junctions.add(junction_ends)
            assert all(are_neighbours(*pair) for pair in pairwise(boxes))
    # The boards must include chains with no, one and two ends at junctions.
    assert junctions >= {0, 1, 2}
