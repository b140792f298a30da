"""`fourcorners enter`: type a game that was played on paper."""

import contextlib
import sys
from typing import Annotated

from typer import Option

from fourcorners.cli.common import (
    Deck,
    GameId,
    GameOptions,
    RecordOutput,
    fail,
    parse_game,
    read_line,
    replay_quickly,
    write_typed,
)
from fourcorners.cli.completion import complete_moves
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game
from fourcorners.study.entry import Entry, enter_moves
from fourcorners.study.results import describe_result

_HELP = """\
Type moves, one or several on a line; Tab completes. A wrong move stops there and says why.
  fix N MOVE  puts another move in place of number N and keeps the moves after it
  undo        takes the last move back          list    lists the moves
  resign      the seat to move resigns          board   shows the board
  done        ends, and writes the record       quit    ends without a record"""
_USAGE_ERROR = 2


@replay_quickly
def enter(
    game: GameId,
    option: GameOptions = None,
    name: Annotated[
        list[str] | None, Option(help="The name of a player, once for each seat in their order; by default the colour.")
    ] = None,
    date: Annotated[str, Option(help="When it was played, such as 2026-11-23.")] = "",
    deck: Deck = None,
    output: RecordOutput = None,
) -> None:
    """Type a game that was played on paper, and get its record.

    Every move is checked at once; help lists the commands. With input from a file or pipe, a wrong move ends with
    status 1. Exit status: 0 record written, 1 wrong move or file, 2 usage error. Example: fourcorners enter GAME
    """
    chosen = parse_game(game, option)
    try:
        sheet = _Sheet(chosen, name, date, None if deck is None else deck.split())
    except GameError as error:
        fail(error.message, _USAGE_ERROR)
    is_done = sheet.read()
    if not is_done:
        print("You left without a record.", file=sys.stderr)
        return
    write_typed(str(sheet.entry.match.record()), output)


class _Sheet:
    """The moves typed so far, and what they lead to."""

    def __init__(self, game: Game, names: list[str] | None, date: str, deck: list[str] | None) -> None:
        """Begin without moves; raise OptionError for wrong names, date or deck."""
        self._game, self._names, self._date, self._deck = game, names, date, deck
        self._moves: list[str] = []
        self._is_typed = sys.stdin.isatty()
        self.entry = self._enter(None)

    def _enter(self, typed: int | None) -> Entry:
        return enter_moves(self._game, self._moves, self._names, self._date, self._deck, typed=typed)

    def read(self) -> bool:
        """Read lines until the end; return whether a record is wanted. A wrong move in a pipe exits with status 1."""
        self._say(f"{self._game.title}. Type help for a list of commands.")
        with complete_moves(lambda: self.entry.match.position) if self._is_typed else contextlib.nullcontext():
            return self._read_lines()

    def _read_lines(self) -> bool:
        while True:
            number = len(self._moves) + 1
            try:
                line = read_line(f"{number}. " if self._is_typed else "")
            except UnicodeDecodeError:
                if not self._is_typed:
                    raise
                self._say("That is not text.")
                continue
            except EOFError:
                if self.entry.wrong is not None:
                    self._refuse()
                return True
            except KeyboardInterrupt:
                return False
            if line.lower() in {"done", "quit"}:
                return line.lower() == "done"
            self._execute(line)

    def _execute(self, line: str) -> None:
        """Do what a line says: a command, or moves."""
        word, _, rest = line.partition(" ")
        word = word.lower()
        if word == "help":
            self._say(_HELP)
        elif word == "board":
            self._say(str(self.entry.match.position.view()))
        elif word == "list":
            self._say("\n".join(f"{number}. {move}" for number, move in enumerate(self._moves, 1)) or "No moves yet.")
        elif word == "undo" and not rest:
            self._change(self._moves[:-1])
        elif word == "fix":
            self._fix(rest)
        elif line and not line.startswith("#"):
            wrong = self.entry.wrong
            if wrong is None:
                self._replace(len(self._moves), line)
            else:
                # What was typed replaces the wrong move; what followed it stays.
                self._replace(wrong.number - 1, line + self._moves[wrong.number - 1][len(wrong.move) :])

    def _fix(self, rest: str) -> None:
        """Replace the move with a number."""
        number, _, move = rest.partition(" ")
        if not number.isdecimal() or not 1 <= int(number) <= len(self._moves) or not move.strip():
            self._say(f"Write fix, a number from 1 to {len(self._moves)} and a move, such as fix 3 MOVE.")
            return
        self._replace(int(number) - 1, move)

    def _replace(self, index: int, line: str) -> None:
        """Put a line, of one move or several, in place of the move with an index."""
        self._change([*self._moves[:index], line, *self._moves[index + 1 :]], index)

    def _change(self, moves: list[str], typed: int | None = None) -> None:
        """Take other moves, one of them a typed line, and say what is wrong or how the game ended."""
        before, self._moves = self._moves, moves
        try:
            self.entry = self._enter(typed)
        except GameError as error:
            self._moves = before
            self._say(f"{error.message}.")
            return
        self._moves = self.entry.moves
        if self.entry.wrong is not None:
            if not self._is_typed:
                self._refuse()
            clause = self.entry.wrong.clause
            self._say(f"{clause[0].upper()}{clause[1:]}. Type the right move.")
        elif self.entry.match.is_over:
            match = self.entry.match
            result = describe_result(match.result, match.names, match.game, has_reason=True)
            self._say(f"The game is over. {result}. Type done.")

    def _refuse(self) -> None:
        """Exit with the reason why a move of a pipe is wrong."""
        if self.entry.wrong is not None:
            fail(self.entry.wrong.clause)

    @staticmethod
    def _say(text: str) -> None:
        """Print something for the person who types; standard output is for the record."""
        print(text, file=sys.stderr)
