"""The nimber search by proof numbers, for games with long play and few moves; resumable, over arrays.

The questions are those of `nimber_search`: whether the nimber of a part P is n. The answer is yes once all options of P
are known to have other nimbers and P to have none below n, and no as soon as one option has the nimber n. Proof numbers
(Allis 1994) say which question to search next, depth first with thresholds (Nagai's df-pn, 2002); they are weak ones
(Ueda, Hashimoto, Hashimoto and Iida 2008), as most options lead to the same parts in the end. An option that was not
visited yet is rated by its own options: by how many of them are not known to have another nimber.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.dispatch import Actions
from fourcorners.core.jit import jitable_no_alloc, kernel
from fourcorners.core.nimber_protocol import Words, length_of, options, place, weight_of
from fourcorners.solve import nimber_search, nimber_table
from fourcorners.solve.nimber_search import BEGIN, DEPTH, END, FULL, NO_ROOM, NODES, REST, TOO_LARGE, Stack
from fourcorners.solve.nimber_table import (
    MAX_NIMBER,
    MAX_PROOF,
    NOTHING_KNOWN,
    PartTable,
    exclude,
    is_excluded,
    look_up,
)

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
_ANSWERED, _PROVEN, _LEAVE, _VISIT = range(10, 14)  # what `_choose_visit` returns, besides NO_ROOM
_PART, _GOAL, _OWN_PROOF, _OWN_DISPROOF, _NEXT_PROOF, _NEXT_DISPROOF, _VISIT_WORDS = range(7)
"""Words that `_choose_visit` writes: the question to visit, the frame's own numbers, the thresholds of the visit."""
_SMALLER_DISPROOF = 2  # the disproof number of a smaller nimber of the same part, before it is asked for
_HYSTERESIS = 4  # a visit ends when the next best question is better by a quarter, as coming back costs time as well
ASKED_PART, ASKED_NIMBER, PROOF, DISPROOF, IS_EXAMINED, OPTION_COLUMNS = range(3, 9)
"""More columns of `Stack.options`: the part to ask about next and for which nimber (-1: any), the proof and the
disproof number of that question (disproof 0: the answer is no), and whether these come from a visit or from the part's
own options (1), not from a guess by weight (0)."""
# The first guess at the work that a part takes, by its moves: kept low until its options are examined.
_BY_WEIGHT, _SPREAD, _HEAVIEST = 8, 8, 96


@jitable_no_alloc
def look_up_part(stack: Stack, table: PartTable, at: int) -> np.uint64:
    """Return the knowledge of the part at `words[at]` (see `nimber_table`), from `table.small` or from the search."""
    spot = place(stack.work[0], stack.words, at) if len(table.small) > 0 else 0
    if spot < len(table.small):
        return nimber_table.encode_nimber(np.int64(table.small[spot]))
    return look_up(table, stack.words, at)


@jitable_no_alloc
def _is_impossible(knowledge: np.uint64, nimber: int, weight: int) -> bool:
    """Return whether a part of this weight and of unknown nimber cannot have this nimber, by what is known of it."""
    return bool(nimber > weight or (nimber <= MAX_NIMBER and is_excluded(knowledge, nimber)))


@jitable_no_alloc
def _remove_known_parts(stack: Stack, table: PartTable, option: NDArray[np.int64]) -> None:
    """Remove parts of known nimber from the words of an option, a row of `stack.options`; XOR into REST, update END."""
    words = stack.words
    at, kept = option[BEGIN], option[BEGIN]
    while at < option[END]:
        length = length_of(words[at])
        nimber = nimber_table.decode_nimber(look_up_part(stack, table, at))
        if nimber >= 0:
            option[REST] ^= nimber
        else:
            for i in range(length):
                words[kept + i] = words[at + i]
            kept += length
        at += length
    option[END] = kept


@jitable_no_alloc
def _is_duplicate(stack: Stack, first: int, last: int) -> bool:
    """Return whether the option in row `last` equals one in the rows from `first` to `last` - 1, word by word."""
    words, rows = stack.words, stack.options
    begin, length, rest = rows[last, BEGIN], rows[last, END] - rows[last, BEGIN], rows[last, REST]
    for i in range(first, last):
        fits = rows[i, REST] == rest and rows[i, END] - rows[i, BEGIN] == length
        if fits and nimber_table.are_equal(words, begin, words, rows[i, BEGIN], length):
            return True
    return False


@jitable_no_alloc
def expand_part(
    stack: Stack, table: PartTable, part: int, first: int, top: int, seen: np.uint64
) -> tuple[int, int, np.uint64]:
    """Write the options of unknown nimber of the part at `words[part]`, each once, from row `first` and word `top` on.

    Return the end of the rows (-1: no room), of the words, and `seen` with the nimbers of all other options excluded,
    except those above MAX_NIMBER.
    """
    words, rows = stack.words, stack.options
    n = options(stack.work[0], words, part, words[top:], stack.ends)
    if n < 0 or first + n > len(rows):
        return -1, top, seen
    begin, last = top, first
    for i in range(n):
        option = rows[last]
        stop = top + stack.ends[i]
        end = nimber_search.cancel_pairs(words, begin, stop)
        option[BEGIN], option[END], option[REST], option[ASKED_NIMBER] = begin, end, 0, -1
        begin = stop
        _remove_known_parts(stack, table, option)
        if option[BEGIN] == option[END]:
            if option[REST] <= MAX_NIMBER:
                seen = exclude(seen, option[REST])
        elif not _is_duplicate(stack, first, last):
            last += 1
    return last, begin, seen


@jitable_no_alloc
def update_option(table: PartTable, words: Words, option: NDArray[np.int64], goal: int, question: Words) -> int:
    """Write into an option the question that decides whether its nimber is `goal`; return its nimber if known, else -1.

    Of several unknown parts it asks for the lightest's nimber. Small parts were removed when it was expanded, so the
    search's own knowledge suffices. `question` is scratch, (2,).
    """
    rest, unknown, total, lightest, heaviest, most, excluded = nimber_search.survey_option(table, words, option)
    if unknown == 0:
        return rest
    if unknown > 1:
        option[ASKED_PART], option[ASKED_NIMBER] = lightest, -1
        option[PROOF], option[DISPROOF], option[IS_EXAMINED] = 1 + total // 2, 1, 1
        return -1
    asked = rest ^ goal
    if _is_impossible(excluded, asked, most):
        option[ASKED_PART], option[ASKED_NIMBER], option[DISPROOF] = heaviest, asked, 0
        return -1
    nimber_table.write_question(words, heaviest, asked, question)
    proof, disproof = nimber_table.look_up_proof_numbers(table, question)
    if proof >= 0:
        option[PROOF], option[DISPROOF], option[IS_EXAMINED] = proof, disproof, 1
    elif option[ASKED_NIMBER] != asked:
        option[PROOF], option[DISPROOF], option[IS_EXAMINED] = 1 + most // _BY_WEIGHT, 1, 0
    option[ASKED_PART], option[ASKED_NIMBER] = heaviest, asked
    return -1


@jitable_no_alloc
def examine_option(stack: Stack, table: PartTable, option: NDArray[np.int64], top: int) -> bool:
    """Write estimates of the numbers of an option's question, not for any nimber, by the options of the part.

    Return False if there is no room for these: the words from `top` on are scratch.
    """
    words = stack.words
    asked = option[ASKED_NIMBER]
    n = options(stack.work[0], words, option[ASKED_PART], words[top:], stack.ends)
    if n < 0:
        return False
    begin, count, lightest = top, 0, _HEAVIEST
    seen = look_up(table, words, option[ASKED_PART])
    for i in range(n):
        stop = top + stack.ends[i]
        end = nimber_search.cancel_pairs(words, begin, stop)
        # A fusion of `_remove_known_parts` and `survey_option`, which together take two fifths longer.
        rest, unknown, weight, last = 0, 0, 0, NOTHING_KNOWN
        while begin < end:
            knowledge = look_up_part(stack, table, begin)
            nimber = nimber_table.decode_nimber(knowledge)
            if nimber >= 0:
                rest ^= nimber
            else:
                unknown += 1
                weight += weight_of(words[begin])
                last = knowledge
            begin += length_of(words[begin])
        begin = stop
        if unknown == 0:
            if rest == asked:
                option[DISPROOF], option[IS_EXAMINED] = 0, 1
                return True
            if rest <= MAX_NIMBER:
                seen = exclude(seen, rest)
        elif unknown > 1 or not _is_impossible(last, rest ^ asked, weight):
            count += 1
            lightest = min(lightest, weight)
    for nimber in range(asked):
        if not is_excluded(seen, nimber):
            count += 1
    option[PROOF], option[DISPROOF], option[IS_EXAMINED] = 1 + count, 1 + lightest // _SPREAD, 1
    return True


@jitable_no_alloc
def _push_question(stack: Stack, part: int, goal: int, proof: int, disproof: int, first: int, top: int) -> None:
    """Push a question (see FRAME); there must be a free frame. Options begin at row `first` and word `top`."""
    control = stack.control
    frame: Any = stack.frames[control[DEPTH]]
    frame.part, frame.goal, frame.proof, frame.disproof = part, goal, proof, disproof
    frame.first, frame.end, frame.top = first, first, top
    frame.expanded, frame.seen = 0, NOTHING_KNOWN
    control[DEPTH] += 1


@kernel
def start(stack: Stack, part: int, goal: int, top: int) -> None:
    """Begin a question about the part at `words[part]`: whether its nimber is `goal` or, for -1, which nimber it has.

    The words from `top` on, which is behind the part, are free for options. A question in progress is given up.
    """
    stack.control[DEPTH] = 0
    _push_question(stack, part, goal, MAX_PROOF, MAX_PROOF, 0, top)


@jitable_no_alloc
def _update_options(stack: Stack, table: PartTable, frame: Any, question: NDArray[np.uint64]) -> bool:
    """Update a frame's options, `end` and `seen`; drop options of known nimber. `question` is scratch, (2,). Return
    False, with the update unfinished, if the nimber asked for at an option is above MAX_NIMBER but possible.
    """
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
            if option[DISPROOF] > 0 and option[ASKED_NIMBER] > MAX_NIMBER:
                return False
            kept += 1
        elif nimber <= MAX_NIMBER:
            seen = exclude(seen, nimber)
    frame.end = kept
    frame.seen = seen | look_up(table, stack.words, np.int64(frame.part))
    return True


@jitable_no_alloc
def _choose_visit(stack: Stack, table: PartTable, frame: Any, visit: Actions, question: Words) -> int:
    """Decide what to do with a frame whose options are up to date; return how it stands, and write `visit`, (6,).

    _ANSWERED: no; _PROVEN: yes; _LEAVE: a threshold is reached, the frame's own numbers are written; _VISIT: search the
    question written; NO_ROOM: an array is too short to examine an option. `question` is scratch, (2,).
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
        visit[_PART], visit[_GOAL] = rows[pick, ASKED_PART], rows[pick, ASKED_NIMBER]
    for nimber in range(goal):
        if not is_excluded(seen, nimber):
            nimber_table.write_question(stack.words, part, nimber, question)
            proof, disproof = nimber_table.look_up_proof_numbers(table, question)
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
    """Continue a question until it is answered or `nodes` more parts are expanded; return how it ends (see DONE).

    After DONE the tables have the answer: see `look_up_part`.
    """
    words, frames, control = stack.words, stack.frames, stack.control
    last = control[NODES] + nodes
    visit, question = np.zeros(_VISIT_WORDS, np.int64), np.zeros(nimber_table.QUESTION_WORDS, np.uint64)
    while control[DEPTH] > 0:
        frame: Any = frames[control[DEPTH] - 1]
        part, goal = np.int64(frame.part), np.int64(frame.goal)
        # A frame pushes one question at a time.
        if control[DEPTH] == len(frames):
            return NO_ROOM
        if table.counts[nimber_table.FILLED] >= control[nimber_search.FILL_LIMIT]:
            return nimber_search.CROWDED
        knowledge = look_up_part(stack, table, part)
        if nimber_table.decode_nimber(knowledge) >= 0:
            # Functions that do not know the table of small parts look here.
            if not nimber_table.store_part(table, words, part, knowledge):
                return FULL
            control[DEPTH] -= 1
            continue
        if goal < 0:
            goal = 0
            while goal <= MAX_NIMBER and is_excluded(knowledge, goal):
                goal += 1
            if goal > MAX_NIMBER:
                return TOO_LARGE
            _push_question(stack, part, goal, MAX_PROOF, MAX_PROOF, np.int64(frame.end), np.int64(frame.top))
            continue
        if frame.expanded == 0:
            if control[NODES] >= last:
                return nimber_search.PAUSED
            end, top, seen = expand_part(stack, table, part, np.int64(frame.first), np.int64(frame.top), knowledge)
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
            _push_question(stack, visit[_PART], visit[_GOAL], proof, disproof, np.int64(frame.end), np.int64(frame.top))
            continue
        if status == _LEAVE:
            nimber_table.write_question(words, part, goal, question)
            numbers = nimber_table.encode_proof_numbers(visit[_OWN_PROOF], visit[_OWN_DISPROOF])
            if not nimber_table.store_part(table, question, 0, numbers):
                return FULL
        knowledge = nimber_table.encode_nimber(goal) if status == _PROVEN else frame.seen
        if knowledge != NOTHING_KNOWN and not nimber_table.store_part(table, words, part, knowledge):
            return FULL
        control[DEPTH] -= 1
    return nimber_search.DONE
