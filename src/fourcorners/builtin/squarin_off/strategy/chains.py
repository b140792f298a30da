"""Chains and loops of a position, for pictures; this runs in Python.

A box with one or two free sides is a *link*, a box with more is a *junction*. Links joined by free edges form a
*chain*. Each end of a chain lies at the ground (the border or a blocked box), at a junction, or in a box whose other
sides are all drawn. A chain without ends is a *loop*; in this module "chain" includes loops.
"""

from typing import NamedTuple

from fourcorners.builtin.squarin_off.rules import BLOCKED, get_box_stop, get_edge, is_free
from fourcorners.builtin.squarin_off.strategy.geometry import get_neighbour
from fourcorners.core.arrays import State


class Chain(NamedTuple):
    """A chain or loop: its boxes from end to end, their points, and how many of its ends lie at a junction."""

    boxes: list[int]
    points: int
    is_loop: bool
    junction_ends: int


def find_free_neighbours(s: State, box: int) -> dict[int, int]:
    """Map each free side (0 to 3) of a box of the board to the box beyond it, which may be blocked or on the border."""
    return {side: int(get_neighbour(s, box, side)) for side in range(4) if is_free(s, get_edge(s, box, side))}


def find_chains(s: State) -> list[Chain]:
    """Find all chains and loops, of one box or more, ordered by their lowest boxes; the record is not changed."""
    stride, bytes_, values = int(s.cols) + 1, s.box.tolist(), s.value.tolist()
    inner = [box for box in range(stride + 1, int(get_box_stop(s))) if box % stride and not bytes_[box] & BLOCKED]
    neighbours = {box: list(find_free_neighbours(s, box).values()) for box in inner}
    seen: set[int] = set()
    found = []
    for start in inner:
        if start in seen or len(neighbours[start]) not in {1, 2}:
            continue
        walks = [_follow_links(neighbours, start, box) for box in neighbours[start]]
        path, end = walks[0]
        boxes = [start, *path]
        if end != start:
            boxes = boxes[::-1] + [box for path, _ in walks[1:] for box in path]
        junction_ends = sum(len(neighbours.get(end, ())) > 2 for _, end in walks)
        found.append(Chain(boxes, sum(values[box] for box in boxes), end == start, junction_ends))
        seen.update(boxes)
    return found


def _follow_links(neighbours: dict[int, list[int]], start: int, box: int) -> tuple[list[int], int]:
    """Walk from a link to its neighbour `box` and on, while the boxes are links.
    `neighbours` holds for each box of the board that is not blocked the boxes beyond its free sides. Return the links
    after the start and the box where the walk ends: ground, a junction, the start, or the last link.
    """
    path, previous = [], start
    while box != start and len(neighbours.get(box, ())) in {1, 2}:
        path.append(box)
        onward = [beyond for beyond in neighbours[box] if beyond != previous]
        if not onward:
            break
        previous, box = box, onward[0]
    return path, box
