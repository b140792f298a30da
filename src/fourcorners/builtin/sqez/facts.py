"""Facts about moves of Sqez: the remaining rectangles and independent regions, and the end of the game."""

import functools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fourcorners.builtin.sqez import hints
from fourcorners.builtin.sqez.geometry import list_outline_edges
from fourcorners.builtin.sqez.rules import count_active_seats, is_legal_rectangle, unpack
from fourcorners.core import compiled_api
from fourcorners.core.arrays import State
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.players.hint_claims import Claim, Hint, Quantities

_MOST_RECTANGLES = 60
"""With more legal rectangles, the number of regions tells a player nothing useful."""

Edge = tuple[int, int, int, int]
Dot = tuple[int, int]


class _Region(NamedTuple):
    """One or more rectangles (`size`), the edges and dots of their outlines, and the free dots inside them."""

    edges: frozenset[Edge]
    outline: frozenset[Dot]
    inside: frozenset[Dot]
    size: int = 1

    def affects(self, other: "_Region") -> bool:
        """Return whether drawing a rectangle of one may make one of the other illegal, now or later."""
        takes_dots = self.outline & other.inside or other.outline & self.inside
        return bool(self.edges & other.edges or takes_dots)

    def join(self, other: "_Region") -> "_Region":
        """Return the region of the rectangles of both."""
        dots = self.outline | other.outline, self.inside | other.inside
        return _Region(self.edges | other.edges, *dots, self.size + other.size)


def count_regions(s: State, most: int = _MOST_RECTANGLES) -> int:
    """Count the groups of legal rectangles that cannot affect each other; 0 if more than `most` are legal."""
    return len(_find_regions(s.tobytes(), s.dtype, most))


def count_moves_left(s: State, most: int = _MOST_RECTANGLES) -> int:
    """Count the moves to the end if no legal rectangle affects another, so that all will be drawn; otherwise 0.

    Return 0, too, if more than `most` are legal.
    """
    regions = _find_regions(s.tobytes(), s.dtype, most)
    return len(regions) if all(size == 1 for size in regions) else 0


QUANTITIES: Quantities = {"independent regions": count_regions, "moves left": count_moves_left}
THEMES: Mapping[str, str] = {
    "last-rectangle": "Before you draw, check whether the next player could then draw the last rectangle.",
    "parity": "When no rectangle gets in the way of another, count them: an even number left is yours to win.",
    "independent-regions": "Split the field into regions that do not touch, and count each on its own.",
}
"""The advice for each theme."""


def list_facts(view: View, action: int) -> list[Hint]:
    """List the effects of a legal action of the seat to move, or of a forfeit; decisive ones come first."""
    reason = hints.hint(view, action)._replace(theme="last-rectangle")
    if not is_legal_rectangle(view.record, *unpack(action)):
        return [reason]
    states = np.array(view.states)
    compiled_api.play(states, 0, action)
    s = view_record(states)
    if s.over:
        return [reason]
    facts, left, regions = [reason], count_moves_left(s), count_regions(s)
    if left:
        parity = "odd" if left % 2 else "even"
        moves = "1 move" if left == 1 else f"{left} moves"
        claim = Claim(left, (action,), quantity="moves left")
        text = f"leaves exactly {moves}, an {parity} number, because no rectangle gets in the way of another"
        if int(count_active_seats(s)) == 2:
            text += f": {'the opponent draws' if left % 2 else 'you draw'} the last one"
        facts.insert(0, Hint(text, (claim,), "parity", is_merit=left % 2 == 0))
    elif regions:
        claim = Claim(regions, (action,), quantity="independent regions")
        count = "1 region" if regions == 1 else f"{regions} independent regions"
        facts.append(Hint(f"leaves {count}", (claim,), "independent-regions", is_vague=True))
    return facts


@functools.lru_cache(maxsize=64)
def _find_regions(data: bytes, dtype: "np.dtype[np.void]", most: int) -> tuple[int, ...]:
    """Return the numbers of rectangles in each region of a record, given as bytes; none if the game is over, more than
    `most` are legal, or sides may be shared, since then a rectangle may become legal later.
    """
    states = np.frombuffer(bytearray(data), dtype)
    s = view_record(states)
    if s.over or s.shared:
        return ()
    actions = compiled_api.list_legal(states, 0).tolist()
    if len(actions) > most:
        return ()
    regions: list[_Region] = []
    for action in actions:
        rectangle = _describe_rectangle(s, action)
        touched = [region for region in regions if region.affects(rectangle)]
        regions = [region for region in regions if region not in touched]
        regions.append(functools.reduce(_Region.join, touched, rectangle))
    return tuple(region.size for region in regions)


def _describe_rectangle(s: State, action: int) -> _Region:
    """Return the region of one legal rectangle."""
    x1, y1, x2, y2 = unpack(action)
    edges = frozenset(list_outline_edges(x1, y1, x2, y2))
    outline = frozenset((x, y) for edge in edges for x, y in (edge[:2], edge[2:]))
    free = s.free.tolist()
    inside = frozenset((x, y) for y in range(y1 + 1, y2) for x in range(x1 + 1, x2) if s.any_dot or free[y] >> x & 1)
    # A dot that need not be free cannot be lost.
    return _Region(edges, outline, frozenset() if s.any_dot else inside)
