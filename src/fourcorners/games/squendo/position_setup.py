"""A position in plain values: read from a record, or set up in one with everything checked."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, NoReturn

from fourcorners.core.bits import bit
from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError
from fourcorners.games.squendo.hands import sort_slots, unplaceable
from fourcorners.games.squendo.options import HAND, TILES, SquendoOptions, tiles
from fourcorners.games.squendo.placements import (
    col_of,
    find,
    fitting,
    key_at,
    key_of,
    open_place,
    put,
    row_of,
    top_at,
    turn_at,
    under_at,
)
from fourcorners.games.squendo.rules import is_over


class Stack(NamedTuple):
    """A place, its visible tile with the turn, and the tile under it or -1."""

    col: int
    row: int
    top: int
    turn: int
    under: int


class Slot(NamedTuple):
    """What is known of a tile in a hand: drawn or taken back, and what it may be (0: any tile not yet laid)."""

    drawn: bool
    tiles: int


UNSEEN = -1


class Layout(NamedTuple):
    """A position in plain values; the pile's next tile stands first. In a view, hidden tiles are UNSEEN."""

    table: list[Stack]
    hands: list[list[int]]
    pile: list[int]
    known: list[list[Slot]]
    turn: int
    passed: list[int]


def stacks(s: State) -> list[Stack]:
    """List what lies on the table, row by row from the lowest."""
    places = s.place.tolist()[: int(s.places)]
    return [
        Stack(col_of(key_at(p)), row_of(key_at(p)), top_at(p) - 1, turn_at(p), under_at(p) - 1)
        for p in places
        if top_at(p)
    ]


def tiles_in(found: int) -> list[str]:
    """List the tiles of a set, in order."""
    return [TILES[tile] for tile in range(len(TILES)) if found >> tile & 1]


def refuse(why: str) -> NoReturn:
    """Raise the error of a position that could not arise."""
    raise NotationError(f"this position cannot be set up: {why}")


def set_up(s: State, options: SquendoOptions, layout: Layout) -> None:
    """Fill a zeroed record; raise NotationError if the position could not arise."""
    s.players = options.players
    s.take_any = options.take == "any"
    s.maximal = options.rectangles == "maximal"
    s.lines = options.lines
    gone = _discarded(options, layout)
    _check_sizes(options, layout, gone)
    _lay(s, layout.table)
    taken_back = sum(slot.tiles for slots in layout.known for slot in slots if not slot.drawn)
    for tile in (*layout.pile, *(tile for hand in layout.hands for tile in hand)):
        if not taken_back >> tile & 1:
            s.fresh |= bit(tile)
    for i, tile in enumerate(reversed(layout.pile)):
        s.pile[i] = tile + 1
    s.pile_n = len(layout.pile)
    for seat in range(options.players):
        _fill_hand(s, options, seat, layout, gone)
    _fill_turn(s, layout)


def mask(codes: Iterable[int]) -> int:
    """Return tiles or seats as a set; no matter if one is named twice."""
    found = 0
    for code in codes:
        found |= 1 << code
    return found


def _discarded(options: SquendoOptions, layout: Layout) -> int:
    """Return the tiles that are nowhere, after checking that none is doubled or not in play."""
    everywhere = [tile for stack in layout.table for tile in (stack.top, stack.under) if tile >= 0]
    everywhere += [*layout.pile, *(tile for hand in layout.hands for tile in hand)]
    rest = (1 << len(tiles(options))) - 1
    for tile in everywhere:
        if tile >= len(tiles(options)):
            refuse(f"{TILES[tile]} is not in play with {options.players} seats")
        if not rest >> tile & 1:
            refuse(f"{TILES[tile]} is there twice")
        rest &= ~(1 << tile)
    return rest


def check_known(layout: Layout) -> None:
    """Refuse a hand of which more or fewer tiles are known than it holds."""
    for seat, (hand, slots) in enumerate(zip(layout.hands, layout.known, strict=True)):
        if len(slots) != len(hand):
            refuse(f"seat {seat} has {len(hand)} tiles, but of {len(slots)} something is known")


def _check_sizes(options: SquendoOptions, layout: Layout, gone: int) -> None:
    check_known(layout)
    for seat, hand in enumerate(layout.hands):
        if len(hand) > HAND:
            refuse(f"seat {seat} has more than {HAND} tiles")
        if len(hand) < HAND and (layout.pile or not layout.table):
            refuse(f"seat {seat} has fewer than {HAND} tiles while the pile lasts")
    pairs = [slot.tiles for slots in layout.known for slot in slots if not slot.drawn]
    if not layout.table and (gone or pairs):
        refuse("with nothing on the table no tile can be missing or taken back")
    if len(pairs) > gone.bit_count():
        refuse("more tiles were taken back than discarded")
    for i, pair in enumerate(pairs):
        if any(pair & other for other in pairs[:i]):
            refuse("a tile cannot have been taken back twice")


def _lay(s: State, table: list[Stack]) -> None:
    """Lay the stacks from the first tile on, each next to another, and check that they agree."""
    waiting = {(stack.col, stack.row): stack for stack in table}
    if len(waiting) < len(table):
        refuse("two stacks are at the same place")
    open_place(s, key_of(0, 0))
    if not table:
        return
    if (0, 0) not in waiting:
        refuse("the first tile is always at 0,0")
    edge = [(0, 0)]
    while edge:
        col, row = edge.pop()
        stack = waiting.pop((col, row), None)
        if stack is not None:
            _lay_stack(s, stack)
            edge += [(col, row + 1), (col + 1, row), (col, row - 1), (col - 1, row)]
    if waiting:
        refuse("a stack is not connected with the first one")


def _lay_stack(s: State, stack: Stack) -> None:
    name = f"{TILES[stack.top]} at {stack.col},{stack.row}"
    if stack.under >= 0 and (stack.under ^ stack.top) & 1:
        refuse(f"{name} lies on a tile with another symbol")
    key = key_of(stack.col, stack.row)
    turns = fitting(stack.top, int(s.place[find(s, key)]))
    if not turns >> stack.turn & 1:
        refuse(f"{name} does not agree with its neighbours, or a smaller turn looks the same")
    put(s, key, stack.top, stack.turn, stack.under + 1)


def _fill_hand(s: State, options: SquendoOptions, seat: int, layout: Layout, gone: int) -> None:
    hand = mask(layout.hands[seat])
    fresh = int(s.fresh)
    drawn: list[int] = []
    for i, slot in enumerate(layout.known[seat]):
        if slot.drawn:
            drawn.append(slot.tiles or fresh)
        else:
            _check_pair(options, seat, slot.tiles, hand, gone)
        for tile in range(len(TILES)):
            if (drawn[-1] if slot.drawn else slot.tiles) >> tile & 1:
                s.slot[HAND * seat + i] |= bit(tile)
        if slot.drawn and drawn[-1] & ~fresh:
            refuse(f"seat {seat} cannot have drawn a tile that was laid before")
    drawn.sort(key=int.bit_count)
    if any(older & ~younger for older, younger in pairwise(drawn)):
        refuse(f"of the tiles seat {seat} has drawn, the older ones can be nothing that the younger ones cannot be")
    # As the sets are nested, the hand fits if each holds as many of its tiles as there are sets up to it (Hall).
    if any((hand & known).bit_count() < n for n, known in enumerate(drawn, 1)) or any(
        not drawn[-1] >> tile & 1 for tile in layout.hands[seat] if drawn and fresh >> tile & 1
    ):
        refuse(f"the hand of seat {seat} is not what is known of it")
    s.held[seat] = len(layout.hands[seat])
    for tile in layout.hands[seat]:
        s.hand[seat] |= bit(tile)
    sort_slots(s, seat)


def _check_pair(options: SquendoOptions, seat: int, pair: int, hand: int, gone: int) -> None:
    names = [tile for tile in range(len(TILES)) if pair >> tile & 1]
    if (pair & hand).bit_count() != 1 or pair & ~(hand | gone):
        refuse(f"of the tiles that seat {seat} may have taken back, one must be in its hand and the other discarded")
    if len({tile & 1 for tile in names}) > 1:
        refuse("tiles of one stack have the same symbol")
    if options.take == "own" and any(tile // 12 != seat for tile in names):
        refuse(f"seat {seat} can take back only tiles of its own colour")


def _fill_turn(s: State, layout: Layout) -> None:
    seats = range(int(s.players))
    holding = [seat for seat in seats if int(s.held[seat]) > 0]
    if any(seat not in holding for seat in layout.passed):
        refuse("only a seat that holds tiles can have passed")
    s.passed = mask(layout.passed)
    for seat in layout.passed:
        if any(slot & ~unplaceable(s) for slot in s.slot[HAND * seat : HAND * seat + HAND]):
            refuse(f"seat {seat} cannot have passed: for all that is known, it may hold a tile that can be laid")
    s.seat = layout.turn
    if is_over(s):
        if layout.turn != 0:
            refuse("the game is over: the turn must be 0")
        return
    if layout.turn not in holding:
        refuse(f"it cannot be the turn of seat {layout.turn}, which holds no tiles")
    if not layout.table and layout.turn != 0:
        refuse("seat 0 lays the first tile")
    before = sorted(holding, key=lambda seat: (layout.turn - seat - 1) % len(seats))
    passed = set(layout.passed)
    if set(before[: len(passed)]) != passed:
        refuse("the seats that have passed must be those just before the seat to move")
