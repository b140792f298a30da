"""`fourcorners import`: turn a link or a move list from elsewhere into a record."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from fourcorners.cli.common import GameOptions, fail, parse_game, read_text, replay_quickly, write_output
from fourcorners.core.errors import GameError, OptionError
from fourcorners.core.game_import import import_record
from fourcorners.core.move_list import find_link
from fourcorners.study.public_links import read_public_link

_SOURCE_HELP = "A file with a move list or record, a link, or - to read standard input."


@replay_quickly
def import_game(
    source: Annotated[str, Argument(help=_SOURCE_HELP)],
    game: Annotated[str | None, Argument(help="The id of the game; a link and a record name their own.")] = None,
    option: GameOptions = None,
    deck: Annotated[str | None, Option(help="The tiles in drawing order, in games with a hidden deck.")] = None,
    output: Annotated[Path | None, Option(help="Write the record to this file instead of standard output.")] = None,
) -> None:
    """Turn a game from elsewhere into a record, checking every move.

    Read a link such as https://trmph.com/dnb/board#5,f7f5g8 or one to a puzzle, a list of moves, or a record. Moves are
    separated by spaces, commas or lines, and may be numbered. For a move that cannot be played, print its place and the
    reason, and exit with status 1; for a usage error with status 2.
    Example: fourcorners import moves.txt GAME -o cols=5 -o rows=5 --output game.txt
    """
    if game is None and option:
        fail("options need a game: give its id after the source", 2)
    chosen = None if game is None else parse_game(game, option)
    # A link has no file name's form, but a file could have a link's.
    is_link = not _is_file(source) and ("#" in source or find_link(source) is not None)
    try:
        record = (read_public_link(source) if is_link else None) or import_record(
            source if is_link else read_text(Path(source)), chosen, deck=None if deck is None else deck.split()
        )
    except OptionError as error:
        fail(error.message, 2)
    except GameError as error:
        fail(f"{source}: {error.message}" if not is_link else error.message)
    write_output(str(record), output)


def _is_file(source: str) -> bool:
    """Return whether there is a file or folder of this name; not if no file can have it."""
    try:
        return Path(source).exists()
    except (OSError, ValueError):
        return False
