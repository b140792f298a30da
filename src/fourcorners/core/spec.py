"""What a game's folder gives to the rest: its facts and its modules, in one frozen object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from fourcorners.core.errors import OptionError, Reason
from fourcorners.core.levels import USUAL, Level

if TYPE_CHECKING:
    from fourcorners.core.dispatch import Rules, State
    from fourcorners.core.hint_claims import Hint
    from fourcorners.core.options import Options
    from fourcorners.core.position import View
    from fourcorners.core.scene import Scene, Style


class Notation(Protocol):
    """`notation.py`: text to code and back. It runs in Python, over a record with attributes.

    Optional: `public(text)`, a move as the other seats see it in games with hidden choices (`parse` refuses what is
    written only so, with the code "hidden");
    `offered(s)`, the moves a page offers, sorted, where those are not the legal ones, else None;
    `drew(before, after)`, whether something hidden was drawn between two records (without it, always).
    """

    def parse(self, s: State, text: str) -> int:
        """Read a move's canonical text as an action of this position, legal or not; raise NotationError."""

    def format(self, s: State, action: int) -> str:
        """Write an action before it is played."""

    def write(self, s: State) -> str:
        """Write a position as one line."""

    def read(self, s: State, options: Any, text: str) -> None:
        """Fill a zeroed record from such a line, checking everything; raise NotationError."""


class HidingNotation(Notation, Protocol):
    """What `notation.py` is in a game that hides something."""

    def read_view(self, s: State, options: Any, text: str, seat: int) -> None:
        """Read like `read` what `write` writes of what a seat, or -1 for a spectator, may know."""


class Explain(Protocol):
    """`explain.py`: the game in words."""

    def refuse(self, s: State, action: int) -> Reason:
        """Say why an action that can be read is not legal in a running game."""

    def point(self, s: State, tokens: tuple[str, ...]) -> Reason | None:
        """Say why no move begins with these tokens; None where the tokens are not of this game."""

    def ending(self, s: State) -> str:
        """Say in a few words why a game that is over has ended."""

    def label(self, token: str) -> str:
        """Name a token for a button and a screen reader."""


class Drawing(Protocol):
    """`drawing.py`: pictures of a view.

    Optional: `overlay(view)`, an Overlay for those who study a position.
    """

    STYLE: Style

    def scene(self, view: View) -> Scene:
        """Draw what the viewer may see."""

    def text(self, view: View) -> str:
        """Draw the board as lines of text, for a terminal."""

    def facts(self, view: View) -> tuple[tuple[int | None, str, str], ...]:
        """List what to show beside the board: a seat or None for the table, a name ("marks", "pile"), a value."""


class Hints(Protocol):
    """`hints.py`: why a move is good."""

    def hint(self, view: View, action: int) -> Hint:
        """Say what speaks for a legal action of the seat to move, in words whose numbers are proven."""


@dataclass(frozen=True)
class Preset:
    """A named choice of options that counts as a game of its own (dots-and-boxes).

    `options` are fixed by it, `defaults` are its own defaults of the others, and `unused` those that mean nothing in it
    and that no form need show. `rulebook` and `cover` are its own files in the game's folder.
    """

    title: str
    options: Mapping[str, Any]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""
    facts: tuple[str, ...] = ()
    rulebook: str = "rulebook.md"
    cover: str = "cover.record"
    unused: tuple[str, ...] = ()


def no_deck(options: Any, random: Random) -> tuple[str, ...]:
    """Return the deck of a game without one."""
    return ()


def refuse_deck(options: Any, deck: tuple[str, ...]) -> None:
    """Accept only the empty deck."""
    if deck:
        raise OptionError("deck", "this game has none")


@dataclass(frozen=True)
class Spec:
    """A game: what it is called, what is known of it, and where its parts are.

    `shuffle(options, random)` returns the deck of a game that has one, as tokens in drawing order;
    `check_deck(options, deck)` raises OptionError if a given one is wrong. `seat_names` are the names of the seats'
    colours, by seat. `package` is the import name of the game's folder, where `rulebook.md` and `cover.record` lie.
    `evaluate` is the game's `evaluate.py`, if it has one: compiled functions that know more of the game than its rules,
    `prior`, `rollout` and `foresee`, see the kernel's stubs. `levels` are the computer's, the weakest first; the last
    holds nothing back. `baselines` are ways of playing to measure against, by name; `hints` is its
    `hints.py`. `exact` is its `exact.py`, if it has one: what the
    solvers know of the game, see `core/exact.py`.
    """

    id: str
    title: str
    summary: str
    facts: tuple[str, ...]
    options: type[Options]
    rules: Rules
    notation: Notation
    drawing: Drawing
    explain: Explain
    package: str
    presets: Mapping[str, Preset] = field(default_factory=dict)
    shuffle: Callable[[Any, Random], tuple[str, ...]] = no_deck
    check_deck: Callable[[Any, tuple[str, ...]], None] = refuse_deck
    seat_names: Callable[[Any], tuple[str, ...]] | None = None
    evaluate: Any = None
    levels: tuple[Level, ...] = USUAL
    baselines: Mapping[str, Level] = field(default_factory=dict)
    hints: Hints | None = None
    exact: Any = None

    @property
    def hidden(self) -> bool:
        """Whether a seat may know less than the whole position."""
        return hasattr(self.rules, "hide")

    @property
    def cover(self) -> str:
        """The record of the position that pictures of the game show."""
        return self.read("cover.record")

    @property
    def rulebook(self) -> str:
        """The rulebook as Markdown."""
        return self.read("rulebook.md")

    def read(self, name: str) -> str:
        """Read a text file of the game's folder."""
        return resources.files(self.package).joinpath(name).read_text(encoding="utf-8")
