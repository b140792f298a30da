"""A match of the strongest level against an independent program: `python -m benchmarks.sparring GAME -o cols=5`.

The programs beside this file share no code with the project: `strings.cpp` is an alpha-beta search of Dots and Boxes,
`amaf.cpp` a UCT search of Square Off with AMAF values. They are compiled with `g++` (or the compiler that CXX names)
into a temporary folder, unless `--program` names a compiled one. Both players use one thread, and get the same
processor time for each move, unless `--seconds-per-game` gives us a time for the whole game instead. Every opening of
two random moves is played from both seats, and the openings follow from the seed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import fourcorners as fc
from benchmarks.versions import Usage
from fourcorners.core import catalogue, slices
from fourcorners.core.game import Game
from fourcorners.players.engine_match import EngineMatch, Score, elo_difference, parse_side

SOURCES = {"dots-and-boxes": "strings.cpp", "square-off": "amaf.cpp"}
"""The programs, by the games that they play."""
_WARM_UP_SECONDS = 0.02


class Answer(NamedTuple):
    """The program's move, as our text, and what it says about it; `seconds` is processor time."""

    move: str
    seconds: float
    kind: str
    value: float


def compile_program(game: str, folder: Path) -> Path:
    """Compile the program for a game into `folder`, return its path; raise CalledProcessError if that fails."""
    source = Path(__file__).with_name(SOURCES[game])
    program = folder / source.stem
    compiler = os.environ.get("CXX", "g++")
    subprocess.run([compiler, "-std=c++17", "-O3", "-march=native", "-o", program, source], check=True)
    return program


def list_edge_names(cols: int, rows: int) -> list[str]:
    """Return our moves in the order of the program's edges, for a board of `cols` x `rows` boxes."""

    def name_dot(x: int, y: int) -> str:
        return f"{'abcdefghijklmnopqrstu'[x]}{y + 1}"

    horizontal = [name_dot(x, y) + name_dot(x + 1, y) for y in range(rows + 1) for x in range(cols)]
    vertical = [name_dot(x, y) + name_dot(x, y + 1) for y in range(rows) for x in range(cols + 1)]
    return horizontal + vertical


class Program:
    """The running program, which plays one game at a time."""

    def __init__(self, path: Path, game: Game) -> None:
        """Start the program for a game that it plays."""
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._board = "new"
        self._words: dict[str, str] = {}  # its words for our moves, where they differ by more than a space
        if game.id == "dots-and-boxes":
            options: Any = game.options
            cols, rows = options.cols, options.rows
            self._board = f"new {cols} {rows}"
            self._words = {name: str(number) for number, name in enumerate(list_edge_names(cols, rows))}
        self._moves = {word: move for move, word in self._words.items()}

    def ask(self, command: str) -> list[str]:
        """Send a line and return the words of the answer; raise RuntimeError if the program refuses it or has ended."""
        send, receive = self._process.stdin, self._process.stdout
        if send is None or receive is None:
            raise RuntimeError("the program has no pipes")
        send.write(command + "\n")
        send.flush()
        words = receive.readline().split()
        if not words or words[0] == "error":
            raise RuntimeError(f"the program answered {' '.join(words)!r} to {command!r}")
        return words

    def start_game(self) -> None:
        """Begin with an empty board."""
        self.ask(self._board)

    def play(self, move: str) -> None:
        """Play a move of either side."""
        self.ask(f"play {self._words.get(move, move.replace(' ', ''))}")

    def choose(self, seconds: float) -> Answer:
        """Return the move of the seat to move, after a search of `seconds` seconds of processor time."""
        words = self.ask(f"go {seconds}")
        found = dict(zip(words[::2], words[1::2], strict=True))
        word = found["move"]
        # The program writes a move of two cells without a space.
        move = self._moves.get(word) or (f"{word[:2]} {word[2:]}" if word[2:].isalnum() and word != "swap" else word)
        return Answer(move, float(found["seconds"]), found["kind"], float(found["value"]))

    def solve(self, seconds: float) -> int | None:
        """Return the exact margin for the seat to move, in boxes from here on; None if the time does not suffice."""
        words = self.ask(f"solve {seconds}")
        return int(words[1]) if words[0] == "value" else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process, which stops when it can read no more."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


class SparringMatch(NamedTuple):
    """A match against the program; `usage` has the processor time of the moves of both sides, ours first."""

    setting: EngineMatch
    program: Program
    seconds: float
    usage: tuple[Usage, Usage]
    log: Callable[[str], None]

    def play_game(self, opening: int, ours: int) -> float:
        """Play one game, in which the strongest level has seat `ours`; return its share of the win."""
        position = self.setting.play_opening(opening)
        player = self.setting.first.create_computer(1)
        self.program.start_game()
        for move in position.history:
            self.program.play(move)
        moves = list(position.history)
        while position.seat is not None:
            is_ours = position.seat == ours
            if is_ours:
                start = time.thread_time()
                move = player.choose(position).move
                self.usage[0].add(time.thread_time() - start)
            else:
                answer = self.program.choose(self.seconds)
                move = answer.move
                self.usage[1].add(answer.seconds)
            self.program.play(move)
            position = position.play(move)
            moves.append(move)
        winners = position.outcome.winners if position.outcome else ()
        share = (ours in winners) / max(1, len(winners))
        self.log(f"opening {opening}, seat {ours}: {share} {','.join(moves)}")
        return share


def play_match(match: SparringMatch, games: int, report: Callable[[list[float]], None]) -> list[float]:
    """Play `games` games, rounded up to pairs; return our share for each opening; `report` gets those so far."""
    shares: list[float] = []
    for opening in range(-(-games // 2)):
        shares.append(sum(match.play_game(opening, seat) for seat in (0, 1)) / 2)
        report(shares)
    return shares


def main() -> None:
    """Read the command line, play the match, print a line after each opening and at last the result as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sparring", description=__doc__)
    parser.add_argument("game", choices=SOURCES)
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="cols or rows")
    parser.add_argument("--seconds", type=float, default=0.1, help="processor time per move of both players")
    parser.add_argument("--seconds-per-game", type=float, help="for all our moves of a game, instead of --seconds")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--plies", type=int, default=2, help="random moves at the start of each game (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the openings")
    parser.add_argument("--program", type=Path, help="the compiled program")
    parser.add_argument("--level", default="top", help="our side, as `fourcorners match` names them")
    parser.add_argument("--moves", action="store_true", help="print the moves of every game")
    args = parser.parse_args()
    options = dict(option.split("=", 1) for option in args.option)
    game: Game = catalogue.parse_game(args.game, options)
    seconds = args.seconds if args.seconds_per_game is None else None
    first = parse_side(game, args.level, seconds=seconds, seconds_per_game=args.seconds_per_game)
    setting = EngineMatch(game, first, first, args.plies, args.seed)
    usage = Usage(), Usage()

    def describe(shares: list[float]) -> dict[str, float]:
        score = Score(tuple(shares), 2 * len(shares))
        low, high = score.interval
        found = {"games": score.games, "share": score.mean, "low": low, "high": high}
        found["elo"] = elo_difference(score.mean)
        for name, side in zip(("ours", "theirs"), usage, strict=True):
            found[f"{name} mean seconds"], found[f"{name} longest seconds"] = side.mean, side.longest
        return {name: round(value, 4) for name, value in found.items()}

    def report(shares: list[float]) -> None:
        found = describe(shares)
        print(f"{found['games']} games: {found['share']:.1%}", file=sys.stderr, flush=True)

    def log(line: str) -> None:
        if args.moves:
            print(line, file=sys.stderr, flush=True)

    with ExitStack() as stack:
        path = args.program or compile_program(args.game, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        shape = game.start()
        program = stack.enter_context(Program(path, game))
        stack.enter_context(slices.count_processor_time())
        warm = fc.Computer.from_level(first.level, seconds=min(_WARM_UP_SECONDS, args.seconds))
        while not shape.is_over:
            shape = shape.play(warm.choose(shape).move)
        shares = play_match(SparringMatch(setting, program, args.seconds, usage, log), args.games, report)
    print(
        json.dumps(
            {
                "game": args.game,
                "options": options,
                "seconds": args.seconds,
                "our seconds per game": args.seconds_per_game,
                "random moves": args.plies,
                "seed": args.seed,
                **describe(shares),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
