"""Scenes: pictures as elements with stable ids, for rendering as SVG and for small patches."""

import bisect
import functools
import re
from collections.abc import Mapping
from html import escape as escape_markup
from typing import Any, NamedTuple, TypedDict, cast

from fourcorners.core.errors import OptionError, quote

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Element(NamedTuple):
    """One element of a picture.

    `markup` is its geometry as SVG shapes; the game writes it and must escape all text from users. `classes` are its
    CSS classes, which express its state; patches change them most. An element that the token of a move names has that
    `token`, an accessible `label`, and a `gesture`: "pick" (tap it), "span" (one of two opposite corners), "carry"
    (pick it up, to drop it somewhere) or "drop" (where something carried may be dropped). An element without a token is
    decoration; it needs a label only if it shows something that no other element does. The id is not empty.
    """

    id: str
    markup: str
    classes: str = ""
    token: str = ""
    label: str = ""
    gesture: str = ""


class Part(NamedTuple):
    """One drawing area with its own coordinates.

    `box` is its view box (x, y, width, height); `elements` are ordered from back to front, and their ids are unique.
    """

    box: tuple[float, float, float, float]
    elements: tuple[Element, ...]
    label: str


class Scene(NamedTuple):
    """A whole picture: the board, and below it a tray of pieces to carry to it (a hand, blockers)."""

    board: Part
    tray: Part | None = None


class Overlay(NamedTuple):
    """A drawing over a game's board that helps to study a position: a name such as "Chains", and elements.

    Their ids differ from those of the board, and their classes begin with "overlay", so that a page can hide them.
    """

    name: str
    elements: tuple[Element, ...]


class Area(NamedTuple):
    """An area of a final board that counts for a party, for players who count their points themselves.

    The `name`, such as "box c4", is unique, and `box` is its place on the board (x, y, width, height). It counts
    `points` for the party whose first seat is `seat`.
    """

    name: str
    box: tuple[float, float, float, float]
    points: int
    seat: int


def frame_decisive(name: str, css: str, box: tuple[float, float, float, float], label: str) -> Element:
    """Return an element that frames the decisive area of a game: brackets round the corners of a box (x, y, width,
    height).

    It has the classes `css`, which the game's style draws, and "decisive": a stroke, and below it a wider one, "under".
    """
    x, y, width, height = box
    arm = min(width, height) / 4
    corners = (
        (x, y, arm, arm),
        (x + width, y, -arm, arm),
        (x + width, y + height, -arm, -arm),
        (x, y + height, arm, -arm),
    )
    numbers = ([_format_number(number) for number in (left, top + dy, -dy, dx)] for left, top, dx, dy in corners)
    path = "".join(f"M{left} {top}v{up}h{across}" for left, top, up, across in numbers)
    return Element(name, f'<path class="under" d="{path}"/><path d="{path}"/>', f"{css} decisive", label=label)


def add_overlay(scene: Scene, overlay: Overlay) -> Scene:
    """Return a scene with an overlay over its board; the given scene stays as it is."""
    return scene._replace(board=scene.board._replace(elements=scene.board.elements + overlay.elements))


class Looks(NamedTuple):
    """The looks of a game's material, which each player can choose.

    They are the name of the material, such as "Paper", the label of the usual look, and for each other look its values,
    which override those of a theme but not those of a palette.
    """

    name: str
    usual: str
    values: Mapping[str, Mapping[str, str]]


class Style(NamedTuple):
    """The colours of a game: CSS with `var(--name)`, and the values of these names in each theme.

    The themes are light, dark and print. `defs` has SVG definitions such as gradients. `palettes` are named sets of
    values that override those of a theme. `seats` maps the name of a seat, in lower case, to the name of its colour.
    """

    css: str
    defs: str
    themes: Mapping[str, Mapping[str, str]]
    palettes: Mapping[str, Mapping[str, str]] = {}
    seats: Mapping[str, str] = {}
    looks: Looks | None = None


def build_style(css: str, defs: str, colours: str, seats: Mapping[str, str], looks: Looks | None = None) -> Style:
    """Build a style from a table of colours, whose first line names the columns: light, dark, print, then the palettes.

    Every other line has the name of a colour, then its value in each column. `-` stands for the value of the light
    theme in a theme, and for the value of the theme in use in a palette. Cells are separated by spaces. The other
    arguments are as in Style. Raise KeyError for a missing theme, IndexError for a short line.
    """
    header, *lines = (line.split() for line in colours.strip().splitlines())
    columns = {key: {name: values[i] for name, *values in lines if values[i] != "-"} for i, key in enumerate(header)}
    themes = {name: columns["light"] | columns[name] for name in ("light", "dark", "print")}
    return Style(css, defs, themes, {name: columns[name] for name in header if name not in themes}, seats, looks)


def escape(text: str) -> str:
    """Escape text for SVG; characters that XML does not allow, even escaped, become the replacement character."""
    return escape_markup(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


# Most elements are the same from picture to picture.
@functools.lru_cache(maxsize=8192)
def render_element(element: Element) -> str:
    """Render an element as an SVG group, a button if it has a token; markup, classes and gesture are not escaped."""
    parts = [f'<g id="{escape(element.id)}"']
    if element.classes:
        parts.append(f' class="{element.classes}"')
    if element.token:
        token = escape(element.token)
        parts.append(f' data-token="{token}" data-gesture="{element.gesture}" role="button" tabindex="-1"')
    elif element.label:
        parts.append(' role="img"')
    if element.label:
        parts.append(f' aria-label="{escape(element.label)}"')
    parts.append(f">{element.markup}</g>")
    return "".join(parts)


def render_part(part: Part, name: str, defs: str = "") -> str:
    """Render one part as an `svg` element without style, for a page that has the game's CSS.

    `name`, "board" or "tray", is part of its CSS class, `defs` markup to put in front of the elements.
    """
    opening, *body = _list_pieces(part, name)
    return "".join([opening, defs, *body])


def _list_pieces(part: Part, name: str, extra: str = "") -> list[str]:
    """Return one part as its opening tag, with `extra` attributes after a space, its elements, and its end."""
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fc-{name}" viewBox="{_format_box(part.box)}"'
        f' role="group" aria-label="{escape(part.label)}"{extra}>'
    )
    return [opening, *map(render_element, part.elements), "</svg>"]


def render_miniature(part: Part) -> str:
    """Render a part as a small `svg` element without style or name, for a page that describes it in words."""
    body = "".join([element.markup for element in part.elements])
    return f'<svg class="fc-scene miniature" viewBox="{_format_box(part.box)}" aria-hidden="true">{body}</svg>'


def render_svg(scene: Scene, style: Style, theme: str = "light", palette: str = "", look: str = "") -> str:
    """Render a whole scene as one self-contained SVG document, with the tray below the board.

    The tray is as wide as the board, and at most half as high as it is wide. For theme, palette, look and errors see
    `resolve_css`.
    """
    width, height = map(_format_number, measure_svg(scene))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<style>{resolve_css(style, theme, palette, look)}</style>{style.defs}{''.join(list_markup(scene))}</svg>"
    )


def list_markup(scene: Scene) -> list[str]:
    """Return the output of `render_svg` in pieces, most of which the pictures of one game share.

    They are the opening tag, each element, and the end, of the board and the tray.
    """
    parts = {"board": scene.board} if scene.tray is None else {"board": scene.board, "tray": scene.tray}
    width, y, pieces = scene.board.box[2], 0.0, list[str]()
    for name, part in parts.items():
        height = _measure_part(part, name, width)
        top, shown_width, shown_height = map(_format_number, (y, width, height))
        pieces += _list_pieces(part, name, f' x="0" y="{top}" width="{shown_width}" height="{shown_height}"')
        y += height
    return pieces


def measure_svg(scene: Scene) -> tuple[float, float]:
    """Return the width and height of the document that `render_svg` makes of a scene."""
    width = scene.board.box[2]
    tray_height = 0.0 if scene.tray is None else _measure_part(scene.tray, "tray", width)
    return width, _measure_part(scene.board, "board", width) + tray_height


def _measure_part(part: Part, name: str, width: float) -> float:
    """Return the height of a part, "board" or "tray", below the other one in a document of this width."""
    return part.box[3] * width / part.box[2] if name == "board" else min(part.box[3], width / 2)


def check_colours(style: Style, theme: object, palette: object, look: object = "") -> None:
    """Raise OptionError unless the style has this theme, palette and look; the last two may be empty."""
    if not isinstance(theme, str) or theme not in style.themes:
        raise OptionError("theme", f"{quote(theme)} is not allowed; it must be {' or '.join(style.themes)}")
    if not isinstance(palette, str) or (palette and palette not in style.palettes):
        raise OptionError("palette", f"{quote(palette)} is not allowed; it must be {' or '.join(style.palettes)}")
    looks = {} if style.looks is None else style.looks.values
    if not isinstance(look, str) or (look and look not in looks):
        raise OptionError("look", f"{quote(look)} is not allowed; it must be {' or '.join(looks) or 'left out'}")


def resolve_css(style: Style, theme: str, palette: str = "", look: str = "") -> str:
    """Return a style's CSS with all variables replaced; an unknown palette or look is ignored.

    Raise KeyError for an unknown theme or variable.
    """
    return _replace_variables(style.css, tuple(sorted(resolve_values(style, theme, palette, look).items())))


def resolve_values(style: Style, theme: str, palette: str = "", look: str = "") -> dict[str, str]:
    """Return the values of a style's variables by name; raise as `resolve_css` does."""
    looks = {} if style.looks is None else style.looks.values
    return {**style.themes[theme], **looks.get(look, {}), **style.palettes.get(palette, {})}


@functools.lru_cache(maxsize=64)
def _replace_variables(css: str, values: tuple[tuple[str, str], ...]) -> str:
    """Replace each `var(--name)` by its value, from pairs of name and value; raise KeyError if there is none."""
    value_by_name = dict(values)
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda found: value_by_name[found[1]], css)


ElementChange = TypedDict(
    "ElementChange", {"markup": str, "class": str, "label": str, "gesture": str, "token": str}, total=False
)
ElementChange.__doc__ = "The new values of an element."


class PartPatch(TypedDict, total=False):
    """The changes of the board or the tray."""

    box: str
    label: str
    remove: list[str]
    set: dict[str, ElementChange]
    add: list[tuple[str, str]]


class ScenePatch(TypedDict, total=False):
    """The changes from one scene to another, as in `diff_scenes`."""

    board: PartPatch
    tray: PartPatch | None


def diff_scenes(old: Scene, new: Scene) -> ScenePatch | None:
    """Return the patch that turns one scene into another, as JSON values; None if they are equal.

    It has an entry for each changed part, "board" or "tray"; a removed tray is None. The entry has the changes: `box`
    (the new view box), `label`, `remove` (ids), `set` (new values of `class`, `label`, `token`, `gesture` and `markup`
    by id) and `add` (in order, pairs of the id of the preceding element, or "", and the SVG of the new element). The
    page applies `remove`, `set` and `add` in this order; the id of an element that moved is in both the first and last.
    """
    patch: dict[str, Any] = {}
    for name in ("board", "tray"):
        old_part, new_part = getattr(old, name), getattr(new, name)
        if old_part == new_part:
            continue
        patch[name] = None if new_part is None else _diff_parts(old_part or Part((0, 0, 0, 0), (), ""), new_part)
    return cast("ScenePatch", patch) if patch else None


def _diff_parts(old: Part, new: Part) -> dict[str, Any]:
    """Return the patch that turns one part into another, as in `diff_scenes`; empty if they are equal."""
    patch: dict[str, Any] = {}
    if old.box != new.box:
        patch["box"] = _format_box(new.box)
    if old.label != new.label:
        patch["label"] = new.label
    changed: dict[str, dict[str, str]] = {}
    if len(old.elements) == len(new.elements):
        # Games cache repeated elements, so nearly all pairs are the same object.
        pairs = [pair for pair in zip(old.elements, new.elements, strict=True) if pair[0] is not pair[1]]
        if all(before.id == after.id for before, after in pairs):
            changed = {after.id: _list_changes(before, after) for before, after in pairs if before != after}
            return patch | {"set": changed} if changed else patch
    old_elements = {element.id: element for element in old.elements}
    kept = _find_kept(old, new)
    removed = [element_id for element_id in old_elements if element_id not in kept]
    added: list[tuple[str, str]] = []
    previous = ""
    for element in new.elements:
        if element.id not in kept:
            added.append((previous, render_element(element)))
        elif element != old_elements[element.id]:
            changed[element.id] = _list_changes(old_elements[element.id], element)
        previous = element.id
    changes = {"remove": removed, "set": changed, "add": added}
    return patch | {key: value for key, value in changes.items() if value}


_PATCHED = ("markup", "class", "token", "label", "gesture")
"""The keys of an element's fields in a patch, in the order of `Element` after its id."""


def _list_changes(old: Element, new: Element) -> dict[str, str]:
    """Return the fields of an element that have changed, by their keys in a patch."""
    fields = zip(_PATCHED, old[1:], new[1:], strict=True)
    return {key: value for key, old_value, value in fields if value != old_value}


def _find_kept(old: Part, new: Part) -> set[str]:
    """Return a largest set of ids that both parts have in the same order; all others are removed and added again.

    It is a longest increasing subsequence of the old indices, taken in the new order.
    """
    old_index = {element.id: index for index, element in enumerate(old.elements)}
    if list(old_index) == [element.id for element in new.elements]:
        return set(old_index)
    ends: list[int] = []  # ends[k]: the smallest old index at which an increasing run of length k + 1 can end
    ids: list[str] = []  # the ids at these indices
    predecessor: dict[str, str] = {}
    for element in new.elements:
        if element.id not in old_index:
            continue
        index = old_index[element.id]
        k = bisect.bisect_left(ends, index)
        ends[k:], ids[k:] = [index, *ends[k + 1 :]], [element.id, *ids[k + 1 :]]
        predecessor[element.id] = ids[k - 1] if k else ""
    kept = set()
    element_id = ids[-1] if ids else ""
    while element_id:
        kept.add(element_id)
        element_id = predecessor[element_id]
    return kept


def _format_number(number: float) -> str:
    """Format a coordinate with at most one decimal."""
    return f"{number:.1f}".rstrip("0").rstrip(".")


def _format_box(box: tuple[float, float, float, float]) -> str:
    return " ".join(map(_format_number, box))
