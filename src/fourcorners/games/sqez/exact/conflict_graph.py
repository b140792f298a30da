"""Few rectangles that stand in each other's way, without their places: which takes away which, and which dots.

A tangle is a list of rectangles and a list of dots. Drawing rectangle i takes away all rectangles of `kills[i]`, itself
included, and all dots of `wipes[i]`. A rectangle with dots in `needs` is taken away when none of them is left. Fields
that look different often hide the same tangle, and some rectangles and dots turn out to make no difference at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix, popcount
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.core.nimber_protocol import GAME_BITS, SINGLE, Ends, Words, header

ROOM = 64
"""A tangle has at most so many rectangles and dots before it is reduced."""
_MOST_SIDE, _MOST_BITS = 63, 62 * 64
LONGEST = 1 + _MOST_BITS // 64
"""What is larger when it is reduced is kept as a patch: more of the same would cost more memory than it merges."""

Tangle = NDArray[np.uint64]
"""Rows of masks. Of rectangles, by rectangle: KILLS, KILLERS, DOUBLES; of dots, by rectangle: WIPES, NEEDS; of
rectangles, by dot: WIPERS, NEEDERS. Two more are colours: by rectangle, by dot; the last two for work."""
KILLS, KILLERS, WIPES, NEEDS, WIPERS, NEEDERS, COLOURS, HUES, FRESH, ORDER, RANKS = range(11)
ROWS = 11

_RECTANGLES, _DOTS, _SEVEN = np.uint64(GAME_BITS + 1), np.uint64(GAME_BITS + 8), np.uint64(127)
IS_TANGLE = ONE << np.uint64(GAME_BITS)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
_MARK = np.uint64(0x5BE0CD19137E2179)


@jitable
def put(words: Words, at: int, offset: int, value: np.uint64) -> None:
    """Set the bits of a value from an offset of the words at `at` on."""
    word, shift = at + (offset >> 6), np.uint64(offset & 63)
    words[word] |= value << shift
    if shift != ZERO:
        over = value >> (np.uint64(64) - shift)
        if over != ZERO:
            words[word + 1] |= over


@jitable
def get(words: Words, at: int, offset: int, length: int) -> np.uint64:
    """Return so many bits, fewer than 64, from an offset of the words at `at` on."""
    word, shift = at + (offset >> 6), np.uint64(offset & 63)
    value = words[word] >> shift
    if (offset & 63) + length > 64:
        value |= words[word + 1] << (np.uint64(64) - shift)
    return value & (bit(length) - ONE)


@jitable
def _count_kills_by_dots(t: Tangle, left: np.uint64) -> None:
    """Turn needs that one rectangle ends alone into kills, and drop needs that are always met."""
    todo = left
    while todo != ZERO:
        j = lowest_bit(todo)
        todo = todo & (todo - ONE)
        need = t[NEEDS, j]
        if need == ZERO:
            continue
        others = left & ~t[KILLERS, j]
        wipers = ~ZERO
        mask = need
        while mask != ZERO:
            wipers = wipers & t[WIPERS, lowest_bit(mask)]
            mask = mask & (mask - ONE)
        wipers = wipers & others
        if wipers != ZERO:
            others = others & ~wipers
            t[KILLERS, j] |= wipers
            while wipers != ZERO:
                t[KILLS, lowest_bit(wipers)] |= bit(j)
                wipers = wipers & (wipers - ONE)
        # Of two dots the one that goes whenever the other goes is no help.
        one = need
        while one != ZERO:
            d = lowest_bit(one)
            one = one & (one - ONE)
            wipers = t[WIPERS, d] & others
            if wipers == ZERO:
                need = ZERO
                break
            other = need & ~bit(d)
            while other != ZERO:
                e = lowest_bit(other)
                other = other & (other - ONE)
                if wipers & ~t[WIPERS, e] == ZERO:
                    need = need & ~bit(e)
                    one = one & ~bit(e)
        t[NEEDS, j] = need


@jitable
def _doubles(t: Tangle, i: int, k: int) -> bool:
    """Tell whether k may be left out: it does what i does, and is never there without i."""
    need = t[NEEDS, i]
    return t[KILLERS, i] & ~t[KILLERS, k] == ZERO and (
        need == ZERO or (t[NEEDS, k] != ZERO and t[NEEDS, k] & ~need == ZERO)
    )


@jitable
def _leave_out_wipes(t: Tangle, left: np.uint64, dots: int) -> None:
    """Leave out that a rectangle wipes a dot if all that need the dot go with it anyway."""
    for d in range(dots):
        t[NEEDERS, d] = ZERO
        t[WIPERS, d] &= left
    todo = left
    while todo != ZERO:
        j = lowest_bit(todo)
        todo = todo & (todo - ONE)
        need = t[NEEDS, j]
        while need != ZERO:
            t[NEEDERS, lowest_bit(need)] |= bit(j)
            need = need & (need - ONE)
    for d in range(dots):
        needers, wipers = t[NEEDERS, d], t[WIPERS, d]
        while wipers != ZERO:
            i = lowest_bit(wipers)
            wipers = wipers & (wipers - ONE)
            if needers & ~t[KILLS, i] == ZERO:
                t[WIPES, i] &= ~bit(d)
                t[WIPERS, d] &= ~bit(i)


@jitable
def _leave_out_doubles(t: Tangle, left: np.uint64) -> np.uint64:
    """Return the rectangles that are left without those that double another one."""
    todo = left
    while todo != ZERO:
        i = lowest_bit(todo)
        todo = todo & (todo - ONE)
        kills = t[KILLS, i]
        rest = todo & kills
        while rest != ZERO:
            k = lowest_bit(rest)
            rest = rest & (rest - ONE)
            if t[KILLS, k] == kills and t[WIPES, k] == t[WIPES, i]:
                if _doubles(t, i, k):
                    left = left & ~bit(k)
                    todo = todo & ~bit(k)
                elif _doubles(t, k, i):
                    left = left & ~bit(i)
                    break
    return left


@jitable
def reduce(t: Tangle, left: np.uint64, dots: int) -> np.uint64:
    """Leave out all that makes no difference; return the rectangles that are left.

    Of the rectangles left, kills, killers, wipes and needs are given, and the wipers of all dots.
    """
    while True:
        _count_kills_by_dots(t, left)
        _leave_out_wipes(t, left, dots)
        fewer = _leave_out_doubles(t, left)
        if fewer == left:
            return left
        left = fewer
        todo = left
        while todo != ZERO:
            i = lowest_bit(todo)
            todo = todo & (todo - ONE)
            t[KILLS, i] &= left
            t[KILLERS, i] &= left
        for d in range(dots):
            t[WIPERS, d] &= left


@jitable
def group(t: Tangle, left: np.uint64) -> np.uint64:
    """Return the rectangles that depend on the first one that is left, directly or not."""
    found = ZERO
    fresh = left & (~left + ONE)
    while fresh != ZERO:
        found |= fresh
        near = ZERO
        while fresh != ZERO:
            i = lowest_bit(fresh)
            fresh = fresh & (fresh - ONE)
            near |= t[KILLS, i] | t[KILLERS, i]
            mask = t[WIPES, i]
            while mask != ZERO:
                near |= t[NEEDERS, lowest_bit(mask)]
                mask = mask & (mask - ONE)
            mask = t[NEEDS, i]
            while mask != ZERO:
                near |= t[WIPERS, lowest_bit(mask)]
                mask = mask & (mask - ONE)
        fresh = near & left & ~found
    return found


@jitable_wraparound
def _sum(t: Tangle, row: int, mask: np.uint64) -> np.uint64:
    """Add up the colours of a set."""
    total = ZERO
    while mask != ZERO:
        total = total + t[row, lowest_bit(mask)]
        mask = mask & (mask - ONE)
    return total


@jitable_wraparound
def _join(colour: np.uint64, one: np.uint64, other: np.uint64) -> np.uint64:
    return mix(colour * _FACTORS[0] + one * _FACTORS[1] + other * _FACTORS[2])


@jitable
def _recolour(t: Tangle, left: np.uint64, dots: np.uint64) -> None:
    """Give every rectangle and every dot a colour that tells what colours it depends on."""
    todo = left
    while todo != ZERO:
        i = lowest_bit(todo)
        todo = todo & (todo - ONE)
        kills, killers = t[KILLS, i], t[KILLERS, i]
        there = _sum(t, COLOURS, kills)
        colour = _join(t[COLOURS, i], there, there if kills == killers else _sum(t, COLOURS, killers))
        if t[WIPES, i] | t[NEEDS, i] != ZERO:
            colour = _join(colour, _sum(t, HUES, t[WIPES, i]), _sum(t, HUES, t[NEEDS, i]))
        t[FRESH, i] = colour
    while dots != ZERO:
        d = lowest_bit(dots)
        dots = dots & (dots - ONE)
        t[HUES, d] = _join(t[HUES, d], _sum(t, COLOURS, t[WIPERS, d] & left), _sum(t, COLOURS, t[NEEDERS, d] & left))
    while left != ZERO:
        i = lowest_bit(left)
        left = left & (left - ONE)
        t[COLOURS, i] = t[FRESH, i]


@jitable
def _sort(t: Tangle, row: int, mask: np.uint64, order: int) -> int:
    """Put a set in order of its colours; return their number."""
    end, colours = 0, 0
    while mask != ZERO:
        i = np.uint64(lowest_bit(mask))
        mask = mask & (mask - ONE)
        colour, at = t[row, np.int64(i)], end
        while at > 0 and t[row, np.int64(t[order, at - 1])] > colour:
            t[order, at] = t[order, at - 1]
            at -= 1
        if at == 0 or t[row, np.int64(t[order, at - 1])] != colour:
            colours += 1
        t[order, at] = i
        end += 1
    return colours


@jitable
def _arrange(t: Tangle, left: np.uint64, dots: np.uint64) -> None:
    """Put the rectangles into an order that does, as far as possible, not depend on the one they are in.

    Where it does, equal tangles are searched twice; nothing else.
    """
    todo = left
    while todo != ZERO:
        t[COLOURS, lowest_bit(todo)] = ONE
        todo = todo & (todo - ONE)
    todo = dots
    while todo != ZERO:
        t[HUES, lowest_bit(todo)] = ONE
        todo = todo & (todo - ONE)
    count = popcount(left)
    colours = 1
    while True:
        _recolour(t, left, dots)
        now = _sort(t, COLOURS, left, ORDER)
        if now == count:
            return
        if now <= colours:
            # Rectangles with the same colour are mostly images of each other: any of them may be the first.
            for at in range(1, count):
                one, other = np.int64(t[ORDER, at - 1]), np.int64(t[ORDER, at])
                if t[COLOURS, one] == t[COLOURS, other]:
                    t[COLOURS, one] ^= _MARK
                    break
            now += 1
        colours = now


@jitable
def write(t: Tangle, left: np.uint64, out: Words, top: int) -> int:
    """Write one group as a part, if it is small enough; return where it ends, -1 if it is too large."""
    count = popcount(left)
    if count == 1:
        out[top] = SINGLE
        return top + 1
    dots = ZERO
    todo = left
    while todo != ZERO:
        dots |= t[NEEDS, lowest_bit(todo)]
        todo = todo & (todo - ONE)
    marks = popcount(dots)
    bits = count * (count + 2 * marks)
    if max(count, marks) > _MOST_SIDE or bits > _MOST_BITS:
        return -1
    _arrange(t, left, dots)
    _sort(t, HUES, dots, RANKS)
    length = 1 + ((bits + 63) >> 6)
    for i in range(top, top + length):
        out[i] = ZERO
    out[top] = header(length, count) | IS_TANGLE | np.uint64(count) << _RECTANGLES | np.uint64(marks) << _DOTS
    for row in range(count):
        i = np.int64(t[ORDER, row])
        kills, wipes, needs = ZERO, ZERO, ZERO
        for column in range(count):
            kills |= ((t[KILLS, i] >> t[ORDER, column]) & ONE) << np.uint64(column)
        for column in range(marks):
            wipes |= ((t[WIPES, i] >> t[RANKS, column]) & ONE) << np.uint64(column)
            needs |= ((t[NEEDS, i] >> t[RANKS, column]) & ONE) << np.uint64(column)
        offset = row * (count + 2 * marks)
        put(out, top + 1, offset, kills)
        put(out, top + 1, offset + count, wipes)
        put(out, top + 1, offset + count + marks, needs)
    return top + length


@jitable
def write_all(t: Tangle, left: np.uint64, out: Words, top: int) -> int:
    """Write all groups of a reduced tangle as parts; return where they end, -1 if one of them is too large."""
    while left != ZERO:
        one = group(t, left)
        top = write(t, one, out, top)
        if top < 0:
            return -1
        left = left & ~one
    return top


@jitable
def options(words: Words, at: int, out: Words, ends: Ends) -> int:
    """Write what each rectangle leaves of a tangle; return how many there are, -1 if there is no room."""
    first = words[at]
    count, marks = np.int64((first >> _RECTANGLES) & _SEVEN), np.int64((first >> _DOTS) & _SEVEN)
    t = np.empty((ROWS, ROOM), np.uint64)
    given = np.empty((3, ROOM), np.uint64)
    for i in range(count):
        offset = i * (count + 2 * marks)
        given[0, i] = get(words, at + 1, offset, count)
        given[1, i] = get(words, at + 1, offset + count, marks)
        given[2, i] = get(words, at + 1, offset + count + marks, marks)
    if len(ends) < count:
        return -1
    top = 0
    for i in range(count):
        left = (bit(count) - ONE) & ~given[0, i]
        wiped = given[1, i]
        todo = left
        while todo != ZERO:
            j = lowest_bit(todo)
            todo = todo & (todo - ONE)
            need = given[2, j]
            t[NEEDS, j] = need & ~wiped
            if need != ZERO and t[NEEDS, j] == ZERO:
                left = left & ~bit(j)
            t[KILLERS, j] = ZERO
        for d in range(marks):
            t[WIPERS, d] = ZERO
        todo = left
        while todo != ZERO:
            j = lowest_bit(todo)
            todo = todo & (todo - ONE)
            mask = given[0, j] & left
            t[KILLS, j] = mask
            while mask != ZERO:
                t[KILLERS, lowest_bit(mask)] |= bit(j)
                mask = mask & (mask - ONE)
            mask = given[1, j] & ~wiped
            t[WIPES, j] = mask
            while mask != ZERO:
                t[WIPERS, lowest_bit(mask)] |= bit(j)
                mask = mask & (mask - ONE)
        if top + popcount(left) * LONGEST > len(out):
            return -1
        left = reduce(t, left, marks)
        # A group of a tangle that is small enough is small enough.
        top = write_all(t, left, out, top)
        ends[i] = top
    return count
