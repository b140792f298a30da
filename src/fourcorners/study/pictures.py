"""Pictures of a review: the board before a move, as its player saw it, with the places of a move marked."""

import base64

from fourcorners.core.figures import Figure, Step, describe_step, draw_step
from fourcorners.core.position import Position, View
from fourcorners.core.scene import render_svg


def draw_move(position: Position, move: str, theme: str) -> str:
    """Draw what the seat to move sees, with a move marked, as the address of an SVG image."""
    figure = _make_figure(position, move)
    style = position.game.spec.drawing.STYLE
    scene = draw_step(figure, 0)._replace(tray=None)
    svg = render_svg(scene, style, theme)
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def describe_move(position: Position, move: str) -> str:
    """Describe the same picture in words."""
    return describe_step(_make_figure(position, move), 0)


def _make_figure(position: Position, move: str) -> Figure:
    tokens = tuple(token.removeprefix("#") for token in move.split(" "))
    seen = position.view(position.seat)
    # Without history nothing but the move is marked.
    view = View(seen.game, seen.states, (), seen.viewer)
    return Figure("", (Step(view, "", tokens, ()),))
