"""Helpers of the commands: errors as one sentence, options, records from files, signals, progress bars."""

import contextlib
import errno
import functools
import io
import os
import secrets
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from typer import Argument, Option

from fourcorners.core import catalogue, extras, text_files
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.core.jit import interpret_briefly
from fourcorners.core.match import Match, Record
from fourcorners.core.plurals import pluralise
from fourcorners.core.record_format import MAX_RECORD_LENGTH
from fourcorners.study.entry import name_seats

P = ParamSpec("P")
_OPTIONS_HELP = "An option of the game, such as -o cols=8; can be given several times."
SEED_HELP = "The seed that shuffles the tiles, in games with tiles."
GameId = Annotated[str, Argument(help="The id of a game; an unknown id lists all games.")]
GameOptions = Annotated[list[str] | None, Option("-o", "--option", help=_OPTIONS_HELP)]
Seed = Annotated[int, Option(help=SEED_HELP)]
RecordFile = Annotated[Path, Argument(help="A record file, or - to read standard input.")]
Deck = Annotated[str | None, Option(help="The tiles in drawing order, in games with a hidden deck.")]
RecordOutput = Annotated[Path | None, Option(help="Write the record to this file instead of standard output.")]
RandomPlies = Annotated[int, Option(min=0, max=40, help="The number of random moves that open a game.")]
Jobs = Annotated[
    int | None, Option(min=1, max=64, help="Games to play in parallel; by default, one for each processor.")
]
ResultAsJson = Annotated[bool, Option("--json", help="Print the result as JSON.")]
_MAX_BYTES = 8 * MAX_RECORD_LENGTH  # of four bytes for a character, and as many line ends of two characters
_OPEN_FILES = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
"""How names of files begin that are open already: pipes, perhaps, or files to which the shell appends."""
_PRIVATE = 0o600  # the permissions of a file with what only its owner should read
NOT_OVER = "The game is not over"
INTERRUPTED = 130
"""The exit status after Ctrl-C."""


def fail(sentence: str, status: int = 1) -> NoReturn:
    """Print an error, a sentence without a full stop, to standard error and exit with a status."""
    print(f"fourcorners: {sentence}", file=sys.stderr)
    sys.exit(status)


def require_extra(extra: str, clause: str) -> None:
    """Exit with status 1 and the sentence of `extras.require` if an extra is not installed; call it before any work."""
    try:
        extras.require(extra, clause)
    except extras.MissingExtraError as error:
        fail(error.message)


def parse_game(game_id: str, options: Sequence[str] | None) -> Game:
    """Make a game from its id and options such as "cols=8" (the last of a name counts), or exit with status 2."""
    texts = {}
    for option in options or ():
        name, sign, value = option.partition("=")
        if not sign or not name:
            fail(f"{quote(option)} is not an option: write a name, an equals sign and a value, such as cols=8", 2)
        texts[name] = value
    try:
        return catalogue.parse_game(game_id, texts)
    except OptionError as error:
        fail(error.message, 2)


def read_text(path: Path) -> str:
    """Read a record or move list from a file, or from standard input for `-`.

    Exit with status 1 and an error if that fails, or if it is too long for a record in any encoding.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        data = _read_bytes(path)
    except OSError as error:
        fail(f"{name} cannot be read: {error.strerror or error}")
    if len(data) > _MAX_BYTES:
        fail(f"{name} is too long: a record has at most {MAX_RECORD_LENGTH} characters")
    try:
        return text_files.decode(data)
    except UnicodeDecodeError as error:
        fail(f"{name} is not text: byte {error.start + 1} is not {error.encoding.upper()}; save it as UTF-8")


def _read_bytes(path: Path) -> bytes:
    """Read a file, or standard input for `-`, up to the first byte too many; raise OSError."""
    if str(path) == "-":
        stream = sys.stdin
        return stream.buffer.read(_MAX_BYTES + 1) if isinstance(stream, io.TextIOWrapper) else stream.read().encode()
    with path.open("rb") as file:
        return file.read(_MAX_BYTES + 1)


def load_record(path: Path) -> Record:
    """Load and replay a record from a file, or from standard input for `-`, or exit with status 1 and an error."""
    return load_game(path)[0]


def load_game(path: Path) -> tuple[Record, Match | None]:
    """Load and replay a record as `load_record` does, and return the match as well; None if the record is partial."""
    text = read_text(path)
    try:
        with show_status(f"replaying {path}"):
            return Record.read(text)
    except GameError as error:
        fail(f"{path}: {error.message}")


def write_typed(text: str, path: Path | None) -> None:
    """Write the record of a typed game to a file, or to standard output for None.

    If that fails, print it to the other stream, so that it is not lost, and exit with status 1 and an error.
    """
    try:
        if path is None:
            print(text, end="", flush=True)
        else:
            replace_file(path, text)
            say_written(path)
    except OSError as error:
        print(text, end="", file=sys.stderr if path is None else sys.stdout)
        where = "standard output" if path is None else path
        fail(f"{where} cannot be written ({error.strerror or error}); the record is printed above instead")


def replay_quickly(command: Callable[P, None]) -> Callable[P, None]:
    """Decorate a command that does little more than replay a game: it runs in Python, which needs no compiled code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with interpret_briefly():
            command(*args, **kwargs)

    return run


def write_output(text: str, path: Path | None, *, private: bool = False) -> None:
    """Write a text to a file, as `write_file` does, or to standard output for None."""
    if path is None:
        print(text, end="")
        sys.stdout.flush()
    else:
        write_file(path, text, private=private)


def require_writable(path: Path | None) -> None:
    """Exit with status 1 and an error if a file clearly cannot be written, before long work whose result it is for."""
    if path is None or path.is_dir():
        reason = None if path is None else errno.EISDIR
    elif not path.parent.is_dir():
        reason = errno.ENOTDIR if path.parent.exists() else errno.ENOENT
    else:
        reason = None if os.access(path.parent, os.W_OK) or os.access(path, os.W_OK) else errno.EACCES
    if reason is not None:
        fail(f"{path} cannot be written: {os.strerror(reason)}")


def write_file(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a file, text as UTF-8, which only its owner may read if it is `private`; exit with status 1 and an error if
    that fails, and then leave what was there. Say on standard error that it was written.
    """
    try:
        replace_file(path, content, private=private)
    except OSError as error:
        fail_to_write(path, error)
    say_written(path)


def fail_to_write(path: Path, error: OSError) -> NoReturn:
    """Say that a file cannot be written, and exit with status 1."""
    fail(f"{path} cannot be written: {error.strerror or error}")


def save_plot(figure: Any, path: Path) -> None:
    """Save a figure of Matplotlib as .svg or .png and say so on standard error, or exit with status 1 and an error."""
    try:
        figure.savefig(path)
    except OSError as error:
        fail_to_write(path, error)
    except ValueError as error:
        fail(f"{path} cannot be drawn: {error}")
    say_written(path)


def say_written(path: Path) -> None:
    """Say on standard error which file was written, unless it is a device, a pipe or an open file."""
    if path.is_file() and not str(path).startswith(_OPEN_FILES):
        print(f"Wrote {path}.", file=sys.stderr)


def name_players(place: Game | Position, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the players by seat, given those of a record: where it has none, those of the seats."""
    has_names = any(name != f"seat {seat}" for seat, name in enumerate(names))
    return tuple(names if has_names else name_seats(place))


def replace_file(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a file, text as UTF-8, all or nothing: a file that is there is replaced only by all of it. Raise OSError.

    Devices and pipes are written to, and so are files in folders where no other file can be made. The file keeps its
    permissions unless it is `private`: then it gets 0600, except for devices and pipes.
    """
    data = content.encode() if isinstance(content, str) else content
    mode = path.stat().st_mode if path.exists() else None
    if str(path).startswith(_OPEN_FILES) or (mode is not None and not stat.S_ISREG(mode)):
        with path.open("ab") as file:
            file.write(data)
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        # Not a temporary file, whose permissions would be others.
        new = part.open("xb")
    except OSError:
        if mode is None:
            raise
        if private:
            target.chmod(_PRIVATE)
        target.write_bytes(data)
        return
    try:
        with new:
            if private:
                part.chmod(_PRIVATE)
            new.write(data)
        if mode is not None and not private:
            part.chmod(stat.S_IMODE(mode))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read_line(prompt: str) -> str:
    """Read a line from the keyboard or a pipe, without blanks at its ends.

    Raise EOFError at the end of the input, KeyboardInterrupt, UnicodeDecodeError, or OSError if the input is closed.
    """
    if prompt or sys.stdin.isatty():
        line = input(prompt)
    # `input` would write to standard output, even without a prompt, which may be full.
    elif not (line := sys.stdin.readline()):
        raise EOFError
    # `prepare_streams` lets bytes that are not text become lone surrogates, so that the lines before them are not lost.
    line.encode(errors="surrogateescape").decode()
    return line.strip("\ufeff \t\r\n")


def get_position(positions: Sequence[Position], ply: int | None) -> tuple[int, Position]:
    """Return a ply, 0 or more (None: the last), and the position after it; exit with status 2 if it is beyond them."""
    count = len(positions) - 1
    if ply is not None and ply > count:
        length = pluralise(count, "the record has {} move", "the record has {} moves")
        fail(f"{length}: --ply may be 0 to {count}, not {ply}", 2)
    index = count if ply is None else ply
    return index, positions[index]


def require_positive(option: str, value: float | None, unit: str = "number") -> None:
    """Exit with status 2 and an error that names the option and the `unit` if its value is 0, negative or NaN."""
    if value is not None and not value > 0:
        fail(f"{option} {value:g} is not allowed; it must be a {unit} above 0", 2)


@contextlib.contextmanager
def handle_signals(handler: Callable[..., object], *signals: signal.Signals) -> Iterator[None]:
    """Call the handler on these signals within a with statement, then restore the old handlers; main thread only."""
    previous = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, old_handler in previous.items():
            signal.signal(number, old_handler)


@contextlib.contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C sets within a with statement; a second Ctrl-C raises KeyboardInterrupt."""
    stop = threading.Event()

    def request_stop(*_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    with handle_signals(request_stop, signal.SIGINT):
        yield stop


def create_error_console() -> Console:
    """Return a console on standard error that moves the cursor only on a terminal, whatever FORCE_COLOR says."""
    return Console(stderr=True, force_terminal=sys.stderr.isatty())


def create_progress_bar(*more: ProgressColumn) -> Progress:
    """Return a progress bar on standard error, without tasks, shown only on a terminal and in a with statement.

    `more` are columns that follow the usual ones.
    """
    console = create_error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), *more)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextlib.contextmanager
def show_status(text: str) -> Iterator[None]:
    """Show a text on standard error within a with statement that may take a moment, if that is a terminal."""
    console = create_error_console()
    with console.status(text) if console.is_terminal else contextlib.nullcontext():
        yield
