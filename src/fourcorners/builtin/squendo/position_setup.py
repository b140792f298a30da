"""Positions as plain values: read from a record, or checked and written into one."""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, NoReturn

from fourcorners.builtin.squendo import placements
from fourcorners.builtin.squendo.hands import find_unplaceable_tiles, sort_slots
from fourcorners.builtin.squendo.options import HAND_SIZE, TILES, SquendoOptions, list_tiles
from fourcorners.builtin.squendo.rules import is_over, write_options
from fourcorners.builtin.squendo.tile_names import read_names
from fourcorners.core.arrays import State
from fourcorners.core.errors import NotationError


class Stack(NamedTuple):
    """A stack on the table: its place, the visible tile and its rotation, and the covered tile or -1."""

    col: int
    row: int
    top: int
    rotation: int
    under: int


class Slot(NamedTuple):
    """Public knowledge about a tile in a hand: whether it was drawn or taken back, and the set of tiles it may be."""

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


def list_covered(s: State) -> list[tuple[str, str]]:
    """List the lower tiles of double stacks as place, such as "under 1,-2 lies", and name."""
    names = read_names(s).tiles
    return [(f"under {col},{row} lies", names[under]) for col, row, _, _, under in list_stacks(s) if under >= 0]


def list_tile_names(s: State, tiles: int) -> list[str]:
    """List the names, as a record uses them, of the tiles in a set (a mask), in the order of their codes."""
    return [name for tile, name in enumerate(read_names(s).tiles) if tiles >> tile & 1]


def reject_position(why: str) -> NoReturn:
    """Raise NotationError for a position that cannot be set up; `why` completes the sentence."""
    raise NotationError(f"this position cannot be set up: {why}")


def fill_record(s: State, options: SquendoOptions, layout: Layout) -> None:
    """Fill a zeroed record in place from a layout without HIDDEN tiles.
    Raise NotationError, which may leave it half filled, if the position could not arise under the options.
    """
    write_options(s, options)
    discarded = _find_discarded(s, options, layout)
    _check_counts(options, layout, discarded)
    _place_stacks(s, layout.stacks)
    # A sum of sets, which have no tile in common: `_check_counts` has made sure of that.
    taken_back = sum(slot.tiles for slots in layout.slots for slot in slots if not slot.drawn)
    s.unlaid = make_mask((*layout.pile, *(tile for hand in layout.hands for tile in hand))) & ~taken_back
    for i, tile in enumerate(reversed(layout.pile)):
        s.pile[i] = tile + 1
    s.pile_size = len(layout.pile)
    for seat in range(options.players):
        _fill_hand(s, options, seat, layout, discarded)
    _fill_seat_to_move(s, layout)


def make_mask(codes: Iterable[int]) -> int:
    """Return tiles or seats, which count from 0, as a set (a mask); repeated ones count once."""
    return sum(1 << code for code in set(codes))


def _find_discarded(s: State, options: SquendoOptions, layout: Layout) -> int:
    """Return the set (a mask) of the tiles in play that are in no stack, hand or pile: they were discarded.
    Raise NotationError for a tile that occurs twice or is not in play.
    """
    present = [tile for stack in layout.stacks for tile in (stack.top, stack.under) if tile >= 0]
    present += [*layout.pile, *(tile for hand in layout.hands for tile in hand)]
    missing = (1 << len(list_tiles(options))) - 1
    names = read_names(s).tiles
    for tile in present:
        if tile >= len(list_tiles(options)):
            reject_position(f"{names[tile]} is not in play with {options.players} seats")
        if not missing >> tile & 1:
            reject_position(f"{names[tile]} occurs twice")
        missing &= ~(1 << tile)
    return missing


def check_slot_counts(layout: Layout) -> None:
    """Raise NotationError unless every hand has as many slots as tiles, hidden ones included."""
    for seat, (hand, slots) in enumerate(zip(layout.hands, layout.slots, strict=True)):
        if len(slots) != len(hand):
            reject_position(f"seat {seat} holds {len(hand)} tiles, but the known part lists {len(slots)}")


def _check_counts(options: SquendoOptions, layout: Layout, discarded: int) -> None:
    """Raise NotationError unless hands and slots fit pile, table and `discarded` tiles (a mask) in number.
    Raise it, too, if two slots of tiles taken back have a tile in common.
    """
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
    """Lay the stacks on the record's empty table, in place, from 0,0 on to neighbours.
    Raise NotationError if that is impossible: they must be connected, in different places, and fit each other.
    """
    waiting = {(stack.col, stack.row): stack for stack in stacks}
    if len(waiting) < len(stacks):
        reject_position("two stacks are in the same place")
    placements.find_or_add_place(s, placements.encode_key(0, 0))  # where the first tile goes
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
    """Lay one stack on a place that the record has; raise NotationError unless symbols, edges and rotation fit."""
    name = f"{read_names(s).tiles[stack.top]} at {stack.col},{stack.row}"
    if stack.under >= 0 and (stack.under ^ stack.top) & 1:
        reject_position(f"{name} lies on a tile with a different symbol")
    key = placements.encode_key(stack.col, stack.row)
    rotations = placements.find_fitting_rotations(stack.top, int(s.place[placements.find_place(s, key)]))
    if not rotations >> stack.rotation & 1:
        reject_position(f"{name} does not fit its neighbours, or a smaller rotation looks the same")
    placements.set_stack(s, key, stack.top, stack.rotation, stack.under + 1)


def _fill_hand(s: State, options: SquendoOptions, seat: int, layout: Layout, discarded: int) -> None:
    """Fill a seat's empty hand and slots in the record, whose `unlaid` is set, from the layout.
    Raise NotationError if they contradict each other, the option `take`, or the set of `discarded` tiles (a mask).
    """
    hand = make_mask(layout.hands[seat])
    unlaid = int(s.unlaid)
    drawn: list[int] = []
    for i, slot in enumerate(layout.slots[seat], HAND_SIZE * seat):
        s.slot[i] = slot.tiles or unlaid
        if not slot.drawn:
            _check_taken_pair(options, seat, slot.tiles, hand, discarded)
        elif slot.tiles & ~unlaid:
            reject_position(f"seat {seat} cannot have drawn a tile that was laid before")
        else:
            drawn.append(slot.tiles or unlaid)
    drawn.sort(key=int.bit_count)
    if any(older & ~younger for older, younger in pairwise(drawn)):
        what = "a tile drawn earlier cannot have possibilities that one drawn later does not have"
        reject_position(f"seat {seat}: {what}")
    # The sets are nested, so by Hall's theorem the hand fits if the n-th smallest contains at least n of its tiles, and
    # if the largest contains all that were never laid: the rest fill slots of tiles taken back.
    if any((hand & known).bit_count() < n for n, known in enumerate(drawn, 1)) or any(
        not drawn[-1] >> tile & 1 for tile in layout.hands[seat] if drawn and unlaid >> tile & 1
    ):
        reject_position(f"the hand of seat {seat} contradicts what is known about it")
    s.hand[seat], s.hand_size[seat] = hand, len(layout.hands[seat])
    sort_slots(s, seat)


def _check_taken_pair(options: SquendoOptions, seat: int, pair: int, hand: int, discarded: int) -> None:
    """Raise NotationError unless a seat may have taken back a tile of `pair`, a set of one or two, and holds it now.
    `hand` and `discarded` are sets, too. Of two tiles the other must have been discarded.
    """
    tiles = [tile for tile in range(len(TILES)) if pair >> tile & 1]
    if (pair & hand).bit_count() != 1 or pair & ~(hand | discarded):
        pair_of = f"of two tiles that seat {seat} may have taken back"
        reject_position(f"{pair_of}, one must be in its hand and the other discarded")
    if len({tile & 1 for tile in tiles}) > 1:
        reject_position("all tiles of a stack have the same symbol")
    if options.take == "own" and any(tile // 12 != seat for tile in tiles):
        reject_position(f"seat {seat} can only take back tiles of its colour")


def _fill_seat_to_move(s: State, layout: Layout) -> None:
    """Set the turn and the passes in a record whose table, hands and slots are filled.

    Raise NotationError if that could not arise, for example if a seat that has passed may hold a playable tile.
    """
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
    # Those that hold tiles, the seat just before the seat to move first, and that seat itself last.
    previous = sorted(holding, key=lambda seat: (layout.seat - seat - 1) % len(seats))
    passed = set(layout.passed)
    if set(previous[: len(passed)]) != passed:
        reject_position("only the seats just before the seat to move can have passed")
