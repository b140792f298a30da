"""`fourcorners selfplay`: games of computer players as data."""

import os
import sys
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.progress import TimeRemainingColumn
from typer import Option

from fourcorners.cli.common import (
    INTERRUPTED,
    GameId,
    GameOptions,
    Jobs,
    RandomPlies,
    create_progress_bar,
    fail,
    parse_game,
    require_extra,
    stop_on_interrupt,
)
from fourcorners.core.errors import GameError

if TYPE_CHECKING:
    from fourcorners.selfplay.configuration import Configuration
    from fourcorners.selfplay.folder import RunFolder


def selfplay(
    game: GameId,
    out: Annotated[Path, Option(help="The folder of the data, in which a run that was stopped goes on.")],
    player: Annotated[
        list[str],
        Option(help="The number of a level, top, simulations, plain or a baseline; one for all seats, or more."),
    ],
    option: GameOptions = None,
    games: Annotated[int, Option(min=1, max=10**8, help="The number of games.")] = 1000,
    nodes: Annotated[
        int | None, Option(min=1, help="Simulations for each move, for all players that look ahead.")
    ] = None,
    plies: RandomPlies = 2,
    seed: Annotated[int, Option(help="The seed of all games.")] = 1,
    label: Annotated[
        bool, Option("--label", help="Add exact values of positions and moves, or proven bounds.")
    ] = False,
    label_nodes: Annotated[
        int, Option(min=1, max=10**12, help="With --label: the nodes of a solver for each position.")
    ] = 50_000,
    date: Annotated[
        datetime | None, Option(formats=["%Y-%m-%d"], help="The date of publication in the data card.")
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Let computer players play games, and write them as Parquet: games, positions, and views where cards are hidden.

    The same command continues a run that was stopped, and gives the same bytes however often that happens. Exit status:
    0 finished, 1 a file cannot be used, 2 usage error, 130 interrupted.
    Example: fourcorners selfplay GAME --player top --nodes 400 --games 10000 --out data
    """
    require_extra("data", "selfplay needs")
    from fourcorners.selfplay.configuration import Configuration
    from fourcorners.selfplay.folder import RunFolder

    chosen = parse_game(game, option)
    configuration = Configuration(
        *(chosen.id, chosen.given_options(), games, tuple(player), nodes, plies, seed),
        label_nodes=label_nodes if label else None,
        date="" if date is None else date.date().isoformat(),
    )
    try:
        configuration.make_sides()
        folder = RunFolder(out, configuration)
        if not folder.is_complete:
            with stop_on_interrupt() as stop:
                _play_units(folder, configuration, jobs or os.cpu_count() or 1, stop)
                if stop.is_set():
                    print(f"The same command continues the run in {out}.", file=sys.stderr)
                    sys.exit(INTERRUPTED)
            folder.finish()
    except GameError as error:
        fail(error.message, 2)
    except OSError as error:
        fail(f"{error.filename or out} cannot be used: {error.strerror or error}")
    print(f"{out} is complete.", file=sys.stderr)


def _play_units(folder: "RunFolder", configuration: "Configuration", jobs: int, stop: threading.Event) -> None:
    """Play the missing units in this many threads, and add each to the folder, until all are there or `stop` is set."""
    from fourcorners.selfplay.unit import build_unit

    missing = folder.list_missing()
    done = configuration.units - len(missing)
    units = iter(missing)
    futures: dict[Future[dict[str, bytes] | None], int] = {}
    with create_progress_bar(TimeRemainingColumn()) as bar, ThreadPoolExecutor(jobs) as pool:
        task = bar.add_task("units of 16 games", total=configuration.units, completed=done)
        while True:
            while len(futures) < jobs and not stop.is_set() and (unit := next(units, None)) is not None:
                futures[pool.submit(build_unit, configuration, unit, stop)] = unit
            if not futures:
                return
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                unit, files = futures.pop(future), future.result()
                if files is not None:
                    folder.add_unit(unit, files)
                    bar.advance(task)
