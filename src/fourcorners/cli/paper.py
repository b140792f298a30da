"""`fourcorners print`: boards, positions, games and puzzles on paper, as PDF."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from fourcorners.cli.common import (
    GameOptions,
    fail,
    get_position,
    load_game,
    parse_game,
    replay_quickly,
    require_extra,
    show_status,
    write_file,
)
from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.core.plurals import pluralise
from fourcorners.study.paper import Document, print_boards, print_game, print_position, print_puzzle_sheet
from fourcorners.study.rendering import RenderingError
from fourcorners.study.stills import list_marks


@replay_quickly
def print_(
    source: Annotated[str, Argument(help="The id of a game, to print empty boards, or a record file, or - for input.")],
    output: Annotated[Path, Option(help="The file to write: a PDF, or with .png one picture of all pages.")],
    option: GameOptions = None,
    paper: Annotated[str, Option(help="The size of the paper: a4 or letter.")] = "a4",
    pages: Annotated[int, Option(help="The number of pages with empty boards.")] = 1,
    boards: Annotated[int, Option(help="The number of empty boards on a page: 1, 2, 3, 4, 6, 8, 9 or 12.")] = 2,
    puzzles: Annotated[int, Option(min=0, help="Print this many puzzles instead, with solutions on the back.")] = 0,
    sheet: Annotated[int, Option(help="The number of the puzzle sheet; each sheet has different puzzles.")] = 1,
    theme: Annotated[str, Option(help="Only puzzles with this theme.")] = "",
    position: Annotated[str, Option(help="Print this position of the game, in its notation.")] = "",
    ply: Annotated[int | None, Option(min=0, help="Print only the position of a record after this many moves.")] = None,
    diagrams: Annotated[int, Option(help="The number of diagrams to print with a record.")] = 12,
) -> None:
    """Print empty boards, puzzles, a position, or a whole game with diagrams, as a PDF that needs no colours.

    What is printed of a game can be typed back with `fourcorners enter`. Exit status: 0 written, 1 unusable file or
    record, 2 usage error. Example: fourcorners print GAME -o cols=8 -o rows=8 --boards 4 --output boards.pdf
    """
    require_extra("pictures", "printing needs")
    try:
        if source in catalogue.games():
            game = parse_game(source, option)
            if puzzles:
                document = print_puzzle_sheet(source, puzzles, sheet, theme, paper)
            elif position:
                document = print_position(game.position(position).view(), paper=paper)
            else:
                document = print_boards(game, pages, boards, paper)
        else:
            document = _print_record(Path(source), ply, diagrams, paper)
        with show_status(f"drawing {output}"):
            drawn = document.render(110 if output.suffix.lower() == ".png" else 0)
    except RenderingError as error:
        fail(error.message)
    except GameError as error:
        fail(error.message, 2)
    write_file(output, drawn)


def _print_record(path: Path, ply: int | None, diagrams: int, paper: str) -> Document:
    """Print a record, or one position of it; raise GameError, or exit with an error."""
    record, replayed = load_game(path)
    match = replayed or record.match()
    if ply is None:
        return print_game(match, None, diagrams, paper)
    ply, position = get_position(match.positions, ply)
    marks = list_marks(record.tree, ply)
    return print_position(
        position.view(position.seat),
        caption=pluralise(ply, "After {} move", "After {} moves"),
        paper=paper,
        marks=marks,
    )
