"""The contract of a game: the interfaces of its modules, and of the games and views that these may use."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from fourcorners.core.arrays import Actions, Points, Rng, State, States
from fourcorners.core.errors import Reason
from fourcorners.core.scene import Scene, Style
from fourcorners.core.termination import Termination


class GameLike(Protocol):
    """The part of a `core.game.Game` that a game's modules may use."""

    @property
    def id(self) -> str: ...
    @property
    def options(self) -> Any: ...
    @property
    def seats(self) -> int: ...
    def given_options(self) -> dict[str, Any]: ...
    def change_options(self, changes: Mapping[str, Any]) -> Self: ...


class Ply(NamedTuple):
    """One move by one seat, as the viewer saw it."""

    seat: int
    move: str


class ViewLike(Protocol):
    """The part of a `core.game.View` that a game's modules may use."""

    @property
    def game(self) -> GameLike: ...
    @property
    def viewer(self) -> int | None: ...
    @property
    def states(self) -> States: ...
    @property
    def record(self) -> State: ...
    @property
    def seat(self) -> int | None: ...
    @property
    def seat_names(self) -> tuple[str, ...]: ...
    @property
    def scores(self) -> tuple[int, ...]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def text(self) -> str: ...
    @property
    def plies(self) -> tuple[Ply, ...]: ...
    @property
    def history(self) -> tuple[str, ...]: ...
    @property
    def last_move_text(self) -> str: ...
    def __hash__(self) -> int: ...


class Rules(Protocol):
    """`rules.py`: the rules of a game. All functions but `start` can be compiled; they do not check their arguments.

    A game with hidden information also defines `hide(s, seat)`, `deal(s, rng)` and `can_play(s, action)`. A game that
    accepts some illegal actions, with a consequence, defines `accepts_illegal(s, action)`. The stubs of `core.dispatch`
    document each function.
    """

    DTYPE: np.dtype[np.void]
    MAX_SEATS: int
    MAX_PLIES: int

    def start(self, s: State, options: Any, deck: tuple[str, ...]) -> None: ...
    def bound(self, s: State) -> int: ...
    def legal(self, s: State, out: Actions) -> int: ...
    def play(self, s: State, action: int) -> None: ...
    def pick(self, s: State, rng: Rng) -> int: ...
    def to_move(self, s: State) -> int: ...
    def is_over(self, s: State) -> bool: ...
    def points(self, s: State, out: Points) -> None: ...


class Notation(Protocol):
    """`notation.py`: actions and positions as text. It runs interpreted, on records with attributes."""

    def parse(self, s: State, text: str) -> int:
        """Parse a move in canonical form as an action, legal in this position or not.

        Raise NotationError, with the code "hidden" for the masked form in which other seats see a move.
        """

    def format(self, s: State, action: int) -> str:
        """Format an action that has not been played yet as a move."""

    def write(self, s: State) -> str:
        """Write a position as one line."""

    def read(self, s: State, options: Any, text: str) -> None:
        """Fill a zeroed record from such a line and check everything; raise NotationError."""


class HiddenNotation(Notation, Protocol):
    """`notation.py` of a game with hidden information."""

    def read_view(self, s: State, options: Any, text: str, seat: int) -> None:
        """Fill a zeroed record from the line of a view; `seat` is -1 for a spectator. Raise NotationError."""


class Explain(Protocol):
    """`explain.py`: the game in words."""

    def explain_illegal_action(self, s: State, action: int) -> Reason:
        """Explain why an action is not legal in a game that is not over."""

    def explain_tokens(self, s: State, tokens: tuple[str, ...]) -> Reason | None:
        """Explain why no legal move begins with these tokens; None if they are not tokens of this game."""

    def classify_ending(self, s: State) -> Termination:
        """Return the ending of a finished game."""

    def label(self, token: str) -> str:
        """Label a token for a button and a screen reader."""


class Drawing(Protocol):
    """`drawing.py`: pictures of a view."""

    STYLE: Style

    def draw_scene(self, view: ViewLike) -> Scene:
        """Draw a view."""

    def draw_text(self, view: ViewLike) -> str:
        """Draw the board as lines of text, for a terminal."""

    def list_facts(self, view: ViewLike) -> tuple[tuple[int | None, str, str], ...]:
        """List the facts to show beside the board: a seat (None: the table), a name such as "marks", and a value."""


class Tool(NamedTuple):
    """A tool of a position editor, such as "edges": an id, and a label for a button."""

    id: str
    label: str


class Editor(Protocol):
    """`edit.py`: setting up positions by hand, one change after the other.

    A draft is a line of text like that of a position; it may need further changes to become one.
    """

    def list_tools(self, options: Any) -> Sequence[Tool]:
        """List the tools, the most useful first."""

    def list_edits(self, s: State, tool: str) -> Sequence[str]:
        """List the edits that a tool can make, sorted, each as tokens like those of a move.

        The name of an element of the picture serves as a token where no move begins. Raise OptionError for an unknown
        tool.
        """

    def label_token(self, token: str) -> str:
        """Return the label of a token of an edit that no element of the picture shows."""

    def edit(self, s: State, options: Any, tool: str, edit: str) -> str:
        """Return the draft after an edit; raise NotationError if no further edits can make it a position."""

    def read_draft(self, s: State, options: Any, text: str) -> None:
        """Fill a zeroed record from a draft with the fields that a picture needs; raise NotationError."""
