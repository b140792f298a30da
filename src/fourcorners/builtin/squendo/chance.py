"""The tiles of Squendo as chance draws them, and what the hands may have been."""

from collections.abc import Sequence
from itertools import permutations

from fourcorners.builtin.squendo.options import HAND_SIZE, list_tiles
from fourcorners.builtin.squendo.placements import NO_TILE, find_place, unpack_top, unpack_under
from fourcorners.builtin.squendo.rules import PASS, can_take, decode_action
from fourcorners.core.arrays import State
from fourcorners.core.encoding import Past

__all__ = ["PUBLIC_BITS", "list_hand", "list_pasts", "list_pile", "list_tiles", "mask_action", "place_draws"]

PUBLIC_BITS = 34
_TAKE = 63  # no tile: for the other seats, what was taken back


def list_pile(s: State) -> list[int]:
    """List the tiles of the pile, ascending."""
    return sorted(tile - 1 for tile in s.pile[: int(s.pile_size)].tolist())


def list_hand(s: State, seat: int) -> list[int]:
    """List the tiles that a seat holds, ascending."""
    hand = int(s.hand[seat])
    return [tile for tile in range(hand.bit_length()) if hand >> tile & 1]


def place_draws(s: State, tiles: Sequence[int]) -> None:
    """Let these tiles of the pile be drawn next, in this order."""
    pile = s.pile[: int(s.pile_size)].tolist()
    for tile in tiles:
        pile.remove(tile + 1)
    s.pile[: int(s.pile_size)] = pile + [tile + 1 for tile in reversed(tiles)]


def mask_action(s: State, action: int) -> int:
    """Return an action without the tile that is taken back."""
    return action | _TAKE if action & _TAKE else action


def list_pasts(s: State, public: int, hand: Sequence[int]) -> list[Past]:
    """List the actions that others see as `public`, after which the seat to move holds `hand`, which fits the slots."""
    if public == PASS:
        return [Past(PASS, tuple(sorted(hand)))]
    tile, key, _, leave, take = decode_action(public)
    if take:
        place = int(s.place[find_place(s, key)])
        stack = (tile, unpack_top(place) - 1, unpack_under(place) - 1)
        takes = [taken for taken in stack if taken != leave - 1 and taken in hand and can_take(s, taken)]
        pasts = [Past(public - _TAKE + taken + 1, _replace(hand, taken, tile)) for taken in takes]
    elif s.pile_size:
        unlaid = int(s.unlaid)
        pasts = [Past(public, _replace(hand, drawn, tile), (drawn,)) for drawn in hand if unlaid >> drawn & 1]
    else:
        pasts = [Past(public, _replace(hand, NO_TILE, tile))]
    return [past for past in pasts if _can_hold(s, past.hand)]


def _replace(hand: Sequence[int], old: int, new: int) -> tuple[int, ...]:
    """Return a hand with a tile in place of another one, or of NO_TILE, ascending."""
    return tuple(sorted({tile for tile in hand if tile != old} | {new}))


def _can_hold(s: State, hand: tuple[int, ...]) -> bool:
    """Return whether the tiles of a hand can be those of the public slots of the seat to move."""
    first = HAND_SIZE * int(s.seat)
    slots = [slot for slot in s.slot[first : first + HAND_SIZE].tolist() if slot]
    return len(slots) == len(hand) and any(
        all(slot >> tile & 1 for slot, tile in zip(slots, order, strict=True)) for order in permutations(hand)
    )
