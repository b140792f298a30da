"""The declaration of a game: its facts, its modules and its parts, as one frozen object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from fourcorners.core.arrays import State
from fourcorners.core.contract import Drawing, Editor, Explain, Notation, Rules
from fourcorners.core.hidden_information import Deck, HiddenInformation
from fourcorners.core.move_list import Importer
from fourcorners.core.presentation import Presentation
from fourcorners.core.seat_colours import SeatColours

if TYPE_CHECKING:
    from fourcorners.core.options import Options  # loads pydantic, which takes long


class Showcase(NamedTuple):
    """A board small enough to share a page with other content, which a visitor can play in a minute.

    It has the `options` of the game, for two seats and without a tray, and says in one or two sentences `how` to play.
    """

    options: Mapping[str, Any]
    how: str


class SpecPart:
    """A game's declarations for one package above `core`.

    Each kind is a frozen dataclass, with defaults, in the package that uses it.
    """

    def list_modules(self) -> Iterable[Any]:
        """List the modules whose compiled functions the stubs of `core.dispatch` find; None stands for no module."""
        return ()

    def list_faults(self, spec: Spec) -> Iterable[str]:
        """List contradictions of this part with itself or its game, as clauses whose subject is the game."""
        return ()


P = TypeVar("P", bound=SpecPart)


@dataclass(frozen=True)
class Preset:
    """A named set of options that is listed as a separate game, under its well-known name.

    It fixes `options`, sets `defaults` for the others, and hides the meaningless, `unused` ones from forms. `rulebook`
    and `cover` are file names in the game's folder; `starter` and `showcase` are as in `Spec`. `parts` replace the
    game's parts of the same kinds.
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


@dataclass(frozen=True)
class Spec:
    """The declaration of a game: its name, facts about it, its modules, and its parts for other packages.

    The defaults suit a game for two seats with nothing hidden and the most points winning.
    `core.conformance.check_declaration` verifies that it agrees with the modules.
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
    """The board for visitors on the home page, which shows the first game that has one."""
    seat_names: Callable[[Any], tuple[str, ...]] | None = None
    """A function that returns the names of the seats' initial colours, by seat, for options."""
    find_seat_names: Callable[[State], tuple[str, ...]] | None = None
    """A function that returns the names of the seats' colours in a position; None if seats cannot exchange them."""
    seat_colours: SeatColours | None = None
    """The option in which the players choose their colours; None if they cannot."""

    deck: Deck | None = None
    """The deck that is shuffled before a game; None if there is none."""
    hidden_information: HiddenInformation | None = None
    """Set if a seat may know less than the whole position; the rules then have `hide`, `deal` and `can_play`."""
    scoring: Literal["points", "last-move"] = "points"
    """Whether the most points win or the last move does; in the latter case the margin of a win is meaningless."""
    list_offered_moves: Callable[[State], Sequence[str] | None] = field(default=lambda _: None)
    """A function that returns the offered moves, sorted, if finding the legal ones is the player's task; None: the
    legal ones.
    """
    presentation: Presentation = field(default_factory=Presentation)
    editor: Editor | None = None
    """The editor of positions; without it, a position can only be given as text."""
    list_equivalent_texts: Callable[[State], Iterable[str]] = field(default=lambda _: ())
    """A function that returns texts, perhaps as an iterator, that positions share exactly if they are equivalent under
    the game's symmetries; facts that affect neither moves nor best play are left out. None: only equal positions are
    equivalent.
    """
    importers: tuple[Importer, ...] = ()
    """The importers of games from other sites and programs."""

    parts: tuple[SpecPart, ...] = ()
    """The declarations for packages above `core`, at most one part of each kind; `part` finds them."""

    @property
    def hidden(self) -> bool:
        """Whether a seat may know less than the whole position."""
        return self.hidden_information is not None

    def can_know_all(self, s: State, seat: int) -> bool:
        """Return whether a seat knows the whole position: nothing is hidden, or it can infer everything."""
        return self.hidden_information is None or self.hidden_information.can_infer_hands(s, seat)

    def mask_move(self, move: str) -> str:
        """Return a move as the other seats see it."""
        return move if self.hidden_information is None else self.hidden_information.mask_move(move)

    def part(self, kind: type[P]) -> P:
        """Return the game's part of a kind, or the default part."""
        for part in self.parts:
            if isinstance(part, kind):
                return part
        return kind()

    def list_modules(self) -> list[Any]:
        """List the modules with compiled functions that the game declares beside its rules."""
        return [module for part in self.parts for module in part.list_modules() if module is not None]

    @cached_property
    def preset_specs(self) -> Mapping[str, Spec]:
        """The spec of each preset, by its id: this spec with the preset's parts."""
        return {id_: self.replace_parts(*preset.parts) for id_, preset in self.presets.items()}

    def replace_parts(self, *parts: SpecPart) -> Spec:
        """Return this spec with these parts in place of those of the same kinds; itself if there are none."""
        replaced = tuple({type(part): part for part in (*self.parts, *parts)}.values())
        return self if replaced == self.parts else replace(self, parts=replaced)

    @property
    def cover(self) -> str:
        """The record whose final position is the cover picture of the game."""
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
