"""The nimber search by proof numbers, for games whose play is long and whose moves are few; in steps over arrays.

The questions are those of `nimber_search`: whether the nimber of a part P is n. The answer is yes once all options of P
are known to have another nimber and P to have none below n, and no as soon as one option has the nimber n. Which
question is looked into next is told by proof numbers (Allis, 1994), depth first with thresholds (Nagai's df-pn, 2002),
weak ones (Ueda, Hashimoto, Hashimoto and Iida, 2008), as most options lead to the same parts in the end. An option that
was not looked into yet is judged by its own options: by how many of them are not known to have another nimber.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.dispatch import States
from fourcorners.core.jit import jitable, kernel
from fourcorners.core.nimber_protocol import LONGEST, Ends, Words
from fourcorners.solve.nimber_search import (
    CROWDED,
    DEPTH,
    DONE,
    ENOUGH,
    FULL,
    LARGE,
    NODES,
    PAUSED,
    SHORT,
    SLACK,
    Frames,
    Heads,
)
from fourcorners.solve.nimber_table import (
    FILLED,
    LARGEST,
    NEVER,
    QUESTION,
    Counts,
    Table,
    excludes,
    excluding,
    keep,
    knowing,
    look,
    nimber_in,
    nothing_known,
    numbers,
    numbers_of,
    question,
)
from fourcorners.solve.proof_options import (
    ASKED,
    CHOICE,
    DISPROOF,
    JUDGED,
    PROOF,
    WANTED,
    Beforehand,
    Choices,
    expand,
    judge,
    known,
    look_up,
)

__all__ = ["CHOICE", "FRAME", "advance", "ask"]

FRAME = np.dtype(
    [
        ("part", np.int64),  # where its words are
        ("goal", np.int64),  # the nimber asked for; -1: whichever it is
        ("proof", np.int64),  # it is left when its proof number reaches this
        ("disproof", np.int64),  # or its disproof number this
        ("first", np.int64),  # its options
        ("end", np.int64),
        ("top", np.int64),  # the end of the words of its options
        ("expanded", np.int64),  # whether they are written
        ("seen", np.uint64),  # what is known of the part: the nimbers of its options are excluded
    ]
)
_ANSWERED, _PROVEN, _LEFT, _VISIT = 10, 11, 12, 13
Finding = NDArray[np.int64]
_PART, _GOAL, _OWN_PROOF, _OWN_DISPROOF, _NEXT_PROOF, _NEXT_DISPROOF, _SIZE = 0, 1, 2, 3, 4, 5, 6
"""Words of the finding about a frame: the question to visit, the frame's own numbers, the thresholds of the visit."""
# The disproof number of a smaller nimber of the same part, before it is asked for.
_LOWER = 2
# A visit ends when the next best question has become better by a quarter: coming back costs as well.
_SLOW = 4


@jitable
def _push(frames: Frames, heads: Heads, part: int, goal: int, proof: int, disproof: int, first: int, top: int) -> None:
    frame: Any = frames[heads[DEPTH]]
    frame.part = part
    frame.goal = goal
    frame.proof = proof
    frame.disproof = disproof
    frame.first = first
    frame.end = first
    frame.top = top
    frame.expanded = 0
    frame.seen = nothing_known()
    heads[DEPTH] += 1


@kernel
def ask(frames: Frames, heads: Heads, part: int, goal: int, top: int) -> None:
    """Put a question on the empty stack, about a part among the first `top` words."""
    heads[DEPTH] = 0
    _push(frames, heads, part, goal, NEVER, NEVER, 0, top)


@jitable
def _update(table: Table, store: Words, words: Words, choices: Choices, frame: Any, asked: Words) -> bool:
    """Look up all options of a frame and forget those whose nimbers are known now; tell whether all can be told."""
    goal, first, seen = np.int64(frame.goal), np.int64(frame.first), frame.seen
    kept = first
    for i in range(first, np.int64(frame.end)):
        choice = choices[kept]
        if kept < i:
            for column in range(CHOICE):
                choice[column] = choices[i, column]
        nimber = look_up(table, store, words, choice, goal, asked)
        if nimber < 0:
            if choice[DISPROOF] > 0 and choice[WANTED] > LARGEST:
                return False
            kept += 1
        elif nimber <= LARGEST:
            seen = excluding(seen, nimber)
    frame.end = kept
    frame.seen = seen | look(table, store, words, np.int64(frame.part))
    return True


@jitable
def _weigh(
    work: States,
    beforehand: Beforehand,
    table: Table,
    store: Words,
    words: Words,
    ends: Ends,
    choices: Choices,
    frame: Any,
    finding: Finding,
    asked: Words,
) -> int:
    """Return how a frame stands whose options are looked up, with what follows from it in the finding."""
    goal, part, seen = np.int64(frame.goal), np.int64(frame.part), frame.seen
    if excludes(seen, goal):
        return _ANSWERED
    while True:
        count, hardest, best, second, pick = 0, 0, NEVER, NEVER, -1
        for i in range(np.int64(frame.first), np.int64(frame.end)):
            proof, disproof = choices[i, PROOF], choices[i, DISPROOF]
            if disproof > 0:
                count += 1
                hardest = max(hardest, disproof)
                if proof < best:
                    second, best, pick = best, proof, i
                elif proof < second:
                    second = proof
        if pick < 0 or choices[pick, JUDGED] != 0:
            break
        if not judge(work, beforehand, table, store, words, ends, choices[pick], np.int64(frame.top)):
            return SHORT
    if pick >= 0:
        finding[_PART], finding[_GOAL] = choices[pick, ASKED], choices[pick, WANTED]
    for nimber in range(goal):
        if not excludes(seen, nimber):
            question(words, part, nimber, asked)
            proof, disproof = numbers_of(table, store, asked)
            if proof < 0:
                proof, disproof = count + 1, _LOWER
            count += 1
            hardest = max(hardest, disproof)
            if proof < best:
                second, best = best, proof
                finding[_PART], finding[_GOAL] = part, nimber
            elif proof < second:
                second = proof
    if count == 0:
        return _PROVEN
    finding[_OWN_PROOF], finding[_OWN_DISPROOF] = min(hardest + count - 1, NEVER - 1), min(best, NEVER - 1)
    if finding[_OWN_PROOF] >= np.int64(frame.proof) or finding[_OWN_DISPROOF] >= np.int64(frame.disproof):
        return _LEFT
    finding[_NEXT_PROOF] = min(np.int64(frame.disproof), second + 1 + second // _SLOW)
    finding[_NEXT_DISPROOF] = np.int64(frame.proof) - (count - 1)
    if finding[_GOAL] < 0:
        finding[_NEXT_PROOF] = finding[_NEXT_DISPROOF] = NEVER
    return _VISIT


@kernel
def advance(
    work: States,
    beforehand: Beforehand,
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
    finding, asked = np.zeros(_SIZE, np.int64), np.zeros(QUESTION, np.uint64)
    while heads[DEPTH] > 0:
        frame: Any = frames[heads[DEPTH] - 1]
        part, goal = np.int64(frame.part), np.int64(frame.goal)
        if heads[DEPTH] + SLACK > len(frames) or np.int64(frame.top) + LONGEST > len(words):
            return SHORT
        if counts[FILLED] >= heads[ENOUGH]:
            return CROWDED
        knowledge = known(work, beforehand, table, store, words, part)
        if nimber_in(knowledge) >= 0:
            # What is known beforehand is kept for those who look here only.
            if not keep(table, store, counts, words, part, knowledge):
                return FULL
            heads[DEPTH] -= 1
            continue
        if goal < 0:
            goal = 0
            while goal <= LARGEST and excludes(knowledge, goal):
                goal += 1
            if goal > LARGEST:
                return LARGE
            _push(frames, heads, part, goal, NEVER, NEVER, np.int64(frame.end), np.int64(frame.top))
            continue
        if frame.expanded == 0:
            if heads[NODES] >= last:
                return PAUSED
            first, top = np.int64(frame.first), np.int64(frame.top)
            end, top, seen = expand(work, beforehand, table, store, words, ends, choices, part, first, top, knowledge)
            if end < 0:
                return SHORT
            frame.end, frame.top, frame.seen, frame.expanded = end, top, seen, 1
            heads[NODES] += 1
        if not _update(table, store, words, choices, frame, asked):
            return LARGE
        ended = _weigh(work, beforehand, table, store, words, ends, choices, frame, finding, asked)
        if ended == SHORT:
            return SHORT
        if ended == _VISIT:
            proof, disproof = finding[_NEXT_PROOF], finding[_NEXT_DISPROOF]
            first, top = np.int64(frame.end), np.int64(frame.top)
            _push(frames, heads, finding[_PART], finding[_GOAL], proof, disproof, first, top)
            continue
        if ended == _LEFT:
            question(words, part, goal, asked)
            found = numbers(finding[_OWN_PROOF], finding[_OWN_DISPROOF])
            if not keep(table, store, counts, asked, 0, found):
                return FULL
        knowledge = knowing(goal) if ended == _PROVEN else frame.seen
        if knowledge != nothing_known() and not keep(table, store, counts, words, part, knowledge):
            return FULL
        heads[DEPTH] -= 1
    return DONE
