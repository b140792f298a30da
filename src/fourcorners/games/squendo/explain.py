"""Squendo in words: why a move is refused, how a game ended, and the labels of tokens."""

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
    Termination.NO_MOVES: "no player who still has tiles can lay one",
}
_ROTATION_LABELS = ("not turned", "one quarter turn clockwise", "two quarter turns", "three quarter turns clockwise")
_PLACE = re.compile(r"(0|-?[1-9][0-9]?),(0|-?[1-9][0-9]?)", re.ASCII)


def explain_illegal_action(s: State, action: int) -> Reason:
    """Explain why an action is not legal in a game that is not over."""
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
            return Reason("no-triple", f"this does not make a stack of three at {where}, so there is no tile to leave")
        return _explain_rotation(s, tile, key, rotation)
    three = (tile, unpack_top(place) - 1, unpack_under(place) - 1)
    if leave == 0:
        return Reason(
            "leave-needed",
            f"this makes a stack of three at {where}: choose which tile to leave, {_join_choices(three)}",
        )
    reason = _explain_leave(three, leave - 1, where)
    if reason is not None:
        return reason
    if not find_fitting_rotations(leave - 1, place) >> rotation & 1:
        return _explain_rotation(s, leave - 1, key, rotation)
    if take - 1 not in three:
        return Reason(
            "not-in-stack", f"{TILES[take - 1]} is not in the stack of three at {where}: choose {_join_choices(three)}"
        )
    if take == leave:
        return Reason("take-left", f"{TILES[take - 1]} stays on the table, so you cannot take it back")
    colour = COLOUR_NAMES[int(s.seat)]
    return Reason("take-colour", f"{TILES[take - 1]} is not yours: you may only take back a {colour} tile (R16)")


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Explain why no legal move begins with these tokens; None if they are not tokens of this game."""
    first, *rest = tokens
    if first == "pass":
        return None if rest and not _list_playable_tiles(s) else _refuse_pass(s)
    if _PLACE.fullmatch(first):
        return Reason("tile-first", "first choose a tile from your hand, then its place")
    if first not in TILE_CODES or len(rest) > 2:
        return None
    tile = TILE_CODES[first]
    reason = _explain_tile(s, tile)
    if reason is None and not has_legal_placement(s, tile):
        reason = Reason("nowhere", f"{first} does not fit anywhere on the table now")
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
            return Reason("no-triple", f"this does not make a stack of three at {rest[0]}")
        three = (tile, unpack_top(place) - 1, unpack_under(place) - 1)
        return _explain_leave(three, TILE_CODES[left], rest[0]) or Reason(
            "edges", f"{left} does not fit at {rest[0]}, however you turn it"
        )
    return reason


def classify_ending(s: State) -> Termination:
    """Return how a game that is over has ended: with tiles left in hands, or without."""
    return Termination.NO_MOVES if s.hand_size.any() else Termination.COMPLETE


def label(token: str) -> str:
    """Label a token for a button and a screen reader; unknown tokens are returned as they are."""
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
        return f"leave {short} on the table" if verb == "leave" else f"take back {short}"
    if (verb, tile) == ("take", "?"):
        return "take back one of the two others, unseen"
    return token


def _join_choices(tiles: tuple[int, ...]) -> str:
    """Join the names of tiles with commas and a final "or"."""
    names = [TILES[tile] for tile in tiles]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _list_playable_tiles(s: State) -> list[str]:
    """List the tiles that the seat to move can lay."""
    hand = int(s.hand[int(s.seat)])
    return [TILES[tile] for tile in range(len(TILES)) if hand >> tile & 1 and has_legal_placement(s, tile)]


def _refuse_pass(s: State) -> Reason:
    """Return the reason why a seat that can lay a tile may not pass."""
    return Reason("must-play", f"you can lay {join_names(_list_playable_tiles(s))}, so you may not pass (R18)")


def _explain_tile(s: State, tile: int) -> Reason | None:
    """Return the reason why a tile cannot be laid at all; None if the seat to move holds it."""
    if tile // 12 >= max(int(s.players), 3):
        return Reason("not-in-play", f"the {COLOUR_NAMES[tile // 12]} tiles are not in play with {s.players} players")
    if not int(s.hand[int(s.seat)]) >> tile & 1:
        return Reason("not-in-hand", f"{TILES[tile]} is not in your hand")
    return None


def _explain_place(s: State, tile: int, key: int) -> Reason | None:
    """Return the reason why a tile cannot be laid at a place in any rotation; None if it can."""
    where = f"{decode_col(key)},{decode_row(key)}"
    i = find_place(s, key)
    if i == int(s.place_count) or unpack_key(int(s.place[i])) != key:
        if int(s.place_count) == 1:
            return Reason("first-tile", "the first tile goes to 0,0")
        return Reason("apart", f"{where} is not next to any tile: lay your tile next to another or on top of one")
    place = int(s.place[i])
    top = unpack_top(place) - 1
    if top >= 0 and (top ^ tile) & 1:
        mine, theirs = SYMBOL_NAMES[tile & 1], SYMBOL_NAMES[top & 1]
        return Reason(
            "symbol", f"{TILES[tile]} has a {mine} and {TILES[top]} at {where} has a {theirs}: the symbols must match"
        )
    if find_fitting_rotations(tile, place) == 0:
        return Reason(
            "edges",
            f"{TILES[tile]} does not fit at {where}, however you turn it: it needs {_describe_required_edges(place)}",
        )
    return None


def _describe_required_edges(place: int) -> str:
    """List the edges that a tile at a place must have, as in "black west and white north"."""
    neighbours, black = unpack_constraint(place) >> 4, unpack_constraint(place) & 15
    return join_names(
        [f"{'black' if black >> side & 1 else 'white'} {SIDES[side]}" for side in range(4) if neighbours >> side & 1]
    )


def _explain_rotation(s: State, tile: int, key: int, rotation: int) -> Reason:
    """Return the reason why a tile that fits at a place in some rotation does not fit in this one."""
    black = int(ROTATED_EDGES[get_pattern(tile) * 4 + rotation])
    for smaller in range(rotation):
        if ROTATED_EDGES[get_pattern(tile) * 4 + smaller] == black:
            return Reason("same-turn", f"{TILES[tile]} looks the same with r{smaller}: write r{smaller}")
    place = int(s.place[find_place(s, key)])
    neighbours, required = unpack_constraint(place) >> 4, unpack_constraint(place) & 15
    side = next(side for side in range(4) if (black ^ required) & neighbours & 1 << side)
    beside = key + SIDE_STEPS[side]
    neighbour = TILES[unpack_top(int(s.place[find_place(s, beside)])) - 1]
    mine, theirs = ("black", "white") if black >> side & 1 else ("white", "black")
    where = f"{decode_col(beside)},{decode_row(beside)}"
    edge = f"with r{rotation}, the {SIDES[side]} edge of {TILES[tile]} is {mine}"
    return Reason("edges", f"{edge}, but the edge of {neighbour} at {where} is {theirs}")


def _explain_leave(three: tuple[int, ...], leave: int, where: str) -> Reason | None:
    """Return the reason why a tile cannot be left on the table; None if it is one of the three."""
    if leave in three:
        return None
    return Reason(
        "not-in-stack", f"{TILES[leave]} is not in the stack of three at {where}: choose {_join_choices(three)}"
    )
