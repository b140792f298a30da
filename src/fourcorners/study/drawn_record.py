"""Drawn records: pictures of a game or a figure to step through, with text, for the element `fourcorners-board`."""

import json
from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from fourcorners.core.figures import Figure, Step, describe_step, draw_steps
from fourcorners.core.game_tree import GameTree
from fourcorners.core.match import Match
from fourcorners.core.narration import narrate
from fourcorners.core.scene import Element, Part, Scene, Style, list_markup, measure_svg, resolve_values
from fourcorners.study.results import describe_result
from fourcorners.study.stills import MARK_COLOURS, RIM_COLOURS, draw_marks, list_marks

_THEMES = ("light", "dark")


class DrawnStep(TypedDict):
    """One picture: its place ("Move 3 of 12", or "" if it is the only one), a sentence, a description of the picture,
    and the numbers of its pieces of markup.
    """

    label: str
    words: str
    description: str
    parts: list[int]


class DrawnRecord(TypedDict):
    """A title, which may be empty, the size of all pictures, their common start (a style whose colours are custom
    properties, and definitions), these properties by theme, the pieces of markup, and at least one step.
    """

    title: str
    width: float
    height: float
    head: str
    colours: dict[str, str]
    parts: list[str]
    steps: list[DrawnStep]


class _Moment(NamedTuple):
    label: str
    words: str
    description: str
    scene: Scene


def draw_figure(figure: Figure, texts: Sequence[str], title: str = "") -> DrawnRecord:
    """Draw all steps of a figure, with its sentences as plain text."""
    count = len(figure.steps)
    moments = [
        _Moment(f"Step {number + 1} of {count}" if count > 1 else "", text, describe_step(figure, number), scene)
        for number, (scene, text) in enumerate(zip(draw_steps(figure), texts, strict=True))
    ]
    return _pack(title, figure.steps[0].view.game.spec.drawing.STYLE, moments)


def draw_match(
    match: Match,
    names: Sequence[str],
    tree: GameTree | None = None,
    ply: int | None = None,
    seat: int | None = None,
    *,
    palette: str = "",
    look: str = "",
) -> DrawnRecord:
    """Draw a match up to a ply (None: all of it) as a seat saw it, or a spectator (None).

    It has the names of the players, and the marks and comments of the match's tree. An unknown palette or look is
    ignored.
    """
    positions = match.positions[: None if ply is None else ply + 1]
    count, style = len(positions) - 1, match.game.spec.drawing.STYLE
    figure = Figure("", tuple(Step(position.view(seat), "", (), ()) for position in positions))
    moments = []
    for number, scene in enumerate(draw_steps(figure)):
        label, sentences = "Start", list[str]()
        if number:
            before, after = positions[number - 1 : number + 1]
            label = f"Move {number} of {count}"
            sentences.append(f"{names[before.seat or 0]} {narrate(before, after, seat).words}.")
        if number == len(match.positions) - 1 and match.is_over:
            result = describe_result(match.describe_result(names), names, match.game, has_reason=True)
            sentences.append(f"{result}.")
        if tree is not None and number <= tree.played:
            sentences.append(" ".join(tree.nodes[number].comment.split()))
        elements = scene.board.elements
        marks = tuple(draw_marks(elements, list_marks(tree, number), style, "var(--mark)", "var(--mark-rim)"))
        scene = scene._replace(board=scene.board._replace(elements=(*elements, *marks)))
        words = " ".join(filter(None, sentences))
        moments.append(_Moment(label if count else "", words, describe_step(figure, number), scene))
    return _pack(f"{match.game.title}: {' – '.join(names)}", style, moments, palette, look)


def _pack(title: str, style: Style, moments: Sequence[_Moment], palette: str = "", look: str = "") -> DrawnRecord:
    """Put a record together, in which each piece of markup occurs once."""
    numbers: dict[str, int] = {}
    steps: list[DrawnStep] = []
    for label, words, description, scene in moments:
        pieces = [numbers.setdefault(piece, len(numbers)) for piece in list_markup(_strip(scene))]
        steps.append({"label": label, "words": words, "description": description, "parts": pieces})
    sizes = [measure_svg(moment.scene) for moment in moments]
    return {
        "title": title,
        "width": sizes[0][0],
        "height": max(height for _, height in sizes),
        "head": f"<style>{style.css}</style>{style.defs}",
        "colours": {theme: _write_colours(style, theme, palette, look) for theme in _THEMES},
        "parts": list(numbers),
        "steps": steps,
    }


def _write_colours(style: Style, theme: str, palette: str, look: str) -> str:
    """Return the values of a theme as declarations of CSS."""
    values = {
        **resolve_values(style, theme, palette, look),
        "mark": MARK_COLOURS[theme],
        "mark-rim": RIM_COLOURS[theme],
    }
    return "".join(f"--{name}:{value};" for name, value in values.items())


def _strip(scene: Scene) -> Scene:
    """Return a scene without the parts that only a page for play needs, as a picture has one description."""
    board, tray = scene
    return Scene(_strip_part(board), None if tray is None else _strip_part(tray))


def _strip_part(part: Part) -> Part:
    return Part(part.box, tuple(Element(each.id, each.markup, each.classes) for each in part.elements), "")


def write_drawn_record(record: DrawnRecord) -> str:
    """Return a drawn record as the text of its file."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
