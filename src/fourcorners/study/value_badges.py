"""The exact values of moves, drawn over a board at the places of the moves, as on the pages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from fourcorners.core.scene import Element
from fourcorners.study.geometry import Box, measure_element

_POINT = re.compile(r"([a-z]+)([0-9]+)")
_SHADES = 3
_TALLEST = 30.0
_SHARE = 0.46  # of the distance between neighbours
_LONG = 1.3
"""An element this many times as long as it is wide lies between others, which must stay visible."""
_FILLS = {
    "win-3": ("#0b4f8a", "#ffffff"),
    "win-2": ("#3f86bf", "#06121c"),
    "win-1": ("#b9dcf3", "#0b2a44"),
    "tie": ("#f3efe4", "#23303a"),
    "loss-1": ("#fbd9ae", "#4a2400"),
    "loss-2": ("#e08a2e", "#1f0f00"),
    "loss-3": ("#9c4a00", "#ffffff"),
}
"""The colours of a badge and of its text, as in `analysis.css`."""


class Worths(NamedTuple):
    """The values of moves for the seat to move; `counts` says what they measure: "margin", "rest" or "win"."""

    moves: Sequence[tuple[str, int]]
    counts: str = "margin"


def draw_badges(elements: Sequence[Element], worths: Worths, defs: str) -> Iterator[Element]:
    """Draw on each element the value of the best move that begins there; `defs` are the style's definitions."""
    best = _find_best(worths.moves)
    places: list[tuple[Element, Box, int]] = []
    for element in elements:
        value = _find_value(element, best)
        box = None if value is None else measure_element(element, defs)
        if value is not None and box is not None:
            places.append((element, box, value))
    spacing = _measure_spacing([box.centre for _, box, _ in places])
    top = max((value for _, value in worths.moves), default=0)
    sizes = [sorted({abs(value) for _, value in worths.moves if value * sign > 0}) for sign in (1, -1)]
    for element, box, value in places:
        is_best = value == top and not (worths.counts == "win" and value < 0)
        fill, ink = _FILLS[_name_shade(value, sizes[0 if value > 0 else 1])]
        across, down = box.right - box.left, box.bottom - box.top
        long, short = max(across, down), min(across, down)
        tall = min(_TALLEST, _SHARE * spacing, 0.3 * long if long > _LONG * short else _TALLEST)
        text = _write(value, worths.counts)
        size = 0.72 * tall
        wide = max(tall, 0.6 * len(text) * size + 0.55 * tall)
        x, y = box.centre
        # A dot stays visible below its badge.
        y -= 0.34 * spacing if element.gesture == "span" else 0
        rim = (
            f'stroke="#ffffff" stroke-width="{0.13 * tall:.3g}"' if is_best else 'stroke="#1c252c" stroke-opacity=".55"'
        )
        shape = (
            f'<rect x="{x - wide / 2:.4g}" y="{y - tall / 2:.4g}" width="{wide:.4g}" height="{tall:.4g}"'
            f' rx="{tall / 2:.4g}" fill="{fill}" {rim}/>'
        )
        label = (
            f'<text x="{x:.4g}" y="{y + 0.35 * size:.4g}" font-family="serif" font-weight="700" text-anchor="middle"'
            f' font-size="{size:.3g}" fill="{ink}">{text}</text>'
        )
        yield Element(f"value-{element.id}", shape + label, label=text)


def _find_best(moves: Sequence[tuple[str, int]]) -> Mapping[str, int]:
    """Return the value of the best move by its beginnings, and by each corner of a rectangle given by two points."""
    best: dict[str, int] = {}
    for move, value in moves:
        tokens = move.split(" ")
        keys = {" ".join(tokens[: length + 1]) for length in range(len(tokens))}
        points = [_POINT.fullmatch(token) for token in tokens]
        if len(points) == 2 and points[0] is not None and points[1] is not None:
            keys |= {f"#{col}{row}" for col in (points[0][1], points[1][1]) for row in (points[0][2], points[1][2])}
        for key in keys:
            best[key] = max(value, best.get(key, value))
    return best


def _find_value(element: Element, best: Mapping[str, int]) -> int | None:
    """Return the value of the best move that begins at an element; None if none does."""
    if not element.token or element.gesture == "drop":
        return None
    if element.gesture == "span":
        return best.get(f"#{element.token}", best.get(element.token))
    if element.gesture == "carry" and element.token not in best:
        values = [value for key, value in best.items() if " " not in key and key.startswith(element.token)]
        return max(values, default=None)
    return best.get(element.token)


def _name_shade(value: int, sizes: Sequence[int]) -> str:
    """Return the shade of a value: the larger the win or loss among the `sizes` that occur, the darker."""
    if value == 0:
        return "tie"
    rank = sizes.index(abs(value)) / (len(sizes) - 1) if len(sizes) > 1 else 0.5
    return f"{'win' if value > 0 else 'loss'}-{1 + round((_SHADES - 1) * rank)}"


def _write(value: int, counts: str) -> str:
    if counts == "win":
        return "W" if value > 0 else "L"
    return f"+{value}" if value > 0 else f"−{-value}" if value < 0 else "0"


def _measure_spacing(centres: Sequence[tuple[float, float]]) -> float:
    """Return the median distance to the nearest neighbour."""
    if len(centres) < 2:
        return 2 * _TALLEST
    nearest = [
        min(((x - u) ** 2 + (y - v) ** 2) ** 0.5 for u, v in centres if (u, v) != (x, y)) for x, y in set(centres)
    ]
    return float(median(nearest))
