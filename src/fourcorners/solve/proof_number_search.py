"""The nimber search by proof numbers, for games with long play and few moves; resumable, over arrays.

The questions are those of `nimber_search`: whether the nimber of a part P is n. The answer is yes once all options of P
are known to have other nimbers and P to have none below n, and no as soon as one option has the nimber n. Proof numbers
(Allis 1994) say which question to search next, depth first with thresholds (Nagai's df-pn, 2002); they are weak ones
(Ueda, Hashimoto, Hashimoto and Iida 2008), as most options lead to the same parts in the end. An option that was not
visited yet is rated by its own options: by how many of them are not known to have another nimber.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable_no_alloc, kernel
from fourcorners.core.nimber_protocol import LONGEST
from fourcorners.solve.nimber_search import (
    CROWDED,
    DEPTH,
    DONE,
    FILL_LIMIT,
    FULL,
    NO_ROOM,
    NODES,
    PAUSED,
    SLACK,
    TOO_LARGE,
    Stack,
)
from fourcorners.solve.nimber_table import (
    FILLED,
    MAX_NIMBER,
    MAX_PROOF,
    NOTHING_KNOWN,
    QUESTION_WORDS,
    PartTable,
    decode_nimber,
    encode_nimber,
    encode_proof_numbers,
    exclude,
    is_excluded,
    look_up,
    look_up_proof_numbers,
    store_part,
    write_question,
)
from fourcorners.solve.proof_options import (
    DISPROOF,
    IS_EXAMINED,
    OPTION_COLUMNS,
    PART,
    PROOF,
    WANTED,
    examine_option,
    expand,
    look_up_part,
    update_option,
)

__all__ = ["FRAME", "OPTION_COLUMNS", "advance", "start"]

FRAME = np.dtype(
    [
        ("part", np.int64),  # where its words begin
        ("goal", np.int64),  # the nimber asked for; -1: whichever it is
        ("proof", np.int64),  # the visit ends when the question's proof number reaches this
        ("disproof", np.int64),  # or its disproof number this
        ("first", np.int64),  # the rows of its options
        ("end", np.int64),
        ("top", np.int64),  # the end of the words of its options
        ("expanded", np.int64),  # 1 if its options are written
        ("seen", np.uint64),  # what is known of the part: the nimbers of its options are excluded
    ]
)
_ANSWERED, _PROVEN, _LEAVE, _VISIT = 10, 11, 12, 13
Visit = NDArray[np.int64]
_PART, _GOAL, _OWN_PROOF, _OWN_DISPROOF, _NEXT_PROOF, _NEXT_DISPROOF, _VISIT_WORDS = 0, 1, 2, 3, 4, 5, 6
"""Words that `_choose_visit` writes: the question to visit, the frame's own numbers, the thresholds of the visit."""
_SMALLER_DISPROOF = 2
"""The disproof number of a smaller nimber of the same part, before it is asked for."""
_HYSTERESIS = 4
"""A visit ends when the next best question is better by a quarter, as coming back costs time as well."""


@jitable_no_alloc
def _push(stack: Stack, part: int, goal: int, proof: int, disproof: int, first: int, top: int) -> None:
    """Push a question with its thresholds; its options go to row `first` and word `top` on."""
    control = stack.control
    frame: Any = stack.frames[control[DEPTH]]
    frame.part = part
    frame.goal = goal
    frame.proof = proof
    frame.disproof = disproof
    frame.first = first
    frame.end = first
    frame.top = top
    frame.expanded = 0
    frame.seen = NOTHING_KNOWN
    control[DEPTH] += 1


@kernel
def start(stack: Stack, part: int, goal: int, top: int) -> None:
    """Begin with a question about a part among the first `top` words: has it the nimber `goal`; -1: which has it."""
    stack.control[DEPTH] = 0
    _push(stack, part, goal, MAX_PROOF, MAX_PROOF, 0, top)


@jitable_no_alloc
def _update_options(stack: Stack, table: PartTable, frame: Any, question: NDArray[np.uint64]) -> bool:
    """Look up a frame's options and drop those with known nimbers; return False if a nimber may exceed MAX_NIMBER."""
    rows = stack.options
    goal, first, seen = np.int64(frame.goal), np.int64(frame.first), frame.seen
    kept = first
    for i in range(first, np.int64(frame.end)):
        option = rows[kept]
        if kept < i:
            for column in range(OPTION_COLUMNS):
                option[column] = rows[i, column]
        nimber = update_option(table, stack.words, option, goal, question)
        if nimber < 0:
            if option[DISPROOF] > 0 and option[WANTED] > MAX_NIMBER:
                return False
            kept += 1
        elif nimber <= MAX_NIMBER:
            seen = exclude(seen, nimber)
    frame.end = kept
    frame.seen = seen | look_up(table, stack.words, np.int64(frame.part))
    return True


@jitable_no_alloc
def _choose_visit(stack: Stack, table: PartTable, frame: Any, visit: Visit, question: NDArray[np.uint64]) -> int:
    """Decide what to do with a frame whose options are up to date, and write the visit; return how the frame stands.

    _ANSWERED: no; _PROVEN: yes; _LEAVE: a threshold is reached; _VISIT: search the question written; NO_ROOM.
    """
    rows = stack.options
    goal, part, seen = np.int64(frame.goal), np.int64(frame.part), frame.seen
    if is_excluded(seen, goal):
        return _ANSWERED
    while True:
        count, hardest, best, second, pick = 0, 0, MAX_PROOF, MAX_PROOF, -1
        for i in range(np.int64(frame.first), np.int64(frame.end)):
            proof, disproof = rows[i, PROOF], rows[i, DISPROOF]
            if disproof > 0:
                count += 1
                hardest = max(hardest, disproof)
                if proof < best:
                    second, best, pick = best, proof, i
                elif proof < second:
                    second = proof
        if pick < 0 or rows[pick, IS_EXAMINED] != 0:
            break
        if not examine_option(stack, table, rows[pick], np.int64(frame.top)):
            return NO_ROOM
    if pick >= 0:
        visit[_PART], visit[_GOAL] = rows[pick, PART], rows[pick, WANTED]
    for nimber in range(goal):
        if not is_excluded(seen, nimber):
            write_question(stack.words, part, nimber, question)
            proof, disproof = look_up_proof_numbers(table, question)
            if proof < 0:
                proof, disproof = count + 1, _SMALLER_DISPROOF
            count += 1
            hardest = max(hardest, disproof)
            if proof < best:
                second, best = best, proof
                visit[_PART], visit[_GOAL] = part, nimber
            elif proof < second:
                second = proof
    if count == 0:
        return _PROVEN
    visit[_OWN_PROOF], visit[_OWN_DISPROOF] = min(hardest + count - 1, MAX_PROOF - 1), min(best, MAX_PROOF - 1)
    if visit[_OWN_PROOF] >= np.int64(frame.proof) or visit[_OWN_DISPROOF] >= np.int64(frame.disproof):
        return _LEAVE
    visit[_NEXT_PROOF] = min(np.int64(frame.disproof), second + 1 + second // _HYSTERESIS)
    visit[_NEXT_DISPROOF] = np.int64(frame.proof) - (count - 1)
    if visit[_GOAL] < 0:
        visit[_NEXT_PROOF] = visit[_NEXT_DISPROOF] = MAX_PROOF
    return _VISIT


@kernel
def advance(stack: Stack, table: PartTable, nodes: int) -> int:
    """Continue a question until it is answered or `nodes` parts are expanded; return how the slice ended."""
    words, frames, control = stack.words, stack.frames, stack.control
    last = control[NODES] + nodes
    visit, question = np.zeros(_VISIT_WORDS, np.int64), np.zeros(QUESTION_WORDS, np.uint64)
    while control[DEPTH] > 0:
        frame: Any = frames[control[DEPTH] - 1]
        part, goal = np.int64(frame.part), np.int64(frame.goal)
        if control[DEPTH] + SLACK > len(frames) or np.int64(frame.top) + LONGEST > len(words):
            return NO_ROOM
        if table.counts[FILLED] >= control[FILL_LIMIT]:
            return CROWDED
        knowledge = look_up_part(stack, table, part)
        if decode_nimber(knowledge) >= 0:
            # Functions that do not know the table of small parts look here.
            if not store_part(table, words, part, knowledge):
                return FULL
            control[DEPTH] -= 1
            continue
        if goal < 0:
            goal = 0
            while goal <= MAX_NIMBER and is_excluded(knowledge, goal):
                goal += 1
            if goal > MAX_NIMBER:
                return TOO_LARGE
            _push(stack, part, goal, MAX_PROOF, MAX_PROOF, np.int64(frame.end), np.int64(frame.top))
            continue
        if frame.expanded == 0:
            if control[NODES] >= last:
                return PAUSED
            end, top, seen = expand(stack, table, part, np.int64(frame.first), np.int64(frame.top), knowledge)
            if end < 0:
                return NO_ROOM
            frame.end, frame.top, frame.seen, frame.expanded = end, top, seen, 1
            control[NODES] += 1
        if not _update_options(stack, table, frame, question):
            return TOO_LARGE
        status = _choose_visit(stack, table, frame, visit, question)
        if status == NO_ROOM:
            return NO_ROOM
        if status == _VISIT:
            proof, disproof = visit[_NEXT_PROOF], visit[_NEXT_DISPROOF]
            _push(stack, visit[_PART], visit[_GOAL], proof, disproof, np.int64(frame.end), np.int64(frame.top))
            continue
        if status == _LEAVE:
            write_question(words, part, goal, question)
            numbers = encode_proof_numbers(visit[_OWN_PROOF], visit[_OWN_DISPROOF])
            if not store_part(table, question, 0, numbers):
                return FULL
        knowledge = encode_nimber(goal) if status == _PROVEN else frame.seen
        if knowledge != NOTHING_KNOWN and not store_part(table, words, part, knowledge):
            return FULL
        control[DEPTH] -= 1
    return DONE
