"""`fourcorners stats`: figures about the data of `fourcorners selfplay`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.table import Table
from typer import Argument, Option

from fourcorners.cli.common import (
    ResultAsJson,
    fail,
    require_extra,
    require_writable,
    save_plot,
    show_status,
)
from fourcorners.core.errors import GameError

if TYPE_CHECKING:
    from fourcorners.selfplay.statistics import Statistics


def stats(
    folder: Annotated[Path, Argument(help="The folder of a complete run of fourcorners selfplay.")],
    as_data: ResultAsJson = False,
    plot: Annotated[Path | None, Option(help="Plot the figures in this file, .svg or .png.")] = None,
) -> None:
    """Print figures about data from self-play: splits, lengths, results, branching, and what is proven.

    Files that have changed since the run are refused. Exit status: 0 finished, 1 a file cannot be used.
    Example: fourcorners stats data --plot data.svg
    """
    require_extra("data", "stats needs")
    require_writable(plot)
    if plot is not None:
        require_extra("plot", "--plot needs")
    from fourcorners.selfplay.statistics import compute_statistics

    try:
        with show_status(f"reading {folder}"):
            found = compute_statistics(folder)
    except GameError as error:
        fail(error.message)
    except OSError as error:
        fail(f"{error.filename or folder} cannot be read: {error.strerror or error}")
    print(json.dumps(asdict(found), indent=2)) if as_data else _print_tables(found)
    if plot is not None:
        _plot(found, plot)


def _print_tables(found: "Statistics") -> None:
    """Print the figures on standard output."""
    console = Console()
    rows = Table("table", title=found.game)
    splits = ("train", "validation", "test", "none")
    for split in splits:
        rows.add_column(split, justify="right")
    for name, counts in found.rows.items():
        rows.add_row(name, *(f"{counts.get(split, 0):,}" for split in splits))
    console.print(rows)
    figures = Table("figure", show_header=False)
    figures.add_column("value", justify="right")
    fewest, mean, most = found.plies
    figures.add_row("moves in a game", f"{mean:.1f} ({fewest} to {most})")
    for seat, share in enumerate(found.wins):
        figures.add_row(f"wins of seat {seat}", f"{share:.1%}")
    figures.add_row("shared wins", f"{found.shared:.1%}")
    for name, reward in found.players.items():
        figures.add_row(f"mean reward of {name}", f"{reward:+.3f}")
    figures.add_row("legal moves", f"{found.branching:.1f}")
    figures.add_row("proven values", "no labels" if found.exact is None else f"{found.exact:.1%}")
    console.print(figures)


def _plot(found: "Statistics", path: Path) -> None:
    """Draw branching and proven values by the number of moves to an .svg or .png file, or exit with status 1."""
    from matplotlib.figure import Figure  # an optional dependency

    figure = Figure(figsize=(7, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    plies = [row.ply for row in found.by_ply]
    upper.plot(plies, [row.branching for row in found.by_ply], color="#1f5f8b")
    upper.set_ylabel("legal moves")
    upper.set_title(found.game)
    lower.bar(plies, [row.positions for row in found.by_ply], color="#c9d6df")
    lower.set_ylabel("positions")
    lower.set_xlabel("moves before the position")
    if found.exact is not None:
        shares = lower.twinx()
        shares.plot(plies, [row.exact for row in found.by_ply], color="#1f5f8b")
        shares.set_ylabel("share with a proven value")
        shares.set_ylim(0.0, 1.05)
    save_plot(figure, path)
