"""A world that fits what one viewer is told: so what may be is checked as a whole position is."""

from __future__ import annotations

from fourcorners.games.squendo.options import SquendoOptions, tiles
from fourcorners.games.squendo.position_setup import UNSEEN, Layout, check_known, mask, refuse


def complete(options: SquendoOptions, layout: Layout, lifted: list[int], viewer: int) -> Layout:
    """Fill what is hidden with tiles that fit all that is known; raise NotationError if none do.

    `lifted` are the tiles that were laid and lie on the table no more; `viewer` is a seat, or -1 for a spectator.
    """
    _check_hidden(layout, viewer)
    check_known(layout)
    shown = mask(tile for stack in layout.table for tile in (stack.top, stack.under) if tile >= 0)
    fresh = mask(range(len(tiles(options)))) & ~shown & ~mask(lifted)
    hands = [list(hand) if seat == viewer else [] for seat, hand in enumerate(layout.hands)]
    unseen = fresh & ~mask(tile for hand in hands for tile in hand)
    drawn: list[tuple[int, int]] = []
    for seat, slots in enumerate(layout.known):
        for slot in slots if seat != viewer else ():
            if slot.drawn:
                drawn.append((seat, (slot.tiles or fresh) & unseen))
            else:
                # Either of two tiles may have been taken back: the other one is then discarded.
                hands[seat].append(slot.tiles.bit_length() - 1)
    hidden = len(drawn) + len(layout.pile)
    if hidden != unseen.bit_count():
        refuse(f"it hides {hidden} of the tiles that were never laid, but {unseen.bit_count()} of them are left")
    for (seat, _), tile in zip(drawn, _one_of_each([known for _, known in drawn]), strict=True):
        hands[seat].append(tile)
        unseen &= ~(1 << tile)
    pile = [tile for tile in range(unseen.bit_length()) if unseen >> tile & 1]
    return layout._replace(hands=hands, pile=pile)


def _check_hidden(layout: Layout, viewer: int) -> None:
    """Check that the viewer's own hand is told, and nothing that it may not know."""
    who = "a spectator" if viewer < 0 else f"seat {viewer}"
    for seat, hand in enumerate(layout.hands):
        if seat == viewer and UNSEEN in hand:
            refuse(f"it is not what {who} is told: the hand of seat {seat} is hidden")
        if seat != viewer and set(hand) - {UNSEEN}:
            refuse(f"it is not what {who} is told: the hand of seat {seat} is shown")
    if set(layout.pile) - {UNSEEN}:
        refuse("it shows what is in the pile, which nobody is told")


def _one_of_each(sets: list[int]) -> list[int]:
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
        refuse("no tiles fit all that is known of the hands")
    return sorted(owner, key=owner.__getitem__)
