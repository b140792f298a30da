"""The places of a scene's elements: boxes measured from their markup, for drawing on top of them."""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree as ET

from fourcorners.core.scene import Element

_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_COMMAND = re.compile(r"([MLHVQTCSAZmlhvqtcsaz])([^MLHVQTCSAZmlhvqtcsaz]*)")
_TRANSLATION = re.compile(r"translate\(\s*(-?[0-9.]+)(?:[ ,]+(-?[0-9.]+))?\s*\)")
_COUNTS = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "T": 2, "C": 6, "S": 4, "A": 7}
"""The count of numbers for each path command; the last two are the end of the curve."""
_DEEPEST = 6  # of symbols that use others


class Box(NamedTuple):
    """A rectangle by its corners."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def size(self) -> float:
        """The length of the longer side."""
        return max(self.right - self.left, self.bottom - self.top)


def measure_element(element: Element, defs: str) -> Box | None:
    """Return the box around the ends of an element's lines; None if it draws nothing. `defs` are the style's
    definitions.

    Rotations are ignored, as boards rotate elements about their own centres.
    """
    points = list(_list_points(ET.fromstring(f"<g>{element.markup}</g>"), _index_symbols(defs), _DEEPEST))  # noqa: S314  # written by the game
    if not points:
        return None
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return Box(min(xs), min(ys), max(xs), max(ys))


@functools.lru_cache(maxsize=64)
def _index_symbols(defs: str) -> Mapping[str, ET.Element]:
    """Return the definitions of a style by id."""
    return {node.get("id", ""): node for node in ET.fromstring(f"<g>{defs}</g>").iter() if node.get("id")}  # noqa: S314  # written by the game


def _list_points(node: ET.Element, symbols: Mapping[str, ET.Element], depth: int) -> Iterator[tuple[float, float]]:
    """Yield points whose bounding box contains a node and its descendants."""
    moved = _TRANSLATION.search(node.get("transform", ""))
    dx, dy = (float(moved[1]), float(moved[2] or 0)) if moved else (0.0, 0.0)
    for x, y in _list_own_points(node, symbols, depth):
        yield x + dx, y + dy
    for child in node:
        for x, y in _list_points(child, symbols, depth):
            yield x + dx, y + dy


def _list_own_points(node: ET.Element, symbols: Mapping[str, ET.Element], depth: int) -> Iterator[tuple[float, float]]:
    def read(name: str) -> float:
        return float(node.get(name) or 0)

    if node.tag == "rect":
        yield read("x"), read("y")
        yield read("x") + read("width"), read("y") + read("height")
    elif node.tag == "circle":
        yield read("cx") - read("r"), read("cy") - read("r")
        yield read("cx") + read("r"), read("cy") + read("r")
    elif node.tag in {"polygon", "polyline"}:
        numbers = [float(number) for number in _NUMBER.findall(node.get("points", ""))]
        yield from zip(numbers[::2], numbers[1::2], strict=False)
    elif node.tag == "path":
        yield from _list_ends(node.get("d", ""))
    elif node.tag == "use" and depth:
        symbol = symbols.get(node.get("href", "").removeprefix("#"))
        if symbol is not None:
            for x, y in _list_points(symbol, symbols, depth - 1):
                yield x + read("x"), y + read("y")


def _list_ends(path: str) -> Iterator[tuple[float, float]]:
    """Yield the points at which the lines and curves of a path end."""
    x = y = left = top = 0.0
    for command, text in _COMMAND.findall(path):
        numbers = [float(number) for number in _NUMBER.findall(text)]
        name = command.upper()
        if name == "Z":
            x, y = left, top
            continue
        count = _COUNTS[name]
        for start in range(0, len(numbers) - count + 1, count):
            ends = numbers[start : start + count]
            dx, dy = (0.0, 0.0) if command == name else (x, y)
            if name == "H":
                x = dx + ends[0]
            elif name == "V":
                y = dy + ends[0]
            else:
                x, y = dx + ends[-2], dy + ends[-1]
            if name == "M" and start == 0:
                left, top = x, y
            yield x, y
