"""Squendo: wooden tiles whose edges meet, hidden hands, rectangles and stacks."""

from fourcorners.builtin.squendo import (
    beliefs,
    chance,
    drawing,
    edit,
    encode,
    evaluate,
    explain,
    facts,
    hints,
    move_words,
    notation,
    position_setup,
    rules,
    symmetry,
    themes,
)
from fourcorners.builtin.squendo.calibration import find_calibration
from fourcorners.builtin.squendo.exact import margin
from fourcorners.builtin.squendo.levels import BASELINES, LEVELS
from fourcorners.builtin.squendo.options import SEAT_COLOURS, SquendoOptions, check_deck, seat_names, shuffle
from fourcorners.core.encoding import DenseEncoding
from fourcorners.core.hidden_information import Deck, HiddenInformation
from fourcorners.core.presentation import Presentation
from fourcorners.core.spec import Spec
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.knowledge import SearchKnowledge
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.study.teaching import Teaching

SPEC = Spec(
    id="squendo",
    title="Squendo",
    summary="Lay wooden tiles edge to edge, fill rectangles with your colour, and stack tiles to defend or to attack.",
    facts=("2, 3 or 4 players", "20 minutes", "hidden hands, a shuffled pile", "tile laying, most points win"),
    options=SquendoOptions,
    rules=rules,
    notation=notation,
    drawing=drawing,
    explain=explain,
    presentation=Presentation(
        ending_clauses=explain.ENDING_CLAUSES,
        describe_move=move_words.describe_move,
        name_move=move_words.name_move,
        list_explanations=move_words.list_explanations,
        first_explanation=move_words.FIRST_EXPLANATION,
        draw_move=drawing.draw_move,
        describe_effect=explain.describe_effect,
        prompts=explain.PROMPTS,
    ),
    deck=Deck(shuffle, check_deck),
    hidden_information=HiddenInformation(
        notation.mask_move, notation.has_drawn, margin.can_infer_hands, position_setup.list_covered
    ),
    list_equivalent_texts=symmetry.list_equivalent_texts,
    package=__name__,
    seat_names=seat_names,
    seat_colours=SEAT_COLOURS,
    editor=edit,
    parts=(
        SearchKnowledge(evaluate, beliefs.weigh_worlds),
        DenseEncoding(encode, chance),
        ExactPlay(margin, estimate_cost=margin.estimate_cost),
        ComputerPlay(LEVELS, BASELINES, find_calibration, hints=hints),
        Teaching(facts, themes),
    ),
)
