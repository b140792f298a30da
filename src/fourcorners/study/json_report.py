"""A review as JSON values. The schema is documented in `docs/reviews.md`."""

import math
from typing import Any

from fourcorners.study.evaluation import Interval
from fourcorners.study.move_review import MoveReview
from fourcorners.study.review import Review
from fourcorners.study.summary import PlayerSummary

SCHEMA = "fourcorners review 2"
"""A new number means that the keys, or the way to find their values, have changed; stored reviews are then made again.
"""


def build_json(review: Review) -> dict[str, Any]:
    """Return a review as JSON values by name; unknown values are None."""
    return {
        "schema": SCHEMA,
        "game": review.record.game.id,
        "options": review.record.game.given_options(),
        "record": str(review.record),
        "result": review.result,
        "knowledge": review.knowledge,
        "complete": review.is_complete,
        "seconds": review.seconds,
        "all_points": round(review.all_points, 3),
        "players": [_build_player(player) for player in review.players],
        "moves": [build_move(move) for move in review.moves],
    }


def _build_player(player: PlayerSummary) -> dict[str, Any]:
    return {
        "seat": player.seat,
        "name": player.name,
        "labels": {label.value: count for label, count in player.labels.items()},
        "points_lost": {phase.value: round(points, 3) for phase, points in player.points_lost.items()},
        "chance_lost": {phase.value: round(chance, 4) for phase, chance in player.chance_lost.items()},
        "turning_point": player.turning_point,
        "theme": player.theme,
        "advice": player.advice,
    }


def build_move(move: MoveReview) -> dict[str, Any]:
    """Return one move of a review as JSON values by name."""
    evaluation, loss = move.evaluation, move.loss
    return {
        "ply": move.ply,
        "seat": move.seat,
        "move": move.move,
        "phase": move.phase.value,
        "label": None if move.label is None else move.label.value,
        "evaluation": None
        if evaluation is None
        else {
            "margin": _build_interval(evaluation.margin),
            "win": _build_interval(evaluation.win),
            "exact": evaluation.exact,
            "decided": evaluation.decided,
        },
        "loss": None
        if loss is None
        else {"points": _build_interval(loss.points), "win": _build_interval(loss.win), "exact": loss.exact},
        "best_moves": list(move.best_moves),
        "statements": [
            {
                "text": statement.text,
                "line": list(statement.line),
                "theme": statement.theme,
                "checks": [{**check._asdict(), "line": list(check.line)} for check in statement.checks],
            }
            for statement in move.statements
        ],
    }


def _build_interval(interval: Interval) -> dict[str, float | None]:
    """Return the three numbers; an infinite end is None."""
    return {
        name: round(number, 4) if math.isfinite(number) else None
        for name, number in zip(("value", "low", "high"), interval, strict=True)
    }
