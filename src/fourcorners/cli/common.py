"""What the commands share: errors as one sentence, options of games, records from files, progress bars."""

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
from fourcorners.core.record_format import LONGEST_RECORD

OPTIONS_HELP = "An option of the game, such as -o cols=8; may be given several times."


def fail(sentence: str, status: int = 1) -> NoReturn:
    """Say what is wrong and end."""
    print(f"fourcorners: {sentence}", file=sys.stderr)
    sys.exit(status)


def game_of(game_id: str, options: Sequence[str]) -> Game:
    """Make a game from what stands on the command line, or end with a sentence."""
    texts: dict[str, str] = {}
    for option in options:
        name, sign, value = option.partition("=")
        if not sign or not name:
            fail(f"{quote(option)} is no option: write a name, an equals sign and a value, such as cols=8", 2)
        texts[name] = value
    try:
        return catalogue.parse(game_id, texts)
    except OptionError as error:
        fail(error.message, 2)


def record_in(path: Path) -> Record:
    """Read a record from a file (`-` is the standard input), or end with a sentence."""
    try:
        if str(path) == "-":
            text = sys.stdin.read(LONGEST_RECORD + 1)
        else:
            with path.open(encoding="utf-8") as file:
                text = file.read(LONGEST_RECORD + 1)
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror or error}")
    except UnicodeDecodeError:
        fail(f"{path} is no record: it is not text")
    try:
        with busy(f"replaying {path}"):
            return Record.parse(text)
    except GameError as error:
        fail(f"{path}: {error.message}")


def progress_bar() -> Progress:
    """Make a progress bar on the standard error; it shows itself only where somebody watches."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextlib.contextmanager
def busy(text: str) -> Iterator[None]:
    """Show that something goes on which may take a moment, such as compiling the rules the first time."""
    console = Console(stderr=True)
    with console.status(text) if console.is_terminal else contextlib.nullcontext():
        yield
