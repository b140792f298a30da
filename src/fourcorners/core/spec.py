"""The declaration of a game: its facts, its modules and its capabilities, as one frozen object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import resources
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from fourcorners.core.errors import OptionError, Reason
from fourcorners.core.termination import CLAUSES, Termination

if TYPE_CHECKING:
    from fourcorners.core.dispatch import Rules, State
    from fourcorners.core.move_list import Importer
    from fourcorners.core.narration import Explanation
    from fourcorners.core.options import Options
    from fourcorners.core.position import View
    from fourcorners.core.scene import Area, Overlay, Part, Scene, Style
    from fourcorners.core.seat_colours import SeatColours


class Notation(Protocol):
    """`notation.py`: actions and positions as text. It runs interpreted, on records with attributes."""

    def parse(self, s: State, text: str) -> int:
        """Parse a move in canonical form as an action, whether it is legal in this position or not.

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
        """Return how a game that is over has ended."""

    def label(self, token: str) -> str:
        """Label a token for a button and a screen reader."""


class Drawing(Protocol):
    """`drawing.py`: pictures of a view."""

    STYLE: Style

    def draw_scene(self, view: View) -> Scene:
        """Draw what the viewer may see."""

    def draw_text(self, view: View) -> str:
        """Draw the board as lines of text, for a terminal."""

    def list_facts(self, view: View) -> tuple[tuple[int | None, str, str], ...]:
        """List what to show beside the board: a seat (None: the table), a name such as "marks", and a value."""


class Tool(NamedTuple):
    """What a position editor can change, such as "edges": an id, and a label for a button."""

    id: str
    label: str


class Editor(Protocol):
    """`edit.py`: setting up positions by hand, one change after the other.

    A draft is a line of text like that of a position, which further changes may have to make one.
    """

    def list_tools(self, options: Any) -> Sequence[Tool]:
        """List what can be changed, the most useful first."""

    def list_edits(self, s: State, tool: str) -> Sequence[str]:
        """List the changes that a tool can make, sorted, each as tokens like those of a move; the name of an element
        of the picture serves as a token where no move begins. Raise OptionError for an unknown tool.
        """

    def label_token(self, token: str) -> str:
        """Return the label of a token of such changes that no element of the picture shows."""

    def edit(self, s: State, options: Any, tool: str, edit: str) -> str:
        """Return the draft after one of these changes; raise NotationError if none can make a position of it."""

    def read_draft(self, s: State, options: Any, text: str) -> None:
        """Fill a zeroed record from a draft, as far as a picture needs it; raise NotationError."""


class Showcase(NamedTuple):
    """A board so small that a page with other things on it can show it, and that a visitor plays it in a minute.

    It has the `options` of the game, for two seats and without a tray, and says in one or two sentences `how` to play.
    """

    options: Mapping[str, Any]
    how: str


class SpecPart:
    """What a game declares for one package above `core`.

    Each kind is a frozen dataclass, with defaults, in the package that uses it.
    """

    def list_modules(self) -> Iterable[Any]:
        """List the modules whose compiled functions the stubs of `core.dispatch` find; None stands for no module."""
        return ()

    def list_faults(self, spec: Spec) -> Iterable[str]:
        """List how this part contradicts itself or its game: clauses whose subject is the game."""
        return ()


P = TypeVar("P", bound=SpecPart)


@dataclass(frozen=True)
class Preset:
    """A named set of options that is listed as a separate game, under its well-known name.

    It fixes `options`, has its own `defaults` for the others, and hides the `unused` ones, which mean nothing in it,
    from forms. `rulebook` and `cover` are file names in the game's folder; `starter` and `showcase` are as in `Spec`.
    `parts` replace the game's parts of the same kinds, such as its levels or lessons.
    """

    title: str
    options: Mapping[str, Any]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""
    facts: tuple[str, ...] = ()
    rulebook: str = "rulebook.md"
    cover: str = "cover.record"
    unused: tuple[str, ...] = ()
    starter: Mapping[str, Any] = field(default_factory=dict)
    showcase: Showcase | None = None
    parts: tuple[SpecPart, ...] = ()


# What a game has that declares nothing else.
def no_deck(options: Any, random: Random) -> tuple[str, ...]:
    """Return the empty deck of a game without one."""
    return ()


def refuse_deck(options: Any, deck: tuple[str, ...]) -> None:
    """Raise OptionError unless the deck is empty."""
    if deck:
        raise OptionError("deck", "this game has none")


@dataclass(frozen=True)
class Spec:
    """A game: its name, what is known about it, its modules, and its capabilities.

    The capabilities have defaults that suit a game for two seats with nothing hidden and the most points winning.
    `core.conformance.check_declaration` verifies that they match the modules.
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
    """The import name of the game's folder, which contains `rulebook.md` and `cover.record`."""
    presets: Mapping[str, Preset] = field(default_factory=dict)
    starter: Mapping[str, Any] = field(default_factory=dict)
    """The options of a first game that takes a few minutes and shows all rules; empty if the default game does."""
    sizes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The sizes that forms offer: the options of "small", "standard" and "large". Without them "small" is the starter,
    "standard" the default, and "large" half as wide and high again.
    """
    showcase: Showcase | None = None
    """What visitors play on the home page; it shows the first game that has one."""
    seat_names: Callable[[Any], tuple[str, ...]] | None = None
    """Returns the names of the seats' colours, by seat, for options: those with which a game begins."""
    find_seat_names: Callable[[State], tuple[str, ...]] | None = None
    """Returns the same for a position, if seats can exchange their colours during a game; None: they cannot."""
    seat_colours: SeatColours | None = None
    """The option in which the players choose their colours; None if they cannot."""

    # Decks and hidden information.
    shuffle: Callable[[Any, Random], tuple[str, ...]] = no_deck
    """Returns a shuffled deck for options, as tokens in drawing order: the same ones, in every order equally often."""
    check_deck: Callable[[Any, tuple[str, ...]], None] = refuse_deck
    """Raises OptionError if a deck does not fit the options."""
    hidden: bool = False
    """Whether a seat may know less than the whole position; the rules then have `hide`, `deal` and `can_play`."""
    mask_move: Callable[[str], str] = field(default=lambda move: move)
    """Returns a move as the other seats see it."""
    has_drawn: Callable[[State, State], bool] = field(default=lambda *_: True)
    """Returns whether something hidden was drawn between two records: a match cannot be taken back past that."""
    can_infer_hands: Callable[[State, int], bool] = field(default=lambda *_: False)
    """Returns whether a seat can infer all that is hidden from it."""
    list_covered: Callable[[State], Sequence[tuple[str, str]]] = field(default=lambda _: ())
    """Returns the pieces that everyone has seen but no picture shows, because others lie on them: for each its place,
    as the beginning of a sentence such as "under 1,-1 lies", and its token.
    """

    # How a game is scored, ends and is shown.
    scoring: Literal["points", "last-move"] = "points"
    """Whether the most points win or the last move does; in the latter case the margin of a win means nothing."""
    points_clause: re.Pattern[str] | None = None
    """Matches the points in the description of a move; only for a game whose points can be counted on the board and
    whose facts do not tell them. A table of such a game may hide all points until its end.
    """
    list_areas: Callable[[View], Sequence[Area]] = field(default=lambda _: ())
    """Returns all that counts on a final board, so that players can count it by tapping; none: they only type counts.
    """
    ending_clauses: Mapping[Termination, str] = field(default_factory=lambda: CLAUSES)
    """The game's own wordings of how it ends; see `core.termination.describe`."""
    list_offered_moves: Callable[[State], Sequence[str] | None] = field(default=lambda _: None)
    """Returns the moves a page offers, sorted, where finding the legal ones is the player's task; None: the legal."""
    describe_move: Callable[[View, View], str] = field(default=lambda _, after: after.history[-1])
    """Returns the last move in words, a clause without subject: "drew c4–d4". The arguments are what one viewer may
    know before the move and after it.
    """
    name_move: Callable[[State, str], str] = field(default=lambda _, move: move)
    """Returns how a sentence names a legal move: by its notation, or by a noun such as "the red cross at 0,1" where
    players do not read the notation.
    """
    list_explanations: Callable[[View, View], Sequence[Explanation]] = field(default=lambda *_: ())
    """Returns sentences about what the last move shows a newcomer, given the same two views."""
    first_explanation: Explanation | None = None
    """What a newcomer must know before the first move; pages show it once, like the others."""
    draw_overlay: Callable[[View], Overlay | None] = field(default=lambda _: None)
    """Draws over the board what helps to study a position; None if there is nothing."""
    draw_move: Callable[[str], Part | None] | None = None
    """Draws a move, or one of its tokens, as small as a word; None if there is nothing to draw. Its text is all that
    is drawn: of a masked move nothing else can be seen.
    """
    describe_effect: Callable[[State, str], str] | None = None
    """Returns what a legal move does that its tokens do not say, a clause such as "discards two tiles", or ""."""
    editor: Editor | None = None
    """Changes positions by hand; without it a position can only be given as text."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """What to choose next where tokens such as `leave:B1x` follow, by their first word, or where a piece that was
    carried lies, by its token: one sentence each, after which all choices are listed if it ends with a colon.
    """

    list_equivalent_texts: Callable[[State], Iterable[str]] = field(default=lambda _: ())
    """Returns texts, perhaps as an iterator, that positions have in common exactly if they are equivalent under the
    game's symmetries; what changes neither moves nor best play is left out. None: only equal positions are equivalent.
    """
    importers: tuple[Importer, ...] = ()
    """How to read games that other sites and programs write."""

    parts: tuple[SpecPart, ...] = ()
    """What the game declares for packages above `core`, at most one part of each kind; `part` finds them."""

    def part(self, kind: type[P]) -> P:
        """Return the game's part of a kind, or one with the defaults of that kind."""
        for part in self.parts:
            if isinstance(part, kind):
                return part
        return kind()

    def list_modules(self) -> list[Any]:
        """List the modules with compiled functions that the game declares beside its rules."""
        return [module for part in self.parts for module in part.list_modules() if module is not None]

    @cached_property
    def preset_specs(self) -> Mapping[str, Spec]:
        """The spec of each preset, by its id: this one with the parts that the preset has instead of those here."""
        return {id_: self.replace_parts(*preset.parts) for id_, preset in self.presets.items()}

    def replace_parts(self, *parts: SpecPart) -> Spec:
        """Return this spec with these parts instead of those of the same kinds; itself if there are none."""
        replaced = tuple({type(part): part for part in (*self.parts, *parts)}.values())
        return self if replaced == self.parts else replace(self, parts=replaced)

    @property
    def cover(self) -> str:
        """The record of the position that pictures of the game show."""
        return self.read("cover.record")

    @property
    def rulebook(self) -> str:
        """The rulebook as Markdown."""
        return self.read("rulebook.md")

    def read(self, name: str) -> str:
        """Read a text file of the game's folder by its name; raise FileNotFoundError."""
        return resources.files(self.package).joinpath(name).read_text(encoding="utf-8-sig")

    def read_if_present(self, name: str) -> str:
        """Read a text file of the game's folder by its name; return "" if there is none."""
        file = resources.files(self.package).joinpath(name)
        return file.read_text(encoding="utf-8-sig") if file.is_file() else ""

    def read_folder(self, name: str) -> dict[str, str]:
        """Read the text files of a folder in the game's folder, by name; none if there is no such folder."""
        folder = resources.files(self.package).joinpath(name)
        return {file.name: file.read_text(encoding="utf-8-sig") for file in folder.iterdir()} if folder.is_dir() else {}
