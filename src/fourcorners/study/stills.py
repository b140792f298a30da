"""Pictures and animations of one viewer's knowledge of a game, with marks and arrows, as SVG, PNG, GIF or WebP."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from fourcorners.core.annotations import Mark
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import View
from fourcorners.core.game_tree import GameTree
from fourcorners.core.scene import Element, Part, Style, check_colours, escape, render_svg, resolve_values
from fourcorners.study import rendering
from fourcorners.study.frames import Canvas, Film, make_film
from fourcorners.study.geometry import Box, measure_element
from fourcorners.study.rendering import Check, no_check
from fourcorners.study.score_strip import ScoreStrip
from fourcorners.study.value_badges import Worths, draw_badges

KINDS = ("svg", "png", "gif", "webp")
DRAWN_RECORD = "json"
DEFAULT_WIDTH = 640
DEFAULT_FRAMES = 120
_BACKGROUNDS = {"light": "#f8f4ea", "dark": "#14191d", "print": "#ffffff"}
"""The background colours of the pages."""
MARK_COLOURS = {"light": "#b3261e", "dark": "#ffb59d", "print": "#000000"}
RIM_COLOURS = {"light": "#ffffff", "dark": "#000000", "print": "#ffffff"}
_INKS = {"light": "#23303a", "dark": "#ece6da", "print": "#000000"}
_LAST_MILLISECONDS = 3000
_RECT = re.compile(r'<rect( class="[^"]*")? x="(-?[0-9.]+)" y="(-?[0-9.]+)" width="([0-9.]+)" height="([0-9.]+)"(/?)>')
_CUSTOM_PROPERTY = re.compile(r"(?<=[{;])--[a-z-]+:[^;}]*;?")
_VIEW_BOX = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
_CAPTION_SHARE = 26  # the width of a picture, as a multiple of the font size of its caption
_CAPTION_COLUMNS, _CAPTION_LINES = 52, 5
_SHARE = 0.42  # of a place: half the side of a mark on it


class Colours(NamedTuple):
    """A theme ("light", "dark" or "print"), and a palette and look of the game, each empty for none."""

    theme: str = "light"
    palette: str = ""
    look: str = ""

    @property
    def background(self) -> str:
        """The colour around the board."""
        return _BACKGROUNDS[self.theme]


LIGHT = Colours()


class Animation(NamedTuple):
    """A kind, "gif" or "webp", a width in pixels, the time for each ply, the maximum number of frames, and the number
    of moves at the end to show (None: all of them).
    """

    kind: str
    width: int = DEFAULT_WIDTH
    milliseconds: int = 800
    frames: int = DEFAULT_FRAMES
    last: int | None = None


def draw_still(
    view: View,
    colours: Colours = LIGHT,
    marks: Sequence[Mark] = (),
    worths: Worths | None = None,
    *,
    has_tray: bool = True,
    caption: str = "",
) -> str:
    """Draw a view as SVG, with marks, the values of moves, and a caption below.

    Marks on places that the board does not have are left out, and the caption is cut to a few lines. Raise OptionError
    for invalid colours.
    """
    scene, style = view.scene(), view.game.spec.drawing.STYLE
    check_colours(style, *colours)
    elements = _list_elements(scene.board, scene.board.box, marks, style, colours.theme)
    badges = () if worths is None else tuple(draw_badges(scene.board.elements, worths, style.defs))
    board = scene.board._replace(elements=(*elements, *badges))
    scene = scene._replace(board=board, tray=scene.tray if has_tray else None)
    # Rasterisers drop rules with custom properties, which only pages need.
    return _add_caption(_CUSTOM_PROPERTY.sub("", render_svg(scene, style, *colours)), caption, colours)


def _add_caption(svg: str, caption: str, colours: Colours) -> str:
    """Return a picture with the first lines of a caption below it; unchanged without one."""
    lines = textwrap.wrap(" ".join(caption.split()), _CAPTION_COLUMNS, max_lines=_CAPTION_LINES, placeholder=" …")
    box = _VIEW_BOX.search(svg)
    if not lines or box is None:
        return svg
    width, height = map(float, box.groups())
    size = width / _CAPTION_SHARE
    below = (1.4 * len(lines) + 0.8) * size
    texts = "".join(
        f'<text x="{0.8 * size:.4g}" y="{height + (1.4 * number + 1.5) * size:.4g}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height + below:g}" width="{width:g}"'
        f' height="{height + below:g}"><rect y="{height:g}" width="{width:g}" height="{below:g}"'
        f' fill="{colours.background}"/>{svg}'
        f'<g font-family="sans-serif" font-size="{size:.4g}" fill="{_INKS[colours.theme]}">{texts}</g></svg>'
    )


def _list_elements(
    board: Part, box: tuple[float, float, float, float], marks: Sequence[Mark], style: Style, theme: str
) -> tuple[Element, ...]:
    """Return the elements of a still picture of a board, without animation, and the marks over them."""
    still = [_still(element, box) for element in board.elements]
    return *still, *draw_marks(board.elements, marks, style, MARK_COLOURS[theme], RIM_COLOURS[theme])


def _still(element: Element, box: tuple[float, float, float, float]) -> Element:
    """Return an element without animation and without parts far outside the picture.

    A rasteriser would draw those parts, which takes up to twenty seconds for a patterned ground with room to grow.
    """

    def cut(found: re.Match[str]) -> str:
        left, top, width, height = (float(found[number]) for number in range(2, 6))
        if left > box[0] or top > box[1] or left + width < box[0] + box[2] or top + height < box[1] + box[3]:
            return found[0]
        x, y, wide, high = (f"{number:g}" for number in box)
        return f'<rect{found[1] or ""} x="{x}" y="{y}" width="{wide}" height="{high}"{found[6]}>'

    markup = element.markup if "transform" in element.markup else _RECT.sub(cut, element.markup)
    return element._replace(markup=markup, classes=" ".join(name for name in element.classes.split() if name != "new"))


def draw_marks(
    elements: Iterable[Element], marks: Sequence[Mark], style: Style, colour: str, rim: str
) -> Iterator[Element]:
    """Draw the marks whose places a board has, in a colour with a rim in another colour."""
    # Places where no move begins at present have an id but no token.
    by_name = {name: element for element in elements for name in (element.id, element.token) if name}
    for number, mark in enumerate(marks):
        found = [by_name.get(place) for place in mark.places]
        boxes = [box for element in found if element and (box := measure_element(element, style.defs))]
        if not boxes or len(boxes) < len(mark.places):
            continue
        path = _draw_arrow(*boxes) if mark.kind == "arrow" else _draw_sign(mark.kind, boxes[0])
        width = max(4.0, min(boxes[0].size, 60.0) / 11)
        # Two strokes make a sign visible on light and dark parts of a board.
        strokes = ((rim, 2 * width, 0.75), (colour, width, 1.0))
        shapes = "".join(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{wide:.3g}" stroke-opacity="{opacity:g}"'
            ' stroke-linecap="round" stroke-linejoin="round"/>'
            for colour, wide, opacity in strokes
        )
        yield Element(f"mark-{number}", shapes, label=escape(str(mark)))


def _draw_sign(kind: str, box: Box) -> str:
    """Return the path of a circle, cross or square on a place."""
    x, y = box.centre
    r = _SHARE * min(max(box.size, 24.0), 60.0)
    if kind == "circle":
        return f"M{x - r:.4g} {y:.4g}a{r:.4g} {r:.4g} 0 1 0 {2 * r:.4g} 0a{r:.4g} {r:.4g} 0 1 0 {-2 * r:.4g} 0"
    r *= 0.8
    if kind == "cross":
        return f"M{x - r:.4g} {y - r:.4g}L{x + r:.4g} {y + r:.4g}M{x + r:.4g} {y - r:.4g}L{x - r:.4g} {y + r:.4g}"
    return f"M{x - r:.4g} {y - r:.4g}H{x + r:.4g}V{y + r:.4g}H{x - r:.4g}Z"


def _draw_arrow(start: Box, end: Box) -> str:
    """Return the path of an arrow between the middles of two places."""
    (x1, y1), (x2, y2) = start.centre, end.centre
    length = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    head = min(18.0, 0.4 * length)
    wings = [(x2 - head * (ux + side * 0.6 * uy), y2 - head * (uy - side * 0.6 * ux)) for side in (1, -1)]
    (ax, ay), (bx, by) = wings
    return f"M{x1:.4g} {y1:.4g}L{x2:.4g} {y2:.4g}M{ax:.4g} {ay:.4g}L{x2:.4g} {y2:.4g}L{bx:.4g} {by:.4g}"


def list_marks(tree: GameTree | None, ply: int) -> tuple[Mark, ...]:
    """List the marks at a ply of the game itself, counted from 0 for the start; none without a tree."""
    if tree is None or not 0 <= ply <= tree.played:
        return ()
    return tree.nodes[ply].marks


def find_kind(name: str) -> str:
    """Return the kind of a picture, or "json" for a drawn record, by a file's extension; raise OptionError."""
    kind, kinds = name.rpartition(".")[2].lower(), (*KINDS, DRAWN_RECORD)
    if kind not in kinds:
        raise OptionError("picture", f"{quote(name)} is not allowed; its name must end in .{', .'.join(kinds)}")
    return kind


def check_last(kind: str, last: int | None) -> None:
    """Raise OptionError if `last` is set for a picture that is not an animation."""
    if last is not None and kind not in rendering.ANIMATIONS:
        allowed = " or ".join(rendering.ANIMATIONS)
        raise OptionError("last", f"{last} is not allowed for {kind}; only {allowed} can show several moves")


def render_still(
    view: View,
    kind: str,
    colours: Colours = LIGHT,
    marks: Sequence[Mark] = (),
    width: int = DEFAULT_WIDTH,
    *,
    cpu_seconds: int = rendering.CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Render a view as "svg" or "png"; the width in pixels applies to PNG.

    Raise OptionError for another kind, invalid colours or an invalid width, and RenderingError. Errors of `check` pass
    through.
    """
    if kind not in {"svg", "png"}:
        raise OptionError("kind", f"{quote(kind)} is not allowed; a single picture must be svg or png")
    svg = draw_still(view, colours, marks)
    if kind == "svg":
        return svg.encode()
    return rendering.render_png(svg, width, colours.background, cpu_seconds=cpu_seconds, check=check)


def choose_plies(count: int, most: int) -> list[int]:
    """Choose at most `most` (two or more) of the plies 0 to `count`, evenly, including the first and the last."""
    if count < most:
        return list(range(count + 1))
    return [round(number * count / (most - 1)) for number in range(most)]


class Score(NamedTuple):
    """The text below each frame: the name of each seat (by default its colour) and, unless hidden, the points."""

    names: Sequence[str] = ()
    has_points: bool = True


def draw_film(
    views: Sequence[View],
    animation: Animation,
    colours: Colours = LIGHT,
    marks: Sequence[Sequence[Mark]] = (),
    score: Score | None = None,
    check: Check = no_check,
) -> Film:
    """Draw the boards of a game's views as a film of at most `animation.frames`.

    It shows the `marks` of each ply, and a `score` below each frame.

    Things beside the board are left out. Raise OptionError for invalid colours or an invalid width. Errors of `check`
    pass through.
    """
    plies = choose_plies(len(views) - 1, animation.frames)
    style = views[0].game.spec.drawing.STYLE
    check_colours(style, *colours)
    parts = []
    for ply in plies:
        check()
        parts.append(views[ply].scene().board)
    left, top = min(part.box[0] for part in parts), min(part.box[1] for part in parts)
    right, bottom = (max(part.box[at] + part.box[at + 2] for part in parts) for at in (0, 1))
    box = (left, top, right - left, bottom - top)
    width, height = rendering.fit_animation(animation.width, box[3] / box[2], len(plies))
    boards = []
    for ply, part in zip(plies, parts, strict=True):
        check()
        boards.append(_list_elements(part, box, marks[ply] if marks else (), style, colours.theme))
    strips, strip_height = [], 0
    if score is not None:
        strip = ScoreStrip(width, score.names, _INKS[colours.theme], colours.background, has_points=score.has_points)
        values = resolve_values(style, *colours)
        strips, strip_height = [strip.draw(views[ply], values) for ply in plies], strip.measure_height(views[0])
    film = make_film(Canvas(box, width, height, style, colours), boards, strips, strip_height)
    return film._replace(sheets=[(_CUSTOM_PROPERTY.sub("", svg), wide) for svg, wide in film.sheets])


def render_game(
    views: Sequence[View],
    animation: Animation,
    colours: Colours = LIGHT,
    marks: Sequence[Sequence[Mark]] = (),
    score: Score | None = None,
    *,
    cpu_seconds: int = rendering.CPU_SECONDS,
    check: Check = no_check,
) -> bytes:
    """Render a game as an animation, which pauses at the end, with the score, if given.

    With `animation.last` it shows only that many moves. If the game has more plies than frames, some are skipped, and
    the duration stays the same. Raise as `draw_film` and `rendering.render_animation`.
    """
    if animation.last is not None:
        views, marks = views[-animation.last - 1 :], marks[-animation.last - 1 :]
    film = draw_film(views, animation, colours, marks, score if animation.last is not None else None, check)
    plies = choose_plies(len(views) - 1, animation.frames)
    durations = [animation.milliseconds * (after - before) for before, after in pairwise(plies)]
    durations.append(_LAST_MILLISECONDS)
    return rendering.render_animation(
        film, durations, animation.kind, colours.background, cpu_seconds=cpu_seconds, check=check
    )
