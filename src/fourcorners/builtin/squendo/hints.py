"""Hints for Squendo: the gains, losses, preparations and blocks of a move, in words."""

from typing import NamedTuple

import numpy as np

from fourcorners.builtin.squendo.options import MAX_SEATS
from fourcorners.builtin.squendo.placements import find_place, unpack_top, unpack_under
from fourcorners.builtin.squendo.rules import PASS, decode_action
from fourcorners.builtin.squendo.strategy.local_value import (
    COMPLETED,
    LACKING_ONE,
    draw_map,
    find_cell,
    read_neighbourhood,
    select_colour,
)
from fourcorners.builtin.squendo.tile_names import TileNames, describe_turned_tile, read_names
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.arrays import State
from fourcorners.core.bits import new_rng
from fourcorners.core.game import View
from fourcorners.core.plurals import list_words
from fourcorners.players.hint_claims import Claim, Hint

_RECTANGLE_LOSS = 5
"""A rival that loses this many points has lost a rectangle: breaking up a lone square of single tiles costs 7 (10, but
the other three tiles score again), while a tile outside rectangles is worth at most 2."""


class _Placement(NamedTuple):
    """A placement as plain values."""

    shown: int  # the tile that is visible afterwards
    covered: int  # the one visible before, or -1, whose colour -1 // 12 no seat has
    double: bool  # whether it makes a double stack
    take: int  # the tile taken back, or -1
    discarded: tuple[int, ...]  # the tiles that leave the game
    neighbourhood: int


def hint(view: View, action: int) -> Hint:
    """Return why a legal action of the seat to move is good, with the change of every seat's points as claims.

    A pass has no claims. The view is not changed.
    """
    if action == PASS:
        return Hint("no tile in your hand fits anywhere")
    seat, names = int(view.record.seat), read_names(view.record)
    placement = _describe_placement(view.record, action)
    changes = _measure_changes(view, action)
    claims = tuple(Claim(changes[claimed], (action,), claimed) for claimed in range(view.game.seats))
    reasons = [
        *_explain_gain(placement, seat, changes[seat], names),
        *_explain_losses(seat, changes, names),
        *_explain_progress(placement, seat),
        *_explain_blocking(placement, seat, view.game.seats, names),
        *_explain_removed_tiles(placement, seat, view.game.seats, names),
    ]
    return Hint(list_words(reasons) if reasons else _describe_quiet_move(placement, seat, changes, names), claims)


def _describe_placement(s: State, action: int) -> _Placement:
    """Return the plain values of a legal action that is not a pass; `s` is the position before it, unchanged."""
    tile, key, _, leave, take = decode_action(action)
    place = int(s.place[find_place(s, key)])
    cells, width, shift = draw_map(s)
    neighbourhood = int(read_neighbourhood(cells, width, find_cell(key, width, shift)))
    top, under = unpack_top(place) - 1, unpack_under(place) - 1
    shown = leave - 1 if leave else tile
    discarded = tuple(t for t in (tile, top, under) if t not in {shown, take - 1}) if leave else ()
    return _Placement(shown, top, leave == 0 and top >= 0, take - 1, discarded, neighbourhood)


def _measure_changes(view: View, action: int) -> list[int]:
    """Return the change of points by an action, by seat; hidden tiles cannot influence it."""
    work = np.array(view.states)
    compiled_api.deal(work, 0, new_rng(0))
    compiled_api.play(work, 0, action)
    points = np.zeros(MAX_SEATS, np.int64)
    dispatch.points(dispatch.view_record(work), points)
    return [int(points[seat]) - view.scores[seat] for seat in range(view.game.seats)]


def _explain_gain(placement: _Placement, seat: int, change: int, names: TileNames) -> list[str]:
    """Return one clause about the gain of `change` points for the seat's colour; [] if there is none."""
    if change <= 0 or placement.shown // 12 != seat:
        return []
    if COMPLETED[select_colour(placement.neighbourhood, seat)] > 0 and placement.covered // 12 != seat:
        return [f"completes a rectangle of yours for {format_points(change)}"]
    if placement.double:
        return [f"makes a double stack of yours for {format_points(change)}"]
    if placement.discarded:
        return [f"leaves your {describe_turned_tile(names.tiles[placement.shown])} visible for {format_points(change)}"]
    return []


def format_points(number: int) -> str:
    """Format a number of points, as in "1 point"."""
    return f"{number} point" if number == 1 else f"{number} points"


def _explain_losses(seat: int, changes: list[int], names: TileNames) -> list[str]:
    """Return clauses, in order of the seats, for the rivals of `seat` that lose points; `changes` are by seat."""
    reasons = []
    for rival, change in enumerate(changes):
        if rival != seat and change <= -_RECTANGLE_LOSS:
            reasons.append(f"costs {names.colours[rival]} {format_points(-change)} by breaking up what it has built")
        elif rival != seat and change < 0:
            reasons.append(f"costs {names.colours[rival]} {format_points(-change)}")
    return reasons


def _explain_progress(placement: _Placement, seat: int) -> list[str]:
    """Return one clause if the placement leaves the seat one tile short of a rectangle, otherwise []."""
    bits = select_colour(placement.neighbourhood, seat)
    is_gain = placement.shown // 12 == seat and placement.covered // 12 != seat
    if is_gain and LACKING_ONE[bits] > 0 and COMPLETED[bits] == 0:
        return ["leaves you one tile short of a rectangle"]
    return []


def _explain_blocking(placement: _Placement, seat: int, seats: int, names: TileNames) -> list[str]:
    """Return a clause for each rival, of `seats` seats in all, whose rectangle the placement blocks or sets back."""
    reasons = []
    for rival in range(seats):
        bits = select_colour(placement.neighbourhood, rival)
        if rival in {seat, placement.shown // 12}:
            continue
        if placement.covered < 0 and COMPLETED[bits] > 0:
            reasons.append(f"fills the place where {names.colours[rival]} could complete a rectangle")
        elif placement.covered // 12 == rival and COMPLETED[bits] == 0 and LACKING_ONE[bits] > 0:
            reasons.append(f"sets back {names.colours[rival]}, which was one tile short of a rectangle")
    return reasons


def _explain_removed_tiles(placement: _Placement, seat: int, seats: int, names: TileNames) -> list[str]:
    """Return clauses on the tile that returns to the hand, and on rivals' tiles, not neutral ones, discarded."""
    reasons = []
    if placement.take >= 0:
        reasons.append(f"returns the {describe_turned_tile(names.tiles[placement.take])} to your hand")
    removed = [tile for tile in placement.discarded if tile // 12 != seat and tile // 12 < seats]
    rivals = [f"the {describe_turned_tile(names.tiles[tile])}" for tile in removed]
    if rivals:
        reasons.append(f"removes {list_words(rivals)} from the game")
    return reasons


def _describe_quiet_move(placement: _Placement, seat: int, changes: list[int], names: TileNames) -> str:
    """Return a clause on a placement for which there is no better reason; `changes` are those of the points by seat."""
    colour = placement.shown // 12
    if changes[seat] > 0:
        return f"gains you {format_points(changes[seat])}, and no one else gains anything"
    if colour == seat:
        return "keeps your tile on the table"
    if colour >= len(changes):
        return "uses up a neutral tile, which scores for no one"
    if changes[colour] > 0:
        return f"uses up a {names.colours[colour]} tile for only {format_points(changes[colour])}"
    return f"uses up a {names.colours[colour]} tile"
