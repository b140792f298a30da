"""Pictures of Sqez: dotted paper, and for every seat a pencil with its own colour and sign."""

from functools import lru_cache

from fourcorners.builtin.sqez.geometry import Edge, find_runs, list_outline_edges
from fourcorners.builtin.sqez.notation import LETTERS, format_dot, parse
from fourcorners.builtin.sqez.options import PENCILS
from fourcorners.builtin.sqez.rules import unpack
from fourcorners.builtin.sqez.style import STYLE
from fourcorners.core.contract import ViewLike
from fourcorners.core.scene import Element, Part, Scene, frame_decisive

__all__ = ["STYLE", "draw_scene", "draw_text", "list_facts"]

_UNIT = 60  # the distance between neighbouring dots
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 40, 40, 52  # the margins of the paper
_OVERSHOOT = 3  # the length by which a stroke overshoots its ends

Stroke = tuple[int, int, int, int]
"""Column and row of the dot where a straight line begins, and of the one where it ends."""


class _DrawnLines:
    """The drawn lines of a view, each counted for the first ply whose rectangle has it on its outline.

    `plies` are seat and corners (x1, y1, x2, y2) of every ply, `forfeits` the indices of those that drew nothing,
    `before` the lines on none of these outlines, from a position that was set up, and `shared` tells whether rectangles
    may share sides.
    """

    def __init__(self, view: ViewLike) -> None:
        """Collect the plies of a view; the lines of its record that are on no ply's outline become `before`."""
        record = view.record
        self.shared, out = bool(record.shared), int(record.out)
        self.plies = [(ply.seat, unpack(parse(record, ply.move))) for ply in view.plies]
        # A seat forfeits once, with its last move.
        last = {seat: index for index, (seat, _) in enumerate(self.plies) if out >> seat & 1}
        self.forfeits = frozenset(last.values())
        rest_across, rest_sides = record.across.tolist(), record.sides.tolist()
        for index, (_, (x1, y1, x2, y2)) in enumerate(self.plies):
            if index not in self.forfeits:
                for y in (y1, y2):
                    rest_across[y] &= ~((1 << x2) - (1 << x1))
                for x in (x1, x2):
                    rest_sides[x] &= ~((1 << y2) - (1 << y1))
        self.before: tuple[Stroke, ...] = (
            *((a, y, b, y) for y, word in enumerate(rest_across) for a, b in find_runs(word)),
            *((x, a, x, b) for x, word in enumerate(rest_sides) for a, b in find_runs(word)),
        )

    def list_strokes(self) -> list[tuple[Stroke, ...]]:
        """Return for every ply, in order, the strokes that it drew: none for a forfeit; with own sides else four."""
        if not self.shared:
            pairs = enumerate(corners for _, corners in self.plies)
            return [() if index in self.forfeits else _list_outline_strokes(*corners) for index, corners in pairs]
        known: set[Edge] = set()
        for x1, y1, x2, y2 in self.before:
            known.update((x, y1, x + 1, y1) for x in range(x1, x2))
            known.update((x1, y, x1, y + 1) for y in range(y1, y2))
        strokes: list[tuple[Stroke, ...]] = []
        for index, (_, corners) in enumerate(self.plies):
            edges = [] if index in self.forfeits else list_outline_edges(*corners)
            new = tuple(edge not in known for edge in edges)
            strokes.append(_list_new_strokes(*corners, new) if new else ())
            known.update(edges)
        return strokes


@lru_cache(maxsize=4096)
def _list_outline_strokes(x1: int, y1: int, x2: int, y2: int) -> tuple[Stroke, ...]:
    """Return the four sides of a rectangle, counter-clockwise from its lower-left dot (x1, y1); the top is third."""
    return (x1, y1, x2, y1), (x2, y1, x2, y2), (x2, y2, x1, y2), (x1, y2, x1, y1)


@lru_cache(maxsize=4096)
def _list_new_strokes(x1: int, y1: int, x2: int, y2: int, new: tuple[bool, ...]) -> tuple[Stroke, ...]:
    """Return the maximal straight pieces of new edges on a rectangle's outline, counter-clockwise.
    `new` says for each edge of the outline, in the order of `list_outline_edges`, whether the ply drew it.
    """
    strokes = []
    index = 0
    for ax, ay, bx, by in _list_outline_strokes(x1, y1, x2, y2):
        length = abs(bx - ax) + abs(by - ay)
        dx, dy = (bx - ax) // length, (by - ay) // length
        word = sum(is_new << step for step, is_new in enumerate(new[index : index + length]))
        strokes += [(ax + a * dx, ay + a * dy, ax + b * dx, ay + b * dy) for a, b in find_runs(word)]
        index += length
    return tuple(strokes)


def _compute_wobble(*numbers: int) -> int:
    """Return a number from -2 to 2 (pixels) that depends on the given numbers only, so that a picture never changes."""
    value = 0
    for number in numbers:  # multiplicative hashing modulo 2**32 with the factor from Knuth
        value = (value * 31 + number + 7) * 2654435761 % 4294967296
    return (value >> 16) % 5 - 2


@lru_cache(maxsize=8192)
def _draw_path(strokes: tuple[Stroke, ...], rows: int, second_pass: int) -> str:
    """Return SVG path data for one pass of a pencil over strokes, each a little bent and 3 pixels too long at its ends.

    `rows` is the number of rows of dots on the field, since y is drawn downwards. With `second_pass` 1 a stroke is one
    curve, with 0 two; a seat's lines are drawn with both passes, `before` with the first only.
    """
    parts = []
    for x1, y1, x2, y2 in strokes:
        a, b, c, d = (_compute_wobble(x1, y1, x2, y2, second_pass, k) for k in range(4))
        is_horizontal = y1 == y2
        length = _UNIT * ((x2 - x1) if is_horizontal else (y1 - y2))
        overshoot = _OVERSHOOT if length > 0 else -_OVERSHOOT
        length += 2 * overshoot
        # Pairs of coordinates, along the stroke and then across it: the absolute start, then offsets from where each
        # curve (q, t) begins. The offset of a bend is never 0, so that no stroke is perfectly straight.
        along, across = (_get_pixel_x(x1), _get_pixel_y(y1, rows))[:: 1 if is_horizontal else -1]
        if second_pass:
            pairs = [(along - overshoot, across), (length // 2, a or 1), (length, c // 2)]
        else:
            pairs = [(along - overshoot, across + b // 2), (length // 4, a or 1), (length // 2, c // 2)]
            pairs.append((length - length // 2, d // 2))
        points = (f"{p} {q}" if is_horizontal else f"{q} {p}" for p, q in pairs)
        parts.append(("M{}q{} {}" if second_pass else "M{}q{} {}t{}").format(*points))
    return "".join(parts).replace(" -", "-")  # a minus sign separates numbers by itself


def _get_pixel_x(x: int) -> int:
    """Return the x coordinate in the picture, in pixels, of the dots in column `x`, counted from 0."""
    return _LEFT + _UNIT * x


def _get_pixel_y(y: int, rows: int) -> int:
    """Return the y coordinate in the picture, in pixels from its top, of row `y` of `rows`; row 0 is at the bottom."""
    return _TOP + _UNIT * (rows - 1 - y)


@lru_cache(maxsize=4096)
def _draw_rectangle(strokes: tuple[Stroke, ...], rows: int, seat: int) -> str:
    """Return the markup of the strokes, at least one, of one ply; `rows` is the field's number of rows of dots.
    The seat's sign stands near the middle of the third one (of four, the top side) or, with fewer than four, the first.
    """
    x1, y1, x2, y2 = strokes[0] if len(strokes) < 4 else strokes[2]  # of five, one side has two
    # Not exactly in the middle, but halfway between two dots, so that the sign covers none.
    middle_x = _get_pixel_x(min(x1, x2)) + (_UNIT * ((abs(x2 - x1) - 1) // 2) + _UNIT // 2 if y1 == y2 else 0)
    middle_y = _get_pixel_y(max(y1, y2), rows) + (_UNIT * ((abs(y2 - y1) - 1) // 2) + _UNIT // 2 if x1 == x2 else 0)
    return (
        f'<path d="{_draw_path(strokes, rows, 0)}"/><path class="sq-b" d="{_draw_path(strokes, rows, 1)}"/>'
        f'<use href="#sq-sign{seat}" x="{middle_x}" y="{middle_y}"/>'
    )


@lru_cache(maxsize=16)
def _draw_field_base(cols: int, rows: int) -> tuple[Element, tuple[int, int], tuple[tuple[int, int, str], ...]]:
    """Return the fixed parts of a field of cols x rows dots: paper with coordinates, size in pixels, dots. The dots are
    (column, row, markup), counted from 0 at the lower left, the top row first.
    """
    width, height = _LEFT + _UNIT * (cols - 1) + _RIGHT, _TOP + _UNIT * (rows - 1) + _BOTTOM
    names = [f'<text x="{_get_pixel_x(x)}" y="{height - 15}">{LETTERS[x]}</text>' for x in range(cols)]
    names += [f'<text x="19" y="{_get_pixel_y(y, rows) + 5}">{y + 1}</text>' for y in range(rows)]
    sheet = f'width="{width}" height="{height}" rx="10"'
    margin = f'<path class="sq-margin" d="M34 0V{height}"/>'
    grid = "".join(f"M{_get_pixel_x(x)} 0V{height}" for x in range(cols))
    grid += "".join(f"M0 {_get_pixel_y(y, rows)}H{width}" for y in range(rows))
    # Only graph paper shows its grid.
    grid = f'<path class="sq-grid" d="{grid}"/>'
    markup = f'<rect class="sq-sheet" {sheet}/><rect class="sq-shade" {sheet}/>{grid}{margin}{"".join(names)}'
    dots = tuple(
        (x, y, f'<use href="#sq-d" x="{_get_pixel_x(x)}" y="{_get_pixel_y(y, rows)}"/>')
        for y in reversed(range(rows))
        for x in range(cols)
    )
    return Element("sq-paper", markup, "sq-paper fc-label"), (width, height), dots


@lru_cache(maxsize=1024)
def _draw_dot(x: int, y: int, markup: str, free: bool) -> Element:  # noqa: FBT001  # a key of the cache
    """Return the element of a dot, which players choose as a corner, in column x and row y from 0.
    `markup` is from `_draw_field_base`; `free` tells whether no line touches it. Cached: most dots stay equal.
    """
    name, state = format_dot(x, y), "free" if free else "on a line"
    return Element(f"sq-{name}", markup, "sq-d" if free else "sq-u", name, f"dot {name}, {state}", "span")


def draw_scene(view: ViewLike) -> Scene:
    """Draw the field as a scene of one part; its elements, from the lowest to the highest, are the paper, the highlight
    of the last ply (if any), the lines before (if any), the lines of every ply that drew some, and the dots.
    """
    record = view.record
    cols, rows = int(record.cols), int(record.rows)
    paper, size, dots = _draw_field_base(cols, rows)
    lines, elements = _DrawnLines(view), [paper]
    strokes = lines.list_strokes()
    if strokes:
        elements.append(_highlight_last_ply(lines, rows, over=view.is_over))
    if lines.before:
        elements.append(Element("sq-before", f'<path d="{_draw_path(lines.before, rows, 0)}"/>', "sq-r"))
    for index, ((seat, _), drawn) in enumerate(zip(lines.plies, strokes, strict=True)):
        if drawn:
            last = " last" if index == len(strokes) - 1 else ""
            elements.append(Element(f"sq-{index}r", _draw_rectangle(drawn, rows, seat), f"sq-r s{seat}{last}"))
    if strokes and view.is_over:
        elements.append(_frame_last_ply(lines, rows))
    free = record.free.tolist()
    elements += [_draw_dot(x, y, markup, bool(free[y] >> x & 1)) for x, y, markup in dots]
    return Scene(Part((0, 0, *size), tuple(elements), f"field of {cols} by {rows} dots"))


def _highlight_last_ply(lines: _DrawnLines, rows: int, *, over: bool) -> Element:
    """Return the element that shades the last ply's rectangle, or strikes a forfeit out; there must be a ply.
    `rows` are the field's rows of dots; if the game is `over`, the shade is that of a win.
    """
    index = len(lines.plies) - 1
    seat, (x1, y1, x2, y2) = lines.plies[index]
    x, y, width, height = _get_pixel_x(x1), _get_pixel_y(y2, rows), _UNIT * (x2 - x1), _UNIT * (y2 - y1)
    area = f'<rect x="{x}" y="{y}" width="{width}" height="{height}"/>'
    if index in lines.forfeits:
        cross = f'<path d="M{x} {y}l{width} {height}m0-{height}l-{width} {height}"/>'
        label = f"{PENCILS[seat]} forfeits: {format_dot(x1, y1)} {format_dot(x2, y2)} is not a legal rectangle"
        return Element(f"sq-{index}x", area + cross, f"sq-x s{seat} last", "", label)
    return Element(f"sq-{index}h", area, f"sq-h h{seat} won" if over else f"sq-h h{seat}")


def _frame_last_ply(lines: _DrawnLines, rows: int) -> Element:
    """Frame the rectangle of the last ply, which decided the game; `rows` are the field's rows of dots."""
    _, (x1, y1, x2, y2) = lines.plies[-1]
    box = (_get_pixel_x(x1) - 12, _get_pixel_y(y2, rows) - 12, _UNIT * (x2 - x1) + 24, _UNIT * (y2 - y1) + 24)
    return frame_decisive(
        "sq-decisive", "sq-won", box, f"{format_dot(x1, y1)} to {format_dot(x2, y2)} decided the game"
    )


_JOINTS = " ╴╷┐╶─┌┬╵┘│┤└┴├┼"
"""The character for the lines that meet at a dot: 1 for left, 2 for down, 4 for right and 8 for up, added."""


def draw_text(view: ViewLike) -> str:
    """Draw the field as text, the top row first, with coordinates: `•` is a free dot, box characters are lines."""
    record = view.record
    cols, rows = int(record.cols), int(record.rows)
    across, sides, free = record.across.tolist(), record.sides.tolist(), record.free.tolist()
    lines = []
    for y in reversed(range(rows)):
        row = [f"{y + 1:2} "]
        for x in range(cols):
            left, right = across[y] << 1 >> x & 1, across[y] >> x & 1
            down, up = sides[x] << 1 >> y & 1, sides[x] >> y & 1
            row.append("•" if free[y] >> x & 1 else _JOINTS[left + 2 * down + 4 * right + 8 * up])
            row.append("─" if right else " ")
        lines.append("".join(row).rstrip())
    return "\n".join([*lines, "   " + " ".join(LETTERS[:cols])])


def list_facts(view: ViewLike) -> tuple[tuple[int | None, str, str], ...]:
    """List facts to show beside the field, each as seat (None for the field itself), label and value.
    They are the rectangles that every seat has drawn in the view's plies, the forfeits, and the number of free dots.
    """
    lines, seats = _DrawnLines(view), range(view.game.seats)
    drawn = [seat for index, (seat, _) in enumerate(lines.plies) if index not in lines.forfeits]
    free = sum(word.bit_count() for word in view.record.free.tolist())
    return (
        *((seat, "rectangles", str(drawn.count(seat))) for seat in seats),
        *((seat, "out", "forfeited") for seat in seats if int(view.record.out) >> seat & 1),
        (None, "free dots", str(free)),
    )
