"""Pictures and documents of the analysis board: of a position with its marks, or of the moves that lead there."""

from collections.abc import Sequence
from typing import NamedTuple

from fourcorners.core.annotations import Mark
from fourcorners.core.game import View
from fourcorners.core.game_tree import MAX_COMMENT_LENGTH
from fourcorners.core.plurals import pluralise
from fourcorners.study import stills
from fourcorners.study.paper import print_position
from fourcorners.study.rendering import ANIMATIONS, Check, render_png
from fourcorners.study.stills import Animation, Colours, Score
from fourcorners.study.value_badges import Worths
from fourcorners.web.application.analysis_board import Line
from fourcorners.web.application.pictures import CPU_SECONDS, MAX_ANIMATION_WIDTH, MAX_FRAMES, MEDIA_TYPES
from fourcorners.web.domain.names import clean_line

PDF = "pdf"
LINE_MEDIA_TYPES = {**MEDIA_TYPES, PDF: "application/pdf"}


class LineOrder(NamedTuple):
    """What to draw: a kind of LINE_MEDIA_TYPES, the marks at the start of a line and after each of its moves, the
    comment on its last position, which an animation does not show, and the values of the moves there.
    """

    kind: str
    marks: Sequence[Sequence[Mark]]
    comment: str
    colours: Colours
    width: int
    pause: int
    last: int | None = None
    worths: Worths | None = None


def draw_line(line: Line, order: LineOrder, check: Check) -> bytes:
    """Draw the last position of a line as the board shows it, or an animation of all its positions as everyone sees
    them.

    A PDF ignores the colours. Raise OptionError for colours that are not allowed, RenderingError, and what
    `check` raises.
    """
    stills.check_last(order.kind, order.last)
    count = len(line.positions)
    marks = [*order.marks[: count + 1], *([()] * (count + 1 - len(order.marks)))]
    if order.kind in ANIMATIONS:
        animation = Animation(order.kind, min(order.width, MAX_ANIMATION_WIDTH), order.pause, MAX_FRAMES, order.last)
        return stills.render_game(
            _list_public_views(line), animation, order.colours, marks, Score(), cpu_seconds=CPU_SECONDS, check=check
        )
    if order.kind == PDF:
        document = print_position(
            line.view, caption=_write_caption(count, order.comment), marks=marks[-1], worths=order.worths
        )
        return document.render(cpu_seconds=CPU_SECONDS, check=check)
    # An SVG cannot have control characters, not even as entities.
    caption = clean_line(order.comment, MAX_COMMENT_LENGTH)
    svg = stills.draw_still(line.view, order.colours, marks[-1], order.worths, caption=caption)
    if order.kind == "svg":
        return svg.encode()
    return render_png(svg, order.width, order.colours.background, cpu_seconds=CPU_SECONDS, check=check)


def _list_public_views(line: Line) -> list[View]:
    """Return the public view of each position; a line that begins with one seat's view has only that view."""
    if isinstance(line.start, View):
        return [line.start]
    return [position.view() for position in (line.start, *line.positions)]


def _write_caption(count: int, comment: str) -> str:
    """Say which position of a line a document shows, and what was noted there."""
    place = pluralise(count, "After {} move", "After {} moves") if count else ""
    return ". ".join(filter(None, [place, " ".join(comment.split())]))
