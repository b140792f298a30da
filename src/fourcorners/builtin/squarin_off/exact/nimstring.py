"""Nimstring: the game on the same strings in which only the last move counts.

Its winner gets control of the long chains (Berlekamp, The Dots and Boxes Game, 2000). A move that gives away coins of
which some can be handed back loses, so it is left out. One that gives away coins without a handout is a move like any
other, because the opponent captures them and has to move again. So every graph has a nimber, that of the numbers of its
parts combined by exclusive or (Sprague and Grundy).

Neither player cuts a chain of three coins or more. It matters only because each of its ends gives a coin one more
string, so a graph falls into *parts* at its long chains. A part is a connected set of strings: *live* ones, which may
be cut, and the first strings of the long chains beside them. Parts are small, and those far from a move stay as they
are, so most of them are known already.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND, is_single
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.solvers.margin_protocol import WORK_WORDS, Work

LOSS, WIN, UNDECIDED = 0, 1, -1
_PART, _LIVE, _KEY, _REST, _LEFT, _UNKNOWN, _TOTAL, _TRIED, _ASKED = range(WORK_WORDS)
_SETTLE, _ANSWER, _LOOK_UP, _MOVE = range(4)  # what to do next
_NO, _YES, _UNCLEAR = 0, 1, -1  # whether the nimber of a move's result is the one tried
_NUMBERS = np.uint64(127)  # the bits of an entry of the memory that are not the key's
_EXACT = np.uint64(64)  # set in an entry if the least possible nimber is exact
_ANY = np.uint64(63)  # the question for any nimber; also the bits of a nimber in an entry
_SHIFT, _ODD = np.uint64(20), np.uint64(0x9E3779B97F4A7C15)
_LONG = 3  # the coins of the shortest long chain
_LEAST_LOOP = 4  # the fewest coins in a closed row that can be handed out


@jitable_wraparound
def find_winner(board: State, strings: np.uint64, single_moves: np.uint64, work: Work, limit: int) -> tuple[int, int]:
    """Return WIN if the mover wins Nimstring, otherwise LOSS, and the number of parts searched.

    `strings` are those of a simplified node, and `single_moves` is the number of its independent chains that are one
    move each (see `count_single_moves`). The winner is UNDECIDED if more than `limit` parts would be searched. There
    must be no blockers, neither laid nor to be laid.

    The search asks whether the nimber of a move's result is the one that is tried, at first 0. If so, the tried nimber
    grows; if this holds for no move, it is the nimber of the part. All moves are looked up in the memory before one is
    searched, which saves up to half of the parts. For each ply the words of `work` hold: a part, its live strings and
    its key; the moves left; what the last move has left of the part, the live strings in it whose nimbers are not known
    yet, and the nimber of the others; the nimber that is tried, and the one asked about. An entry of the memory is a
    part's key with the least possible nimber in its last bits.
    """
    words, memory = work.words, work.memory
    last_slot = np.uint64(len(memory) - 1)
    depth, searched, is_equal = 0, 0, False
    words[_LEFT, 0], words[_TOTAL, 0], words[_TRIED, 0] = strings, single_moves & ONE, ZERO
    words[_UNKNOWN, 0] = _find_live(board, strings)
    step = _SETTLE
    while True:
        if step == _SETTLE:
            # Is the nimber of what the last move has left the one tried? Ask about the only unknown part, or find the
            # nimber of one of several.
            answer = _look_up_answer(board, words, memory, depth)
            is_equal, step = answer == _YES, _ANSWER
            if answer == _UNCLEAR:
                searched += 1
                if searched > limit:
                    return UNDECIDED, searched
                depth += 1
                words[_REST, depth] = words[_LIVE, depth]
                step = _LOOK_UP
        if step == _ANSWER:
            if depth == 0:
                return LOSS if is_equal else WIN, searched
            step = _MOVE
            if is_equal:
                words[_TRIED, depth] += ONE
                words[_REST, depth], step = words[_LIVE, depth], _LOOK_UP
                if words[_TRIED, depth] > words[_ASKED, depth]:
                    key = words[_KEY, depth]
                    memory[(key >> _SHIFT) & last_slot] = key | words[_TRIED, depth]
                    is_equal, step, depth = False, _ANSWER, depth - 1
                    continue
        if step == _LOOK_UP and _keep_unclear_moves(board, words, memory, depth):
            is_equal, step = True, _ANSWER
            continue
        if _make_next_move(board, words, depth) != ZERO:
            step = _SETTLE
            continue
        key, nimber = words[_KEY, depth], words[_TRIED, depth]
        memory[(key >> _SHIFT) & last_slot] = key | nimber | _EXACT
        depth -= 1
        if words[_ASKED, depth + 1] == _ANY:
            words[_TOTAL, depth] ^= nimber
            words[_UNKNOWN, depth] &= ~words[_LIVE, depth + 1]
            step = _SETTLE
        else:
            is_equal, step = nimber == words[_ASKED, depth + 1], _ANSWER


@jitable
def _look_up_parts(board: State, words: NDArray[np.uint64], memory: NDArray[np.uint64], depth: int) -> int:
    """Combine the known nimbers of the parts that the last move at `depth` left, and return the number of unknown ones.
    Writes the first unknown part, its live strings, key and least possible nimber at the next ply.
    """
    last_slot = np.uint64(len(memory) - 1)
    unknown, todo = 0, words[_UNKNOWN, depth]
    while todo != ZERO:
        part, live, key = _find_part(board, words[_LEFT, depth], todo)
        todo = todo & ~live
        entry = memory[(key >> _SHIFT) & last_slot]
        is_known = entry & ~_NUMBERS == key
        if is_known and entry & _EXACT != ZERO:
            words[_TOTAL, depth] ^= entry & _ANY
            words[_UNKNOWN, depth] &= ~live
            continue
        unknown += 1
        if unknown == 1:
            words[_PART, depth + 1], words[_LIVE, depth + 1], words[_KEY, depth + 1] = part, live, key
            words[_TRIED, depth + 1] = entry & _ANY if is_known else ZERO
    return unknown


@jitable
def _look_up_answer(board: State, words: NDArray[np.uint64], memory: NDArray[np.uint64], depth: int) -> int:
    """Return whether the nimber of what the last move at `depth` has left is the one that is tried: _YES, _NO, or
    _UNCLEAR. In the last case the question about the first unknown part is written at the next ply.
    """
    unknown = _look_up_parts(board, words, memory, depth)
    asked = _ANY if unknown > 1 else words[_TOTAL, depth] ^ words[_TRIED, depth]
    if unknown > 0 and asked >= words[_TRIED, depth + 1]:
        words[_ASKED, depth + 1] = asked
        return _UNCLEAR
    return _YES if unknown == 0 and asked == ZERO else _NO


@jitable
def _keep_unclear_moves(board: State, words: NDArray[np.uint64], memory: NDArray[np.uint64], depth: int) -> bool:
    """Keep only those of the moves left at `depth` whose answer the memory does not know; return True as soon as it
    says that one leaves the nimber that is tried.
    """
    kept, move = ZERO, _make_next_move(board, words, depth)
    while move != ZERO:
        answer = _look_up_answer(board, words, memory, depth)
        if answer == _YES:
            return True
        if answer == _UNCLEAR:
            kept = kept | move
        move = _make_next_move(board, words, depth)
    words[_REST, depth] = kept
    return False


@jitable
def count_single_moves(node: State) -> np.uint64:
    """Return the number of a node's chains, with its string without coins, that are one move each: those without a
    handout.
    """
    moves = np.uint64(np.int64(node.has_pass))
    for i in range(np.int64(node.chains)):
        if np.int64(node.chain_handout[i]) == NO_HANDOUT:
            moves = moves + ONE
    return moves


@jitable
def _find_live(board: State, strings: np.uint64) -> np.uint64:
    """Return those of a set of strings that may be cut: all but those of long chains."""
    live, coins = strings, board.coins
    while coins != ZERO:
        live = _drop_long_chain(board, strings, live, lowest_bit(coins))
        coins = coins & (coins - ONE)
    return live


@jitable_wraparound
def _find_part(board: State, strings: np.uint64, live: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the part of a set of strings that the first of its `live` ones belongs to, its live strings, and its key.

    The key is the same wherever the same part is left on a board of the same size. Its last bits are 0.
    """
    part = found = todo = live & (~live + ONE)
    key = ZERO
    while todo != ZERO:
        string = lowest_bit(todo)
        # Sums do not depend on the numbers of the strings.
        key = key + board.string_salt[string]
        beside = board.beside[string] & strings
        part = part | beside
        beside = beside & live & ~found
        found, todo = found | beside, (todo & (todo - ONE)) | beside
    todo = part & ~found
    while todo != ZERO:
        key = key + board.string_salt[lowest_bit(todo)] * _ODD
        todo = todo & (todo - ONE)
    key = key & ~_NUMBERS
    return part, found, key if key != ZERO else ~_NUMBERS


@jitable
def _make_next_move(board: State, words: NDArray[np.uint64], depth: int) -> np.uint64:
    """Make the next move at `depth` that does not lose at once, and write what it leaves; return the string that it
    cuts as a set of one, or the empty set if there is no such move.
    """
    live = words[_LIVE, depth]
    while words[_REST, depth] != ZERO:
        string = lowest_bit(words[_REST, depth])
        words[_REST, depth] &= words[_REST, depth] - ONE
        left, is_safe, first_end = _capture(board, words[_PART, depth] & ~bit(string), live, board.ends[string, 0])
        if not is_safe:
            continue
        left, is_safe, second_end = _capture(board, left, live, board.ends[string, 1])
        if is_safe:
            # The other strings of a chain that is gone lead to the same.
            words[_REST, depth] &= left
            words[_LEFT, depth], words[_TOTAL, depth] = left, ZERO
            rest = _drop_long_chain(board, left, live & left, first_end)
            words[_UNKNOWN, depth] = _drop_long_chain(board, left, rest, second_end)
            return bit(string)
    return ZERO


@jitable
def _drop_long_chain(board: State, strings: np.uint64, live: np.uint64, coin: int) -> np.uint64:
    """Return the `live` ones of a set of strings without the chain through `coin`, or GROUND, if that is long.

    A chain with a string that is not live is long.
    """
    chain, length = ZERO if coin == GROUND else strings & board.coin_strings[coin], 1
    second = ZERO if chain == ZERO else chain & (chain - ONE)
    if not is_single(second):
        return live
    for start in (lowest_bit(chain), lowest_bit(second)):
        string, here = start, board.ends[start, 0] + board.ends[start, 1] - coin
        while here != GROUND:
            rest = strings & board.coin_strings[here] & ~bit(string)
            # One step beyond, a loop is back at its first string.
            if not is_single(rest) or rest & chain != ZERO:
                break
            length += 1
            chain = chain | rest
            string = lowest_bit(rest)
            here = board.ends[string, 0] + board.ends[string, 1] - here
    return live if length < _LONG and chain & ~live == ZERO else live & ~chain


@jitable
def _capture(board: State, strings: np.uint64, live: np.uint64, coin: int) -> tuple[np.uint64, bool, int]:
    """Return the rest of a set of strings after the capture of `coin`, or GROUND, and all captures that follow, whether
    nothing of it could be handed out, and the coin at which the captures end, or GROUND. A string that is not `live`
    leads into a long chain.
    """
    count = 0
    while coin != GROUND:
        own = strings & board.coin_strings[coin]
        if own == ZERO and count > 0:
            # Its last string was that of the coin before.
            return strings, count + 1 < _LEAST_LOOP, GROUND
        if not is_single(own):
            break
        if own & live == ZERO:
            return strings, False, GROUND
        count += 1
        strings = strings & ~own
        string = lowest_bit(own)
        coin = board.ends[string, 0] + board.ends[string, 1] - coin
    return strings, count < 2, coin
