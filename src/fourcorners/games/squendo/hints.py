"""Why a move is good: what it gains, breaks, prepares and spoils, in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import State
from fourcorners.core.hint_claims import Claim, Hint
from fourcorners.core.position import View
from fourcorners.games.squendo.options import COLOUR_NAMES, MAX_SEATS, TILES
from fourcorners.games.squendo.placements import EAST, NORTH, find_place, unpack_top, unpack_under
from fourcorners.games.squendo.rules import PASS, decode_action
from fourcorners.games.squendo.strategy.local_value import COMPLETED, LACKING_ONE, read_neighbourhood, select_colour
from fourcorners.games.squendo.tile_names import join_names

_RECTANGLE_LOSS = 5
"""Who loses so many points by a tile that covers or goes has lost a rectangle."""


class _Placement(NamedTuple):
    """A move in plain values: what was laid, what shows then and what showed before (-1: nothing), and the rest."""

    tile: int
    shown: int
    covered: int
    double: bool
    take: int
    gone: tuple[int, ...]
    near: int


def hint(view: View, action: int) -> Hint:
    """Say what speaks for a legal action of the seat to move."""
    if action == PASS:
        return Hint("no tile of your hand fits anywhere")
    seat = int(view.record.seat)
    laid = _describe_placement(view.record, action)
    changes = _measure_changes(view, action)
    claims = tuple(Claim(changes[each], (action,), each) for each in range(view.game.seats))
    reasons = [
        *_explain_gain(laid, seat, changes[seat]),
        *_explain_losses(seat, changes),
        *_explain_progress(laid, seat),
        *_explain_blocking(laid, seat, view.game.seats),
        *_explain_removed_tiles(laid, seat, view.game.seats),
    ]
    return Hint(join_names(reasons) if reasons else _describe_quiet_move(laid, seat, changes), claims)


def _describe_placement(s: State, action: int) -> _Placement:
    tile, key, _, leave, take = decode_action(action)
    at = int(find_place(s, key))
    place = int(s.place[at])
    near = read_neighbourhood(s, at, int(find_place(s, key - NORTH - EAST)), int(find_place(s, key + NORTH - EAST)))
    top, under = unpack_top(place) - 1, unpack_under(place) - 1
    shown = leave - 1 if leave else tile
    gone = tuple(each for each in (tile, top, under) if each not in {shown, take - 1}) if leave else ()
    return _Placement(tile, shown, top, leave == 0 and top >= 0, take - 1, gone, int(near))


def _measure_changes(view: View, action: int) -> list[int]:
    """Return by how much the points of every seat change."""
    work = np.array(view.states)
    compiled_api.deal(work, 0, new_rng(0))
    compiled_api.play(work, 0, action)
    points = np.zeros(MAX_SEATS, np.int64)
    dispatch.points(dispatch.view_record(work), points)
    return [int(points[seat]) - view.scores[seat] for seat in range(view.game.seats)]


def _explain_gain(laid: _Placement, seat: int, change: int) -> list[str]:
    own = laid.shown // 12 == seat
    if change > 0 and own and COMPLETED[select_colour(laid.near, seat)] > 0 and laid.covered // 12 != seat:
        return [f"completes a rectangle of yours for {_format_points(change)}"]
    if change > 0 and own and laid.double:
        return [f"makes a double stack of yours for {_format_points(change)}"]
    if change > 0 and own and laid.gone:
        return [f"lets your {TILES[laid.shown]} show for {_format_points(change)}"]
    return []


def _format_points(number: int) -> str:
    return f"{number} point" if number == 1 else f"{number} points"


def _explain_losses(seat: int, changes: list[int]) -> list[str]:
    """Say what rivals lose; a number behind a minus is claimed as it stands."""
    reasons = []
    for rival, change in enumerate(changes):
        if rival != seat and change <= -_RECTANGLE_LOSS:
            reasons.append(f"breaks what {COLOUR_NAMES[rival]} has built ({change} points)")
        elif rival != seat and change < 0:
            points = "point" if change == -1 else "points"
            reasons.append(f"takes a tile of {COLOUR_NAMES[rival]} out of the count ({change} {points})")
    return reasons


def _explain_progress(laid: _Placement, seat: int) -> list[str]:
    bits = select_colour(laid.near, seat)
    if laid.shown // 12 == seat and laid.covered // 12 != seat and LACKING_ONE[bits] > 0 and COMPLETED[bits] == 0:
        return ["leaves you one tile short of a rectangle"]
    return []


def _explain_blocking(laid: _Placement, seat: int, seats: int) -> list[str]:
    """Say whose rectangle a tile in a free place, or one that covers, is in the way of."""
    reasons = []
    for rival in range(seats):
        bits = select_colour(laid.near, rival)
        if rival in {seat, laid.shown // 12}:
            continue
        if laid.covered < 0 and COMPLETED[bits] > 0:
            reasons.append(f"fills the place where {COLOUR_NAMES[rival]} could complete a rectangle")
        elif laid.covered // 12 == rival and COMPLETED[bits] == 0 and LACKING_ONE[bits] > 0:
            reasons.append(f"sets {COLOUR_NAMES[rival]} back, who was one tile short of a rectangle")
    return reasons


def _explain_removed_tiles(laid: _Placement, seat: int, seats: int) -> list[str]:
    reasons = []
    if laid.take >= 0:
        reasons.append(f"brings {TILES[laid.take]} back to your hand")
    rivals = [TILES[tile] for tile in laid.gone if tile // 12 != seat and tile // 12 < seats]
    if rivals:
        reasons.append(f"puts {join_names(rivals)} out of the game")
    return reasons


def _describe_quiet_move(laid: _Placement, seat: int, changes: list[int]) -> str:
    """Say what a move does that neither breaks nor prepares anything."""
    colour = laid.shown // 12
    if changes[seat] > 0:
        return f"brings you {_format_points(changes[seat])}, and nobody else gains by it"
    if colour == seat:
        return "keeps your tile on the table"
    if colour >= len(changes):
        return "spends a neutral tile, which scores for nobody"
    if changes[colour] > 0:
        return f"spends a tile of {COLOUR_NAMES[colour]} for no more than {_format_points(changes[colour])}"
    return f"spends a tile of {COLOUR_NAMES[colour]}"
