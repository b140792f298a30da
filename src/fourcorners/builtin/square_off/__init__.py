"""Square Off: two colours of men on a board of four quarters, marked by the squares that they complete."""

from fourcorners.builtin.square_off import (
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
from fourcorners.builtin.square_off.calibration import find_calibration
from fourcorners.builtin.square_off.exact import margin
from fourcorners.builtin.square_off.levels import BASELINES, LEVELS
from fourcorners.builtin.square_off.options import SquareOffOptions, list_seat_names
from fourcorners.core.encoding import DenseEncoding
from fourcorners.core.presentation import Presentation
from fourcorners.core.spec import Spec
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.knowledge import SearchKnowledge
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.study.teaching import Teaching

SPEC = Spec(
    id="square-off",
    title="Square Off",
    summary="Take turns to place men on a board of four quarters. Four men at the corners of a square are marked, "
    "and the most marked men win.",
    facts=("2 players", "MindSports", "nothing hidden, most marked men win"),
    options=SquareOffOptions,
    rules=rules,
    notation=notation,
    drawing=drawing,
    explain=explain,
    presentation=Presentation(
        ending_clauses=explain.ENDING_CLAUSES,
        describe_move=explain.describe_move,
        list_explanations=explain.list_explanations,
    ),
    editor=edit,
    list_equivalent_texts=symmetry.list_equivalent_texts,
    package=__name__,
    starter={"size": 6},
    seat_names=list_seat_names,
    find_seat_names=explain.find_seat_names,
    parts=(
        SearchKnowledge(evaluate),
        DenseEncoding(encode),
        ExactPlay(margin, estimate_cost=margin.estimate_cost),
        ComputerPlay(LEVELS, BASELINES, find_calibration, hints=hints),
        Teaching(facts, themes),
    ),
)
