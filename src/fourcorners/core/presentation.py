"""The optional words and pictures of a game's moves and boards."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fourcorners.core.arrays import State
from fourcorners.core.contract import ViewLike
from fourcorners.core.scene import Area, Overlay, Part
from fourcorners.core.termination import CLAUSES, Termination


class Explanation(NamedTuple):
    """One sentence that explains a feature of a move; a page shows it once, by its `id` within the game.

    The id consists of lower-case letters and hyphens.
    """

    id: str
    sentence: str


@dataclass(frozen=True)
class Presentation:
    """The words and pictures of a game; by default a move is its text."""

    ending_clauses: Mapping[Termination, str] = field(default_factory=lambda: CLAUSES)
    """The game's wordings of its endings; see `core.termination.describe`."""
    describe_move: Callable[[ViewLike, ViewLike], str] = field(default=lambda _, after: after.history[-1])
    """A function that returns the last move in words, a clause without subject: "drew c4–d4". Its arguments are one
    viewer's views before and after the move.
    """
    name_move: Callable[[State, str], str] = field(default=lambda _, move: move)
    """A function that names a legal move in a sentence: by its notation, or by a noun such as "the red cross at 0,1" if
    players do not read the notation.
    """
    list_explanations: Callable[[ViewLike, ViewLike], Sequence[Explanation]] = field(default=lambda *_: ())
    """A function that returns sentences that explain the last move to a newcomer, given the same two views."""
    first_explanation: Explanation | None = None
    """The explanation that a newcomer needs before the first move; pages show it once, like the others."""
    draw_overlay: Callable[[ViewLike], Overlay | None] = field(default=lambda _: None)
    """A function that draws an overlay for studying a position; None if there is none."""
    draw_move: Callable[[str], Part | None] | None = None
    """A function that draws a move, or one of its tokens, as small as a word, or returns None. It draws only the move's
    text, so a masked move reveals no more.
    """
    describe_effect: Callable[[State, str], str] | None = None
    """A function that returns the effect of a legal move beyond its tokens, a clause such as "discards two tiles", or
    "".
    """
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The prompts for the next choice: by the first word of tokens such as `leave:B1x` that follow, or by the token of
    a carried piece. Each is one sentence; if it ends with a colon, all choices are listed after it.
    """
    points_clause: re.Pattern[str] | None = None
    """Matches the points in the description of a move; only for a game whose points can be counted on the board and
    whose facts do not tell them. A table of such a game may hide all points until its end.
    """
    list_areas: Callable[[ViewLike], Sequence[Area]] = field(default=lambda _: ())
    """A function that returns all scoring areas of a final board, which players count by tapping; if none, they type
    counts.
    """
