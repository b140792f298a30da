"""A world that fits what one viewer is told: so what may be is checked as a whole position is."""

from __future__ import annotations

from fourcorners.games.squendo.options import SquendoOptions, list_tiles
from fourcorners.games.squendo.position_setup import HIDDEN, Layout, check_slot_counts, make_mask, reject_position


def complete_layout(options: SquendoOptions, layout: Layout, lifted: list[int], viewer: int) -> Layout:
    """Fill what is hidden with tiles that fit all that is known; raise NotationError if none do.

    `lifted` are the tiles that were laid and lie on the table no more; `viewer` is a seat, or -1 for a spectator.
    """
    _check_view(layout, viewer)
    check_slot_counts(layout)
    shown = make_mask(tile for stack in layout.stacks for tile in (stack.top, stack.under) if tile >= 0)
    fresh = make_mask(range(len(list_tiles(options)))) & ~shown & ~make_mask(lifted)
    hands = [list(hand) if seat == viewer else [] for seat, hand in enumerate(layout.hands)]
    unseen = fresh & ~make_mask(tile for hand in hands for tile in hand)
    drawn: list[tuple[int, int]] = []
    for seat, slots in enumerate(layout.slots):
        for slot in slots if seat != viewer else ():
            if slot.drawn:
                drawn.append((seat, (slot.tiles or fresh) & unseen))
            else:
                # Either of two tiles may have been taken back: the other one is then discarded.
                hands[seat].append(slot.tiles.bit_length() - 1)
    hidden = len(drawn) + len(layout.pile)
    if hidden != unseen.bit_count():
        reject_position(
            f"it hides {hidden} of the tiles that were never laid, but {unseen.bit_count()} of them are left"
        )
    for (seat, _), tile in zip(drawn, _match_slots([known for _, known in drawn]), strict=True):
        hands[seat].append(tile)
        unseen &= ~(1 << tile)
    pile = [tile for tile in range(unseen.bit_length()) if unseen >> tile & 1]
    return layout._replace(hands=hands, pile=pile)


def _check_view(layout: Layout, viewer: int) -> None:
    """Check that the viewer's own hand is told, and nothing that it may not know."""
    who = "a spectator" if viewer < 0 else f"seat {viewer}"
    for seat, hand in enumerate(layout.hands):
        if seat == viewer and HIDDEN in hand:
            reject_position(f"it is not what {who} is told: the hand of seat {seat} is hidden")
        if seat != viewer and set(hand) - {HIDDEN}:
            reject_position(f"it is not what {who} is told: the hand of seat {seat} is shown")
    if set(layout.pile) - {HIDDEN}:
        reject_position("it shows what is in the pile, which nobody is told")


def _match_slots(sets: list[int]) -> list[int]:
    """Choose a tile from every set, none twice, along augmenting paths."""
    owner: dict[int, int] = {}

    def settle(at: int, tried: set[int]) -> bool:
        for tile in range(sets[at].bit_length()):
            if sets[at] >> tile & 1 and tile not in tried:
                tried.add(tile)
                if tile not in owner or settle(owner[tile], tried):
                    owner[tile] = at
                    return True
        return False

    if not all(settle(at, set()) for at in range(len(sets))):
        reject_position("no tiles fit all that is known of the hands")
    return sorted(owner, key=owner.__getitem__)
