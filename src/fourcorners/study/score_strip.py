"""The strip below the frames of an animation: the parties with their current points."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fourcorners.core.game import View
from fourcorners.core.scene import Style, escape

_COLUMNS = 4
_SHARE = 24
"""The width of a picture, as a multiple of the font size."""
_SMALLEST, _LARGEST = 10.0, 22.0
_ROW = 2.1  # the height of a row, as a multiple of the font size
_LETTER = 0.56  # the approximate width of a letter, as a multiple of the font size


class ScoreStrip(NamedTuple):
    """The layout of a strip: width, names of seats (by default their colours), two colours, perhaps no points."""

    width: int
    names: Sequence[str]
    ink: str
    background: str
    has_points: bool = True

    @property
    def _size(self) -> float:
        return max(_SMALLEST, min(_LARGEST, self.width / _SHARE))

    def measure_height(self, view: View) -> int:
        """Return the height in pixels."""
        rows = -(-len(view.game.options.parties) // _COLUMNS)
        return round(_ROW * self._size * rows + 0.4 * self._size)

    def draw(self, view: View, values: Mapping[str, str]) -> str:
        """Draw the points of a view as attributes and content of an `svg`; `values` are the game's colours by name."""
        parties, size = view.game.options.parties, self._size
        columns = min(_COLUMNS, len(parties))
        wide = self.width / columns
        has_points = self.has_points and view.game.spec.scoring == "points"
        names = self.names or [name[:1].upper() + name[1:] for name in view.seat_names]
        drawn = []
        for index, party in enumerate(parties):
            x, y = index % columns * wide + 0.6 * size, (index // columns + 0.5) * _ROW * size + 0.2 * size
            colour = _find_colour(view.game.spec.drawing.STYLE, view.seat_names[party[0]], values)
            drawn.append(
                f'<circle cx="{x + 0.4 * size:.4g}" cy="{y:.4g}" r="{0.38 * size:.4g}" fill="{colour or "none"}"'
                f' stroke="{self.ink}" stroke-width="1"/>'
            )
            points = str(view.scores[party[0]]) if has_points else ""
            room = int((wide - (3.4 + _LETTER * (len(points) + 1)) * size) / (_LETTER * size))
            name = " and ".join(dict.fromkeys(names[seat] for seat in party))
            shown = name if len(name) <= room else f"{name[: max(1, room - 1)]}…"
            base = y + 0.35 * size
            drawn.append(f'<text x="{x + 1.2 * size:.4g}" y="{base:.4g}">{escape(shown)}</text>')
            drawn.append(
                f'<text x="{(index % columns + 1) * wide - 1.6 * size:.4g}" y="{base:.4g}" text-anchor="end"'
                f' font-weight="700">{points}</text>'
            )
        height = self.measure_height(view)
        return (
            f'viewBox="0 0 {self.width} {height}" font-family="sans-serif" font-size="{size:.4g}" fill="{self.ink}">'
            f'<rect width="{self.width}" height="{height}" fill="{self.background}"/>{"".join(drawn)}'
        )


def _find_colour(style: Style, seat_name: str, values: Mapping[str, str]) -> str:
    """Return the colour of a seat; empty if the game names none."""
    return values.get(style.seats.get(seat_name.lower(), ""), "")
