"""The depth-first nimber search (Lemoine and Viennot, "Nimbers are inevitable", 2012), resumable, over arrays.

The question is whether the nimber of a part P is n, that is, whether P together with a heap of n is lost for the seat
to move. The answer is no if an option of P has the nimber n, which is tried first, or if P has a smaller nimber: the
questions whether P's nimber is m, m < n, are the moves in the heap. If an option is a sum of parts, the nimbers of all
but the largest are found, and the question, adjusted by these, is asked of the largest. All options are looked up
before any is searched. To find the nimber itself the search asks for 0, 1, 2 and so on.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import States
from fourcorners.core.bits import sort_ascending
from fourcorners.core.jit import jitable, jitable_no_alloc, kernel, rare
from fourcorners.solvers import nimber_table
from fourcorners.solvers.nimber_protocol import Ends, Words, length_of, more_options, split, weight_of
from fourcorners.solvers.nimber_table import MAX_NIMBER, NOTHING_KNOWN, PartTable, exclude, is_excluded, look_up

FRAME = np.dtype(
    [
        ("part", np.int64),  # where its words begin
        ("goal", np.int64),  # the nimber asked for; -1: any
        ("target", np.int64),  # the nimber that options are compared with now; -1: not expanded yet
        ("first", np.int64),  # the rows of its options
        ("end", np.int64),
        ("cursor", np.int64),  # the option that is examined now
        ("top", np.int64),  # the end of the words of its options
        ("next", np.int64),  # where the next options begin (see `more_options`); -1: all are there
        ("at_most_goal", np.int64),  # 1 if the nimber is known not to be larger than the goal
        ("seen", np.uint64),  # knowledge of the part: the nimbers of its options are excluded
    ]
)
BEGIN, END, REST, OPTION_COLUMNS = range(4)
"""Columns of `Stack.options`: the first word of the option's parts, their end, the nimber of the parts left out."""
DEPTH, NODES, FILL_LIMIT, CONTROL_WORDS = range(4)  # words of `Stack.control`, and their number
DONE, PAUSED, NO_ROOM, FULL, TOO_LARGE, CROWDED = range(6)
"""The ends of a slice: answered, nodes used up, work array too short, memory full, nimber above MAX_NIMBER, slots to
grow. After PAUSED, NO_ROOM (with longer arrays) and CROWDED (with more slots), `advance` can be called again."""
_INDEX_BITS, _INDEX = 24, (1 << 24) - 1
_EQUAL, _DIFFERENT, _BEYOND = -1, -2, -3  # results of `_compare_option` instead of a part


class Stack(NamedTuple):
    """The work arrays of a nimber search.

    - `work`: (1,) of the game's dtype, a record with the right options to work in.
    - `words`: (W,) uint64, the parts of the position and then of all options on the stack.
    - `ends`: (C,) int64, scratch for the ends of the options of one part.
    - `options`: (2C, OPTION_COLUMNS) int64, the options on the stack.
    - `frames`: (F,) of FRAME.
    - `control`: (3,) int64. DEPTH and NODES count frames on the stack and parts expanded; at FILL_LIMIT filled slots
      the search stops so that the table can grow.
    """

    work: States
    words: Words
    ends: Ends
    options: NDArray[np.int64]
    frames: NDArray[np.void]
    control: NDArray[np.int64]


@rare
@kernel
def divide_into_parts(states: States, i: int, out: Words) -> int:
    """Write the parts of `states[i]`, which may change, into `out`; return the number of words, or -1 without room."""
    return split(states[i], out)


@jitable_no_alloc
def _push_question(stack: Stack, part: int, goal: int, first: int, top: int) -> None:
    """Push a question (see `start`); there must be a free frame. Options begin at row `first` and word `top`."""
    control = stack.control
    frame: Any = stack.frames[control[DEPTH]]
    frame.part, frame.goal, frame.target = part, goal, -1
    frame.first, frame.end, frame.cursor, frame.top = first, first, first, top
    frame.next, frame.at_most_goal, frame.seen = 0, 0, NOTHING_KNOWN
    control[DEPTH] += 1


@rare
@kernel
def start(stack: Stack, part: int, goal: int, top: int) -> None:
    """Begin a question about the part at `words[part]`: whether its nimber is `goal` or, for -1, which nimber it has.

    The words from `top` on, which is behind the part, are free for options. A question in progress is given up.
    """
    stack.control[DEPTH] = 0
    _push_question(stack, part, goal, 0, top)


@rare
@kernel
def look_up_part(stack: Stack, table: PartTable, at: int) -> np.uint64:
    """Return the table's knowledge of the part at `words[at]`, a word as defined in `nimber_table`."""
    return look_up(table, stack.words, at)


@jitable_no_alloc
def _cancel_pairs(words: Words, begin: int, end: int) -> int:
    """Remove equal parts in pairs from `words[begin:end]`, in place, as their nimbers cancel; return the new end."""
    first = begin
    while first < end:
        length = length_of(words[first])
        second = first + length
        while second < end and not nimber_table.are_equal(words, first, words, second, length):
            second += length_of(words[second])
        if second < end:
            for i in range(second + length, end):
                words[i - length] = words[i]
            for i in range(first + length, end - length):
                words[i - length] = words[i]
            end -= 2 * length
        else:
            first += length
    return end


@jitable_no_alloc
def _remove_known_parts(table: PartTable, words: Words, option: NDArray[np.int64]) -> int:
    """Remove an option's parts of known nimber in place, XOR these into REST, update END; return the others' weight."""
    weight, at, kept = 0, option[BEGIN], option[BEGIN]
    while at < option[END]:
        length = length_of(words[at])
        nimber = nimber_table.decode_nimber(look_up(table, words, at))
        if nimber >= 0:
            option[REST] ^= nimber
        else:
            weight += weight_of(words[at])
            for i in range(length):
                words[kept + i] = words[at + i]
            kept += length
        at += length
    option[END] = kept
    return weight


@jitable
def _expand_part(stack: Stack, table: PartTable, frame: Any) -> bool:
    """Write the next options of a frame's part, lightest first, update the frame, and count one node for the first
    batch.

    Known nimbers of options are also excluded in `frame.seen`, and weigh nothing. Return False, with the frame and the
    count unchanged, if there is no room.
    """
    words, rows = stack.words, stack.options
    top, first = np.int64(frame.top), np.int64(frame.end)
    n, following = more_options(
        stack.work[0], words, np.int64(frame.part), np.int64(frame.next), words[top:], stack.ends
    )
    if n < 0 or first + 2 * n > len(rows):
        return False
    if frame.next == 0:
        stack.control[NODES] += 1
    frame.next = following
    begin = top
    order = np.empty(n, np.int64)  # weights, and below them the indices
    seen = frame.seen
    # The second n rows are scratch: the options before they are sorted.
    for i in range(n):
        option = rows[first + n + i]
        end = top + stack.ends[i]
        option[BEGIN], option[END], option[REST] = begin, _cancel_pairs(words, begin, end), 0
        order[i] = _remove_known_parts(table, words, option) << _INDEX_BITS | i
        if option[BEGIN] == option[END] and option[REST] <= MAX_NIMBER:
            seen = exclude(seen, option[REST])
        begin = end
    sort_ascending(order)
    for i in range(n):
        source = rows[first + n + (order[i] & _INDEX)]
        for column in range(OPTION_COLUMNS):
            rows[first + i, column] = source[column]
    frame.end, frame.top, frame.seen = first + n, begin, seen
    return True


@jitable_no_alloc
def _survey_option(
    table: PartTable, words: Words, option: NDArray[np.int64]
) -> tuple[int, int, int, int, int, int, np.uint64]:
    """Return `rest, unknown, total, lightest, heaviest, most, excluded` of an option.

    `rest` is the nimber of REST and the known parts, `unknown` the number of the other parts and `total` their weight;
    `lightest` and `heaviest` are where those of least and most weight begin (of equal ones the first; the same if there
    is one), `most` and `excluded` the heaviest's weight and what is known of it: -1, -1, -1, NOTHING_KNOWN if none.
    """
    rest, unknown, total, lightest, heaviest, least, most = option[REST], 0, 0, -1, -1, 0, -1
    excluded = NOTHING_KNOWN
    at = option[BEGIN]
    while at < option[END]:
        knowledge = look_up(table, words, at)
        value = nimber_table.decode_nimber(knowledge)
        if value >= 0:
            rest ^= value
        else:
            unknown += 1
            weight = weight_of(words[at])
            total += weight
            if weight > most:
                heaviest, most, excluded = at, weight, knowledge
            if lightest < 0 or weight < least:
                lightest, least = at, weight
        at += length_of(words[at])
    return rest, unknown, total, lightest, heaviest, most, excluded


@jitable_no_alloc
def _compare_option(table: PartTable, words: Words, option: NDArray[np.int64], target: int) -> tuple[int, int]:
    """Compare an option with a nimber by the known parts.

    Return _EQUAL or _DIFFERENT and the option's nimber (-1 if unknown). If that is open, return a part to ask about and
    the nimber to ask for (-1: any), or _BEYOND if no word of knowledge can represent that nimber.
    """
    rest, unknown, _, lightest, heaviest, most, excluded = _survey_option(table, words, option)
    if unknown == 0:
        return (_EQUAL if rest == target else _DIFFERENT), rest
    if unknown > 1:
        return lightest, -1
    asked = rest ^ target
    # No nimber exceeds the weight.
    if MAX_NIMBER < asked <= most:
        return _BEYOND, -1
    if asked > most or is_excluded(excluded, asked):
        return _DIFFERENT, -1
    return heaviest, asked


@jitable_no_alloc
def _choose_target(frame: Any) -> int:
    """Return the nimber to compare a frame's options with next; MAX_NIMBER + 1 if all that fit a word are excluded.

    Return -1 if the part provably does not have the nimber asked for, so that the question is answered.
    """
    seen, goal = frame.seen, np.int64(frame.goal)
    if goal >= 0 and is_excluded(seen, goal):
        return -1
    if goal >= 0 and frame.at_most_goal == 0:
        return goal
    nimber = 0
    while nimber <= MAX_NIMBER and is_excluded(seen, nimber):
        nimber += 1
    return nimber


@kernel
def advance(stack: Stack, table: PartTable, nodes: int) -> int:
    """Continue a question until it is answered or `nodes` more parts are expanded; return how the slice ends (see
    DONE).

    After DONE the table has the answer: see `look_up_part`.
    """
    words, frames, control = stack.words, stack.frames, stack.control
    last = control[NODES] + nodes
    while control[DEPTH] > 0:
        frame: Any = frames[control[DEPTH] - 1]
        part = np.int64(frame.part)
        if frame.target < 0:
            if control[NODES] >= last:
                return PAUSED
            if table.counts[nimber_table.FILLED] >= control[FILL_LIMIT]:
                return CROWDED
            # After its expansion, a frame pushes one question at a time.
            if control[DEPTH] == len(frames):
                return NO_ROOM
            frame.seen = look_up(table, words, part)
            if not _expand_part(stack, table, frame):
                return NO_ROOM
            frame.target = _choose_target(frame)
            frame.cursor = frame.first
        elif frame.cursor == frame.end and frame.next >= 0:
            if not _expand_part(stack, table, frame):
                return NO_ROOM
            if is_excluded(frame.seen, np.int64(frame.target)):
                frame.target = _choose_target(frame)
                frame.cursor = frame.first
        target = np.int64(frame.target)
        pushed, value = False, -1
        while target >= 0:
            if target > MAX_NIMBER:
                return TOO_LARGE
            if np.int64(frame.cursor) == np.int64(frame.end):
                if frame.next >= 0:
                    pushed = True  # not a question, but more options
                    break
                # No option has this nimber, so it is the part's nimber, unless that is smaller.
                smaller = 0
                while smaller < target and is_excluded(frame.seen, smaller):
                    smaller += 1
                if smaller == target:
                    value = target
                    break
                frame.at_most_goal = 1
            else:
                found, nimber = _compare_option(table, words, stack.options[np.int64(frame.cursor)], target)
                if found >= 0:
                    _push_question(stack, found, nimber, np.int64(frame.end), np.int64(frame.top))
                    pushed = True
                    break
                if found == _BEYOND:
                    return TOO_LARGE
                if found == _DIFFERENT:
                    if 0 <= nimber <= MAX_NIMBER:
                        frame.seen = exclude(frame.seen, nimber)
                    frame.cursor += 1
                    continue
                frame.seen = exclude(frame.seen, target)  # an option has this nimber
            target = _choose_target(frame)
            frame.target = target
            frame.cursor = frame.first
        if pushed:
            continue
        knowledge = frame.seen if value < 0 else nimber_table.encode_nimber(value)
        if not nimber_table.store_part(table, words, part, knowledge):
            return FULL
        control[DEPTH] -= 1
    return DONE
