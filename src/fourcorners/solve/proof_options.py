"""The options of a part in the proof-number search: which question each puts, and how much work that may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable_no_alloc
from fourcorners.core.nimber_protocol import Words, length_of, options, place, weight_of
from fourcorners.solve.nimber_search import BEGIN, END, REST, Stack, cancel_pairs, survey_option
from fourcorners.solve.nimber_table import (
    MAX_NIMBER,
    NOTHING_KNOWN,
    PartTable,
    decode_nimber,
    encode_nimber,
    exclude,
    is_excluded,
    look_up,
    look_up_proof_numbers,
    write_question,
)

OPTION_COLUMNS = 8
PART, WANTED = 3, 4
"""More columns of `Stack.options`: the part to ask about next, and for which nimber; -1: whichever it is."""
PROOF, DISPROOF = 5, 6
"""The proof and the disproof number of that question; disproof 0: the answer is no."""
IS_EXAMINED = 7
"""Whether these numbers come from a visit or from the part's own options, not from a guess by weight."""

# The first guess at the work that a part takes, by its moves: kept low until its options are examined.
_BY_WEIGHT, _SPREAD, _HEAVIEST = 8, 8, 96


@jitable_no_alloc
def look_up_part(stack: Stack, table: PartTable, at: int) -> np.uint64:
    """Return what is known of the part at `words[at]`, by the table of small parts or by the search."""
    spot = place(stack.work[0], stack.words, at) if len(table.small) > 0 else 0
    if spot < len(table.small):
        return encode_nimber(np.int64(table.small[spot]))
    return look_up(table, stack.words, at)


@jitable_no_alloc
def _is_impossible(knowledge: np.uint64, nimber: int, weight: int) -> bool:
    """Return whether a part of this weight, of unknown nimber, cannot have this nimber."""
    return bool(nimber > weight or (nimber <= MAX_NIMBER and is_excluded(knowledge, nimber)))


@jitable_no_alloc
def _remove_known_parts(stack: Stack, table: PartTable, option: NDArray[np.int64]) -> None:
    """Remove the parts of an option whose nimbers are known, and add these to REST."""
    words = stack.words
    at, kept = option[BEGIN], option[BEGIN]
    while at < option[END]:
        length = length_of(words[at])
        nimber = decode_nimber(look_up_part(stack, table, at))
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
    """Return whether the option in row `last` equals one in the rows from `first` up to it."""
    words, rows = stack.words, stack.options
    begin, length, rest = rows[last, BEGIN], rows[last, END] - rows[last, BEGIN], rows[last, REST]
    for i in range(first, last):
        if rows[i, REST] == rest and rows[i, END] - rows[i, BEGIN] == length:
            same = True
            for k in range(length):
                if words[begin + k] != words[rows[i, BEGIN] + k]:
                    same = False
                    break
            if same:
                return True
    return False


@jitable_no_alloc
def expand(
    stack: Stack, table: PartTable, part: int, first: int, top: int, seen: np.uint64
) -> tuple[int, int, np.uint64]:
    """Write the options of a part whose nimbers are unknown, from row `first` and word `top` on.

    Return the ends of the rows and of the words, and what is now known of the part, beginning with `seen`. The first is
    -1 if there is no room.
    """
    words, rows = stack.words, stack.options
    n = options(stack.work[0], words, part, words[top:], stack.ends)
    if n < 0 or first + n > len(rows):
        return -1, top, seen
    begin, last = top, first
    for i in range(n):
        option = rows[last]
        stop = top + stack.ends[i]
        option[BEGIN], option[END], option[REST], option[WANTED] = begin, cancel_pairs(words, begin, stop), 0, -1
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
    """Write which question decides whether an option has the nimber `goal`; return its nimber if known, else -1.

    Small parts were removed when it was expanded, so the search's own knowledge suffices. `question` is scratch.
    """
    rest, unknown, total, lightest, heaviest, most, excluded = survey_option(table, words, option)
    if unknown == 0:
        return rest
    if unknown > 1:
        option[PART], option[WANTED] = lightest, -1
        option[PROOF], option[DISPROOF], option[IS_EXAMINED] = 1 + total // 2, 1, 1
        return -1
    wanted = rest ^ goal
    if _is_impossible(excluded, wanted, most):
        option[PART], option[WANTED], option[DISPROOF] = heaviest, wanted, 0
        return -1
    write_question(words, heaviest, wanted, question)
    proof, disproof = look_up_proof_numbers(table, question)
    if proof >= 0:
        option[PROOF], option[DISPROOF], option[IS_EXAMINED] = proof, disproof, 1
    elif option[WANTED] != wanted:
        option[PROOF], option[DISPROOF], option[IS_EXAMINED] = 1 + most // _BY_WEIGHT, 1, 0
    option[PART], option[WANTED] = heaviest, wanted
    return -1


@jitable_no_alloc
def examine_option(stack: Stack, table: PartTable, option: NDArray[np.int64], top: int) -> bool:
    """Estimate the numbers of an option's question by the options of the part asked about; return False without room.

    The words from `top` on are scratch.
    """
    words = stack.words
    wanted = option[WANTED]
    n = options(stack.work[0], words, option[PART], words[top:], stack.ends)
    if n < 0:
        return False
    begin, count, lightest = top, 0, _HEAVIEST
    seen = look_up(table, words, option[PART])
    for i in range(n):
        stop = top + stack.ends[i]
        end = cancel_pairs(words, begin, stop)
        # A fusion of `_remove_known_parts` and `survey_option`, which together take two fifths longer.
        rest, unknown, weight, last = 0, 0, 0, NOTHING_KNOWN
        while begin < end:
            knowledge = look_up_part(stack, table, begin)
            nimber = decode_nimber(knowledge)
            if nimber >= 0:
                rest ^= nimber
            else:
                unknown += 1
                weight += weight_of(words[begin])
                last = knowledge
            begin += length_of(words[begin])
        begin = stop
        if unknown == 0:
            if rest == wanted:
                option[DISPROOF], option[IS_EXAMINED] = 0, 1
                return True
            if rest <= MAX_NIMBER:
                seen = exclude(seen, rest)
        elif unknown > 1 or not _is_impossible(last, rest ^ wanted, weight):
            count += 1
            lightest = min(lightest, weight)
    for nimber in range(wanted):
        if not is_excluded(seen, nimber):
            count += 1
    option[PROOF], option[DISPROOF], option[IS_EXAMINED] = 1 + count, 1 + lightest // _SPREAD, 1
    return True
