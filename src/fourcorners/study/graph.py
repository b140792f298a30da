"""The graph of a review as SVG: the expected margin, or the chance of winning, before each ply.

Proven values are a solid line, estimates a broken line inside their probable range. The line begins with the first
value that is proven or has a narrow range. A shape marks each error and links to its ply. Colours are CSS variables of
the surrounding page.
"""

from itertools import dropwhile, pairwise
from typing import NamedTuple

from fourcorners.core.scene import escape
from fourcorners.study.evaluation import compute_final_margins, compute_share, find_party
from fourcorners.study.labels import ERRORS, Label
from fourcorners.study.move_review import MoveReview
from fourcorners.study.review import Review
from fourcorners.study.wording import YOU, format_evaluation, has_points, list_names, name_move

_WIDTH, _HEIGHT = 720.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 14.0, 30.0
_SCALE = 46.0  # where the scale stands: left of the first value, whose mark would hide its numbers
_NARROW = 0.5  # the widest informative range, as a share of the scale
_SHAPES = {
    Label.INACCURACY: '<circle r="5"/>',
    Label.MISTAKE: '<path d="M0-7 7 0 0 7-7 0z"/>',
    Label.BLUNDER: '<path d="M-6-6h12v12h-12z"/>',
}


class _Point(NamedTuple):
    """A value before a ply (or at the end), its range, and whether it is proven."""

    ply: int
    value: float
    low: float
    high: float
    exact: bool


def describe_graph(review: Review) -> str:
    """Say what the graph shows: values for the first party if there are two parties, else for each player."""
    what = "Expected margin" if has_points(review) else "Chance of winning"
    parties = review.record.game.options.parties
    if len(parties) != 2:
        return f"{what} for each player"
    first = parties[0]
    who = "the first player" if len(first) == 1 else "the first team"
    return f"{what} for {_name_party(review, first)}, {who}"


def link_ply(ply: int, *, has_stepper: bool) -> str:
    """Return the link to a ply, counted from 0: on a page that can show any ply, or in its list of errors."""
    return f"?ply={ply + 1}#shown" if has_stepper else f"#ply-{ply + 1}"


def draw_graph(review: Review, shown_ply: int | None = None) -> str:
    """Draw the graph: from the first party's side if there are two, else a line for each seat through its own plies.

    A vertical line marks the shown ply, if any.
    """
    game = review.record.game
    names = list_names(review)
    is_pair = len(game.options.parties) == 2
    seats = [0] if is_pair else range(game.seats)
    lines = [_drop_vague_beginning(review, _list_points(review, seat)) for seat in seats]
    limit = _find_limit(review, lines)
    curves = "".join(_draw_line(review, points, limit) for points in lines)
    names_at_ends = zip(lines, () if is_pair else names, strict=False)
    ends = "".join(_draw_name(review, points[-1], name, limit) for points, name in names_at_ends if points)
    errors = {move.ply: move for move in review.moves if move.label in ERRORS}
    marks = [
        _draw_mark(review, errors[point.ply], point, limit, link_ply(point.ply, has_stepper=shown_ply is not None))
        for seat, points in enumerate(lines)
        for point in points
        if point.ply in errors and (is_pair or errors[point.ply].seat == seat)
    ]
    cursor = "" if shown_ply is None else _draw_cursor(review, shown_ply, limit)
    return (
        f'<svg class="graph" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="group" data-plies="{len(review.moves)}" '
        f'data-left="{_LEFT:g}" data-right="{_WIDTH - _RIGHT:g}" aria-label="{escape(describe_graph(review))}, before '
        f'each move; the table below has the same numbers">{_draw_axes(review, limit)}{curves}'
        f"{_draw_sides(review)}{ends}{cursor}{''.join(marks)}</svg>"
    )


def _list_points(review: Review, seat: int) -> list[_Point]:
    """List the values for a seat: of all plies if there are two parties, else of its plies, and of the end."""
    game = review.record.game
    is_pair, by_margin = len(game.options.parties) == 2, has_points(review)
    points = []
    for move in review.moves:
        mine = move.seat in find_party(game, seat)
        if move.evaluation is None or not (mine or is_pair):
            continue
        evaluation = move.evaluation if mine else move.evaluation.negate()
        interval = evaluation.margin if by_margin else evaluation.win
        points.append(_Point(move.ply, *interval, exact=evaluation.exact or (not by_margin and evaluation.decided)))
    last = review.positions[-1]
    if last.is_over:
        margins = compute_final_margins(last)
        value = float(margins[seat]) if by_margin else compute_share(game, margins, seat)
        points.append(_Point(len(review.moves), value, value, value, exact=True))
    return points


def _drop_vague_beginning(review: Review, points: list[_Point]) -> list[_Point]:
    """Drop the points before the first one that is proven, marks an error or has a narrow range."""
    low, high = _find_limit(review, [points])
    errors = {move.ply for move in review.errors}
    return list(
        dropwhile(
            lambda point: (
                not point.exact and point.ply not in errors and point.high - point.low > _NARROW * (high - low)
            ),
            points,
        )
    )


def _find_limit(review: Review, lines: list[list[_Point]]) -> tuple[float, float]:
    """Return the lowest and the highest value of the graph."""
    if not has_points(review):
        return 0.0, 1.0
    most = max((abs(point.value) for points in lines for point in points), default=1.0)
    top = max(2.0, round(1.35 * most + 1))
    return -top, top


def _place(review: Review, ply: float, value: float, limit: tuple[float, float]) -> tuple[float, float]:
    """Return the coordinates of a value, clipped to the limits."""
    low, high = limit
    value = min(max(value, low), high)
    x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * ply / max(1, len(review.moves))
    return round(x, 1), round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low), 1)


def _draw_axes(review: Review, limit: tuple[float, float]) -> str:
    """Draw the lines and labels of the scales."""
    low, high = limit
    parts = []
    for value in (low, (low + high) / 2, high):
        _, y = _place(review, 0, value, limit)
        text = f"{value:+g}".replace("-", "−") if has_points(review) else f"{100 * value:g}%"
        parts.append(f'<path class="rule" d="M{_SCALE:g} {y:g}H{_WIDTH - _RIGHT:g}"/>')
        parts.append(f'<text x="{_SCALE - 6:g}" y="{y + 4:g}" text-anchor="end">{"0" if text == "+0" else text}</text>')
    count = len(review.moves)
    step = max(1, next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if count / step <= 9))
    for ply in range(step, count + 1, step):
        x, _ = _place(review, ply - 1, low, limit)
        parts.append(f'<text x="{x:g}" y="{_HEIGHT - 8:g}" text-anchor="middle">{ply}</text>')
    return "".join(parts)


def _draw_sides(review: Review) -> str:
    """Say above and below, if there are two parties, for whom it goes well there."""
    parties = review.record.game.options.parties
    if len(parties) != 2:
        return ""
    heights = (_TOP + 16, _HEIGHT - _BOTTOM - 8)
    texts = [f"better for {_name_party(review, party)}" for party in parties]
    return "".join(
        f'<text class="side" x="{_LEFT + 10:g}" y="{y:g}">{escape(text)}</text>'
        for y, text in zip(heights, texts, strict=True)
    )


def _name_party(review: Review, party: tuple[int, ...]) -> str:
    """Name the players of a party within a sentence."""
    names = list_names(review)
    return " and ".join("you" if names[seat] == YOU else names[seat] for seat in party)


def _draw_cursor(review: Review, ply: int, limit: tuple[float, float]) -> str:
    x, _ = _place(review, ply, limit[0], limit)
    return f'<path class="cursor" d="M{x:g} {_TOP:g}V{_HEIGHT - _BOTTOM:g}"/>'


def _draw_line(review: Review, points: list[_Point], limit: tuple[float, float]) -> str:
    """Draw one line, and the ranges of its estimates."""
    parts: list[str] = []
    for first, second in pairwise(points):
        kind = "exact" if first.exact and second.exact else "estimate"
        (x1, y1), (x2, y2) = (_place(review, point.ply, point.value, limit) for point in (first, second))
        if kind == "estimate":
            corners = [
                (first.ply, first.low),
                (first.ply, first.high),
                (second.ply, second.high),
                (second.ply, second.low),
            ]
            path = " ".join("{:g},{:g}".format(*_place(review, ply, value, limit)) for ply, value in corners)
            parts.insert(0, f'<polygon class="range" points="{path}"/>')
        parts.append(f'<path class="{kind}" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>')
    return "".join(parts)


def _draw_name(review: Review, point: _Point, name: str, limit: tuple[float, float]) -> str:
    x, y = _place(review, point.ply, point.value, limit)
    return f'<text class="name" x="{x - 4:g}" y="{y - 6:g}" text-anchor="end">{escape(name)}</text>'


def _draw_mark(review: Review, move: MoveReview, point: _Point, limit: tuple[float, float], address: str) -> str:
    """Draw the mark of an error, which links to its ply."""
    label = move.label or Label.INACCURACY
    x, y = _place(review, move.ply, point.value, limit)
    worth = format_evaluation(move.evaluation, has_points=has_points(review))
    text = escape(f"{name_move(move, list_names(review))}, {label.value}; before it {worth}")
    mark = f'<g class="fault" transform="translate({x:g} {y:g})"><title>{text}</title>{_SHAPES[label]}</g>'
    return f'<a href="{address}" data-ply="{move.ply + 1}" aria-label="{text}">{mark}</a>'
