"""Setting up positions: the table, the hands, the pile and the seat to move. Every draft is a position.

Every tile has a place: a tile that leaves the table or a hand goes to the end of the pile, and a tile that is needed is
taken from its present place. The seats' knowledge of each other is dropped.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from fourcorners.builtin.squendo import notation
from fourcorners.builtin.squendo.options import HAND_SIZE, TILES_PER_COLOUR, SquendoOptions, count_colours
from fourcorners.builtin.squendo.placements import encode_key, find_fitting_rotations, find_place
from fourcorners.builtin.squendo.position_setup import Layout, Slot, Stack, fill_record, list_stacks
from fourcorners.builtin.squendo.rules import DTYPE
from fourcorners.builtin.squendo.tile_names import describe_tile, read_names
from fourcorners.core.arrays import State
from fourcorners.core.contract import Tool
from fourcorners.core.errors import NotationError, OptionError, quote
from fourcorners.core.record_view import view_record

_LAY, _LIFT, _HAND, _NEXT, _DISCARD, _TURN = "lay", "lift", "hand:", "next", "discard", "turn"
_SEAT = "seat:"
_SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))

read_draft = notation.read


def list_tools(options: SquendoOptions) -> Sequence[Tool]:
    """List the tools of the editor."""
    hands = [Tool(f"{_HAND}{seat}", f"Hand of seat {seat + 1}") for seat in range(options.players)]
    return [
        Tool(_LAY, "Lay a tile"),
        Tool(_LIFT, "Take a tile off"),
        *hands,
        Tool(_NEXT, "Next tile of the pile"),
        Tool(_DISCARD, "Discard a tile"),
        Tool(_TURN, "Seat to move"),
    ]


def list_edits(s: State, tool: str) -> Sequence[str]:
    """List tiles with a place and a rotation, places with a tile, tiles that are not on the table, or seats."""
    stacks = list_stacks(s)
    if tool == _TURN:
        return [f"{_SEAT}{seat}" for seat in range(int(s.players))]
    if tool == _LIFT:
        return sorted(f"{stack.col},{stack.row}" for stack in stacks)
    laid = {tile for stack in stacks for tile in (stack.top, stack.under)}
    names = read_names(s).tiles
    loose = [tile for tile in range(_count_tiles(s)) if tile not in laid]
    if tool == _LAY:
        return sorted(_list_placements(s, stacks, loose, names))
    if tool in {_NEXT, _DISCARD} or tool in {f"{_HAND}{seat}" for seat in range(int(s.players))}:
        return sorted(names[tile] for tile in loose)
    raise OptionError("tool", f"{quote(tool)} is not allowed; it must be one of the tools of this game")


def _count_tiles(s: State) -> int:
    """Return the number of tiles in play."""
    return TILES_PER_COLOUR * count_colours(int(s.players))


def _list_placements(s: State, stacks: Sequence[Stack], loose: Sequence[int], names: Sequence[str]) -> list[str]:
    """List the places and rotations in which single tiles fit on the table."""
    taken = {(stack.col, stack.row) for stack in stacks}
    free = {(stack.col + dx, stack.row + dy) for stack in stacks for dx, dy in _SIDES} - taken if stacks else {(0, 0)}
    placements = []
    for tile, (col, row) in product(loose, free):
        rotations = find_fitting_rotations(tile, int(s.place[find_place(s, encode_key(col, row))]))
        placements += [f"{names[tile]} {col},{row} r{turn}" for turn in range(4) if rotations >> turn & 1]
    return placements


def label_token(token: str) -> str:
    """Return the label of a tile, a place, a rotation or a seat."""
    if token.startswith(_SEAT):
        return f"Seat {int(token.removeprefix(_SEAT)) + 1} to move"
    return describe_tile(token) if token[0].isupper() else token


def edit(s: State, options: SquendoOptions, tool: str, edit: str) -> str:
    """Return the line after a change."""
    if edit not in list_edits(s, tool):
        raise NotationError(f"{quote(edit)} cannot be changed with {quote(tool)}")
    layout, _ = notation.parse_layout(options, notation.write(s))
    if tool == _TURN:
        return _write(options, layout._replace(seat=int(edit.removeprefix(_SEAT)), passed=[]))
    codes = read_names(s).codes
    if tool == _LIFT:
        return _write(options, _lift(layout, edit))
    word, *rest = edit.split(" ")
    tile = codes[word]
    if tool.startswith(_HAND):
        return _write(options, _give(layout, int(tool.removeprefix(_HAND)), tile))
    layout = _take_away(layout, tile)
    if tool == _NEXT:
        return _write(options, layout._replace(pile=[tile, *layout.pile]))
    if tool == _LAY:
        col, row = map(int, rest[0].split(","))
        stack = Stack(col, row, tile, int(rest[1][1:]), -1)
        return _write(options, layout._replace(stacks=[*layout.stacks, stack]))
    return _write(options, layout)


def _lift(layout: Layout, place: str) -> Layout:
    """Return the layout without the visible tile of a place, which goes to the end of the pile."""
    col, row = map(int, place.split(","))
    stack = next(each for each in layout.stacks if (each.col, each.row) == (col, row))
    others = [each for each in layout.stacks if each is not stack]
    if stack.under >= 0:
        others.append(Stack(col, row, stack.under, 0, -1))
    return layout._replace(stacks=others, pile=[*layout.pile, stack.top])


def _give(layout: Layout, seat: int, tile: int) -> Layout:
    """Return the layout with a tile in a seat's hand, in exchange for its first tile if the hand is full."""
    if tile in layout.hands[seat]:
        return layout
    hands = [list(hand) for hand in layout.hands]
    given = hands[seat].pop(0) if len(hands[seat]) == HAND_SIZE else None
    pile = list(layout.pile)
    holder = next((each for each, hand in enumerate(hands) if tile in hand), None)
    if holder is not None:
        hands[holder].remove(tile)
        hands[holder] += [] if given is None else [given]
    elif given is not None:
        # The returned tile takes the place of the other one.
        pile = [given if each == tile else each for each in pile] if tile in pile else [*pile, given]
    else:
        pile = [each for each in pile if each != tile]
    hands[seat].append(tile)
    return layout._replace(hands=hands, pile=pile)


def _take_away(layout: Layout, tile: int) -> Layout:
    """Return the layout without a tile, whose hand draws another one if there is one."""
    pile = [each for each in layout.pile if each != tile]
    hands = [[each for each in hand if each != tile] for hand in layout.hands]
    for hand in hands:
        if len(hand) < HAND_SIZE and pile:
            hand.append(pile.pop(0))
    return layout._replace(hands=hands, pile=pile)


def _write(options: SquendoOptions, layout: Layout) -> str:
    """Write a layout as a line, with all tiles in the hands drawn and unknown to others.

    Raise NotationError if there is no such position.
    """
    known = [[Slot(True, 0)] * len(hand) for hand in layout.hands]
    record = view_record(np.zeros(1, DTYPE))
    fill_record(record, options, layout._replace(slots=known, passed=[]))
    return notation.write(record)
