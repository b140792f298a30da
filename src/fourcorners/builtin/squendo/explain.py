"""Squendo in words: why a move is refused, how a game ended, and the labels of tokens."""

import re

from fourcorners.builtin.squendo import placements
from fourcorners.builtin.squendo.options import SIDES, SYMBOL_NAMES, TILES, count_colours
from fourcorners.builtin.squendo.rules import PASS, decode_action
from fourcorners.builtin.squendo.tile_names import (
    TileNames,
    describe_stacked_tile,
    describe_tile,
    describe_turned_tile,
    name_colour,
    read_names,
)
from fourcorners.core.arrays import State
from fourcorners.core.errors import Reason
from fourcorners.core.narration import spell_count
from fourcorners.core.plurals import list_words
from fourcorners.core.termination import Termination

ENDING_CLAUSES = {
    Termination.COMPLETE: "the pile and all hands are empty",
    Termination.NO_MOVES: "no player who still has tiles can lay one",
}
_ROTATION_LABELS = ("not turned", "one quarter turn clockwise", "two quarter turns", "three quarter turns clockwise")
_PLACE = re.compile(r"(0|-?[1-9][0-9]?),(0|-?[1-9][0-9]?)", re.ASCII)


PROMPTS = {
    "leave": "Three tiles in one stack: choose the one that stays.",
    "take": "Take one tile back into your hand, or play and discard both.",
}
"""The next choice, by the first word of the tokens that can follow."""


def explain_illegal_action(s: State, action: int) -> Reason:
    """Return why an action from `notation.parse` is illegal, which it must be; the game must not be over.
    Reasons are looked for in the order tile, place, what becomes of a stack of three, rotation, tile taken back.
    """
    if action == PASS:
        return _explain_refused_pass(s)
    tile, key, rotation, leave, take = decode_action(action)
    if reason := _explain_tile(s, tile) or _explain_place(s, tile, key):
        return reason
    place = int(s.place[placements.find_place(s, key)])
    where = _format_place(key)
    names = read_names(s)
    if placements.unpack_under(place) == 0:
        if leave:
            return Reason("no-triple", f"this does not make a stack of three at {where}, so there is no tile to leave")
        return _explain_rotation(s, tile, key, rotation)
    three = (tile, placements.unpack_top(place) - 1, placements.unpack_under(place) - 1)
    if leave == 0:
        choices = _list_choices(names, three)
        return Reason("leave-needed", f"this makes a stack of three at {where}: choose which tile to leave, {choices}")
    if reason := _explain_absent_tile(s, three, leave - 1, where):
        return reason
    fitting = placements.find_fitting_rotations(leave - 1, place)
    if fitting == 0:
        return _explain_misfit(names.tiles[leave - 1], f"at {where}, however you turn it")
    if not fitting >> rotation & 1:
        return _explain_rotation(s, leave - 1, key, rotation)
    if reason := _explain_absent_tile(s, three, take - 1, where):
        return reason
    returned = describe_turned_tile(names.tiles[take - 1])
    if take == leave:
        return Reason("take-left", f"the {returned} stays on the table, so you cannot take it back")
    colour = names.colours[int(s.seat)]
    return Reason("take-colour", f"the {returned} is not yours: you may only take back a {colour} tile (R16)")


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Return why no legal move begins with these tokens, one or more; that none does must be known.
    Return None if they are not tokens of this game, or if only a rotation or a tile to take back is wrong.
    """
    first, *rest = tokens
    if first == "pass":  # with no tile to lay a pass is legal, and only the tokens after it are wrong
        return None if rest and not _list_playable_tiles(s) else _explain_refused_pass(s)
    if _PLACE.fullmatch(first):
        return Reason("tile-first", "first choose a tile from your hand, then its place")
    codes = read_names(s).codes
    if first not in codes or len(rest) > 2:
        return None
    tile = codes[first]
    reason = _explain_tile(s, tile)
    if reason is None and not placements.has_legal_placement(s, tile):
        reason = _explain_misfit(first, "anywhere on the table now", "nowhere")
    if reason is not None or not rest:
        return reason
    found = _PLACE.fullmatch(rest[0])
    if found is None or max(abs(int(found[1])), abs(int(found[2]))) > placements.REACH:
        return None
    key = placements.encode_key(int(found[1]), int(found[2]))
    reason = _explain_place(s, tile, key)
    verb, _, left = rest[1].partition(":") if len(rest) == 2 else ("", "", "")
    if reason is None and verb == "leave" and left in codes:
        place = int(s.place[placements.find_place(s, key)])
        if placements.unpack_under(place) == 0:
            return Reason("no-triple", f"this does not make a stack of three at {rest[0]}")
        three = (tile, placements.unpack_top(place) - 1, placements.unpack_under(place) - 1)
        misfit = _explain_misfit(left, f"at {rest[0]}, however you turn it")
        return _explain_absent_tile(s, three, codes[left], rest[0]) or misfit
    return reason


def classify_ending(s: State) -> Termination:
    """Return the ending of a finished game: with tiles left in hands, or without."""
    return Termination.NO_MOVES if s.hand_size.any() else Termination.COMPLETE


def label(token: str) -> str:
    """Label a token for a button and a screen reader; unknown tokens are returned as they are."""
    if token in TILES:
        return describe_tile(token)
    found = _PLACE.fullmatch(token)
    if found:
        return f"column {int(found[1])}, row {int(found[2])}"
    if re.fullmatch("r[0-3]", token, re.ASCII):
        return _ROTATION_LABELS[int(token[1])]
    verb, _, tile = token.partition(":")
    if tile in TILES and verb in {"leave", "take"}:
        return f"{'leave' if verb == 'leave' else 'take back'} {describe_stacked_tile(tile)}"
    if (verb, tile) == ("take", "?"):
        return "take back one of the two others, unseen"
    return token


def describe_effect(s: State, move: str) -> str:
    """Return which tiles a legal move discards, "" unless it resolves a stack of three."""
    if "leave:" not in move:
        return ""
    tile, place, *rest = move.split(" ")
    named = dict(token.split(":") for token in rest if ":" in token)
    found = _PLACE.fullmatch(place)
    key = placements.encode_key(int(found[1]), int(found[2])) if found else 0
    stack = int(s.place[placements.find_place(s, key)])
    names = read_names(s).tiles
    three = (tile, names[placements.unpack_top(stack) - 1], names[placements.unpack_under(stack) - 1])
    return f"discards {list_words([describe_stacked_tile(other) for other in three if other not in named.values()])}"


def _list_playable_tiles(s: State) -> list[str]:
    """List the names of the tiles in the hand of the seat to move that it can lay; perhaps none."""
    hand = int(s.hand[int(s.seat)])
    names = read_names(s).tiles
    return [name for tile, name in enumerate(names) if hand >> tile & 1 and placements.has_legal_placement(s, tile)]


def _explain_refused_pass(s: State) -> Reason:
    """Return the reason why the seat to move, which can lay a tile, may not pass."""
    playable = _list_playable_tiles(s)
    several = f"{spell_count(len(playable), 'tile')}, such as " if len(playable) > 1 else ""
    return Reason(
        "must-play", f"you can lay {several}the {describe_turned_tile(playable[0])}, so you cannot pass (R18)"
    )


def _explain_tile(s: State, tile: int) -> Reason | None:
    """Return why the seat to move cannot lay a tile (its code) that it does not hold; None if it holds the tile."""
    names = read_names(s)
    if tile // 12 >= count_colours(int(s.players)):
        return Reason("not-in-play", f"the {names.colours[tile // 12]} tiles are not in play with {s.players} players")
    if not int(s.hand[int(s.seat)]) >> tile & 1:
        return Reason("not-in-hand", f"the {describe_turned_tile(names.tiles[tile])} is not in your hand")
    return None


def _explain_place(s: State, tile: int, key: int) -> Reason | None:
    """Return why a tile (its code) cannot be laid at a key in any rotation, by any seat; None if it can."""
    where = _format_place(key)
    i = placements.find_place(s, key)
    if i == int(s.place_count) or placements.unpack_key(int(s.place[i])) != key:
        if int(s.place_count) == 1:
            return Reason("first-tile", "the first tile goes to 0,0")
        return Reason("apart", f"{where} is not next to any tile: lay your tile next to another or on top of one")
    place = int(s.place[i])
    top = placements.unpack_top(place) - 1
    names = read_names(s).tiles
    if top >= 0 and (top ^ tile) & 1:
        mine, theirs = SYMBOL_NAMES[tile & 1], SYMBOL_NAMES[top & 1]
        below = f"the {name_colour(names[top])} tile at {where}"
        what = f"the {name_colour(names[tile])} tile has a {mine} and {below} has a {theirs}"
        return Reason("symbol", f"{what}: the symbols must match")
    if placements.find_fitting_rotations(tile, place) == 0:
        neighbours, black = placements.unpack_constraint(place) >> 4, placements.unpack_constraint(place) & 15
        needed = _describe_needed_edges(neighbours & black, neighbours & ~black)
        return _explain_misfit(names[tile], f"at {where}, however you turn it: {needed}")
    return None


def _describe_needed_edges(black: int, white: int) -> str:
    """Say which edges of a tile must be black and which white: two masks with bit 0 for north, not both empty."""
    clauses: list[str] = []
    for colour, mask in (("black", black), ("white", white)):
        sides = [SIDES[side] for side in range(4) if mask >> side & 1]
        if sides:
            must_be = "" if clauses else "must be "
            clauses.append(f"the {list_words(sides)} edge{'s' if len(sides) > 1 else ''} {must_be}{colour}")
    return " and ".join(clauses)


def _explain_misfit(tile: str, where: str, code: str = "edges") -> Reason:
    """Return the reason that a tile, given by its name, does not fit `where`, a phrase; name it as players see it."""
    return Reason(code, f"the {describe_turned_tile(tile)} does not fit {where}")


def _explain_rotation(s: State, tile: int, key: int, rotation: int) -> Reason:
    """Return why a tile (its code) that fits at a place (its key) in some rotation may not be laid in this one, 0 to 3.
    Either an edge disagrees with a neighbour's, or none does and a smaller rotation looks the same.
    """
    looks = placements.ROTATED_EDGES[placements.get_pattern(tile) * 4 :][:4].tolist()
    black = looks[rotation]
    names = read_names(s).tiles
    place = int(s.place[placements.find_place(s, key)])
    neighbours, required = placements.unpack_constraint(place) >> 4, placements.unpack_constraint(place) & 15
    side = next((side for side in range(4) if (black ^ required) & neighbours & 1 << side), None)
    if side is None:
        same = f"r{looks.index(black)}"
        return Reason("same-turn", f"the {describe_turned_tile(names[tile])} looks the same with {same}: write {same}")
    beside = key + placements.SIDE_STEPS[side]
    neighbour = names[placements.unpack_top(int(s.place[placements.find_place(s, beside)])) - 1]
    mine, theirs = ("black", "white") if black >> side & 1 else ("white", "black")
    where = _format_place(beside)
    edge = f"with r{rotation}, the {SIDES[side]} edge of the {name_colour(names[tile])} tile is {mine}"
    return Reason("edges", f"{edge}, but the edge of the {name_colour(neighbour)} tile at {where} is {theirs}")


def _explain_absent_tile(s: State, three: tuple[int, ...], tile: int, where: str) -> Reason | None:
    """Return why a tile (its code) can be neither left nor taken back; None if it is one of the `three` of the stack.
    `where` is the name of the place.
    """
    if tile in three:
        return None
    names = read_names(s)
    absent = describe_turned_tile(names.tiles[tile])
    return Reason("not-in-stack", f"the {absent} is not in the stack at {where}: choose {_list_choices(names, three)}")


def _list_choices(names: TileNames, three: tuple[int, ...]) -> str:
    """List the tiles of a stack of three, given by their codes, as players see them: "red with one black edge or …"."""
    return list_words([describe_stacked_tile(names.tiles[tile]) for tile in three], "or")


def _format_place(key: int) -> str:
    """Format the place with a key as in a move."""
    return "{},{}".format(*placements.decode_key(key))
