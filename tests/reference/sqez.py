"""Sqez played slowly: a reference implementation, written from the rules alone, to compare the package with."""

import random
from collections import Counter
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any

Dot = tuple[int, int]
Edge = frozenset[Dot]
Corners = tuple[Dot, Dot]

# What `used` counts: rules, rulings and options that a game can exercise, by their numbers on the rules page.
KEYS = (
    "1 rectangle touches a drawn line",
    "1 rectangle crosses a drawn line",
    "1 refused: a line is drawn already",
    "2 refused: no free dot inside",
    "2 just one free dot inside",
    "2 free dot inside beside one that is not",
    "3 last rectangle wins",
    "3 free dots remain at the end",
    "R20 shared: drawn edges serve",
    "R20 shared: new line turns a corner",
    "R20 shared: one new edge",
    "R20 shared: the whole outline",
    "R20 shared: refused, the new line is broken",
    "R20 shared: refused, nothing new to draw",
    "R20 any: no free dot inside",
    "R20 shared and any together",
    "R21 forfeit: a line is drawn already",
    "R21 forfeit: no free dot inside",
    "R21 forfeit: no dot inside",
    "R21 forfeit: the new line is broken",
    "R21 forfeit: nothing new to draw",
    "R21 forfeit before the first rectangle",
    "R21 seat that is out is skipped",
    "R21 last seat left wins",
    "R21 last rectangle wins after a forfeit",
    "2 seats",
    "3 seats",
    "4 seats",
    "5 seats",
    "6 seats",
    "7 seats",
    "8 seats",
    *(f"R21 forfeit, {players} seats" for players in range(2, 9)),
)


def format_corners(corners: Corners) -> str:
    """Format two corners as a move, such as `a1 c3`; the inverse of `parse_corners`."""
    return " ".join("abcdefghijklmnopqrst"[x] + str(y + 1) for x, y in corners)


def parse_corners(text: str) -> Corners:
    first, second = (("abcdefghijklmnopqrst".index(dot[0]), int(dot[1:]) - 1) for dot in text.split(" "))
    return first, second


@cache
def list_outline(corners: Corners) -> tuple[Edge, ...]:
    """Return the unit edges of a rectangle, counter-clockwise from its lower-left dot.
    `corners` are its lower-left and its upper-right dot, here and in the other functions.
    """
    (left, low), (right, high) = corners
    dots = [(x, low) for x in range(left, right)]
    dots += [(right, y) for y in range(low, high)]
    dots += [(x, high) for x in range(right, left, -1)]
    dots += [(left, y) for y in range(high, low, -1)]
    return tuple(frozenset(two) for two in pairwise([*dots, dots[0]]))


@cache
def list_inside(corners: Corners) -> frozenset[Dot]:
    """Return the dots strictly inside a rectangle."""
    (left, low), (right, high) = corners
    return frozenset(product(range(left + 1, right), range(low + 1, high)))


@cache
def list_rectangles(cols: int, rows: int) -> tuple[Corners, ...]:
    """Return all rectangles of a field of this many columns and rows of dots, legal or not."""
    wide, high = combinations(range(cols), 2), list(combinations(range(rows), 2))
    return tuple(((left, low), (right, top)) for (left, right), (low, top) in product(wide, high))


class Reference:
    """A game of Sqez; see `tests.reference.Game`, also for `used`.

    `drawn` and `touched` are the drawn edges and their dots, `out` the seats that have forfeited.
    """

    def __init__(
        self,
        deck: None = None,
        *,
        cols: int = 8,
        rows: int = 8,
        players: int = 2,
        sides: str | None = None,
        enclose: str | None = None,
        strict: bool = False,
    ) -> None:
        """Start a game on an empty field; the parameters are the options of the rules page, None for their defaults.
        `deck` is not used: all references take one, and Sqez has none.
        """
        self.cols, self.rows = cols, rows
        self.players = players
        self.shared = sides == "shared"
        self.any_dot = enclose == "any"
        self.strict = strict
        self.drawn: set[Edge] = set()
        self.touched: set[Dot] = set()
        self.turn = 0
        self.out: set[int] = set()
        self.last_drawer: int | None = None
        self.reasons: dict[Corners, str | None] | None = None
        self.used: Counter[str] = Counter({f"{players} seats": 1})

    def find_reason(self, corners: Corners) -> str | None:
        """Return the reason why a rectangle of the field is illegal, worded as in KEYS, or None if it is legal.
        If several apply, return the first in the order below.
        """
        new = [edge not in self.drawn for edge in list_outline(corners)]
        if self.shared:
            # R20: the edges newly drawn form one unbroken line around the rectangle.
            pieces = sum(is_new and not new[i - 1] for i, is_new in enumerate(new))
            if not any(new):
                return "nothing new to draw"
            if pieces > 1:
                return "the new line is broken"
        elif not all(new):
            return "a line is drawn already"
        # Rule 2: strictly inside there is a free dot, or with `enclose=any` just a dot.
        if not list_inside(corners):
            return "no dot inside"
        if not self.any_dot and list_inside(corners) <= self.touched:
            return "no free dot inside"
        return None

    def find_reasons(self) -> dict[Corners, str | None]:
        """Return `find_reason` by rectangle, for the whole field; keep it in `reasons` until a rectangle is drawn."""
        if self.reasons is None:
            self.reasons = {corners: self.find_reason(corners) for corners in list_rectangles(self.cols, self.rows)}
        return self.reasons

    def list_legal(self) -> list[Corners]:
        """Return the rectangles that break no rule; the list does not depend on whether the game is over."""
        return [corners for corners, reason in self.find_reasons().items() if reason is None]

    @property
    def winner(self) -> int | None:
        """Return who has won by rule 3 or R21, None while the game goes on.

        The seat that drew the last rectangle cannot have forfeited since: that rectangle ended the game at once.
        """
        if len(self.out) == self.players - 1:
            return next(seat for seat in range(self.players) if seat not in self.out)
        return self.last_drawer if not self.list_legal() else None

    @property
    def is_over(self) -> bool:
        return self.winner is not None

    @property
    def seat(self) -> int | None:
        return None if self.is_over else self.turn

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(int(seat == self.winner) for seat in range(self.players))

    def moves(self) -> list[str]:
        return [] if self.is_over else sorted(format_corners(corners) for corners in self.list_legal())

    def play(self, move: str) -> None:
        """Draw a rectangle, or let the seat forfeit if it is illegal; pass the turn unless the game is over; count in
        `used` what happened. Only a strict game may be given an illegal rectangle, and a finished one none at all:
        neither is checked.
        """
        corners = parse_corners(move)
        reason = self.find_reason(corners)
        if reason is None:
            self.count_used_move_rules(corners)
            self.drawn.update(list_outline(corners))
            self.touched = {dot for edge in self.drawn for dot in edge}
            self.last_drawer = self.turn
            self.reasons = None
        else:
            # R21: in a strict game an illegal rectangle draws nothing and puts its seat out.
            self.out.add(self.turn)
            self.used[f"R21 forfeit: {reason}"] += 1
            self.used[f"R21 forfeit, {self.players} seats"] += 1
            self.used["R21 forfeit before the first rectangle"] += self.last_drawer is None
        if not self.is_over:
            order = [(self.turn + step) % self.players for step in range(1, self.players)]
            self.turn = next(seat for seat in order if seat not in self.out)
            self.used["R21 seat that is out is skipped"] += self.turn != order[0]
        else:
            self.count_used_ending_rules()

    def count_used_move_rules(self, corners: Corners) -> None:
        """Add 1 in `used` to each rule that a legal rectangle exercises; to be called before it is drawn."""
        edges = list_outline(corners)
        dots = set().union(*edges)
        new = [edge for edge in edges if edge not in self.drawn]
        new_dots = set().union(*new)
        free = list_inside(corners) - self.touched
        reasons = set(self.find_reasons().values())
        (left, low), (right, high) = corners
        four_corners = {(left, low), (right, low), (right, high), (left, high)}
        conditions = {
            "1 rectangle touches a drawn line": not self.shared and dots & self.touched,
            "1 rectangle crosses a drawn line": not self.shared
            and any(self.has_line_through(dot) for dot in dots - four_corners),
            "1 refused: a line is drawn already": "a line is drawn already" in reasons,
            "2 refused: no free dot inside": "no free dot inside" in reasons,
            "2 just one free dot inside": not self.any_dot and len(free) == 1,
            "2 free dot inside beside one that is not": not self.any_dot and free and list_inside(corners) - free,
            "R20 shared: drawn edges serve": len(new) < len(edges),
            "R20 shared: new line turns a corner": len(new) < len(edges)
            and len({x for x, _ in new_dots}) > 1
            and len({y for _, y in new_dots}) > 1,
            "R20 shared: one new edge": len(new) == 1,
            "R20 shared: the whole outline": self.shared and len(new) == len(edges),
            "R20 shared: refused, the new line is broken": "the new line is broken" in reasons,
            "R20 shared: refused, nothing new to draw": "nothing new to draw" in reasons,
            "R20 any: no free dot inside": not free,
            "R20 shared and any together": self.shared and self.any_dot and len(new) < len(edges) and not free,
        }
        self.used.update(key for key, is_met in conditions.items() if is_met)

    def has_line_through(self, dot: Dot) -> bool:
        """Return whether a drawn line passes straight through a dot, across or upwards.
        A new outline crosses that line if the dot belongs to it but is not a corner, and no side is shared.
        """
        x, y = dot
        vertical = {frozenset({dot, (x, y - 1)}), frozenset({dot, (x, y + 1)})}
        horizontal = {frozenset({dot, (x - 1, y)}), frozenset({dot, (x + 1, y)})}
        return vertical <= self.drawn or horizontal <= self.drawn

    def count_used_ending_rules(self) -> None:
        """Add 1 in `used` to each rule that the end of the game exercises; the game must be over."""
        untouched = set(product(range(1, self.cols - 1), range(1, self.rows - 1))) - self.touched
        is_last_seat = len(self.out) == self.players - 1
        conditions = {
            "3 last rectangle wins": not is_last_seat,
            "3 free dots remain at the end": not is_last_seat and untouched,
            "R21 last seat left wins": is_last_seat,
            "R21 last rectangle wins after a forfeit": not is_last_seat and self.out,
        }
        self.used.update(key for key, is_met in conditions.items() if is_met)


def choose_rare_move(reference: Reference, rng: random.Random) -> str:
    """Return the text of a legal rectangle, in strict games sometimes an illegal one, mostly one of a rare kind.
    The game must not be over.
    """
    if reference.strict and rng.random() < 0.25:
        illegal: dict[str, list[Corners]] = {}
        for corners, reason in reference.find_reasons().items():
            if reason is not None:
                illegal.setdefault(reason, []).append(corners)
        if illegal:
            return format_corners(rng.choice(illegal[rng.choice(sorted(illegal))]))
    legal = reference.list_legal()
    # "shared": it has drawn edges; "one edge": the fewest new edges; "not free": no free dot inside; "small": one at
    # most; "wasteful": of some rectangles, the one that touches the most new dots; "any": no preference.
    preference = rng.choice(("shared", "one edge", "not free", "small", "wasteful", "any", "any"))
    preferred: list[Corners] = []
    if preference == "shared":
        preferred = [corners for corners in legal if not reference.drawn.isdisjoint(list_outline(corners))]
    elif preference == "one edge":
        fewest = min(len(set(list_outline(corners)) - reference.drawn) for corners in legal)
        preferred = [corners for corners in legal if len(set(list_outline(corners)) - reference.drawn) == fewest]
    elif preference == "not free":
        preferred = [corners for corners in legal if list_inside(corners) <= reference.touched]
    elif preference == "small":
        preferred = [corners for corners in legal if len(list_inside(corners) - reference.touched) <= 1]
    elif preference == "wasteful":
        some = rng.sample(legal, min(10, len(legal)))
        preferred = [max(some, key=lambda corners: len(set().union(*list_outline(corners)) - reference.touched))]
    return format_corners(rng.choice(preferred or legal))


def draw_options(rng: random.Random) -> dict[str, Any]:
    """Draw random valid options for `Reference` and package: most fields are small, some standard, some long."""
    chosen: dict[str, Any] = {"players": rng.choice((2, 2, 3, 4, 5, 6, 7, 8))}
    size = rng.random()
    if size < 0.08:
        chosen |= {"cols": 8, "rows": 8}
    elif size < 0.12:
        cols, rows = rng.choice(((20, 3), (3, 20), (4, 13), (10, 9)))
        chosen |= {"cols": cols, "rows": rows}
    else:
        chosen |= {"cols": rng.choice((3, 4, 5, 6, 7)), "rows": rng.choice((4, 5, 6, 7, 7))}
    if rng.random() < 0.4:
        chosen["sides"] = "shared"
    if rng.random() < 0.4:
        chosen["enclose"] = "any"
    if rng.random() < 0.7:
        chosen["strict"] = rng.random() < 0.8
    return chosen
