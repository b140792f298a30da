"""`fourcorners match`: measure how much stronger one computer player is than another."""

import contextlib
import errno
import json
import os
import sys
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from rich.console import Console
from rich.table import Table
from typer import Argument, Option

from fourcorners.cli.common import (
    INTERRUPTED,
    GameOptions,
    Jobs,
    RandomPlies,
    ResultAsJson,
    create_progress_bar,
    fail,
    parse_game,
    require_extra,
    require_positive,
    require_writable,
    save_plot,
    stop_on_interrupt,
)
from fourcorners.core import slices
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import EngineMatch, PlayedGame, Score, elo_difference, parse_side
from fourcorners.players.match_log import MatchLog

_DECISIVE = 2.94  # log(0.95 / 0.05), for error rates of 5% in the sequential test
_MIN_OPENINGS = 8  # before the sequential test may end a match


def match(
    game: Annotated[str, Argument(help="The id of a game.")],
    player: Annotated[
        list[str] | None,
        Argument(
            help="The number of a level, top, simulations (top without the engine for two parties), plain (search with "
            "the rules only), or a baseline."
        ),
    ] = None,
    option: GameOptions = None,
    levels: Annotated[
        bool, Option("--levels", help="Play all levels of the game, each against the one below it.")
    ] = False,
    games: Annotated[int, Option(min=1, help="The minimum number of games for each pair.")] = 200,
    nodes: Annotated[
        int | None, Option(min=1, help="Simulations for each move, instead of the players’ own limits.")
    ] = None,
    seconds: Annotated[float | None, Option(help="Seconds for each move, instead of the players’ own limits.")] = None,
    seconds_per_game: Annotated[
        float | None, Option(help="Seconds for all moves of a player in a game, instead of the players’ own limits.")
    ] = None,
    cpu: Annotated[
        bool, Option("--cpu", help="Count seconds of processor time, so that other work makes no difference.")
    ] = False,
    plies: RandomPlies = 2,
    seed: Annotated[int, Option(help="The seed of the openings and, with --nodes, of the players.")] = 1,
    jobs: Jobs = None,
    until: Annotated[
        float | None, Option(help="End a pair early, once it is clear whether the difference is 0 or this many Elo.")
    ] = None,
    save: Annotated[
        Path | None, Option(help="Save the games in this folder, and resume from those already there.")
    ] = None,
    as_data: ResultAsJson = False,
    plot: Annotated[Path | None, Option(help="Plot the differences in this file, .svg or .png.")] = None,
) -> None:
    """Play matches between computer players, each against the next on the list, with balanced seats and openings.

    In games with three or more sides, the first player takes one seat and the second player all the others. Ctrl-C
    stops with the score so far. Exit status: 0 finished, 1 a file cannot be used, 2 usage error, 130 interrupted.
    Example: fourcorners match GAME 5 6 --games 200 --nodes 2000
    """
    require_positive("--seconds", seconds)
    require_positive("--seconds-per-game", seconds_per_game)
    require_positive("--until", until, "number of Elo points")
    chosen = parse_game(game, option)
    require_writable(plot)
    if plot is not None:
        require_extra("plot", "--plot needs")
    names = (
        [str(number) for number in range(len(chosen.spec.part(ComputerPlay).levels), 0, -1)]
        if levels
        else list(player or [])
    )
    if len(names) < 2 or (levels and player):
        fail("name two or more players, or none with --levels", 2)
    try:
        sides = [parse_side(chosen, name, nodes, seconds, seconds_per_game) for name in names]
        matches = [EngineMatch(chosen, first, second, plies, seed) for first, second in pairwise(sides)]
        pairs = [_PlayerPair(match, _open_log(match, option or [], save, cpu=cpu), games, until) for match in matches]
    except GameError as error:
        fail(error.message, 2)
    except OSError as error:
        fail(f"{error.filename or save} cannot be used: {error.strerror or error}")
    with stop_on_interrupt() as stop:
        for pair in pairs:
            if not stop.is_set():
                try:
                    pair.run(jobs or os.cpu_count() or 1, stop, cpu=cpu)
                except OSError as error:
                    if save is None:
                        raise
                    fail(f"{error.filename or save} cannot be written: {error.strerror or error}")
    if save is not None:
        print(f"Wrote the games to {save}.", file=sys.stderr)
    rows = [pair.build_row() for pair in pairs if pair.log.score.games]
    print(json.dumps([row._asdict() for row in rows], indent=2)) if as_data else _print_table(chosen, rows)
    if plot is not None and rows:
        _plot(chosen, rows, plot)
    if stop.is_set():
        sys.exit(INTERRUPTED)


class Row(NamedTuple):
    """The result of one pair, for the first player; its fields are the keys of the JSON output.

    `share` is the mean share of the win, from 0 to 1, with the 95% interval `low` to `high`; `elo` and its interval
    follow from them. `evidence` is the log-likelihood ratio for a difference of --until over 0; None without --until.
    """

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


class _PlayerPair:
    """A match of two players that ends after enough games, or when the result is clear."""

    def __init__(self, match: EngineMatch, log: MatchLog, games: int, until: float | None) -> None:
        """Prepare at least `games` games, in whole openings; `until` is the Elo difference to test; None: no test."""
        self._match = match
        self.log = log
        self._openings = -(-games // len(match.seatings))
        self._until = until

    def run(self, jobs: int, stop: threading.Event, *, cpu: bool) -> None:
        """Play and log missing games, `jobs` at a time, until all are played, the result is clear, or `stop` is set;
        with `cpu` the players count processor time.

        When the result is clear, the games in progress are still finished; `stop` ends them without a result.
        This blocks, and shows a progress bar. Raise OptionError for limits that a Computer refuses, and OSError.
        """
        first, second = self._match.first.name, self._match.second.name
        seatings = self._match.seatings
        games = ((opening, seats) for opening in self.log.list_incomplete(self._openings) for seats in seatings)
        games_to_play = (game for game in games if not self.log.has_game(*game))
        futures: set[Future[PlayedGame | None]] = set()
        count_time = slices.count_processor_time if cpu else contextlib.nullcontext

        def play(opening: int, seats: tuple[int, ...]) -> PlayedGame | None:
            """Play a game in its own thread."""
            with count_time():
                return self._match.play(opening, seats, stop)

        is_decided = False  # by the sequential test
        with create_progress_bar() as bar, ThreadPoolExecutor(jobs) as pool:
            task = bar.add_task(f"{first} against {second}", total=self._openings * len(seatings))
            while True:
                while len(futures) < jobs and not stop.is_set() and not is_decided:
                    following = next(games_to_play, None)
                    if following is None:
                        break
                    futures.add(pool.submit(play, *following))
                if not futures:
                    return
                done, futures = wait(futures, return_when=FIRST_COMPLETED)
                for game in filter(None, (future.result() for future in done)):
                    self.log.add_game(game)
                score = self.log.score
                if score.games:
                    elo = elo_difference(score.mean, score.parties)
                    text = f"{first} against {second}: {score.mean:.1%}, {elo:+.0f} Elo"
                    bar.update(task, completed=score.games, description=text)
                is_decided |= abs(self._evidence(score) or 0.0) >= _DECISIVE and len(score.openings) >= _MIN_OPENINGS

    def _evidence(self, score: Score) -> float | None:
        return None if self._until is None or not score.games else score.log_likelihood_ratio(0.0, self._until)

    def build_row(self) -> Row:
        """Return the result so far; raise StatisticsError unless all games of at least one opening are finished."""
        score, match = self.log.score, self._match
        low, high = score.interval
        elo, elo_low, elo_high = (elo_difference(share, score.parties) for share in (score.mean, low, high))
        shares = (score.mean, low, high, elo, elo_low, elo_high)
        return Row(match.first.name, match.second.name, score.games, *shares, evidence=self._evidence(score))


def _open_log(match: EngineMatch, options: list[str], folder: Path | None, *, cpu: bool) -> MatchLog:
    """Open a match's log, in memory (None) or a folder, made if missing; raise OSError, OptionError if another's."""
    first, second = match.first, match.second
    terms: dict[str, Any] = {
        "game": match.game.id,
        "options": sorted(options),
        "first": [first.name, *first.level],
        "second": [second.name, *second.level],
        "nodes": first.nodes,
        "seconds": first.seconds,
        "plies": match.plies,
        "seed": match.seed,
        **({"clock": "processor"} if cpu else {}),
        **({"seconds per game": first.seconds_per_game} if first.seconds_per_game is not None else {}),
    }
    if folder is not None:
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it must be a folder", str(folder))
        folder.mkdir(parents=True, exist_ok=True)
    return MatchLog(terms, len(match.seatings), folder and folder / f"{first.name}-{second.name}.jsonl")


def _print_table(game: Game, rows: list[Row]) -> None:
    """Print the results as a table on standard output, with one line for each pair of players."""
    table = Table(title=game.title)
    for name in ("player", "against", "games", "won", "95%", "Elo", "95%"):
        table.add_column(name, justify="left" if name in ("player", "against") else "right")
    for row in rows:
        shares = (f"{row.share:.1%}", f"{row.low:.1%} to {row.high:.1%}")
        elos = (f"{row.elo:+.0f}", f"{row.elo_low:+.0f} to {row.elo_high:+.0f}")
        table.add_row(row.first, row.second, str(row.games), *shares, *elos)
    Console().print(table)


def _plot(game: Game, rows: list[Row], path: Path) -> None:
    """Draw Elo differences with intervals to an .svg or .png file, or exit with status 1."""
    from matplotlib.figure import Figure  # an optional dependency

    figure = Figure(figsize=(7, 1.2 + 0.5 * len(rows)), layout="constrained")
    axes = figure.subplots()
    ticks = range(len(rows))
    errors = [[row.elo - row.elo_low for row in rows], [row.elo_high - row.elo for row in rows]]
    axes.errorbar([row.elo for row in rows], ticks, xerr=errors, fmt="o", color="#1f5f8b", capsize=4)
    axes.axvline(0, color="#888", linewidth=1)
    axes.set_yticks(ticks, [f"{row.first} against {row.second}" for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("Elo difference, with 95% interval")
    axes.set_title(game.title)
    save_plot(figure, path)
