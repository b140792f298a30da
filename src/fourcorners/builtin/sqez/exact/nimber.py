"""Independent components of a Sqez position, for the nimber solver (see `solvers/nimber_protocol.py`), and its cost.

A rectangle is *live* if it can still be drawn, now or (with shared sides) perhaps later. Two of them depend on each
other if they have an undrawn edge in common, or if the outline of one covers a free dot that the other may come to
need. A component is a set of rectangles connected by such dependencies. It is written as a conflict graph if it has few
rectangles and sides are not shared, otherwise as a region.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.sqez import rules
from fourcorners.builtin.sqez.exact import conflict_graph, region
from fourcorners.builtin.sqez.exact.bit_fields import get_bits
from fourcorners.builtin.sqez.exact.live_rectangles import (
    UNION_EDGES,
    UNION_NEEDS,
    UNION_OUTLINE_DOTS,
    LiveRectangles,
    Masks,
    add_overlaps,
    count_edges,
    count_words,
    find_live_rectangles,
    has_common_edge,
    is_subset,
)
from fourcorners.builtin.sqez.options import MAX_SIDE
from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Estimates, State, States
from fourcorners.core.bits import ONE, ZERO, bit, mix, popcount, sort_ascending
from fourcorners.core.jit import jitable, kernel
from fourcorners.solvers.nimber_protocol import LONGEST, Ends, Words

OPTIONS = ("cols", "rows", "players", "sides", "enclose", "strict")

Order = NDArray[np.int64]
"""Numbers of live rectangles."""

_FIRST_OPTIONS = 16
"""The number of moves that `more_options` lists first."""
_MOST_COMPARISONS = 200_000
"""The maximum number of pairs of a move and a live rectangle in `estimate_move_costs`: about 60 ms."""
_NONE = -1
"""Stands for the rectangle just drawn where none was drawn."""


@jitable
def _list_survivors(s: State, live: LiveRectangles, n: int, p: int, survivors: Order, key: NDArray[np.uint64]) -> int:
    """Write the rectangles, of n, that are still live after rectangle p into `survivors`, ascending; return their
    number.

    `key` receives everything that determines the value of the rest, each as a bit set in separate words: the survivors,
    the free dots inside them that p covers, and, with shared sides, those of their edges that p draws.
    """
    key[:] = ZERO
    count = 0
    edges, outline_dots, inside_dots = live.edges, live.outline_dots, live.inside_dots
    first_dot, first_edge = count_words(n), count_words(n) + outline_dots.shape[1]
    for i in range(n):
        if s.shared == 0:
            if has_common_edge(live, i, p):
                continue
        elif is_subset(edges, i, edges, p):
            continue  # p draws all its undrawn edges
        if s.any_dot == 0:
            if is_subset(inside_dots, i, outline_dots, p):
                continue  # p covers all free dots inside
            for k in range(outline_dots.shape[1]):
                key[first_dot + k] |= inside_dots[i, k] & outline_dots[p, k]
        if s.shared != 0:
            for k in range(edges.shape[1]):
                key[first_edge + k] |= edges[i, k] & edges[p, k]
        key[i >> 6] |= bit(i & 63)
        survivors[count] = i
        count += 1
    return count


@jitable
def _is_new_key(keys: Masks, hashes: NDArray[np.uint64], last: int) -> bool:
    """Return whether the key in row `last` of `keys` differs from those before it, whose `hashes` are already there.
    Write its own hash into `hashes[last]`.
    """
    code = ZERO
    for word in keys[last]:
        code = mix(code ^ word)
    hashes[last] = code
    for row in range(last):
        if hashes[row] == code and is_subset(keys, row, keys, last) and is_subset(keys, last, keys, row):
            return False
    return True


@jitable
def _find_needs(live: LiveRectangles, survivors: Order, n: int, p: int) -> None:
    """Write `needs` and `safe_dots` in `live` for the rectangles `survivors[:n]` that rectangle p (or _NONE) leaves."""
    outline_dots, inside_dots = live.outline_dots, live.inside_dots
    coverable = np.zeros(outline_dots.shape[1], np.uint64)
    for at in range(n):
        for k in range(len(coverable)):
            coverable[k] |= outline_dots[survivors[at], k]
    for at in range(n):
        i = survivors[at]
        for k in range(len(coverable)):
            free = inside_dots[i, k] if p < 0 else inside_dots[i, k] & ~outline_dots[p, k]
            live.safe_dots[i, k] = free & ~coverable[k]
            live.needs[i, k] = free
        if live.safe_dots[i].any():
            live.needs[i] = ZERO  # it cannot lose all its dots


@jitable
def _depends_on_union(live: LiveRectangles, i: int) -> bool:
    """Return whether rectangle i depends on any of those whose edges, outline dots and needs are in `live.union`."""
    for k in range(live.edges.shape[1]):
        if live.edges[i, k] & live.union[UNION_EDGES, k] != ZERO:
            return True
    for k in range(live.outline_dots.shape[1]):
        covers = live.outline_dots[i, k] & live.union[UNION_NEEDS, k]
        if covers | (live.needs[i, k] & live.union[UNION_OUTLINE_DOTS, k]) != ZERO:
            return True
    return False


@jitable
def _gather_component(live: LiveRectangles, order: Order, first: int, n: int, p: int) -> int:
    """Reorder `order[first:n]` in place so that the component of `order[first]` comes first; return its end.
    Its edges, outline dots and needs are then in `live.union`. p is the rectangle just drawn, or _NONE; `first` < n.
    """
    edges, union = live.edges, live.union
    union[:] = ZERO
    pending, end = first, first + 1
    while pending < end:
        # Add all rectangles found in the last round before comparing the others: that takes fewer rounds.
        while pending < end:
            i = order[pending]
            for k in range(edges.shape[1]):
                union[UNION_EDGES, k] |= edges[i, k] if p < 0 else edges[i, k] & ~edges[p, k]
            for k in range(live.outline_dots.shape[1]):
                union[UNION_OUTLINE_DOTS, k] |= live.outline_dots[i, k]
                union[UNION_NEEDS, k] |= live.needs[i, k]
            pending += 1
        for at in range(end, n):
            i = order[at]
            if _depends_on_union(live, i):
                order[at], order[end] = order[end], i
                end += 1
    return end


@jitable
def _encode_as_graphs(live: LiveRectangles, order: Order, n: int, out: Words, top: int) -> int:
    """Write the components of the rectangles `order[:n]` as conflict graphs from `out[top]` on; overwrite `live.graph`.

    For own sides only; n is at most ROOM. `_find_needs` must have been called unless `enclose=any`, and `out` must have
    room for n * LONGEST words. Return the end, or -1 if a component, or the number of needed dots, is too large.
    """
    graph, needs = live.graph, live.needs
    for i in range(n):
        graph[conflict_graph.REMOVES, i] = bit(i)
        graph[conflict_graph.COVERS, i], graph[conflict_graph.NEEDS, i] = ZERO, ZERO
        for j in range(i):
            if has_common_edge(live, order[i], order[j]):
                graph[conflict_graph.REMOVES, i] |= bit(j)
                graph[conflict_graph.REMOVES, j] |= bit(i)
    # By common edges rectangles remove each other; needs that one rectangle covers are added in `reduce_graph`.
    for i in range(n):
        graph[conflict_graph.REMOVED_BY, i] = graph[conflict_graph.REMOVES, i]
    dot_count = 0
    for k in range(needs.shape[1]):
        dots = ZERO
        for i in range(n):
            dots |= needs[order[i], k]
        if dot_count + popcount(dots) > conflict_graph.ROOM:
            return -1
        while dots != ZERO:
            dot = dots & (~dots + ONE)
            dots = dots & (dots - ONE)
            covered_by = ZERO
            for i in range(n):
                if live.outline_dots[order[i], k] & dot != ZERO:
                    graph[conflict_graph.COVERS, i] |= bit(dot_count)
                    covered_by |= bit(i)
                if needs[order[i], k] & dot != ZERO:
                    graph[conflict_graph.NEEDS, i] |= bit(dot_count)
            graph[conflict_graph.COVERED_BY, dot_count] = covered_by
            dot_count += 1
    # A word cannot be shifted by 64.
    everyone = ~ZERO if n == conflict_graph.ROOM else bit(n) - ONE
    remaining = conflict_graph.reduce_graph(graph, everyone, dot_count)
    return conflict_graph.encode_components(graph, remaining, out, top)


@jitable
def _encode_as_region(s: State, live: LiveRectangles, order: Order, first: int, end: int, out: Words, top: int) -> int:
    """Write the component `order[first:end]`, whose union is in `live.union`, as a region; return its end in `out`.
    It begins at `out[top]`, with room for two encodings. The safe dots are added to the needs in the union.
    """
    x1, y1, x2, y2 = MAX_SIDE, MAX_SIDE, 0, 0
    corners, union = live.corners, live.union
    for at in range(first, end):
        i = order[at]
        x1, y1, x2, y2 = min(x1, corners[i, 0]), min(y1, corners[i, 1]), max(x2, corners[i, 2]), max(y2, corners[i, 3])
        # A region must show a free dot in every rectangle, even in one that needs none: it is read as a field again.
        for k in range(live.safe_dots.shape[1]):
            union[UNION_NEEDS, k] |= live.safe_dots[i, k]
    lines = np.zeros((6, MAX_SIDE), np.uint64)
    cols, first_up = np.int64(s.cols), count_edges(s)[0]
    for y in range(y1, y2 + 1):
        lines[region.ACROSS, y - y1] = get_bits(union[UNION_EDGES], 0, y * (cols - 1) + x1, x2 - x1)
        if y < y2:
            lines[region.UP, y - y1] = get_bits(union[UNION_EDGES], 0, first_up + y * cols + x1, x2 - x1 + 1)
        lines[region.FREE, y - y1] = get_bits(union[UNION_NEEDS], 0, y * cols + x1, x2 - x1 + 1)
    return region.encode_region(lines, x2 - x1 + 1, y2 - y1 + 1, end - first, out, top)


@jitable
def _encode_components(s: State, live: LiveRectangles, order: Order, n: int, p: int, out: Words, top: int) -> int:
    """Write the components of the rectangles `order[:n]`, which survive rectangle p (or _NONE), from `out[top]` on.
    Return the end, or -1 if `out` may be too short. `order`, and all of `live` that depends on p, change in place.
    """
    if top + (n + 1) * LONGEST > len(out):  # a component for every rectangle, and one more as `encode_region` needs
        return -1
    if s.any_dot == 0:
        _find_needs(live, order, n, p)
    if s.shared == 0 and 0 < n <= conflict_graph.ROOM:
        # First try all of them in one graph: reducing it may even split components.
        end = _encode_as_graphs(live, order, n, out, top)
        if end >= 0:
            return end
    first = 0
    while first < n:
        end = _gather_component(live, order, first, n, p)
        graph_end = -1
        # A graph of all rectangles was tried above.
        if s.shared == 0 and end - first < n and end - first <= conflict_graph.ROOM:
            graph_end = _encode_as_graphs(live, order[first:], end - first, out, top)
        top = graph_end if graph_end >= 0 else _encode_as_region(s, live, order, first, end, out, top)
        first = end
    return top


@jitable
def split(s: State, out: Words) -> int:
    """Write the components of a position into `out`, one after another; return the number of words, 0 if it is over.
    Return -1 if `out` may be too short. The record is not changed.
    """
    if s.over != 0:
        return 0
    live, n = find_live_rectangles(s)
    return _encode_components(s, live, np.arange(n), n, _NONE, out, 0)


@jitable
def options(s: State, words: Words, at: int, out: Words, ends: Ends) -> int:
    """Write the result of each move in the component at `words[at]` into `out`, as components one by one.

    Option i ends before `out[ends[i]]`, and begins where the one before ends. In a region, moves with equal results
    count once. Return the number of options, or -1 if `out` or `ends` may be too short. The record `s` gives the rules
    in force; its field is overwritten if the component is a region.
    """
    if words[at] & conflict_graph.IS_GRAPH != ZERO:
        return conflict_graph.list_options(words, at, np.arange(conflict_graph.count_rectangles(words, at)), out, ends)
    region.decode_region(words, at, s)
    live, n = find_live_rectangles(s)
    if s.shared == 0:
        live = add_overlaps(live, n)
    return _list_region_options(s, live, n, np.arange(n), out, ends)


@jitable
def more_options(s: State, words: Words, at: int, begin: int, out: Words, ends: Ends) -> tuple[int, int]:
    """Write some options as `options` does, with own sides: those that remove most first, twice as many each time.
    Return the number of options, and the value of `begin` for the next ones, -1 if there are none.
    """
    if s.shared != 0:
        return options(s, words, at, out, ends), -1
    if words[at] & conflict_graph.IS_GRAPH != ZERO:
        n = conflict_graph.count_rectangles(words, at)
        order = np.empty(n, np.int64)
        conflict_graph.rank_rectangles(words, at, order)
        end = min(n, begin + max(begin, _FIRST_OPTIONS))
        count = conflict_graph.list_options(words, at, order[begin:end], out, ends)
    else:
        region.decode_region(words, at, s)
        live, n = find_live_rectangles(s)
        live = add_overlaps(live, n)
        order = np.empty(n, np.int64)
        for i in range(n):
            removed = 0
            for k in range(live.overlaps.shape[1]):
                removed += popcount(live.overlaps[i, k])
            order[i] = (n - removed) << conflict_graph.RANK_BITS | i
        sort_ascending(order)
        for i in range(n):
            order[i] &= (1 << conflict_graph.RANK_BITS) - 1
        end = min(n, begin + max(begin, _FIRST_OPTIONS))
        count = _list_region_options(s, live, n, order[begin:end], out, ends)
    return count, end if end < n else -1


@jitable
def _list_region_options(s: State, live: LiveRectangles, n: int, order: Order, out: Words, ends: Ends) -> int:
    """Write the options of a region with n live rectangles, as `options` does; `order` are the rectangles drawn."""
    survivors = np.empty(n, np.int64)
    keys = np.empty((len(order), count_words(n) + live.outline_dots.shape[1] + live.edges.shape[1]), np.uint64)
    hashes = np.empty(len(order), np.uint64)
    top, count = 0, 0
    for p in order:
        x1, y1, x2, y2 = live.corners[p, 0], live.corners[p, 1], live.corners[p, 2], live.corners[p, 3]
        if s.shared != 0 and not rules.is_legal_rectangle(s, x1, y1, x2, y2):
            continue  # not yet legal: only other moves may make it so
        if count == len(ends):
            return -1
        left = _list_survivors(s, live, n, p, survivors, keys[count])
        if not _is_new_key(keys, hashes, count):
            continue  # the next move overwrites row `count`
        top = _encode_components(s, live, survivors, left, p, out, top)
        if top < 0:
            return -1
        ends[count] = top
        count += 1
    return count


def estimate_cost(s: State) -> float:
    """Estimate the number of nodes to solve a position, counted as small components.

    A node that is a large component takes up to a hundred times as long. The formulas were fitted to random positions
    of 6 x 6 to 12 x 12 dots; most estimates are right within a factor of 10. A game that is over has 0, except with
    shared sides and more than two seats. The record is not changed.
    """
    states = np.array([s], rules.DTYPE)
    if s.shared != 0 and s.players > 2:
        drawn = sum(int(word).bit_count() for lines in (s.across, s.sides) for word in lines.tolist())
        free = sum(int(word).bit_count() for word in s.free.tolist())
        return float(10 ** (0.17 * (count_edges(s)[1] - drawn - 0.3 * free) - 1))
    return float(_estimate_costs(s, np.array([_measure_size(states)]))[0])


def estimate_move_costs(states: States, actions: Actions) -> Estimates:
    """Return the results, (n,), of `estimate_cost` after each of n legal actions; for running games of two seats.

    With shared sides every estimate goes through all live rectangles. If that would take too long, return none, (0,).
    """
    if len(actions) * _measure_size(states)[1] > _MOST_COMPARISONS:
        return np.zeros(0)
    sizes = np.zeros((len(actions), 3), np.int64)
    _measure_sizes_after(states, np.array(states), actions, sizes)
    return _estimate_costs(dispatch.view_record(states), sizes)


def _estimate_costs(s: State, sizes: NDArray[np.int64]) -> Estimates:
    """Estimate the cost of positions from rows as `_measure_size` returns them; `s` gives the rules in force."""
    legal, live, undrawn = sizes.T.astype(np.float64)
    if s.shared == 0:
        return np.asarray(1e4 * (legal / 500) ** 6 if s.players == 2 else 1e3 * (legal / 107) ** 4.5)
    with np.errstate(divide="ignore"):
        # Every node is a region, which takes about ten times as long as a conflict graph.
        costs = 10 * 10 ** (0.044 * undrawn + 0.7 * np.log10(legal) + 0.6 * np.log10(live) - 0.6)
    return np.where(legal == 0, 0.0, costs)


@kernel
def _measure_size(states: States) -> tuple[int, int, int]:
    """Return the number of legal rectangles of `states[0]` and, with shared sides, of live ones and their undrawn
    edges.

    Each edge counts once. With own sides, the last two numbers are 0.
    """
    s = states[0]
    legal = 0 if s.over != 0 else rules.count_legal(s)
    return (legal, 0, 0) if s.shared == 0 else (legal, *_count_live_rectangles_and_undrawn_edges(s))


@kernel
def _measure_sizes_after(states: States, work: States, actions: Actions, sizes: NDArray[np.int64]) -> None:
    """Write the result of `_measure_size` after each legal action in `states[0]` into the rows of `sizes`.

    `work` is scratch, (1,).
    """
    s = work[0]
    for i in range(len(actions)):
        work[0] = states[0]
        rules.play(s, actions[i])
        sizes[i, 0] = 0 if s.over != 0 else rules.count_legal(s)
        if s.shared != 0:
            sizes[i, 1], sizes[i, 2] = _count_live_rectangles_and_undrawn_edges(s)


@jitable
def _count_live_rectangles_and_undrawn_edges(s: State) -> tuple[int, int]:
    """Return the number of live rectangles of a position, and of different undrawn edges on their outlines."""
    live, n = find_live_rectangles(s)
    undrawn = 0
    for k in range(live.edges.shape[1]):
        edges = ZERO
        for i in range(n):
            edges |= live.edges[i, k]
        undrawn += popcount(edges)
    return n, undrawn
