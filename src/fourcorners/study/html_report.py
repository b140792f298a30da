"""A review as one HTML page: no scripts, and nothing that has to be loaded from elsewhere."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from fourcorners.study import wording
from fourcorners.study.graph import draw_graph
from fourcorners.study.labels import measure_severity
from fourcorners.study.pictures import describe_move, draw_move
from fourcorners.study.review import MoveReview, Review

_MOST_PICTURES = 12
"""The worst errors get pictures: each takes about a hundred kilobytes."""


def build_html(review: Review) -> str:
    """Return a review as the text of an HTML document."""
    worst = sorted(review.errors, key=lambda move: (-_measure(move, review), move.ply))[:_MOST_PICTURES]
    return _load_template().render(
        review=review,
        game=review.record.game,
        names=wording.list_names(review),
        has_points=wording.has_points(review),
        graph=Markup(draw_graph(review)),  # noqa: S704  # all text in it is escaped
        pictured={move.ply for move in worst},
        themes=("light", "dark"),
        draw_move=draw_move,
        describe_move=describe_move,
        wording=wording,
    )


def _measure(move: MoveReview, review: Review) -> float:
    return 0.0 if move.loss is None else measure_severity(move.loss, review.all_points)


@cache
def _load_template() -> Template:
    loader = PackageLoader("fourcorners.study", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("review.html")
