"""`fourcorners match`: how much stronger one way of playing is than another."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from fourcorners.cli.common import OPTIONS_HELP, fail, game_of, progress_bar
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game
from fourcorners.players.engine_match import Contest, Played, Score, elo, side
from fourcorners.players.match_log import Ledger

_INTERRUPTED = 130
_SURE = 2.94  # the logarithm of 0.95 / 0.05
_FEWEST = 8  # openings before the sequential test may end a contest


def match(
    game: Annotated[str, typer.Argument(help="The id of a game.")],
    player: Annotated[
        list[str] | None,
        typer.Argument(help="A level's number, top, plain (search that knows the rules alone), or a baseline's name."),
    ] = None,
    option: Annotated[list[str] | None, typer.Option("-o", "--option", help=OPTIONS_HELP)] = None,
    levels: Annotated[bool, typer.Option("--levels", help="All levels of the game, each against the next.")] = False,
    games: Annotated[int, typer.Option(min=1, help="At least so many games for each pair.")] = 200,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations a move, instead of the players' own.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds a move, instead of the players' own.")] = None,
    plies: Annotated[int, typer.Option(min=0, max=40, help="Random moves that open a game.")] = 2,
    seed: Annotated[int, typer.Option(help="What openings draw from, and players with --nodes.")] = 1,
    jobs: Annotated[int | None, typer.Option(min=1, max=64, help="Games at a time; usually one a processor.")] = None,
    until: Annotated[
        float | None, typer.Option(help="End a pair as soon as it is clear whether the difference is 0 or so many Elo.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Keep the games in this folder, and go on with them.")] = None,
    as_data: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the differences into this file, .svg or .png.")] = None,
) -> None:
    """Let players meet, each the next on the list, with the seats and the openings balanced.

    Of games of three and more parties one seat is the first player's and the others are the second's. Ctrl-C ends it
    with the score so far. Example: fourcorners match GAME 5 6 --games 200 --nodes 2000
    """
    if seconds is not None and not seconds > 0:
        fail(f"--seconds {seconds:g} is not allowed; it may be any number above 0", 2)
    if until is not None and not until > 0:
        fail(f"--until {until:g} is not allowed; it may be any number of Elo above 0", 2)
    chosen = game_of(game, option or [])
    names = [str(number) for number in range(len(chosen.spec.levels), 0, -1)] if levels else list(player or [])
    if len(names) < 2 or (levels and player):
        fail("name two players or more, or give --levels alone", 2)
    try:
        sides = [side(chosen, name, nodes, seconds) for name in names]
        contests = [Contest(chosen, first, second, plies, seed) for first, second in pairwise(sides)]
        pairs = [_Pair(contest, _ledger(contest, option or [], save), games, until) for contest in contests]
    except GameError as error:
        fail(error.message, 2)
    except OSError as error:
        fail(f"{error.filename or save} cannot be used: {error.strerror or error}")
    with _interruptible() as stop:
        for pair in pairs:
            if not stop.is_set():
                pair.run(jobs or os.cpu_count() or 1, stop)
    rows = [pair.row() for pair in pairs if pair.score.games]
    print(json.dumps([row._asdict() for row in rows], indent=2)) if as_data else _show(chosen, rows)
    if plot is not None and rows:
        _draw(chosen, rows, plot)
    if stop.is_set():
        sys.exit(_INTERRUPTED)


class Row(NamedTuple):
    """What came of one pair, from the first player's side."""

    first: str
    second: str
    games: int
    share: float
    low: float
    high: float
    elo: float
    elo_low: float
    elo_high: float
    evidence: float | None


class _Pair:
    """Two players who meet until there are games enough, or until it is clear."""

    def __init__(self, contest: Contest, ledger: Ledger, games: int, until: float | None) -> None:
        self._contest = contest
        self._ledger = ledger
        self._openings = -(-games // len(contest.seatings))
        self._until = until

    @property
    def score(self) -> Score:
        return self._ledger.score

    def run(self, jobs: int, stop: threading.Event) -> None:
        """Play what is missing, so many games at a time."""
        first, second = self._contest.first.name, self._contest.second.name
        seatings = self._contest.seatings
        todo = (
            (opening, seats)
            for opening in self._ledger.missing(self._openings)
            for seats in seatings
            if not self._ledger.has(opening, seats)
        )
        running: set[Future[Played | None]] = set()
        enough = threading.Event()
        with progress_bar() as bar, ThreadPoolExecutor(jobs) as pool:
            task = bar.add_task(f"{first} against {second}", total=self._openings * len(seatings))
            while True:
                while len(running) < jobs and not stop.is_set() and not enough.is_set():
                    following = next(todo, None)
                    if following is None:
                        break
                    running.add(pool.submit(self._contest.play, *following, stop))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for each in done:
                    game = each.result()
                    if game is not None:
                        self._ledger.add(game)
                score = self.score
                if score.games:
                    text = f"{first} against {second}: {score.mean:.1%}, {elo(score.mean, score.parties):+.0f} Elo"
                    bar.update(task, completed=score.games, description=text)
                if self._is_clear(score):
                    enough.set()

    def _is_clear(self, score: Score) -> bool:
        evidence = self._evidence(score)
        return evidence is not None and abs(evidence) >= _SURE and len(score.openings) >= _FEWEST

    def _evidence(self, score: Score) -> float | None:
        return None if self._until is None or not score.games else score.evidence(0.0, self._until)

    def row(self) -> Row:
        """Return the result."""
        score, contest = self.score, self._contest
        low, high = score.interval
        return Row(
            first=contest.first.name,
            second=contest.second.name,
            games=score.games,
            share=score.mean,
            low=low,
            high=high,
            elo=elo(score.mean, score.parties),
            elo_low=elo(low, score.parties),
            elo_high=elo(high, score.parties),
            evidence=self._evidence(score),
        )


def _ledger(contest: Contest, options: list[str], folder: Path | None) -> Ledger:
    """Open the file of a contest."""
    first, second = contest.first, contest.second
    terms: dict[str, Any] = {
        "game": contest.game.id,
        "options": sorted(options),
        "first": [first.name, *first.style],
        "second": [second.name, *second.style],
        "nodes": first.nodes,
        "seconds": first.seconds,
        "plies": contest.plies,
        "seed": contest.seed,
    }
    if folder is None:
        return Ledger(terms, len(contest.seatings))
    folder.mkdir(parents=True, exist_ok=True)
    return Ledger(terms, len(contest.seatings), folder / f"{first.name}-{second.name}.jsonl")


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Give an event that Ctrl-C sets; a second one ends the program at once."""
    stop = threading.Event()

    def interrupted(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _show(game: Game, rows: list[Row]) -> None:
    """Print a table."""
    table = Table(title=game.title)
    for name in ("player", "against", "games", "won", "95%", "Elo", "95%"):
        table.add_column(name, justify="left" if name in ("player", "against") else "right")
    for row in rows:
        shares = (f"{row.share:.1%}", f"{row.low:.1%} to {row.high:.1%}")
        elos = (f"{row.elo:+.0f}", f"{row.elo_low:+.0f} to {row.elo_high:+.0f}")
        table.add_row(row.first, row.second, str(row.games), *shares, *elos)
    Console().print(table)


def _draw(game: Game, rows: list[Row], path: Path) -> None:
    """Draw the Elo differences with their intervals."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        fail("a plot needs matplotlib: install fourcorners with its extra, fourcorners[plot]")
    figure = Figure(figsize=(7, 1.2 + 0.5 * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    below = [row.elo - row.elo_low for row in rows]
    above = [row.elo_high - row.elo for row in rows]
    axes.errorbar([row.elo for row in rows], places, xerr=[below, above], fmt="o", color="#1f5f8b", capsize=4)
    axes.axvline(0, color="#888", linewidth=1)
    axes.set_yticks(places, [f"{row.first} against {row.second}" for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("Elo difference, with 95% interval")
    axes.set_title(game.title)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        fail(f"{path} cannot be drawn: {error}")
