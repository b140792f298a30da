"""The tiles of Squendo, their edges and decks: what the reference of the game knows before any is laid."""

import random
from functools import cache
from itertools import product

Place = tuple[int, int]

SEAT_COLOURS = "RBGY"
BLACK_EDGES = {"0": "", "1": "N", "2a": "NE", "2o": "NS", "3": "NES", "4": "NESW"}
BESIDE = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}


def tiles(players: int) -> list[str]:
    """All tiles of a game, rule 1 and R14; with two seats green is the neutral colour."""
    colours = SEAT_COLOURS[: max(players, 3)]
    return sorted(c + pattern + symbol for c, pattern, symbol in product(colours, BLACK_EDGES, "ox"))


@cache
def black_edges(tile: str, turn: int) -> frozenset[str]:
    """The sides on which the tile, so many quarter turns clockwise, has a black edge."""
    return frozenset("NESW"[("NESW".index(side) + turn) % 4] for side in BLACK_EDGES[tile[1:-1]])


@cache
def turns(tile: str) -> list[int]:
    """The turns that can be written: of turns that look the same only the smallest."""
    looks = [black_edges(tile, turn) for turn in range(4)]
    return [turn for turn in range(4) if looks[turn] not in looks[:turn]]


@cache
def tile_and_turn(entry: str) -> tuple[str, int]:
    tile, turn = entry.split(" r")
    return tile, int(turn)


@cache
def beside(place: Place) -> dict[str, Place]:
    return {side: (place[0] + dx, place[1] + dy) for side, (dx, dy) in BESIDE.items()}


def at(text: str) -> Place:
    col, row = text.split(",")
    return int(col), int(row)


def draw(players: int, rng: random.Random) -> list[str]:
    """A deck in drawing order, arranged often so that passes happen.

    Either the white tiles come first and the black ones last, more or less; or the last seat gets black tiles of one
    symbol and the others white ones, of the other symbol first.
    """
    deck = tiles(players)
    rng.shuffle(deck)
    how = rng.choice(("shuffled", "shuffled", "sorted", "white late", "white late", "black hand"))
    if how == "white late":
        deck.sort(key=lambda tile: ("3", "2a", "2o", "1", "0", "4").index(tile[1:-1]) + rng.uniform(0, 2))
    elif how == "sorted":
        untidy = rng.choice((0.0, 1.0, 2.0))
        order = {tile: len(BLACK_EDGES[tile[1:-1]]) + rng.uniform(0, untidy) for tile in deck}
        deck.sort(key=lambda tile: order[tile])
    elif how == "black hand":
        deck.sort(key=lambda tile: (tile[1:-1] != "4", tile[-1] != "x"))
        hand, rest = deck[:4], deck[4:]
        rest.sort(key=lambda tile: (tile[1:-1] != "0", tile[-1] != "o"))
        before = rest[: 4 * players - 4]
        later = rest[4 * players - 4 :]
        rng.shuffle(later)
        deck = before + hand + later
    return deck
