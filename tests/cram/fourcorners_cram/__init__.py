"""Cram, a game of dominoes in which the last move wins: a complete game in a separate package."""

from fourcorners.core.presentation import Presentation
from fourcorners.core.spec import Spec
from fourcorners.core.termination import Termination
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners_cram import drawing, exact, explain, notation, rules
from fourcorners_cram.options import CramOptions

SPEC = Spec(
    id="cram",
    title="Cram",
    summary="Take turns to lay dominoes on a board; the player who lays the last one wins.",
    facts=("Göran Andersson", "Martin Gardner, Scientific American, 1974"),
    options=CramOptions,
    rules=rules,
    notation=notation,
    drawing=drawing,
    explain=explain,
    package=__name__,
    scoring="last-move",
    presentation=Presentation(ending_clauses={Termination.NO_MOVES: "no domino fits"}),
    parts=(ExactPlay(exact),),
)
