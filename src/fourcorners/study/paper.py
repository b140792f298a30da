"""Documents for paper: empty boards, positions, games with diagrams, and puzzles with their solutions on the back.

A document is a list of pages as data, which `templates/paper.typ` typesets; its pictures come from `stills` in the
theme for print, which needs no colours. All lengths are in millimetres.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, TypeVar

from fourcorners.core import arguments, catalogue
from fourcorners.core.annotations import Mark
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game, View
from fourcorners.core.match import Match
from fourcorners.core.scene import Scene, render_svg
from fourcorners.study import rendering
from fourcorners.study.game_words import describe_game, describe_options
from fourcorners.study.puzzles.printed import PaperPuzzle, describe_puzzle
from fourcorners.study.puzzles.sheets import choose_puzzles
from fourcorners.study.rendering import Check, no_check
from fourcorners.study.results import describe_result
from fourcorners.study.stills import Colours, choose_plies, draw_still
from fourcorners.study.value_badges import Worths

PAPERS = {"a4": ("a4", 210, 297), "letter": ("us-letter", 216, 279)}
"""Typst's name of each paper, its width and its height, by our name."""
MAX_PAGES, MAX_PUZZLES, MAX_DIAGRAMS = 20, 60, 60
_MARGIN, _TOP, _FOOT, _HEADING = 14, 14, 15, 16
_ROW_GAP = 5
_PIECE = 22
_COLOURS = Colours("print")
_BOARD_GRIDS = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3), 12: (3, 4)}
"""Columns and rows by the number of boards on a page."""
BOARD_COUNTS = tuple(_BOARD_GRIDS)
_FOOTER = "Fourcorners"
_PUZZLE_GRID = (2, 3)
_DIAGRAM_GRID = (3, 4)
_MOST_ROWS = 38
_LINE_LENGTH = 100
"""The approximate number of letters that fit on a line, at least."""
Row = tuple[str, str, str]
"""A number, a text, and a second line in grey, which may be empty."""
T = TypeVar("T")


@dataclass
class Document:
    """Pages as data, and the pictures that they show, by file name."""

    title: str
    paper: str = "a4"
    pages: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise OptionError for an unknown paper."""
        if self.paper not in PAPERS:
            raise OptionError("paper", f"{quote(self.paper)} is not allowed; it must be {' or '.join(PAPERS)}")

    def add_picture(self, svg: str) -> str:
        """Add a picture and return its file name; equal pictures share a file."""
        found = next((name for name, text in self.pictures.items() if text == svg), "")
        name = found or f"p{len(self.pictures)}.svg"
        self.pictures[name] = svg
        return name

    def measure_cell(self, rows: int, above: int = 0) -> float:
        """Return the height of each of this many rows on a page, below other content of the height `above`."""
        height = PAPERS[self.paper][2] - _TOP - _FOOT - _HEADING - above
        return (height - (rows - 1) * _ROW_GAP) / rows - 1

    def add_boards(
        self,
        items: Sequence[dict[str, Any]],
        grid: tuple[int, int],
        title: str,
        lead: str = "",
        text: str = "",
        blanks: int = 0,
    ) -> None:
        """Add a page of pictures in columns and rows, each below its words and above lines to write on."""
        page = {
            "kind": "boards",
            "title": title,
            "lead": lead,
            "text": text,
            "columns": grid[0],
            "height": self.measure_cell(grid[1], _measure_text(text)),
            "blanks": blanks,
            "items": list(items),
        }
        self.pages.append(page)

    def add_list(
        self,
        columns: Sequence[Sequence[Row]],
        title: str,
        lead: str = "",
        facts: Sequence[tuple[str, str]] = (),
        gap: float = 1.5,
    ) -> None:
        """Add a page of rows in columns, below facts such as ("Date", "2026-11-23")."""
        page = {"kind": "list", "title": title, "lead": lead, "facts": facts, "columns": columns, "gap": gap}
        self.pages.append({**page, "numbers": 8})

    def render(self, resolution: int = 0, **limits: Any) -> bytes:
        """Return the document as PDF, or with a resolution as a PNG of its pages.

        `limits` are passed to `rendering.render_document`. Raise RenderingError and the errors of that function.
        """
        data = {
            "title": self.title,
            "paper": PAPERS[self.paper][0],
            "footer": _FOOTER,
            "pages": self.pages,
        }
        files = {"data.json": json.dumps(data, ensure_ascii=False), **self.pictures}
        source = resources.files("fourcorners.study").joinpath("templates/paper.typ").read_text(encoding="utf-8")
        return rendering.render_document(source, files, resolution, **limits)


def _make_item(picture: str, alt: str, title: str = "", text: str = "", blanks: Sequence[Sequence[str]] = ()) -> Any:
    """Return a picture with text above it and labelled lines to write on below."""
    return {"picture": picture, "alt": alt, "title": title, "text": text, "blanks": blanks}


def print_boards(game: Game, pages: int = 1, per_page: int = 2, paper: str = "a4") -> Document:
    """Return pages of empty boards with lines for names and results, and, for a game with pieces, a set to cut out.

    Raise OptionError for numbers that are not allowed.
    """
    document = Document(f"{game.title}: boards", paper)
    arguments.check_int("pages", pages, 1, MAX_PAGES)
    if per_page not in _BOARD_GRIDS:
        allowed = f"it must be {', '.join(map(str, BOARD_COUNTS))}"
        raise OptionError("boards", f"{quote(per_page)} is not allowed; {allowed}")
    start = game.start(seed=0).view()
    picture = document.add_picture(draw_still(start, _COLOURS, has_tray=False))
    blanks = [[_capitalise(name) for name in names] for names in _split(game.seat_names, 2)]
    blanks.append(["Date", "Result"])
    item = _make_item(picture, start.scene().board.label, blanks=blanks)
    for _ in range(pages):
        document.add_boards(
            [item] * per_page, _BOARD_GRIDS[per_page], game.title, describe_options(game), blanks=len(blanks)
        )
    pieces = sorted(game.deck(seed=0))
    if pieces and game.spec.presentation.draw_move is not None:
        _add_pieces(document, game, pieces)
    return document


def _add_pieces(document: Document, game: Game, pieces: Sequence[str]) -> None:
    """Add pages with all pieces of a deck, to cut out."""
    style = game.spec.drawing.STYLE
    items = []
    for token in pieces:
        part = game.spec.presentation.draw_move(token) if game.spec.presentation.draw_move else None
        if part is not None:
            picture = document.add_picture(render_svg(Scene(part), style, *_COLOURS))
            items.append(_make_item(picture, game.spec.explain.label(token)))
    _, width, height = PAPERS[document.paper]
    columns = (width - 2 * _MARGIN) // _PIECE
    rows = (height - _TOP - _FOOT - _HEADING - 9) // _PIECE
    for part_of_items in _split(items, columns * rows):
        document.pages.append(
            {
                "kind": "pieces",
                "title": f"{game.title}: pieces",
                "lead": f"{len(items)} to cut out",
                "text": "Print on thick paper. Shuffle them face down, in place of a bag.",
                "columns": columns,
                "size": _PIECE,
                "items": part_of_items,
            }
        )


def print_position(
    view: View,
    title: str = "",
    caption: str = "",
    paper: str = "a4",
    marks: Sequence[Mark] = (),
    worths: Worths | None = None,
) -> Document:
    """Return a page with one position as a viewer knows it, with marks, values of moves, and surroundings."""
    document = Document(title or view.game.title, paper)
    names = [_capitalise(name) for name in view.seat_names]
    facts = [caption.rstrip(".")]
    if view.seat is not None:
        facts.append(f"{names[view.seat]} to move")
    if view.game.spec.scoring == "points":
        facts.append(", ".join(f"{name} {value}" for name, value in zip(names, view.scores, strict=True)))
    facts += [f"{_capitalise(name)}: {value}" for seat, name, value in view.facts() if seat is None]
    text = "".join(f"{fact}. " for fact in facts if fact).rstrip()
    picture = document.add_picture(draw_still(view, _COLOURS, marks, worths))
    item = _make_item(picture, view.scene().board.label)
    document.add_boards([item], (1, 1), document.title, describe_options(view.game), text)
    return document


def list_moves(match: Match) -> list[tuple[int, str]]:
    """List the moves of a match with their seats, so that typing them gives the same game.

    Moves that were taken back are left out; "resign" comes last if the seat to move resigned.
    """
    moves = [(seat, move) for seat, move in match.position.plies]
    last = match.events[-1] if match.events else None
    if last is not None and last.text == "!resign" and last.seat == match.position.seat:
        moves.append((last.seat, "resign"))
    return moves


def print_game(
    match: Match,
    viewer: int | None = None,
    diagrams: int = 12,
    paper: str = "a4",
    check: Check = no_check,
    names: Sequence[str] | None = None,
) -> Document:
    """Return a game as a viewer knows it: its moves, to type or play through, and a number of diagrams.

    `names` are the players' names by seat, by default those of the match. `check` is called repeatedly; its errors pass
    through.

    Raise OptionError for a number of diagrams that is not allowed.
    """
    arguments.check_int("diagrams", diagrams, 0, MAX_DIAGRAMS)
    game = match.game
    names = names or match.names
    document = Document(f"{game.title}: {' – '.join(names)}", paper)
    is_partial = game.spec.hidden and not match.is_over
    view = match.position.view(viewer)
    shown = list(view.plies) if is_partial else list_moves(match)
    pairs = zip(names, match.position.seat_names, strict=True)
    players = " – ".join(f"{name} ({colour})" for name, colour in pairs)
    facts = [("Game", describe_game(game)), ("Players", players), ("Date", match.date)]
    facts.append(("Result", describe_result(match.result, names, game, has_reason=True)))
    if match.deck and not is_partial:
        facts.append(("Deck", " ".join(match.deck)))
    width = max((len(move) for _, move in shown), default=1)
    columns = max(1, min(6, 96 // (width + 8)))
    initials = [[_capitalise(name)[:1] for name in position.seat_names] for position in match.positions]
    is_short = len(set(initials[0])) == len(initials[0]) and game.seats > 1
    rows = [
        (f"{ply + 1}", f"{initials[ply][seat]}  {move}" if is_short else move, "")
        for ply, (seat, move) in enumerate(shown)
    ]
    told = [row for row in facts if row[1]]
    for part in _split(rows, columns * _MOST_ROWS) if rows else [rows]:
        document.add_list(_balance(part, columns), game.title, facts=told)
        told = []
    items = []
    for ply in (
        choose_plies(len(match.positions) - 1, diagrams) if diagrams > 1 else [len(match.positions) - 1][:diagrams]
    ):
        check()
        seen = match.positions[ply].view(viewer)
        picture = document.add_picture(draw_still(seen, _COLOURS, has_tray=False))
        title = f"After {ply}" if ply else "Start"
        items.append(_make_item(picture, seen.scene().board.label, title, seen.last_move_text if ply else ""))
    for page in _split(items, _DIAGRAM_GRID[0] * _DIAGRAM_GRID[1]):
        document.add_boards(page, _DIAGRAM_GRID, game.title, players)
    return document


def print_puzzle_sheet(game_id: str, count: int, sheet: int = 1, theme: str = "", paper: str = "a4") -> Document:
    """Return the puzzles of `choose_puzzles` with their solutions on the back; raise OptionError."""
    arguments.check_int("puzzles", count, 1, MAX_PUZZLES)
    chosen = [
        describe_puzzle(
            puzzle.position,
            puzzle.best,
            puzzle.value,
            puzzle.next_value,
            puzzle.line,
            puzzle.list_main_decisions()[1:],
        )
        for puzzle in choose_puzzles(game_id, count, sheet, theme)
    ]
    words = f": {theme.replace('-', ' ')}" if theme else ""
    return print_puzzles(chosen, f"{catalogue.game(game_id).title}, puzzles{words}, sheet {sheet}", paper)


def print_puzzles(puzzles: Sequence[PaperPuzzle], title: str, paper: str = "a4") -> Document:
    """Return pages of puzzles, each followed by a page of their solutions, which is its back in double-sided print.

    Raise OptionError for no puzzles, or for more than MAX_PUZZLES.
    """
    document = Document(title, paper)
    arguments.check_int("puzzles", len(puzzles), 1, MAX_PUZZLES)
    numbered = list(enumerate(puzzles, 1))
    columns, rows = _PUZZLE_GRID
    for part in _split(numbered, columns * rows):
        items = []
        for number, puzzle in part:
            picture = document.add_picture(draw_still(puzzle.view, _COLOURS))
            items.append(_make_item(picture, puzzle.view.scene().board.label, f"{number}.", puzzle.task))
        document.add_boards(items, _PUZZLE_GRID, title, "The solutions are on the back.")
        solutions = [(f"{number}.", puzzle.solution, puzzle.line) for number, puzzle in part]
        document.add_list([solutions], "Solutions", title, gap=4)
    return document


def _split(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Split a sequence into parts of a size; the last part may be smaller."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _measure_text(text: str) -> int:
    """Estimate the height of a text above the boards, in millimetres."""
    return 4 + 5 * -(-len(text) // _LINE_LENGTH) if text else 0


def _balance(rows: Sequence[Row], columns: int) -> list[Sequence[Row]]:
    """Split rows into columns of about the same length, at least ten rows each."""
    return list(_split(rows, max(10, -(-len(rows) // columns)))) or [[]]


def _capitalise(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
