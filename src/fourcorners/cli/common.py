"""Helpers of the commands: errors as one sentence, options of games, records from files, progress bars."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.match import Record
from fourcorners.core.record_format import MAX_RECORD_LENGTH

OPTIONS_HELP = "An option of the game, such as -o cols=8; can be given several times."
GAME_HELP = "The id of a game; an unknown id lists all games."
SEED_HELP = "The seed that shuffles the tiles, in games with tiles."


def fail(sentence: str, status: int = 1) -> NoReturn:
    """Print an error to standard error and exit with a status."""
    print(f"fourcorners: {sentence}", file=sys.stderr)
    sys.exit(status)


def parse_game(game_id: str, options: Sequence[str]) -> Game:
    """Make a game from its id and options such as "cols=8", or exit with an error."""
    texts: dict[str, str] = {}
    for option in options:
        name, sign, value = option.partition("=")
        if not sign or not name:
            fail(f"{quote(option)} is not an option: write a name, an equals sign and a value, such as cols=8", 2)
        texts[name] = value
    try:
        return catalogue.parse(game_id, texts)
    except OptionError as error:
        fail(error.message, 2)


def load_record(path: Path) -> Record:
    """Load a record from a file, or from standard input for `-`, or exit with an error."""
    try:
        if str(path) == "-":
            text = sys.stdin.read(MAX_RECORD_LENGTH + 1)
        else:
            with path.open(encoding="utf-8") as file:
                text = file.read(MAX_RECORD_LENGTH + 1)
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror or error}")
    except UnicodeDecodeError:
        fail(f"{path} is not a record: it is not text")
    try:
        with show_status(f"replaying {path}"):
            return Record.parse(text)
    except GameError as error:
        fail(f"{path}: {error.message}")


def create_progress_bar() -> Progress:
    """Return a progress bar on standard error, which is shown only on a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextlib.contextmanager
def show_status(text: str) -> Iterator[None]:
    """Show a status on a terminal during work that may take a moment, such as compiling the rules."""
    console = Console(stderr=True)
    with console.status(text) if console.is_terminal else contextlib.nullcontext():
        yield
