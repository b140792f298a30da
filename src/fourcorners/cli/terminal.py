"""A match in a terminal: the board as text, typed moves, and computer opponents."""

import asyncio
import shutil
import textwrap
import threading
from collections.abc import Callable

from fourcorners.cli.common import create_error_console, read_line, show_status
from fourcorners.cli.completion import clear_history, complete_moves
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.game import View
from fourcorners.core.match import Match
from fourcorners.core.plurals import pluralise
from fourcorners.core.typed_moves import read_tokens, read_typed_move
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.hints import hint
from fourcorners.study.results import describe_result
from fourcorners.web.engine.warmup import Feature, Warmup, find_level_feature

DEFAULT_LEVEL = 3
_MAX_LISTED = 200  # tokens
_EVENT_TEXTS = {"!undo": "took a move back", "!resign": "resigned"}
HELP = """\
Type a move, with spaces between its tokens; Tab completes.
  ?           lists the possible next tokens   ? TOKENS    lists what can follow these tokens
  why MOVE    explains why a move is refused   board       shows the board again
  undo        takes your last move back        resign      resigns the game
  hint        suggests a move and explains it  help        shows this list
  quit        leaves the game"""


class Terminal:
    """A match at one screen."""

    def __init__(self, match: Match, levels: dict[int, int], warmup: Warmup) -> None:
        """Prepare to play on in a match, which changes; `levels` are the computers' by seat, people play the others.

        `warmup` compiles the game, and says when it is ready for a level or a hint.
        """
        self._warmup = warmup
        self.match = match
        self.levels = levels
        self.people = [seat for seat in range(match.game.seats) if seat not in levels]
        self._at_screen: int | None = self.people[0] if len(self.people) == 1 else None
        self._computers = {seat: Computer(level) for seat, level in levels.items()}
        self._shown_events = 0
        self._view = match.position.view(None)
        self._status = create_error_console()

    def run(self) -> None:
        """Print, and read typed input, until the game is over; raise EOFError or KeyboardInterrupt if left before."""
        print(f"{self.match.game.title}. Type help for a list of commands.")
        with complete_moves(lambda: self._view, ("why", "?")):
            while not self.match.is_over:
                seat = self.match.position.seat
                if seat is None:
                    break  # never happens before the end; for the type checker
                if seat in self.levels or seat in self.match.out:
                    self._play_computer_move(seat)
                else:
                    self._play_typed_move(seat)
        self._show(self.match.position.view(self._at_screen))
        names = [self._name(seat) for seat in range(self.match.game.seats)]
        own = self.people if len(self.people) == 1 else ()
        result = describe_result(self.match.describe_result(names), names, self.match.game, own, has_reason=True)
        print(f"The game is over. {result}.")

    def _play_computer_move(self, seat: int) -> None:
        """Choose and play a move by computer, even for a seat that has resigned in a game that continues; block."""
        computer = self._computers.setdefault(seat, Computer(DEFAULT_LEVEL))
        level = self.levels.get(seat, DEFAULT_LEVEL)
        self._wait_for(find_level_feature(self.match.game.spec.part(ComputerPlay).levels[level - 1]))
        with show_status(f"{self._name(seat)} is thinking"):
            move = computer.choose_move(self.match.position.view(seat))
        self.match.play(move)

    def _wait_for(self, feature: Feature | None) -> None:
        """Wait until a feature, if any, is compiled, and say so in one line; block."""
        game = self.match.game
        if feature is None or self._warmup.is_available(game.spec.id, feature):
            return
        text = f"Preparing {game.title}, which is compiled once for this computer"
        if not self._status.is_terminal:
            self._status.print(f"{text}.")
        with self._status.status(text) as line:
            asyncio.run(
                self._warmup.wait_for(
                    game.spec.id, feature, threading.Event(), lambda share: line.update(f"{text}: {share:.0%}")
                )
            )

    def _play_typed_move(self, seat: int) -> None:
        """Show the board to a seat's player and execute typed commands until the match changes.

        In a game with hidden information, first clear the terminal and wait for the player, unless already at the
        screen. Raise EOFError for quit or at the end of the input, and KeyboardInterrupt.
        """
        if self.match.game.spec.hidden and self._at_screen != seat:
            if self._status.is_terminal:
                self._status.clear()
            self._view = self.match.position.view(None)  # Tab must not complete from the hand of the last player,
            clear_history()  # nor the arrow keys bring back what that player has typed
            read_line(f"Press Enter when {self._name(seat)} is at the screen and no one else is looking. ")
            self._at_screen = seat
        self._view = self.match.position.view(seat)
        self._show(self._view)
        while not self._read_and_execute(seat):
            pass

    def _read_and_execute(self, seat: int) -> bool:
        """Read and execute a line of a seat's player, as `_execute` does; one that is not text changes nothing."""
        try:
            line = read_line(f"{self._name(seat)}> ")
        except UnicodeDecodeError:
            print("That line is not text: write UTF-8.")
            return False
        return self._execute(seat, line)

    def _execute(self, seat: int, line: str) -> bool:
        """Execute a typed command or move of a seat; return whether the match has changed. Raise EOFError for quit."""
        word, _, rest = line.partition(" ")
        word = word.lower()
        if not line:
            return False
        if word == "?":
            self._print_completions(read_tokens(self._view, rest.split()))
        elif word == "help":
            print(HELP)
        elif word == "board":
            self._show(self._view)
        elif word == "why":
            reason = self._view.why(read_typed_move(self._view, rest))
            print("This move is legal." if reason is None else _sentence(reason.sentence))
        elif word == "hint":
            self._wait_for(Feature.HINT)
            with show_status("thinking"):
                print(_sentence(hint(self._view).text))
        elif word == "quit":
            raise EOFError
        elif word in {"undo", "resign"} and not rest:
            return self._attempt(lambda: self._undo() if word == "undo" else self.match.resign(seat))
        else:
            return self._attempt(lambda: self.match.play(read_typed_move(self._view, line), seat))
        return False

    @staticmethod
    def _attempt(action: Callable[[], object]) -> bool:
        """Run an action that changes the match and return whether it succeeded; print a GameError, do not raise it."""
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
        """Take back the last move by a person and all later moves; raise IllegalMoveError if that is impossible."""
        plies = self.match.position.plies
        own = [ply for ply, played in enumerate(plies) if played.seat in self.people]
        if not own:
            raise IllegalMoveError("undo", "no move has been played yet", "no-undo")
        reason = self.match.find_undo_obstacle(own[-1])
        if reason:
            raise IllegalMoveError("undo", reason, "no-undo")
        self.match.take_back(plies[own[-1]].seat, own[-1])

    def _print_completions(self, tokens: list[str]) -> None:
        """Print up to 200 tokens that may follow these tokens, or why there are none."""
        following = self._view.complete(tokens)
        if not following:
            reason = self._view.why(" ".join(tokens))
            print("That is a complete move." if reason is None else _sentence(reason.sentence))
            return
        shown = "  ".join(following[:_MAX_LISTED])
        more = f"  … and {len(following) - _MAX_LISTED} more" if len(following) > _MAX_LISTED else ""
        width = shutil.get_terminal_size().columns
        print(textwrap.fill(shown + more, width, break_long_words=False, break_on_hyphens=False))

    def _show(self, view: View) -> None:
        """Print the events since the last call (in full if over, else as the viewer saw them), the board, and facts."""
        events = self.match.events
        for event in events[self._shown_events :]:
            text = event.text if event.seat == view.viewer or self.match.is_over else event.public
            event_text = _EVENT_TEXTS.get(text.partition(" ")[0])
            print(f"{self._name(event.seat)} {event_text}" if event_text else f"{self._name(event.seat)}: {text}")
        self._shown_events = len(events)
        print(f"\n{view}\n")
        facts = view.facts()
        for seat, points in enumerate(view.scores):
            own_facts = [f"{name} {value}" for owner, name, value in facts if owner == seat]
            # Where the last move wins there are no points.
            counted = [pluralise(points, "{} point", "{} points")] if self.match.game.spec.scoring == "points" else []
            print(f"{self._name(seat)}: {'; '.join([*counted, *own_facts])}")
        shared = [f"{name} {value}" for owner, name, value in facts if owner is None]
        if shared:
            print(f"On the table: {'; '.join(shared)}")

    def _name(self, seat: int) -> str:
        return f"{self.match.names[seat]} ({self.match.position.seat_names[seat]})"


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
