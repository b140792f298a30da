"""Sqez in words: why a rectangle is refused, why the game has ended, how dots are called."""

from __future__ import annotations

from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, Reason
from fourcorners.games.sqez.geometry import ring
from fourcorners.games.sqez.notation import dot, parse, parse_dot
from fourcorners.games.sqez.rules import fits, seats_left, unpack

_TOO_THIN = Reason(
    "no-inside", "no dot lies strictly inside: a rectangle is at least two steps wide and two steps high"
)


def refuse(s: State, action: int) -> Reason:
    """Say why a rectangle is not legal."""
    x1, y1, x2, y2 = unpack(int(action))
    across, sides = s.across.tolist(), s.sides.tolist()
    edges = ring(x1, y1, x2, y2)
    drawn = [bool(across[a_y] >> a_x & 1 if a_y == b_y else sides[a_x] >> a_y & 1) for a_x, a_y, b_x, b_y in edges]
    if x2 - x1 == 1 or y2 - y1 == 1:
        return _TOO_THIN
    if any(drawn) and not s.shared:
        a_x, a_y, b_x, b_y = edges[drawn.index(True)]
        more = sum(drawn) - 1
        also = "" if not more else f", and so {'is 1' if more == 1 else f'are {more}'} more of its edges"
        return Reason("side-drawn", f"the line from {dot(a_x, a_y)} to {dot(b_x, b_y)} is drawn already{also}")
    if all(drawn):
        return Reason("nothing-new", "all its sides are drawn already: at least one new line is needed")
    pieces = sum(now and not before for before, now in zip([drawn[-1], *drawn], drawn, strict=False))
    if pieces > 1:
        return Reason(
            "not-connected",
            f"its undrawn sides are in {pieces} separate pieces: what is newly drawn must be one unbroken line",
        )
    return _no_free_dot(s, x1, y1, x2, y2)


def _no_free_dot(s: State, x1: int, y1: int, x2: int, y2: int) -> Reason:
    inside = [(x, y) for y in range(y1 + 1, y2) for x in range(x1 + 1, x2)]
    if len(inside) == 1:
        return Reason("no-free-dot", f"dot {dot(*inside[0])} is not free: {_touches(s, *inside[0])}")
    if len(inside) == 2:
        names = " and ".join(dot(x, y) for x, y in inside)
        return Reason("no-free-dot", f"no dot inside is free: {names} are both on lines")
    return Reason("no-free-dot", f"none of the {len(inside)} dots inside is free: each is on a line")


def _touches(s: State, x: int, y: int) -> str:
    """Say how lines touch a dot."""
    row, column = int(s.across[y]), int(s.sides[x])
    left, right, down, above = row << 1 >> x & 1, row >> x & 1, column << 1 >> y & 1, column >> y & 1
    if left and right and down and above:
        return "two lines pass through it"
    return "a line passes through it" if (left and right) or (down and above) else "a line turns there"


def point(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Say why no legal rectangle begins with a dot, or is drawn between two in either order."""
    try:
        dots = [parse_dot(s, token) for token in tokens]
    except NotationError:
        return None
    if len(dots) == 1:
        return _no_corner(s, *dots[0])
    # In a strict game it is the player's task to see what is legal.
    if len(dots) == 2 and not s.strict:
        (x1, y1), (x2, y2) = sorted(dots)
        if x1 == x2 or y1 == y2:
            return Reason("no-inside", f"{dot(x1, y1)} and {dot(x2, y2)} are on one line: they span no rectangle")
        action = parse(s, f"{dot(x1, min(y1, y2))} {dot(x2, max(y1, y2))}")
        return None if fits(s, *unpack(action)) else refuse(s, action)
    return None


def _no_corner(s: State, x: int, y: int) -> Reason | None:
    """Say why a dot is not the lower-left corner of a legal rectangle; None if it is."""
    cols, rows = int(s.cols), int(s.rows)
    if x > cols - 3 or y > rows - 3:
        return Reason("no-corner", f"{dot(x, y)} is too near the edge to be the lower-left corner of a rectangle")
    if s.strict:
        return None
    if not s.shared:
        row, column = int(s.across[y]), int(s.sides[x])
        first = [(x + i, y, x + i + 1, y) for i in (0, 1) if row >> (x + i) & 1]
        first += [(x, y + i, x, y + i + 1) for i in (0, 1) if column >> (y + i) & 1]
        for a_x, a_y, b_x, b_y in first:
            line = f"the line from {dot(a_x, a_y)} to {dot(b_x, b_y)} is drawn already"
            return Reason("side-drawn", f"no rectangle can begin at {dot(x, y)}: {line}")
    if any(fits(s, x, y, x2, y2) for x2 in range(x + 2, cols) for y2 in range(y + 2, rows)):
        return None
    return Reason("no-corner", f"no legal rectangle has its lower-left corner at {dot(x, y)}")


def ending(s: State) -> str:
    """Say why the game is over."""
    if seats_left(s) == 1:
        return "all others have forfeited"
    return "no rectangle is left to draw"


def label(token: str) -> str:
    """Name a dot."""
    return f"dot {token}"
