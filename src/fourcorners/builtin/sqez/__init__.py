"""Sqez, a pencil-and-paper game on a field of dots by Donald Laycock."""

from fourcorners.builtin.sqez import (
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
from fourcorners.builtin.sqez.calibration import find_calibration
from fourcorners.builtin.sqez.exact import nimber
from fourcorners.builtin.sqez.levels import BASELINES, LEVELS
from fourcorners.builtin.sqez.options import SqezOptions, seat_names
from fourcorners.core.encoding import DenseEncoding
from fourcorners.core.presentation import Presentation
from fourcorners.core.spec import Spec
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.knowledge import SearchKnowledge
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.study.teaching import Teaching

SPEC = Spec(
    id="sqez",
    title="Sqez",
    summary="Draw rectangles round free dots without retracing a line; the player who draws the last one wins.",
    facts=(
        "2 to 8 players",
        "Donald Laycock, 1973",
        "Games and Puzzles magazine",
        "pattern building, paper-and-pencil",
        "nothing hidden, the last move wins",
    ),
    options=SqezOptions,
    rules=rules,
    notation=notation,
    drawing=drawing,
    explain=explain,
    scoring="last-move",
    presentation=Presentation(
        ending_clauses=explain.ENDING_CLAUSES,
        describe_move=explain.describe_move,
        list_explanations=explain.list_explanations,
    ),
    list_offered_moves=notation.list_offered_moves,
    list_equivalent_texts=symmetry.list_equivalent_texts,
    package=__name__,
    starter={"cols": 10, "rows": 10},
    sizes={name: {"cols": side, "rows": side} for name, side in (("small", 8), ("standard", 10), ("large", 14))},
    editor=edit,
    seat_names=seat_names,
    parts=(
        SearchKnowledge(evaluate),
        DenseEncoding(encode),
        ExactPlay(nimber, estimate_cost=nimber.estimate_cost, estimate_move_costs=nimber.estimate_move_costs),
        ComputerPlay(LEVELS, BASELINES, find_calibration, hints=hints),
        Teaching(facts, themes),
    ),
)
