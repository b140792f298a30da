"""Figures of a rulebook: a position, drawn, and perhaps moves to step through with a sentence for each.

A figure is a fenced code block of Markdown with the word `figure`. Each line has a name, a colon and a value:

options: {"cols": 3, "rows": 3} the game's options as JSON deck: R2ax B1o the deck in drawing order, for games that have
one position: 0 0,0 .../ the position to begin with, in the game's notation; else the start viewer: 0 the seat that
looks at it; else a spectator before: a1b1, b1c1 moves played before the first picture, with ", " between them caption:
Two edges are drawn. what the figure shows, as one line of Markdown say: Black is to move. a sentence on this step mark:
a1a2 b1b2 tokens of places to frame in this step ghost: c1 tokens of places to show as if they were taken overlay:
Chains the name of the game's overlay, to draw it in this step pieces: R0o R1o / R0x R1x tokens of pieces to draw, in
rows, instead of the board play: a1a2, b1b2 the moves that lead to the next step, to which the following lines belong

All lines are optional. Those from `say` to `pieces` come before `play` where they belong to the first step.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fourcorners.core import record_format
from fourcorners.core.errors import quote
from fourcorners.core.game import Game, Position, View
from fourcorners.core.narration import narrate
from fourcorners.core.scene import Element, Part, Scene, add_overlay

FIGURE_BLOCK = re.compile(r"^```figure\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FORMER_BLOCK = re.compile(r"^```record\n", re.MULTILINE)
_HEADER = ("options", "deck", "position", "viewer", "before", "caption")
_STEP = ("say", "mark", "ghost", "overlay", "pieces", "play")
_PIECE_GAP = 0.15  # the space between two pieces, as a share of the first one's height


class Step(NamedTuple):
    """One picture of a figure: its view, a sentence, and the tokens of places to frame and to show as if taken."""

    view: View
    text: str
    marks: tuple[str, ...]
    ghosts: tuple[str, ...]
    overlay: bool = False
    pieces: tuple[tuple[str, ...], ...] = ()  # by row
    last_move: str = ""  # in words


class Figure(NamedTuple):
    """A caption, which may be empty, and at least one step."""

    caption: str
    steps: tuple[Step, ...]


def list_figures(game: Game) -> list[Figure]:
    """Parse the figures of a game's rulebook, in order; raise as `parse_figure` does, and RecordError for a block with
    the word `record`, which pages show as text.
    """
    if former := _FORMER_BLOCK.search(game.rulebook):
        number = game.rulebook.count("\n", 0, former.start()) + 1
        sentence = "rulebooks have no ```record blocks; write ```figure, the moves after “before:”, and a “caption:”"
        record_format.fail(number, sentence)
    return [parse_figure(game, text) for text in FIGURE_BLOCK.findall(game.rulebook)]


def draw_rulebook(game: Game) -> str:
    """Return a game's rulebook as Markdown, with each figure as its sentences and boards of text; raise GameError."""

    def draw_figure(block: re.Match[str]) -> str:
        figure = parse_figure(game, block[1])
        steps = [part for step in figure.steps for part in (step.text, f"```text\n{_draw_step(step)}\n```")]
        return "\n\n".join(part for part in (*steps, figure.caption) if part)

    return FIGURE_BLOCK.sub(draw_figure, game.rulebook).strip()


def _draw_step(step: Step) -> str:
    """Return the board of a step, or the pieces that it shows instead, as text."""
    return "\n".join(map(" ".join, step.pieces)) if step.pieces else str(step.view)


def parse_figure(game: Game, text: str) -> Figure:
    """Parse the text of a figure and replay its moves.

    Raise RecordError for an invalid line, an unknown token, or a token twice in one step, and OptionError,
    NotationError or IllegalMoveError for input that the game does not accept.
    """
    header, steps = _parse_lines(text)
    options = record_format.parse_json(header.get("options", "{}"), dict)
    changed = type(game)(game.spec, options, game.id if game.preset else "")
    viewer = _parse_viewer(header["viewer"]) if "viewer" in header else None
    position, last_move = _play(_begin(changed, header), header.get("before", ""), viewer)
    drawn = []
    for step in steps:
        position, words = _play(position, step.get("play", ""), viewer)
        last_move = words or last_move
        view = position.view(viewer)
        marks, ghosts = _split(step.get("mark", "")), _split(step.get("ghost", ""))
        for tokens in (marks, ghosts):
            _check_tokens(view, tokens)
        overlay = _has_overlay(view, step.get("overlay", ""))
        pieces = tuple(_split(row) for row in _split(step.get("pieces", ""), "/"))
        _check_pieces(view.game, pieces)
        drawn.append(Step(view, step.get("say", ""), marks, ghosts, overlay, pieces, last_move))
    return Figure(header.get("caption", ""), tuple(drawn))


def _parse_lines(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Parse the lines of a figure into its header and its steps, values by name; raise RecordError."""
    header: dict[str, str] = {}
    steps: list[dict[str, str]] = [{}]
    for number, line in enumerate(text.splitlines(), 1):
        name, colon, value = line.partition(":")
        if not colon or name not in (*_HEADER, *_STEP):
            allowed = ", ".join((*_HEADER, *_STEP))
            record_format.fail(
                number, f"a line of a figure is one of {allowed}, a colon and a value, not {quote(line)}"
            )
        if name == "play":
            steps.append({})
        values = header if name in _HEADER else steps[-1]
        if name in values:
            record_format.fail(number, f"this figure has {quote(name)} twice")
        values[name] = value.strip()
    return header, steps


def _parse_viewer(text: str) -> int:
    """Parse the number of a seat, which may not exist; raise RecordError."""
    if re.fullmatch("[0-9]", text, re.ASCII) is None:
        record_format.fail(0, f"the viewer is a seat such as 0, not {quote(text)}")
    return int(text)


def _begin(game: Game, header: dict[str, str]) -> Position:
    """Return the position before the moves of a figure; the deck of a game that has one is shuffled unless given."""
    if "position" in header:
        return game.position(header["position"])
    return game.start(0, header["deck"].split() if "deck" in header else None)


def _play(position: Position, moves: str, viewer: int | None) -> tuple[Position, str]:
    """Play moves with ", " between them; return the position, and the last move in words, empty for no moves."""
    words = ""
    for move in _split(moves, ", "):
        before, position = position, position.play(move)
        words = f"{before.seat_names[before.seat or 0]} {narrate(before, position, viewer).words}"
    return position, words


def _split(text: str, separator: str | None = None) -> tuple[str, ...]:
    """Split a text into its parts without surrounding spaces; none for an empty text."""
    return tuple(part.strip() for part in text.split(separator) if part.strip())


def _check_tokens(view: View, tokens: Sequence[str]) -> None:
    """Raise RecordError unless every token names an element of the view's board, and no token occurs twice."""
    elements = view.scene().board.elements
    for token in tokens:
        if tokens.count(token) > 1:
            record_format.fail(0, f"{quote(token)} is there twice")
        if not any(_is_named(element, token) for element in elements):
            record_format.fail(0, f"no place of the picture is named {quote(token)}")


def _check_pieces(game: Game, rows: Iterable[Sequence[str]]) -> None:
    """Raise RecordError unless the game can draw every one of these tokens."""
    draw = game.spec.presentation.draw_move
    for token in itertools.chain(*rows):
        if draw is None or draw(token) is None:
            record_format.fail(0, f"{game.id} has no piece named {quote(token)}")


def _has_overlay(view: View, name: str) -> bool:
    """Return whether a step names an overlay; raise RecordError if that is not the name of the game's."""
    overlay = view.overlay() if name else None
    if name and (overlay is None or overlay.name != name):
        record_format.fail(0, f"{view.game.id} has no overlay {quote(name)}")
    return bool(name)


def _is_named(element: Element, token: str) -> bool:
    """Return whether this text is the token of an element or, if no move names it, its id."""
    return token in {element.token, element.id}


def draw_step(figure: Figure, number: int) -> Scene:
    """Draw a step, from 0, as `draw_steps` does; or IndexError."""
    return draw_steps(figure)[number]


def draw_steps(figure: Figure) -> list[Scene]:
    """Draw all steps of a figure, with the classes `marked` and `ghost` on the step's places.

    All steps have the same view box, the smallest that contains those of all, so that exchanging the pictures does not
    move the page.
    """
    scenes = [_draw_pieces(step) if step.pieces else step.view.scene() for step in figure.steps]
    box = _join_boxes(scene.board.box for scene in scenes)
    return [_finish(scene, step, box) for scene, step in zip(scenes, figure.steps, strict=True)]


def _finish(scene: Scene, step: Step, box: tuple[float, float, float, float]) -> Scene:
    """Return the scene of a step in a view box, with its classes and perhaps its overlay."""
    elements = tuple(_change_classes(element, step) for element in scene.board.elements)
    scene = scene._replace(board=Part(box, elements, scene.board.label))
    overlay = step.view.overlay() if step.overlay else None
    return scene if overlay is None else add_overlay(scene, overlay)


def _draw_pieces(step: Step) -> Scene:
    """Draw the pieces of a step, of which there must be some, from left to right and from top to bottom."""
    spec = step.view.game.spec
    draw = spec.presentation.draw_move
    elements: list[Element] = []
    gap = y = width = 0.0
    for row in step.pieces:
        parts = [part for token in row if draw is not None and (part := draw(token))]
        gap = _PIECE_GAP * parts[0].box[3]
        x = gap
        for part in parts:
            left, top, wide, _ = part.box
            markup = "".join(element.markup for element in part.elements)
            moved = f'<g transform="translate({x - left:g} {y + gap - top:g})">{markup}</g>'
            elements.append(Element(f"piece-{len(elements)}", moved))
            x += wide + gap
        width = max(width, x)
        y += parts[0].box[3] + gap
    label = ", ".join(spec.explain.label(token) for row in step.pieces for token in row)
    return Scene(Part((0, 0, width, y + gap), tuple(elements), label))


def _change_classes(element: Element, step: Step) -> Element:
    """Return an element with the classes that a step gives it, and without `new`: a figure shows no animations."""
    added = ("marked", step.marks), ("ghost", step.ghosts)
    kept = [name for name in element.classes.split() if name != "new"]
    names = [name for name, tokens in added if any(_is_named(element, token) for token in tokens)]
    return element._replace(classes=" ".join([*kept, *names]))


def _join_boxes(boxes: Iterable[tuple[float, float, float, float]]) -> tuple[float, float, float, float]:
    """Return the smallest view box (x, y, width, height) that contains all of these, at least one."""
    corners = [(x, y, x + width, y + height) for x, y, width, height in boxes]
    left, top = min(corner[0] for corner in corners), min(corner[1] for corner in corners)
    right, bottom = max(corner[2] for corner in corners), max(corner[3] for corner in corners)
    return left, top, right - left, bottom - top


def describe_step(figure: Figure, number: int) -> str:
    """Describe the picture of a step, from 0, in words: the board, the last move, the points, and the marks."""
    step = figure.steps[number]
    view, scene = step.view, step.view.scene()
    label = "; ".join(view.game.spec.explain.label(token) for row in step.pieces for token in row) or scene.board.label
    sentences = [label[:1].upper() + label[1:]]
    if step.pieces:
        return f"{sentences[0]}."
    if step.last_move:
        sentences.append(f"Last move: {step.last_move}")
    if any(view.scores):
        names = view.seat_names
        sentences.append("Points: " + _list_once(f"{n} {p}" for n, p in zip(names, view.scores, strict=True)))
    for word, tokens in (("Marked", step.marks), ("Shown as if taken", step.ghosts)):
        named = [e.label or e.token for token in tokens for e in scene.board.elements if _is_named(e, token)]
        if named:
            sentences.append(f"{word}: {_list_once(named)}")
    overlay = view.overlay() if step.overlay else None
    if overlay is not None:
        sentences.append(f"{overlay.name}: {_list_once(element.label for element in overlay.elements)}")
    return ". ".join(sentences) + "."


def _list_once(words: Iterable[Any]) -> str:
    """Join words with semicolons, as they may contain commas; each once: partners share their points."""
    return "; ".join(dict.fromkeys(words))
