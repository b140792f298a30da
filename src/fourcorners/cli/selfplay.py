"""`fourcorners selfplay`: games of computer players as data."""

import sys
import threading
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
    ray: Annotated[
        str | None,
        Option(help="Play on the Ray cluster with this address, of which this machine is a node; local starts one."),
    ] = None,
) -> None:
    """Let computer players play games, and write them as Parquet: games, positions, and views where cards are hidden.

    The same command continues a run that was stopped, and gives the same bytes however often that happens. Exit status:
    0 finished, 1 a file cannot be used, 2 usage error, 130 interrupted.
    Example: fourcorners selfplay GAME --player top --nodes 400 --games 10000 --out data
    """
    require_extra("data", "selfplay needs")
    if ray is not None:
        require_extra("ray", "--ray needs")
        if jobs is not None:
            fail("--jobs is for this machine alone: leave it out with --ray", 2)
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
                _play_units(folder, jobs, ray, stop)
                if stop.is_set():
                    print(f"The same command continues the run in {out}.", file=sys.stderr)
                    sys.exit(INTERRUPTED)
            folder.finish()
    except GameError as error:
        fail(error.message, 2)
    except OSError as error:
        fail(f"{error.filename or out} cannot be used: {error.strerror or error}")
    print(f"{out} is complete.", file=sys.stderr)


def _play_units(folder: "RunFolder", jobs: int | None, ray: str | None, stop: threading.Event) -> None:
    """Play the missing units here, or on a cluster, and add each to the folder, until `stop` is set."""
    from fourcorners.selfplay.run import play_here, play_on_cluster

    configuration, missing = folder.configuration, folder.list_missing()
    with create_progress_bar(TimeRemainingColumn()) as bar:
        total = configuration.units
        task = bar.add_task("units of 16 games", total=total, completed=total - len(missing))
        played = (
            play_here(configuration, missing, stop, jobs)
            if ray is None
            else play_on_cluster(configuration, missing, stop, ray)
        )
        for unit, files in played:
            folder.add_unit(unit, files)
            bar.advance(task)
