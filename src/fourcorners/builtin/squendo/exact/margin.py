"""Exact solving of Squendo with all tiles known.

With two seats the margin is solved. A node is the table, the hands, and the number of tiles in the pile. Public
knowledge about the hands is left out, as it changes neither moves nor points. A tile changes points only at its place
unless it makes or breaks a rectangle, so the value of most moves follows from the place alone, and that of the very
last tile is the best of them.

With three or four seats max^n needs only the rules, `forget` and `reach`. Unless a seat can infer all hands, the result
is the value of the game with open hands.
"""

import numpy as np

from fourcorners.builtin.squendo import placements, rules
from fourcorners.builtin.squendo.hands import SLOTS
from fourcorners.builtin.squendo.options import HAND_SIZE, MAX_SEATS
from fourcorners.builtin.squendo.scoring import points
from fourcorners.builtin.squendo.strategy.local_value import read_three_places, select_colour
from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix, popcount, sort_ascending
from fourcorners.core.dispatch import view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.core.options import Options
from fourcorners.solvers.margin_protocol import BOARD_FIELDS, GAIN, OTHER, SAME, TURN

OPTIONS = ("players", "colours", "take", "rectangles", "lines")
_STATE_FIELDS = ("place", "hand", "hand_size", "pile_size", "place_count", "seat", "passed")
_OPTION_FIELDS = ("players", "take_any", "maximal", "lines")
BOARD: np.dtype[np.void] = np.dtype([*BOARD_FIELDS, ("pile", np.uint8, 48)])
NODE: np.dtype[np.void] = np.dtype(
    [
        *((name, rules.DTYPE[name]) for name in (*_STATE_FIELDS, *_OPTION_FIELDS)),
        ("exact_pad", np.uint8, 4),
        ("margin", np.int64),  # the points of seat 0 minus those of seat 1
    ]
)

MAX_POINTS = 10 * (12 * 11 // 2) + 2 * 12
"""No colour can have more: any two of its twelve tiles are opposite corners of at most one rectangle."""
_INDEX_BITS = 32
_INDEX = (1 << _INDEX_BITS) - 1
_STACK_MASK = (1 << 14) - 1  # under, top and rotation of a place
# Added to what is hashed, so that seats, hands and pile have different hashes.
_SEAT, _HAND, _PILE = (np.uint64(n << 56) for n in (1, 2, 4))


def enter(options: Options, s: State) -> tuple[States, States]:
    """Return the board and the node, an array of one each, of a position with all tiles known, which is not changed.
    Raise SolverLimit unless two seats play.
    """
    if options.seats != 2:
        message = f"margins are for two seats; here {options.seats} play against each other"
        raise SolverLimit(message, -2 * MAX_POINTS, 2 * MAX_POINTS)
    boards, nodes = np.zeros(1, BOARD), np.zeros(1, NODE)
    board, node = view_record(boards), view_record(nodes)
    for name in (*_STATE_FIELDS, *_OPTION_FIELDS):
        nodes[name] = s[name]
    board.pile = s.pile
    board.most_links, board.most_plies = extent(s)
    if s.pile_size == 0:
        # Hands do not grow any more, so the largest one bounds the number of tiles to choose from.
        board.most_links = int(board.most_links) * int(s.hand_size.max()) // HAND_SIZE + 1
    board.step = 1
    node.margin = _count_margin(node)
    return boards, nodes


def extent(s: State) -> tuple[int, int]:
    """Return upper bounds of the number of legal actions in any later position, and of the number of plies left."""
    tiles = int(s.hand_size.sum()) + int(s.pile_size)
    doubles = sum(placements.unpack_under(place) > 0 for place in s.place[: int(s.place_count)].tolist())
    # A move that reduces the tiles in hands and pile adds three places (the first one four) or makes a double stack.
    links = HAND_SIZE * (4 * (int(s.place_count) + 3 * tiles + 1) + 32 * (doubles + tiles)) + 1
    # Any other move removes a double stack. All seats but one may pass before each move, and all at the end.
    return links, (2 * tiles + doubles + 1) * int(s.players)


@jitable
def reach(s: State) -> int:
    """Return an upper bound of the change of the difference between two colours' points."""
    return 2 * MAX_POINTS


@jitable
def forget(s: State) -> None:
    """Blank `unlaid` and the slots in place: public knowledge about hands changes neither moves nor points."""
    s.unlaid = ZERO
    for i in range(SLOTS):
        s.slot[i] = ZERO


def can_infer_hands(s: State, seat: int) -> bool:
    """Return whether a seat can infer all hands and the pile, in order, from what it sees.

    The record is a whole position or the view of this seat: of the hands only its own is read, of the others the slots.
    With three or more seats the answer may be False although the seat could combine what several passes reveal.
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
            # It is open which of two tiles was taken back and which was discarded.
            return False
    holders = {holder for holder, _ in drawn}
    pile = int(s.pile_size)
    if pile == 0:
        return len(holders) <= 1  # all unseen tiles are then in that one hand
    if pile > 1 or len(holders) > 1:
        return False  # the order of the pile is unknown, or (the cautious case) who holds which tile
    # One tile stays in the pile. The slots of drawn tiles are nested, so by Hall's theorem the other tiles fill them if
    # the n-th smallest holds at least n.
    candidates = 0
    while unseen != ZERO:
        last = bit(lowest_bit(unseen))
        unseen &= unseen - ONE
        sizes = sorted(popcount(slot & ~last) for _, slot in drawn)
        candidates += all(size >= n for n, size in enumerate(sizes, 1))
    return candidates == 1


def estimate_cost(s: State) -> float:
    """Estimate the number of nodes to solve a position, from the number of tiles in hands and pile.

    With two seats, each tile multiplied the nodes by 8 in measured endgames; with more, unpruned, by moves, about 40.
    """
    tiles = int(s.hand_size.sum()) + int(s.pile_size)
    return float(8**tiles / 4 if s.players == 2 else 40**tiles / 40)


@jitable
def _count_margin(s: State) -> int:
    """Return the points of seat 0 minus those of seat 1, counted anew from the table."""
    out = np.zeros(MAX_SEATS, np.int64)
    points(s, out)
    return out[0] - out[1]


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return the lower and upper bound of a node's value, the change of the margin until the end, for the seat to move.
    They are equal at the end, (0, 0), and for the last tile if its value is known; all others follow from MAX_POINTS.
    `node.margin` must be current; `board`, which the protocol requires, is not used.
    """
    if rules.is_over(node):
        return 0, 0
    seat = np.int64(node.seat)
    own, others = np.int64(node.hand_size[seat]), np.int64(node.hand_size[1 - seat])
    if np.int64(node.pile_size) == 0 and own == 1 and others == 0:
        known, value = _value_last_tile(node, seat)
        if known:
            return value, value
    margin = np.int64(node.margin) * (1 - 2 * seat)
    return -MAX_POINTS - margin, MAX_POINTS - margin


@jitable
def _value_last_tile(node: State, seat: int) -> tuple[bool, int]:
    """Return whether the value of the last tile is known, and the value: the best change of the margin for its seat.

    `seat` is to move and holds the only tile. The value is unknown (False, 0) if the tile makes a triple from which a
    tile may be taken back, because then the game goes on; it is 0 if the tile cannot be laid.
    """
    tile = lowest_bit(node.hand[seat])
    best, found = 0, False  # once found, `best` may be negative: a tile that fits must be laid, even at a loss
    for index in range(np.int64(node.place_count)):
        place = np.int64(node.place[index])
        if placements.count_legal_rotations(tile, place) == 0:
            continue
        top, under = placements.unpack_top(place), placements.unpack_under(place)
        if under == 0:
            gain = _measure_change(node, index, tile, top > 0) * (1 - 2 * seat)
            if not found or gain > best:
                best, found = gain, True
            continue
        for leave in (tile, top - 1, under - 1):
            if placements.count_fitting_rotations(leave, place) > 0:
                if rules.count_takeable(node, tile, top - 1, under - 1) > rules.can_take(node, leave):
                    return False, 0
                gain = _measure_change(node, index, leave, False) * (1 - 2 * seat)
                if not found or gain > best:
                    best, found = gain, True
    return True, best


@jitable
def _measure_change(node: State, index: int, top: int, double: bool) -> int:  # noqa: FBT001  # compiled code takes no keywords
    """Return by how much the margin of seat 0 changes if a place shows `top`, and covers another tile if `double`.
    `index` is that of the place in the node, `top` a tile counted from 0. `node.margin` must be current; the node
    is the same after the call.
    """
    place = np.int64(node.place[index])
    key, covered = placements.unpack_key(place), placements.unpack_top(place) - 1
    change = _get_sign(top) * (2 if double else 1)
    if covered >= 0:
        change -= _get_sign(covered) * (2 if placements.unpack_under(place) > 0 else 1)
    if not (
        node.lines or _is_in_square(node, key, top // 12) or (covered >= 0 and _is_in_square(node, key, covered // 12))
    ):
        return change
    # Points depend neither on rotations and constraints nor on which tile is covered (1 stands for any), so it suffices
    # to change the place for a moment.
    node.place[index] = (place >> 14) << 14 | (np.int64(double) << 8) | (top + 1) << 2
    new_margin = _count_margin(node)
    node.place[index] = place
    return new_margin - np.int64(node.margin)


@jitable
def _get_sign(tile: int) -> int:
    """Return 1 for a tile of seat 0, -1 for one of seat 1, 0 for a neutral one."""
    return 1 - 2 * (tile // 12) if tile < 24 else 0


@jitable
def _is_in_square(node: State, key: int, colour: int) -> bool:
    """Return whether a tile of a colour at a key is, or would be, in a filled 2 x 2 square; never for neutral ones."""
    if colour > 1:
        return False
    here = _read_three_places(node, key - placements.EAST, colour)
    sides = here & 0b101  # the places to the west and to the east
    if sides == 0:
        return False
    for row in (key + placements.NORTH - placements.EAST, key - placements.NORTH - placements.EAST):
        beside = _read_three_places(node, row, colour)
        if beside & 0b010 != 0 and beside & sides != 0:
            return True
    return False


@jitable
def _read_three_places(node: State, key: int, colour: int) -> int:
    """Return as a mask which of three places from a key eastwards show a tile of a colour."""
    return select_colour(read_three_places(node, placements.find_place(node, key), key), colour)


@jitable_wraparound
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words that identify the stacks, the hands, the pile, who has passed and whose turn it is.

    They are sums of mixed words, so that the order of the parts does not matter. Free places follow from the stacks.
    Places count from the first one, so that shifting the whole table changes nothing.
    """
    first_word = mix(_SEAT | np.uint64(node.passed) << np.uint64(8) | np.uint64(node.seat))
    second_word = mix(first_word)
    origin = placements.unpack_key(np.int64(node.place[0]))
    for i in range(np.int64(node.place_count)):
        place = np.int64(node.place[i])
        if placements.unpack_top(place) > 0:
            word = mix(np.uint64((placements.unpack_key(place) - origin) << 14 | (place & _STACK_MASK)))
            first_word = first_word + word
            second_word = second_word + mix(word)
    for seat in range(2):
        word = mix(_HAND ^ mix(np.uint64(node.hand[seat])) ^ np.uint64(seat))
        first_word = first_word + word
        second_word = second_word + mix(word)
    for i in range(np.int64(node.pile_size)):
        word = mix(_PILE | np.uint64(i) << np.uint64(8) | np.uint64(board.pile[i]))
        first_word = first_word + word
        second_word = second_word + mix(word)
    return first_word, second_word


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write all legal actions into `out`, which has room for `board.most_links`, and return how many.
    Those that gain most at once come first; equal ones stay in the order of `rules.legal`.
    """
    n = rules.legal(node, out)
    actions = out[:n].copy()
    gains = np.zeros(n, np.int64)
    last_key, last_shown = -1, -1
    for i in range(n):
        if actions[i] == rules.PASS:
            continue
        tile, key, _, leave, _ = rules.decode_action(actions[i])
        shown = tile if leave == 0 else leave - 1
        # The rotations of a tile are listed together, and points do not depend on them.
        same = key == last_key and shown == last_shown
        gains[i] = gains[i - 1] if same else _measure_gain(node, actions[i])
        last_key, last_shown = key, shown
    order = np.empty(n, np.int64)  # losses, and below them the indices
    for i in range(n):
        order[i] = -gains[i] << _INDEX_BITS | i
    sort_ascending(order)
    for i in range(n):
        out[i] = actions[order[i] & _INDEX]
    return n


@jitable
def _measure_gain(node: State, action: int) -> int:
    """Return by how much a legal action changes the margin at once, positive if good for its seat; 0 for a pass."""
    if action == rules.PASS:
        return 0
    tile, key, _, leave, _ = rules.decode_action(action)
    index = placements.find_place(node, key)
    shown = tile if leave == 0 else leave - 1
    double = leave == 0 and placements.unpack_top(np.int64(node.place[index])) > 0
    return _measure_change(node, index, shown, double) * (1 - 2 * np.int64(node.seat))


@jitable
def follow(board: State, node: State, move: int, child: State, link: Actions) -> None:
    """Play a legal action on `child`, a copy of `node`, and write its GAIN, and as TURN SAME or OTHER, into `link`."""
    seat = np.int64(node.seat)
    gain = _measure_gain(node, move)
    _play_open(board, child, move)
    child.margin = np.int64(node.margin) + gain * (1 - 2 * seat)
    link[GAIN] = gain
    link[TURN] = SAME if np.int64(child.seat) == seat else OTHER


@jitable
def _play_open(board: State, s: State, action: int) -> None:
    """Play a legal action in place on a node, as `rules.play` does but without slots; `s.margin` stays as it is."""
    seat = np.int64(s.seat)
    if action == rules.PASS:
        s.passed = np.int64(s.passed) | 1 << seat
    else:
        tile, key, rotation, leave, take = rules.decode_action(action)
        s.hand[seat] &= ~bit(tile)
        s.hand_size[seat] = np.int64(s.hand_size[seat]) - 1
        if leave == 0:
            place = np.int64(s.place[placements.find_place(s, key)])
            placements.set_stack(s, key, tile, rotation, placements.unpack_top(place))
        else:
            placements.set_stack(s, key, leave - 1, rotation, 0)
            if take > 0:
                _add_to_hand(s, seat, take - 1)
        while np.int64(s.hand_size[seat]) < HAND_SIZE and np.int64(s.pile_size) > 0:
            s.pile_size = np.int64(s.pile_size) - 1
            _add_to_hand(s, seat, np.int64(board.pile[np.int64(s.pile_size)]) - 1)
        s.passed = 0
    rules.advance_seat(s, seat)


@jitable
def _add_to_hand(s: State, seat: int, tile: int) -> None:
    """Add a tile (counted from 0) to a seat's hand in place; the slots are left alone, as nodes have none."""
    s.hand[seat] |= bit(tile)
    s.hand_size[seat] = np.int64(s.hand_size[seat]) + 1
