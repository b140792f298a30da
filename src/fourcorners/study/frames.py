"""The frames of an animation, composed of sprites: each element of a board is drawn once in each of its states.

A rasteriser needs at least a tenth of a second for a whole board, and a millisecond for one element of it.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fourcorners.core.scene import Element, Style, render_element, resolve_css
from fourcorners.study.geometry import measure_element

_MARGIN = 12.0
"""The distance that strokes reach beyond the measured lines, in units of the board."""
_HALF = 0.75
"""Half the side of a square that holds an element at any rotation, as a multiple of its longer side."""
_MOST_PLACES = 8
"""If more places of a frame change, they count as one."""
_SHEET_WIDTH, _SHEET_HEIGHT = 1024, 2048

Rectangle = tuple[int, int, int, int]
"""A part of a picture in pixels: left, top, width, height."""


class Sprite(NamedTuple):
    """A picture that is drawn once: its place on a sheet, and its upper left corner in the frames."""

    sheet: int
    place: Rectangle
    left: int
    top: int


class Patch(NamedTuple):
    """A changing part of a frame, and the numbers of the sprites that it shows, from back to front."""

    place: Rectangle
    sprites: Sequence[int]


class Film(NamedTuple):
    """An animation to be rendered: its size in pixels, sheets of sprites as SVG documents with their widths, the
    sprites, and the frames, each as its changes to the one before.
    """

    width: int
    height: int
    sheets: Sequence[tuple[str, int]]
    sprites: Sequence[Sprite]
    frames: Sequence[Sequence[Patch]]


class Canvas(NamedTuple):
    """The properties that all frames share: the part of the board they show, its size in pixels, the style and its
    colours.
    """

    box: tuple[float, float, float, float]
    width: int
    height: int
    style: Style
    colours: tuple[str, str, str]

    @property
    def whole(self) -> Rectangle:
        """All of the board."""
        return 0, 0, self.width, self.height

    def measure(self, element: Element) -> Rectangle | None:
        """Return a part of the frame that contains an element; None if the frame shows nothing of it."""
        if not element.markup:
            return None
        box = measure_element(element, self.style.defs)
        if box is None:
            return self.whole
        (x, y), reach = box.centre, _HALF * box.size + _MARGIN
        left, top, width, height = self.box
        across, down = self.width / width, self.height / height
        first, last = (x - reach - left) * across, (x + reach - left) * across
        upper, lower = (y - reach - top) * down, (y + reach - top) * down
        place = math.floor(first), math.floor(upper), math.ceil(last - first) + 1, math.ceil(lower - upper) + 1
        return _intersect(place, self.whole)

    def draw(self, elements: Iterable[Element], place: Rectangle) -> str:
        """Return elements as SVG, with a part of the frame as view box: attributes and content of an `svg`."""
        left, top, width, height = self.box
        across, down = width / self.width, height / self.height
        box = left + place[0] * across, top + place[1] * down, place[2] * across, place[3] * down
        numbers = " ".join(f"{number:.8g}" for number in box)
        body = "".join(render_element(element) for element in elements)
        return f'class="fc-board" viewBox="{numbers}" preserveAspectRatio="none">{body}'


def make_film(canvas: Canvas, boards: Sequence[Sequence[Element]], strips: Sequence[str], strip_height: int) -> Film:
    """Compose an animation from the elements of its boards and the strip below each.

    A strip is the attributes and content of an `svg`; without strips the height is 0.
    """
    book = _SpriteBook()
    fixed = _count_common(boards)
    ground = book.add(canvas.draw(boards[0][:fixed], canvas.whole), canvas.whole)
    below = (0, canvas.height, canvas.width, strip_height)
    frames: list[list[Patch]] = []
    before: Sequence[tuple[Element, Rectangle]] = ()
    order: dict[tuple[str, str, str], Rectangle | None] = {}
    for number, board in enumerate(boards):
        after = []
        for element in board[fixed:]:
            key = _identify(element)
            if key not in order:
                order[key] = canvas.measure(element)
            place = order[key]
            if place is not None:
                after.append((element, place))
        patches = []
        for changed in _find_changes(before, after) if number else [canvas.whole]:
            here = [
                book.add(canvas.draw((element,), place), place)
                for element, place in after
                if _intersect(place, changed)
            ]
            patches.append(Patch(changed, [ground, *here]))
        if strip_height and (not number or strips[number] != strips[number - 1]):
            patches.append(Patch(below, [book.add(strips[number], below)]))
        frames.append(patches)
        before = after
    sheets = book.draw_sheets(f"<style>{resolve_css(canvas.style, *canvas.colours)}</style>{canvas.style.defs}")
    return Film(canvas.width, canvas.height + strip_height, sheets, book.sprites, frames)


class _SpriteBook:
    """Sprites on sheets: each goes beside the one before, or below if there is no room."""

    def __init__(self) -> None:
        self.sprites: list[Sprite] = []
        self._numbers: dict[tuple[str, Rectangle], int] = {}
        self._cells: list[list[str]] = []
        self._sizes: list[tuple[int, int]] = []
        self._x = self._y = self._row = 0

    def add(self, drawn: str, place: Rectangle) -> int:
        """Add a sprite, given as attributes and content of an `svg`, and return its number."""
        number = self._numbers.get((drawn, place))
        if number is not None:
            return number
        left, top, width, height = place
        if self._x and self._x + width > _SHEET_WIDTH:
            self._x, self._y, self._row = 0, self._y + self._row, 0
        if not self._cells or (self._y and self._y + height > _SHEET_HEIGHT):
            self._cells.append([])
            self._sizes.append((0, 0))
            self._x = self._y = self._row = 0
        sheet = len(self._cells) - 1
        self._cells[-1].append(f'<svg x="{self._x}" y="{self._y}" width="{width}" height="{height}" {drawn}</svg>')
        self.sprites.append(Sprite(sheet, (self._x, self._y, width, height), left, top))
        self._row = max(self._row, height)
        self._x += width
        self._sizes[-1] = max(self._sizes[-1][0], self._x), max(self._sizes[-1][1], self._y + height)
        self._numbers[drawn, place] = len(self.sprites) - 1
        return len(self.sprites) - 1

    def draw_sheets(self, head: str) -> list[tuple[str, int]]:
        """Return the sheets as SVG documents that begin with a style and definitions, with their widths."""
        opening = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">'
        return [
            (f"{opening.format(width, height)}{head}{''.join(cells)}</svg>", width)
            for cells, (width, height) in zip(self._cells, self._sizes, strict=True)
        ]


def _identify(element: Element) -> tuple[str, str, str]:
    """Return an element's appearance and its id."""
    return element.id, element.markup, element.classes


def _count_common(boards: Sequence[Sequence[Element]]) -> int:
    """Count the elements at the back that are the same on all boards."""
    count = min(map(len, boards))
    first = [_identify(element) for element in boards[0]]
    for board in boards[1:]:
        count = next((at for at in range(count) if _identify(board[at]) != first[at]), count)
    return count


def _find_changes(
    before: Sequence[tuple[Element, Rectangle]], after: Sequence[tuple[Element, Rectangle]]
) -> list[Rectangle]:
    """Return the parts of a frame in which two boards differ; they do not overlap."""
    old, new = ({_identify(element): place for element, place in board} for board in (before, after))
    places = [place for key, place in (*old.items(), *new.items()) if key not in old or key not in new]
    kept = [[key for key in board if key in other] for board, other in ((old, new), (new, old))]
    # An element that now lies above others is drawn again.
    places += [old[key] for key, other in zip(*kept, strict=True) if key != other]
    joined: list[Rectangle] = []
    for place in places:
        merged = place
        while touched := [each for each in joined if _intersect(each, merged)]:
            joined = [each for each in joined if each not in touched]
            merged = _enclose([merged, *touched])
        joined.append(merged)
    return joined if len(joined) <= _MOST_PLACES else [_enclose(joined)]


def _intersect(one: Rectangle, other: Rectangle) -> Rectangle | None:
    """Return the intersection of two rectangles; None if it is empty."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[0] + one[2], other[0] + other[2]), min(one[1] + one[3], other[1] + other[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def _enclose(places: Sequence[Rectangle]) -> Rectangle:
    """Return the smallest rectangle around others."""
    left, top = min(place[0] for place in places), min(place[1] for place in places)
    right, bottom = max(place[0] + place[2] for place in places), max(place[1] + place[3] for place in places)
    return left, top, right - left, bottom - top
