"""Read the JSON of a review, as `json_report` writes it."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from fourcorners.core.match import Record
from fourcorners.study.evaluation import Evaluation, Interval, Loss
from fourcorners.study.labels import Label
from fourcorners.study.move_review import MoveReview, Phase
from fourcorners.study.review import Review
from fourcorners.study.statements import Check, Statement
from fourcorners.study.stored_positions import read_positions
from fourcorners.study.summary import PlayerSummary


def read_json(data: Mapping[str, Any], check: Callable[[], None] | None = None) -> Review:
    """Return the review that `json_report.build_json` wrote as `data`, up to rounding, with its positions.

    If `data` has no valid "positions" from `write_positions`, the record is replayed; raise RecordError if the current
    rules do not allow that. `check` is as for `Record.replay`.
    """
    record = Record.read_unplayed(data["record"])
    moves = tuple(_read_move(move) for move in data["moves"])
    positions = read_positions(record.game, [(move.seat, move.move) for move in moves], data.get("positions"))
    if positions is None:
        match = Record.replay(data["record"], check)
        record, positions = match.record(), tuple(match.positions)
    return Review(
        record=record,
        result=data["result"],
        moves=moves,
        players=tuple(_read_player(player) for player in data["players"]),
        all_points=data["all_points"],
        knowledge=data["knowledge"],
        is_complete=data["complete"],
        seconds=data["seconds"],
        positions=positions,
    )


def _read_move(data: Mapping[str, Any]) -> MoveReview:
    evaluation, loss, label = data["evaluation"], data["loss"], data["label"]
    return MoveReview(
        ply=data["ply"],
        seat=data["seat"],
        move=data["move"],
        phase=Phase(data["phase"]),
        evaluation=None
        if evaluation is None
        else Evaluation(
            _read_interval(evaluation["margin"]),
            _read_interval(evaluation["win"]),
            evaluation["exact"],
            evaluation["decided"],
        ),
        loss=None if loss is None else Loss(_read_interval(loss["points"]), _read_interval(loss["win"]), loss["exact"]),
        label=None if label is None else Label(label),
        best_moves=tuple(data["best_moves"]),
        statements=tuple(
            Statement(
                statement["text"],
                tuple(statement["line"]),
                tuple(Check(**{**check, "line": tuple(check["line"])}) for check in statement["checks"]),
                statement["theme"],
            )
            for statement in data["statements"]
        ),
    )


def _read_interval(data: Mapping[str, float | None]) -> Interval:
    """Return an interval; None stands for an infinite end."""
    low, value, high = data["low"], data["value"], data["high"]
    return Interval(
        math.nan if value is None else value, -math.inf if low is None else low, math.inf if high is None else high
    )


def _read_player(data: Mapping[str, Any]) -> PlayerSummary:
    return PlayerSummary(
        data["seat"],
        data["name"],
        {Label(label): count for label, count in data["labels"].items()},
        {Phase(phase): points for phase, points in data["points_lost"].items()},
        {Phase(phase): chance for phase, chance in data["chance_lost"].items()},
        data["turning_point"],
        data["theme"],
        data["advice"],
    )
