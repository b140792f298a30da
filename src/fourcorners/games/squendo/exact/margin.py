"""What the solvers know of Squendo: positions with all tiles known, less what is only known about them.

With two seats the margin is solved: a node is the table, the hands and how much of the pile is left. A tile changes
points only where it lies, unless it makes or breaks a rectangle; so what most moves are worth is seen from the place
alone, and the very last tile is worth the best of them. With three and four seats the rules are enough for max^n,
which `forget` and `reach` help. Unless a seat can infer all hands (`determined`), what is found is the value of open
hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix, popcount
from fourcorners.core.dispatch import Actions, State, States, view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.core.margin_protocol import BOARD_FIELDS, GAIN, OTHER, SAME, TURN
from fourcorners.core.options import Options
from fourcorners.games.squendo.hands import SLOTS
from fourcorners.games.squendo.options import HAND_SIZE, MAX_SEATS
from fourcorners.games.squendo.placements import (
    EAST,
    NORTH,
    count_fitting_rotations,
    count_legal_rotations,
    find_place,
    set_stack,
    unpack_key,
    unpack_top,
    unpack_under,
)
from fourcorners.games.squendo.rules import DTYPE, PASS, advance_seat, can_take, decode_action, is_over, legal
from fourcorners.games.squendo.scoring import points

_SHARED_FIELDS = (
    "place",
    "hand",
    "hand_size",
    "pile_size",
    "place_count",
    "seat",
    "passed",
    "players",
    "take_any",
    "maximal",
    "lines",
)
_FIELDS: Any = DTYPE.fields
BOARD: np.dtype[np.void] = np.dtype([*BOARD_FIELDS, ("pile", np.uint8, 48)])
NODE: np.dtype[np.void] = np.dtype(
    [
        *((name, _FIELDS[name][0]) for name in _SHARED_FIELDS),
        ("exact_pad", np.uint8, 4),
        ("margin", np.int64),  # the points of seat 0 less those of seat 1
    ]
)

MAX_POINTS = 10 * (12 * 11 // 2) + 2 * 12
"""No colour has more: two of its twelve tiles are opposite corners of at most one rectangle."""
_VISIBLE_MASK = (1 << 14) - 1
_SEAT, _HAND, _PILE = (np.uint64(n << 56) for n in (1, 2, 4))


def enter(options: Options, s: State) -> tuple[States, States]:
    """Return one board and one node for a position; raise SolverLimit unless two seats play."""
    if options.seats != 2:
        message = f"margins are for two seats; here {options.seats} play against each other"
        raise SolverLimit(message, -2 * MAX_POINTS, 2 * MAX_POINTS)
    boards, nodes = np.zeros(1, BOARD), np.zeros(1, NODE)
    board, node = view_record(boards), view_record(nodes)
    for name in _SHARED_FIELDS:
        nodes[name] = s[name]
    board.pile = s.pile
    board.most_links, board.most_plies = extent(s)
    if s.pile_size == 0:
        # No hand grows any more.
        board.most_links = int(board.most_links) * int(s.hand_size.max()) // HAND_SIZE + 1
    board.step = 1
    node.margin = _margin(node)
    return boards, nodes


def extent(s: State) -> tuple[int, int]:
    """Return what no position's `bound` exceeds from here on, and how many plies a game has at most."""
    tiles = int(s.hand_size.sum()) + int(s.pile_size)
    doubles = sum(unpack_under(place) > 0 for place in s.place[: int(s.place_count)].tolist())
    # A laying that leaves fewer tiles in hands and pile opens three places, the first four, or makes a double stack.
    links = HAND_SIZE * (4 * (int(s.place_count) + 3 * tiles + 1) + 32 * (doubles + tiles)) + 1
    # Any other uses up a double stack. All but one seat may pass before each, and all at the end.
    return links, (2 * tiles + doubles + 1) * int(s.players)


@jitable
def reach(s: State) -> int:
    """Return by how much the difference of two colours' points can change."""
    return 2 * MAX_POINTS


@jitable
def forget(s: State) -> None:
    """Blank what is known of hands: it changes neither moves nor points."""
    s.unlaid = ZERO
    for i in range(SLOTS):
        s.slot[i] = ZERO


def can_infer_hands(s: State, seat: int) -> bool:
    """Tell whether a seat can infer all hands and the pile from what it sees; the record may hide the rest or not.

    With three seats or more it may infer more than is seen here: what passes say about who holds which tile.
    """
    unseen = s.unlaid & ~s.hand[seat]
    drawn = []
    for i in range(SLOTS):
        slot = s.slot[i]
        if i // HAND_SIZE == seat or slot == ZERO:
            continue
        if slot & s.unlaid != ZERO:
            drawn.append((i // HAND_SIZE, slot & unseen))
        elif popcount(slot) > 1:
            # Which of two tiles was taken and which discarded.
            return False
    pile = int(s.pile_size)
    if pile == 0:
        return len({other for other, _ in drawn}) <= 1
    if pile > 1 or len({other for other, _ in drawn}) > 1:
        return False
    # One tile is left in the pile. The sets of what drawn tiles may be are nested: each must hold as many as there are
    # sets up to it (Hall).
    candidates = 0
    while unseen != ZERO:
        left = bit(lowest_bit(unseen))
        unseen &= unseen - ONE
        sizes = sorted(popcount(slot & ~left) for _, slot in drawn)
        candidates += all(size >= n for n, size in enumerate(sizes, 1))
    return candidates == 1


def estimate_cost(s: State) -> float:
    """Estimate how many nodes it takes to solve a position; in ends of games each tile took eight times more.

    With three seats and more nothing is pruned, and each takes as many as there are moves.
    """
    tiles = int(s.hand_size.sum()) + int(s.pile_size)
    return float(8**tiles / 4 if s.players == 2 else 40**tiles / 40)


@jitable
def _margin(s: State) -> int:
    """Count the points of seat 0 less those of seat 1."""
    out = np.zeros(MAX_SEATS, np.int64)
    points(s, out)
    return out[0] - out[1]


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return bounds of a node's value: what the very last tile is worth, or how many points there can be."""
    if is_over(node):
        return 0, 0
    seat = np.int64(node.seat)
    if (
        np.int64(node.pile_size) == 0
        and np.int64(node.hand_size[seat]) == 1
        and np.int64(node.hand_size[1 - seat]) == 0
    ):
        known, value = _value_last_tile(node, seat)
        if known:
            return value, value
    margin = np.int64(node.margin) * (1 - 2 * seat)
    return -MAX_POINTS - margin, MAX_POINTS - margin


@jitable
def _value_last_tile(node: State, seat: int) -> tuple[bool, int]:
    """Return what the last tile is worth to its seat; not known if it might be taken back."""
    tile = lowest_bit(node.hand[seat])
    best = 0
    found = False
    for at in range(np.int64(node.place_count)):
        place = np.int64(node.place[at])
        if count_legal_rotations(tile, place) == 0:
            continue
        top, under = unpack_top(place), unpack_under(place)
        if under == 0:
            gain = _measure_change(node, at, tile, top > 0) * (1 - 2 * seat)
            if not found or gain > best:
                best, found = gain, True
            continue
        for leave in (tile, top - 1, under - 1):
            if count_fitting_rotations(leave, place) > 0:
                others = can_take(node, tile) + can_take(node, top - 1) + can_take(node, under - 1)
                if others > can_take(node, leave):
                    return False, 0
                gain = _measure_change(node, at, leave, False) * (1 - 2 * seat)
                if not found or gain > best:
                    best, found = gain, True
    return True, best


@jitable
def _measure_change(node: State, at: int, top: int, double: bool) -> int:  # noqa: FBT001  # compiled code takes no keywords
    """Return by how much the margin changes when a place shows a tile, on another one or alone."""
    place = np.int64(node.place[at])
    key, old = unpack_key(place), unpack_top(place) - 1
    change = _get_sign(top) * (2 if double else 1)
    if old >= 0:
        change -= _get_sign(old) * (2 if unpack_under(place) > 0 else 1)
    if not (node.lines or _is_in_square(node, key, top // 12) or (old >= 0 and _is_in_square(node, key, old // 12))):
        return change
    # For points it does not matter how the tile is turned, so it is laid here for a moment.
    node.place[at] = (place >> 14) << 14 | (np.int64(double) << 8) | (top + 1) << 2
    after = _margin(node)
    node.place[at] = place
    return after - np.int64(node.margin)


@jitable
def _get_sign(tile: int) -> int:
    """Return 1 for a tile of seat 0, -1 for one of seat 1, 0 for a neutral one."""
    colour = tile // 12
    if colour > 1:
        return 0
    return 1 - 2 * colour


@jitable
def _is_in_square(node: State, key: int, colour: int) -> bool:
    """Tell whether a tile of a seat's colour at a place is, or would be, one of four in a square."""
    if colour > 1:
        return False
    here = _three(node, key - EAST, colour)
    sides = (here & 1) | (here >> 1 & 2)
    if sides == 0:
        return False
    for row in (key + NORTH - EAST, key - NORTH - EAST):
        beside = _three(node, row, colour)
        if beside & 2 != 0 and beside & ((sides & 1) | (sides & 2) << 1) != 0:
            return True
    return False


@jitable
def _three(node: State, key: int, colour: int) -> int:
    """Return, as a mask, which of three places in a row from a key on show a tile of a colour."""
    mask = 0
    at = find_place(node, key)
    while at < np.int64(node.place_count):
        place = np.int64(node.place[at])
        step = unpack_key(place) - key
        if step > 2:
            break
        if unpack_top(place) > 0 and (unpack_top(place) - 1) // 12 == colour:
            mask |= 1 << step
        at += 1
    return mask


@jitable
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words for the stacks, the hands, the pile and whose turn it is.

    Empty places follow from the others, and where the table as a whole lies does not matter.
    """
    return _hash(board, node)


@jitable_wraparound
def _hash(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    one = mix(_SEAT | np.uint64(node.passed) << np.uint64(8) | np.uint64(node.seat))
    two = mix(one)
    first = unpack_key(np.int64(node.place[0]))
    for i in range(np.int64(node.place_count)):
        place = np.int64(node.place[i])
        if unpack_top(place) > 0:
            word = mix(np.uint64((unpack_key(place) - first) << 14 | (place & _VISIBLE_MASK)))
            one = one + word
            two = two + mix(word)
    for seat in range(2):
        word = mix(_HAND ^ mix(np.uint64(node.hand[seat])) ^ np.uint64(seat))
        one = one + word
        two = two + mix(word)
    for i in range(np.int64(node.pile_size)):
        word = mix(_PILE | np.uint64(i) << np.uint64(8) | np.uint64(board.pile[i]))
        one = one + word
        two = two + mix(word)
    return one, two


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the legal actions, those that gain most first; return how many."""
    n = legal(node, out)
    actions = out[:n].copy()
    gains = np.zeros(n, np.int64)
    last_key, last_shown = -1, -1
    for i in range(n):
        if actions[i] == PASS:
            continue
        tile, key, _, leave, _ = decode_action(actions[i])
        shown = tile if leave == 0 else leave - 1
        # The turns of a tile stand together, and points do not depend on them.
        same = key == last_key and shown == last_shown
        gains[i] = gains[i - 1] if same else _measure_gain(node, actions[i])
        last_key, last_shown = key, shown
    order = np.argsort(-gains, kind="mergesort")
    for i in range(n):
        out[i] = actions[order[i]]
    return n


@jitable
def _measure_gain(node: State, action: int) -> int:
    """Return what an action is worth at once to the seat to move."""
    if action == PASS:
        return 0
    tile, key, _, leave, _ = decode_action(action)
    at = find_place(node, key)
    shown = tile if leave == 0 else leave - 1
    double = leave == 0 and unpack_top(np.int64(node.place[at])) > 0
    return _measure_change(node, at, shown, double) * (1 - 2 * np.int64(node.seat))


@jitable
def follow(board: State, node: State, move: int, child: State, link: Actions) -> None:
    """Play an action on a copy of its node, and write the link."""
    seat = np.int64(node.seat)
    gain = _measure_gain(node, move)
    _play_open(board, child, move)
    child.margin = np.int64(node.margin) + gain * (1 - 2 * seat)
    link[GAIN] = gain
    link[TURN] = SAME if np.int64(child.seat) == seat else OTHER


@jitable
def _play_open(board: State, s: State, action: int) -> None:
    """Play an action, without a thought for what others know."""
    seat = np.int64(s.seat)
    if action == PASS:
        s.passed = np.int64(s.passed) | 1 << seat
    else:
        tile, key, turn, leave, take = decode_action(action)
        s.hand[seat] &= ~bit(tile)
        s.hand_size[seat] = np.int64(s.hand_size[seat]) - 1
        if leave == 0:
            set_stack(s, key, tile, turn, unpack_top(np.int64(s.place[find_place(s, key)])))
        else:
            set_stack(s, key, leave - 1, turn, 0)
            if take > 0:
                _add_to_hand(s, seat, take - 1)
        while np.int64(s.hand_size[seat]) < HAND_SIZE and np.int64(s.pile_size) > 0:
            s.pile_size = np.int64(s.pile_size) - 1
            _add_to_hand(s, seat, np.int64(board.pile[np.int64(s.pile_size)]) - 1)
        s.passed = 0
    advance_seat(s, seat)


@jitable
def _add_to_hand(s: State, seat: int, tile: int) -> None:
    s.hand[seat] |= bit(tile)
    s.hand_size[seat] = np.int64(s.hand_size[seat]) + 1
