"""A picture as data: elements with stable ids, turned into SVG or into the small difference of two pictures."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple


class Element(NamedTuple):
    """One thing on a board.

    `markup` is its geometry as SVG shapes, written by the game and never containing user text unescaped.
    `classes` say its state (style, and what a patch changes most). An element that a move's token names has
    `token`, the spoken `label`, and a `gesture`: "pick" (tap it), "span" (one of two opposite corners),
    "carry" (pick it up; what it names must be dropped somewhere), "drop" (where something carried may land).
    An element without a token is decoration: give it a label only if it tells what nothing else does.
    """

    id: str
    markup: str
    classes: str = ""
    token: str = ""
    label: str = ""
    gesture: str = ""


class Part(NamedTuple):
    """One drawing area with its own coordinates: x, y, width, height of its view box, and elements back to front."""

    box: tuple[float, float, float, float]
    elements: tuple[Element, ...]
    label: str


class Scene(NamedTuple):
    """A whole picture: the board, and a tray below it for what is carried from there (a hand, blockers)."""

    board: Part
    tray: Part | None = None


class Overlay(NamedTuple):
    """What a game can draw over its board for those who study it: what that is ("Chains"), and its elements.

    Their ids are not those of the board, and their classes begin with "overlay": so a page can hide them.
    """

    name: str
    elements: tuple[Element, ...]


def add_overlay(scene: Scene, overlay: Overlay) -> Scene:
    """Lay an overlay over the board of a scene."""
    return scene._replace(board=scene.board._replace(elements=scene.board.elements + overlay.elements))


class Style(NamedTuple):
    """How a game is coloured: CSS with `var(--name)`, and the names' values in the themes light, dark and print.

    `defs` holds gradients and the like. `palettes` override some values; each has a name and a set of values. `seats`
    tells for each name of a seat, in small letters, which value is its colour.
    """

    css: str
    defs: str
    themes: Mapping[str, Mapping[str, str]]
    palettes: Mapping[str, Mapping[str, str]] = {}
    seats: Mapping[str, str] = {}


def render_element(element: Element) -> str:
    """Write one element as SVG."""
    parts = [f'<g id="{escape(element.id)}"']
    if element.classes:
        parts.append(f' class="{element.classes}"')
    if element.token:
        parts.append(
            f' data-token="{escape(element.token)}" data-gesture="{element.gesture}" role="button" tabindex="-1"'
        )
    elif element.label:
        parts.append(' role="img"')
    if element.label:
        parts.append(f' aria-label="{escape(element.label)}"')
    parts.append(f">{element.markup}</g>")
    return "".join(parts)


def render_part(part: Part, name: str, defs: str = "", *, extra: str = "") -> str:
    """Write one part as an `svg` element, for a page that has the style in its own sheet."""
    x, y, width, height = part.box
    inside = "".join([render_element(element) for element in part.elements])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fc-{name}" viewBox="{_n(x)} {_n(y)} {_n(width)} {_n(height)}"'
        f' role="group" aria-label="{escape(part.label)}"{extra}>{defs}{inside}</svg>'
    )


def render_svg(scene: Scene, style: Style, theme: str = "light", palette: str = "") -> str:
    """Write a whole scene as one SVG document that needs nothing else; the tray stands below the board."""
    parts = [scene.board] if scene.tray is None else [scene.board, scene.tray]
    width = scene.board.box[2]
    y = 0.0
    inside = []
    for name, part in zip(("board", "tray"), parts, strict=False):
        height = part.box[3] * width / part.box[2] if name == "board" else min(part.box[3], width / 2)
        inside.append(render_part(part, name, extra=f' x="0" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'))
        y += height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(y)}" width="{_n(width)}"'
        f' height="{_n(y)}"><style>{resolve_css(style, theme, palette)}</style>{style.defs}{"".join(inside)}</svg>'
    )


def resolve_css(style: Style, theme: str, palette: str = "") -> str:
    """Return a style's CSS with the values of a theme put in, for documents that know no custom properties."""
    values = {**style.themes[theme], **style.palettes.get(palette, {})}
    return _fill(style.css, tuple(sorted(values.items())))


@functools.lru_cache(maxsize=64)
def _fill(css: str, values: tuple[tuple[str, str], ...]) -> str:
    table = dict(values)
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda found: table[found[1]], css)


def diff_scenes(old: Scene, new: Scene) -> dict[str, Any] | None:
    """Return the patch that turns one picture into another, as JSON values; None if they are equal.

    For each part that changed: `box` if the view box did, `label`, `remove` (ids), `set` (id to changed `class`,
    `label`, `token`, `gesture`, `markup`) and `add` (the id to stand behind, or "", and the element's SVG, in order).
    """
    patch: dict[str, Any] = {}
    for name in ("board", "tray"):
        before, after = getattr(old, name), getattr(new, name)
        if before == after:
            continue
        patch[name] = None if after is None else _part_difference(before or Part((0, 0, 0, 0), (), ""), after)
    return patch or None


def _part_difference(old: Part, new: Part) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    if old.box != new.box:
        patch["box"] = " ".join(_n(number) for number in new.box)
    if old.label != new.label:
        patch["label"] = new.label
    before = {element.id: element for element in old.elements}
    kept = _kept_in_order(old, new)
    removed = [element_id for element_id in before if element_id not in kept]
    changed: dict[str, dict[str, str]] = {}
    added: list[tuple[str, str]] = []
    previous = ""
    for element in new.elements:
        if element.id not in kept:
            added.append((previous, render_element(element)))
        elif element != before[element.id]:
            was = before[element.id]
            pairs = zip(_PATCHED, (was[1], was[2], was[3], was[4], was[5]), element[1:], strict=True)
            changed[element.id] = {key: value for key, value0, value in pairs if value != value0}
        previous = element.id
    changes = {"remove": removed, "set": changed, "add": added}
    return patch | {key: value for key, value in changes.items() if value}


_PATCHED = ("markup", "class", "token", "label", "gesture")


def _kept_in_order(old: Part, new: Part) -> set[str]:
    """Return the most ids that stand in both parts in the same order; the others are removed and added again."""
    place = {element.id: index for index, element in enumerate(old.elements)}
    if list(place) == [element.id for element in new.elements]:
        return set(place)
    common = [element.id for element in new.elements if element.id in place]
    ends: list[int] = []  # ends[k]: the smallest place in which an increasing run of length k + 1 can end
    at: list[str] = []
    before: dict[str, str] = {}
    for name in common:
        k = bisect.bisect_left(ends, place[name])
        ends[k:], at[k:] = [place[name], *ends[k + 1 :]], [name, *at[k + 1 :]]
        before[name] = at[k - 1] if k else ""
    kept = set()
    name = at[-1] if at else ""
    while name:
        kept.add(name)
        name = before[name]
    return kept


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
