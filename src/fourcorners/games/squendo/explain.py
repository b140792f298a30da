"""Squendo in words: why a move is refused, how a game ended, and the names of things."""

from __future__ import annotations

import re

from fourcorners.core.dispatch import State
from fourcorners.core.errors import Reason
from fourcorners.core.termination import Termination
from fourcorners.games.squendo.options import COLOUR_NAMES, SIDES, SYMBOL_NAMES, TILE_CODES, TILES
from fourcorners.games.squendo.placements import (
    REACH,
    ROTATED_EDGES,
    SIDE_STEPS,
    decode_col,
    decode_row,
    encode_key,
    find_fitting_rotations,
    find_place,
    get_pattern,
    has_legal_placement,
    unpack_constraint,
    unpack_key,
    unpack_top,
    unpack_under,
)
from fourcorners.games.squendo.rules import PASS, decode_action
from fourcorners.games.squendo.tile_names import describe_tile, join_names

ENDING_CLAUSES = {
    Termination.COMPLETE: "the pile and all hands are empty",
    Termination.NO_MOVES: "nobody who holds tiles can lay one any more",
}
_ROTATION_LABELS = ("as it is", "turned once clockwise", "turned twice", "turned three times clockwise")
_PLACE = re.compile(r"(0|-?[1-9][0-9]?),(0|-?[1-9][0-9]?)", re.ASCII)


def explain_illegal_action(s: State, action: int) -> Reason:
    """Say why an action that can be read is not legal in a running game."""
    if action == PASS:
        return _refuse_pass(s)
    tile, key, rotation, leave, take = decode_action(action)
    reason = _explain_tile(s, tile) or _explain_place(s, tile, key)
    if reason is not None:
        return reason
    place = int(s.place[find_place(s, key)])
    where = f"{decode_col(key)},{decode_row(key)}"
    if unpack_under(place) == 0:
        if leave:
            return Reason("no-triple", f"at {where} there would be no stack of three, so no tile is chosen to be left")
        return _explain_rotation(s, tile, key, rotation)
    three = (tile, unpack_top(place) - 1, unpack_under(place) - 1)
    if leave == 0:
        return Reason(
            "leave-needed", f"at {where} it makes a stack of three: say which is left, {_join_choices(three)}"
        )
    reason = _explain_leave(three, leave - 1, where)
    if reason is not None:
        return reason
    if not find_fitting_rotations(leave - 1, place) >> rotation & 1:
        return _explain_rotation(s, leave - 1, key, rotation)
    if take - 1 not in three:
        return Reason(
            "not-in-stack", f"{TILES[take - 1]} is not in the stack of three at {where}: {_join_choices(three)} is"
        )
    if take == leave:
        return Reason("take-left", f"{TILES[take - 1]} is left on the table, so it cannot be taken back")
    colour = COLOUR_NAMES[int(s.seat)]
    return Reason("take-colour", f"{TILES[take - 1]} is not yours: only a {colour} tile may be taken back (R16)")


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Say why no move begins with these tokens; None where they are not of this game."""
    first, *rest = tokens
    if first == "pass":
        return None if rest and not _list_playable_tiles(s) else _refuse_pass(s)
    if _PLACE.fullmatch(first):
        return Reason("tile-first", "first choose a tile of your hand, then the place where it goes")
    if first not in TILE_CODES or len(rest) > 2:
        return None
    tile = TILE_CODES[first]
    reason = _explain_tile(s, tile)
    if reason is None and not has_legal_placement(s, tile):
        reason = Reason("nowhere", f"{first} fits nowhere on the table now")
    if reason is not None or not rest:
        return reason
    found = _PLACE.fullmatch(rest[0])
    if found is None:
        return None
    if max(abs(int(found[1])), abs(int(found[2]))) > REACH:
        return None
    key = encode_key(int(found[1]), int(found[2]))
    reason = _explain_place(s, tile, key)
    verb, _, left = rest[1].partition(":") if len(rest) == 2 else ("", "", "")
    if reason is None and verb == "leave" and left in TILE_CODES:
        place = int(s.place[find_place(s, key)])
        if unpack_under(place) == 0:
            return Reason("no-triple", f"at {rest[0]} there would be no stack of three")
        three = (tile, unpack_top(place) - 1, unpack_under(place) - 1)
        return _explain_leave(three, TILE_CODES[left], rest[0]) or Reason(
            "edges", f"{left} fits at {rest[0]} in no turn"
        )
    return reason


def classify_ending(s: State) -> Termination:
    """Return how a game that is over has ended: blocked while somebody still holds tiles, or complete."""
    return Termination.NO_MOVES if s.held.any() else Termination.COMPLETE


def label(token: str) -> str:
    """Name a token."""
    if token in TILE_CODES:
        return describe_tile(TILE_CODES[token])
    found = _PLACE.fullmatch(token)
    if found:
        return f"column {int(found[1])}, row {int(found[2])}"
    if re.fullmatch("r[0-3]", token, re.ASCII):
        return _ROTATION_LABELS[int(token[1])]
    verb, _, tile = token.partition(":")
    if tile in TILE_CODES and verb in {"leave", "take"}:
        short = f"the {COLOUR_NAMES[TILE_CODES[tile] // 12]} tile {tile[1:]}"
        return f"leave {short} on the table" if verb == "leave" else f"take {short} back"
    if (verb, tile) == ("take", "?"):
        return "take one of the two others back, unseen"
    return token


def _join_choices(tiles: tuple[int, ...]) -> str:
    names = [TILES[tile] for tile in tiles]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _list_playable_tiles(s: State) -> list[str]:
    """List the tiles that the seat to move can lay."""
    hand = int(s.hand[int(s.seat)])
    return [TILES[tile] for tile in range(len(TILES)) if hand >> tile & 1 and has_legal_placement(s, tile)]


def _refuse_pass(s: State) -> Reason:
    return Reason("must-play", f"you can lay {join_names(_list_playable_tiles(s))}, so you may not pass (R18)")


def _explain_tile(s: State, tile: int) -> Reason | None:
    """Say why a tile is not there to be laid."""
    if tile // 12 >= max(int(s.players), 3):
        return Reason("not-in-play", f"the {COLOUR_NAMES[tile // 12]} tiles are not in play with {s.players} seats")
    if not int(s.hand[int(s.seat)]) >> tile & 1:
        return Reason("not-in-hand", f"{TILES[tile]} is not in your hand")
    return None


def _explain_place(s: State, tile: int, key: int) -> Reason | None:
    """Say why a tile cannot be laid at a place, however turned."""
    where = f"{decode_col(key)},{decode_row(key)}"
    i = find_place(s, key)
    if i == int(s.place_count) or unpack_key(int(s.place[i])) != key:
        if int(s.place_count) == 1:
            return Reason("first-tile", "the first tile is laid at 0,0")
        return Reason("apart", f"{where} is not beside any tile: a tile goes next to or on top of another")
    place = int(s.place[i])
    top = unpack_top(place) - 1
    if top >= 0 and (top ^ tile) & 1:
        mine, theirs = SYMBOL_NAMES[tile & 1], SYMBOL_NAMES[top & 1]
        return Reason("symbol", f"{TILES[tile]} bears a {mine} and {TILES[top]} at {where} a {theirs}: they must agree")
    if find_fitting_rotations(tile, place) == 0:
        return Reason(
            "edges",
            f"{TILES[tile]} fits at {where} in no turn: there its edges must be {_describe_required_edges(place)}",
        )
    return None


def _describe_required_edges(place: int) -> str:
    care, need = unpack_constraint(place) >> 4, unpack_constraint(place) & 15
    return join_names(
        [f"{'black' if need >> side & 1 else 'white'} {SIDES[side]}" for side in range(4) if care >> side & 1]
    )


def _explain_rotation(s: State, tile: int, key: int, rotation: int) -> Reason:
    """Say why a tile that fits at a place does not in this turn."""
    black = int(ROTATED_EDGES[get_pattern(tile) * 4 + rotation])
    for smaller in range(rotation):
        if ROTATED_EDGES[get_pattern(tile) * 4 + smaller] == black:
            return Reason("same-turn", f"turned so, {TILES[tile]} looks as with r{smaller}: write r{smaller}")
    place = int(s.place[find_place(s, key)])
    care, need = unpack_constraint(place) >> 4, unpack_constraint(place) & 15
    side = next(side for side in range(4) if (black ^ need) & care & 1 << side)
    beside = key + SIDE_STEPS[side]
    other = TILES[unpack_top(int(s.place[find_place(s, beside)])) - 1]
    mine, theirs = ("black", "white") if black >> side & 1 else ("white", "black")
    where = f"{decode_col(beside)},{decode_row(beside)}"
    edge = f"with r{rotation} the {SIDES[side]} edge of {TILES[tile]} is {mine}"
    return Reason("edges", f"{edge}, but {other} at {where} meets it {theirs}")


def _explain_leave(three: tuple[int, ...], leave: int, where: str) -> Reason | None:
    if leave in three:
        return None
    return Reason("not-in-stack", f"{TILES[leave]} is not in the stack of three at {where}: {_join_choices(three)} is")
