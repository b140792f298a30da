"""The compiled search of max^n: depth first, its stack and table in arrays, so that it can be left off and go on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.bits import ONE, ZERO, mix
from fourcorners.core.dispatch import Actions, Points, State, States
from fourcorners.core.hashing import hash_record
from fourcorners.core.jit import jitable, jitable_wraparound, kernel
from fourcorners.solve.default_exact import forget, reach

Numbers = NDArray[np.int64]
Rows = NDArray[np.int64]
"""Numbers by level or seat, and party."""
Keys = NDArray[np.uint64]
Values = NDArray[np.int32]

# What a level of the stack has: the seat to move; where its untried moves begin and end; the payoff beyond which its
# party need not look for more, for the party that moved before goes elsewhere; the most that the payoff can be at all;
# the count of nodes when the level was entered; whether its moves are known.
MOVER, FIRST, END, CAP, MOST, SINCE, OPEN = range(7)
COLUMNS = 7

DEPTH, NODES, WANTED = range(3)
CONTROL = 3

DONE, MORE, NO_ROOM = range(3)
UNKNOWN = -(1 << 40)
_ENDLESS = 1 << 40
_BUCKET = 4
_MOST_WORK = (1 << 31) - 1


class Table(NamedTuple):
    """What is known of positions: 128 bits of key; the parties' payoffs, and how many nodes they took; its size.

    The number of nodes is negative if the payoffs are those of a move that the seat to move may improve upon.
    """

    keys: Keys
    values: Values
    used: Numbers


class Search(NamedTuple):
    """The stack of one search, by level: the record and its key; by party the points, those of them that the record has
    forgotten, and the best payoffs found; and the columns above.
    """

    nodes: States
    keys: Keys
    totals: Rows
    offsets: Rows
    best: Rows
    levels: Rows


def new_table(entries: int, parties: int) -> Table:
    """Return an empty table; the number of its entries is a power of two, and at least four."""
    return Table(np.zeros((entries, 2), np.uint64), np.zeros((entries, parties + 1), np.int32), np.zeros(1, np.int64))


def entry_bytes(parties: int) -> int:
    """Return the size of a table's entry."""
    return 16 + 4 * (parties + 1)


def new_search(root: States, levels: int, totals: Numbers, seat: int) -> Search:
    """Return the stack of a search that is about to begin, with the points of the parties and the seat to move."""
    parties = len(totals)
    nodes = np.zeros(levels, root.dtype)
    nodes[0] = root[0]
    search = Search(
        nodes,
        np.zeros((levels, 2), np.uint64),
        np.zeros((levels, parties), np.int64),
        np.zeros((levels, parties), np.int64),
        np.full((levels, parties), UNKNOWN, np.int64),
        np.zeros((levels, COLUMNS), np.int64),
    )
    search.totals[0] = totals
    search.levels[0, MOVER] = seat
    search.levels[0, CAP] = _ENDLESS
    return search


def level_bytes(record: int, parties: int) -> int:
    """Return the size of a stack's level."""
    return record + 8 * (2 + 3 * parties + COLUMNS)


@kernel
def root_reach(nodes: States) -> int:
    """Return by how much a payoff can change from a position on."""
    return reach(nodes[0])


@kernel
def advance(
    nodes: States,
    keys: Keys,
    totals: Rows,
    offsets: Rows,
    best: Rows,
    levels: Rows,
    table_keys: Keys,
    table_values: Values,
    table_used: Numbers,
    seats: Numbers,
    firsts: Numbers,
    order: Rows,
    points: Points,
    actions: Actions,
    gains: Numbers,
    control: Numbers,
    budget: int,
) -> int:
    """Look into so many positions more; return DONE, MORE or, if `actions` must be longer, NO_ROOM.

    `seats` has the party of every seat, `firsts` a seat of every party, `order` by seat the parties in the order of
    play. `actions` and `gains` are a stack of moves not yet tried and of what they gain.
    """
    parties = len(firsts)
    payoffs = np.zeros(parties, np.int64)
    end = control[NODES] + budget
    while True:
        depth = control[DEPTH]
        level = levels[depth]
        if level[OPEN] == 0:
            if control[NODES] >= end:
                return MORE
            wanted = level[FIRST] + dispatch.bound(nodes[depth])
            if wanted > len(actions):
                control[WANTED] = wanted
                return NO_ROOM
            control[NODES] += 1
            _open(nodes, totals, offsets, best, levels, seats, firsts, order, points, payoffs, actions, gains, depth)
        party = seats[level[MOVER]]
        content = best[depth, party] > level[CAP]
        if content or level[END] == level[FIRST] or _is_most(best[depth], party, level[MOST]):
            if depth == 0:
                return DONE
            work = min(control[NODES] - level[SINCE], _MOST_WORK)
            _store(table_keys, table_values, table_used, keys[depth], best[depth], -work if content else work)
            depth -= 1
            control[DEPTH] = depth
            _improve(best[depth], best[depth + 1], order[levels[depth, MOVER]])
            continue
        action = _next(actions, gains, level)
        below = depth + 1
        _descend(nodes, totals, offsets, firsts, points, depth, action)
        mover = dispatch.to_move(nodes[below])
        levels[below, MOVER] = mover
        other = seats[mover]
        # What a party finds in several moves of its own is one choice.
        cap = level[CAP] if other == party else -best[depth, party]
        levels[below, CAP] = cap
        _make_key(nodes[below], totals[below], keys[below])
        at = _find(table_keys, keys[below])
        if at >= 0 and (table_values[at, parties] > 0 or table_values[at, other] > cap):
            for i in range(parties):
                payoffs[i] = table_values[at, i]
            _improve(best[depth], payoffs, order[level[MOVER]])
            continue
        levels[below, FIRST] = level[END]
        levels[below, SINCE] = control[NODES]
        levels[below, OPEN] = 0
        control[DEPTH] = below


@jitable
def _open(
    nodes: States,
    totals: Rows,
    offsets: Rows,
    best: Rows,
    levels: Rows,
    seats: Numbers,
    firsts: Numbers,
    order: Rows,
    points: Points,
    payoffs: Numbers,
    actions: Actions,
    gains: Numbers,
    depth: int,
) -> None:
    """List the moves of a level with what they gain at once; those that end the game are looked into here."""
    level = levels[depth]
    level[OPEN] = 1
    mover = level[MOVER]
    party = seats[mover]
    dispatch.points(nodes[depth], points)
    for i in range(len(firsts)):
        offsets[depth, i] = totals[depth, i] - points[firsts[i]]
        best[depth, i] = UNKNOWN
    _pay(totals[depth], payoffs)
    level[MOST] = payoffs[party] + reach(nodes[depth])
    first = level[FIRST]
    end = first
    below = depth + 1
    for i in range(first, first + dispatch.legal(nodes[depth], actions[first:])):
        action = actions[i]
        _descend(nodes, totals, offsets, firsts, points, depth, action)
        _pay(totals[below], payoffs)
        if dispatch.is_over(nodes[below]):
            _improve(best[depth], payoffs, order[mover])
        else:
            actions[end] = action
            gains[end] = payoffs[party]
            end += 1
    level[END] = end


@jitable
def _descend(
    nodes: States, totals: Rows, offsets: Rows, firsts: Numbers, points: Points, depth: int, action: int
) -> None:
    """Play a move of a level into the one below, and count the points."""
    below = depth + 1
    nodes[below] = nodes[depth]
    dispatch.play(nodes[below], action)
    dispatch.points(nodes[below], points)
    for i in range(len(firsts)):
        totals[below, i] = offsets[depth, i] + points[firsts[i]]
    forget(nodes[below])


@jitable
def _pay(totals: Numbers, payoffs: Numbers) -> None:
    """Write the points of every party less those of the best other one."""
    for i in range(len(totals)):
        most = UNKNOWN
        for j in range(len(totals)):
            if j != i:
                most = max(most, totals[j])
        payoffs[i] = totals[i] - most


@jitable
def _is_most(best: Numbers, party: int, most: int) -> bool:
    """Tell whether nothing can be better: the party gets all it can, and the others all that they can get beside it."""
    if best[party] != most:
        return False
    for i in range(len(best)):
        if i != party and best[i] != -most:
            return False
    return True


@jitable
def _improve(best: Numbers, found: Numbers, order: Numbers) -> None:
    """Replace the best payoffs by others if these are better for the first of the parties for whom they differ."""
    for party in order:
        if found[party] != best[party]:
            if found[party] > best[party]:
                for i in range(len(best)):
                    best[i] = found[i]
            return


@jitable
def _next(actions: Actions, gains: Numbers, level: Numbers) -> int:
    """Take the move that gains most off a level's list; of equal ones the first."""
    chosen = level[FIRST]
    last = level[END] - 1
    for i in range(chosen + 1, last + 1):
        if gains[i] > gains[chosen]:
            chosen = i
    action = actions[chosen]
    for i in range(chosen, last):
        actions[i] = actions[i + 1]
        gains[i] = gains[i + 1]
    level[END] = last
    return action


@jitable_wraparound
def _make_key(s: State, totals: Numbers, key: Keys) -> None:
    """Write the key of a position: its record, and by how much the points of the parties differ."""
    one, two = hash_record(s)
    least = totals.min()
    for total in totals:
        one = mix(one + np.uint64(total - least))
        two = mix(two ^ one)
    # An entry of the table whose first word is 0 is empty.
    key[0], key[1] = one | ONE, two


@jitable
def _bucket(table_keys: Keys, key: Keys) -> int:
    return np.int64(key[1] & np.uint64(len(table_keys) - _BUCKET))


@jitable
def _find(table_keys: Keys, key: Keys) -> int:
    """Return the index of an entry, -1 if there is none."""
    first = _bucket(table_keys, key)
    for i in range(first, first + _BUCKET):
        if table_keys[i, 0] == key[0] and table_keys[i, 1] == key[1]:
            return i
    return -1


@jitable
def _store(table_keys: Keys, table_values: Values, table_used: Numbers, key: Keys, payoffs: Numbers, work: int) -> None:
    """Keep what is known of a position, in place of what took the least work among four if there is no room."""
    first = _bucket(table_keys, key)
    parties = len(payoffs)
    chosen = first
    for i in range(first, first + _BUCKET):
        if table_keys[i, 0] == ZERO or (table_keys[i, 0] == key[0] and table_keys[i, 1] == key[1]):
            chosen = i
            break
        if abs(table_values[i, parties]) < abs(table_values[chosen, parties]):
            chosen = i
    if table_keys[chosen, 0] == ZERO:
        table_used[0] += 1
    table_keys[chosen, 0], table_keys[chosen, 1] = key[0], key[1]
    for i in range(parties):
        table_values[chosen, i] = payoffs[i]
    table_values[chosen, parties] = work
