"""How a game of Squarin' Off will probably end: played out roughly, on a record that is a copy.

What is free is taken, safe edges are drawn at random, and when none is left chains and loops are opened, the cheapest
first. Points and turns of the record stay as they are; what comes of it is counted in margins.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, Rng, bit, lowest_bit, random_word
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable_no_alloc, jitable_wraparound
from fourcorners.games.squarin_off.rules import (
    BLOCKED,
    BOXES,
    CLOSED,
    MOST_GIFTS,
    MOST_STATES,
    SIDES,
    beside,
    is_free,
    words,
)

GROUND = 128
"""In a byte of `box`, on copies: where nothing can be won, the border, blocked boxes and those worth nothing."""
ALL = 30_000
"""In place of what can be handed out: nothing can."""
_MARKS = 96
_KIND = GROUND | SIDES
MOST = 1 << 20
"""More than any margin."""
_FULL, _READY, _LINK = 4, 3, 2
_SHORT, _LOOP = 3, 4  # boxes: the shortest chain and loop of which some can be handed out


@jitable_no_alloc
def lay_ground(s: State) -> None:
    """Mark the boxes with which nothing can be won."""
    for box in range(BOXES):
        byte = np.int64(s.box[box])
        if byte & SIDES != _FULL and (s.value[box] == 0 or byte & BLOCKED != 0):
            s.box[box] = byte | GROUND


@jitable_no_alloc
def lift_ground(s: State) -> None:
    """Take these marks away."""
    for box in range(BOXES):
        byte = np.int64(s.box[box])
        if byte & SIDES != _FULL:
            s.box[box] = byte & ~GROUND


@jitable_no_alloc
def draw(s: State, edge: int) -> None:
    """Draw an edge, and count no points."""
    word = np.uint64(edge >> 6)
    s.free[word] = s.free[word] & ~bit(edge & 63)
    below, above = beside(s, edge)
    s.box[np.uint64(below)] = np.int64(s.box[np.uint64(below)]) + 1
    s.box[np.uint64(above)] = np.int64(s.box[np.uint64(above)]) + 1


@jitable_no_alloc
def keep(s: State) -> None:
    """Remember which edges are free."""
    for word in range(words(s)):
        s.kept[word] = s.free[word]


@jitable_no_alloc
def undo(s: State) -> None:
    """Make all edges free again that were so when they were kept, and leave the room to work in empty."""
    for word in range(words(s)):
        drawn = s.kept[word] & ~s.free[word]
        s.free[word] = s.kept[word]
        s.kept[word] = ZERO
        while drawn != ZERO:
            below, above = beside(s, (word << 6) + lowest_bit(drawn))
            drawn = drawn & (drawn - ONE)
            s.box[below] = np.int64(s.box[below]) - 1
            s.box[above] = np.int64(s.box[above]) - 1
    wipe(s)
    for i in range(MOST_GIFTS):
        s.gift[i] = s.back[i] = s.spots[i] = 0
    for i in range(MOST_STATES):
        s.margin[i] = 0


@jitable_no_alloc
def wipe(s: State) -> None:
    """Take the marks from all boxes that are not completed."""
    for box in range(BOXES):
        byte = np.int64(s.box[box])
        if byte & SIDES != _FULL:
            s.box[box] = byte & ~_MARKS


@jitable_no_alloc
def edges(s: State) -> int:
    """Return how many edges the board has."""
    return np.int64(s.horizontals) + (np.int64(s.cols) + 1) * np.int64(s.rows)


@jitable_no_alloc
def is_harmless(s: State, box: int) -> bool:
    """Tell whether one more side of a box gives nothing away."""
    return np.int64(s.box[np.uint64(box)]) & _KIND < _LINK or np.int64(s.box[np.uint64(box)]) & GROUND != 0


@jitable_no_alloc
def is_safe(s: State, edge: int) -> bool:
    """Tell whether an edge gives nothing away, nor completes a box."""
    below, above = beside(s, edge)
    return is_harmless(s, below) and is_harmless(s, above)


@jitable_wraparound
def shuffled(i: int, key: np.uint64, bits: int) -> int:
    """Return the i-th of the numbers of so many bits, in an order that the key decides."""
    mask = np.uint64((1 << bits) - 1)
    half = np.uint64((bits + 1) >> 1)
    x = (np.uint64(i) * (key | ONE) + (key >> np.uint64(48))) & mask
    x = x ^ (x >> half)
    x = (x * ((key >> np.uint64(24)) | ONE)) & mask
    return np.int64(x ^ (x >> half))


@jitable_no_alloc
def width(n: int) -> int:
    """Return how many bits the numbers below n have."""
    bits = 1
    while (1 << bits) < n:
        bits += 1
    return bits


@jitable_no_alloc
def draw_safe(s: State, rng: Rng) -> int:
    """Draw safe edges at random until there is none; return how many."""
    n = edges(s)
    bits, key = width(n), random_word(rng)
    count = 0
    for i in range(1 << bits):
        edge = shuffled(i, key, bits)
        if edge < n and is_free(s, edge) and is_safe(s, edge):
            draw(s, edge)
            count += 1
    return count


@jitable_no_alloc
def safe_edge(s: State, rng: Rng) -> int:
    """Return a random safe edge; -1 if there is none."""
    n = edges(s)
    bits, key = width(n), random_word(rng)
    for i in range(1 << bits):
        edge = shuffled(i, key, bits)
        if edge < n and is_free(s, edge) and is_safe(s, edge):
            return edge
    return -1


# A side is 0 to 3 as in the rules; with the row of a box its edges are found without a division.


@jitable_no_alloc
def edge_at(s: State, box: int, row: int, side: int) -> int:
    """Return the edge on a side of a box."""
    cell = box - 2 - np.int64(s.cols)
    if side & 1:
        return np.int64(s.horizontals) + cell + np.int64(side == 1)
    return cell - row + (np.int64(s.cols) if side else 0)


@jitable_no_alloc
def free_mask(s: State, box: int, row: int) -> int:
    """Return the free sides of a box, a bit each."""
    cell = box - 2 - np.int64(s.cols)
    below, left = cell - row, np.int64(s.horizontals) + cell
    return (
        np.int64(is_free(s, below))
        + 2 * np.int64(is_free(s, left + 1))
        + 4 * np.int64(is_free(s, below + np.int64(s.cols)))
        + 8 * np.int64(is_free(s, left))
    )


@jitable_no_alloc
def side_of(mask: int) -> int:
    """Return the side of a mask with one bit."""
    return (mask >> 1) - (mask >> 3)


@jitable_no_alloc
def beyond(s: State, box: int, side: int) -> int:
    """Return the box beyond a side."""
    stride = np.int64(s.cols) + 1
    step = 1 if side & 1 else stride
    return box + step if side in (1, 2) else box - step


@jitable_no_alloc
def row_beyond(row: int, side: int) -> int:
    """Return the row of the box beyond a side."""
    return row + np.int64(side == 2) - np.int64(side == 0)


@jitable_no_alloc
def row_of(s: State, box: int) -> int:
    """Return the row of a box."""
    return (box - 2 - np.int64(s.cols)) // (np.int64(s.cols) + 1)


@jitable_no_alloc
def capture(s: State, box: int, row: int) -> tuple[int, int, int]:
    """Complete a box with three sides, and what then can be completed one after the other.

    Return how many boxes that were, what they are worth, and the least that could have been left over of that.
    """
    count, total = 0, 0
    one, two, three, four = 0, 0, 0, 0
    closed = False
    while True:
        side = side_of(free_mask(s, box, row))
        draw(s, edge_at(s, box, row, side))
        one, two, three, four = np.int64(s.value[box]), one, two, three
        count += 1
        total += one
        box, row = beyond(s, box, side), row_beyond(row, side)
        kind = np.int64(s.box[box]) & _KIND
        if kind == _FULL:
            one, two, three, four = np.int64(s.value[box]), one, two, three
            count += 1
            total += one
            closed = True
        if kind != _READY:
            break
    back = ALL
    if closed and count >= _LOOP:
        back = one + two + three + four
    elif not closed and count >= 2:
        back = one + two
    return count, total, back


@jitable_no_alloc
def capture_all(s: State) -> tuple[int, int]:
    """Complete whatever can be completed; return what it is worth, and the least that could have been left over."""
    total, back = 0, ALL
    stride = np.int64(s.cols) + 1
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            if np.int64(s.box[box]) & _KIND == _READY:
                _, worth, left = capture(s, box, row)
                total += worth
                back = min(back, left)
    return total, back


@jitable_no_alloc
def end_of_run(s: State, box: int, row: int) -> tuple[int, int, int]:
    """Return an end of a link's run: the last link, its row, and the side by which the run leaves it.

    Of a loop it is the link itself.
    """
    start = box
    mask = free_mask(s, box, row)
    side = side_of(mask & -mask)
    while True:
        other = beyond(s, box, side)
        if np.int64(s.box[other]) & _KIND != _LINK:
            return box, row, side
        box, row = other, row_beyond(row, side)
        side_back = side ^ 2
        side = side_of(free_mask(s, box, row) & ~(1 << side_back))
        if box == start:
            return box, row, side_back


@jitable_no_alloc
def measure(s: State, box: int, row: int, side: int, mark: int) -> tuple[int, int, int]:
    """Walk a run from an end to the other, marking its links.

    Return how many boxes it has, what they are worth, and the number of its lowest edge.
    """
    start = box
    count, total = 0, 0
    least = edge_at(s, box, row, side)
    while True:
        byte = np.int64(s.box[box])
        if mark != 0:
            s.box[box] = (byte & ~_MARKS) | mark
        count += 1
        total += np.int64(s.value[box])
        side = side_of(free_mask(s, box, row) & ~(1 << side))
        least = min(least, edge_at(s, box, row, side))
        box, row = beyond(s, box, side), row_beyond(row, side)
        if box == start or np.int64(s.box[box]) & _KIND != _LINK:
            return count, total, least
        side ^= 2


@jitable_no_alloc
def list_gifts(s: State) -> int:
    """Open all runs, the cheapest first, and note what each gives; return how many.

    `gift` is what there is to take, `back` what can be left over of it, `spots` how many blockers can be laid there
    that open nothing.
    """
    count = 0
    limit = 1
    mark = 32
    stride = np.int64(s.cols) + 1
    while True:
        mark ^= _MARKS
        least = MOST
        for row in range(np.int64(s.rows)):
            first = (row + 1) * stride + 1
            for box in range(first, first + stride - 1):
                byte = np.int64(s.box[box])
                if byte & _KIND != _LINK or byte & _MARKS == mark:
                    continue
                end, end_row, side = end_of_run(s, box, row)
                _, total, _ = measure(s, end, end_row, side, mark)
                if total > limit:
                    least = min(least, total)
                    continue
                spots = count_spots(s, end, end_row, side) if np.int64(s.room) > 0 else 0
                draw(s, edge_at(s, end, end_row, side))
                length, total, back = capture(s, end, end_row)
                if count == MOST_GIFTS:
                    # Nobody meets so many; what they give is not to be lost all the same.
                    s.gift[count - 1] = np.int64(s.gift[count - 1]) + total
                else:
                    s.gift[count] = total
                    s.back[count] = back if length >= _SHORT else ALL
                    s.spots[count] = spots
                    count += 1
        if least == MOST:
            return count
        limit = least


@jitable_no_alloc
def count_spots(s: State, box: int, row: int, side: int) -> int:
    """Return 1 if a blocker at this end of a run opens nothing and leaves some of it, else 0."""
    open_here = np.int64(s.box[box]) & CLOSED == 0
    on = side_of(free_mask(s, box, row) & ~(1 << side))
    longer = np.int64(s.box[beyond(s, box, on)]) & _KIND == _LINK
    return np.int64(open_here and longer and is_harmless(s, beyond(s, box, side)))
