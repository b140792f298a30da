"""Equivalent positions of Squendo: the table turned or mirrored, or with another tile as the first one."""

from collections.abc import Iterator

from fourcorners.builtin.squendo.options import HAND_SIZE, TILES, TILES_PER_COLOUR
from fourcorners.builtin.squendo.placements import ROTATED_EDGES, get_pattern
from fourcorners.builtin.squendo.position_setup import Stack, list_stacks
from fourcorners.core.arrays import State

_TURNS = 4


def list_equivalent_texts(s: State) -> Iterator[str]:
    """Yield a text for each image of the table; equivalent positions have the same texts.

    The names of the seats are left out: their colours, like their hands, are counted from the one to move.
    """
    players, seat = int(s.players), int(s.seat)

    def name(tile: int) -> str:
        """Return a tile's name, with its colour counted from the seat to move."""
        colour, kind = divmod(tile, TILES_PER_COLOUR)
        return f"{(colour - seat) % players if colour < players else colour}.{kind}"

    names = [name(tile) for tile in range(len(TILES))]

    def list_names(tiles: int) -> str:
        return ",".join(sorted(names[tile] for tile in range(tiles.bit_length()) if tiles >> tile & 1))

    seats = [(seat + i) % players for i in range(players)]
    hands = "|".join(list_names(int(s.hand[other])) for other in seats)
    slots = s.slot.tolist()
    known = "|".join(
        " ".join(sorted(list_names(slot) for slot in slots[HAND_SIZE * other : HAND_SIZE * (other + 1)]))
        for other in seats
    )
    pile = ",".join(name(tile - 1) for tile in s.pile.tolist()[: int(s.pile_size)])
    options = f"{players} {int(s.take_any)} {int(s.maximal)} {int(s.lines)}"
    head = f"{options} {hands} {known} {pile} {int(s.passed)}"
    stacks = [(stack, name(stack.top), name(stack.under) if stack.under >= 0 else "-") for stack in list_stacks(s)]
    return (f"{head} {_describe_image(stacks, turns, mirror=mirror)}" for turns in range(_TURNS) for mirror in (0, 1))


def _describe_image(stacks: list[tuple[Stack, str, str]], turns: int, *, mirror: int) -> str:
    """Return the table, mirrored if `mirror` is 1, after `turns` quarter turns clockwise, moved to the corner."""
    placed = []
    for stack, top, under in stacks:
        col, row = (-stack.col if mirror else stack.col), stack.row
        black = int(ROTATED_EDGES[get_pattern(stack.top) * 4 + stack.rotation])
        edges = [black >> side & 1 for side in range(4)]  # north, east, south, west
        if mirror:
            edges = [edges[0], edges[3], edges[2], edges[1]]
        for _ in range(turns):
            col, row = row, -col
            edges = [edges[3], *edges[:3]]
        placed.append((col, row, f"{top}{edges}{under}"))
    left, bottom = min((col for col, *_ in placed), default=0), min((row for _, row, _ in placed), default=0)
    return " ".join(f"{col - left},{row - bottom}={text}" for col, row, text in sorted(placed))
