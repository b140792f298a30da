"""Positions of Squarin' Off that are equivalent: the board turned or mirrored, the colours exchanged."""

from fourcorners.core.dispatch import State
from fourcorners.core.symmetry import join_grid, list_images
from fourcorners.games.squarin_off.notation import get_box
from fourcorners.games.squarin_off.rules import BLOCKED, SIDES, get_edge, is_free

_ALL_SIDES = 4


def list_equivalent_texts(s: State) -> list[str]:
    """Return a text for each image of the board; equivalent positions have the same texts.

    Left out are the points and owners, which change nothing, and the seats: blockers are counted from the one to move.
    """
    players, turn = int(s.players), int(s.turn)
    blockers = [int(s.blockers[(turn + i) % players]) for i in range(players)]
    head = f"{players} {int(s.party_mask)} {int(s.classic)} {','.join(map(str, blockers))}"
    return [f"{head} {join_grid(image)}" for image in list_images(_draw_grid(s))]


def _draw_grid(s: State) -> list[list[str]]:
    """Return the board as signs, dots and edges and boxes, from the bottom row up."""
    cols, rows = int(s.cols), int(s.rows)
    grid = [["+"] * (2 * cols + 1) for _ in range(2 * rows + 1)]
    for row in range(rows):
        for col in range(cols):
            box = get_box(s, col, row)
            x, y = 2 * col + 1, 2 * row + 1
            # The sides are bottom, right, top and left.
            for side, (dx, dy) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
                grid[y + dy][x + dx] = "." if is_free(s, get_edge(s, box, side)) else "x"
            byte = int(s.box[box])
            is_closed = byte & SIDES == _ALL_SIDES
            grid[y][x] = "#" if byte & BLOCKED else "=" if is_closed else str(int(s.value[box]))
    return grid
