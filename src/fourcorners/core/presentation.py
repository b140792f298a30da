"""How a game tells and shows its moves and boards, beyond what its modules must do."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fourcorners.core.arrays import State
from fourcorners.core.contract import ViewLike
from fourcorners.core.scene import Area, Overlay, Part
from fourcorners.core.termination import CLAUSES, Termination


class Explanation(NamedTuple):
    """One sentence about something that a move shows; a page shows it once, and knows it by its `id` within the game.

    The id consists of lower-case letters and hyphens.
    """

    id: str
    sentence: str


@dataclass(frozen=True)
class Presentation:
    """The words and pictures of a game; by default a move is its text."""

    ending_clauses: Mapping[Termination, str] = field(default_factory=lambda: CLAUSES)
    """The game's own wordings of how it ends; see `core.termination.describe`."""
    describe_move: Callable[[ViewLike, ViewLike], str] = field(default=lambda _, after: after.history[-1])
    """Returns the last move in words, a clause without subject: "drew c4–d4". The arguments are what one viewer may
    know before the move and after it.
    """
    name_move: Callable[[State, str], str] = field(default=lambda _, move: move)
    """Returns how a sentence names a legal move: by its notation, or by a noun such as "the red cross at 0,1" where
    players do not read the notation.
    """
    list_explanations: Callable[[ViewLike, ViewLike], Sequence[Explanation]] = field(default=lambda *_: ())
    """Returns sentences about what the last move shows a newcomer, given the same two views."""
    first_explanation: Explanation | None = None
    """What a newcomer must know before the first move; pages show it once, like the others."""
    draw_overlay: Callable[[ViewLike], Overlay | None] = field(default=lambda _: None)
    """Draws over the board what helps to study a position; None if there is nothing."""
    draw_move: Callable[[str], Part | None] | None = None
    """Draws a move, or one of its tokens, as small as a word; None if there is nothing to draw. Its text is all that
    is drawn: of a masked move nothing else can be seen.
    """
    describe_effect: Callable[[State, str], str] | None = None
    """Returns what a legal move does that its tokens do not say, a clause such as "discards two tiles", or ""."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """What to choose next where tokens such as `leave:B1x` follow, by their first word, or where a piece that was
    carried lies, by its token: one sentence each, after which all choices are listed if it ends with a colon.
    """
    points_clause: re.Pattern[str] | None = None
    """Matches the points in the description of a move; only for a game whose points can be counted on the board and
    whose facts do not tell them. A table of such a game may hide all points until its end.
    """
    list_areas: Callable[[ViewLike], Sequence[Area]] = field(default=lambda _: ())
    """Returns all that counts on a final board, so that players can count it by tapping; none: they only type counts.
    """
