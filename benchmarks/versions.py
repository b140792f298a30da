"""A match of this version against an earlier one at equal processor time: `python -m benchmarks.versions COMMIT GAME`.

The earlier version is checked out into a temporary Git worktree. Each version plays in its own process, where the
clock that limits a move counts processor time, so a busy machine favours no one; one process thinks at a time. Every
opening of two random moves is played with each seating. In games with three or more parties this version takes one
seat, the earlier one all others. Players are those of the game's strongest level with one thread. A limit may be
overrun, so the mean processor time per move is printed for both sides; `--their-seconds` can make up for a difference.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

_ROOT = Path(__file__).resolve().parent.parent
_OPENING_PLIES = 2
_WARM_UP_SECONDS = 0.02
_SERVE = "--serve"  # the first argument of a process that plays


class Reply(NamedTuple):
    """A move of a version, and the processor time in seconds that it took."""

    move: str
    seconds: float


class Usage:
    """The processor time of one side over its moves, in seconds."""

    def __init__(self) -> None:
        """Begin without a move."""
        self.moves, self.total, self.longest = 0, 0.0, 0.0

    def add(self, seconds: float) -> None:
        """Add a move."""
        self.moves, self.total, self.longest = self.moves + 1, self.total + seconds, max(self.longest, seconds)

    @property
    def mean(self) -> float:
        """The mean per move; 0 without a move."""
        return self.total / max(1, self.moves)


class Version:
    """A version of the project in its own process, which answers one line of JSON with another."""

    def __init__(self, tree: Path, game: str, options: dict[str, str], seconds: float) -> None:
        """Start the process from the sources in `tree`, with a limit in seconds for each move; wait until it is ready.
        Raise RuntimeError if it ends instead, or plays another version.
        """
        environment = os.environ | {"PYTHONPATH": str(tree / "src")}
        terms = json.dumps({"game": game, "options": options, "seconds": seconds})
        command = [sys.executable, "-P", str(Path(__file__).resolve()), _SERVE, terms]
        self._process = subprocess.Popen(  # this program itself
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            self.source = Path(str(self._ask()["source"]))
            if not self.source.resolve().is_relative_to(tree.resolve()):
                raise RuntimeError(f"this would play the version in {self.source}, not the one in {tree}")
        except RuntimeError:
            self._close()
            raise

    def _ask(self, question: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a line, unless it is None, and return the answer; raise RuntimeError if the process has ended."""
        send, receive = self._process.stdin, self._process.stdout
        if send is None or receive is None:
            raise RuntimeError("the process has no pipes")
        if question is not None:
            send.write(json.dumps(question) + "\n")
            send.flush()
        answer = receive.readline()
        if not answer:
            raise RuntimeError(f"a version ended with status {self._process.wait()}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def choose(self, number: int, seed: int, history: list[str]) -> Reply:
        """Return the move of the seat to move, after some moves of game number `number`, whose start has this seed."""
        answer = self._ask({"number": number, "seed": seed, "history": history})
        return Reply(answer["move"], answer["seconds"])

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self._close()

    def _close(self) -> None:
        """End the process, which stops when it can read no more, and close the pipes."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


@contextmanager
def check_out(commit: str) -> Iterator[Path]:
    """Give the folder of a temporary worktree of a commit; raise CalledProcessError if there is no such commit.

    If `commit` is the path of a folder with a version's sources, give that folder.
    """
    if Path(commit, "src").is_dir():
        yield Path(commit)
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(_ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def find_strongest(spec: Any) -> Any:
    """Return a game's strongest level; the specs of earlier versions have their levels as a field."""
    if hasattr(spec, "levels"):
        return spec.levels[-1]
    from fourcorners.players.computer_play import ComputerPlay  # noqa: PLC0415  # not in earlier versions

    return spec.part(ComputerPlay).levels[-1]


def serve(terms: dict[str, Any], questions: IO[str], answers: IO[str]) -> None:
    """Answer each line of `questions`, as `Version.choose` sends them, on a line of `answers`, until there are no more.

    Both are JSON. Only what earlier versions have as well is used. A game begins with a new number; within it every
    seat keeps its player. The first answer, the folder of the sources, follows a game that compiles everything.
    """
    # All limits of time read this clock, once the project is imported.
    time.perf_counter = time.process_time
    import fourcorners as fc  # noqa: PLC0415  # not before the clock is replaced
    from fourcorners.core import catalogue  # noqa: PLC0415

    game = catalogue.parse_game(terms["game"], terms["options"])
    strongest = find_strongest(game.spec)
    position = game.start(seed=1)
    warm = fc.Computer.from_level(strongest, seconds=min(_WARM_UP_SECONDS, terms["seconds"]))
    while not position.is_over:
        position = position.play(warm.choose(position).move)
    print(json.dumps({"source": str(Path(fc.__file__).parent)}), file=answers, flush=True)

    number, played = -1, 0
    players: dict[int, fc.Computer] = {}
    for line in questions:
        question = json.loads(line)
        history = question["history"]
        if question["number"] != number:
            number, played, players = question["number"], 0, {}
            position = game.start(seed=question["seed"])
        for move in history[played:]:
            position = position.play(move)
        played = len(history)
        seat = position.seat or 0
        if seat not in players:
            players[seat] = fc.Computer.from_level(strongest, seconds=terms["seconds"])
        start = time.process_time()
        move = players[seat].choose(position).move
        answer = {"move": move, "seconds": time.process_time() - start}
        print(json.dumps(answer), file=answers, flush=True)


def play_game(
    game: Any,
    opening: int,
    seats: tuple[int, ...],
    seed: int,
    sides: tuple[Version, Version],
    usage: tuple[Usage, Usage],
) -> float:
    """Play one game with the first side on `seats`, the second on all others; return the first side's share of the win.

    `opening` and `seed` determine the deck and the random moves that open the game. The processor time is added to
    `usage`, by side.
    """
    rng = random.Random(f"{seed}/{opening}")
    number = opening * len(game.options.parties) + game.options.parties.index(seats)
    deck = rng.getrandbits(31)
    position = game.start(seed=deck)
    for _ in range(_OPENING_PLIES):
        following = position.play(rng.choice(position.moves()))
        if following.is_over:
            break
        position = following
    history = [ply.move for ply in position.plies]
    while position.seat is not None:
        side = 0 if position.seat in seats else 1
        reply = sides[side].choose(number, deck, history)
        usage[side].add(reply.seconds)
        position = position.play(reply.move)
        history.append(reply.move)
    winners = set(position.outcome.winners)
    winning = [party for party in game.options.parties if winners & set(party)]
    return 1 / len(winning) if seats in winning else 0.0


def play_match(
    game: Any,
    sides: tuple[Version, Version],
    games: int,
    seed: int,
    report: Callable[[list[float], tuple[Usage, Usage]], None],
) -> tuple[list[float], tuple[Usage, Usage]]:
    """Play at least `games` games in whole openings, each with every seating.

    Return the first side's shares by opening, and the processor time of both sides; `report` gets them so far after
    each opening.
    """
    seatings = game.options.parties
    shares: list[float] = []
    usage = Usage(), Usage()
    for opening in range(-(-games // len(seatings))):
        total = sum(play_game(game, opening, seats, seed, sides, usage) for seats in seatings)
        shares.append(total / len(seatings))
        report(shares, usage)
    return shares, usage


def main(arguments: list[str]) -> None:
    """Read the command line, play the match, print a line after each opening and at last the result as JSON."""
    from fourcorners.core import catalogue  # noqa: PLC0415  # a process that plays sets its clock first
    from fourcorners.players.engine_match import Score, elo_difference  # noqa: PLC0415

    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("commit", help="the earlier version: a commit, or a folder with its sources")
    parser.add_argument("game", help="the id of a game")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="an option")
    parser.add_argument("--seconds", type=float, default=0.1, help="processor time per move")
    parser.add_argument("--their-seconds", type=float, help="that of the earlier version, if it differs")
    parser.add_argument("--games", type=int, default=200, help="the minimum number of games")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the openings")
    args = parser.parse_args(arguments)
    options = dict(option.split("=", 1) for option in args.option)
    game = catalogue.parse_game(args.game, options)

    def describe(shares: list[float], usage: tuple[Usage, Usage]) -> dict[str, float]:
        score = Score(tuple(shares), len(shares) * len(game.options.parties), len(game.options.parties))
        low, high = score.interval
        found = {"games": score.games, "share": score.mean, "low": low, "high": high}
        found["elo"] = elo_difference(score.mean, score.parties)
        for name, side in zip(("ours", "theirs"), usage, strict=True):
            found[f"{name} mean seconds"], found[f"{name} longest seconds"] = side.mean, side.longest
        return {name: round(value, 4) for name, value in found.items()}

    result: dict[str, float] = {}

    def report(shares: list[float], usage: tuple[Usage, Usage]) -> None:
        result.update(describe(shares, usage))
        interval = f"{result['low']:.1%} to {result['high']:.1%}"
        means = f"{result['ours mean seconds']:.3f} / {result['theirs mean seconds']:.3f} s"
        print(f"{result['games']} games: {result['share']:.1%} ({interval}), {means}", file=sys.stderr, flush=True)

    # Leave no worktree behind when the match is stopped from outside.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with ExitStack() as stack:
        tree = stack.enter_context(check_out(args.commit))
        ours = stack.enter_context(Version(_ROOT, args.game, options, args.seconds))
        theirs = stack.enter_context(Version(tree, args.game, options, args.their_seconds or args.seconds))
        play_match(game, (ours, theirs), args.games, args.seed, report)
    print(json.dumps({"commit": args.commit, "game": args.game, "options": options, **result}, indent=2))


if __name__ == "__main__":
    if sys.argv[1:2] == [_SERVE]:
        serve(json.loads(sys.argv[2]), sys.stdin, sys.stdout)
    else:
        main(sys.argv[1:])
