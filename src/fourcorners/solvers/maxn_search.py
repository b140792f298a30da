"""The compiled max^n search: depth first, with stack and table in arrays, so that it can pause and continue."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Points, State, States
from fourcorners.core.bits import ONE, ZERO, mix
from fourcorners.core.hashing import hash_record
from fourcorners.core.jit import jitable_no_alloc, jitable_wraparound, kernel_no_alloc
from fourcorners.solvers.default_exact import forget, reach

Numbers = NDArray[np.int64]

MOVER, FIRST, END, CAP, MAXIMUM, NODES_BEFORE, IS_OPEN, LEVEL_COLUMNS = range(8)
"""Columns of `Stack.levels`: the seat to move; where its untried moves begin and end; the payoff above which its party
need not search, because the party that moved before then goes elsewhere; the largest payoff that is possible; the node
count on entry; whether the moves are listed."""
DEPTH, NODES, NEEDED_LENGTH, CONTROL_WORDS = range(4)  # words of `Stack.control`, and their number
DONE, PAUSED, NO_ROOM = range(3)
UNKNOWN, _NO_CAP = -(1 << 40), 1 << 40
_BUCKET, _MAX_WORK = 4, (1 << 31) - 1


class Table(NamedTuple):
    """A transposition table of N entries in buckets of four; N is a power of two, or 0 if the memory is too small.

    - `keys`: (N, 2) uint64; an entry whose first word is 0 is empty.
    - `values`: (N, parties + 1) int32. The parties' payoffs, and the nodes that they took: negative if the payoffs are
      those of a move that the seat to move may still improve on.
    - `used`: (1,) int64, the number of entries in use.
    """

    keys: NDArray[np.uint64]
    values: NDArray[np.int32]
    used: Numbers


class Seating(NamedTuple):
    """The parties and their seats.

    - `parties`: (seats,) int64, the party of every seat.
    - `firsts`: (parties,) int64, a seat of every party.
    - `order`: (seats, parties) int64, the parties in the order of play, from each seat on.
    """

    parties: Numbers
    firsts: Numbers
    order: Numbers


class Stack(NamedTuple):
    """The stack of one search, with room for D levels and A untried moves in all.

    - `nodes`: (D,) of the game's dtype; `keys`: (D, 2) uint64, their keys.
    - `totals`: (D, parties) int64, the points of every party; `offsets`: (D, parties) int64, those of them that the
      record has forgotten; `best`: (D, parties) int64, the best payoffs found, or UNKNOWN. `levels`: (D, 7) int64.
    - `actions`, `gains`: (A,) int64, the untried moves of all levels and the mover's payoff right after each.
    - `points`, `payoffs`: (MAX_SEATS,) and (parties,) int64, scratch.
    - `control`: (3,) int64. The current DEPTH, NODES searched, the length of `actions` needed after NO_ROOM.
    """

    nodes: States
    keys: NDArray[np.uint64]
    totals: Numbers
    offsets: Numbers
    best: Numbers
    levels: Numbers
    actions: Actions
    gains: Numbers
    points: Points
    payoffs: Numbers
    control: Numbers


def create_table(entries: int, parties: int) -> Table:
    """Return an empty table; `entries` is a power of two, at least four, or 0 for a table that is not used."""
    return Table(np.zeros((entries, 2), np.uint64), np.zeros((entries, parties + 1), np.int32), np.zeros(1, np.int64))


def compute_entry_bytes(parties: int) -> int:
    """Return the size in bytes of a table entry."""
    return 16 + 4 * (parties + 1)


def create_stack(root: States, levels: int, totals: Numbers, seat: int, max_seats: int, actions: int) -> Stack:
    """Return the stack of a search from `root[0]`: `seat` is to move, `totals`, (parties,), are the parties' points.

    There is room for `levels` levels and `actions` untried moves.
    """
    parties = len(totals)
    nodes = np.zeros(levels, root.dtype)
    nodes[0] = root[0]
    stack = Stack(
        nodes=nodes,
        keys=np.zeros((levels, 2), np.uint64),
        totals=np.zeros((levels, parties), np.int64),
        offsets=np.zeros((levels, parties), np.int64),
        best=np.full((levels, parties), UNKNOWN, np.int64),
        levels=np.zeros((levels, LEVEL_COLUMNS), np.int64),
        actions=np.zeros(actions, np.int64),
        gains=np.zeros(actions, np.int64),
        points=np.zeros(max_seats, np.int64),
        payoffs=np.zeros(parties, np.int64),
        control=np.zeros(CONTROL_WORDS, np.int64),
    )
    stack.totals[0] = totals
    stack.levels[0, MOVER], stack.levels[0, CAP] = seat, _NO_CAP
    return stack


def compute_level_bytes(record: int, parties: int) -> int:
    """Return the size in bytes of a level of a stack, with records of `record` bytes."""
    return record + 8 * (2 + 3 * parties + LEVEL_COLUMNS)


@kernel_no_alloc
def compute_root_reach(nodes: States) -> int:
    """Return the most by which a payoff can change, up or down, from `nodes[0]` to the end."""
    return reach(nodes[0])


@kernel_no_alloc
def advance(stack: Stack, table: Table, seating: Seating, nodes: int) -> int:
    """Search up to `nodes` positions; return DONE, PAUSED, or NO_ROOM if `actions` and `gains` are too short.

    When done, `stack.best[0]` has the payoffs of the root. Otherwise call it again, with longer arrays after NO_ROOM.
    """
    levels, best, control = stack.levels, stack.best, stack.control
    parties = len(seating.firsts)
    end = control[NODES] + nodes
    while True:
        depth = control[DEPTH]
        level = levels[depth]
        if level[IS_OPEN] == 0:
            if control[NODES] >= end:
                return PAUSED
            needed = level[FIRST] + dispatch.bound(stack.nodes[depth])
            if needed > len(stack.actions):
                control[NEEDED_LENGTH] = needed
                return NO_ROOM
            control[NODES] += 1
            _open_level(stack, seating, depth)
        party = seating.parties[level[MOVER]]
        is_cut = best[depth, party] > level[CAP]
        if is_cut or level[END] == level[FIRST] or _is_maximum(best[depth], party, level[MAXIMUM]):
            if depth == 0:
                return DONE
            work = min(control[NODES] - level[NODES_BEFORE], _MAX_WORK)
            _store_payoffs(table, stack.keys[depth], best[depth], -work if is_cut else work)
            depth -= 1
            control[DEPTH] = depth
            _improve_payoffs(best[depth], best[depth + 1], seating.order[levels[depth, MOVER]])
            continue
        below = depth + 1
        _descend_to_child(stack, seating, depth, _pop_best_gain(stack, level))
        mover = dispatch.to_move(stack.nodes[below])
        levels[below, MOVER] = mover
        next_party = seating.parties[mover]
        # Moves of the same party in a row are one choice, so they share the cap.
        cap = level[CAP] if next_party == party else -best[depth, party]
        levels[below, CAP] = cap
        _write_key(stack.nodes[below], stack.totals[below], stack.keys[below])
        entry = _find_entry(table, stack.keys[below])
        if entry >= 0 and (table.values[entry, parties] > 0 or table.values[entry, next_party] > cap):
            _improve_payoffs(best[depth], table.values[entry], seating.order[level[MOVER]])
            continue
        levels[below, FIRST], levels[below, NODES_BEFORE], levels[below, IS_OPEN] = level[END], control[NODES], 0
        control[DEPTH] = below


@jitable_no_alloc
def _open_level(stack: Stack, seating: Seating, depth: int) -> None:
    """List a level's moves with the mover's payoff right after each; moves that end the game only improve its best.

    The level's record, totals, MOVER and FIRST are given; `actions` and `gains` have room for `bound` moves from FIRST
    on. Overwrite the record and the totals of the level below, which must exist.
    """
    level = stack.levels[depth]
    best, payoffs, actions = stack.best, stack.payoffs, stack.actions
    level[IS_OPEN] = 1
    mover, party = level[MOVER], seating.parties[level[MOVER]]
    dispatch.points(stack.nodes[depth], stack.points)
    for i in range(len(seating.firsts)):
        stack.offsets[depth, i] = stack.totals[depth, i] - stack.points[seating.firsts[i]]
        best[depth, i] = UNKNOWN
    _write_payoffs(stack.totals[depth], payoffs)
    level[MAXIMUM] = payoffs[party] + reach(stack.nodes[depth])
    first, end, below = level[FIRST], level[FIRST], depth + 1
    for i in range(first, first + dispatch.legal(stack.nodes[depth], actions[first:])):
        action = actions[i]
        _descend_to_child(stack, seating, depth, action)
        _write_payoffs(stack.totals[below], payoffs)
        if dispatch.is_over(stack.nodes[below]):
            _improve_payoffs(best[depth], payoffs, seating.order[mover])
        else:
            actions[end] = action  # compacts the list in place: `end` never passes i
            stack.gains[end] = payoffs[party]
            end += 1
    level[END] = end


@jitable_no_alloc
def _descend_to_child(stack: Stack, seating: Seating, depth: int, action: int) -> None:
    """Play a move at level `depth` into the level below: its record, without the forgotten parts, and its totals."""
    nodes, below = stack.nodes, depth + 1
    nodes[below] = nodes[depth]
    dispatch.play(nodes[below], action)
    dispatch.points(nodes[below], stack.points)
    for i in range(len(seating.firsts)):
        stack.totals[below, i] = stack.offsets[depth, i] + stack.points[seating.firsts[i]]
    forget(nodes[below])


@jitable_no_alloc
def _write_payoffs(totals: Numbers, payoffs: Numbers) -> None:
    """Write into `payoffs` the points of every party, `totals`, minus those of the best other party."""
    for i in range(len(totals)):
        best_rival = UNKNOWN
        for j in range(len(totals)):
            if j != i:
                best_rival = max(best_rival, totals[j])
        payoffs[i] = totals[i] - best_rival


@jitable_no_alloc
def _is_maximum(best: Numbers, party: int, maximum: int) -> bool:
    """Return whether `best` cannot be improved: the party has its maximum, and the others all that this leaves."""
    for i in range(len(best)):
        if best[i] != (maximum if i == party else -maximum):
            return False
    return True


@jitable_no_alloc
def _improve_payoffs(best: Numbers, found: NDArray[np.signedinteger[Any]], order: Numbers) -> None:
    """Replace `best` in place if `found` is better for the first party, in `order`, for which the two differ."""
    for party in order:
        if found[party] != best[party]:
            if found[party] > best[party]:
                for i in range(len(best)):
                    best[i] = found[i]
            return


@jitable_no_alloc
def _pop_best_gain(stack: Stack, level: Numbers) -> int:
    """Remove the move with most in `gains`, the first if equal, from the top level's list, not empty; return it."""
    actions, gains = stack.actions, stack.gains
    chosen, last = level[FIRST], level[END] - 1
    for i in range(chosen + 1, last + 1):
        if gains[i] > gains[chosen]:
            chosen = i
    action = actions[chosen]
    for i in range(chosen, last):
        actions[i], gains[i] = actions[i + 1], gains[i + 1]
    level[END] = last
    return action


@jitable_wraparound
def _write_key(s: State, totals: Numbers, key: NDArray[np.uint64]) -> None:
    """Write into `key`, (2,), a hash of a position: its record, and the differences between the parties' points."""
    first, second = hash_record(s)
    least = totals.min()
    for total in totals:
        first = mix(first + np.uint64(total - least))
        second = mix(second ^ first)
    # An entry whose first word is 0 is empty.
    key[0], key[1] = first | ONE, second


@jitable_no_alloc
def _find_bucket(table: Table, key: NDArray[np.uint64]) -> int:
    return np.int64(key[1] & np.uint64(len(table.keys) - _BUCKET))


@jitable_no_alloc
def _find_entry(table: Table, key: NDArray[np.uint64]) -> int:
    """Return the index of the entry with this key, (2,), -1 if there is none."""
    first = _find_bucket(table, key)
    for i in range(first, first + _BUCKET):
        if table.keys[i, 0] == key[0] and table.keys[i, 1] == key[1]:
            return i
    return -1


@jitable_no_alloc
def _store_payoffs(table: Table, key: NDArray[np.uint64], payoffs: Numbers, work: int) -> None:
    """Store a position's payoffs and work (see `Table.values`) in its entry, an empty one, or the cheapest."""
    keys, values = table.keys, table.values
    first, parties = _find_bucket(table, key), len(payoffs)
    chosen = first
    for i in range(first, first + _BUCKET):
        if keys[i, 0] == ZERO or (keys[i, 0] == key[0] and keys[i, 1] == key[1]):
            chosen = i
            break
        if abs(values[i, parties]) < abs(values[chosen, parties]):
            chosen = i
    if keys[chosen, 0] == ZERO:
        table.used[0] += 1
    keys[chosen, 0], keys[chosen, 1] = key[0], key[1]
    for i in range(parties):
        values[chosen, i] = payoffs[i]
    values[chosen, parties] = work
