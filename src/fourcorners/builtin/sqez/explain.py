"""Sqez in words: reasons for illegal rectangles, played moves, the end of the game, and names of dots."""

from fourcorners.builtin.sqez.geometry import list_outline_edges
from fourcorners.builtin.sqez.notation import format_dot, parse, parse_dot
from fourcorners.builtin.sqez.rules import count_active_seats, is_legal_rectangle, unpack
from fourcorners.core.arrays import State
from fourcorners.core.contract import ViewLike
from fourcorners.core.errors import NotationError, Reason
from fourcorners.core.presentation import Explanation
from fourcorners.core.termination import Termination

ENDING_CLAUSES = {Termination.NO_MOVES: "no rectangle is left to draw"}


def explain_illegal_action(s: State, action: int) -> Reason:
    """Return the first reason why a rectangle on the field is illegal, which it must be.

    The codes are, in this order: no-inside, side-drawn (own sides), nothing-new, not-connected, no-free-dot.
    """
    x1, y1, x2, y2 = unpack(int(action))
    across, sides = s.across.tolist(), s.sides.tolist()
    edges = list_outline_edges(x1, y1, x2, y2)
    drawn = [bool(across[a_y] >> a_x & 1 if a_y == b_y else sides[a_x] >> a_y & 1) for a_x, a_y, b_x, b_y in edges]
    if x2 - x1 == 1 or y2 - y1 == 1:
        sentence = "no dot lies strictly inside: a rectangle is at least two steps wide and two steps high"
        return Reason("no-inside", sentence)
    if any(drawn) and not s.shared:
        a_x, a_y, b_x, b_y = edges[drawn.index(True)]
        more = sum(drawn) - 1
        also = "" if not more else f", and so {'is 1' if more == 1 else f'are {more}'} more of its edges"
        line = f"the line from {format_dot(a_x, a_y)} to {format_dot(b_x, b_y)}"
        return Reason("side-drawn", f"{line} is already drawn{also}")
    if all(drawn):
        return Reason("nothing-new", "all its sides are already drawn: a move adds at least one new line")
    # A drawn edge before an undrawn one, going round the outline, is where a piece of the new line begins.
    pieces = sum(now and not before for before, now in zip([drawn[-1], *drawn], drawn, strict=False))
    if pieces > 1:
        sentence = f"its undrawn sides form {pieces} separate pieces: the new line must be unbroken"
        return Reason("not-connected", sentence)
    return _explain_no_free_dot(s, x1, y1, x2, y2)


def _explain_no_free_dot(s: State, x1: int, y1: int, x2: int, y2: int) -> Reason:
    """Return the reason for a rectangle, at least two steps wide and high, of whose enclosed dots none is free."""
    inside = [(x, y) for y in range(y1 + 1, y2) for x in range(x1 + 1, x2)]
    if len(inside) == 1:
        return Reason("no-free-dot", f"dot {format_dot(*inside[0])} is not free: {_describe_lines(s, *inside[0])}")
    if len(inside) == 2:
        names = " and ".join(format_dot(*dot) for dot in inside)
        return Reason("no-free-dot", f"no dot inside is free: {names} are both on lines")
    return Reason("no-free-dot", f"none of the {len(inside)} dots inside is free: each is on a line")


def _describe_lines(s: State, x: int, y: int) -> str:
    """Return a clause that says how lines touch the dot in column x and row y, which must not be free."""
    row, column = int(s.across[y]), int(s.sides[x])
    left, right, down, up = row << 1 >> x & 1, row >> x & 1, column << 1 >> y & 1, column >> y & 1
    if left and right and down and up:
        return "two lines pass through it"
    return "a line passes through it" if (left and right) or (down and up) else "a line turns there"


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Return why no legal rectangle has one dot as its lower-left corner, or two, in any order, as opposite corners.

    Return None if there is such a rectangle, for other numbers of tokens, and if they are not dots of this field. In a
    strict game, where players must find out what is legal, only a single dot too near the edge has a reason.
    """
    try:
        dots = [parse_dot(s, token) for token in tokens]
    except NotationError:
        return None
    if len(dots) == 1:
        return _explain_corner(s, *dots[0])
    if len(dots) == 2 and not s.strict:
        (x1, y1), (x2, y2) = sorted(dots)
        if x1 == x2 or y1 == y2:
            names = f"{format_dot(x1, y1)} and {format_dot(x2, y2)}"
            return Reason("no-inside", f"{names} are on one line: they are not opposite corners of a rectangle")
        action = parse(s, f"{format_dot(x1, min(y1, y2))} {format_dot(x2, max(y1, y2))}")
        return None if is_legal_rectangle(s, *unpack(action)) else explain_illegal_action(s, action)
    return None


def _explain_corner(s: State, x: int, y: int) -> Reason | None:
    """Return why no legal rectangle has its lower-left corner at the dot in column x and row y; None if one has.

    In a strict game, explain only that a dot is too near the edge, since the players must find out the rest.
    """
    cols, rows = int(s.cols), int(s.rows)
    name = format_dot(x, y)
    if x > cols - 3 or y > rows - 3:
        return Reason("no-corner", f"{name} is too near the edge to be the lower-left corner of a rectangle")
    if s.strict:
        return None
    if not s.shared:
        # Every rectangle is at least two steps wide and high, so it needs these four edges.
        row, column = int(s.across[y]), int(s.sides[x])
        drawn = [(x + i, y, x + i + 1, y) for i in (0, 1) if row >> (x + i) & 1]
        drawn += [(x, y + i, x, y + i + 1) for i in (0, 1) if column >> (y + i) & 1]
        for a_x, a_y, b_x, b_y in drawn:
            line = f"the line from {format_dot(a_x, a_y)} to {format_dot(b_x, b_y)} is already drawn"
            return Reason("side-drawn", f"no rectangle can begin at {name}: {line}")
    if any(is_legal_rectangle(s, x, y, x2, y2) for x2 in range(x + 2, cols) for y2 in range(y + 2, rows)):
        return None
    return Reason("no-corner", f"no legal rectangle has its lower-left corner at {name}")


def classify_ending(s: State) -> Termination:
    """Return the ending of a finished game: FORFEIT if one seat is left, otherwise NO_MOVES."""
    return Termination.FORFEIT if count_active_seats(s) == 1 else Termination.NO_MOVES


def label(token: str) -> str:
    """Return the label of a dot's name, such as `b2`, for a button and a screen reader."""
    return f"dot {token}"


def describe_move(before: ViewLike, after: ViewLike) -> str:
    """Describe the last move: the rectangle, whether it was the last one, or the forfeit."""
    rectangle = after.history[-1].replace(" ", "–")
    if _is_forfeit(before, after):
        return f"drew {rectangle}, which is not a legal rectangle, and is out"
    return f"drew the last rectangle, {rectangle}" if after.is_over else f"drew the rectangle {rectangle}"


def list_explanations(before: ViewLike, after: ViewLike) -> list[Explanation]:
    """List explanations about what a rectangle needs, about lines that meet, and about a forfeit."""
    s = after.record
    if _is_forfeit(before, after):
        return [Explanation("forfeit", "In a strict game, a player who draws an illegal rectangle is out.")]
    inside = "a dot inside" if s.any_dot else "a free dot inside, one that no line touches"
    sides = "its new lines must be one unbroken stroke" if s.shared else "no part of its sides may be drawn already"
    explanations = [Explanation("rectangle", f"A rectangle needs {inside}, and {sides}.")]
    x1, y1, x2, y2 = unpack(parse(s, after.history[-1]))
    free = before.record.free.tolist()
    outline = [edge[:2] for edge in list_outline_edges(x1, y1, x2, y2)]
    if not s.shared and any(not free[y] >> x & 1 for x, y in outline):
        explanations.append(
            Explanation("crossing", "Lines may cross and touch, but no part of a line may be drawn twice.")
        )
    return explanations


def _is_forfeit(before: ViewLike, after: ViewLike) -> bool:
    """Return whether the last move drew an illegal rectangle, which puts its seat out."""
    return int(before.record.out) != int(after.record.out)
