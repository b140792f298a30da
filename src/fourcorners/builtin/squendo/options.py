"""The options of Squendo, its tiles and its deck."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from random import Random
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from fourcorners.core.contract import GameLike
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.options import Options
from fourcorners.core.seat_colours import SeatColours

MAX_SEATS = 4
HAND_SIZE = 4
COLOURS = "RBGY"
COLOUR_NAMES = ("red", "blue", "green", "yellow")
PATTERNS = ("0", "1", "2a", "2o", "3", "4")
SYMBOLS = "ox"
SYMBOL_NAMES = ("circle", "cross")
SIDES = ("north", "east", "south", "west")
COLOUR_ORDERS = tuple(map("".join, permutations(COLOURS)))
"""All orders of the colours: those of the seats, with two seats the neutral one, then those not in play."""
NEUTRAL_PART = 2
"""With two seats, the neutral part, whose colour scores for neither seat (R14)."""

TILES = tuple(colour + pattern + symbol for colour in COLOURS for pattern in PATTERNS for symbol in SYMBOLS)
"""The names of all tiles; in a game with the default colours, by code.

The code of a tile is part * 12 + pattern * 2 + symbol. Its *part* is the seat whose colour it has, or NEUTRAL_PART:
only names depend on the colours that the seats have chosen. So `tile // 12` is the part (12 is TILES_PER_COLOUR),
`tile % 12 // 2` the pattern and `tile & 1` the symbol. A set of tiles is a word with bit `tile` for each of them.
"""
TILES_PER_COLOUR = len(PATTERNS) * len(SYMBOLS)

BLACK_EDGES = (0b0000, 0b0001, 0b0011, 0b0101, 0b0111, 0b1111)
"""The black edges of each unrotated pattern, as a mask: bit 0 north, 1 east, 2 south, 3 west."""


class SquendoOptions(Options):
    """The number of seats, their colours, and three rulings that players may choose otherwise."""

    players: int = Field(
        2, ge=2, le=MAX_SEATS, title="Players", description="With two players, a third colour is neutral."
    )
    colours: str = Field(
        default="",
        validate_default=True,
        title="Colours",
        description="The colours of the seats in order, as letters of RBGY; with two players a neutral one follows.",
        json_schema_extra={"format": "seat-colours"},
    )
    take: Literal["own", "any"] = Field(
        "own",
        title="Taking back",
        description="Which tile you may take back from a stack of three: one of your own colour, or any.",
    )
    rectangles: Literal["every", "maximal"] = Field(
        "every",
        title="Rectangles",
        description="Which filled rectangles count: every one, or only those not inside a larger one (maximal).",
    )
    lines: bool = Field(False, title="Lines", description="Straight lines of four or more tiles count as well.")

    @field_validator("colours", mode="before")
    @classmethod
    def _check_colours(cls, given: Any, info: ValidationInfo) -> str:
        """Return the colours, the default ones for ""; raise OptionError unless they fit the number of players."""
        players = info.data.get("players", 2)  # missing if it was refused itself
        count = count_colours(players)
        if isinstance(given, str) and not given:
            return COLOURS[:count]
        if not isinstance(given, str) or len(given) != count or len(set(given) & set(COLOURS)) != count:
            neutral = ", the last one neutral" if players == NEUTRAL_PART else ""
            wanted = f"{count} different letters of {COLOURS} for {players} players{neutral}"
            raise OptionError(
                "colours", f"{quote(given)} is not allowed; it must be {wanted}, such as {COLOURS[:count]!r}"
            )
        return str.__str__(given)


def count_colours(players: int) -> int:
    """Return the number of colours in play with 2 to 4 players; with two a neutral colour is the third."""
    return max(players, NEUTRAL_PART + 1)


def rename_deck(old: GameLike, new: GameLike, deck: Sequence[str]) -> tuple[str, ...]:
    """Return a deck of a game with the names that its tiles have in another game with as many seats."""
    names: dict[str, str] = dict(zip(name_tiles(_read_colours(old)), name_tiles(_read_colours(new)), strict=True))
    return tuple(names[tile] for tile in deck)


def _read_colours(game: GameLike) -> str:
    return SEAT_COLOURS.read(game)


SEAT_COLOURS = SeatColours("colours", dict(zip(COLOURS, COLOUR_NAMES, strict=True)), count_colours, rename_deck)


def seat_names(options: SquendoOptions) -> tuple[str, ...]:
    """Return the colour names of the seats, by seat."""
    return tuple(COLOUR_NAMES[COLOURS.index(letter)] for letter in options.colours[: options.players])


def list_tiles(options: SquendoOptions) -> tuple[str, ...]:
    """Return the names of the tiles in play, in the order of their codes."""
    return name_tiles(options.colours)


def name_tiles(colours: str) -> tuple[str, ...]:
    """Return the names of the tiles of some colours, given as letters, in the order of their codes."""
    return tuple(colour + pattern + symbol for colour in colours for pattern in PATTERNS for symbol in SYMBOLS)


def find_colour_order(options: SquendoOptions) -> int:
    """Return the index in COLOUR_ORDERS of the order of all colours, those in play first; 0 by default."""
    rest = (letter for letter in COLOURS if letter not in options.colours)
    return COLOUR_ORDERS.index("".join((options.colours, *rest)))


def shuffle(options: SquendoOptions, random: Random) -> tuple[str, ...]:
    """Return the names of the tiles in play in a random drawing order, the first one drawn first."""
    deck = list(list_tiles(options))
    random.shuffle(deck)
    return tuple(deck)


def check_deck(options: SquendoOptions, deck: tuple[str, ...]) -> None:
    """Raise OptionError unless a deck, in drawing order, is a permutation of the tiles in play; see `list_tiles`."""
    tiles = list_tiles(options)
    wanted = set(tiles)
    for tile, count in Counter(deck).items():
        if tile not in wanted:
            raise OptionError(
                "deck", f"{quote(tile)} is not among the {len(wanted)} tiles in play, such as {tiles[5]!r}"
            )
        if count > 1:
            raise OptionError("deck", f"it contains {quote(tile)} {count} times; each tile in play must appear once")
    missing = sorted(wanted - set(deck), key=tiles.index)
    if missing:
        more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
        raise OptionError("deck", f"{missing[0]}{more} missing; it must contain all {len(wanted)} tiles, in any order")
