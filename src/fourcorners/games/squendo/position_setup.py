"""Positions as plain values: read from a record, or checked and written into one."""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, NoReturn

from fourcorners.core.bits import bit
from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError
from fourcorners.games.squendo import placements
from fourcorners.games.squendo.hands import find_unplaceable_tiles, sort_slots
from fourcorners.games.squendo.options import HAND_SIZE, TILES, SquendoOptions, list_tiles
from fourcorners.games.squendo.rules import is_over, write_options


class Stack(NamedTuple):
    """A stack on the table: its place, the visible tile and its rotation, and the covered tile or -1."""

    col: int
    row: int
    top: int
    rotation: int
    under: int


class Slot(NamedTuple):
    """What is known about a tile in a hand: whether it was drawn or taken back, and the set of tiles it may be."""

    drawn: bool
    tiles: int  # 0 stands for any tile that was never laid


HIDDEN = -1
"""Stands for a tile that a viewer cannot see."""


class Layout(NamedTuple):
    """A position as plain values; in a view, hidden tiles are HIDDEN."""

    stacks: list[Stack]
    hands: list[list[int]]  # by seat
    pile: list[int]  # the first one is drawn next
    slots: list[list[Slot]]  # by seat
    seat: int  # to move
    passed: list[int]


def list_stacks(s: State) -> list[Stack]:
    """List the stacks on the table, row by row from the bottom, each row from west to east."""
    stacks = []
    for place in s.place.tolist()[: int(s.place_count)]:
        top, rotation = placements.unpack_top(place) - 1, placements.unpack_rotation(place)
        if top >= 0:
            under = placements.unpack_under(place) - 1
            stacks.append(Stack(*placements.decode_key(placements.unpack_key(place)), top, rotation, under))
    return stacks


def list_tile_names(tiles: int) -> list[str]:
    """List the names of the tiles in a set (a mask), in the order of their codes."""
    return [TILES[tile] for tile in range(len(TILES)) if tiles >> tile & 1]


def reject_position(why: str) -> NoReturn:
    """Raise NotationError for a position that cannot be set up; `why` completes the sentence."""
    raise NotationError(f"this position cannot be set up: {why}")


def fill_record(s: State, options: SquendoOptions, layout: Layout) -> None:
    """Fill a zeroed record from a layout without HIDDEN tiles; raise NotationError if the position could not arise."""
    write_options(s, options)
    discarded = _find_discarded(options, layout)
    _check_counts(options, layout, discarded)
    _place_stacks(s, layout.stacks)
    taken_back = sum(slot.tiles for slots in layout.slots for slot in slots if not slot.drawn)
    for tile in (*layout.pile, *(tile for hand in layout.hands for tile in hand)):
        if not taken_back >> tile & 1:
            s.unlaid |= bit(tile)
    for i, tile in enumerate(reversed(layout.pile)):
        s.pile[i] = tile + 1
    s.pile_size = len(layout.pile)
    for seat in range(options.players):
        _fill_hand(s, options, seat, layout, discarded)
    _fill_seat_to_move(s, layout)


def make_mask(codes: Iterable[int]) -> int:
    """Return tiles or seats as a set; repeated ones count once."""
    return sum(1 << code for code in set(codes))


def _find_discarded(options: SquendoOptions, layout: Layout) -> int:
    """Return the set of tiles that are nowhere; raise NotationError for a tile that is there twice or not in play."""
    present = [tile for stack in layout.stacks for tile in (stack.top, stack.under) if tile >= 0]
    present += [*layout.pile, *(tile for hand in layout.hands for tile in hand)]
    missing = (1 << len(list_tiles(options))) - 1
    for tile in present:
        if tile >= len(list_tiles(options)):
            reject_position(f"{TILES[tile]} is not in play with {options.players} seats")
        if not missing >> tile & 1:
            reject_position(f"{TILES[tile]} occurs twice")
        missing &= ~(1 << tile)
    return missing


def check_slot_counts(layout: Layout) -> None:
    """Raise NotationError unless every hand has as many slots as tiles, hidden ones included."""
    for seat, (hand, slots) in enumerate(zip(layout.hands, layout.slots, strict=True)):
        if len(slots) != len(hand):
            reject_position(f"seat {seat} holds {len(hand)} tiles, but the known part lists {len(slots)}")


def _check_counts(options: SquendoOptions, layout: Layout, discarded: int) -> None:
    """Raise NotationError unless hands and slots fit the pile, the table and the set of discarded tiles in number."""
    check_slot_counts(layout)
    for seat, hand in enumerate(layout.hands):
        if len(hand) > HAND_SIZE:
            reject_position(f"seat {seat} has more than {HAND_SIZE} tiles")
        if len(hand) < HAND_SIZE and (layout.pile or not layout.stacks):
            reject_position(f"seat {seat} has fewer than {HAND_SIZE} tiles while the pile lasts")
    pairs = [slot.tiles for slots in layout.slots for slot in slots if not slot.drawn]
    if not layout.stacks and (discarded or pairs):
        reject_position("no tile can have been discarded or taken back while the table is empty")
    if len(pairs) > discarded.bit_count():
        reject_position("more tiles were taken back than discarded")
    for i, pair in enumerate(pairs):
        if any(pair & earlier for earlier in pairs[:i]):
            reject_position("a tile cannot have been taken back twice")


def _place_stacks(s: State, stacks: list[Stack]) -> None:
    """Lay the stacks on an empty table, from 0,0 on to neighbours; raise NotationError if that is impossible."""
    waiting = {(stack.col, stack.row): stack for stack in stacks}
    if len(waiting) < len(stacks):
        reject_position("two stacks are in the same place")
    placements.find_or_add_place(s, placements.encode_key(0, 0))
    if not stacks:
        return
    if (0, 0) not in waiting:
        reject_position("the first tile must be at 0,0")
    frontier = [(0, 0)]
    while frontier:
        col, row = frontier.pop()
        if stack := waiting.pop((col, row), None):
            _place_stack(s, stack)
            frontier += [(col, row + 1), (col + 1, row), (col, row - 1), (col - 1, row)]
    if waiting:
        reject_position("a stack is not connected to the first one")


def _place_stack(s: State, stack: Stack) -> None:
    """Lay one stack whose place has been added; raise NotationError if a tile fits neither the other nor neighbours."""
    name = f"{TILES[stack.top]} at {stack.col},{stack.row}"
    if stack.under >= 0 and (stack.under ^ stack.top) & 1:
        reject_position(f"{name} lies on a tile with a different symbol")
    key = placements.encode_key(stack.col, stack.row)
    rotations = placements.find_fitting_rotations(stack.top, int(s.place[placements.find_place(s, key)]))
    if not rotations >> stack.rotation & 1:
        reject_position(f"{name} does not fit its neighbours, or a smaller rotation looks the same")
    placements.set_stack(s, key, stack.top, stack.rotation, stack.under + 1)


def _fill_hand(s: State, options: SquendoOptions, seat: int, layout: Layout, discarded: int) -> None:
    """Fill a seat's hand and slots, empty so far; raise NotationError if they contradict each other or `discarded`."""
    hand = make_mask(layout.hands[seat])
    unlaid = int(s.unlaid)
    drawn: list[int] = []
    for i, slot in enumerate(layout.slots[seat]):
        if slot.drawn:
            drawn.append(slot.tiles or unlaid)
        else:
            _check_taken_pair(options, seat, slot.tiles, hand, discarded)
        for tile in range(len(TILES)):
            if (drawn[-1] if slot.drawn else slot.tiles) >> tile & 1:
                s.slot[HAND_SIZE * seat + i] |= bit(tile)
        if slot.drawn and drawn[-1] & ~unlaid:
            reject_position(f"seat {seat} cannot have drawn a tile that was laid before")
    drawn.sort(key=int.bit_count)
    if any(older & ~younger for older, younger in pairwise(drawn)):
        what = "a tile drawn earlier cannot have possibilities that one drawn later does not have"
        reject_position(f"seat {seat}: {what}")
    # The sets are nested, so by Hall's theorem the hand fits if the n-th smallest contains at least n of its tiles.
    if any((hand & known).bit_count() < n for n, known in enumerate(drawn, 1)) or any(
        not drawn[-1] >> tile & 1 for tile in layout.hands[seat] if drawn and unlaid >> tile & 1
    ):
        reject_position(f"the hand of seat {seat} contradicts what is known about it")
    s.hand_size[seat] = len(layout.hands[seat])
    for tile in layout.hands[seat]:
        s.hand[seat] |= bit(tile)
    sort_slots(s, seat)


def _check_taken_pair(options: SquendoOptions, seat: int, pair: int, hand: int, discarded: int) -> None:
    """Raise NotationError unless a slot of one or two tiles fits the hand, the discarded tiles, symbols and options."""
    tiles = [tile for tile in range(len(TILES)) if pair >> tile & 1]
    if (pair & hand).bit_count() != 1 or pair & ~(hand | discarded):
        pair_of = f"of two tiles that seat {seat} may have taken back"
        reject_position(f"{pair_of}, one must be in its hand and the other discarded")
    if len({tile & 1 for tile in tiles}) > 1:
        reject_position("all tiles of a stack have the same symbol")
    if options.take == "own" and any(tile // 12 != seat for tile in tiles):
        reject_position(f"seat {seat} can only take back tiles of its own colour")


def _fill_seat_to_move(s: State, layout: Layout) -> None:
    """Set whose turn it is and who has passed, once hands are filled; raise NotationError if that could not arise."""
    seats = range(int(s.players))
    holding = [seat for seat in seats if int(s.hand_size[seat]) > 0]
    if any(seat not in holding for seat in layout.passed):
        reject_position("only a seat that holds tiles can have passed")
    s.passed = make_mask(layout.passed)
    for seat in layout.passed:
        if any(slot & ~find_unplaceable_tiles(s) for slot in s.slot[HAND_SIZE * seat : HAND_SIZE * seat + HAND_SIZE]):
            reject_position(f"seat {seat} cannot have passed: for all that is known, it may hold a playable tile")
    s.seat = layout.seat
    if is_over(s):
        if layout.seat != 0:
            reject_position("the game is over, so the turn must be 0")
        return
    if layout.seat not in holding:
        reject_position(f"seat {layout.seat} cannot be to move: it holds no tiles")
    if not layout.stacks and layout.seat != 0:
        reject_position("seat 0 lays the first tile")
    previous = sorted(holding, key=lambda seat: (layout.seat - seat - 1) % len(seats))
    passed = set(layout.passed)
    if set(previous[: len(passed)]) != passed:
        reject_position("only the seats just before the seat to move can have passed")
