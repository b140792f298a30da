"""Conflict graphs: a few rectangles and the relation of which remove which, without their places on the field.

Drawing rectangle i removes all rectangles of `REMOVES[i]`, itself included, and covers all dots of `COVERS[i]`. A
rectangle with dots in `NEEDS` is also removed as soon as all of them are covered. Different fields often have the same
graph, and some rectangles and dots turn out to make no difference. Rectangles and dots are numbered from 0; a set of
either is one word, so a graph has at most `ROOM` of each.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.sqez.exact.bit_fields import get_bits, put_bits
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix, pop_bit, popcount, sort_ascending
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.solvers.nimber_protocol import GAME_BITS, LONGEST, SINGLE, Ends, Words, header

RANK_BITS = 16
"""The low bits of the sort keys of options, which hold the number of a rectangle."""
ROOM = 64
"""The largest number of rectangles, and of dots, before the graph is reduced."""
_MAX_COUNT, _MAX_BITS = 63, 64 * (LONGEST - 1)
"""The largest number of rectangles, and of dots, in an encoding, which `get_bits` limits; and of bits after its header.
Larger components are encoded as regions: their graphs would cost more memory than they save.
"""

Graph = NDArray[np.uint64]
"""A table of shape (ROWS, ROOM). Its rows, with what indexes them and what a word holds:

- REMOVES, REMOVED_BY: by rectangle, a set of rectangles
- COVERS, NEEDS: by rectangle, a set of dots
- COVERED_BY, NEEDED_BY: by dot, a set of rectangles
- COLOURS, NEXT_COLOURS: by rectangle, a hash; DOT_COLOURS: by dot, a hash
- ORDER, DOT_ORDER: by rank in the canonical order, the number of a rectangle or dot
"""
REMOVES, REMOVED_BY, COVERS, NEEDS, COVERED_BY, NEEDED_BY = range(6)
COLOURS, DOT_COLOURS, NEXT_COLOURS, ORDER, DOT_ORDER = range(6, 11)
ROWS = 11

# The first word of an encoded graph: a flag that tells it from a region, then the numbers of rectangles and dots. The
# body, bits without gaps: by rectangle in canonical order what it removes, covers and needs, dots in their own order.
IS_GRAPH = ONE << np.uint64(GAME_BITS)
_RECTANGLE_COUNT, _DOT_COUNT, _COUNT_MASK = np.uint64(GAME_BITS + 1), np.uint64(GAME_BITS + 8), np.uint64(127)
# Arbitrary numbers that keep hashes apart; the factors are odd, so that multiplying loses no bits.
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
_INDIVIDUALISED = np.uint64(0x5BE0CD19137E2179)


@jitable
def _add_to_sets(graph: Graph, row: int, members: np.uint64, j: int) -> None:
    """Add j, in place, to the sets that a row of the graph, such as NEEDED_BY, has for the `members` of a set."""
    while members != ZERO:
        graph[row, lowest_bit(members)] |= bit(j)
        members = members & (members - ONE)


@jitable
def _simplify_needed_dots(graph: Graph, remaining: np.uint64) -> None:
    """Let NEEDS of every rectangle hold only dots that can make a difference, in place.

    Where one rectangle covers all dots that another needs, it removes that one: update REMOVES and REMOVED_BY. A
    rectangle that can never lose all its dots needs none. `remaining` is the set of rectangles; COVERED_BY is read.
    """
    todo = remaining
    while todo != ZERO:
        j, todo = pop_bit(todo)
        needs = graph[NEEDS, j]
        if needs == ZERO:
            continue
        others = remaining & ~graph[REMOVED_BY, j]  # those that do not remove j, so that it may outlive them
        covering_all = ~ZERO
        dots = needs
        while dots != ZERO:
            covering_all = covering_all & graph[COVERED_BY, lowest_bit(dots)]
            dots = dots & (dots - ONE)
        covering_all = covering_all & others
        if covering_all != ZERO:
            others = others & ~covering_all
            graph[REMOVED_BY, j] |= covering_all
            _add_to_sets(graph, REMOVES, covering_all, j)
        # If only rectangles that remove j anyway cover dot d, j always has it. If whatever covers dot d covers dot e as
        # well, e is of no use: while e is free, d is free too.
        dots = needs
        while dots != ZERO:
            d, dots = pop_bit(dots)
            covering = graph[COVERED_BY, d] & others
            if covering == ZERO:  # dot d stays free as long as j is there
                needs = ZERO
                break
            rest = needs & ~bit(d)
            while rest != ZERO:
                e, rest = pop_bit(rest)
                if covering & ~graph[COVERED_BY, e] == ZERO:
                    needs = needs & ~bit(e)
                    dots = dots & ~bit(e)
        graph[NEEDS, j] = needs


@jitable
def _can_replace(graph: Graph, i: int, k: int) -> bool:
    """Return whether rectangle i is available whenever k is, so that k, whose effect is the same, can be dropped.
    The two must remove and cover the same rectangles and dots, and remove each other. The graph is only read.
    """
    needs = graph[NEEDS, i]
    # Whatever removes i removes k as well, and when all dots that i needs are covered, so are those that k needs.
    return graph[REMOVED_BY, i] & ~graph[REMOVED_BY, k] == ZERO and (
        needs == ZERO or (graph[NEEDS, k] != ZERO and graph[NEEDS, k] & ~needs == ZERO)
    )


@jitable
def _drop_idle_covers(graph: Graph, remaining: np.uint64, dots: int) -> None:
    """Forget, in place, that a rectangle covers a dot if it removes every rectangle that needs the dot anyway.
    Compute NEEDED_BY of dots 0 to `dots` - 1; update COVERS and COVERED_BY of the `remaining` rectangles.
    """
    for d in range(dots):
        graph[NEEDED_BY, d] = ZERO
        graph[COVERED_BY, d] &= remaining
    todo = remaining
    while todo != ZERO:
        j, todo = pop_bit(todo)
        _add_to_sets(graph, NEEDED_BY, graph[NEEDS, j], j)
    for d in range(dots):
        needed_by, covered_by = graph[NEEDED_BY, d], graph[COVERED_BY, d]
        while covered_by != ZERO:
            i, covered_by = pop_bit(covered_by)
            if needed_by & ~graph[REMOVES, i] == ZERO:  # also if nothing needs the dot
                graph[COVERS, i] &= ~bit(d)
                graph[COVERED_BY, d] &= ~bit(i)


@jitable
def _drop_duplicates(graph: Graph, remaining: np.uint64) -> np.uint64:
    """Return the set `remaining` without the rectangles that one of equal effect can always replace; only read."""
    todo = remaining
    while todo != ZERO:
        i, todo = pop_bit(todo)
        removes = graph[REMOVES, i]
        rest = todo & removes
        while rest != ZERO:
            k, rest = pop_bit(rest)
            if graph[REMOVES, k] == removes and graph[COVERS, k] == graph[COVERS, i]:
                if _can_replace(graph, i, k):
                    remaining = remaining & ~bit(k)
                    todo = todo & ~bit(k)
                elif _can_replace(graph, k, i):
                    remaining = remaining & ~bit(i)
                    break  # i is gone; k is compared with the rest in its own turn
    return remaining


@jitable
def reduce_graph(graph: Graph, remaining: np.uint64, dots: int) -> np.uint64:
    """Simplify a graph in place until no rectangle can be dropped; return the set of the rectangles that still matter.

    The caller gives REMOVES, REMOVED_BY, COVERS and NEEDS of the set `remaining`, and COVERED_BY of the first `dots`
    dots. Afterwards NEEDED_BY of these dots is valid too, and the rows of dropped rectangles are stale.
    """
    while True:
        _simplify_needed_dots(graph, remaining)
        _drop_idle_covers(graph, remaining, dots)
        fewer = _drop_duplicates(graph, remaining)
        if fewer == remaining:
            return remaining  # without a dropped rectangle another pass would change nothing
        remaining = fewer
        todo = remaining
        while todo != ZERO:
            i, todo = pop_bit(todo)
            graph[REMOVES, i] &= remaining
            graph[REMOVED_BY, i] &= remaining
        for d in range(dots):
            graph[COVERED_BY, d] &= remaining


@jitable
def _unite_sets(graph: Graph, row: int, members: np.uint64) -> np.uint64:
    """Return the union of the sets that a row of the graph, such as REMOVES, has for the members of a set."""
    union = ZERO
    while members != ZERO:
        i, members = pop_bit(members)
        union |= graph[row, i]
    return union


@jitable
def _find_component(graph: Graph, remaining: np.uint64) -> np.uint64:
    """Return the set of rectangles connected with the first of the set `remaining`, not empty, in a reduced graph."""
    found = ZERO
    frontier = remaining & (~remaining + ONE)
    while frontier != ZERO:
        found |= frontier
        neighbours = _unite_sets(graph, REMOVES, frontier) | _unite_sets(graph, REMOVED_BY, frontier)
        neighbours |= _unite_sets(graph, NEEDED_BY, _unite_sets(graph, COVERS, frontier))
        neighbours |= _unite_sets(graph, COVERED_BY, _unite_sets(graph, NEEDS, frontier))
        frontier = neighbours & remaining & ~found
    return found


@jitable_wraparound
def _sum_colours(graph: Graph, row: int, members: np.uint64) -> np.uint64:
    """Return the sum modulo 2**64 of the colours in a row, COLOURS or DOT_COLOURS, of the members of a set."""
    total = ZERO
    while members != ZERO:
        total = total + graph[row, lowest_bit(members)]
        members = members & (members - ONE)
    return total


@jitable_wraparound
def _combine_colours(colour: np.uint64, first: np.uint64, second: np.uint64) -> np.uint64:
    """Return a hash of a colour and the colour sums of two neighbourhoods, whose order matters."""
    return mix(colour * _FACTORS[0] + first * _FACTORS[1] + second * _FACTORS[2])


@jitable
def _refine_colours(graph: Graph, remaining: np.uint64, dots: np.uint64) -> None:
    """Do one round of colour refinement (Weisfeiler and Leman 1968) on COLOURS and DOT_COLOURS, in place.

    A new colour depends on the old one and on those of all neighbours. `remaining` is a component of a reduced graph,
    `dots` the set of dots that it needs; NEEDED_BY must be valid. NEXT_COLOURS is overwritten.
    """
    todo = remaining
    while todo != ZERO:
        i, todo = pop_bit(todo)
        removes, removed_by = graph[REMOVES, i], graph[REMOVED_BY, i]
        total = _sum_colours(graph, COLOURS, removes)
        reverse = total if removes == removed_by else _sum_colours(graph, COLOURS, removed_by)
        colour = _combine_colours(graph[COLOURS, i], total, reverse)
        if graph[COVERS, i] | graph[NEEDS, i] != ZERO:
            covers = _sum_colours(graph, DOT_COLOURS, graph[COVERS, i])
            colour = _combine_colours(colour, covers, _sum_colours(graph, DOT_COLOURS, graph[NEEDS, i]))
        graph[NEXT_COLOURS, i] = colour
    while dots != ZERO:
        d, dots = pop_bit(dots)
        # The masks only make this plain: no rectangle outside the component covers or needs a dot that it needs.
        covered_by = _sum_colours(graph, COLOURS, graph[COVERED_BY, d] & remaining)
        needed_by = _sum_colours(graph, COLOURS, graph[NEEDED_BY, d] & remaining)
        graph[DOT_COLOURS, d] = _combine_colours(graph[DOT_COLOURS, d], covered_by, needed_by)
    # Only now, because the dots need the old colours as well.
    while remaining != ZERO:
        i, remaining = pop_bit(remaining)
        graph[COLOURS, i] = graph[NEXT_COLOURS, i]


@jitable
def _sort_by_colour(graph: Graph, row: int, members: np.uint64, order: int) -> int:
    """Sort a set by colour into row `order` (ORDER or DOT_ORDER), in place; return the number of different colours.
    `row` is where the members have their colours; equal ones are sorted by number. This is an insertion sort.
    """
    end, colours = 0, 0
    while members != ZERO:
        i = np.uint64(lowest_bit(members))
        members = members & (members - ONE)
        colour, at = graph[row, np.int64(i)], end
        while at > 0 and graph[row, np.int64(graph[order, at - 1])] > colour:
            graph[order, at] = graph[order, at - 1]
            at -= 1
        if at == 0 or graph[row, np.int64(graph[order, at - 1])] != colour:
            colours += 1
        graph[order, at] = i
        end += 1
    return colours


@jitable
def _find_canonical_order(graph: Graph, remaining: np.uint64, dots: np.uint64) -> None:
    """Write the rectangles of a component of a reduced graph into ORDER, and colours to sort its dots by into
    DOT_COLOURS, so that, nearly always, isomorphic graphs get the same order of both.

    `dots` is the set of dots that the component needs; NEEDED_BY must be valid. COLOURS and NEXT_COLOURS are
    overwritten. Where the order fails to be canonical, equal graphs are searched twice; no result changes.
    """
    graph[COLOURS] = graph[DOT_COLOURS] = ONE
    count, colours = popcount(remaining), 1
    while True:
        _refine_colours(graph, remaining, dots)
        refined = _sort_by_colour(graph, COLOURS, remaining, ORDER)
        if refined == count:
            return  # dots may still have equal colours
        if refined <= colours:
            # No new rectangle colour this round; a further one might bring some, through the dots. Give one of two
            # equal rectangles its own colour. They are mostly images of each other, so it rarely matters which one.
            for at in range(1, count):
                previous, current = np.int64(graph[ORDER, at - 1]), np.int64(graph[ORDER, at])
                if graph[COLOURS, previous] == graph[COLOURS, current]:
                    graph[COLOURS, previous] ^= _INDIVIDUALISED
                    break
            refined += 1  # one colour more
        colours = refined


@jitable
def _encode_component(graph: Graph, component: np.uint64, out: Words, top: int) -> int:
    """Write one component, a set of rectangles of a reduced graph, from `out[top]` on; return its end, -1 if too large.
    Isomorphic components nearly always get the same words; a single rectangle is `SINGLE`. There must be room for
    LONGEST words. The rows from COLOURS on may be overwritten.
    """
    count = popcount(component)
    if count == 1:
        out[top] = SINGLE
        return top + 1
    dots = _unite_sets(graph, NEEDS, component)
    dot_count = popcount(dots)
    bits = count * (count + 2 * dot_count)
    if max(count, dot_count) > _MAX_COUNT or bits > _MAX_BITS:
        return -1
    _find_canonical_order(graph, component, dots)
    _sort_by_colour(graph, DOT_COLOURS, dots, DOT_ORDER)
    length = 1 + ((bits + 63) >> 6)
    out[top : top + length] = ZERO
    counts = np.uint64(count) << _RECTANGLE_COUNT | np.uint64(dot_count) << _DOT_COUNT
    out[top] = header(length, count) | IS_GRAPH | counts
    for row in range(count):
        i = np.int64(graph[ORDER, row])
        removes, covers, needs = ZERO, ZERO, ZERO
        for column in range(count):
            removes |= ((graph[REMOVES, i] >> graph[ORDER, column]) & ONE) << np.uint64(column)
        for column in range(dot_count):
            covers |= ((graph[COVERS, i] >> graph[DOT_ORDER, column]) & ONE) << np.uint64(column)
            needs |= ((graph[NEEDS, i] >> graph[DOT_ORDER, column]) & ONE) << np.uint64(column)
        offset = row * (count + 2 * dot_count)
        put_bits(out, top + 1, offset, removes)
        put_bits(out, top + 1, offset + count, covers)
        put_bits(out, top + 1, offset + count + dot_count, needs)
    return top + length


@jitable
def encode_components(graph: Graph, remaining: np.uint64, out: Words, top: int) -> int:
    """Write all connected components of the set `remaining` of a reduced graph, one by one, from `out[top]` on.
    Return the end, or -1 if a component is too large; there must be room for LONGEST words for each rectangle.
    """
    while remaining != ZERO:
        component = _find_component(graph, remaining)
        remaining = remaining & ~component
        top = _encode_component(graph, component, out, top)
        if top < 0:
            break
    return top


@jitable
def count_rectangles(words: Words, at: int) -> int:
    """Return the number of rectangles of the encoded graph at `words[at]`."""
    return np.int64((words[at] >> _RECTANGLE_COUNT) & _COUNT_MASK)


@jitable
def rank_rectangles(words: Words, at: int, order: NDArray[np.int64]) -> None:
    """Write the rectangles of the encoded graph at `words[at]` into `order`, as long: those that remove most first."""
    count = count_rectangles(words, at)
    dot_count = np.int64((words[at] >> _DOT_COUNT) & _COUNT_MASK)
    for i in range(count):
        removed = popcount(get_bits(words, at + 1, i * (count + 2 * dot_count), count))
        order[i] = (count - removed) << RANK_BITS | i
    sort_ascending(order)
    for i in range(count):
        order[i] &= (1 << RANK_BITS) - 1


@jitable
def list_options(words: Words, at: int, order: NDArray[np.int64], out: Words, ends: Ends) -> int:
    """Write the results of some moves in the encoded graph at `words[at]` into `out`, as components one by one.

    `order` are the rectangles drawn. Option i ends before `out[ends[i]]`, and begins where the one before ends. Return
    the number of options, or -1 if `out` may be, or `ends` is, too short.
    """
    first = words[at]
    count = np.int64((first >> _RECTANGLE_COUNT) & _COUNT_MASK)
    dot_count = np.int64((first >> _DOT_COUNT) & _COUNT_MASK)
    graph = np.empty((ROWS, ROOM), np.uint64)
    given = np.empty((3, ROOM), np.uint64)  # REMOVES, COVERS and NEEDS as encoded, which every option starts from
    for i in range(count):
        offset = i * (count + 2 * dot_count)
        given[0, i] = get_bits(words, at + 1, offset, count)
        given[1, i] = get_bits(words, at + 1, offset + count, dot_count)
        given[2, i] = get_bits(words, at + 1, offset + count + dot_count, dot_count)
    if len(ends) < len(order):
        return -1
    top = 0
    for index in range(len(order)):
        i = order[index]
        remaining = (bit(count) - ONE) & ~given[0, i]
        covered = given[1, i]
        todo = remaining
        while todo != ZERO:
            j, todo = pop_bit(todo)
            needs = given[2, j]
            graph[NEEDS, j] = needs & ~covered
            if needs != ZERO and graph[NEEDS, j] == ZERO:  # its last dot is covered, so i removes it
                remaining = remaining & ~bit(j)
            graph[REMOVED_BY, j] = ZERO
        graph[COVERED_BY] = ZERO
        todo = remaining
        while todo != ZERO:
            j, todo = pop_bit(todo)
            graph[REMOVES, j], graph[COVERS, j] = given[0, j] & remaining, given[1, j] & ~covered
            _add_to_sets(graph, REMOVED_BY, graph[REMOVES, j], j)
            _add_to_sets(graph, COVERED_BY, graph[COVERS, j], j)
        if top + popcount(remaining) * LONGEST > len(out):
            return -1
        remaining = reduce_graph(graph, remaining, dot_count)
        # A component of a graph that was small enough is never too large.
        top = encode_components(graph, remaining, out, top)
        ends[index] = top
    return len(order)
