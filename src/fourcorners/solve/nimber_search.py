"""The nimber search (Lemoine and Viennot, "Nimbers are inevitable", 2012), in steps over arrays.

It asks of a part P whether its nimber is n, which is to ask whether P together with a heap of n is lost for who moves.
It is not if an option of P has the nimber n, which is looked for first, nor if P has a smaller one: the questions
whether P's nimber is m, m < n, are the moves in the heap. Of an option that is a sum of parts the nimbers of all but
the largest are found, and the question, changed by them, is asked of that one. Before anything is searched all options
are looked up. The nimber itself is found by asking for 0, 1, 2 and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.dispatch import States
from fourcorners.core.jit import jitable, kernel
from fourcorners.core.nimber_protocol import LONGEST, Ends, Words, length_of, options, split, weight_of
from fourcorners.solve.nimber_table import (
    FILLED,
    LARGEST,
    Counts,
    Table,
    excludes,
    excluding,
    keep,
    knowing,
    look,
    nimber_in,
    nothing_known,
)

FRAME = np.dtype(
    [
        ("part", np.int64),  # where its words are
        ("goal", np.int64),  # the nimber asked for; -1: whichever it is
        ("asked", np.int64),  # the nimber that options are compared with now; -1: not expanded yet
        ("first", np.int64),  # its options
        ("end", np.int64),
        ("cursor", np.int64),  # the option that is looked at now
        ("top", np.int64),  # the end of the words of its options
        ("below", np.int64),  # whether the nimber is known to be smaller than the goal or equal to it
        ("seen", np.uint64),  # what is known of the part: the nimbers of its options are excluded
    ]
)
Frames = NDArray[np.void]
Choices = NDArray[np.int64]
"""One row for each option on the stack: the first word of its parts and their end, the nimber of those left out."""
BEGIN, END, REST = 0, 1, 2

Heads = NDArray[np.int64]
DEPTH, NODES, ENOUGH = 0, 1, 2
"""Words of the book-keeping: frames on the stack, parts expanded, and with how many parts the table is to grow."""
DONE, PAUSED, SHORT, FULL, LARGE, CROWDED = 0, 1, 2, 3, 4, 5
"""How a step ends: question answered, budget used up, work arrays too short, memory full, nimber too large to tell,
table to grow."""
SLACK = 2
"""Frames that must be free when a part is expanded."""
CHOICE = 3
"""Columns of a choice."""


@kernel
def divide(states: States, i: int, out: Words) -> int:
    """Write the parts of a position; return the number of words, -1 if `out` is too short."""
    return split(states[i], out)


@jitable
def _push(frames: Frames, heads: Heads, part: int, goal: int, first: int, top: int) -> None:
    frame: Any = frames[heads[DEPTH]]
    frame.part = part
    frame.goal = goal
    frame.asked = -1
    frame.first = first
    frame.end = first
    frame.cursor = first
    frame.top = top
    frame.below = 0
    frame.seen = nothing_known()
    heads[DEPTH] += 1


@kernel
def ask(frames: Frames, heads: Heads, part: int, goal: int, top: int) -> None:
    """Put a question on the empty stack, about a part among the first `top` words."""
    heads[DEPTH] = 0
    _push(frames, heads, part, goal, 0, top)


@kernel
def known(table: Table, store: Words, words: Words, at: int) -> np.uint64:
    """Return what is known of a part."""
    return look(table, store, words, at)


@jitable
def cancel(words: Words, begin: int, end: int) -> int:
    """Take out equal parts in pairs, whose nimbers cancel; return the new end."""
    one = begin
    while one < end:
        length = length_of(words[one])
        other = one + length
        while other < end:
            same = True
            for i in range(length):
                if words[one + i] != words[other + i]:
                    same = False
                    break
            if same:
                break
            other += length_of(words[other])
        if other < end:
            for i in range(other + length, end):
                words[i - length] = words[i]
            for i in range(one + length, end - length):
                words[i - length] = words[i]
            end -= 2 * length
        else:
            one += length
    return end


@jitable
def _forget_known(table: Table, store: Words, words: Words, choice: NDArray[np.int64]) -> int:
    """Leave out of an option the parts whose nimbers are known; return the weight of the others."""
    weight, at, kept = 0, choice[BEGIN], choice[BEGIN]
    while at < choice[END]:
        length = length_of(words[at])
        nimber = nimber_in(look(table, store, words, at))
        if nimber >= 0:
            choice[REST] ^= nimber
        else:
            weight += weight_of(words[at])
            for i in range(length):
                words[kept + i] = words[at + i]
            kept += length
        at += length
    choice[END] = kept
    return weight


@jitable
def _expand(
    work: States, table: Table, store: Words, words: Words, ends: Ends, choices: Choices, frame: Any, heads: Heads
) -> bool:
    """Write the options of a frame's part, those first that are likely to need least; tell whether there was room."""
    top, first = np.int64(frame.top), np.int64(frame.first)
    n = options(work[0], words, np.int64(frame.part), words[top:], ends)
    if n < 0 or first + 2 * n > len(choices):
        return False
    heads[NODES] += 1
    begin = top
    order = np.empty(n, np.int64)
    seen = frame.seen
    for i in range(n):
        choice = choices[first + n + i]
        end = top + ends[i]
        choice[BEGIN] = begin
        choice[END] = cancel(words, begin, end)
        choice[REST] = 0
        order[i] = _forget_known(table, store, words, choice) << _INDEX_BITS | i
        if choice[BEGIN] == choice[END] and choice[REST] <= LARGEST:
            seen = excluding(seen, choice[REST])
        begin = end
    frame.seen = seen
    order.sort()
    for i in range(n):
        source = choices[first + n + (order[i] & _INDEX)]
        for column in range(CHOICE):
            choices[first + i, column] = source[column]
    frame.end = first + n
    frame.top = begin
    return True


_INDEX_BITS, _INDEX = 24, (1 << 24) - 1
_EQUAL, _DIFFERENT, _BEYOND = -1, -2, -3


@jitable
def survey(
    table: Table, store: Words, words: Words, choice: NDArray[np.int64]
) -> tuple[int, int, int, int, int, int, np.uint64]:
    """Look up the parts of an option.

    Returns the nimber of those that are known, how many are not and their weight; of these the lightest, the heaviest,
    its weight and what is known of it.
    """
    rest, unknown, total, smallest, largest, least, most = choice[REST], 0, 0, -1, -1, 0, -1
    excluded = nothing_known()
    at = choice[BEGIN]
    while at < choice[END]:
        knowledge = look(table, store, words, at)
        value = nimber_in(knowledge)
        if value >= 0:
            rest ^= value
        else:
            unknown += 1
            weight = weight_of(words[at])
            total += weight
            if weight > most:
                largest, most, excluded = at, weight, knowledge
            if smallest < 0 or weight < least:
                smallest, least = at, weight
        at += length_of(words[at])
    return rest, unknown, total, smallest, largest, most, excluded


@jitable
def _examine(table: Table, store: Words, words: Words, choice: NDArray[np.int64], nimber: int) -> tuple[int, int]:
    """Compare an option with a nimber by what is known; if that is not enough, return a part to ask, and for what."""
    rest, unknown, _, smallest, largest, most, excluded = survey(table, store, words, choice)
    if unknown == 0:
        return (_EQUAL if rest == nimber else _DIFFERENT), rest
    if unknown > 1:
        return smallest, -1
    wanted = rest ^ nimber
    if wanted > most:
        return _DIFFERENT, -1
    if wanted > LARGEST:
        return _BEYOND, -1
    if excludes(excluded, wanted):
        return _DIFFERENT, -1
    return largest, wanted


@jitable
def _next_question(frame: Any) -> int:
    """Return the nimber that a frame's options are to be compared with next, -1 if the frame is answered."""
    seen, goal = frame.seen, np.int64(frame.goal)
    if goal >= 0 and excludes(seen, goal):
        return -1
    if goal >= 0 and frame.below == 0:
        return goal
    nimber = 0
    while nimber <= LARGEST and excludes(seen, nimber):
        nimber += 1
    return nimber


@kernel
def advance(
    work: States,
    table: Table,
    store: Words,
    counts: Counts,
    words: Words,
    ends: Ends,
    choices: Choices,
    frames: Frames,
    heads: Heads,
    budget: int,
) -> int:
    """Go on until the question on the stack is answered, or so many parts are expanded; return how it ended."""
    last = heads[NODES] + budget
    while heads[DEPTH] > 0:
        frame: Any = frames[heads[DEPTH] - 1]
        part = np.int64(frame.part)
        if frame.asked < 0:
            if heads[NODES] >= last:
                return PAUSED
            if counts[FILLED] >= heads[ENOUGH]:
                return CROWDED
            if heads[DEPTH] + SLACK > len(frames) or np.int64(frame.top) + LONGEST > len(words):
                return SHORT
            before = look(table, store, words, part)
            frame.seen = before
            if not _expand(work, table, store, words, ends, choices, frame, heads):
                frame.seen = before
                return SHORT
            frame.asked = _next_question(frame)
            frame.cursor = frame.first
        asked = np.int64(frame.asked)
        answered = asked < 0
        value = -1
        pushed = False
        while not answered:
            if np.int64(frame.cursor) == np.int64(frame.end):
                # No option has this nimber: it is the part's own, or that is a smaller one.
                smaller = False
                for nimber in range(asked):
                    if not excludes(frame.seen, nimber):
                        smaller = True
                if not smaller:
                    value = asked
                    break
                frame.below = 1
            else:
                found, nimber = _examine(table, store, words, choices[np.int64(frame.cursor)], asked)
                if found >= 0:
                    _push(frames, heads, found, nimber, np.int64(frame.end), np.int64(frame.top))
                    pushed = True
                    break
                if found == _BEYOND:
                    return LARGE
                if found == _DIFFERENT:
                    if nimber >= 0 and nimber <= LARGEST:
                        frame.seen = excluding(frame.seen, nimber)
                    frame.cursor += 1
                    continue
                frame.seen = excluding(frame.seen, asked)
            asked = _next_question(frame)
            if asked > LARGEST:
                return LARGE
            frame.asked = asked
            frame.cursor = frame.first
            answered = asked < 0
        if pushed:
            continue
        knowledge = frame.seen if value < 0 else knowing(value)
        if not keep(table, store, counts, words, part, knowledge):
            return FULL
        heads[DEPTH] -= 1
    return DONE
