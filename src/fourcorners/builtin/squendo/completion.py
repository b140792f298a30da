"""Completing a view to one possible world, so that the view can be checked like a whole position."""

from fourcorners.builtin.squendo.options import SquendoOptions, list_tiles
from fourcorners.builtin.squendo.position_setup import HIDDEN, Layout, check_slot_counts, make_mask, reject_position


def complete_layout(options: SquendoOptions, layout: Layout, lifted: list[int], viewer: int) -> Layout:
    """Return a copy of a layout with its hidden hands and pile filled with tiles that fit all known facts.

    `lifted` are the codes of the tiles that were laid and are no longer on the table; `viewer` is a seat, or -1 for a
    spectator. Raise NotationError if no tiles fit, or if the layout shows what the viewer may not know.
    """
    _check_view(layout, viewer)
    check_slot_counts(layout)
    on_table = make_mask(tile for stack in layout.stacks for tile in (stack.top, stack.under) if tile >= 0)
    unlaid = make_mask(range(len(list_tiles(options)))) & ~on_table & ~make_mask(lifted)
    hands = [list(hand) if seat == viewer else [] for seat, hand in enumerate(layout.hands)]
    unseen = unlaid & ~make_mask(tile for hand in hands for tile in hand)
    drawn: list[tuple[int, int]] = []
    for seat, slots in enumerate(layout.slots):
        for slot in slots if seat != viewer else ():
            if slot.drawn:
                drawn.append((seat, (slot.tiles or unlaid) & unseen))
            else:
                # Any of the one or two tiles will do: the other one was then discarded.
                hands[seat].append(slot.tiles.bit_length() - 1)
    hidden = len(drawn) + len(layout.pile)
    if hidden != unseen.bit_count():
        reject_position(f"it hides {hidden} tiles that were never laid, but there are {unseen.bit_count()}")
    for (seat, _), tile in zip(drawn, _match_slots([known for _, known in drawn]), strict=True):
        hands[seat].append(tile)
        unseen &= ~(1 << tile)
    pile = [tile for tile in range(unseen.bit_length()) if unseen >> tile & 1]
    return layout._replace(hands=hands, pile=pile)


def _check_view(layout: Layout, viewer: int) -> None:
    """Raise NotationError unless the hand of `viewer` is visible (-1: of no seat), and no other hand and no pile is."""
    who = "a spectator" if viewer < 0 else f"seat {viewer}"
    for seat, hand in enumerate(layout.hands):
        if seat == viewer and HIDDEN in hand:
            reject_position(f"the hand of seat {seat} is hidden, but {who} sees it")
        if seat != viewer and set(hand) - {HIDDEN}:
            reject_position(f"the hand of seat {seat} is visible, but {who} may not see it")
    if set(layout.pile) - {HIDDEN}:
        reject_position("the pile is visible, but no one may see it")


def _match_slots(sets: list[int]) -> list[int]:
    """Return a different tile from every set (a mask), in the order of the sets; raise NotationError if impossible.
    The method is bipartite matching by augmenting paths.
    """
    owner: dict[int, int] = {}

    def assign(index: int, tried: set[int]) -> bool:
        """Give set `index` a tile that is not in `tried`, where tiles tried are added; return whether that worked.
        If another set has that tile, it gets another one.
        """
        for tile in range(sets[index].bit_length()):
            if sets[index] >> tile & 1 and tile not in tried:
                tried.add(tile)
                if tile not in owner or assign(owner[tile], tried):
                    owner[tile] = index
                    return True
        return False

    if not all(assign(index, set()) for index in range(len(sets))):
        reject_position("no tiles fit all that is known about the hands")
    return sorted(owner, key=owner.__getitem__)  # the tiles by the index of their sets
