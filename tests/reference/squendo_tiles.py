"""The tiles of Squendo, their edges and decks, for the reference of the game."""

import random
from functools import cache
from itertools import product

Place = tuple[int, int]

SEAT_COLOURS = "RBGY"
BLACK_EDGES = {"0": "", "1": "N", "2a": "NE", "2o": "NS", "3": "NES", "4": "NESW"}
BESIDE = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}


def list_tiles(players: int, colours: str | None = None) -> list[str]:
    """List the tiles in play, sorted (rule 1, R14, R22); with two seats the third colour is neutral."""
    colours = colours or SEAT_COLOURS[: max(players, 3)]
    return sorted(c + pattern + symbol for c, pattern, symbol in product(colours, BLACK_EDGES, "ox"))


@cache
def find_black_edges(tile: str, rotation: int) -> frozenset[str]:
    """Return the sides on which a tile has a black edge after a number of quarter turns clockwise."""
    return frozenset("NESW"[("NESW".index(side) + rotation) % 4] for side in BLACK_EDGES[tile[1:-1]])


@cache
def list_rotations(tile: str) -> list[int]:
    """List the rotations that can be written: of those that look the same, only the smallest."""
    looks = [find_black_edges(tile, rotation) for rotation in range(4)]
    return [rotation for rotation in range(4) if looks[rotation] not in looks[:rotation]]


@cache
def parse_entry(entry: str) -> tuple[str, int]:
    """Split an entry of a stack, such as `R2ax r1`, into tile and rotation (quarter turns clockwise)."""
    tile, rotation = entry.split(" r")
    return tile, int(rotation)


@cache
def find_neighbours(place: Place) -> dict[str, Place]:
    """Return the four places orthogonally next to a place, by side."""
    return {side: (place[0] + dx, place[1] + dy) for side, (dx, dy) in BESIDE.items()}


def parse_place(text: str) -> Place:
    """Parse a place such as `1,-2` as column and row."""
    col, row = text.split(",")
    return int(col), int(row)


def draw_deck(players: int, rng: random.Random, colours: str | None = None) -> list[str]:
    """Draw a deck in drawing order for this number of seats, 2 to 4, often arranged so that passes occur.

    Three arrangements occur besides the shuffled one: tiles with few black edges tend to come first; white tiles come
    late and all-black ones last; or the last seat gets black tiles of one symbol, and the others get white ones, those
    of the other symbol first.
    """
    deck = list_tiles(players, colours)
    rng.shuffle(deck)
    arrangement = rng.choice(("shuffled", "shuffled", "sorted", "white late", "white late", "black hand"))
    if arrangement == "white late":
        deck.sort(key=lambda tile: ("3", "2a", "2o", "1", "0", "4").index(tile[1:-1]) + rng.uniform(0, 2))
    elif arrangement == "sorted":
        untidy = rng.choice((0.0, 1.0, 2.0))
        order = {tile: len(BLACK_EDGES[tile[1:-1]]) + rng.uniform(0, untidy) for tile in deck}
        deck.sort(key=lambda tile: order[tile])
    elif arrangement == "black hand":
        deck.sort(key=lambda tile: (tile[1:-1] != "4", tile[-1] != "x"))
        hand, rest = deck[:4], deck[4:]
        rest.sort(key=lambda tile: (tile[1:-1] != "0", tile[-1] != "o"))
        before = rest[: 4 * players - 4]
        later = rest[4 * players - 4 :]
        rng.shuffle(later)
        deck = before + hand + later
    return deck
