"""The options of a part in the search by proof numbers: which questions they put, and what those are likely to cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.dispatch import States
from fourcorners.core.jit import jitable
from fourcorners.core.nimber_protocol import Ends, Words, length_of, options, place, weight_of
from fourcorners.solve.nimber_search import BEGIN, END, REST, cancel, survey
from fourcorners.solve.nimber_table import (
    LARGEST,
    Table,
    excludes,
    excluding,
    knowing,
    look,
    nimber_in,
    nothing_known,
    numbers_of,
    question,
)

Choices = NDArray[np.int64]
"""One row for each option on the stack whose nimber is not known: as in `nimber_search`, and more columns."""
CHOICE = 8
ASKED, WANTED = 3, 4  # the part that is asked next, and for which nimber; -1: whichever it is
PROOF, DISPROOF = 5, 6  # the numbers of that question; disproof 0: the answer is no
JUDGED = 7  # whether they come from a visit or from the part's own options
Beforehand = NDArray[np.uint8]
"""Nimbers of small parts, see `parts.place`."""

# What a part costs is guessed from its moves, low until its options have been looked at.
_BY_WEIGHT, _SPREAD, _HEAVIEST = 8, 8, 96


@jitable
def known(work: States, beforehand: Beforehand, table: Table, store: Words, words: Words, at: int) -> np.uint64:
    """Return what is known of a part, beforehand or by now."""
    spot = place(work[0], words, at) if len(beforehand) > 0 else 0
    if spot < len(beforehand):
        return knowing(np.int64(beforehand[spot]))
    return look(table, store, words, at)


@jitable
def _is_other(knowledge: np.uint64, nimber: int, weight: int) -> bool:
    """Tell whether a part whose nimber is not known is known not to have this one."""
    return bool(nimber > weight or (nimber <= LARGEST and excludes(knowledge, nimber)))


@jitable
def _forget_known(
    work: States, beforehand: Beforehand, table: Table, store: Words, words: Words, choice: NDArray[np.int64]
) -> None:
    """Leave out of an option the parts whose nimbers are known."""
    at, kept = choice[BEGIN], choice[BEGIN]
    while at < choice[END]:
        length = length_of(words[at])
        nimber = nimber_in(known(work, beforehand, table, store, words, at))
        if nimber >= 0:
            choice[REST] ^= nimber
        else:
            for i in range(length):
                words[kept + i] = words[at + i]
            kept += length
        at += length
    choice[END] = kept


@jitable
def _is_there(words: Words, choices: Choices, first: int, last: int) -> bool:
    """Tell whether the last option is equal to one before it."""
    begin, length, rest = choices[last, BEGIN], choices[last, END] - choices[last, BEGIN], choices[last, REST]
    for i in range(first, last):
        if choices[i, REST] == rest and choices[i, END] - choices[i, BEGIN] == length:
            same = True
            for k in range(length):
                if words[begin + k] != words[choices[i, BEGIN] + k]:
                    same = False
                    break
            if same:
                return True
    return False


@jitable
def expand(
    work: States,
    beforehand: Beforehand,
    table: Table,
    store: Words,
    words: Words,
    ends: Ends,
    choices: Choices,
    part: int,
    first: int,
    top: int,
    seen: np.uint64,
) -> tuple[int, int, np.uint64]:
    """Write the options of a part whose nimbers are not known, from a row and a word on.

    Returns the ends of the rows and of the words, and what is known of the part by now; -1 first without room.
    """
    n = options(work[0], words, part, words[top:], ends)
    if n < 0 or first + n > len(choices):
        return -1, top, seen
    begin, last = top, first
    for i in range(n):
        choice = choices[last]
        stop = top + ends[i]
        choice[BEGIN], choice[END], choice[REST], choice[WANTED] = begin, cancel(words, begin, stop), 0, -1
        begin = stop
        _forget_known(work, beforehand, table, store, words, choice)
        if choice[BEGIN] == choice[END]:
            if choice[REST] <= LARGEST:
                seen = excluding(seen, choice[REST])
        elif not _is_there(words, choices, first, last):
            last += 1
    return last, begin, seen


@jitable
def look_up(table: Table, store: Words, words: Words, choice: NDArray[np.int64], goal: int, asked: Words) -> int:
    """Write which question an option puts if its nimber is to be the goal; return that nimber if it is known, or -1.

    What is known beforehand has been left out.
    """
    rest, unknown, total, smallest, largest, most, excluded = survey(table, store, words, choice)
    if unknown == 0:
        return rest
    if unknown > 1:
        choice[ASKED], choice[WANTED] = smallest, -1
        choice[PROOF], choice[DISPROOF], choice[JUDGED] = 1 + total // 2, 1, 1
        return -1
    wanted = rest ^ goal
    if _is_other(excluded, wanted, most):
        choice[ASKED], choice[WANTED], choice[DISPROOF] = largest, wanted, 0
        return -1
    question(words, largest, wanted, asked)
    proof, disproof = numbers_of(table, store, asked)
    if proof >= 0:
        choice[PROOF], choice[DISPROOF], choice[JUDGED] = proof, disproof, 1
    elif choice[WANTED] != wanted:
        choice[PROOF], choice[DISPROOF], choice[JUDGED] = 1 + most // _BY_WEIGHT, 1, 0
    choice[ASKED], choice[WANTED] = largest, wanted
    return -1


@jitable
def judge(
    work: States,
    beforehand: Beforehand,
    table: Table,
    store: Words,
    words: Words,
    ends: Ends,
    choice: NDArray[np.int64],
    top: int,
) -> bool:
    """Guess the numbers of an option's question by the options of the part asked; tell whether there was room."""
    wanted = choice[WANTED]
    n = options(work[0], words, choice[ASKED], words[top:], ends)
    if n < 0:
        return False
    begin, count, lightest = top, 0, _HEAVIEST
    seen = look(table, store, words, choice[ASKED])
    for i in range(n):
        stop = top + ends[i]
        end = cancel(words, begin, stop)
        # As `_forget_known` and `survey` together, which would take two fifths longer.
        rest, unknown, weight, last = 0, 0, 0, nothing_known()
        while begin < end:
            knowledge = known(work, beforehand, table, store, words, begin)
            nimber = nimber_in(knowledge)
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
                choice[DISPROOF], choice[JUDGED] = 0, 1
                return True
            if rest <= LARGEST:
                seen = excluding(seen, rest)
        elif unknown > 1 or not _is_other(last, rest ^ wanted, weight):
            count += 1
            lightest = min(lightest, weight)
    for nimber in range(wanted):
        if not excludes(seen, nimber):
            count += 1
    choice[PROOF], choice[DISPROOF], choice[JUDGED] = 1 + count, 1 + lightest // _SPREAD, 1
    return True
