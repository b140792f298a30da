"""A review as HTML: one self-contained page without scripts, and its parts for other pages."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fourcorners.core.game import Game, Position
from fourcorners.core.narration import name_move
from fourcorners.study import wording
from fourcorners.study.graph import describe_graph, draw_graph, link_ply
from fourcorners.study.labels import measure_severity
from fourcorners.study.move_review import MoveReview
from fourcorners.study.pictures import embed_move
from fourcorners.study.review import Review
from fourcorners.study.statements import Statement
from fourcorners.study.summary import PlayerSummary

MOST_PICTURES = 12
"""Only the worst errors get pictures, since each takes about a hundred kilobytes of the page."""
_KINDS_OF_RESULTS = {"margin", "value"}
"""The kinds of checks of statements that only say how a game ends."""


class LessonLink(NamedTuple):
    """A lesson: its name, such as "a-game/rules", and its title."""

    name: str
    title: str


def render_sentence(statement: Statement) -> Markup:
    """Return the sentence of a statement as HTML, with the moves of its line as code, since some have several words."""
    moves = "|".join(re.escape(move) for move in sorted(set(statement.line), key=len, reverse=True))
    parts = re.split(rf"(?<!\w)({moves})(?!\w)", statement.text)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def render_move(position: Position, move: str) -> Markup:
    """Return a legal move as a sentence names it, as HTML: notation as code, or words."""
    name = name_move(position, move)
    return Markup("<code>{}</code>").format(name) if name == move else escape(name)


@dataclass(frozen=True)
class Report:
    """The data for the macros of `templates/report.html`.

    `draw_board` returns the picture of a move in the position before a ply, counted from 0. With a stepper, the page
    can show any ply, as `?ply=1` and so on; `shown_ply` is the ply shown, counted from 0. `find_lesson` returns the
    game's lesson that teaches a theme, if there are pages of lessons.
    """

    review: Review
    draw_board: Callable[[int, str], Markup]
    shown_ply: int | None = None
    find_lesson: Callable[[Game, str], LessonLink | None] = lambda *_: None

    wording = wording
    render_sentence = staticmethod(render_sentence)

    @staticmethod
    def find_reason(move: MoveReview) -> Statement | None:
        """Return the statement that best explains an error: what the move allows, gives away or leaves.

        Return None if only results are known.
        """
        reasons = [each for each in move.statements if each.theme or {c.kind for c in each.checks} - _KINDS_OF_RESULTS]
        return next((each for each in reasons if each.line[0] == move.move), reasons[0] if reasons else None)

    @staticmethod
    def find_better(move: MoveReview) -> str:
        """Return the best move in place of an error; empty if none was found."""
        return next(iter(move.best_moves), "") if move.move not in move.best_moves else ""

    def link_ply(self, ply: int) -> str:
        """Return the link to a ply."""
        return link_ply(ply, has_stepper=self.has_stepper)

    def render_move(self, ply: int, move: str) -> Markup:
        """Return a move as a sentence names it, in the position before a ply."""
        return render_move(self.review.positions[ply], move)

    @property
    def has_stepper(self) -> bool:
        return self.shown_ply is not None

    @property
    def names(self) -> tuple[str, ...]:
        return wording.list_names(self.review)

    def find_lesson_of(self, player: PlayerSummary) -> LessonLink | None:
        """Return the lesson about a player's main theme to learn; None if there is none."""
        return self.find_lesson(self.review.record.game, player.theme)

    @property
    def has_points(self) -> bool:
        return wording.has_points(self.review)

    @property
    def graph_title(self) -> str:
        return describe_graph(self.review)

    @property
    def graph(self) -> Markup:
        return Markup(draw_graph(self.review, self.shown_ply))  # noqa: S704  # all text in it is escaped

    @property
    def plies_with_pictures(self) -> frozenset[int]:
        """The plies of the errors that get pictures."""
        worst = sorted(self.review.errors, key=lambda move: (-self._measure(move), move.ply))
        return frozenset(move.ply for move in worst[:MOST_PICTURES])

    def _measure(self, move: MoveReview) -> float:
        return 0.0 if move.loss is None else measure_severity(move.loss, self.review.all_points)


def build_html(review: Review) -> str:
    """Return a review as the text of an HTML document."""
    report = Report(review, lambda ply, move: embed_move(review.positions[ply], move))
    return _load_environment().get_template("review.html").render(report=report)


def load_style() -> str:
    """Return the style sheet of the parts; the page declares their colours as variables."""
    return _load_environment().get_template("review.css").render()


def create_loader() -> PackageLoader:
    """Return a loader of the templates."""
    return PackageLoader("fourcorners.study", "templates")


@cache
def _load_environment() -> Environment:
    return Environment(
        loader=create_loader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
