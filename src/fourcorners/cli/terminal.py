"""A game at a terminal: the board as text, moves typed, computers answering."""

from __future__ import annotations

import contextlib
import shutil
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType

from rich.console import Console

from fourcorners.cli.common import busy
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.match import Match
from fourcorners.core.position import View
from fourcorners.players.computer import Computer
from fourcorners.players.hints import hint

try:
    import readline as _found
except ImportError:  # not on every system: there, nothing is completed
    readline: ModuleType | None = None
else:
    readline = _found

USUAL_LEVEL = 3
_MOST_LISTED = 200
_TOLD = {"!undo": "took back", "!resign": "resigned"}
HELP = """\
Type a move, token by token with a space between; Tab completes.
  ?           lists what may come next         ? TOKENS    lists what may follow these tokens
  why MOVE    says why a move is refused       board       shows the board again
  undo        takes your last move back        resign      gives the game up
  hint        proposes a move, and says why    help        shows this
  quit        leaves"""


class Terminal:
    """A match at one screen; seats without a level are people."""

    def __init__(self, match: Match, levels: dict[int, int]) -> None:
        self.match = match
        self.levels = levels
        self.people = [seat for seat in range(match.game.seats) if seat not in levels]
        self._at_screen: int | None = self.people[0] if len(self.people) == 1 else None
        self._computers = {seat: Computer(level) for seat, level in levels.items()}
        self._told = 0
        self._view = match.position.view(None)
        self._status = Console(stderr=True)

    def run(self) -> None:
        """Play until the game is over or somebody leaves (EOFError, KeyboardInterrupt)."""
        print(f"{self.match.game.title}. Type help for what you can type.")
        with self._completion():
            while not self.match.is_over:
                seat = self.match.position.seat
                if seat is None:
                    break
                if seat in self.levels or seat in self.match.out:
                    self._let_think(seat)
                else:
                    self._ask(seat)
        self._show(self.match.position.view(self._at_screen))
        print(f"The game is over: {self.match.result}.")

    def _let_think(self, seat: int) -> None:
        # A seat that was given up in a game that goes on has no computer yet.
        computer = self._computers.setdefault(seat, Computer(USUAL_LEVEL))
        with busy(f"{self._name(seat)} is thinking"):
            choice = computer.choose(self.match.position.view(seat))
        self.match.play(choice.move)

    def _ask(self, seat: int) -> None:
        if self.match.game.spec.hidden and self._at_screen != seat:
            if self._status.is_terminal:
                self._status.clear()
            input(f"Press Enter when {self._name(seat)} is at the screen, and nobody else looks. ")
            self._at_screen = seat
        self._view = self.match.position.view(seat)
        self._show(self._view)
        while not self._obey(seat, input(f"{self._name(seat)}> ").strip()):
            pass

    def _obey(self, seat: int, line: str) -> bool:
        """Do what was typed; return whether the match has changed."""
        word, _, rest = line.partition(" ")
        if not line:
            return False
        if word == "?":
            self._list(rest.split())
        elif word == "help":
            print(HELP)
        elif word == "board":
            self._show(self._view)
        elif word == "why":
            reason = self._view.why(rest.strip())
            print("It may be played." if reason is None else _sentence(reason.sentence))
        elif word == "hint":
            with busy("thinking"):
                print(_sentence(hint(self._view).text))
        elif word == "quit":
            raise EOFError
        elif word in {"undo", "resign"} and not rest:
            return self._attempt(lambda: self._undo() if word == "undo" else self.match.resign(seat))
        else:
            return self._attempt(lambda: self.match.play(line, seat))
        return False

    @staticmethod
    def _attempt(action: Callable[[], object]) -> bool:
        try:
            action()
        except IllegalMoveError as error:
            print(_sentence(error.reason))
        except GameError as error:
            print(_sentence(error.message))
        else:
            return True
        return False

    def _undo(self) -> None:
        plies = self.match.position.plies
        own = [ply for ply, played in enumerate(plies) if played.seat in self.people]
        if not own:
            raise IllegalMoveError("undo", "nobody has moved yet", "no-undo")
        self.match.take_back(plies[own[-1]].seat, own[-1])

    def _list(self, tokens: list[str]) -> None:
        following = self._view.complete(tokens)
        if not following:
            reason = self._view.why(" ".join(tokens))
            print("That is a whole move." if reason is None else _sentence(reason.sentence))
            return
        shown = "  ".join(following[:_MOST_LISTED])
        more = f"  … and {len(following) - _MOST_LISTED} more" if len(following) > _MOST_LISTED else ""
        width = shutil.get_terminal_size().columns
        print(textwrap.fill(shown + more, width, break_long_words=False, break_on_hyphens=False))

    def _show(self, view: View) -> None:
        events = self.match.events
        for event in events[self._told :]:
            own = event.seat == view.viewer or self.match.is_over
            text = event.text if own else event.public
            told = _TOLD.get(text.partition(" ")[0])
            print(f"{self._name(event.seat)} {told}" if told else f"{self._name(event.seat)}: {text}")
        self._told = len(events)
        print(f"\n{view}\n")
        facts = view.facts()
        for seat, points in enumerate(view.scores):
            own_facts = [f"{name} {value}" for of, name, value in facts if of == seat]
            print("; ".join([f"{self._name(seat)}: {points} points", *own_facts]))
        shared = [f"{name} {value}" for of, name, value in facts if of is None]
        if shared:
            print(f"On the table: {'; '.join(shared)}")

    def _name(self, seat: int) -> str:
        return f"{self.match.names[seat]} ({self.match.game.seat_names[seat]})"

    @contextlib.contextmanager
    def _completion(self) -> Iterator[None]:
        if readline is None:
            yield
            return
        before = readline.get_completer(), readline.get_completer_delims()
        readline.set_completer(self._complete)
        readline.set_completer_delims(" ")
        readline.parse_and_bind("tab: complete")
        try:
            yield
        finally:
            readline.set_completer(before[0])
            readline.set_completer_delims(before[1])

    def _complete(self, text: str, number: int) -> str | None:
        if readline is None:
            return None
        before = readline.get_line_buffer()[: readline.get_begidx()].split()
        if before[:1] in (["why"], ["?"]):
            before = before[1:]
        fitting = [token for token in self._view.complete(before) if token.startswith(text)]
        return f"{fitting[number]} " if number < len(fitting) else None


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
