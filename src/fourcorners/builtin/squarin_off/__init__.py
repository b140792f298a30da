"""Squarin' Off, and Dots and Boxes as a preset of it."""

from dataclasses import replace

from fourcorners.builtin.squarin_off import (
    drawing,
    edit,
    encode,
    evaluate,
    explain,
    facts,
    hints,
    notation,
    rules,
    symmetry,
    themes,
)
from fourcorners.builtin.squarin_off.calibration import find_calibration
from fourcorners.builtin.squarin_off.exact import book, graph, joints, margin
from fourcorners.builtin.squarin_off.imports import IMPORTERS
from fourcorners.builtin.squarin_off.levels import BASELINES, DOTS_AND_BOXES_LEVELS, LEVELS
from fourcorners.builtin.squarin_off.options import SquarinOffOptions, list_seat_names
from fourcorners.core.encoding import DenseEncoding
from fourcorners.core.presentation import Presentation
from fourcorners.core.spec import Preset, Showcase, Spec
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.knowledge import SearchKnowledge
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.study.teaching import Teaching

_COMPUTER_PLAY = ComputerPlay(LEVELS, BASELINES, find_calibration, graph.count_points_left, hints)
SPEC = Spec(
    id="squarin-off",
    title="Squarin’ Off",
    summary="Complete boxes worth one, two or three points, and cut long chains with blockers.",
    facts=(
        "Amura Unlimited LLC, 1986 and 2016",
        "2, 3 or 4 players, or two teams of two",
        "nothing hidden, most points win",
    ),
    options=SquarinOffOptions,
    rules=rules,
    editor=edit,
    notation=notation,
    drawing=drawing,
    explain=explain,
    presentation=Presentation(
        ending_clauses=explain.ENDING_CLAUSES,
        describe_move=explain.describe_move,
        list_explanations=explain.list_explanations,
        draw_overlay=drawing.draw_overlay,
        prompts=explain.PROMPTS,
        points_clause=explain.POINTS_CLAUSE,
        list_areas=drawing.list_areas,
    ),
    importers=IMPORTERS,
    list_equivalent_texts=symmetry.list_equivalent_texts,
    package=__name__,
    starter={"cols": 5, "rows": 5, "blockers": 2, "values": ["11111", "12221", "12321", "12221", "11111"]},
    presets={
        "dots-and-boxes": Preset(
            title="Dots and Boxes",
            options={"players": 2, "values": "1", "blockers": 0},
            defaults={"cols": 5, "rows": 5},
            summary="The classic: draw an edge, take the box that it completes, and draw again.",
            facts=("Édouard Lucas, 1889", "2 players", "nothing hidden, most boxes win"),
            rulebook="dots_and_boxes.md",
            cover="dots_and_boxes.record",
            unused=("edition", "teams", "chips"),
            starter={"cols": 4, "rows": 4},
            showcase=Showcase(
                {"cols": 3, "rows": 3},
                "Draw a line between two dots. If you draw the fourth side of a box, you take it and draw again.",
            ),
            parts=(replace(_COMPUTER_PLAY, levels=DOTS_AND_BOXES_LEVELS),),
        )
    },
    seat_names=list_seat_names,
    parts=(
        SearchKnowledge(evaluate),
        DenseEncoding(encode),
        ExactPlay(margin, joints, estimate_cost=margin.estimate_cost, list_known_values=book.list_known_values),
        _COMPUTER_PLAY,
        Teaching(facts, themes),
    ),
)
