"""Moves of Squendo in words, and explanations for newcomers.

Played moves are described from views: for a tile that another seat took back, the move of a view says only `take:?`.
The name of a move reveals no more hidden information than its notation.
"""

import functools

from fourcorners.builtin.squendo.drawing import Place, Rectangle, find_rectangles
from fourcorners.builtin.squendo.options import SYMBOL_NAMES, SYMBOLS, TILES_PER_COLOUR
from fourcorners.builtin.squendo.placements import (
    ROTATED_EDGES,
    count_fitting_rotations,
    encode_key,
    find_place,
    get_pattern,
    unpack_top,
)
from fourcorners.builtin.squendo.position_setup import Stack, list_stacks
from fourcorners.builtin.squendo.tile_names import (
    describe_edges,
    describe_stacked_tile,
    describe_turned_tile,
    name_colour,
    read_names,
)
from fourcorners.core.arrays import State
from fourcorners.core.contract import ViewLike
from fourcorners.core.narration import spell_count
from fourcorners.core.presentation import Explanation

_PASS = "pass"


def describe_move(before: ViewLike, after: ViewLike) -> str:
    """Describe the last move: the tile, the tile below it, the result of a stack of three, and changed rectangles."""
    tile, *rest = after.history[-1].split(" ")
    if tile == _PASS:
        return "passed, as no tile fits"
    return _describe_stacking(before, tile, rest) + _describe_rectangles(before, after, _parse_place(rest[0]))


def name_move(s: State, move: str) -> str:
    """Name a move so that no other one in the position has the same name: the tile and its place, its black edges if it
    fits in several rotations, and what becomes of a stack of three.
    """
    tile, *rest = move.split(" ")
    if tile == _PASS:
        return "the pass"
    names, col_row, named = read_names(s), rest[0], _read_named_tiles(rest)
    place = int(s.place[find_place(s, encode_key(*_parse_place(col_row)))])
    name = f"the {describe_turned_tile(tile)}"
    if top := unpack_top(place):
        name += f" on the {name_colour(names.tiles[top - 1])} one"
    left = names.codes[named.get("leave", tile)]
    rotation = next(int(token[1]) for token in rest if token[0] == "r")
    edges = describe_edges(int(ROTATED_EDGES[get_pattern(left) * 4 + rotation]))
    if "leave" in named:
        taken = f"; taking back {_describe_taken(named)}" if "take" in named else ""
        return f"{name} at {col_row} (leaving {name_colour(named['leave'])}, {edges}{taken})"
    return f"{name} at {col_row} ({edges})" if count_fitting_rotations(left, place) > 1 else f"{name} at {col_row}"


def _describe_stacking(before: ViewLike, tile: str, rest: list[str]) -> str:
    """Describe where a tile, named as in its move, was laid; `rest` are the other tokens of the move."""
    place = rest[0]
    below = _find_stack(before, _parse_place(place))
    symbol = SYMBOL_NAMES[SYMBOLS.index(tile[-1])]
    if below is None:
        return f"laid a {name_colour(tile)} {symbol} at {place}"
    top = name_colour(read_names(before.record).tiles[below.top])
    words = f"stacked {name_colour(tile)} on {top} at {place}"
    if below.under < 0:
        return words
    named = _read_named_tiles(rest)
    words += f"; left {name_colour(named['leave'])} there and"
    if "take" not in named:
        return f"{words} discarded two tiles"
    return f"{words} took back {_describe_taken(named)}"


def _read_named_tiles(tokens: list[str]) -> dict[str, str]:
    """Return the tiles that tokens such as `leave:B1x` name, by their first word."""
    return dict(token.split(":") for token in tokens if ":" in token)


def _describe_taken(named: dict[str, str]) -> str:
    """Describe the tile that is taken back."""
    return "one tile" if named["take"] == "?" else describe_stacked_tile(named["take"])


def _describe_rectangles(before: ViewLike, after: ViewLike, place: Place) -> str:
    """Describe the rectangles of players that the last move filled or broke by what it left at its place."""
    seats = range(after.game.seats)
    colours = read_names(after.record).colours
    words = ""
    for verb, old, new in (("filling", before, after), ("breaking", after, before)):
        for seat in seats:
            gained = _find_seat_rectangles(new, seat) - _find_seat_rectangles(old, seat)
            count = sum(_has_place(rectangle, place) for rectangle in gained)
            # A rectangle that only grew, or shrank, is named once: for what it became.
            if count and not (verb == "breaking" and words):
                words += f", {verb} {spell_count(count, f'{colours[seat]} rectangle')}"
    return words


FIRST_EXPLANATION = Explanation(
    "hand", "Your hand holds tiles of all colours, not only yours. Each counts for its own colour."
)
"""The explanation of the first hand, which a newcomer may take for an error."""


def list_explanations(before: ViewLike, after: ViewLike) -> list[Explanation]:
    """List explanations about stacks of two and three, a filled rectangle, and a pass."""
    tile, *rest = after.history[-1].split(" ")
    if tile == _PASS:
        return [Explanation("pass", "A player passes only when no tile of the hand fits anywhere.")]
    explanations = []
    place = _parse_place(rest[0])
    below = _find_stack(before, place)
    if below is not None and below.under < 0:
        explanations.append(
            Explanation("stack", "A tile may lie on one with the same symbol: a double stack counts two points.")
        )
    if below is not None and below.under >= 0:
        own = "any" if after.record.take_any else "one of the player’s own colour"
        sentence = f"Of three stacked tiles one stays, and {own} may return to the hand: the rest is discarded."
        explanations.append(Explanation("triple", sentence))
    if _describe_rectangles(before, after, place).startswith(", filling"):
        every = "" if after.record.maximal else ", and so does each one inside it"
        sentence = f"A filled rectangle of one colour, at least two by two, counts ten points{every}."
        explanations.append(Explanation("rectangle", sentence))
    return explanations


def _parse_place(token: str) -> Place:
    """Return the column and row that a token such as `1,-2` names."""
    col, row = token.split(",")
    return int(col), int(row)


def _find_stack(view: ViewLike, place: Place) -> Stack | None:
    """Return the stack at a place; None if it is free."""
    return next((stack for stack in _list_view_stacks(view) if stack[:2] == place), None)


def _find_seat_rectangles(view: ViewLike, seat: int) -> set[Rectangle]:
    """Return the largest filled rectangles of a seat's colour."""
    own = frozenset(stack[:2] for stack in _list_view_stacks(view) if stack.top // TILES_PER_COLOUR == seat)
    return set(find_rectangles(own, lines=bool(view.record.lines)))


# Words and explanations of one ply look at the same two views several times.
@functools.lru_cache(maxsize=16)
def _list_view_stacks(view: ViewLike) -> list[Stack]:
    """Return the stacks of a view."""
    return list_stacks(view.record)


def _has_place(rectangle: Rectangle, place: Place) -> bool:
    """Return whether a place lies in a rectangle."""
    col, row, width, height = rectangle
    return 0 <= place[0] - col < width and 0 <= place[1] - row < height
