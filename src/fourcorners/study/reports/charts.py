"""Charts of a report as SVG, in the colours of the surrounding page, which are CSS variables."""

from collections.abc import Sequence
from html import escape

from fourcorners.study.reports.statistics import Figure

_WIDTH, _HEIGHT = 640.0, 240.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 28.0, 14.0, 40.0
_ROW = 34.0


def draw_histogram(bins: Sequence[tuple[float, float, int]], label: str) -> str:
    """Draw the number of games in each bin (from, up to, count); `label` names the horizontal axis."""
    if not bins:
        return ""
    most = max(count for *_, count in bins)
    low, high = bins[0][0], bins[-1][1]
    parts = [_draw_rules([(count, f"{count:g}") for count in _choose_ticks(most)], most)]
    for start, end, count in bins:
        x, right = (_place(value, low, high) for value in (start, end))
        top = _raise(count, most)
        words = f"{start:g} to {end - 1:g}: {count}"
        parts.append(
            f'<rect class="bar" x="{x + 1.5:.1f}" y="{top:.1f}" width="{max(1.0, right - x - 3):.1f}" '
            f'height="{_HEIGHT - _BOTTOM - top:.1f}"><title>{words}</title></rect>'
        )
    every = max(1, -(-len(bins) // 9))
    for start, *_ in [*bins[::every], (high,)]:
        parts.append(_write(_place(start, low, high), f"{start:g}"))
    return _frame("".join(parts), f"Number of games by {label}", label)


def draw_curve(figures: Sequence[Figure], label: str, *, percent: bool = False) -> str:
    """Draw a value in each tenth of the games, with its interval; `label` names the value."""
    if len(figures) < 2:
        return ""
    most = 1.0 if percent else max(figure.high for figure in figures)
    ticks = [0, 0.5, 1] if percent else _choose_ticks(most)
    parts = [_draw_rules([(tick, f"{100 * tick:g}%" if percent else f"{tick:g}") for tick in ticks], most)]
    xs = [_place(index + 0.5, 0, len(figures)) for index in range(len(figures))]
    upper = [(x, _raise(min(figure.high, most), most)) for x, figure in zip(xs, figures, strict=True)]
    lower = [(x, _raise(max(figure.low, 0), most)) for x, figure in zip(xs, figures, strict=True)]
    middle = [(x, _raise(figure.value, most)) for x, figure in zip(xs, figures, strict=True)]
    parts.append(f'<polygon class="range" points="{_join([*upper, *reversed(lower)])}"/>')
    parts.append(f'<polyline class="curve" points="{_join(middle)}"/>')
    parts += [f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in middle]
    for index in range(0, len(figures) + 1, 2):
        parts.append(_write(_place(index, 0, len(figures)), f"{100 * index // len(figures)}%"))
    return _frame("".join(parts), f"{label}, by how much of the game is over", "of the game is over")


def draw_intervals(rows: Sequence[tuple[str, Figure]], label: str, low: float, high: float, middle: float) -> str:
    """Draw figures with their intervals below each other, and a line at `middle`; `label` names the values."""
    if not rows:
        return ""
    height = _ROW * len(rows) + 44
    left = 150.0

    def place(value: float) -> float:
        return left + (_WIDTH - left - 32) * (min(max(value, low), high) - low) / (high - low)

    parts = [f'<path class="rule" d="M{place(middle):.1f} 6V{height - 34:.1f}"/>']
    for number, (name, figure) in enumerate(rows):
        y = 22 + _ROW * number
        parts.append(f'<text class="name" x="{left - 12:.1f}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        parts.append(
            f'<path class="span" d="M{place(figure.low):.1f} {y:.1f}H{place(figure.high):.1f}'
            f'M{place(figure.low):.1f} {y - 5:.1f}v10M{place(figure.high):.1f} {y - 5:.1f}v10"/>'
        )
        parts.append(f'<circle class="dot" cx="{place(figure.value):.1f}" cy="{y:.1f}" r="5"/>')
    for value in (low, (low + middle) / 2, middle, (middle + high) / 2, high):
        text = f"{value:+g}".replace("-", "−") if high > 1 else f"{100 * value:g}%"
        shown = "0" if text == "+0" else text
        parts.append(f'<text x="{place(value):.1f}" y="{height - 18:.1f}" text-anchor="middle">{shown}</text>')
    parts.append(_name_axis(label, (left + _WIDTH - 32) / 2, height - 2))
    return _wrap("".join(parts), label, height)


def _choose_ticks(most: float) -> list[float]:
    """Choose three to six round numbers from 0 up to the largest value."""
    step = 1.0
    while most / step > 5:
        step *= 2 if str(step)[0] in "15" else 2.5
    return [index * step for index in range(int(most / step) + 1)]


def _draw_rules(ticks: Sequence[tuple[float, str]], most: float) -> str:
    """Draw the horizontal lines of a scale."""
    return "".join(
        f'<path class="rule" d="M{_LEFT:g} {_raise(value, most):.1f}H{_WIDTH - _RIGHT:g}"/>'
        f'<text x="{_LEFT - 7:g}" y="{_raise(value, most) + 4:.1f}" text-anchor="end">{text}</text>'
        for value, text in ticks
    )


def _place(value: float, low: float, high: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)


def _raise(value: float, most: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - value / (most or 1))


def _write(x: float, text: str) -> str:
    """Write a number below the horizontal axis."""
    return f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 17:g}" text-anchor="middle">{text}</text>'


def _join(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _frame(body: str, label: str, axis: str) -> str:
    """Add the name of the horizontal axis and the accessible label."""
    return _wrap(body + _name_axis(axis, (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 4), label, _HEIGHT)


def _name_axis(name: str, x: float, y: float) -> str:
    return f'<text class="axis" x="{x:g}" y="{y:g}" text-anchor="middle">{escape(name)}</text>'


def _wrap(body: str, label: str, height: float) -> str:
    label = escape(label)
    return f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-label="{label}">{body}</svg>'
