"""A position in plain values: read from a record, or set up in one with everything checked."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, NoReturn

from fourcorners.core.bits import bit
from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError
from fourcorners.games.squendo.hands import find_unplaceable_tiles, sort_slots
from fourcorners.games.squendo.options import HAND_SIZE, TILES, SquendoOptions, list_tiles
from fourcorners.games.squendo.placements import (
    decode_col,
    decode_row,
    encode_key,
    find_fitting_rotations,
    find_or_add_place,
    find_place,
    set_stack,
    unpack_key,
    unpack_rotation,
    unpack_top,
    unpack_under,
)
from fourcorners.games.squendo.rules import is_over


class Stack(NamedTuple):
    """A place, its visible tile with the turn, and the tile under it or -1."""

    col: int
    row: int
    top: int
    rotation: int
    under: int


class Slot(NamedTuple):
    """What is known of a tile in a hand: drawn or taken back, and what it may be (0: any tile not yet laid)."""

    drawn: bool
    tiles: int


HIDDEN = -1


class Layout(NamedTuple):
    """A position in plain values; the pile's next tile stands first. In a view, hidden tiles are UNSEEN."""

    stacks: list[Stack]
    hands: list[list[int]]
    pile: list[int]
    slots: list[list[Slot]]
    seat: int
    passed: list[int]


def list_stacks(s: State) -> list[Stack]:
    """List what lies on the table, row by row from the lowest."""
    places = s.place.tolist()[: int(s.place_count)]
    return [
        Stack(
            decode_col(unpack_key(p)),
            decode_row(unpack_key(p)),
            unpack_top(p) - 1,
            unpack_rotation(p),
            unpack_under(p) - 1,
        )
        for p in places
        if unpack_top(p)
    ]


def list_tile_names(found: int) -> list[str]:
    """List the tiles of a set, in order."""
    return [TILES[tile] for tile in range(len(TILES)) if found >> tile & 1]


def reject_position(why: str) -> NoReturn:
    """Raise the error of a position that could not arise."""
    raise NotationError(f"this position cannot be set up: {why}")


def fill_record(s: State, options: SquendoOptions, layout: Layout) -> None:
    """Fill a zeroed record; raise NotationError if the position could not arise."""
    s.players = options.players
    s.take_any = options.take == "any"
    s.maximal = options.rectangles == "maximal"
    s.lines = options.lines
    gone = _find_discarded(options, layout)
    _check_counts(options, layout, gone)
    _place_stacks(s, layout.stacks)
    taken_back = sum(slot.tiles for slots in layout.slots for slot in slots if not slot.drawn)
    for tile in (*layout.pile, *(tile for hand in layout.hands for tile in hand)):
        if not taken_back >> tile & 1:
            s.unlaid |= bit(tile)
    for i, tile in enumerate(reversed(layout.pile)):
        s.pile[i] = tile + 1
    s.pile_size = len(layout.pile)
    for seat in range(options.players):
        _fill_hand(s, options, seat, layout, gone)
    _fill_seat_to_move(s, layout)


def make_mask(codes: Iterable[int]) -> int:
    """Return tiles or seats as a set; no matter if one is named twice."""
    found = 0
    for code in codes:
        found |= 1 << code
    return found


def _find_discarded(options: SquendoOptions, layout: Layout) -> int:
    """Return the tiles that are nowhere, after checking that none is doubled or not in play."""
    everywhere = [tile for stack in layout.stacks for tile in (stack.top, stack.under) if tile >= 0]
    everywhere += [*layout.pile, *(tile for hand in layout.hands for tile in hand)]
    rest = (1 << len(list_tiles(options))) - 1
    for tile in everywhere:
        if tile >= len(list_tiles(options)):
            reject_position(f"{TILES[tile]} is not in play with {options.players} seats")
        if not rest >> tile & 1:
            reject_position(f"{TILES[tile]} is there twice")
        rest &= ~(1 << tile)
    return rest


def check_slot_counts(layout: Layout) -> None:
    """Refuse a hand of which more or fewer tiles are known than it holds."""
    for seat, (hand, slots) in enumerate(zip(layout.hands, layout.slots, strict=True)):
        if len(slots) != len(hand):
            reject_position(f"seat {seat} has {len(hand)} tiles, but of {len(slots)} something is known")


def _check_counts(options: SquendoOptions, layout: Layout, gone: int) -> None:
    check_slot_counts(layout)
    for seat, hand in enumerate(layout.hands):
        if len(hand) > HAND_SIZE:
            reject_position(f"seat {seat} has more than {HAND_SIZE} tiles")
        if len(hand) < HAND_SIZE and (layout.pile or not layout.stacks):
            reject_position(f"seat {seat} has fewer than {HAND_SIZE} tiles while the pile lasts")
    pairs = [slot.tiles for slots in layout.slots for slot in slots if not slot.drawn]
    if not layout.stacks and (gone or pairs):
        reject_position("with nothing on the table no tile can be missing or taken back")
    if len(pairs) > gone.bit_count():
        reject_position("more tiles were taken back than discarded")
    for i, pair in enumerate(pairs):
        if any(pair & other for other in pairs[:i]):
            reject_position("a tile cannot have been taken back twice")


def _place_stacks(s: State, table: list[Stack]) -> None:
    """Lay the stacks from the first tile on, each next to another, and check that they agree."""
    waiting = {(stack.col, stack.row): stack for stack in table}
    if len(waiting) < len(table):
        reject_position("two stacks are at the same place")
    find_or_add_place(s, encode_key(0, 0))
    if not table:
        return
    if (0, 0) not in waiting:
        reject_position("the first tile is always at 0,0")
    edge = [(0, 0)]
    while edge:
        col, row = edge.pop()
        stack = waiting.pop((col, row), None)
        if stack is not None:
            _place_stack(s, stack)
            edge += [(col, row + 1), (col + 1, row), (col, row - 1), (col - 1, row)]
    if waiting:
        reject_position("a stack is not connected with the first one")


def _place_stack(s: State, stack: Stack) -> None:
    name = f"{TILES[stack.top]} at {stack.col},{stack.row}"
    if stack.under >= 0 and (stack.under ^ stack.top) & 1:
        reject_position(f"{name} lies on a tile with another symbol")
    key = encode_key(stack.col, stack.row)
    rotations = find_fitting_rotations(stack.top, int(s.place[find_place(s, key)]))
    if not rotations >> stack.rotation & 1:
        reject_position(f"{name} does not agree with its neighbours, or a smaller turn looks the same")
    set_stack(s, key, stack.top, stack.rotation, stack.under + 1)


def _fill_hand(s: State, options: SquendoOptions, seat: int, layout: Layout, gone: int) -> None:
    hand = make_mask(layout.hands[seat])
    fresh = int(s.unlaid)
    drawn: list[int] = []
    for i, slot in enumerate(layout.slots[seat]):
        if slot.drawn:
            drawn.append(slot.tiles or fresh)
        else:
            _check_taken_pair(options, seat, slot.tiles, hand, gone)
        for tile in range(len(TILES)):
            if (drawn[-1] if slot.drawn else slot.tiles) >> tile & 1:
                s.slot[HAND_SIZE * seat + i] |= bit(tile)
        if slot.drawn and drawn[-1] & ~fresh:
            reject_position(f"seat {seat} cannot have drawn a tile that was laid before")
    drawn.sort(key=int.bit_count)
    if any(older & ~younger for older, younger in pairwise(drawn)):
        reject_position(
            f"of the tiles seat {seat} has drawn, the older ones can be nothing that the younger ones cannot be"
        )
    # As the sets are nested, the hand fits if each holds as many of its tiles as there are sets up to it (Hall).
    if any((hand & known).bit_count() < n for n, known in enumerate(drawn, 1)) or any(
        not drawn[-1] >> tile & 1 for tile in layout.hands[seat] if drawn and fresh >> tile & 1
    ):
        reject_position(f"the hand of seat {seat} is not what is known of it")
    s.hand_size[seat] = len(layout.hands[seat])
    for tile in layout.hands[seat]:
        s.hand[seat] |= bit(tile)
    sort_slots(s, seat)


def _check_taken_pair(options: SquendoOptions, seat: int, pair: int, hand: int, gone: int) -> None:
    names = [tile for tile in range(len(TILES)) if pair >> tile & 1]
    if (pair & hand).bit_count() != 1 or pair & ~(hand | gone):
        reject_position(
            f"of the tiles that seat {seat} may have taken back, one must be in its hand and the other discarded"
        )
    if len({tile & 1 for tile in names}) > 1:
        reject_position("tiles of one stack have the same symbol")
    if options.take == "own" and any(tile // 12 != seat for tile in names):
        reject_position(f"seat {seat} can take back only tiles of its own colour")


def _fill_seat_to_move(s: State, layout: Layout) -> None:
    seats = range(int(s.players))
    holding = [seat for seat in seats if int(s.hand_size[seat]) > 0]
    if any(seat not in holding for seat in layout.passed):
        reject_position("only a seat that holds tiles can have passed")
    s.passed = make_mask(layout.passed)
    for seat in layout.passed:
        if any(slot & ~find_unplaceable_tiles(s) for slot in s.slot[HAND_SIZE * seat : HAND_SIZE * seat + HAND_SIZE]):
            reject_position(
                f"seat {seat} cannot have passed: for all that is known, it may hold a tile that can be laid"
            )
    s.seat = layout.seat
    if is_over(s):
        if layout.seat != 0:
            reject_position("the game is over: the turn must be 0")
        return
    if layout.seat not in holding:
        reject_position(f"it cannot be the turn of seat {layout.seat}, which holds no tiles")
    if not layout.stacks and layout.seat != 0:
        reject_position("seat 0 lays the first tile")
    before = sorted(holding, key=lambda seat: (layout.seat - seat - 1) % len(seats))
    passed = set(layout.passed)
    if set(before[: len(passed)]) != passed:
        reject_position("the seats that have passed must be those just before the seat to move")
