"""Hands and public knowledge about them: drawing, passing, hiding, and dealing a possible world.

A seat's hand is a set of tiles. Public knowledge about it is stored in up to four *slots*, each the set of tiles that
one tile of the hand may be. The slot of a drawn tile holds any tiles that were never laid; that of a tile taken back
holds the one or two tiles that may have been taken. A pass removes all tiles that could have been laid from the seat's
slots. Therefore the older slots of drawn tiles are subsets of the younger ones.

When tile x is laid, the smallest slot that may be x is cleared. This loses no possible world: if x was in a larger slot
and y in the smallest, they can be exchanged. It adds none either: every way to fill the other slots, with x in the
smallest, was possible before. The slots of a seat are kept sorted as numbers, empty ones first; a subset is never the
greater number, so the smallest slot comes first.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squendo.options import HAND_SIZE, MAX_SEATS
from fourcorners.builtin.squendo.placements import has_legal_placement
from fourcorners.core.arrays import Rng, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.jit import jitable

SLOTS = HAND_SIZE * MAX_SEATS
SPECTATOR = MAX_SEATS
_MAX_SHUFFLES = 12
_EXCHANGES = 3
_CHANCES = 1 << 20


@jitable
def sort_slots(s: State, seat: int) -> None:
    """Sort the four slots of a seat in ascending order, empty ones (0) first, in place."""
    first = HAND_SIZE * seat
    for i in range(first + 1, first + HAND_SIZE):
        slot = s.slot[i]
        j = i
        while j > first and s.slot[j - 1] > slot:
            s.slot[j] = s.slot[j - 1]
            j -= 1
        s.slot[j] = slot


@jitable
def add_to_hand(s: State, seat: int, tile: int, known: np.uint64) -> None:
    """Add a tile to a seat's hand of three or fewer, in place; `known` is its slot: what it may be for the others."""
    s.hand[seat] |= bit(tile)
    s.hand_size[seat] += 1
    s.slot[HAND_SIZE * seat] = known  # the first slot is empty, because they are sorted
    sort_slots(s, seat)


@jitable
def fill_hand(s: State, seat: int) -> None:
    """Draw tiles from the end of the pile, in place, until a seat holds four or the pile is empty.
    The slot of each says that it may be any tile that was never laid.
    """
    while np.int64(s.hand_size[seat]) < HAND_SIZE and np.int64(s.pile_size) > 0:
        s.pile_size -= 1
        tile = np.int64(s.pile[s.pile_size]) - 1
        s.pile[s.pile_size] = 0
        add_to_hand(s, seat, tile, s.unlaid)


@jitable
def remove_from_hand(s: State, seat: int, tile: int) -> None:
    """Remove a tile (from 0) that is being laid from a seat's hand, which must have it, and from `unlaid`, in place.
    Clear the smallest slot of the seat that may be it. A tile never laid before also leaves the slots of all seats.
    """
    laid = bit(tile)
    s.hand[seat] &= ~laid
    s.hand_size[seat] -= 1
    for i in range(HAND_SIZE * seat, HAND_SIZE * seat + HAND_SIZE):
        if s.slot[i] & laid != ZERO:
            s.slot[i] = ZERO
            break
    if s.unlaid & laid != ZERO:
        s.unlaid &= ~laid
        for i in range(SLOTS):
            s.slot[i] &= ~laid
        for other in range(MAX_SEATS):
            sort_slots(s, other)
    else:
        sort_slots(s, seat)


@jitable
def find_unplaceable_tiles(s: State) -> np.uint64:
    """Return the set of tiles, of all four colours, in play or not, that have no legal placement on the table."""
    found = ZERO
    for kind in range(12):  # pattern and symbol: the colour does not matter for placing a tile
        if not has_legal_placement(s, kind):
            for colour in range(MAX_SEATS):
                found |= bit(12 * colour + kind)
    return found


@jitable
def narrow_slots_by_pass(s: State, seat: int) -> None:
    """Remove, in place, from a seat's slots all tiles that it could lay on the present table: it passes."""
    unplaceable = find_unplaceable_tiles(s)
    for i in range(HAND_SIZE * seat, HAND_SIZE * seat + HAND_SIZE):
        s.slot[i] &= unplaceable
    sort_slots(s, seat)


@jitable
def hide(s: State, seat: int) -> None:
    """Blank the pile and the hands of all seats but `seat` (-1: of all), in place; the public slots and sizes stay.
    `seen_by` then names the viewer.
    """
    viewer = seat if seat >= 0 else SPECTATOR
    for other in range(MAX_SEATS):
        if other != viewer:
            s.hand[other] = ZERO
    for i in range(len(s.pile)):
        s.pile[i] = 0
    s.seen_by = viewer + 1


@jitable
def deal(s: State, rng: Rng) -> None:
    """Complete a view in place to a random possible world (a determinization); set `seen_by` to 0.

    The hidden hands must be empty, as `hide` leaves them; they and the pile are filled. Every slot receives a tile that
    it may be; in a record that contradicts itself some slots may not. A record in which nothing is hidden stays as it
    is. The tiles are shuffled until they happen to fit the slots, which makes all ways to fill them equally likely. If
    they do not fit after a few attempts, misfits are repaired along augmenting paths, and then not all are.
    """
    if s.seen_by == 0:
        return
    viewer = np.int64(s.seen_by) - 1
    _fill_slots(s, viewer, rng)
    _assign_hands(s, viewer, rng)
    s.seen_by = 0


@jitable
def deal_likely(s: State, beliefs: NDArray[np.float64], rng: Rng) -> None:
    """Deal as `deal` does, but make worlds likely in proportion to the product of the `beliefs` about their slots.

    `beliefs` is (16, 48): how likely each tile is in each slot, above 0, or without rows if there are none. A few steps
    of the Metropolis algorithm exchange tiles; so the proportion is approximate.
    """
    if s.seen_by == 0:
        return
    viewer = np.int64(s.seen_by) - 1
    _fill_slots(s, viewer, rng)
    if len(beliefs) > 0:
        _exchange_tiles(s, beliefs, rng)
    _assign_hands(s, viewer, rng)
    s.seen_by = 0


@jitable
def _exchange_tiles(s: State, beliefs: NDArray[np.float64], rng: Rng) -> None:
    """Offer the tile of every slot, in place, `_EXCHANGES` others in its stead; `pile` is as `_fill_slots` left it."""
    length = SLOTS + np.int64(s.pile_size)
    for i in range(SLOTS):
        if s.pile[i] == 0:
            continue
        for _ in range(_EXCHANGES):
            k = random_below(rng, length)
            if k == i or s.pile[k] == 0:
                continue
            mine, other = np.int64(s.pile[i]) - 1, np.int64(s.pile[k]) - 1
            if s.slot[i] & bit(other) == ZERO or (k < SLOTS and s.slot[k] & bit(mine) == ZERO):
                continue
            before, after = beliefs[i, mine], beliefs[i, other]
            if k < SLOTS:
                before, after = before * beliefs[k, other], after * beliefs[k, mine]
            if after >= before or random_below(rng, _CHANCES) * before < after * _CHANCES:
                s.pile[i], s.pile[k] = other + 1, mine + 1


@jitable
def _fill_slots(s: State, viewer: int, rng: Rng) -> None:
    """Shuffle the tiles that `viewer` does not see into `pile`, in place: one to `pile[i]` for each slot i with a draw
    hidden from it, 0 for the other slots, and then the tiles of the pile itself.
    """
    unseen = s.unlaid
    if viewer < MAX_SEATS:
        unseen &= ~s.hand[viewer]
    n = 0
    while unseen != ZERO:
        s.pile[n] = lowest_bit(unseen) + 1
        unseen &= unseen - ONE
        n += 1
    for _ in range(_MAX_SHUFFLES):
        for i in range(n - 1, 0, -1):
            j = random_below(rng, i + 1)
            s.pile[i], s.pile[j] = s.pile[j], s.pile[i]
        if _is_shuffle_consistent(s, viewer):
            break
    _spread_tiles_over_slots(s, viewer, n)
    for i in range(SLOTS):
        if _is_misplaced(s, i) and not _repair_slot(s, i):
            break


@jitable
def _is_hidden_draw(s: State, viewer: int, i: int) -> bool:
    """Return whether slot i (0 to 15) is that of a drawn tile, one of some never laid, of a seat other than `viewer`.
    For a spectator `viewer` is SPECTATOR, and every seat is another one.
    """
    return i // HAND_SIZE != viewer and s.slot[i] & s.unlaid != ZERO


@jitable
def _is_shuffle_consistent(s: State, viewer: int) -> bool:
    """Return whether the tiles at the start of `pile`, in order, fit the slots with a draw hidden from `viewer`."""
    n = 0
    for i in range(SLOTS):
        if _is_hidden_draw(s, viewer, i):
            if s.slot[i] & bit(np.int64(s.pile[n]) - 1) == ZERO:
                return False
            n += 1
    return True


@jitable
def _spread_tiles_over_slots(s: State, viewer: int, n: int) -> None:
    """Move the n shuffled tiles within `pile`: one to `pile[i]` for each slot i that `_is_hidden_draw`, in order.
    The others, `pile_size` of them, go behind the 16 slots; the entries of other slots become 0.
    """
    # From the end on, so that no tile is overwritten before it moves; k counts the tiles for slots still to be moved.
    k = n - np.int64(s.pile_size)
    for j in range(np.int64(s.pile_size) - 1, -1, -1):
        s.pile[SLOTS + j] = s.pile[k + j]
    for i in range(SLOTS - 1, -1, -1):
        if _is_hidden_draw(s, viewer, i):
            k -= 1
            s.pile[i] = s.pile[k]
        else:
            s.pile[i] = 0


@jitable
def _is_misplaced(s: State, i: int) -> bool:
    """Return whether `pile[i]`, as `_spread_tiles_over_slots` left it, holds a tile (not 0) that slot i cannot be."""
    tile = np.int64(s.pile[i])
    return tile > 0 and s.slot[i] & bit(tile - 1) == ZERO


@jitable
def _repair_slot(s: State, first: int) -> bool:
    """Give slot `first`, which is misplaced, a tile that it may be, in `pile`; return whether that was possible.

    This is a breadth-first search for an augmenting path over the slots whose tiles would have to move. It ends at a
    tile of the pile or of a misplaced slot, perhaps `first` itself; if there is none, nothing changes. The
    queue and the parent links are words of sixteen 4-bit slot numbers, so that no array is allocated.
    """
    visited = 1 << first
    queue = np.uint64(first)
    parents = ZERO
    head, tail = 0, 1
    while head < tail:
        at = np.int64((queue >> np.uint64(4 * head)) & np.uint64(15))
        head += 1
        # From the end on, where the tiles of the pile are: each of them ends the search.
        for i in range(SLOTS + np.int64(s.pile_size) - 1, -1, -1):
            tile = np.int64(s.pile[i])
            if tile == 0 or s.slot[at] & bit(tile - 1) == ZERO:
                continue
            if i >= SLOTS or _is_misplaced(s, i):
                _shift_along_path(s, first, at, i, parents)
                return True
            if not (visited >> i) & 1:
                visited |= 1 << i
                parents |= np.uint64(at) << np.uint64(4 * i)
                queue |= np.uint64(i) << np.uint64(4 * tail)
                tail += 1
    return False


@jitable
def _shift_along_path(s: State, first: int, at: int, free: int, parents: np.uint64) -> None:
    """Move the tile `pile[free]` to `pile[at]`, that of `at` to its parent's place, and so on up to `first`.

    The tile of `first` goes to `free`, which may be `first` itself, because it cannot keep its tile: then the path is a
    cycle. `parents` has four bits for each slot: the slot that takes its tile. Only `pile` changes.
    """
    tile = s.pile[free]
    while True:
        tile, s.pile[at] = s.pile[at], tile
        if at == first:
            break
        at = np.int64((parents >> np.uint64(4 * at)) & np.uint64(15))
    if free != first:
        s.pile[free] = tile


@jitable
def _assign_hands(s: State, viewer: int, rng: Rng) -> None:
    """Fill the hidden hands, empty so far, from `pile` as `_spread_tiles_over_slots` arranged it.
    Of two tiles that may have been taken back draw one at random. Move the tiles of the pile to its start.
    """
    for i in range(SLOTS):
        seat = i // HAND_SIZE
        if _is_hidden_draw(s, viewer, i):
            s.hand[seat] |= bit(np.int64(s.pile[i]) - 1)
        elif seat != viewer and s.slot[i] != ZERO:
            s.hand[seat] |= bit(nth_bit(s.slot[i], random_below(rng, popcount(s.slot[i]))))
    n = np.int64(s.pile_size)
    for j in range(n):
        s.pile[j] = s.pile[SLOTS + j]
    for j in range(n, len(s.pile)):
        s.pile[j] = 0
