"""The exact play of Squarin' Off: the functions of `solvers/margin_protocol.py` over the nodes of Strings and Coins.

As everywhere in this folder, `board` is a record of BOARD and `node` one of NODE; see `strings_and_coins.py`.
"""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT, solve_chains
from fourcorners.builtin.squarin_off.exact.chain_splits import find_best_cut
from fourcorners.builtin.squarin_off.exact.expectation import count_plies_to_estimates, estimate
from fourcorners.builtin.squarin_off.exact.forced_captures import simplify_node, simplify_without_blockers
from fourcorners.builtin.squarin_off.exact.graph import enter, find_captures, list_open_boxes
from fourcorners.builtin.squarin_off.exact.isomorphism import compute_certificate
from fourcorners.builtin.squarin_off.exact.records import fill_board, fill_node
from fourcorners.builtin.squarin_off.exact.strings_and_coins import (
    BOARD,
    GROUND,
    MAX_STRINGS,
    NODE,
    has_blockers,
    is_open_coin,
)
from fourcorners.builtin.squarin_off.rules import SIDES, count_edges, find_boxes_beside, has_two_parties, is_free, play
from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix, popcount
from fourcorners.core.dispatch import view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.solvers.margin_protocol import GAIN, OTHER, SAME, TURN

__all__ = [
    "BOARD",
    "NODE",
    "OPTIONS",
    "count_plies_to_estimates",
    "enter",
    "estimate",
    "estimate_cost",
    "fill_board",
    "fill_node",
    "find_action",
    "follow",
    "key",
    "limits",
    "moves",
]

OPTIONS = ("cols", "rows", "players", "blockers", "values", "edition", "teams", "chips")

_BYTE = np.uint64(255)


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return the lower and upper bound of a node's value, equal where only chains that can be solved are left."""
    left = np.int64(node.value_left) + np.int64(node.capturable)
    if node.free == ZERO and node.has_pass == 0 and node.capturable == 0 and node.handout == NO_HANDOUT:
        if node.chains == 0:
            return 0, 0
        is_solved, value = solve_chains(node.chain_value, node.chain_handout, np.int64(node.chains))
        if is_solved:
            return value, value
    return -left, left


@jitable_wraparound
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words that together identify a node, except for symmetry: equal keys mean equal values.

    Without blockers the value depends only on how strings and coins are connected, so the key is that of the graph (see
    `isomorphism.py`) and serves all boards. Blockers close the boxes around them, so with them places matter: the key
    is that of the least image under the board's symmetries. The independent chains are added up, as their order makes
    no difference; two rounds of `mix` keep the other numbers from looking like one more chain.
    """
    first, second = _compute_symmetric_key(board, node) if has_blockers(node) else compute_certificate(board, node)
    stock = (np.int64(node.own_blockers) * 16 + np.int64(node.other_blockers)) * 2 + np.int64(node.has_pass)
    rest = mix(mix(np.uint64((stock * 65536 + np.int64(node.capturable)) * 65536 + np.int64(node.handout))))
    for i in range(np.int64(node.chains)):
        rest += mix(np.uint64(np.int64(node.chain_value[i]) * 65536 + np.int64(node.chain_handout[i])))
    return mix(first + mix(rest)), mix(second) + rest


@jitable_wraparound
def _compute_symmetric_key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words for the least image, by free, blocked and closed, of a node under the board's symmetries."""
    free, blocked, closed = node.free, node.blocked, node.closed
    for symmetry in range(board.symmetries):
        image_free = _map_strings(board, symmetry, node.free)
        if image_free > free:
            continue
        image_blocked = _map_coins(board, symmetry, node.blocked)
        image_closed = _map_coins(board, symmetry, node.closed)
        if image_free < free or image_blocked < blocked or (image_blocked == blocked and image_closed < closed):
            free, blocked, closed = image_free, image_blocked, image_closed
    return mix(free + mix(blocked + mix(closed + board.salt))), mix(closed + mix(free + mix(blocked ^ board.salt)))


@jitable
def _map_strings(board: State, symmetry: int, strings: np.uint64) -> np.uint64:
    """Return the image of a set of strings under a symmetry (its index), with one table lookup for each byte."""
    image = ZERO
    for i in range(board.string_bytes):
        image = image | board.string_image[symmetry, i, np.int64((strings >> np.uint64(8 * i)) & _BYTE)]
    return image


@jitable
def _map_coins(board: State, symmetry: int, coins: np.uint64) -> np.uint64:
    """Return the image of a set of coins under a symmetry (its index), with one table lookup for each byte."""
    image = ZERO
    for i in range(8):
        image = image | board.coin_image[symmetry, i, np.int64((coins >> np.uint64(8 * i)) & _BYTE)]
    return image


# The codes of moves. Below OPEN: cut that string. From OPEN on: open a chain of the list. Then: cut the string that
# holds no coin; capture all that can be captured; hand out some of it. From BLOCKER on: block a coin and cut a string.
OPEN, PASS, TAKE, HAND_OUT, BLOCKER = 64, 200, 201, 202, 256


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the moves of a node and return how many: strings from the centre outwards, chains to open, blockers last.

    `out` has room for `board.most_links` codes (see `OPEN`). If something can be captured, the only moves are to take
    all and, if that is possible, to hand some of it out. Leaves out moves that are no better than others: all but the
    cheapest of the chains with equal handouts, all but one of the parallel strings, and, when no blocker can be laid
    any more, all but the best cut of each chain.
    """
    if np.int64(node.capturable) > 0 or np.int64(node.handout) != NO_HANDOUT:
        out[0], out[1] = TAKE, HAND_OUT
        return 1 if np.int64(node.handout) == NO_HANDOUT else 2
    count = 0
    has_empty, blockers = False, has_blockers(node)
    strings = node.free
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        if board.parallel[string] & strings != ZERO or (has_empty and not _holds_coin(board, node, string)):
            continue
        has_empty = has_empty or not _holds_coin(board, node, string)
        if not blockers:
            string, chain = find_best_cut(board, node, string)
            strings = strings & ~chain
        out[count] = string
        count += 1
    for i in range(np.int64(node.chains)):
        if _is_cheapest(node, i):
            out[count] = OPEN + i
            count += 1
    if node.has_pass != 0:
        out[count] = PASS
        count += 1
    if np.int64(node.own_blockers) > 0:
        count = _list_blocker_moves(board, node, out, count)
    return count


@jitable
def _holds_coin(board: State, node: State, string: int) -> bool:
    """Return whether a string holds a coin that can still be won; strings that hold none are interchangeable."""
    return is_open_coin(node, board.ends[string, 0]) or is_open_coin(node, board.ends[string, 1])


@jitable
def _list_blocker_moves(board: State, node: State, out: Actions, count: int) -> int:
    """Write the moves with a blocker, of which the mover needs one, to `out` from index `count` on; return the end."""
    coins = board.coins & ~node.closed
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        strings = node.free & board.coin_strings[coin]
        while strings != ZERO:
            string = lowest_bit(strings)
            strings = strings & (strings - ONE)
            if board.parallel[string] & strings == ZERO:
                out[count] = BLOCKER + 64 * coin + string
                count += 1
    return count


@jitable
def follow(board: State, node: State, move: int, child: State, link: NDArray[np.int64]) -> None:
    """Play one of the `moves` on `child`, at first a copy of `node`, in place; write its GAIN and TURN into `link`."""
    if move >= BLOCKER:
        coin = (move - BLOCKER) >> 6
        child.blocked = node.blocked | bit(coin)
        child.closed = node.closed | board.near[coin]
        child.value_left = np.int64(node.value_left) - board.value[coin]
        child.own_blockers = np.int64(node.own_blockers) - 1
        _cut_with_blockers(board, child, link, move & 63, board.classic != 0)
    elif move in (TAKE, HAND_OUT):
        child.capturable, child.handout = 0, NO_HANDOUT
        link[GAIN] = np.int64(node.capturable) - (0 if move == TAKE else 2 * np.int64(node.handout))
        link[TURN] = SAME if move == TAKE else OTHER
    elif move == PASS:
        child.has_pass = 0
        link[GAIN], link[TURN] = 0, OTHER
    elif move >= OPEN:
        _open_chain(child, move - OPEN)
        _write_link(child, link, 0)
    elif has_blockers(node):
        _cut_with_blockers(board, child, link, move, True)
    else:
        child.free = node.free & ~bit(move)
        simplify_node(board, child, (bit(board.ends[move, 0]) | bit(board.ends[move, 1])) & board.coins & ~node.blocked)
        _write_link(child, link, 0)


@jitable
def _write_link(child: State, link: NDArray[np.int64], gain: int) -> None:
    """Write the `link` of a move that gains `gain` and passes the turn, with the opponent's captures in `child`.
    They become part of GAIN, and a handout becomes TURN: the opponent then chooses between taking all and handing out
    (see `solvers/margin_protocol.py`). In `child` they are set to 0 and NO_HANDOUT.
    """
    capturable, handout = np.int64(child.capturable), np.int64(child.handout)
    child.capturable, child.handout = 0, NO_HANDOUT
    if handout == NO_HANDOUT:
        link[GAIN], link[TURN] = gain - capturable, OTHER
    else:
        link[GAIN], link[TURN] = gain - capturable + handout, handout


@jitable
def _is_cheapest(node: State, i: int) -> bool:
    """Return whether chain i of the list has the least value of those with its handout, and is the first such chain."""
    for j in range(np.int64(node.chains)):
        if node.chain_handout[j] == node.chain_handout[i] and (
            node.chain_value[j] < node.chain_value[i] or (j < i and node.chain_value[j] == node.chain_value[i])
        ):
            return False
    return True


@jitable
def _open_chain(child: State, i: int) -> None:
    """Move chain i from the list to `capturable` (its value, no longer in `value_left`) and `handout`, in place."""
    last = np.int64(child.chains) - 1
    child.capturable, child.handout = child.chain_value[i], child.chain_handout[i]
    child.value_left = np.int64(child.value_left) - np.int64(child.chain_value[i])
    child.chain_value[i], child.chain_handout[i] = child.chain_value[last], child.chain_handout[last]
    child.chains = last


@jitable
def _cut_with_blockers(board: State, child: State, link: NDArray[np.int64], string: int, goes_on: bool) -> None:  # noqa: FBT001  # compiled code takes no keywords
    """Cut a string where blockers could be laid, keep the turn if `goes_on` and a coin is won, and write the link.
    Changes `child`, whose blockers change sides with the turn; once none can be laid any more, simplifies it.
    """
    child.free = child.free & ~bit(string)
    gain, won = 0, False
    for side in range(2):
        coin = board.ends[string, side]
        if coin != GROUND and child.free & board.coin_strings[coin] == ZERO:
            if child.blocked & bit(coin) == ZERO:
                gain += board.value[coin]
                won = True
            child.closed = child.closed | bit(coin)
            child.blocked = child.blocked & ~bit(coin)
    child.value_left = np.int64(child.value_left) - gain
    own, others = np.int64(child.own_blockers), np.int64(child.other_blockers)
    if not (won and goes_on):
        child.own_blockers, child.other_blockers = others, own
    if own + others == 0 or board.coins & ~child.closed == ZERO:
        simplify_without_blockers(board, child)
    if won and goes_on:
        link[GAIN], link[TURN] = gain, SAME
    else:
        _write_link(child, link, gain)


def find_action(s: State, boards: States, nodes: States, move: int) -> int:
    """Return an action that makes a move of a node without blockers; `enter` has returned board and node for `s`."""
    board, node = view_record(boards), view_record(nodes)
    edges = [edge for edge in range(int(count_edges(s))) if is_free(s, edge)]
    open_boxes = set(list_open_boxes(s))
    beside = {edge: sorted(open_boxes.intersection(map(int, find_boxes_beside(s, edge)))) for edge in edges}
    completing = [edge for edge in edges if any(int(s.box[box]) & SIDES == 3 for box in beside[edge])]
    if move == HAND_OUT:
        return _find_handout(s, node, edges, completing, beside)
    if completing:
        # Capture all that can be captured before any other move, even boxes without value, which no node has.
        return completing[0]
    if move < OPEN:
        ends = sorted(int(board.box[coin]) for coin in board.ends[move] if coin != GROUND)
        return next(edge for edge in edges if beside[edge] == ends)
    if move == PASS:
        return next(edge for edge in edges if not beside[edge])
    # The strings on the board are not those of chains in the list.
    kept = [sorted(int(board.box[coin]) for coin in ends if coin != GROUND) for ends in board.ends]
    chains = [edge for edge in edges if beside[edge] and beside[edge] not in kept]
    wanted = int(node.chain_value[move - OPEN]), int(node.chain_handout[move - OPEN])
    return _find_offer(s, chains, beside, wanted)


def _find_handout(s: State, node: State, edges: list[int], completing: list[int], beside: dict[int, list[int]]) -> int:
    """Return an edge on the way to handing out as little as possible: first capture the rest, then hand out.

    `completing` are those of the free `edges` that complete a box, `beside` the boxes beside each that can be won.
    """
    rest, handout = int(node.capturable), int(node.handout)
    for edge in completing:
        gain = sum(int(s.value[box]) for box in beside[edge] if int(s.box[box]) & SIDES == 3)
        if _find_captures(s, edge) == (rest - gain, handout):
            return edge
    captured = _list_captures(beside)
    others = [edge for edge in edges if edge not in completing and not captured.isdisjoint(beside[edge])]
    return _find_offer(s, others, beside, (handout, NO_HANDOUT))


def _find_offer(s: State, edges: list[int], beside: dict[int, list[int]], wanted: tuple[int, int]) -> int:
    """Return the first of some edges after which `_find_captures`, which takes milliseconds, returns `wanted`."""
    for edge in edges:
        captured = _list_captures({free: boxes for free, boxes in beside.items() if free != edge})
        if sum(int(s.value[box]) for box in captured) == wanted[0] and _find_captures(s, edge) == wanted:
            return edge
    raise RuntimeError(f"no edge leaves {wanted[0]} points to be captured and {wanted[1]} to be handed out")


def _list_captures(beside: dict[int, list[int]]) -> set[int]:
    """Return the boxes that can be captured one after the other. `beside` has the free edges, with the boxes beside
    each that can be won.
    """
    around: dict[int, set[int]] = defaultdict(set)
    for edge, boxes in beside.items():
        for box in boxes:
            around[box].add(edge)
    ready = [box for box, edges in around.items() if len(edges) == 1]
    captured = set(ready)
    while ready:
        for edge in around[ready.pop()]:
            for box in set(beside[edge]) - captured:
                around[box] = around[box] - {edge}
                if len(around[box]) <= 1:
                    captured.add(box)
                    ready.append(box)
    return captured


def _find_captures(s: State, edge: int) -> tuple[int, int]:
    """Return the capturable value and the handout after an edge is drawn in a record."""
    states = np.array([s], s.dtype)
    play(view_record(states), edge)
    return find_captures(view_record(states))


def estimate_cost(s: State) -> float:
    """Estimate the number of nodes to solve a position; infinity if it is too large for two parties.

    For two parties without blockers the formula is fitted to some fifty positions and the boards of `docs/solved.md`,
    and is within a factor of five for all of them; with blockers it is within a factor of four for two thirds of the
    positions. For more parties it is a guess from few cases.
    """
    blockers_left = int(s.blockers_left) if int(s.blocker_moves) > 0 else 0
    if not has_two_parties(s):
        # A search of 10**300 nodes would never end, and this is still a float.
        return 10.0 ** min(300.0, 0.4 * int(s.edges_left) + 0.5 * blockers_left)
    if blockers_left > 0 and int(s.edges_left) > MAX_STRINGS:
        return float("inf")
    try:
        boards, nodes = enter(None, s)
    except SolverLimit:
        return float("inf")
    coins = int(view_record(boards).coin_count)
    extra = max(0, popcount(view_record(nodes).free) - coins)
    power = max(0.3, 0.95 + 0.127 * extra - 0.043 * coins + 0.0118 * extra * coins)
    if blockers_left:
        # Fitted to 224 positions at the end of games on 5 x 5 and 10 x 10 boxes, most of which were not solved in time.
        strings = popcount(view_record(nodes).free)
        power = max(power + 0.2 * blockers_left, 0.2 * strings + 0.16 * blockers_left - 0.4)
    return 10.0**power
