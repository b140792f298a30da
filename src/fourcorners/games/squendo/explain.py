"""Squendo in words: why a move is refused, how a game ended, and the names of things."""

from __future__ import annotations

import re

from fourcorners.core.dispatch import State
from fourcorners.core.errors import Reason
from fourcorners.games.squendo.options import CODES, COLOUR_NAMES, SIDES, SYMBOL_NAMES, TILES
from fourcorners.games.squendo.placements import (
    EDGES,
    REACH,
    STEPS,
    agree_at,
    col_of,
    find,
    fits_somewhere,
    fitting,
    key_at,
    key_of,
    pattern_of,
    row_of,
    top_at,
    under_at,
)
from fourcorners.games.squendo.rules import PASS, decode
from fourcorners.games.squendo.tile_names import listed, tile_label

_TURNS = ("as it is", "turned once clockwise", "turned twice", "turned three times clockwise")
_PLACE = re.compile(r"(0|-?[1-9][0-9]?),(0|-?[1-9][0-9]?)", re.ASCII)


def refuse(s: State, action: int) -> Reason:
    """Say why an action that can be read is not legal in a running game."""
    if action == PASS:
        return _must_play(s)
    tile, key, turn, leave, take = decode(action)
    reason = _holding(s, tile) or _placing(s, tile, key)
    if reason is not None:
        return reason
    place = int(s.place[find(s, key)])
    where = f"{col_of(key)},{row_of(key)}"
    if under_at(place) == 0:
        if leave:
            return Reason("no-triple", f"at {where} there would be no stack of three, so no tile is chosen to be left")
        return _turning(s, tile, key, turn)
    three = (tile, top_at(place) - 1, under_at(place) - 1)
    if leave == 0:
        return Reason("leave-needed", f"at {where} it makes a stack of three: say which is left, {_one_of(three)}")
    reason = _leaving(three, leave - 1, where)
    if reason is not None:
        return reason
    if not fitting(leave - 1, place) >> turn & 1:
        return _turning(s, leave - 1, key, turn)
    if take - 1 not in three:
        return Reason("not-in-stack", f"{TILES[take - 1]} is not in the stack of three at {where}: {_one_of(three)} is")
    if take == leave:
        return Reason("take-left", f"{TILES[take - 1]} is left on the table, so it cannot be taken back")
    colour = COLOUR_NAMES[int(s.seat)]
    return Reason("take-colour", f"{TILES[take - 1]} is not yours: only a {colour} tile may be taken back (R16)")


def point(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Say why no move begins with these tokens; None where they are not of this game."""
    first, *rest = tokens
    if first == "pass":
        return None if rest and not _able(s) else _must_play(s)
    if _PLACE.fullmatch(first):
        return Reason("tile-first", "first choose a tile of your hand, then the place where it goes")
    if first not in CODES or len(rest) > 2:
        return None
    tile = CODES[first]
    reason = _holding(s, tile)
    if reason is None and not fits_somewhere(s, tile):
        reason = Reason("nowhere", f"{first} fits nowhere on the table now")
    if reason is not None or not rest:
        return reason
    found = _PLACE.fullmatch(rest[0])
    if found is None:
        return None
    if max(abs(int(found[1])), abs(int(found[2]))) > REACH:
        return None
    key = key_of(int(found[1]), int(found[2]))
    reason = _placing(s, tile, key)
    verb, _, left = rest[1].partition(":") if len(rest) == 2 else ("", "", "")
    if reason is None and verb == "leave" and left in CODES:
        place = int(s.place[find(s, key)])
        if under_at(place) == 0:
            return Reason("no-triple", f"at {rest[0]} there would be no stack of three")
        three = (tile, top_at(place) - 1, under_at(place) - 1)
        return _leaving(three, CODES[left], rest[0]) or Reason("edges", f"{left} fits at {rest[0]} in no turn")
    return reason


def ending(s: State) -> str:
    """Say why a game that is over has ended."""
    if s.held.any():
        return "nobody who holds tiles can lay one any more"
    return "the pile and all hands are empty"


def label(token: str) -> str:
    """Name a token."""
    if token in CODES:
        return tile_label(CODES[token])
    found = _PLACE.fullmatch(token)
    if found:
        return f"column {int(found[1])}, row {int(found[2])}"
    if re.fullmatch("r[0-3]", token, re.ASCII):
        return _TURNS[int(token[1])]
    verb, _, tile = token.partition(":")
    if tile in CODES and verb in {"leave", "take"}:
        short = f"the {COLOUR_NAMES[CODES[tile] // 12]} tile {tile[1:]}"
        return f"leave {short} on the table" if verb == "leave" else f"take {short} back"
    if (verb, tile) == ("take", "?"):
        return "take one of the two others back, unseen"
    return token


def _one_of(tiles: tuple[int, ...]) -> str:
    names = [TILES[tile] for tile in tiles]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _able(s: State) -> list[str]:
    """List the tiles that the seat to move can lay."""
    hand = int(s.hand[int(s.seat)])
    return [TILES[tile] for tile in range(len(TILES)) if hand >> tile & 1 and fits_somewhere(s, tile)]


def _must_play(s: State) -> Reason:
    return Reason("must-play", f"you can lay {listed(_able(s))}, so you may not pass (R18)")


def _holding(s: State, tile: int) -> Reason | None:
    """Say why a tile is not there to be laid."""
    if tile // 12 >= max(int(s.players), 3):
        return Reason("not-in-play", f"the {COLOUR_NAMES[tile // 12]} tiles are not in play with {s.players} seats")
    if not int(s.hand[int(s.seat)]) >> tile & 1:
        return Reason("not-in-hand", f"{TILES[tile]} is not in your hand")
    return None


def _placing(s: State, tile: int, key: int) -> Reason | None:
    """Say why a tile cannot be laid at a place, however turned."""
    where = f"{col_of(key)},{row_of(key)}"
    i = find(s, key)
    if i == int(s.places) or key_at(int(s.place[i])) != key:
        if int(s.places) == 1:
            return Reason("first-tile", "the first tile is laid at 0,0")
        return Reason("apart", f"{where} is not beside any tile: a tile goes next to or on top of another")
    place = int(s.place[i])
    top = top_at(place) - 1
    if top >= 0 and (top ^ tile) & 1:
        mine, theirs = SYMBOL_NAMES[tile & 1], SYMBOL_NAMES[top & 1]
        return Reason("symbol", f"{TILES[tile]} bears a {mine} and {TILES[top]} at {where} a {theirs}: they must agree")
    if fitting(tile, place) == 0:
        return Reason("edges", f"{TILES[tile]} fits at {where} in no turn: there its edges must be {_needs(place)}")
    return None


def _needs(place: int) -> str:
    care, need = agree_at(place) >> 4, agree_at(place) & 15
    return listed(
        [f"{'black' if need >> side & 1 else 'white'} {SIDES[side]}" for side in range(4) if care >> side & 1]
    )


def _turning(s: State, tile: int, key: int, turn: int) -> Reason:
    """Say why a tile that fits at a place does not in this turn."""
    black = int(EDGES[pattern_of(tile) * 4 + turn])
    for smaller in range(turn):
        if EDGES[pattern_of(tile) * 4 + smaller] == black:
            return Reason("same-turn", f"turned so, {TILES[tile]} looks as with r{smaller}: write r{smaller}")
    place = int(s.place[find(s, key)])
    care, need = agree_at(place) >> 4, agree_at(place) & 15
    side = next(side for side in range(4) if (black ^ need) & care & 1 << side)
    beside = key + STEPS[side]
    other = TILES[top_at(int(s.place[find(s, beside)])) - 1]
    mine, theirs = ("black", "white") if black >> side & 1 else ("white", "black")
    where = f"{col_of(beside)},{row_of(beside)}"
    edge = f"with r{turn} the {SIDES[side]} edge of {TILES[tile]} is {mine}"
    return Reason("edges", f"{edge}, but {other} at {where} meets it {theirs}")


def _leaving(three: tuple[int, ...], leave: int, where: str) -> Reason | None:
    if leave in three:
        return None
    return Reason("not-in-stack", f"{TILES[leave]} is not in the stack of three at {where}: {_one_of(three)} is")
